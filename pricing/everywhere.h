/* everywhere.h: one run on every GPU that can be bought and on every cloud
   that rents it. Pure: the caller brings the room. */
#ifndef GPUTCO_PRICING_EVERYWHERE_H
#define GPUTCO_PRICING_EVERYWHERE_H

#include "pricing/run.h"
#include "pricing/world.h"

enum { EVERYWHERE_MAX = 256 };

/* Rented: the cheapest offer on demand of that GPU and provider on the day of
   the study. Owned: a machine of that GPU that works busy_frac of its time.
   Where nobody typed how many GPUs the run takes and one machine does not hold
   it, as many machines as do. */
struct everywhere_row {
    enum kind kind;
    const struct price *price;       /* NULL for what is owned */
    const struct gpu *gpu;
    double gpu_count;                /* of one machine */
    struct run_option run;
    char label[LABEL_BYTE_MAX + 1];
    int cheapest, fastest, greenest; /* among those that fit */
    int old;                         /* its price is, on the study's day */
};

struct everywhere { struct everywhere_row row[EVERYWHERE_MAX]; int count; };

/* Rows in order of cost_full; those that do not fit come last. study: a
   resolved one. */
void everywhere_run(const struct run_spec *wanted, const struct study *study,
                    const struct run_option *reference,
                    const struct world *world, struct everywhere *out);

#endif
