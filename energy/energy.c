/* energy.c: compiles the formulas of steps.def, once for each kind. */
#include "energy/energy.h"

#include "energy/formula.h"
#include "energy/lanes.h"

static void own_run(const double *value, const double *given, double *step)
{
#define FIELD(name, ...) const double name = value[F_##name]; (void)name;
#define CHOICE(name, ...)
#define NAME(name, ...)
#include "energy/fields.def"
#define CONST(name, dimension, number, source) \
    const double name = number; (void)name;
#include "energy/consts.def"
#define GIVEN(name, ...) const double name = given[G_##name]; (void)name;
#include "energy/given.def"
#define STEP(kind, name, unit, label, ...) \
    OF_OWN_##kind(const double name = step[S_##name] = (__VA_ARGS__); (void)name;)
#define EACH(name, unit, label, own, ...) \
    const double name = step[S_##name] = (own); (void)name;
#include "energy/steps.def"
}

static void rent_run(const double *value, const double *given, double *step)
{
#define FIELD(name, ...) const double name = value[F_##name]; (void)name;
#define CHOICE(name, ...)
#define NAME(name, ...)
#include "energy/fields.def"
#define CONST(name, dimension, number, source) \
    const double name = number; (void)name;
#include "energy/consts.def"
#define GIVEN(name, ...) const double name = given[G_##name]; (void)name;
#include "energy/given.def"
#define STEP(kind, name, unit, label, ...) \
    OF_RENT_##kind(const double name = step[S_##name] = (__VA_ARGS__); (void)name;)
#define EACH(name, unit, label, own, ...) \
    const double name = step[S_##name] = (__VA_ARGS__); (void)name;
#include "energy/steps.def"
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

/* --- many at once ------------------------------------------------------- */

LANES static void own_lanes(const double (*restrict value)[LANE_COUNT],
                            const double (*restrict given)[LANE_COUNT],
                            double (*restrict step)[LANE_COUNT])
{
    for (int lane = 0; lane < LANE_COUNT; lane++) {
#define FIELD(name, ...) const double name = value[F_##name][lane]; (void)name;
#define CHOICE(name, ...)
#define NAME(name, ...)
#include "energy/fields.def"
#define CONST(name, dimension, number, source) \
    const double name = number; (void)name;
#include "energy/consts.def"
#define GIVEN(name, ...) const double name = given[G_##name][lane]; (void)name;
#include "energy/given.def"
#define STEP(kind, name, unit, label, ...) \
    OF_OWN_##kind(const double name = step[S_##name][lane] = (__VA_ARGS__); (void)name;)
#define EACH(name, unit, label, own, ...) \
    const double name = step[S_##name][lane] = (own); (void)name;
#include "energy/steps.def"
    }
}

LANES static void rent_lanes(const double (*restrict value)[LANE_COUNT],
                             const double (*restrict given)[LANE_COUNT],
                             double (*restrict step)[LANE_COUNT])
{
    for (int lane = 0; lane < LANE_COUNT; lane++) {
#define FIELD(name, ...) const double name = value[F_##name][lane]; (void)name;
#define CHOICE(name, ...)
#define NAME(name, ...)
#include "energy/fields.def"
#define CONST(name, dimension, number, source) \
    const double name = number; (void)name;
#include "energy/consts.def"
#define GIVEN(name, ...) const double name = given[G_##name][lane]; (void)name;
#include "energy/given.def"
#define STEP(kind, name, unit, label, ...) \
    OF_RENT_##kind(const double name = step[S_##name][lane] = (__VA_ARGS__); (void)name;)
#define EACH(name, unit, label, own, ...) \
    const double name = step[S_##name][lane] = (__VA_ARGS__); (void)name;
#include "energy/steps.def"
    }
}

void energy_run_lanes(enum kind kind,
                      const double (*value)[LANE_COUNT],
                      const double (*given)[LANE_COUNT],
                      double (*step)[LANE_COUNT])
{
    (kind == KIND_OWN ? own_lanes : rent_lanes)(value, given, step);
}
