/* power_meter.c: the trapezoid. The longest intervals wait in a heap until
   the median of all is known; what leaves the heap before is shorter than
   everything in it and is judged by the median so far. */
#include "energy/power_meter.h"

#include <math.h>
#include <string.h>

static const double us_per_s = 1e6, s_per_hour = 3600, j_per_kwh = 3.6e6;

void power_meter_init(struct power_meter *meter)
{
    memset(meter, 0, sizeof *meter);
    meter->bin_watt = POWER_BIN_WATT;
    meter->bin_per_watt = 1 / POWER_BIN_WATT;
}

/* --- spread of watts ------------------------------------------------------ */

/* Makes bins twice as wide: two become one. */
static void widen(struct power_meter *meter)
{
    for (int i = 0; i < POWER_BIN_COUNT; i++) {
        double second = 0;
        double peak = 0;
        if (i < POWER_BIN_COUNT / 2) {
            second = meter->bin[2 * i].second + meter->bin[2 * i + 1].second;
            peak = meter->bin[2 * i + 1].peak > meter->bin[2 * i].peak
                 ? meter->bin[2 * i + 1].peak : meter->bin[2 * i].peak;
        }
        meter->bin[i].second = second;
        meter->bin[i].peak = peak;
    }
    meter->bin_watt *= 2;
    meter->bin_per_watt = 1 / meter->bin_watt;
}

static void spread(struct power_meter *meter, double watt, double second)
{
    int bin;

    while (watt >= meter->bin_watt * POWER_BIN_COUNT)
        widen(meter);
    bin = (int)(watt * meter->bin_per_watt); /* powers of two: exact */
    meter->bin[bin].second += second;
    if (watt > meter->bin[bin].peak)
        meter->bin[bin].peak = watt;
}

/* Largest reading of the bin in which that share of the time is reached. */
static double quantile(const struct power_meter *meter, double share)
{
    double want = 0, reached = 0;

    for (int i = 0; i < POWER_BIN_COUNT; i++)
        want += meter->bin[i].second;
    want *= share * (1 - 1e-12);
    for (int i = 0; i < POWER_BIN_COUNT; i++) {
        reached += meter->bin[i].second;
        if (meter->bin[i].second > 0 && reached >= want)
            return meter->bin[i].peak;
    }
    return NAN;
}

/* --- intervals ------------------------------------------------------------ */

static void integrate(struct power_meter *meter, const struct power_interval *t)
{
    double half = (double)t->length_us / us_per_s / 2;

    meter->second += 2 * half;
    meter->joule += (t->watt[0] + t->watt[1]) * half;
    for (int i = 0; i < 2; i++) {
        spread(meter, t->watt[i], half);
        if (isnan(t->busy[i]))
            continue;
        meter->known_second += half;
        meter->use_second += half * t->busy[i];
        if (t->busy[i] > 0) {
            meter->busy_second += half;
            meter->busy_joule += half * t->watt[i];
        } else {
            meter->idle_joule += half * t->watt[i];
        }
    }
}

/* Lengths below 32 us have a step of their own; above, 32 steps to each
   doubling. */
static int step_of(int64_t length_us)
{
    int shift = 0;
    int step;

    while (length_us >> shift >= 64)
        shift++;
    step = shift * 32 + (int)(length_us >> shift);
    return step < POWER_STEP_COUNT ? step : POWER_STEP_COUNT - 1;
}

/* The longest interval of the median's step, so exact when all are alike. */
static double median_us(const struct power_meter *meter)
{
    uint64_t all = 0, reached = 0;

    for (int i = 0; i < POWER_STEP_COUNT; i++)
        all += meter->step_count[i];
    for (int i = 0; i < POWER_STEP_COUNT; i++) {
        reached += meter->step_count[i];
        if (reached > 0 && reached * 2 >= all)
            return (double)meter->step_peak_us[i];
    }
    return NAN;
}

static int is_gap(const struct power_interval *t, double median)
{
    return (double)t->length_us > POWER_GAP_RATIO * median;
}

static void count_gap(struct power_meter *meter, const struct power_interval *t)
{
    meter->gap_count++;
    meter->gap_second += (double)t->length_us / us_per_s;
}

/* The shortest of the heap has been replaced: lets it sink. */
static void sink(struct power_meter *meter)
{
    struct power_interval *held = meter->held, moved = held[0];
    int at = 0;

    for (;;) {
        int child = 2 * at + 1;
        if (child >= meter->held_count)
            break;
        if (child + 1 < meter->held_count &&
            held[child + 1].length_us < held[child].length_us)
            child++;
        if (held[child].length_us >= moved.length_us)
            break;
        held[at] = held[child];
        at = child;
    }
    held[at] = moved;
}

static void rise(struct power_meter *meter, const struct power_interval *t)
{
    struct power_interval *held = meter->held;
    int at = meter->held_count++;

    while (at > 0 && t->length_us < held[(at - 1) / 2].length_us) {
        held[at] = held[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    held[at] = *t;
}

static void take_interval(struct power_meter *meter,
                          const struct power_interval *t)
{
    int step = step_of(t->length_us);

    meter->step_count[step]++;
    if (t->length_us > meter->step_peak_us[step])
        meter->step_peak_us[step] = t->length_us;
    if (meter->held_count < POWER_HELD_MAX) {
        rise(meter, t);
        return;
    }
    if (t->length_us <= meter->held[0].length_us) {
        integrate(meter, t);
        return;
    }
    if (is_gap(&meter->held[0], median_us(meter)))
        count_gap(meter, &meter->held[0]);
    else
        integrate(meter, &meter->held[0]);
    meter->held[0] = *t;
    sink(meter);
}

/* --- readings ------------------------------------------------------------- */

static int began_so(const struct power_meter *meter, int64_t at_us,
                    double watt)
{
    for (int i = 0; i < meter->stretch_count; i++)
        if (meter->stretch[i].us == at_us && meter->stretch[i].watt == watt)
            return 1;
    return 0;
}

static void begin(struct power_meter *meter, int64_t at_us, double watt)
{
    if (meter->stretch_count == POWER_STRETCH_MAX)
        return;
    meter->stretch[meter->stretch_count].us = at_us;
    meter->stretch[meter->stretch_count].watt = watt;
    meter->stretch_count++;
}

static void move_on(struct power_meter *meter, int64_t at_us, double watt,
                    double busy)
{
    meter->sample_count++;
    meter->last_us = at_us;
    meter->last_watt = watt;
    meter->last_busy = busy;
    if (watt > meter->peak_watt)
        meter->peak_watt = watt;
    if (at_us > meter->latest_us || meter->sample_count == 1)
        meter->latest_us = at_us;
    if (at_us < meter->first_us || meter->sample_count == 1)
        meter->first_us = at_us;
}

/* After a jump back or the end of a copy. */
static enum power_taken start_again(struct power_meter *meter, int64_t at_us,
                                    double watt, double busy)
{
    begin(meter, at_us, watt);
    move_on(meter, at_us, watt, busy);
    return TAKEN_BACK;
}

enum power_taken power_meter_add(struct power_meter *meter, int64_t at_us,
                                 double watt, double busy, long line)
{
    struct power_interval t;

    if (meter->sample_count == 0) {
        begin(meter, at_us, watt);
        move_on(meter, at_us, watt, busy);
        return TAKEN;
    }
    if (meter->is_copy) {
        if (at_us <= meter->latest_us)
            return TAKEN_COPY;
        meter->is_copy = 0;
        if (meter->last_us != meter->latest_us)
            return start_again(meter, at_us, watt, busy);
    }
    if (at_us == meter->last_us)
        return TAKEN_SAME_INSTANT;
    if (at_us < meter->last_us) {
        if (!began_so(meter, at_us, watt))
            return start_again(meter, at_us, watt, busy);
        meter->is_copy = 1;
        return TAKEN_COPY_BEGINS;
    }
    t = (struct power_interval){ meter->last_us, at_us - meter->last_us, line,
                                 { meter->last_watt, watt },
                                 { meter->last_busy, busy } };
    take_interval(meter, &t);
    move_on(meter, at_us, watt, busy);
    return TAKEN;
}

/* --- the end -------------------------------------------------------------- */

/* Puts a gap among those that are told, the longest of all, by time. */
static void tell_gap(struct power_measure *out, const struct power_interval *t)
{
    struct power_gap gap = { t->from_us, (double)t->length_us / us_per_s,
                             t->line };
    int at;

    if (out->gap_listed == POWER_GAP_MAX) {
        int least = 0;
        for (int i = 1; i < POWER_GAP_MAX; i++)
            if (out->gap[i].second < out->gap[least].second)
                least = i;
        if (gap.second <= out->gap[least].second)
            return;
        memmove(&out->gap[least], &out->gap[least + 1],
                sizeof *out->gap * (size_t)(POWER_GAP_MAX - 1 - least));
        out->gap_listed--;
    }
    for (at = out->gap_listed++; at > 0 && out->gap[at - 1].line > gap.line;
         at--)
        out->gap[at] = out->gap[at - 1];
    out->gap[at] = gap;
}

static void settle(struct power_meter *meter, struct power_measure *out,
                   double median)
{
    out->gap_listed = 0;
    for (int i = 0; i < meter->held_count; i++) {
        if (is_gap(&meter->held[i], median)) {
            count_gap(meter, &meter->held[i]);
            tell_gap(out, &meter->held[i]);
        } else {
            integrate(meter, &meter->held[i]);
        }
    }
    meter->held_count = 0;
}

void power_meter_end(struct power_meter *meter, struct power_measure *out)
{
    double median = median_us(meter);
    int measured, told;

    settle(meter, out, median);
    measured = meter->second > 0;
    told = meter->known_second > 0;
    out->sample_count = meter->sample_count;
    out->first_us = meter->first_us;
    out->latest_us = meter->latest_us;
    out->hour = meter->second / s_per_hour;
    out->gap_hour = meter->gap_second / s_per_hour;
    out->gap_count = meter->gap_count;
    out->median_second = median / us_per_s;
    out->kwh = measured ? meter->joule / j_per_kwh : NAN;
    out->mean_watt = measured ? meter->joule / meter->second : NAN;
    out->p95_watt = quantile(meter, 0.95);
    out->p95_step_watt = meter->bin_watt;
    out->peak_watt = meter->sample_count ? meter->peak_watt : NAN;
    out->known_second = meter->known_second;
    out->use_second = meter->use_second;
    out->busy_second = meter->busy_second;
    out->busy_joule = meter->busy_joule;
    out->idle_joule = meter->idle_joule;
    out->use_frac = told ? meter->use_second / meter->known_second : NAN;
    out->busy_frac = told ? meter->busy_second / meter->known_second : NAN;
    out->busy_watt = meter->busy_second > 0
                   ? meter->busy_joule / meter->busy_second : NAN;
    out->idle_watt = meter->known_second > meter->busy_second
                   ? meter->idle_joule /
                     (meter->known_second - meter->busy_second) : NAN;
}
