/* pack.c: zlib around a text. */
#include "fcgi/pack.h"

#include <stdlib.h>
#include <zlib.h>

int pack(const char *at, size_t byte, struct text *out)
{
    uLongf room = compressBound((uLong)byte);
    unsigned char *packed;
    int good;

    if (byte > PACK_WHOLE_BYTE_MAX)
        return 0;
    packed = malloc(room);
    if (!packed)
        return 0;
    good = compress2(packed, &room, (const unsigned char *)at, (uLong)byte,
                     Z_BEST_COMPRESSION) == Z_OK;
    if (good)
        text_put(out, (const char *)packed, room);
    free(packed);
    return good && !out->failed;
}

int unpack(const void *at, size_t byte, size_t whole, struct text *out)
{
    uLongf room = (uLongf)whole;
    unsigned char *made;
    int good;

    if (whole > PACK_WHOLE_BYTE_MAX)
        return 0;
    made = malloc(whole + 1);
    if (!made)
        return 0;
    good = uncompress(made, &room, at, (uLong)byte) == Z_OK && room == whole;
    if (good)
        text_put(out, (const char *)made, whole);
    free(made);
    return good && !out->failed;
}
