/* energy.c: compiles the formulas of steps.def, once for each kind, for one
   option and for a row of them. */
#include "energy/energy.h"

#include "energy/formula.h"
#include "energy/lanes.h"

#define OF(kind, ...) OF_OWN_##kind(__VA_ARGS__)
#define CHOOSE(own, ...) own

static void own_run(const double *value, const double *given, double *step)
{
#define AT
#include "energy/formulas.inc"
#undef AT
}

LANES static void own_lanes(const double (*restrict value)[LANE_COUNT],
                            const double (*restrict given)[LANE_COUNT],
                            double (*restrict step)[LANE_COUNT])
{
    for (int lane = 0; lane < LANE_COUNT; lane++) {
#define AT [lane]
#include "energy/formulas.inc"
#undef AT
    }
}

#undef OF
#undef CHOOSE
#define OF(kind, ...) OF_RENT_##kind(__VA_ARGS__)
#define CHOOSE(own, ...) __VA_ARGS__

static void rent_run(const double *value, const double *given, double *step)
{
#define AT
#include "energy/formulas.inc"
#undef AT
}

LANES static void rent_lanes(const double (*restrict value)[LANE_COUNT],
                             const double (*restrict given)[LANE_COUNT],
                             double (*restrict step)[LANE_COUNT])
{
    for (int lane = 0; lane < LANE_COUNT; lane++) {
#define AT [lane]
#include "energy/formulas.inc"
#undef AT
    }
}

void energy_run(enum kind kind, const double *value,
                const double given[GIVEN_COUNT],
                double step[ENERGY_STEP_COUNT])
{
    for (int i = 0; i < ENERGY_STEP_COUNT; i++)
        step[i] = NA();
    if (kind == KIND_OWN)
        own_run(value, given, step);
    else
        rent_run(value, given, step);
}

void energy_run_lanes(enum kind kind,
                      const double (*value)[LANE_COUNT],
                      const double (*given)[LANE_COUNT],
                      double (*step)[LANE_COUNT])
{
    (kind == KIND_OWN ? own_lanes : rent_lanes)(value, given, step);
}
