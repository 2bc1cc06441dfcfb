/* range.c: preset and typed ranges into the ranges of one study. */
#include "pricing/range.h"

#include <math.h>

#include "pricing/resolve.h"

enum how { HOW_TIMES, HOW_PLUS, HOW_BETWEEN };
enum of { OF_OPTION, OF_STUDY, OF_OTHERS };

#define F_NONE (-1)
static const struct range_row {
    int field;
    enum how how;
    double low, high, floor, ceiling;
    enum of of;
    int with;
} range_table[] = {
#define RANGE(name, how, low, high, floor, ceiling, of, with, reason) \
    { F_##name, HOW_##how, low, high, floor, ceiling, OF_##of, F_##with },
#include "pricing/ranges.def"
};

enum { ROW_COUNT = sizeof range_table / sizeof *range_table };

static double end_of(const struct range_row *row, double value, double end)
{
    switch (row->how) {
    case HOW_TIMES: end *= value; break;
    case HOW_PLUS: end += value; break;
    case HOW_BETWEEN: break;
    }
    if (end < row->floor)
        end = row->floor;
    if (end > row->ceiling)
        end = row->ceiling;
    return end;
}

static const struct range_row *row_of(int field)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (range_table[i].field == field)
            return &range_table[i];
    return NULL;
}

static const struct typed_range *typed_of(const struct typed_ranges *typed,
                                          int field)
{
    for (int i = 0; i < typed->count; i++)
        if (typed->range[i].field == field)
            return &typed->range[i];
    return NULL;
}

/* Fields that came after the first version: their streams are counted apart,
   so that the draws of the others, and with them saved results, stay. */
static const int later[] = { F_load, F_grid_growth_frac, F_offpeak_frac,
                             F_offpeak_price_per_kwh,
                             F_demand_price_per_kw_month };

static int stream_of(int field)
{
    enum { LATER_FIRST = 1000 };
    int stream = field;

    for (int i = 0; i < (int)(sizeof later / sizeof *later); i++) {
        if (later[i] == field)
            return LATER_FIRST + i;
        stream -= later[i] < field;
    }
    return stream;
}

static void keep_in_limits(const struct study *study, struct range *range)
{
    const struct field *field = &field_table[range->field];
    double scale = unit_table[field->unit].money ? study->currency_per_usd : 1;

    range->low = fmax(range->low, field->min * scale);
    range->high = fmin(range->high, field->max * scale);
    if (range->typed)
        return;
    range->low = fmin(range->low, range->value);
    range->high = fmax(range->high, range->value);
}

static void add_range(const struct study *study, int option, int field,
                      const struct typed_ranges *typed, struct ranges *ranges)
{
    const struct range_row *row = row_of(field);
    const struct typed_range *by_user = typed_of(typed, field);
    struct range range = { field, option, -1, stream_of(field), 0, 0, 0,
                           by_user != NULL };

    range.value = study->option[option < 0 ? 0 : option].value[field];
    if (isnan(range.value) || ranges->count == RANGE_MAX)
        return;
    if (by_user) {
        range.low = by_user->low;
        range.high = by_user->high;
    } else {
        range.low = end_of(row, range.value, row->low);
        range.high = end_of(row, range.value, row->high);
    }
    keep_in_limits(study, &range);
    if (row)
        range.with = row->with;
    if (range.high > range.low)
        ranges->range[ranges->count++] = range;
}

static int is_shared(int field)
{
    return field_table[field].applies == APPLIES_SHARED;
}

void ranges_of(const struct study *study, const struct typed_ranges *typed,
               struct ranges *ranges)
{
    ranges->count = 0;
    for (int f = 0; f < FIELD_COUNT; f++)
        if (is_shared(f) && (row_of(f) || typed_of(typed, f)))
            add_range(study, -1, f, typed, ranges);
    for (int i = 0; i < study->option_count; i++)
        for (int f = 0; f < FIELD_COUNT; f++) {
            const struct range_row *row = row_of(f);
            if (is_shared(f) || !option_has(i, study->option[i].kind, f))
                continue;
            if (!typed_of(typed, f) && (!row || (row->of == OF_OTHERS && i == 0)))
                continue;
            add_range(study, i, f, typed, ranges);
        }
}

void trial_of(const struct study *study, struct trial *trial)
{
    for (int i = 0; i < study->option_count; i++)
        for (int f = 0; f < FIELD_COUNT; f++)
            trial->value[i][f] = study->option[i].value[f];
}

void range_set(const struct study *study, const struct range *range,
               double value, struct trial *trial)
{
    int from = range->option < 0 ? 0 : range->option;
    int to = range->option < 0 ? study->option_count : range->option + 1;
    double factor = range->value > 0 ? value / range->value : 1;

    for (int i = from; i < to; i++) {
        trial->value[i][range->field] = value;
        if (range->with >= 0)
            trial->value[i][range->with] =
                study->option[i].value[range->with] * factor;
    }
}
