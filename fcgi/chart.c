/* chart.c: scales, ticks and the shapes of each figure. */
#include "fcgi/chart.h"

#include <math.h>
#include <string.h>

double scale_at(const struct scale *scale, double value)
{
    double span = scale->high - scale->low;

    if (!(fabs(span) > 0))
        return scale->from;
    return scale->from +
           (scale->to - scale->from) * (value - scale->low) / span;
}

/* --- ticks ------------------------------------------------------------------ */

static void fill_ticks(double low, double high, double step,
                       struct ticks *ticks)
{
    double first = ceil(low / step - 1e-9);

    ticks->step = step;
    for (int i = 0; i < TICK_MAX; i++) {
        double at = (first + i) * step;
        if (at > high + step * 1e-9)
            break;
        ticks->at[ticks->count++] = fabs(at) < step * 1e-9 ? 0 : at;
    }
}

void ticks_of(double low, double high, int about, struct ticks *ticks)
{
    static const double nice[] = { 1, 2, 5, 10 };
    double raw, power;

    ticks->count = ticks->decimals = 0;
    ticks->step = 0;
    if (!isfinite(low) || !isfinite(high) || !(high > low) || about < 1)
        return;
    raw = (high - low) / about;
    power = pow(10, floor(log10(raw)));
    for (int i = 0; i < 4; i++)
        if (nice[i] * power >= raw * (1 - 1e-9)) {
            fill_ticks(low, high, nice[i] * power, ticks);
            break;
        }
    if (ticks->step < 1)
        ticks->decimals = (int)ceil(-log10(ticks->step) - 1e-9);
}

void ticks_of_months(double months, int about, struct ticks *ticks)
{
    static const double nice[] = { 1, 2, 3, 6, 12, 24, 36, 60 };
    enum { NICE_COUNT = sizeof nice / sizeof *nice };

    ticks->count = ticks->decimals = 0;
    ticks->step = 0;
    if (!(months > 0) || about < 1)
        return;
    for (int i = 0; i < NICE_COUNT; i++)
        if (months / nice[i] <= about || i == NICE_COUNT - 1) {
            fill_ticks(0, months, nice[i], ticks);
            return;
        }
}

/* --- curves ----------------------------------------------------------------------- */

struct span { double low, high; };

static void span_take(struct span *span, double value)
{
    if (!isfinite(value))
        return;
    if (value < span->low)
        span->low = value;
    if (value > span->high)
        span->high = value;
}

static void choose_months(int month_count, struct curves *out)
{
    int steps = month_count;

    while (steps > CURVE_POINT_MAX - 1)
        steps = (steps + 1) / 2;
    out->point_count = steps + 1;
    for (int i = 0; i <= steps; i++)
        out->month[i] = steps ? (int)((long)i * month_count / steps) : 0;
}

static struct span curves_span(const struct curve_in *in, int count,
                               const struct curves *c)
{
    struct span span = { 0, 0 };

    for (int i = 0; i < count; i++)
        for (int p = 0; p < c->point_count; p++) {
            span_take(&span, in[i].value[c->month[p]]);
            if (in[i].low && in[i].high) {
                span_take(&span, in[i].low[c->month[p]]);
                span_take(&span, in[i].high[c->month[p]]);
            }
        }
    return span;
}

static void place_curve(const struct curve_in *in, struct curves *out,
                        struct curve *curve)
{
    curve->has_band = in->low && in->high;
    for (int p = 0; p < out->point_count; p++) {
        int month = out->month[p];
        curve->point[p].x = scale_at(&out->x, month);
        curve->point[p].y = scale_at(&out->y, in->value[month]);
        if (curve->has_band) {
            curve->low_y[p] = scale_at(&out->y, in->low[month]);
            curve->high_y[p] = scale_at(&out->y, in->high[month]);
        }
    }
    curve->label_y = curve->point[out->point_count - 1].y;
}

void chart_curves(const struct curve_in *in, int count, int month_count,
                  const struct frame *frame, double label_gap,
                  struct curves *out)
{
    struct span span;
    double label[CURVE_MAX];

    out->frame = *frame;
    out->count = count < CURVE_MAX ? count : CURVE_MAX;
    choose_months(month_count, out);
    span = curves_span(in, out->count, out);
    out->x = (struct scale){ 0, month_count, frame->left, frame->right };
    out->y = (struct scale){ span.low, span.high, frame->bottom, frame->top };
    ticks_of_months(month_count, (int)((frame->right - frame->left) / 70),
                    &out->x_ticks);
    ticks_of(span.low, span.high, 5, &out->y_ticks);
    for (int i = 0; i < out->count; i++) {
        place_curve(&in[i], out, &out->curve[i]);
        label[i] = out->curve[i].label_y;
    }
    chart_spread(label, out->count, label_gap, frame->top, frame->bottom);
    for (int i = 0; i < out->count; i++)
        out->curve[i].label_y = label[i];
}

void chart_spread(double *y, int count, double gap, double low, double high)
{
    int order[CURVE_MAX];

    if (count > CURVE_MAX)
        count = CURVE_MAX;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && y[order[at - 1]] > y[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < count; i++) {
        double least = i ? y[order[i - 1]] + gap : low;
        if (y[order[i]] < least)
            y[order[i]] = least;
    }
    for (int i = count - 1; i >= 0; i--) {
        double most = i < count - 1 ? y[order[i + 1]] - gap : high;
        if (y[order[i]] > most)
            y[order[i]] = most;
    }
}

/* --- stacked bars --------------------------------------------------------------------- */

static struct span bar_ends(const double *value, int part_count)
{
    struct span ends = { 0, 0 };

    for (int k = 0; k < part_count; k++) {
        if (value[k] > 0)
            ends.high += value[k];
        else if (value[k] < 0)
            ends.low += value[k];
    }
    return ends;
}

static void place_parts(const double *value, int part_count,
                        const struct scale *x, struct bar *bar)
{
    double up = 0, down = 0;

    bar->count = 0;
    bar->sum = 0;
    for (int k = 0; k < part_count && bar->count < PART_MAX; k++) {
        double *edge = value[k] < 0 ? &down : &up;
        struct part *part;
        if (!isfinite(value[k]) || !(fabs(value[k]) > 0))
            continue;
        part = &bar->part[bar->count++];
        part->index = k;
        part->from = scale_at(x, value[k] < 0 ? *edge + value[k] : *edge);
        part->to = scale_at(x, value[k] < 0 ? *edge : *edge + value[k]);
        *edge += value[k];
        bar->sum += value[k];
    }
    bar->end = scale_at(x, up);
}

void chart_stack(const double *value, int count, int part_count,
                 const struct frame *frame, double bar_share,
                 struct stack *out)
{
    struct span span = { 0, 0 };
    double place;

    out->frame = *frame;
    out->count = count < CURVE_MAX ? count : CURVE_MAX;
    for (int i = 0; i < out->count; i++) {
        struct span ends = bar_ends(value + i * part_count, part_count);
        span_take(&span, ends.low);
        span_take(&span, ends.high);
    }
    out->x = (struct scale){ span.low, span.high, frame->left, frame->right };
    ticks_of(span.low, span.high, 4, &out->ticks);
    place = (frame->bottom - frame->top) / (out->count ? out->count : 1);
    for (int i = 0; i < out->count; i++) {
        struct bar *bar = &out->bar[i];
        bar->height = place * bar_share;
        bar->y = frame->top + place * (i + 1) - bar->height;
        place_parts(value + i * part_count, part_count, &out->x, bar);
    }
}

/* --- tornado ------------------------------------------------------------------------------ */

void chart_tornado(const struct swing_in *in, int count, double base,
                   const struct frame *frame, struct tornado *out)
{
    struct span span = { base, base };
    double place, room;

    out->frame = *frame;
    out->count = count < BAR_MAX ? count : BAR_MAX;
    for (int i = 0; i < out->count; i++) {
        span_take(&span, in[i].low);
        span_take(&span, in[i].high);
    }
    room = (span.high - span.low) * 0.02;
    out->x = (struct scale){ span.low - room, span.high + room, frame->left,
                             frame->right };
    ticks_of(out->x.low, out->x.high, 4, &out->ticks);
    out->base_x = scale_at(&out->x, base);
    out->zero_x = out->x.low <= 0 && out->x.high >= 0 ? scale_at(&out->x, 0)
                                                      : (double)NAN;
    place = (frame->bottom - frame->top) / (out->count ? out->count : 1);
    for (int i = 0; i < out->count; i++) {
        struct swing *swing = &out->swing[i];
        swing->height = place * 0.62;
        swing->y = frame->top + place * i + place * 0.19;
        swing->low_ok = isfinite(in[i].low) != 0;
        swing->high_ok = isfinite(in[i].high) != 0;
        swing->low_x = scale_at(&out->x, swing->low_ok ? in[i].low : base);
        swing->high_x = scale_at(&out->x, swing->high_ok ? in[i].high : base);
    }
}

/* --- heat map -------------------------------------------------------------------------------- */

static int level_of(double value, double near)
{
    double size = fabs(value);
    int level = size < near ? 0 : size < 4 * near ? 1 : size < 16 * near ? 2 : 3;

    return value < 0 ? -level : level;
}

/* Where a column's value changes sign between two neighbouring rows. */
static void place_line(const double *value, int column, struct heat *out)
{
    double place = (out->y.to - out->y.from) / out->rows;

    out->line_on[column] = 0;
    for (int row = 0; row + 1 < out->rows && !out->line_on[column]; row++) {
        double here = value[row * out->columns + column];
        double next = value[(row + 1) * out->columns + column];
        if (!isfinite(here) || !isfinite(next) || (here > 0) == (next > 0))
            continue;
        out->line[column].x = out->x.from + (out->x.to - out->x.from) *
                              (column + 0.5) / out->columns;
        out->line[column].y = out->y.from +
                              place * (row + 0.5 + here / (here - next));
        out->line_on[column] = 1;
    }
}

void chart_heat(const double *value, int columns, int rows, double x_low,
                double x_high, double y_low, double y_high, double near,
                const struct frame *frame, struct heat *out)
{
    out->frame = *frame;
    out->columns = columns < HEAT_MAX ? columns : HEAT_MAX;
    out->rows = rows < HEAT_MAX ? rows : HEAT_MAX;
    out->x = (struct scale){ x_low, x_high, frame->left, frame->right };
    out->y = (struct scale){ y_low, y_high, frame->bottom, frame->top };
    ticks_of(x_low, x_high, 5, &out->x_ticks);
    ticks_of(y_low, y_high, 5, &out->y_ticks);
    for (int column = 0; column < out->columns; column++) {
        for (int row = 0; row < out->rows; row++) {
            double each = value[row * out->columns + column];
            out->none[row][column] = (unsigned char)!isfinite(each);
            out->level[row][column] = isfinite(each) ? level_of(each, near) : 0;
        }
        place_line(value, column, out);
    }
}

/* --- steps --------------------------------------------------------------------------------------- */

int chart_steps(const struct observation *seen, int count, double last_day,
                const struct scale *x, const struct scale *y,
                struct point *out)
{
    int points = 0;

    for (int i = 0; i < count; i++) {
        double until = i + 1 < count ? seen[i + 1].day : last_day;
        out[points++] = (struct point){ scale_at(x, seen[i].day),
                                        scale_at(y, seen[i].value) };
        out[points++] = (struct point){ scale_at(x, until),
                                        scale_at(y, seen[i].value) };
    }
    return points;
}
