/* hash.h: FNV-1a, 64 bits: names a version of a text, guards nothing. */
#ifndef GPUTCO_PRICING_HASH_H
#define GPUTCO_PRICING_HASH_H

#include <stdint.h>

#define HASH_START 14695981039346656037ULL

/* Goes on from `hash`, at first HASH_START. */
uint64_t hash_text(uint64_t hash, const char *text);

#endif
