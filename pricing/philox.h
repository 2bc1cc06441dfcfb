/* philox.h: numbers at random that depend on their place alone: the
   counter-based generator Philox 4x32-10 (Salmon, Moraes, Dror and Shaw,
   "Parallel random numbers: as easy as 1, 2, 3", SC 2011). */
#ifndef GPUTCO_PRICING_PHILOX_H
#define GPUTCO_PRICING_PHILOX_H

#include <stdint.h>

/* Ten rounds over counter[4] with key[2]; writes four words. */
void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* `count` uniform numbers in (0, 1): the i-th from counter
   (first + i, field, option, 0), 52 bits of its first two words, and half a
   step, so that neither end comes up. The key is the seed, low word first. */
void philox_uniform(uint64_t seed, uint32_t first, uint32_t field,
                    uint32_t option, int count, double *out);

#endif
