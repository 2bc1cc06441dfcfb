/* energy.h: hours, watts, kWh, CO2e and water of one option. Pure: doubles
   in, doubles out; knows nothing of money, storage or the web. */
#ifndef GPUTCO_ENERGY_ENERGY_H
#define GPUTCO_ENERGY_ENERGY_H

/* How the computing is had. */
enum kind { KIND_OWN, KIND_RENT };

/* Index of each physical field in an option's values. pricing/field.h goes
   on counting. */
enum energy_field {
#define FIELD(name, ...) F_##name,
#define CHOICE(name, ...) F_##name,
#define NAME(name, ...) F_##name,
#include "energy/fields.def"
    ENERGY_FIELD_COUNT
};

enum given {
#define GIVEN(name, ...) G_##name,
#include "energy/given.def"
    GIVEN_COUNT
};

enum energy_step {
#define STEP(kind, name, ...) S_##name,
#define EACH(name, ...) S_##name,
#include "energy/steps.def"
    ENERGY_STEP_COUNT
};

/* Evaluates energy/steps.def for one option. value: the option's fields
   (index F_*; choices as their code), all finite and within their limits;
   given: G_*; step: S_*, written whole, steps of the other kind as NAN. */
void energy_run(enum kind kind, const double *value,
                const double given[GIVEN_COUNT],
                double step[ENERGY_STEP_COUNT]);

/* The same formulas for a row of options at once: ENERGY_FIELD_COUNT rows of
   values, GIVEN_COUNT rows of given, ENERGY_STEP_COUNT rows of steps; steps of
   the other kind are not written. Gives the digits of energy_run. */
enum { LANE_COUNT = 128 };
void energy_run_lanes(enum kind kind,
                      const double (*value)[LANE_COUNT],
                      const double (*given)[LANE_COUNT],
                      double (*step)[LANE_COUNT]);

#endif
