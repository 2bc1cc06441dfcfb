/* hash.c: FNV-1a (draft-eastlake-fnv). */
#include "pricing/hash.h"

uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211ULL;
    return hash;
}
