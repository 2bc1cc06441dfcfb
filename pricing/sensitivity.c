/* sensitivity.c: one at a time, and the value at which the answer turns. */
#include "pricing/sensitivity.h"

#include <math.h>

enum { FLIP_STEPS = 4, TURN_STEPS = 80 };

/* npv_cost of one option of a trial; NAN when it is short. */
static double npv_of(const struct study *study, const struct trial *trial,
                     int option)
{
    struct work work = work_of(trial->value[0]);
    struct result result;

    model_run(study->option[option].kind, trial->value[option], &work, &result,
              NULL);
    return result.short_of_capacity ? (double)NAN : result.npv_cost;
}

double saving_of(const struct study *study, const struct trial *trial, int a,
                 int b)
{
    return npv_of(study, trial, b) - npv_of(study, trial, a);
}

/* What is tried while one quantity moves; the option that it does not touch
   keeps its cost. */
struct probe {
    const struct study *study;
    const struct range *range;
    struct trial *trial;
    int a, b;
    double npv_a, npv_b;
};

static double saving_at(const struct probe *p, double value)
{
    int only = p->range->option;
    double npv_a = p->npv_a, npv_b = p->npv_b;

    range_set(p->study, p->range, value, p->trial);
    if (only < 0 || only == p->a || only == 0)
        npv_a = npv_of(p->study, p->trial, p->a);
    if (only < 0 || only == p->b || only == 0)
        npv_b = npv_of(p->study, p->trial, p->b);
    range_set(p->study, p->range, p->range->value, p->trial);
    return npv_b - npv_a;
}

/* A zero of the saving between two values where it has different signs:
   false position with the Illinois step, which needs few runs where the
   saving is smooth and still closes in on a jump. */
static double turn_between(const struct probe *p, double near,
                           double near_saving, double far, double far_saving)
{
    for (int i = 0; i < TURN_STEPS; i++) {
        double middle = (near * far_saving - far * near_saving) /
                        (far_saving - near_saving);
        double saving;
        if (!(fabs(far - near) > 1e-11 * fmax(1e-3, fabs(far))) ||
            !isfinite(middle))
            break;
        if (i % 4 == 3) /* against creeping up to a jump */
            middle = near + (far - near) / 2;
        saving = saving_at(p, middle);
        if (isnan(saving))
            return (double)NAN;
        if ((saving > 0) == (near_saving > 0)) {
            near = middle;
            near_saving = saving;
            far_saving /= 2;
        } else {
            far = middle;
            far_saving = saving;
            near_saving /= 2;
        }
    }
    return far;
}

/* Steps outwards to one side until the sign turns. */
static double turn_towards(const struct probe *p, double end, double now)
{
    double from = p->range->value, near = from, near_saving = now;

    for (int i = 1; i <= FLIP_STEPS; i++) {
        double value = from + (end - from) * i / FLIP_STEPS;
        double saving = saving_at(p, value);
        if (isnan(saving))
            return (double)NAN;
        if ((saving > 0) != (now > 0))
            return turn_between(p, near, near_saving, value, saving);
        near = value;
        near_saving = saving;
    }
    return (double)NAN;
}

/* Where a straight line through today's value turns; 1 when the saving is
   one (its ends lie on it, and so does the answer). */
static int turn_of_line(const struct probe *p,
                        const struct sensitivity_row *row, double now,
                        double bottom, double top, double *turn)
{
    double value = p->range->value;
    double slope = (row->saving_high - row->saving_low) / (row->high - row->low);
    double on_line = row->saving_low + (value - row->low) * slope;
    double scale = fmax(1, fmax(fabs(row->saving_low), fabs(row->saving_high)));
    double zero = value - now / slope, saving;

    if (!(fabs(on_line - now) <= 1e-9 * scale))
        return 0;
    *turn = (double)NAN;
    if (!(fabs(slope) > 0) || !(zero >= bottom && zero <= top))
        return 1;
    saving = saving_at(p, zero);
    if (!(fabs(saving) <= 1e-7 * scale))
        return 0;
    *turn = zero;
    return 1;
}

static double flip_of(const struct probe *p, const struct sensitivity_row *row,
                      double now)
{
    const struct field *field = &field_table[p->range->field];
    double scale = unit_table[field->unit].money
                   ? p->study->currency_per_usd : 1;
    double value = p->range->value, turn, below, above;
    double bottom = field->min * scale;
    double top = fmin(field->max * scale, fmax(10 * value, row->high));

    if (isnan(now))
        return (double)NAN;
    if (turn_of_line(p, row, now, bottom, top, &turn))
        return turn;
    below = turn_towards(p, bottom, now);
    above = turn_towards(p, top, now);
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
    double now, npv_a, npv_b;

    out->a = a;
    out->b = b;
    out->count = 0;
    trial_of(study, &trial);
    npv_a = npv_of(study, &trial, a);
    npv_b = npv_of(study, &trial, b);
    now = npv_b - npv_a;
    for (int i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->range[i];
        struct probe p = { study, range, &trial, a, b, npv_a, npv_b };
        struct sensitivity_row row;
        if (range->option >= 0 && range->option != a && range->option != b)
            continue;
        row.field = range->field;
        row.option = range->option;
        row.low = range->low;
        row.high = range->high;
        row.saving_low = saving_at(&p, range->low);
        row.saving_high = saving_at(&p, range->high);
        row.flip = flip_of(&p, &row, now);
        insert_row(out, &row);
    }
}

void case_of(const struct study *study, const struct ranges *ranges, int other,
             int best, struct trial *trial)
{
    struct trial base;
    double npv[OPTION_MAX];

    trial_of(study, &base);
    *trial = base;
    for (int i = 0; i < study->option_count; i++)
        npv[i] = npv_of(study, &base, i);
    for (int i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->range[i];
        int b = range->option > 0 ? range->option : other;
        struct probe p = { study, range, &base, 0, b, npv[0], npv[b] };
        double low = saving_at(&p, range->low);
        double high = saving_at(&p, range->high);
        if (low < high || low > high)
            range_set(study, range, (low < high) == (best != 0) ? range->high
                                                                : range->low,
                      trial);
    }
}
