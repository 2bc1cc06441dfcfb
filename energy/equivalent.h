/* equivalent.h: what a kWh or a kilogram of CO2e is like, for people. Stands
   beside a figure and never in its place. */
#ifndef GPUTCO_ENERGY_EQUIVALENT_H
#define GPUTCO_ENERGY_EQUIVALENT_H

#include <stddef.h>

#include "energy/fact.h"

/* label: behind the number, "km in an average US passenger car". One of it is
   so many kWh, or so many kg of CO2e; the other is NAN. */
struct equivalent {
    const char *id, *label, *note;
    double one_kwh, one_kg;
    struct source source;
};

size_t equivalent_count_all(void);
const struct equivalent *equivalent_at(size_t i);

/* How many of it that energy or that carbon is; NAN when it is not known. */
double equivalent_of(const struct equivalent *e, double kwh, double kg);

#endif
