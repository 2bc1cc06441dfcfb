/* surrogate.c: multilinear in the axes, Newton's polynomial in the growth of
   the rent. */
#include "pricing/surrogate.h"

#include <math.h>
#include <string.h>

#include "energy/lanes.h"

int surrogate_knows(enum kind kind, const unsigned char moves[FIELD_COUNT])
{
    static const int own[] = {
        F_busy_frac, F_machine_speed, F_gpu_load_frac, F_pue_ratio,
        F_grid_g_per_kwh, F_embodied_gpu_kg, F_embodied_host_kg, F_gpu_price,
        F_residual_frac, F_staff_fte, F_energy_price_per_kwh };
    static const int rent[] = {
        F_busy_frac, F_machine_speed, F_gpu_load_frac, F_pue_ratio,
        F_grid_g_per_kwh, F_embodied_gpu_kg, F_embodied_host_kg, F_staff_fte,
        F_rent_price_per_hour, F_rent_price_growth_frac };
    const int *known = kind == KIND_OWN ? own : rent;
    size_t count = kind == KIND_OWN ? sizeof own / sizeof *own
                                    : sizeof rent / sizeof *rent;

    for (int f = 0; f < FIELD_COUNT; f++) {
        size_t i = 0;
        if (!moves[f])
            continue;
        while (i < count && known[i] != f)
            i++;
        if (i == count)
            return 0;
    }
    return 1;
}

/* --- one run at a point of the axes ----------------------------------------- */

/* Where the axes are put in: own and rent. */
struct bench {
    enum kind kind;
    double value[FIELD_COUNT];
    struct work work;
    double speed_hours_per_hour; /* work done in an hour of a machine */
};

static double run_own(struct bench *b, const double *axis)
{
    struct result result;

    b->value[F_machine_count] = axis[0];
    b->value[F_gpu_price] = axis[1];
    b->value[F_residual_frac] = axis[2];
    b->value[F_staff_fte] = axis[3];
    b->value[F_energy_price_per_kwh] = 0;
    model_run(KIND_OWN, b->value, &b->work, &result, NULL);
    if (!(result.step[S_meter_kwh_per_month] > 0))
        return result.npv_cost;
    b->value[F_energy_price_per_kwh] =
        axis[4] / result.step[S_meter_kwh_per_month];
    model_run(KIND_OWN, b->value, &b->work, &result, NULL);
    return result.npv_cost;
}

/* axis[0]: machines of a commitment, else hours needed a month. */
static double run_rent(struct bench *b, const double *axis, double growth)
{
    struct result result;
    struct work work = b->work;
    double hours = term_month_of((int)b->value[F_term]) > 0 ? 730 * axis[0]
                                                            : axis[0];

    work.speed_hour_per_month = hours * b->speed_hours_per_hour;
    b->value[F_rent_price_per_hour] = axis[1];
    b->value[F_staff_fte] = axis[2];
    b->value[F_rent_price_growth_frac] = growth;
    model_run(KIND_RENT, b->value, &work, &result, NULL);
    return result.npv_cost;
}

/* --- the polynomial ------------------------------------------------------------ */

/* From values at the corners to coefficients of products. */
static void to_products(const struct surrogate *s, double *corner)
{
    for (int bit = 1; bit < s->corner_count; bit *= 2)
        for (int i = 0; i < s->corner_count; i++)
            if (i & bit)
                corner[i] -= corner[i ^ bit];
}

static void to_newton(struct surrogate *s)
{
    for (int c = 0; c < s->corner_count; c++)
        for (int level = 1; level < s->node_count; level++)
            for (int n = s->node_count - 1; n >= level; n--)
                s->coefficient[c][n] =
                    (s->coefficient[c][n] - s->coefficient[c][n - 1]) /
                    (s->node[n] - s->node[n - level]);
}

static void sample_corners(struct surrogate *s, struct bench *b)
{
    for (int n = 0; n < s->node_count; n++) {
        double corner[SURROGATE_CORNER_MAX];
        for (int c = 0; c < s->corner_count; c++) {
            double axis[SURROGATE_AXIS_MAX];
            for (int a = 0; a < s->axis_count; a++)
                axis[a] = s->origin[a] + (c >> a & 1 ? s->scale[a] : 0);
            corner[c] = b->kind == KIND_OWN ? run_own(b, axis)
                                            : run_rent(b, axis, s->node[n]);
        }
        to_products(s, corner);
        for (int c = 0; c < s->corner_count; c++)
            s->coefficient[c][n] = corner[c];
    }
    to_newton(s);
}

static double at_point(const struct surrogate *s, const double *axis,
                       double growth)
{
    double sum = 0;

    for (int c = 0; c < s->corner_count; c++) {
        double term = s->coefficient[c][s->node_count - 1];
        for (int n = s->node_count - 2; n >= 0; n--)
            term = term * (growth - s->node[n]) + s->coefficient[c][n];
        for (int a = 0; a < s->axis_count; a++)
            if (c >> a & 1)
                term *= (axis[a] - s->origin[a]) / s->scale[a];
        sum += term;
    }
    return sum;
}

/* Holds when points away from the corners match the model. */
static int matches(const struct surrogate *s, struct bench *b, double low,
                   double high)
{
    static const double share[3] = { 0.37, 1.61, 0.83 };

    for (int k = 0; k < 3; k++) {
        double axis[SURROGATE_AXIS_MAX];
        double growth = low + (high - low) * (0.21 + 0.29 * k), model, line;
        for (int a = 0; a < s->axis_count; a++)
            axis[a] = s->origin[a] + s->scale[a] * share[(k + a) % 3];
        if (s->kind == KIND_OWN || s->commitment)
            axis[0] = s->origin[0] + s->scale[0] * (k + 1);
        model = s->kind == KIND_OWN ? run_own(b, axis)
                                    : run_rent(b, axis, growth);
        line = at_point(s, axis, growth);
        if (!(fabs(model - line) <= 1e-9 * fmax(1, fabs(model))))
            return 0;
    }
    return 1;
}

static void set_axis(struct surrogate *s, int axis, double origin, double scale)
{
    s->origin[axis] = origin;
    s->scale[axis] = scale > 0 ? scale : 1;
}

static void make_own(struct surrogate *s, struct bench *b)
{
    struct result now;
    double k;

    model_run(KIND_OWN, b->value, &b->work, &now, NULL);
    k = now.step[S_machine_used_count];
    s->axis_count = 5;
    set_axis(s, 0, k, 1);
    set_axis(s, 1, b->value[F_gpu_price], b->value[F_gpu_price]);
    set_axis(s, 2, 0, 1);
    set_axis(s, 3, 0, b->value[F_staff_fte]);
    set_axis(s, 4, 0, now.step[S_meter_kwh_per_month] *
                      b->value[F_energy_price_per_kwh]);
}

/* Nodes of Chebyshev keep the polynomial in hand over the whole range. */
static void make_rent(struct surrogate *s, struct bench *b, double low,
                      double high)
{
    struct result now;
    double pi = 3.14159265358979323846;

    model_run(KIND_RENT, b->value, &b->work, &now, NULL);
    s->commitment = term_month_of((int)b->value[F_term]) > 0;
    s->axis_count = 3;
    set_axis(s, 0, 0, s->commitment ? 1
                                    : now.step[S_need_machine_hour_per_month]);
    set_axis(s, 1, 0, b->value[F_rent_price_per_hour]);
    set_axis(s, 2, 0, b->value[F_staff_fte]);
    if (high > low) {
        s->node_count = (now.month_count + 11) / 12 + 1;
        if (s->node_count > SURROGATE_NODE_MAX)
            s->node_count = SURROGATE_NODE_MAX;
    }
    for (int n = 0; n < s->node_count; n++)
        s->node[n] = (low + high) / 2 + (high - low) / 2 *
                     cos(pi * (2 * n + 1) / (2 * s->node_count));
    if (s->node_count == 1)
        s->node[0] = low;
}

void surrogate_make(enum kind kind, const double *value,
                    const struct work *work, double growth_low,
                    double growth_high, struct surrogate *out)
{
    struct bench b;

    memset(out, 0, sizeof *out);
    b.kind = out->kind = kind;
    memcpy(b.value, value, sizeof b.value);
    b.work = *work;
    b.speed_hours_per_hour =
        value[F_machine_speed] * (1 - value[F_rework_frac]);
    out->node_count = 1;
    if (kind == KIND_OWN)
        make_own(out, &b);
    else
        make_rent(out, &b, growth_low, growth_high);
    out->corner_count = 1 << out->axis_count;
    sample_corners(out, &b);
    out->holds = matches(out, &b, growth_low, growth_high);
}

/* --- many at once ---------------------------------------------------------------- */

/* Each step halves the products: t[c] + t[c + half] * axis. */
LANES static void fold_lanes(double (*restrict product)[LANE_COUNT], int half,
                             const double *restrict axis, double origin,
                             double scale)
{
    for (int c = 0; c < half; c++)
        for (int lane = 0; lane < LANE_COUNT; lane++)
            product[c][lane] += product[c + half][lane] *
                                ((axis[lane] - origin) / scale);
}

LANES static void growth_lanes(const struct surrogate *s, int corner,
                               const double *restrict growth,
                               double *restrict out)
{
    for (int lane = 0; lane < LANE_COUNT; lane++)
        out[lane] = s->coefficient[corner][s->node_count - 1];
    for (int n = s->node_count - 2; n >= 0; n--)
        for (int lane = 0; lane < LANE_COUNT; lane++)
            out[lane] = out[lane] * (growth[lane] - s->node[n]) +
                        s->coefficient[corner][n];
}

LANES static void multiply_lanes(const double *restrict a,
                                 const double *restrict b,
                                 double *restrict out)
{
    for (int lane = 0; lane < LANE_COUNT; lane++)
        out[lane] = a[lane] * b[lane];
}

void surrogate_run_lanes(const struct surrogate *s,
                         const double (*value)[LANE_COUNT],
                         const double (*step)[LANE_COUNT],
                         double npv_cost[LANE_COUNT])
{
    double product[SURROGATE_CORNER_MAX][LANE_COUNT]
        __attribute__((uninitialized));
    double bill[LANE_COUNT] __attribute__((uninitialized));
    const double *axis[SURROGATE_AXIS_MAX];

    if (s->kind == KIND_OWN) {
        multiply_lanes(step[S_meter_kwh_per_month],
                       value[F_energy_price_per_kwh], bill);
        axis[0] = step[S_machine_used_count];
        axis[1] = value[F_gpu_price];
        axis[2] = value[F_residual_frac];
        axis[3] = value[F_staff_fte];
        axis[4] = bill;
    } else {
        axis[0] = step[s->commitment ? S_machine_used_count
                                     : S_need_machine_hour_per_month];
        axis[1] = value[F_rent_price_per_hour];
        axis[2] = value[F_staff_fte];
    }
    for (int c = 0; c < s->corner_count; c++)
        growth_lanes(s, c, value[F_rent_price_growth_frac], product[c]);
    for (int a = s->axis_count - 1; a >= 0; a--)
        fold_lanes(product, 1 << a, axis[a], s->origin[a], s->scale[a]);
    memcpy(npv_cost, product[0], sizeof product[0]);
}
