/* pricing.h: what one option costs, month by month. Pure: no I/O, clock,
   allocation or globals. */
#ifndef GPUTCO_PRICING_PRICING_H
#define GPUTCO_PRICING_PRICING_H

#include "pricing/study.h"

#define MODEL_VERSION "1"

enum step {
    STEP_FIRST = ENERGY_STEP_COUNT - 1,
#define STEP(kind, name, ...) S_##name,
#define EACH(name, ...) S_##name,
#include "pricing/steps.def"
#define STEP(kind, name, ...) S_##name,
#define EACH(name, ...) S_##name,
#include "pricing/totals.def"
    STEP_COUNT
};

/* Quantities of one month that are not items. */
enum month_step {
#define STEP(kind, name, ...) M_##name,
#define EACH(name, ...) M_##name,
#include "pricing/months.def"
#define STEP(kind, name, ...) M_##name,
#define EACH(name, ...) M_##name,
#include "pricing/closing.def"
    MONTH_STEP_COUNT
};

/* Items: cost lines and what follows from them, in the order shown. */
enum item {
#define COST(kind, class, name, ...) I_##name,
#include "pricing/costs.def"
#define ITEM(kind, name, ...) I_##name,
#define ITEM_EACH(name, ...) I_##name,
#include "pricing/closing.def"
    ITEM_COUNT
};

struct item_row { const char *name, *label; int own, rent; };
extern const struct item_row item_table[ITEM_COUNT];

/* A formula as it stands in the tables: for one kind of option or both. */
enum formula_part { PART_ENERGY, PART_STEP, PART_MONTH, PART_COST,
                    PART_CLOSING, PART_TOTAL };
struct formula {
    enum formula_part part;
    const char *kind;       /* "OWN", "RENT", "BOTH" */
    const char *name;
    enum unit unit;
    const char *label, *text;
    int index;              /* S_, M_ or I_ */
    int item;               /* 1 when index is an I_ */
    const char *class;      /* of cost lines, else "" */
};
extern const struct formula formula_table[];
extern const int formula_count;

/* One month of the schedule. */
struct month { double step[MONTH_STEP_COUNT], item[ITEM_COUNT]; };

struct result {
    double step[STEP_COUNT];    /* S_*; NAN where it does not apply */
    double item[ITEM_COUNT];    /* I_*, sum over months 0 ... M */
    double flow[MONTH_MAX + 1]; /* months 0 ... M */
    int month_count;            /* M */
    double total_cost, npv_cost;
    int short_of_capacity;
    int rank, rank_with_carbon; /* 0: none */
};

/* What an option is compared on, apart from its own fields. */
struct work { double speed_hour_per_month; double machine_hour_per_month; };

/* The work that option `a`, by its values, defines: speed times hours, and
   machine-hours. */
struct work work_of(const double *value);

/* Length of a commitment in months: 12 or 36, 0 for other terms. */
int term_month_of(int term);

/* Costs of one option. value: its fields, complete and within their limits
   (F_term decides about commitments). months, when not NULL, has room for
   MONTH_MAX + 1 and gets each month. */
void model_run(enum kind kind, const double *value, const struct work *work,
               struct result *result, struct month *months);

/* All options of a study, and their ranks. */
void study_run(const struct study *study, struct result result[OPTION_MAX]);

#endif
