/* verdict.h: two options against each other: savings and break-evens.
   Pure. Formulas are searches and so stand here, not in a table; the
   calculation contract ("Verdict") says what each one is. */
#ifndef GPUTCO_PRICING_VERDICT_H
#define GPUTCO_PRICING_VERDICT_H

#include "pricing/pricing.h"

/* NAN means there is none ("never"). */
struct pair {
    int a, b;                      /* options */
    int heavy;                     /* the one with the larger outlay; -1 tie */
    double saving_npv, saving_frac;
    int close_call;
    double break_even_month, break_even_month_discounted;
    double break_even_busy_frac, carbon_break_even_busy_frac;
    double break_even_rent_price_per_hour;
    int rent_option;               /* whose price that is; -1 none */
    double break_even_energy_price_per_kwh;
    double irr;
    int irr_not_unique;
};

struct verdict {
    struct pair pair[OPTION_MAX - 1];
    int count;
};

/* Pairs of a study whose options were run into `result`. Empty when fewer
   than two options can do the work. */
void verdict_run(const struct study *study,
                 const struct result result[OPTION_MAX],
                 struct verdict *verdict);

#endif
