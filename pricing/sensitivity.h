/* sensitivity.h: what one uncertain quantity at a time does to the saving of
   a pair. Pure. */
#ifndef GPUTCO_PRICING_SENSITIVITY_H
#define GPUTCO_PRICING_SENSITIVITY_H

#include "pricing/range.h"
#include "pricing/verdict.h"

/* saving: npv_cost of the pair's b less a's; NAN when one of them is short
   of capacity there. flip: value of the field, nearest to today's, at which
   the saving changes sign; NAN when there is none within the field's limits
   (ten times the value for prices and the like). */
struct sensitivity_row {
    int field, option;      /* option -1: the whole study */
    double low, high, saving_low, saving_high, flip;
};

struct sensitivity {
    int a, b;
    struct sensitivity_row row[RANGE_MAX];
    int count;
};

/* Rows of the pair, widest swing first; equal swings in table order. */
void sensitivity_run(const struct study *study, const struct ranges *ranges,
                     int a, int b, struct sensitivity *out);

/* Saving of a pair for the values of a trial; NAN when one is short. */
double saving_of(const struct study *study, const struct trial *trial, int a,
                 int b);

/* Puts every range of a trial at the end that is worst (or best) for option
   `a` against `other`; a range of a third option at the end that is worst
   for `a` against that one. What makes no difference stays. */
void case_of(const struct study *study, const struct ranges *ranges, int other,
             int best, struct trial *trial);

#endif
