/* uncertainty.c: draws in rows of LANE_COUNT, energy by the formulas, cost by
   the surrogate (or, where it does not hold, by the model), then quantiles. */
#include "pricing/uncertainty.h"

#include <math.h>
#include <string.h>

#include "energy/lanes.h"
#include "pricing/philox.h"
#include "pricing/surrogate.h"

/* What `triangular` is for a row; sqrt and both branches are computed for
   every lane, so that the loop has none. */
LANES static void triangular_lanes(double low, double mode, double high,
                                   double *restrict u)
{
    double share, below, above;

    mode = mode < low ? low : mode > high ? high : mode;
    share = (mode - low) / (high - low);
    below = (high - low) * (mode - low);
    above = (high - low) * (high - mode);
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        double up = low + sqrt(u[lane] * below);
        double down = high - sqrt((1 - u[lane]) * above);
        u[lane] = u[lane] < share ? up : down;
    }
}

double triangular(double low, double mode, double high, double u)
{
    double share;

    mode = mode < low ? low : mode > high ? high : mode;
    share = (mode - low) / (high - low);
    return u < share ? low + sqrt(u * ((high - low) * (mode - low)))
                     : high - sqrt((1 - u) * ((high - low) * (high - mode)));
}

/* --- one row of samples ---------------------------------------------------- */

struct lanes {
    double value[FIELD_COUNT][LANE_COUNT];
    double given[GIVEN_COUNT][LANE_COUNT];
    double step[ENERGY_STEP_COUNT][LANE_COUNT];
};

struct run {
    const struct study *study;
    const struct ranges *ranges;
    const struct verdict *verdict;
    uint64_t seed;
    int samples;
    struct work work;                      /* at the study's own values */
    int by_surrogate[OPTION_MAX];
    struct surrogate surrogate[OPTION_MAX];
    unsigned char moves[OPTION_MAX][FIELD_COUNT];
    struct lanes lanes[OPTION_MAX];
    double speed_hour[LANE_COUNT], machine_hour[LANE_COUNT];
    double drawn[RANGE_MAX][LANE_COUNT];
    double npv[OPTION_MAX][LANE_COUNT], kg[OPTION_MAX][LANE_COUNT];
    unsigned char is_short[OPTION_MAX][LANE_COUNT];
};

static void draw_row(struct run *r, uint32_t first)
{
    for (int i = 0; i < r->ranges->count; i++) {
        const struct range *range = &r->ranges->range[i];
        double *u = r->drawn[i];
        philox_uniform(r->seed, first, (uint32_t)range->stream,
                       (uint32_t)(range->option + 1), LANE_COUNT, u);
        triangular_lanes(range->low, range->value, range->high, u);
    }
}

static void fill(double *lane, double value)
{
    for (int i = 0; i < LANE_COUNT; i++)
        lane[i] = value;
}

/* Fields that nothing moves are filled in once. */
static void fill_lanes(struct run *r, int option)
{
    const struct option *o = &r->study->option[option];
    struct lanes *l = &r->lanes[option];
    int term = o->kind == KIND_RENT ? term_month_of((int)o->value[F_term]) : 0;

    for (int f = 0; f < FIELD_COUNT; f++)
        fill(l->value[f], o->value[f]);
    fill(l->given[G_commitment_count], term > 0);
    fill(l->given[G_term_month], term);
}

static void set_lanes(struct run *r, int option)
{
    const struct option *o = &r->study->option[option];
    struct lanes *l = &r->lanes[option];

    for (int i = 0; i < r->ranges->count; i++) {
        const struct range *range = &r->ranges->range[i];
        if (range->option >= 0 && range->option != option)
            continue;
        memcpy(l->value[range->field], r->drawn[i], sizeof r->drawn[i]);
        if (range->with < 0 || !(range->value > 0))
            continue;
        for (int lane = 0; lane < LANE_COUNT; lane++)
            l->value[range->with][lane] =
                o->value[range->with] * (r->drawn[i][lane] / range->value);
    }
}

/* The work of each sample follows from option a's lanes. */
static void set_work(struct run *r)
{
    const struct lanes *l = &r->lanes[0];

    for (int lane = 0; lane < LANE_COUNT; lane++) {
        double hours = l->value[F_busy_frac][lane] * 730 *
                       l->value[F_machine_count][lane];
        r->machine_hour[lane] = hours;
        r->speed_hour[lane] = hours * l->value[F_machine_speed][lane] *
                              (1 - l->value[F_rework_frac][lane]);
    }
}

static void npv_by_model(struct run *r, int option)
{
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        double value[FIELD_COUNT];
        struct work work = { r->speed_hour[lane], r->machine_hour[lane] };
        struct result result;
        for (int f = 0; f < FIELD_COUNT; f++)
            value[f] = r->lanes[option].value[f][lane];
        model_run(r->study->option[option].kind, value, &work, &result, NULL);
        r->npv[option][lane] = result.npv_cost;
    }
}

static void run_option(struct run *r, int option)
{
    enum kind kind = r->study->option[option].kind;
    struct lanes *l = &r->lanes[option];

    memcpy(l->given[G_work_speed_hour_per_month], r->speed_hour,
           sizeof r->speed_hour);
    energy_run_lanes(kind, (const double (*)[LANE_COUNT])l->value,
                     (const double (*)[LANE_COUNT])l->given, l->step);
    if (r->by_surrogate[option])
        surrogate_run_lanes(&r->surrogate[option],
                            (const double (*)[LANE_COUNT])l->value,
                            (const double (*)[LANE_COUNT])l->step,
                            r->npv[option]);
    else
        npv_by_model(r, option);
    memcpy(r->kg[option], l->step[S_total_kg], sizeof r->kg[option]);
    for (int lane = 0; lane < LANE_COUNT; lane++)
        r->is_short[option][lane] =
            kind == KIND_OWN && l->step[S_fill_ratio][lane] > 1 + 1e-9;
}

static void run_row(struct run *r, uint32_t first)
{
    draw_row(r, first);
    for (int i = 0; i < r->study->option_count; i++) {
        set_lanes(r, i);
        if (i == 0)
            set_work(r);
        run_option(r, i);
    }
}

/* --- getting ready ------------------------------------------------------------ */

static void growth_ends(const struct run *r, int option, double *low,
                        double *high)
{
    *low = *high = r->study->option[option].value[F_rent_price_growth_frac];
    for (int i = 0; i < r->ranges->count; i++) {
        const struct range *range = &r->ranges->range[i];
        if (range->field != F_rent_price_growth_frac ||
            range->option != option)
            continue;
        *low = range->low;
        *high = range->high;
    }
}

static void prepare(struct run *r)
{
    memset(r->moves, 0, sizeof r->moves);
    for (int k = 0; k < r->ranges->count; k++) {
        const struct range *range = &r->ranges->range[k];
        for (int i = 0; i < r->study->option_count; i++)
            if (range->option < 0 || range->option == i) {
                r->moves[i][range->field] = 1;
                if (range->with >= 0)
                    r->moves[i][range->with] = 1;
            }
    }
    r->work = work_of(r->study->option[0].value);
    for (int i = 0; i < r->study->option_count; i++) {
        const struct option *o = &r->study->option[i];
        double low, high;
        fill_lanes(r, i);
        r->by_surrogate[i] = 0;
        if (!surrogate_knows(o->kind, r->moves[i]))
            continue;
        growth_ends(r, i, &low, &high);
        surrogate_make(o->kind, o->value, &r->work, low, high,
                       &r->surrogate[i]);
        r->by_surrogate[i] = r->surrogate[i].holds;
    }
}

/* --- metrics ------------------------------------------------------------------- */

/* Metrics of a row: npv of each option, kg of each, saving of each pair. */
static int metric_count(const struct run *r)
{
    return 2 * r->study->option_count + r->verdict->count;
}

static const double *metric_lanes(const struct run *r, int metric,
                                  double room[LANE_COUNT])
{
    int options = r->study->option_count;

    if (metric < options)
        return r->npv[metric];
    if (metric < 2 * options)
        return r->kg[metric - options];
    {
        const struct pair *pair = &r->verdict->pair[metric - 2 * options];
        for (int lane = 0; lane < LANE_COUNT; lane++)
            room[lane] = r->npv[pair->b][lane] - r->npv[pair->a][lane];
    }
    return room;
}

static void count_best(const struct run *r, int count,
                       double figure[OPTION_MAX][LANE_COUNT], double *best)
{
    for (int lane = 0; lane < count; lane++) {
        int winner = -1;
        for (int i = 0; i < r->study->option_count; i++) {
            if (r->is_short[i][lane] || isnan(figure[i][lane]))
                continue;
            if (winner < 0 || figure[i][lane] < figure[winner][lane])
                winner = i;
        }
        if (winner >= 0)
            best[winner] += 1;
    }
}

/* The k-th smallest (from 0), by Hoare's selection; reorders `at`. */
static double select_kth(double *at, int count, int k)
{
    int low = 0, high = count - 1;

    while (low < high) {
        double pivot = at[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (at[i] < pivot)
                i++;
            while (at[j] > pivot)
                j--;
            if (i <= j) {
                double swap = at[i];
                at[i++] = at[j];
                at[j--] = swap;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return at[k];
}

/* Nearest rank: the ceil(share * count)-th smallest. */
static int rank_of(double share, int count)
{
    int rank = (int)ceil(share * count - 1e-9);

    return rank < 1 ? 0 : rank > count ? count - 1 : rank - 1;
}

static struct spread spread_exact(double *at, int count)
{
    struct spread s = { (double)NAN, (double)NAN, (double)NAN };

    for (int i = 0; i < count; i++)
        if (isnan(at[i]))
            return s;
    s.p5 = select_kth(at, count, rank_of(0.05, count));
    s.p50 = select_kth(at, count, rank_of(0.5, count));
    s.p95 = select_kth(at, count, rank_of(0.95, count));
    return s;
}

static double bin_quantile(const uint32_t *bin, double low, double high,
                           int rank)
{
    long seen = 0;

    for (int i = 0; i < BIN_FINE_COUNT; i++) {
        seen += bin[i];
        if (seen > rank)
            return low + (high - low) * (i + 0.5) / BIN_FINE_COUNT;
    }
    return high;
}

static int bin_of(double value, double low, double high, int bins)
{
    double at = high > low ? (value - low) / (high - low) * bins : 0;

    return at < 0 || isnan(at) ? 0 : at >= bins ? bins - 1 : (int)at;
}

/* --- the whole ------------------------------------------------------------------- */

struct ends { double low, high; };

static void widen(struct ends *ends, const double *lane, int count, int first)
{
    if (first) {
        ends->low = INFINITY;
        ends->high = -INFINITY;
    }
    for (int i = 0; i < count; i++) {
        if (lane[i] < ends->low)
            ends->low = lane[i];
        if (lane[i] > ends->high)
            ends->high = lane[i];
    }
}

static struct histogram *histogram_of(struct uncertainty *out, int options,
                                      int metric)
{
    if (metric < options)
        return &out->npv_histogram[metric];
    return metric < 2 * options ? &out->kg_histogram[metric - options] : NULL;
}

static struct spread *spread_of(struct uncertainty *out, int options,
                                int metric)
{
    if (metric < options)
        return &out->npv_cost[metric];
    return metric < 2 * options ? &out->total_kg[metric - options]
                                : &out->pair_saving[metric - 2 * options];
}

/* What a walk over all rows does with them. */
enum pass { PASS_KEEP, PASS_ENDS, PASS_BINS };

static void pass_row(struct run *r, enum pass pass, int first, int count,
                     struct ends *ends, union uncertainty_room *room)
{
    double other[LANE_COUNT];

    for (int m = 0; m < metric_count(r); m++) {
        const double *lane = metric_lanes(r, m, other);
        if (pass != PASS_BINS)
            widen(&ends[m], lane, count, first == 0);
        if (pass == PASS_KEEP)
            memcpy(&room->sample[m][first], lane,
                   (size_t)count * sizeof *lane);
        if (pass == PASS_BINS)
            for (int i = 0; i < count; i++)
                room->bin[m][bin_of(lane[i], ends[m].low, ends[m].high,
                                    BIN_FINE_COUNT)]++;
    }
}

static void pass_all(struct run *r, enum pass pass, struct ends *ends,
                     union uncertainty_room *room, struct uncertainty *out)
{
    for (int first = 0; first < r->samples; first += LANE_COUNT) {
        int count = r->samples - first < LANE_COUNT ? r->samples - first
                                                    : LANE_COUNT;
        run_row(r, (uint32_t)first);
        pass_row(r, pass, first, count, ends, room);
        if (pass == PASS_BINS)
            continue;
        count_best(r, count, r->npv, out->probability_cheapest);
        count_best(r, count, r->kg, out->probability_greenest);
    }
}

static void finish_kept(struct run *r, const struct ends *ends,
                        union uncertainty_room *room, struct uncertainty *out)
{
    int options = r->study->option_count;

    for (int m = 0; m < metric_count(r); m++) {
        struct histogram *h = histogram_of(out, options, m);
        if (h)
            for (int i = 0; i < r->samples; i++)
                h->count[bin_of(room->sample[m][i], ends[m].low, ends[m].high,
                                BIN_COUNT)]++;
        *spread_of(out, options, m) = spread_exact(room->sample[m],
                                                   r->samples);
    }
}

static void finish_bins(struct run *r, const struct ends *ends,
                        union uncertainty_room *room, struct uncertainty *out)
{
    int options = r->study->option_count;

    for (int m = 0; m < metric_count(r); m++) {
        struct histogram *h = histogram_of(out, options, m);
        struct spread *s = spread_of(out, options, m);
        const uint32_t *bin = room->bin[m];
        double low = ends[m].low, high = ends[m].high;
        if (h)
            for (int i = 0; i < BIN_FINE_COUNT; i++)
                h->count[(long)i * BIN_COUNT / BIN_FINE_COUNT] += (int)bin[i];
        s->p5 = bin_quantile(bin, low, high, rank_of(0.05, r->samples));
        s->p50 = bin_quantile(bin, low, high, rank_of(0.5, r->samples));
        s->p95 = bin_quantile(bin, low, high, rank_of(0.95, r->samples));
        if (!(high >= low))
            s->p5 = s->p50 = s->p95 = (double)NAN;
    }
}

void uncertainty_run(const struct study *study, const struct ranges *ranges,
                     const struct verdict *verdict, int samples, uint64_t seed,
                     union uncertainty_room *room, struct uncertainty *out)
{
    struct run r __attribute__((uninitialized));
    struct ends ends[METRIC_MAX];

    r.study = study;
    r.ranges = ranges;
    r.verdict = verdict;
    r.samples = samples;
    r.seed = seed;
    memset(out, 0, sizeof *out);
    out->samples = samples;
    out->seed = seed;
    out->pair_count = verdict->count;
    prepare(&r);
    if (samples <= SAMPLE_EXACT_MAX) {
        pass_all(&r, PASS_KEEP, ends, room, out);
        finish_kept(&r, ends, room, out);
    } else {
        memset(room->bin, 0, sizeof room->bin);
        pass_all(&r, PASS_ENDS, ends, room, out);
        pass_all(&r, PASS_BINS, ends, room, out);
        finish_bins(&r, ends, room, out);
    }
    for (int m = 0; m < 2 * study->option_count; m++) {
        struct histogram *h = histogram_of(out, study->option_count, m);
        h->low = ends[m].low;
        h->high = ends[m].high;
    }
    for (int i = 0; i < study->option_count; i++) {
        out->probability_cheapest[i] /= samples;
        out->probability_greenest[i] /= samples;
    }
}
