/* world.h: what a request may look at besides its own text: the price
   generation, the exchange rates and the date. Immutable while in use. */
#ifndef GPUTCO_PRICING_WORLD_H
#define GPUTCO_PRICING_WORLD_H

#include "pricing/own.h"
#include "pricing/price.h"
#include "pricing/reading.h"

struct world {
    const struct price_table *prices; /* never NULL */
    const struct rate_table *rates;   /* never NULL */
    int today;                        /* yyyymmdd, UTC */
    int degraded;                     /* answering from built-in prices only */
    const char *degraded_reason;      /* one sentence, "" when not degraded */
    const struct own_table *own; /* own prices; NULL: none */
    const struct reading_table *readings; /* for showing only; NULL: none */
    const char *store; /* where studies can be saved; NULL: nowhere */
};

#endif
