/* sensitivity.c: one at a time, and the value at which the answer turns. */
#include "pricing/sensitivity.h"

#include <math.h>

enum { FLIP_STEPS = 12, FLIP_BISECTIONS = 50 };

double saving_of(const struct study *study, const struct trial *trial, int a,
                 int b)
{
    struct work work = work_of(trial->value[0]);
    struct result of_a, of_b;

    model_run(study->option[a].kind, trial->value[a], &work, &of_a, NULL);
    model_run(study->option[b].kind, trial->value[b], &work, &of_b, NULL);
    if (of_a.short_of_capacity || of_b.short_of_capacity)
        return (double)NAN;
    return of_b.npv_cost - of_a.npv_cost;
}

/* What is tried while one quantity moves. */
struct probe {
    const struct study *study;
    const struct range *range;
    struct trial *trial;
    int a, b;
};

static double saving_at(const struct probe *p, double value)
{
    double saving;

    range_set(p->study, p->range, value, p->trial);
    saving = saving_of(p->study, p->trial, p->a, p->b);
    range_set(p->study, p->range, p->range->value, p->trial);
    return saving;
}

/* Turns between two values with savings of different sign. */
static double bisect(const struct probe *p, double near, double far,
                     int near_positive)
{
    for (int i = 0; i < FLIP_BISECTIONS; i++) {
        double middle = near + (far - near) / 2;
        double saving = saving_at(p, middle);
        if (isnan(saving))
            return (double)NAN;
        if ((saving > 0) == near_positive)
            near = middle;
        else
            far = middle;
    }
    return far;
}

/* Steps outwards to one side until the sign turns. */
static double flip_towards(const struct probe *p, double end, int positive)
{
    double from = p->range->value, near = from;

    for (int i = 1; i <= FLIP_STEPS; i++) {
        double value = from + (end - from) * i / FLIP_STEPS;
        double saving = saving_at(p, value);
        if (isnan(saving))
            return (double)NAN;
        if ((saving > 0) != positive)
            return bisect(p, near, value, positive);
        near = value;
    }
    return (double)NAN;
}

static double flip_of(const struct probe *p, double saving_now)
{
    const struct field *field = &field_table[p->range->field];
    double scale = unit_table[field->unit].money
                   ? p->study->currency_per_usd : 1;
    double value = p->range->value;
    double top = fmin(field->max * scale, fmax(10 * value, p->range->high));
    int positive = saving_now > 0;
    double below = flip_towards(p, fmax(field->min * scale, fmin(0, value)),
                                positive);
    double above = flip_towards(p, top, positive);

    if (isnan(below))
        return above;
    if (isnan(above))
        return below;
    return value - below <= above - value ? below : above;
}

static double swing_of(const struct sensitivity_row *row)
{
    double swing = fabs(row->saving_high - row->saving_low);

    return isnan(swing) ? -1 : swing;
}

static void insert_row(struct sensitivity *out,
                       const struct sensitivity_row *row)
{
    int at = out->count++;

    while (at > 0 && swing_of(&out->row[at - 1]) < swing_of(row)) {
        out->row[at] = out->row[at - 1];
        at--;
    }
    out->row[at] = *row;
}

void sensitivity_run(const struct study *study, const struct ranges *ranges,
                     int a, int b, struct sensitivity *out)
{
    struct trial trial;
    double now;

    out->a = a;
    out->b = b;
    out->count = 0;
    trial_of(study, &trial);
    now = saving_of(study, &trial, a, b);
    for (int i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->range[i];
        struct probe p = { study, range, &trial, a, b };
        struct sensitivity_row row;
        if (range->option >= 0 && range->option != a && range->option != b)
            continue;
        row.field = range->field;
        row.option = range->option;
        row.low = range->low;
        row.high = range->high;
        row.saving_low = saving_at(&p, range->low);
        row.saving_high = saving_at(&p, range->high);
        row.flip = flip_of(&p, now);
        insert_row(out, &row);
    }
}
