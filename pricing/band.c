/* band.c: draws one option, adds up its months, sorts each month. */
#include "pricing/band.h"

#include <math.h>
#include <stdlib.h>

#include "pricing/philox.h"
#include "pricing/pricing.h"
#include "pricing/uncertainty.h"

/* The values of draw `at`: the same as in uncertainty_run. */
static void draw(const struct study *study, const struct ranges *ranges,
                 uint64_t seed, int at, struct trial *trial)
{
    trial_of(study, trial);
    for (int i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->range[i];
        double u;
        philox_uniform(seed, (uint32_t)at, (uint32_t)range->stream,
                       (uint32_t)(range->option + 1), 1, &u);
        range_set(study, range,
                  triangular(range->low, range->value, range->high, u),
                  trial);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(const double *sorted, double share)
{
    return sorted[(int)ceil(share * BAND_DRAW_COUNT) - 1];
}

int band_run(const struct study *study, const struct ranges *ranges,
             int option, uint64_t seed, struct band_room *room,
             struct band *out)
{
    int months = -1;
    struct trial trial;
    struct result result;

    for (int i = 0; i < BAND_DRAW_COUNT; i++) {
        struct work work;
        double total = 0;
        draw(study, ranges, seed, i, &trial);
        work = work_of(trial.value[0]);
        model_run(study->option[option].kind, trial.value[option], &work,
                  &result, NULL);
        if (months >= 0 && result.month_count != months)
            return 0;
        months = result.month_count;
        for (int m = 0; m <= months; m++) {
            total += result.flow[m];
            room->total[m][i] = total;
        }
    }
    out->month_count = months;
    for (int m = 0; m <= months; m++) {
        qsort(room->total[m], BAND_DRAW_COUNT, sizeof room->total[m][0],
              by_size);
        out->p5[m] = quantile(room->total[m], 0.05);
        out->p95[m] = quantile(room->total[m], 0.95);
    }
    return 1;
}
