/* accept_reading.h: which readings of a feed are believed. Pure. */
#ifndef GPUTCO_PRICING_ACCEPT_READING_H
#define GPUTCO_PRICING_ACCEPT_READING_H

#include "pricing/accept.h"

struct accept_reading_rule {
    const struct feed *feed;
    long long now;              /* seconds since 1970, UTC */
    int accept;                 /* the operator has looked */
    long last_count;            /* readings of the last good fetch, 0: none */
};

/* Judges the readings of a batch, sorts those that can be believed to the
   front and makes *count theirs. Not believed, counted in *tally: a negative
   or impossible value, an unknown zone, a time ahead of a day from now, two
   values for one time, a grid value beyond 20 times the place's yearly factor
   either way, a tariff beyond 3 times the built-in one of its class. GOOD, or
   FEED_REFUSED with a sentence when the whole cannot be right: kilograms for
   grams, most tariffs far off, far fewer rows than the last time, none. What
   is of a time to come is marked a forecast. */
enum status accept_readings(struct reading *reading, size_t *count,
                            const struct accept_reading_rule *rule,
                            struct tally *tally, char *why, size_t why_byte);

#endif
