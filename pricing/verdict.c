/* verdict.c: pairs, break-evens and the internal rate of return. */
#include "pricing/verdict.h"

#include <math.h>

#define NONE ((double)NAN)

enum { BUSY_STEPS = 1000, BUSY_STRIDE = 40, BISECTIONS = 60, RATE_BISECTIONS = 200 };

static double larger(double a, double b) { return a > b ? a : b; }

/* max(1, |a|, |b|), the scale of every tolerance of the verdict. */
static double scale_of(double a, double b)
{
    return larger(1, larger(fabs(a), fabs(b)));
}

static void copy_values(double *to, const struct option *option)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        to[i] = option->value[i];
}

/* Flows without loan and resale, by which heavy and the months are told. */
static void bare_run(const struct option *option, const struct work *work,
                     struct result *result)
{
    double value[FIELD_COUNT];

    copy_values(value, option);
    if (option->kind == KIND_OWN) {
        value[F_loan_frac] = 0;
        value[F_residual_frac] = 0;
    }
    model_run(option->kind, value, work, result, NULL);
}

/* First month from which on heavy's running total stays at or below the
   other's; with_discount: of discounted flows. */
static double break_even_month(const struct result *heavy,
                               const struct result *other,
                               double discount_frac)
{
    double h = 0, o = 0, month = NONE;
    double step = pow(1 + discount_frac, -1 / 12.0), factor = 1;

    for (int m = 0; m <= heavy->month_count; m++, factor *= step) {
        h += heavy->flow[m] * factor;
        o += other->flow[m] * factor;
        if (h > o + 1e-9 * scale_of(h, o))
            month = NONE;
        else if (isnan(month))
            month = m;
    }
    return month;
}

/* --- break-even load ---------------------------------------------------

   With its number of machines k fixed, an option's cost and carbon are
   straight lines in the hours it works: at + k * each + hours * per_hour.
   Three runs of the model give the line; the search then needs no more. A
   run at the answer checks that the line held; if a formula ever makes it
   bend, the search falls back on the model itself. */
struct line { double at, each, per_hour; };

struct load_case {
    const struct option *option;
    struct work work;         /* at busy_frac 1 */
    double need;              /* machine-hours a month at busy_frac 1 */
    double typed_count;       /* machines typed; 0 derived */
    double max_use_frac;
    int commitment, owned;
    struct line npv, kg;
};

static double count_at(const struct load_case *c, double need)
{
    if (!c->owned)
        return c->commitment ? larger(0, ceil(need / 730 - 1e-9)) : 0;
    if (c->typed_count > 0)
        return c->typed_count;
    return larger(1, ceil(need / 730 / c->max_use_frac - 1e-9));
}

static void sample(const struct load_case *c, double count, double need,
                   double *npv, double *kg)
{
    double value[FIELD_COUNT];
    struct result result;
    struct work work = c->work;
    double share = c->need > 0 ? need / c->need : 0;

    copy_values(value, c->option);
    if (c->owned)
        value[F_machine_count] = count;
    work.speed_hour_per_month *= share;
    work.machine_hour_per_month *= share;
    model_run(c->option->kind, value, &work, &result, NULL);
    *npv = result.npv_cost;
    *kg = result.step[S_total_kg];
}

static struct line line_through(double k1, double none1, double busy1,
                                double hours, double k2, double none2)
{
    struct line line;

    line.per_hour = hours > 0 ? (busy1 - none1) / hours : 0;
    line.each = k2 > k1 || k2 < k1 ? (none2 - none1) / (k2 - k1) : 0;
    line.at = none1 - k1 * line.each;
    return line;
}

static void measure_owned(struct load_case *c)
{
    double k1 = count_at(c, c->need), k2 = k1;
    double hours = fmin(c->need, 730 * k1);
    double none1, busy1, none2, none1_kg, busy1_kg, none2_kg;

    sample(c, k1, 0, &none1, &none1_kg);
    sample(c, k1, hours, &busy1, &busy1_kg);
    none2 = none1;
    none2_kg = none1_kg;
    if (!(c->typed_count > 0)) {
        k2 = k1 > 1 ? 1 : 2;
        sample(c, k2, 0, &none2, &none2_kg);
    }
    c->npv = line_through(k1, none1, busy1, hours, k2, none2);
    c->kg = line_through(k1, none1_kg, busy1_kg, hours, k2, none2_kg);
}

/* A commitment's machines follow from the hours, so both move together:
   full machines give the sum, half a machine tells the parts apart. */
static void measure_rented(struct load_case *c)
{
    double k = larger(1, count_at(c, c->need)), hours = 730 * k;
    double none, full, part, none_kg, full_kg, part_kg;

    if (!c->commitment)
        hours = c->need;
    sample(c, 0, 0, &none, &none_kg);
    sample(c, 0, hours, &full, &full_kg);
    c->npv = line_through(0, none, full, hours, 0, none);
    c->kg = line_through(0, none_kg, full_kg, hours, 0, none_kg);
    if (!c->commitment)
        return;
    sample(c, 0, hours - 365, &part, &part_kg);
    c->npv.per_hour = (full - part) / 365;
    c->npv.each = (full - none - hours * c->npv.per_hour) / k;
    c->kg.per_hour = (full_kg - part_kg) / 365;
    c->kg.each = (full_kg - none_kg - hours * c->kg.per_hour) / k;
}

static void case_of(const struct study *study, int i, struct load_case *c)
{
    const double *value = study->option[i].value;
    double a[FIELD_COUNT];

    copy_values(a, &study->option[0]);
    a[F_busy_frac] = 1;
    c->option = &study->option[i];
    c->work = work_of(a);
    c->owned = c->option->kind == KIND_OWN;
    c->commitment = !c->owned && term_month_of((int)value[F_term]) > 0;
    c->typed_count = c->owned ? value[F_machine_count] : 0;
    c->max_use_frac = c->owned ? value[F_max_use_frac] : 1;
    c->need = c->work.speed_hour_per_month / value[F_machine_speed] /
              (1 - value[F_rework_frac]);
    if (c->owned)
        measure_owned(c);
    else
        measure_rented(c);
}

/* Cost (or kg) at a load, from the line; NAN when the option is short. */
static double at_load(const struct load_case *c, const struct line *line,
                      double busy)
{
    double need = c->need * busy, k = count_at(c, need);

    if (c->owned && need / 730 / k > 1 + 1e-9)
        return NONE;
    if (c->owned)
        need = fmin(need, 730 * k);
    return line->at + k * line->each + need * line->per_hour;
}

static double at_load_by_model(const struct load_case *c, int carbon,
                               double busy)
{
    double need = c->need * busy, k = count_at(c, need), npv, kg;

    if (c->owned && need / 730 / k > 1 + 1e-9)
        return NONE;
    sample(c, k, need, &npv, &kg);
    return carbon ? kg : npv;
}

struct load_search {
    const struct load_case *heavy, *other;
    int carbon, by_model;
};

static int heavy_wins(const struct load_search *s, double busy)
{
    double h, o;

    if (s->by_model) {
        h = at_load_by_model(s->heavy, s->carbon, busy);
        o = at_load_by_model(s->other, s->carbon, busy);
    } else {
        h = at_load(s->heavy, s->carbon ? &s->heavy->kg : &s->heavy->npv, busy);
        o = at_load(s->other, s->carbon ? &s->other->kg : &s->other->npv, busy);
    }
    return h <= o + 1e-12 * scale_of(h, o); /* false when either is NAN */
}

/* 1 if the line gives what the model gives at that load. */
static int line_holds(const struct load_case *c, int carbon, double busy)
{
    double by_line = at_load(c, carbon ? &c->kg : &c->npv, busy);
    double by_model = at_load_by_model(c, carbon, busy);

    return isnan(by_line) ||
           fabs(by_line - by_model) <= 1e-9 * scale_of(by_line, by_model);
}

/* 1 if between two loads no machine is added and none runs short, so that
   cost and carbon are straight lines there. */
static int is_straight(const struct load_case *c, double low, double high)
{
    double k = count_at(c, c->need * low);

    return !(count_at(c, c->need * high) > k) &&
           !(c->owned && c->need * high / 730 / k > 1 + 1e-9);
}

/* The first n/1000 at which heavy wins, BUSY_STEPS + 1 if there is none. A
   straight line that does not win at either end does not win between. */
static int first_winning_step(const struct load_search *s)
{
    int n = 0;

    if (heavy_wins(s, 0))
        return 0;
    while (n < BUSY_STEPS) {
        int next = n + BUSY_STRIDE;
        double low = n / (double)BUSY_STEPS, high = next / (double)BUSY_STEPS;
        if (!s->by_model && next <= BUSY_STEPS &&
            is_straight(s->heavy, low, high) &&
            is_straight(s->other, low, high) && !heavy_wins(s, high)) {
            n = next;
            continue;
        }
        for (next = next < BUSY_STEPS ? next : BUSY_STEPS; n < next; )
            if (heavy_wins(s, ++n / (double)BUSY_STEPS))
                return n;
    }
    return BUSY_STEPS + 1;
}

static double search_load(const struct load_search *s)
{
    double low, high;
    int n = first_winning_step(s);

    if (n == 0 || n > BUSY_STEPS)
        return n ? NONE : 0;
    low = (n - 1) / (double)BUSY_STEPS;
    high = n / (double)BUSY_STEPS;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = low + (high - low) / 2;
        if (heavy_wins(s, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static double break_even_load(const struct load_case *heavy,
                              const struct load_case *other, int carbon)
{
    struct load_search s = { heavy, other, carbon, 0 };
    double busy = search_load(&s), probe = isnan(busy) ? 0.37 : busy;

    if (line_holds(heavy, carbon, probe) && line_holds(other, carbon, probe))
        return busy;
    s.by_model = 1;
    return search_load(&s);
}

/* --- break-even prices ------------------------------------------------- */

static double npv_at(const struct study *study, int i, int field, double price)
{
    struct work work = work_of(study->option[0].value);
    double value[FIELD_COUNT];
    struct result result;

    copy_values(value, &study->option[i]);
    value[field] = price;
    model_run(study->option[i].kind, value, &work, &result, NULL);
    return result.npv_cost;
}

/* Where difference(price) = none + price * slope is 0; NAN when negative,
   or when a unit of price moves it by no more than rounding does. */
static double zero_of(double none, double slope, double scale)
{
    double price;

    if (!(fabs(slope) > 1e-9 * scale))
        return NONE;
    price = -none / slope;
    return price >= 0 ? price + 0.0 : NONE;
}

static double break_even_rent(const struct study *study,
                              const struct result *result, struct pair *pair)
{
    int i = study->option[pair->b].kind == KIND_RENT ? pair->b : pair->a;
    int other = i == pair->b ? pair->a : pair->b;
    double now, none;

    pair->rent_option = -1;
    if (study->option[i].kind != KIND_RENT)
        return NONE;
    pair->rent_option = i;
    now = larger(1, study->option[i].value[F_rent_price_per_hour]);
    none = npv_at(study, i, F_rent_price_per_hour, 0);
    return zero_of(none - result[other].npv_cost,
                   (npv_at(study, i, F_rent_price_per_hour, now) - none) / now,
                   scale_of(result[i].npv_cost, result[other].npv_cost));
}

static double break_even_energy(const struct study *study,
                                const struct result *result,
                                const struct pair *pair)
{
    double none = 0, slope = 0;

    for (int side = 0; side < 2; side++) {
        int i = side ? pair->b : pair->a;
        double sign = side ? 1 : -1, npv = result[i].npv_cost;
        if (study->option[i].kind == KIND_OWN) {
            npv = npv_at(study, i, F_energy_price_per_kwh, 0);
            slope += sign *
                     (npv_at(study, i, F_energy_price_per_kwh, 1) - npv);
        }
        none += sign * npv;
    }
    return zero_of(none, slope, scale_of(result[pair->a].npv_cost,
                                         result[pair->b].npv_cost));
}

/* --- internal rate of return ------------------------------------------- */

static double npv_of(const double *flow, int count, double rate)
{
    double step = pow(1 + rate, -1 / 12.0), sum = 0;

    for (int m = count; m >= 0; m--)
        sum = sum * step + flow[m];
    return sum;
}

static double irr_of(const struct result *heavy, const struct result *other,
                     int *not_unique)
{
    double flow[MONTH_MAX + 1], low = -0.99, high = 100, sign_low, last = 0;
    int count = heavy->month_count, changes = 0;

    for (int m = 0; m <= count; m++) {
        double h = heavy->flow[m], o = other->flow[m];
        flow[m] = fabs(o - h) <= 1e-9 * scale_of(h, o) ? 0 : o - h;
        if (flow[m] * last < 0)
            changes++;
        if (flow[m] < 0 || flow[m] > 0)
            last = flow[m] > 0 ? 1 : -1;
    }
    *not_unique = changes > 1;
    sign_low = npv_of(flow, count, low) > 0 ? 1 : -1;
    if (changes == 0 || !(sign_low * npv_of(flow, count, high) < 0))
        return NONE;
    for (int i = 0; i < RATE_BISECTIONS; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (npv_of(flow, count, middle) * sign_low > 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* --- pairs -------------------------------------------------------------- */

static int heavy_of(const struct result bare[], const struct pair *pair)
{
    double a = bare[pair->a].flow[0], b = bare[pair->b].flow[0];

    if (fabs(a - b) <= 1e-9 * scale_of(a, b))
        return -1;
    return a > b ? pair->a : pair->b;
}

static void pair_run(const struct study *study, const struct result *result,
                     const struct result *bare, const struct load_case *load,
                     struct pair *pair)
{
    double npv_a = result[pair->a].npv_cost, npv_b = result[pair->b].npv_cost;
    double smaller = npv_a < npv_b ? npv_a : npv_b;
    int other;

    pair->heavy = heavy_of(bare, pair);
    other = pair->heavy == pair->b ? pair->a : pair->b;
    pair->saving_npv = npv_b - npv_a;
    pair->saving_frac = smaller > 0 ? pair->saving_npv / smaller : NONE;
    pair->close_call = smaller > 0 && fabs(pair->saving_npv) < 0.05 * smaller;
    pair->break_even_month = pair->break_even_month_discounted = NONE;
    pair->break_even_busy_frac = pair->carbon_break_even_busy_frac = NONE;
    if (pair->heavy >= 0) {
        pair->break_even_month =
            break_even_month(&bare[pair->heavy], &bare[other], 0);
        pair->break_even_month_discounted =
            break_even_month(&bare[pair->heavy], &bare[other],
                             study->option[0].value[F_discount_frac]);
        pair->break_even_busy_frac =
            break_even_load(&load[pair->heavy], &load[other], 0);
        pair->carbon_break_even_busy_frac =
            break_even_load(&load[pair->heavy], &load[other], 1);
    }
    pair->break_even_rent_price_per_hour =
        break_even_rent(study, result, pair);
    pair->break_even_energy_price_per_kwh =
        break_even_energy(study, result, pair);
    pair->irr = irr_of(&result[pair->heavy >= 0 ? pair->heavy : pair->a],
                       &result[other], &pair->irr_not_unique);
}

static int first_of(const struct study *study, const struct result *result)
{
    int first = -1;

    for (int i = 0; i < study->option_count; i++) {
        if (result[i].short_of_capacity)
            continue;
        if (study->option[i].kind == KIND_OWN)
            return i;
        if (first < 0)
            first = i;
    }
    return first;
}

void verdict_run(const struct study *study,
                 const struct result result[OPTION_MAX],
                 struct verdict *verdict)
{
    struct work work = work_of(study->option[0].value);
    struct result bare[OPTION_MAX];
    struct load_case load[OPTION_MAX];
    int first = first_of(study, result);

    verdict->count = 0;
    if (first < 0)
        return;
    for (int i = 0; i < study->option_count; i++) {
        bare_run(&study->option[i], &work, &bare[i]);
        case_of(study, i, &load[i]);
    }
    for (int i = 0; i < study->option_count; i++) {
        if (i == first || result[i].short_of_capacity)
            continue;
        struct pair *pair = &verdict->pair[verdict->count++];
        pair->a = first;
        pair->b = i;
        pair_run(study, result, bare, load, pair);
    }
}
