/* sentence.h: the answer as a person would say it, from the result alone.
   Plain text, the same words on the page, on the command line and in
   exports. */
#ifndef GPUTCO_FCGI_SENTENCE_H
#define GPUTCO_FCGI_SENTENCE_H

#include "fcgi/answer.h"

/* How the answer turns out. */
enum shape { SHAPE_NONE,       /* fewer than two options can do the work */
             SHAPE_CLOSE,      /* too close to call */
             SHAPE_THROUGHOUT, /* one is cheaper from the start */
             SHAPE_FLIPS,      /* from a month on the other one is */
             SHAPE_ONLY_LATE,  /* heavy wins through resale or financing */
             SHAPE_TOO_LATE }; /* running totals cross, present values not */

/* The pair that decides: pair.a against the cheapest other; NULL if none. */
const struct pair *sentence_pair(const struct answer *answer);

enum shape sentence_shape(const struct answer *answer,
                          const struct pair *pair);

/* What to do: "Renting X costs less for the first 5 months, ..." */
void sentence_verdict(const struct answer *answer, struct text *out);

/* What it costs: "Over 3 years owning costs USD 32,200, ..." */
void sentence_amounts(const struct answer *answer, struct text *out);

/* 1 if a warning of that code is about the option (any: -1). The amounts say
   themselves when a price is old or its offer gone. */
int sentence_is_warned(const struct answer *answer, int option,
                       const char *code);

/* Both. */
void sentence(const struct answer *answer, struct text *out);

#endif
