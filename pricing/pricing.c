/* pricing.c: compiles the money formulas and walks the months. */
#include "pricing/pricing.h"

#include "energy/formula.h"
#include "pricing/price.h"

const struct item_row item_table[ITEM_COUNT] = {
#define IS_OWN_OWN 1
#define IS_OWN_RENT 0
#define IS_OWN_BOTH 1
#define IS_RENT_OWN 0
#define IS_RENT_RENT 1
#define IS_RENT_BOTH 1
#define COST(kind, class, name, label, ...) \
    { #name, label, IS_OWN_##kind, IS_RENT_##kind },
#include "pricing/costs.def"
#define ITEM(kind, name, label, ...) \
    { #name, label, IS_OWN_##kind, IS_RENT_##kind },
#define ITEM_EACH(name, label, own, ...) { #name, label, 1, 1 },
#include "pricing/closing.def"
};

const struct formula formula_table[] = {
#define STEP(kind, name, unit, label, ...) \
    { PART_ENERGY, #kind, #name, UNIT_##unit, label, #__VA_ARGS__, S_##name, 0, "" },
#define EACH(name, unit, label, own, ...) \
    { PART_ENERGY, "OWN", #name, UNIT_##unit, label, #own, S_##name, 0, "" }, \
    { PART_ENERGY, "RENT", #name, UNIT_##unit, label, #__VA_ARGS__, S_##name, 0, "" },
#include "energy/steps.def"
#define STEP(kind, name, unit, label, ...) \
    { PART_STEP, #kind, #name, UNIT_##unit, label, #__VA_ARGS__, S_##name, 0, "" },
#define EACH(name, unit, label, own, ...) \
    { PART_STEP, "OWN", #name, UNIT_##unit, label, #own, S_##name, 0, "" }, \
    { PART_STEP, "RENT", #name, UNIT_##unit, label, #__VA_ARGS__, S_##name, 0, "" },
#include "pricing/steps.def"
#define STEP(kind, name, unit, label, ...) \
    { PART_MONTH, #kind, #name, UNIT_##unit, label, #__VA_ARGS__, M_##name, 0, "" },
#define EACH(name, unit, label, own, ...) \
    { PART_MONTH, "OWN", #name, UNIT_##unit, label, #own, M_##name, 0, "" }, \
    { PART_MONTH, "RENT", #name, UNIT_##unit, label, #__VA_ARGS__, M_##name, 0, "" },
#include "pricing/months.def"
#define COST(kind, class, name, label, ...) \
    { PART_COST, #kind, #name, UNIT_MONEY, label, #__VA_ARGS__, I_##name, 1, #class },
#include "pricing/costs.def"
#define STEP(kind, name, unit, label, ...) \
    { PART_CLOSING, #kind, #name, UNIT_##unit, label, #__VA_ARGS__, M_##name, 0, "" },
#define EACH(name, unit, label, own, ...) \
    { PART_CLOSING, "OWN", #name, UNIT_##unit, label, #own, M_##name, 0, "" }, \
    { PART_CLOSING, "RENT", #name, UNIT_##unit, label, #__VA_ARGS__, M_##name, 0, "" },
#define ITEM(kind, name, label, ...) \
    { PART_CLOSING, #kind, #name, UNIT_MONEY, label, #__VA_ARGS__, I_##name, 1, "" },
#define ITEM_EACH(name, label, own, ...) \
    { PART_CLOSING, "OWN", #name, UNIT_MONEY, label, #own, I_##name, 1, "" }, \
    { PART_CLOSING, "RENT", #name, UNIT_MONEY, label, #__VA_ARGS__, I_##name, 1, "" },
#include "pricing/closing.def"
#define STEP(kind, name, unit, label, ...) \
    { PART_TOTAL, #kind, #name, UNIT_##unit, label, #__VA_ARGS__, S_##name, 0, "" },
#define EACH(name, unit, label, own, ...) \
    { PART_TOTAL, "OWN", #name, UNIT_##unit, label, #own, S_##name, 0, "" }, \
    { PART_TOTAL, "RENT", #name, UNIT_##unit, label, #__VA_ARGS__, S_##name, 0, "" },
#include "pricing/totals.def"
};
const int formula_count = (int)(sizeof formula_table / sizeof *formula_table);

/* Sums over the cost lines of one class. */
#define SUM_CAPITAL_CAPITAL(...) __VA_ARGS__
#define SUM_CAPITAL_RUNNING(...)
#define SUM_CAPITAL_TAXED(...)
#define SUM_TAXED_CAPITAL(...)
#define SUM_TAXED_RUNNING(...)
#define SUM_TAXED_TAXED(...) __VA_ARGS__
#define SUM_RUNNING_CAPITAL(...)
#define SUM_RUNNING_RUNNING(...) __VA_ARGS__
#define SUM_RUNNING_TAXED(...) __VA_ARGS__

#define OF(kind, ...) OF_OWN_##kind(__VA_ARGS__)
#define CHOOSE(own, ...) own
#define MADE(name) own_##name
#include "pricing/formulas.inc"
#undef OF
#undef CHOOSE
#undef MADE

#define OF(kind, ...) OF_RENT_##kind(__VA_ARGS__)
#define CHOOSE(own, ...) __VA_ARGS__
#define MADE(name) rent_##name
#include "pricing/formulas.inc"

int term_month_of(int term)
{
    switch ((enum term)term) {
    case TERM_RESERVED_1Y: case TERM_SAVINGS_1Y: return 12;
    case TERM_RESERVED_3Y: case TERM_SAVINGS_3Y: return 36;
    case TERM_ON_DEMAND: case TERM_SPOT: case TERM_CAPACITY_BLOCK:
    case TERM_UNSPECIFIED: case TERM_COUNT: break;
    }
    return 0;
}

struct work work_of(const double *value)
{
    struct work work;

    work.machine_hour_per_month =
        value[F_busy_frac] * 730 * value[F_machine_count];
    work.speed_hour_per_month = work.machine_hour_per_month *
        value[F_machine_speed] * (1 - value[F_rework_frac]);
    return work;
}

static void walk_months(enum kind kind, const double *value,
                        const double *given, struct result *result,
                        struct month *months)
{
    struct month pair[2] = { 0 };
    double step = pow(1 + value[F_discount_frac], -1 / 12.0), factor = 1;

    for (int m = 0; m <= result->month_count; m++, factor *= step) {
        struct month *month = &pair[m & 1];
        (kind == KIND_OWN ? own_month : rent_month)(
            value, given, result->step, m, &pair[!(m & 1)], month);
        for (int i = 0; i < ITEM_COUNT; i++)
            result->item[i] += month->item[i];
        result->flow[m] = month->step[M_flow_cost];
        result->total_cost += result->flow[m];
        result->npv_cost += result->flow[m] * factor;
        if (months)
            months[m] = *month;
    }
}

void model_run(enum kind kind, const double *value, const struct work *work,
               struct result *result, struct month *months)
{
    double given[GIVEN_COUNT];
    int term_month = kind == KIND_RENT ? term_month_of((int)value[F_term]) : 0;

    given[G_work_speed_hour_per_month] = work->speed_hour_per_month;
    given[G_commitment_count] = term_month > 0;
    given[G_term_month] = term_month;
    for (int i = 0; i < STEP_COUNT; i++)
        result->step[i] = NA();
    for (int i = 0; i < ITEM_COUNT; i++)
        result->item[i] = 0;
    result->total_cost = result->npv_cost = 0;
    result->rank = result->rank_with_carbon = 0;
    energy_run(kind, value, given, result->step);
    (kind == KIND_OWN ? own_steps : rent_steps)(value, given, result->step);
    result->month_count = (int)result->step[S_horizon_month];
    result->short_of_capacity =
        kind == KIND_OWN && result->step[S_fill_ratio] > 1 + 1e-9;
    walk_months(kind, value, given, result, months);
    (kind == KIND_OWN ? own_totals : rent_totals)(
        value, result->npv_cost, work->machine_hour_per_month, result->step);
}

/* Ranks by one figure, lowest first; ties keep the order of the options. An
   option without the figure (no grid factor) has no rank. */
static void rank_by(const struct study *study, struct result *result,
                    int with_carbon)
{
    int place = 0;
    unsigned done = 0;

    for (;;) {
        int best = -1;
        double lowest = 0;
        for (int i = 0; i < study->option_count; i++) {
            double cost = with_carbon ?
                result[i].step[S_npv_cost_with_carbon] : result[i].npv_cost;
            if ((done >> i & 1) || result[i].short_of_capacity || isnan(cost))
                continue;
            if (best < 0 || cost < lowest) {
                best = i;
                lowest = cost;
            }
        }
        if (best < 0)
            return;
        done |= 1u << best;
        *(with_carbon ? &result[best].rank_with_carbon
                      : &result[best].rank) = ++place;
    }
}

void study_run(const struct study *study, struct result result[OPTION_MAX])
{
    struct work work = work_of(study->option[0].value);

    for (int i = 0; i < study->option_count; i++)
        model_run(study->option[i].kind, study->option[i].value, &work,
                  &result[i], NULL);
    rank_by(study, result, 0);
    if (study->option[0].value[F_carbon_price_per_tonne] > 0)
        rank_by(study, result, 1);
}
