/* philox.c: the generator, alone and for a row of counters. */
#include "pricing/philox.h"

#include "energy/lanes.h"

#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0 0x9E3779B9u
#define WEYL_1 0xBB67AE85u
enum { ROUNDS = 10 };

void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t a = (uint64_t)MULTIPLIER_0 * c0;
        uint64_t b = (uint64_t)MULTIPLIER_1 * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += WEYL_0;
        k1 += WEYL_1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* The bits of a double in [1, 2) hold 52 random ones. */
static double unit_of(uint32_t high, uint32_t low)
{
    union { uint64_t bits; double value; } u;

    u.bits = 0x3FF0000000000000u | ((uint64_t)high << 20) | (low >> 12);
    return u.value - 1 + 0x1p-53;
}

LANES void philox_uniform(uint64_t seed, uint32_t first, uint32_t field,
                          uint32_t option, int count,
                          double *restrict out)
{
    const uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);

    for (int i = 0; i < count; i++) {
        uint64_t c0 = first + (uint32_t)i, c1 = field, c2 = option, c3 = 0;
        uint32_t k0 = key0, k1 = key1;
        for (int round = 0; round < ROUNDS; round++) {
            uint64_t a = MULTIPLIER_0 * (c0 & 0xFFFFFFFFu);
            uint64_t b = MULTIPLIER_1 * (c2 & 0xFFFFFFFFu);
            c0 = (b >> 32) ^ c1 ^ k0;
            c1 = b & 0xFFFFFFFFu;
            c2 = (a >> 32) ^ c3 ^ k1;
            c3 = a & 0xFFFFFFFFu;
            k0 += WEYL_0;
            k1 += WEYL_1;
        }
        out[i] = unit_of((uint32_t)c0, (uint32_t)c1);
    }
}
