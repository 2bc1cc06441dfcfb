/* uncertainty.h: triangular draws over the ranges of a study: percentiles of
   cost and carbon, and how often each option is best. Same seed, same
   digits, on any machine and with any number of threads. Pure: the caller
   brings the room. */
#ifndef GPUTCO_PRICING_UNCERTAINTY_H
#define GPUTCO_PRICING_UNCERTAINTY_H

#include <stdint.h>

#include "pricing/range.h"
#include "pricing/verdict.h"

enum { SAMPLE_MAX = 1000000,
       SAMPLE_EXACT_MAX = 20000, /* more are counted in bins, see below */
       BIN_COUNT = 40, BIN_FINE_COUNT = 32768,
       METRIC_MAX = 3 * OPTION_MAX };

struct spread { double p5, p50, p95; };

/* Counts of a metric in BIN_COUNT equal bins from low to high. */
struct histogram { double low, high; int count[BIN_COUNT]; };

struct uncertainty {
    int samples;
    uint64_t seed;
    struct spread npv_cost[OPTION_MAX], total_kg[OPTION_MAX];
    double probability_cheapest[OPTION_MAX], probability_greenest[OPTION_MAX];
    struct histogram npv_histogram[OPTION_MAX], kg_histogram[OPTION_MAX];
    struct spread pair_saving[OPTION_MAX - 1]; /* as verdict->pair */
    int pair_count;
};

/* Room for one run: up to SAMPLE_EXACT_MAX samples are kept and quantiles
   are exact (nearest rank); beyond, a first pass finds the ends of each
   metric and a second counts BIN_FINE_COUNT bins, so a quantile is off by
   at most 1/32768 of the metric's whole range. About 3 MiB. */
union uncertainty_room {
    double sample[METRIC_MAX][SAMPLE_EXACT_MAX];
    uint32_t bin[METRIC_MAX][BIN_FINE_COUNT];
};

/* samples: 1 … SAMPLE_MAX. Draw i of a field of an option takes Philox
   counter (i, field, option + 1, 0), a shared field option 0; key is the
   seed. Options short of capacity in a sample are neither cheapest nor
   greenest in it; an option without a figure has NAN. */
void uncertainty_run(const struct study *study, const struct ranges *ranges,
                     const struct verdict *verdict, int samples, uint64_t seed,
                     union uncertainty_room *room, struct uncertainty *out);

/* The value at u in (0, 1) of a triangular distribution; mode is kept
   within low … high. */
double triangular(double low, double mode, double high, double u);

#endif
