/* address.c: which addresses may be asked (see address.h). */
#include "pricing/address.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

const char *address_fault(const char *address)
{
    const char *host;

    if (strncmp(address, "https://", 8))
        return "only https addresses are asked";
    host = address + 8;
    if (!*host || strchr("/:?#@", *host))
        return "the address has no host";
    for (const char *c = host; *c; c++) {
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f)
            return "the address has a character that must be escaped";
    }
    if (memchr(host, '@', strcspn(host, "/?#")))
        return "the address carries a name or password";
    if (strlen(address) >= 300)
        return "the address is too long";
    return NULL;
}

/* Length of scheme, host and port, without the port of https. */
static size_t origin_byte(const char *address)
{
    const char *host = strstr(address, "://");
    size_t byte;

    if (!host)
        return 0;
    byte = (size_t)(host + 3 - address) + strcspn(host + 3, "/?#");
    return byte > 4 && !strncmp(address + byte - 4, ":443", 4) ? byte - 4
                                                               : byte;
}

int address_same_origin(const char *a, const char *b)
{
    const size_t byte = origin_byte(a);

    return byte && byte == origin_byte(b) && !strncasecmp(a, b, byte);
}

/* Blocks of RFC 6890 and its followers. */
static int private_v4(const unsigned char b[4])
{
    static const struct { unsigned char net[4]; int bits; } block[] = {
        { { 0, 0, 0, 0 }, 8 },       { { 10, 0, 0, 0 }, 8 },
        { { 100, 64, 0, 0 }, 10 },   { { 127, 0, 0, 0 }, 8 },
        { { 169, 254, 0, 0 }, 16 },  { { 172, 16, 0, 0 }, 12 },
        { { 192, 0, 0, 0 }, 24 },    { { 192, 0, 2, 0 }, 24 },
        { { 192, 88, 99, 0 }, 24 },  { { 192, 168, 0, 0 }, 16 },
        { { 198, 18, 0, 0 }, 15 },   { { 198, 51, 100, 0 }, 24 },
        { { 203, 0, 113, 0 }, 24 },  { { 224, 0, 0, 0 }, 3 },
    };

    for (size_t i = 0; i < sizeof block / sizeof *block; i++) {
        int bits = block[i].bits, same = 1;

        for (int k = 0; k < 4 && bits > 0; k++, bits -= 8) {
            unsigned mask = bits >= 8 ? 0xffu : 0xffu << (8 - bits) & 0xffu;

            same &= (b[k] & mask) == block[i].net[k];
        }
        if (same)
            return 1;
    }
    return 0;
}

/* Only 2000::/3 is the public internet; of it the documentation, Teredo,
   ORCHID and 6to4 blocks are not, the last as it wraps IPv4. */
static int private_v6(const unsigned char b[16])
{
    if ((b[0] & 0xe0) != 0x20)
        return 1;
    if (b[0] == 0x20 && b[1] == 0x02)
        return 1;
    if (b[0] == 0x20 && b[1] == 0x01 && (b[2] & 0xfe) == 0)
        return 1;
    return b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8;
}

int address_private(const char *numeric)
{
    unsigned char bytes[16];

    if (inet_pton(AF_INET, numeric, bytes) == 1)
        return private_v4(bytes);
    if (inet_pton(AF_INET6, numeric, bytes) == 1)
        return private_v6(bytes);
    return 1;
}
