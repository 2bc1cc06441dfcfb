/* alternatives.h: everything else that could do the work of option `a`: each
   rented offer in force on the day and each machine that the catalogue has a
   price for, ranked by cost, with carbon beside it. Pure: the caller brings
   the room. */
#ifndef GPUTCO_PRICING_ALTERNATIVES_H
#define GPUTCO_PRICING_ALTERNATIVES_H

#include "energy/device.h"
#include "pricing/candidate.h"
#include "pricing/pricing.h"
#include "pricing/world.h"

enum { ALTERNATIVE_MAX = 100,       /* largest limit */
       ALTERNATIVE_FRONT_MAX = 16 };

/* Lists are words with commas between them, "" means any. Names of a
   provider, region or term leave nothing but offers that have them.
   max_machine_count: machines at work at once, so that what is due in time
   needs no more of them; 0 any. by_model: run the whole model for each offer,
   slowly, with the same answer. */
struct alternative_filter {
    const char *provider, *region, *gpu, *term;
    double min_gpu_memory_gib, max_machine_count;
    int by_model;
};

/* One of them. Ranks count all that passed the filter, from 1. Strings are
   those of the tables and the price generation. */
struct alternative {
    enum kind kind;
    const struct price *price;      /* rented; NULL for what is owned */
    const struct server *server;    /* NULL: built from gpu and gpu_count */
    const struct gpu *gpu;
    double gpu_count;
    double machine_count;           /* NAN: paid by the hour */
    double running_machine_count;   /* at work at once */
    double price_per_hour, upfront_price; /* study's currency; NAN owned */
    double capex_cost;              /* NAN rented */
    double npv_cost, monthly_equivalent_cost, cost_per_gpu_hour;
    double npv_cost_with_carbon, meter_kwh, operational_kg, total_kg;
    int rank, rank_with_carbon;     /* the latter 0 without a carbon price */
    int pareto;                     /* none is cheaper with as little carbon,
                                       or as cheap with less */
    struct origin origin;           /* of the price */
    int old;                        /* its list was read too long ago */
    char label[LABEL_BYTE_MAX + 1];
};

struct alternatives {
    struct alternative row[ALTERNATIVE_MAX + ALTERNATIVE_FRONT_MAX];
    int count;                      /* rows 0 ... are the cheapest */
    int front[ALTERNATIVE_FRONT_MAX], front_count;
                                    /* rows of the Pareto front from the
                                       cheapest to the one with least carbon;
                                       one of equals */
    long ranked_count;              /* all that were ranked */
};

/* Candidates that a run over this world may have to keep. */
size_t alternatives_room(const struct world *world);

/* Ranks the alternatives of a resolved study: each one as option b of a study
   with the same shared fields, with what was typed for all options (but for
   what says which machine it is) and, for what is owned, with the place and
   the rates of an owned option `a`. limit: 1 ... ALTERNATIVE_MAX. Rented ones
   without a stated term, of GPUs not in the table or without a peak rate at
   the study's precision are left out. */
void alternatives_run(const struct study *study, const struct world *world,
                      const struct alternative_filter *filter, int limit,
                      struct candidate *room, struct alternatives *out);

/* The study of option `a` and this alternative as `b`; what it took over from
   `a` counts as typed for b. 1 when complete. */
int alternative_study(const struct study *study, const struct world *world,
                      const struct alternative *row, struct study *out);

#endif
