/* test_uncertainty.c: draws against closed forms, against the model run for
   each sample, and against themselves on other threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/energy.h"
#include "fcgi/answer.h"
#include "pricing/philox.h"
#include "pricing/surrogate.h"
#include "tests/near.h"

/* --- counting allocations ------------------------------------------------- */

static _Atomic long allocations;

/* Sanitizers bring their own allocator and do not like another. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define COUNTS_ALLOCATIONS 1
void *__libc_malloc(size_t byte);
void *__libc_calloc(size_t count, size_t byte);
void *__libc_realloc(void *at, size_t byte);

void *malloc(size_t byte)
{
    allocations++;
    return __libc_malloc(byte);
}

void *calloc(size_t count, size_t byte)
{
    allocations++;
    return __libc_calloc(count, byte);
}

void *realloc(void *at, size_t byte)
{
    allocations++;
    return __libc_realloc(at, byte);
}
#else
#define COUNTS_ALLOCATIONS 0
#endif

/* --- a study -------------------------------------------------------------- */

struct bench {
    struct world world;
    struct input input;
    struct answer answer;
    struct uncertainty drawn, again;
    union uncertainty_room room;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    *state = b;
    if (b)
        b->world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = 20261201,
                                .degraded_reason = "" };
    return b ? 0 : -1;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void answer(struct bench *b, const char *query)
{
    input_init(&b->input);
    input_query(&b->input, query, SURFACE_QUERY);
    input_keys(&b->input, ON_COMPARE);
    b->input.key_value[K_samples] = b->input.key_value[K_alternatives] = 0;
    if (!answer_run(&b->answer, &b->input, &b->world, ""))
        fail_msg("%s: %s %s", query, b->input.problems.problem[0].field,
                 b->input.problems.problem[0].code);
}

static void draw(struct bench *b, int samples, uint64_t seed)
{
    uncertainty_run(&b->answer.study, &b->answer.ranges, &b->answer.verdict,
                    samples, seed, &b->room, &b->drawn);
}

/* Every range but these: a range of one value is none. */
static const char still[] =
    "range.busy_frac=0.6,0.6&range.machine_speed=1,1&range.gpu_load_frac=1,1"
    "&range.pue_ratio=1.5,1.5&range.grid_g_per_kwh=1,1"
    "&range.embodied_gpu_kg=1,1&range.gpu_price=1,1&range.residual_frac=0,0"
    "&range.staff_fte=0,0&range.energy_price_per_kwh=0,0"
    "&range.rent_price_per_hour=1,1&range.rent_price_growth_frac=0,0";

/* The text of `still` without the range of the given fields, which keep
   their preset ones. */
static const char *moving(const char *first, const char *second)
{
    static char query[2048];
    char *to = query;
    const char *at = still;

    while (*at) {
        size_t length = strcspn(at, "&");
        const char *name = at + strlen("range.");
        size_t name_length = strcspn(name, "=");
        if ((strlen(first) != name_length ||
             memcmp(first, name, name_length) != 0) &&
            (strlen(second) != name_length ||
             memcmp(second, name, name_length) != 0)) {
            memcpy(to, at, length);
            to[length] = '&';
            to += length + 1;
        }
        at += length + (at[length] == '&');
    }
    *to = '\0';
    return query;
}

/* --- the generator -------------------------------------------------------- */

/* Known answers of Philox 4x32-10 that its authors publish with Random123. */
static void known_answers(void **state)
{
    static const struct { uint32_t counter[4], key[2], want[4]; } run[] = {
        { { 0, 0, 0, 0 }, { 0, 0 },
          { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        uint32_t out[4];
        philox(run[i].counter, run[i].key, out);
        for (int k = 0; k < 4; k++)
            assert_int_equal(out[k], run[i].want[k]);
    }
}

static void a_row_is_its_counters(void **state)
{
    enum { ROW = 300 };
    static const uint64_t seed[] = { 0, 1, 9007199254740991, 0xA4093822299F31D0 };
    double row[ROW];

    (void)state;
    for (size_t s = 0; s < 4; s++) {
        philox_uniform(seed[s], 4294967200u, 17, 3, ROW, row);
        for (int i = 0; i < ROW; i++) {
            const uint32_t counter[4] = { 4294967200u + (uint32_t)i, 17, 3, 0 };
            const uint32_t key[2] = { (uint32_t)seed[s],
                                      (uint32_t)(seed[s] >> 32) };
            uint32_t out[4];
            philox(counter, key, out);
            /* the first 52 bits, in the middle of their step */
            assert_near(row[i], ((double)out[0] * 0x1p20 +
                                 (double)(out[1] >> 12) + 0.5) * 0x1p-52, 0);
            assert_true(row[i] > 0 && row[i] < 1);
        }
    }
}

static double triangle_cdf(double low, double mode, double high, double x)
{
    if (x <= low || x >= high)
        return x >= high;
    if (x <= mode)
        return (x - low) * (x - low) / ((high - low) * (mode - low));
    return 1 - (high - x) * (high - x) / ((high - low) * (high - mode));
}

static void triangles(void **state)
{
    static const struct { double low, mode, high; } run[] = {
        { 0, 1, 2 }, { 0.7, 1, 1.1 }, { -0.3, 0, 0.05 }, { 1, 1, 1.35 },
        { 0.6, 1, 1 }, { 2, 5, 4 }, { 2, 1, 4 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        for (double u = 1 / 64.0; u < 1; u += 1 / 64.0) {
            double mode = fmin(fmax(run[i].mode, run[i].low), run[i].high);
            double x = triangular(run[i].low, run[i].mode, run[i].high, u);
            assert_near(triangle_cdf(run[i].low, mode, run[i].high, x), u,
                        1e-12);
        }
}

/* --- closed forms --------------------------------------------------------- */

/* Distribution of x + y of two triangles: the inner one in closed form, the
   outer by the trapezium rule in steps so small that it does not matter. */
struct two { double x[3], y[3]; }; /* low, mode, high */

static double two_cdf(const struct two *t, double z)
{
    enum { STEPS = 20000 };
    double width = (t->x[2] - t->x[0]) / STEPS, sum = 0;

    for (int i = 0; i < STEPS; i++) {
        double from = t->x[0] + i * width, to = from + width;
        double share = triangle_cdf(t->x[0], t->x[1], t->x[2], to) -
                       triangle_cdf(t->x[0], t->x[1], t->x[2], from);
        sum += share * triangle_cdf(t->y[0], t->y[1], t->y[2],
                                    z - from - width / 2);
    }
    return sum;
}

static double two_quantile(const struct two *t, double share)
{
    double low = t->x[0] + t->y[0], high = t->x[2] + t->y[2];

    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (two_cdf(t, middle) < share)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* How far a quantile of n samples may be off: five standard errors. */
static void near_quantile(const struct two *t, double share, int n,
                          double got)
{
    double want = two_quantile(t, share);
    double step = (t->x[2] - t->x[0] + t->y[2] - t->y[0]) * 1e-3;
    double density = (two_cdf(t, want + step) - two_cdf(t, want - step)) /
                     (2 * step);
    double error = sqrt(share * (1 - share) / n) / density;

    if (!(fabs(got - want) <= 5 * error + step * 0.01))
        fail_msg("%d samples: quantile %g is %.10g, not %.10g (error %g)", n,
                 share, got, want, error);
}

/* The saving at the ends of the two inputs gives its line in each. */
static void ends_of(struct bench *b, int field, int option, double *low,
                    double *mode, double *high)
{
    const struct sensitivity *s = &b->answer.sensitivity;
    double now = b->answer.verdict.pair[0].saving_npv;

    for (int i = 0; i < s->count; i++)
        if (s->row[i].field == field && s->row[i].option == option) {
            *low = fmin(s->row[i].saving_low, s->row[i].saving_high) - now;
            *high = fmax(s->row[i].saving_low, s->row[i].saving_high) - now;
            *mode = 0;
            return;
        }
    fail_msg("%s does not move", field_table[field].name);
}

static void two_inputs_have_a_closed_form(void **state)
{
    struct bench *b = *state;
    static const struct { const char *first, *second, *rest;
                          int field[2], option[2]; } run[] = {
        { "rent_price_per_hour", "gpu_price", "",
          { F_rent_price_per_hour, F_gpu_price }, { 1, 0 } },
        { "energy_price_per_kwh", "residual_frac", "",
          { F_energy_price_per_kwh, F_residual_frac }, { 0, 0 } },
        { "rent_price_per_hour", "energy_price_per_kwh", "busy_frac=0.18",
          { F_rent_price_per_hour, F_energy_price_per_kwh }, { 1, 0 } },
    };
    static const int count[] = { 1000, 10000, 100000, 1000000 };

    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        struct two t;
        double now;
        char query[4096];
        snprintf(query, sizeof query, "%s%s", moving(run[i].first,
                 run[i].second), run[i].rest);
        answer(b, query);
        assert_int_equal(b->answer.ranges.count, 2);
        now = b->answer.verdict.pair[0].saving_npv;
        ends_of(b, run[i].field[0], run[i].option[0], &t.x[0], &t.x[1], &t.x[2]);
        ends_of(b, run[i].field[1], run[i].option[1], &t.y[0], &t.y[1], &t.y[2]);
        for (int k = 0; k < 3; k++)
            t.y[k] += now;
        for (size_t n = 0; n < sizeof count / sizeof *count; n++) {
            double chance, want = 1 - two_cdf(&t, 0);
            draw(b, count[n], 1 + n);
            near_quantile(&t, 0.05, count[n], b->drawn.pair_saving[0].p5);
            near_quantile(&t, 0.5, count[n], b->drawn.pair_saving[0].p50);
            near_quantile(&t, 0.95, count[n], b->drawn.pair_saving[0].p95);
            chance = b->drawn.probability_cheapest[0];
            assert_true(fabs(chance - want) <=
                        5 * sqrt(want * (1 - want) / count[n]) + 1e-6);
            assert_near(chance + b->drawn.probability_cheapest[1], 1, 1e-12);
        }
    }
}

/* --- against the model, sample by sample ---------------------------------- */

static const char *const studies[] = {
    "",
    "a=own/h100-sxm5-80gb/8/2&b=rent/aws/p5.48xlarge/us-east-1/on_demand"
    "&zone=DE&currency=EUR&income_tax_frac=0.3&service_tax_frac=0.19",
    "c=own/rtx-3090/4&d=own/rtx-4090/8/3&e=rent/gcp/a2-ultragpu-8g/us-central1"
    "/on_demand&horizon_year=5.5&busy_frac=0.85",
    "a=own/rtx-4090/4/3&a.loan_frac=0.7&loan_year=4&discount_frac=0"
    "&income_tax_frac=0.25&depreciation=macrs_5&horizon_year=7"
    "&opex_growth_frac=0.03&energy_price_growth_frac=0.05",
    "b.term=reserved_1y&b.rent_price_per_hour=9&b.rent_upfront_price=20000"
    "&horizon_year=2.5&prorate_term=yes&b.machine_speed=300",
    "b.term=savings_3y&b.rent_price_per_hour=9&horizon_year=4&busy_frac=1"
    "&b.rework_frac=0.1&support_frac=0.1&b.machine_speed=200",
    "range.discount_frac=0.02,0.15&range.opex_growth_frac=0,0.05"
    "&range.setup_cost=0,20000", /* beyond the surrogate */
    "busy_frac=0&carbon_price_per_tonne=80",
    "a=rent&b=own&rent_price_growth_frac=-0.5&b.powered_frac=0.3",
    "a.gpu_price=0&a.host_price=0&a.staff_fte=0&energy_price_per_kwh=0",
    "b=own/rtx-4090/2/1&busy_frac=0.55", /* b is short in some samples */
};

enum { STUDY_COUNT = sizeof studies / sizeof *studies, SAMPLE_COUNT = 700,
       SAMPLE_MANY = 24000 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double nearest_rank(double *at, int count, double share)
{
    qsort(at, (size_t)count, sizeof *at, by_size);
    return at[(int)ceil(share * count - 1e-9) - 1];
}

/* Sample i of a study, by a run of the model for each option. */
static void run_sample(struct bench *b, int i, uint64_t seed,
                       struct result result[OPTION_MAX])
{
    const struct study *study = &b->answer.study;
    struct trial trial;
    struct work work;

    trial_of(study, &trial);
    for (int k = 0; k < b->answer.ranges.count; k++) {
        const struct range *r = &b->answer.ranges.range[k];
        const uint32_t counter[4] = { (uint32_t)i, (uint32_t)r->stream,
                                      (uint32_t)(r->option + 1), 0 };
        const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
        uint32_t word[4];
        double u;
        philox(counter, key, word);
        u = ((double)word[0] * 0x1p20 + (double)(word[1] >> 12) + 0.5) * 0x1p-52;
        range_set(study, r, triangular(r->low, r->value, r->high, u), &trial);
    }
    work = work_of(trial.value[0]);
    for (int k = 0; k < study->option_count; k++)
        model_run(study->option[k].kind, trial.value[k], &work, &result[k],
                  NULL);
}

static void check_samples(struct bench *b, const char *query, int samples,
                          double tolerance)
{
    static double npv[OPTION_MAX][SAMPLE_MANY], kg[OPTION_MAX][SAMPLE_MANY],
                  saving[OPTION_MAX][SAMPLE_MANY];
    int cheapest[OPTION_MAX] = { 0 };
    int options;
    double span;

    answer(b, query);
    options = b->answer.study.option_count;
    draw(b, samples, 42);
    for (int i = 0; i < samples; i++) {
        struct result result[OPTION_MAX];
        int best = -1;
        run_sample(b, i, 42, result);
        for (int k = 0; k < options; k++) {
            npv[k][i] = result[k].npv_cost;
            kg[k][i] = result[k].step[S_total_kg];
            if (!result[k].short_of_capacity &&
                (best < 0 || npv[k][i] < npv[best][i]))
                best = k;
        }
        if (best >= 0)
            cheapest[best]++;
        for (int p = 0; p < b->answer.verdict.count; p++)
            saving[p][i] = npv[b->answer.verdict.pair[p].b][i] -
                           npv[b->answer.verdict.pair[p].a][i];
    }
    for (int k = 0; k < options; k++) {
        assert_near(b->drawn.probability_cheapest[k] * samples, cheapest[k],
                    1e-12);
        qsort(npv[k], (size_t)samples, sizeof **npv, by_size);
        span = npv[k][samples - 1] - npv[k][0];
        assert_near(b->drawn.npv_histogram[k].low, npv[k][0], 1e-9);
        assert_near(b->drawn.npv_histogram[k].high, npv[k][samples - 1], 1e-9);
        assert_true(fabs(b->drawn.npv_cost[k].p5 -
                         nearest_rank(npv[k], samples, 0.05)) <=
                    tolerance * fmax(1, span));
        assert_true(fabs(b->drawn.npv_cost[k].p50 -
                         nearest_rank(npv[k], samples, 0.5)) <=
                    tolerance * fmax(1, span));
        assert_true(fabs(b->drawn.npv_cost[k].p95 -
                         nearest_rank(npv[k], samples, 0.95)) <=
                    tolerance * fmax(1, span));
        span = nearest_rank(kg[k], samples, 1) - kg[k][0];
        assert_true(fabs(b->drawn.total_kg[k].p95 -
                         nearest_rank(kg[k], samples, 0.95)) <=
                    tolerance * fmax(1, span));
        {
            int all = 0;
            for (int i = 0; i < BIN_COUNT; i++)
                all += b->drawn.npv_histogram[k].count[i];
            assert_int_equal(all, samples);
        }
    }
    for (int p = 0; p < b->answer.verdict.count; p++) {
        span = nearest_rank(saving[p], samples, 1) - saving[p][0];
        assert_true(fabs(b->drawn.pair_saving[p].p5 -
                         nearest_rank(saving[p], samples, 0.05)) <=
                    tolerance * fmax(1, span));
    }
}

/* Kept samples: the exact rank. */
static void samples_are_runs_of_the_model(void **state)
{
    for (int i = 0; i < STUDY_COUNT; i++) {
        check_samples(*state, studies[i], SAMPLE_COUNT, 1e-9);
        check_samples(*state, studies[i], 1, 1e-9);
        check_samples(*state, studies[i], 129, 1e-9);
    }
}

/* Counted samples: within a thousandth of the whole range. */
static void bins_are_fine_enough(void **state)
{
    check_samples(*state, studies[0], SAMPLE_MANY, 1e-4);
    check_samples(*state, studies[2], SAMPLE_MANY, 1e-4);
}

/* Most studies are done by the polynomial; what it does not know is left to
   the model. */
static void the_polynomial_holds(void **state)
{
    struct bench *b = *state;
    static struct surrogate s;

    for (int i = 0; i < STUDY_COUNT; i++) {
        unsigned char moves[FIELD_COUNT] = { 0 };
        struct work work;
        answer(b, studies[i]);
        work = work_of(b->answer.study.option[0].value);
        for (int k = 0; k < b->answer.study.option_count; k++) {
            const struct option *o = &b->answer.study.option[k];
            memset(moves, 0, sizeof moves);
            for (int n = 0; n < b->answer.ranges.count; n++)
                if (b->answer.ranges.range[n].option < 0 ||
                    b->answer.ranges.range[n].option == k)
                    moves[b->answer.ranges.range[n].field] = 1;
            if (strstr(studies[i], "range.discount_frac")) {
                assert_false(surrogate_knows(o->kind, moves));
                continue;
            }
            assert_true(surrogate_knows(o->kind, moves));
            surrogate_make(o->kind, o->value, &work, -0.3, 0.05, &s);
            if (!s.holds)
                fail_msg("%s: option %c bends", studies[i], 'a' + k);
        }
    }
}

/* --- the same digits ------------------------------------------------------ */

enum { THREAD_COUNT = 4 };
struct hand {
    const struct answer *answer;
    union uncertainty_room room;
    struct uncertainty drawn;
    int samples;
};

static void *run_hand(void *with)
{
    struct hand *h = with;

    uncertainty_run(&h->answer->study, &h->answer->ranges, &h->answer->verdict,
                    h->samples, 7, &h->room, &h->drawn);
    return NULL;
}

static void threads_agree(void **state)
{
    struct bench *b = *state;
    static const int samples[] = { 10000, 50000 };
    static struct hand hand[THREAD_COUNT];

    for (size_t n = 0; n < 2; n++) {
        pthread_t thread[THREAD_COUNT];
        answer(b, studies[2]);
        memset(&b->drawn, 0, sizeof b->drawn);
        draw(b, samples[n], 7);
        for (int i = 0; i < THREAD_COUNT; i++) {
            hand[i].answer = &b->answer;
            hand[i].samples = samples[n];
            assert_int_equal(pthread_create(&thread[i], NULL, run_hand,
                                            &hand[i]), 0);
        }
        for (int i = 0; i < THREAD_COUNT; i++) {
            pthread_join(thread[i], NULL);
            assert_memory_equal(&hand[i].drawn, &b->drawn, sizeof b->drawn);
        }
    }
}

/* --- the whole answer, from one worker and from four ---------------------- */

struct worker {
    const struct world *world;
    struct response response[STUDY_COUNT];
};

static void *serve_all(void *with)
{
    struct worker *w = with;

    for (int i = 0; i < STUDY_COUNT; i++) {
        struct request request = { "GET", "/compare.json", studies[i], "", 0,
                                   0, "", "", "", "", "", "", "", NULL,
                                   NULL };
        response_init(&w->response[i]);
        app_handle(w->world, &request, &w->response[i]);
    }
    return NULL;
}

static void workers_agree(void **state)
{
    struct bench *b = *state;
    static struct worker one, four[THREAD_COUNT];
    pthread_t thread[THREAD_COUNT];

    one.world = &b->world;
    serve_all(&one);
    for (int i = 0; i < THREAD_COUNT; i++) {
        four[i].world = &b->world;
        assert_int_equal(pthread_create(&thread[i], NULL, serve_all, &four[i]),
                         0);
    }
    for (int i = 0; i < THREAD_COUNT; i++) {
        pthread_join(thread[i], NULL);
        for (int k = 0; k < STUDY_COUNT; k++) {
            assert_int_equal(one.response[k].status, 200);
            assert_string_equal(four[i].response[k].body.at,
                                one.response[k].body.at);
            response_free(&four[i].response[k]);
        }
    }
    for (int k = 0; k < STUDY_COUNT; k++)
        response_free(&one.response[k]);
}

static void seeds_differ_and_repeat(void **state)
{
    struct bench *b = *state;

    answer(b, "");
    draw(b, 5000, 1);
    b->again = b->drawn;
    draw(b, 5000, 2);
    assert_true(fabs(b->again.npv_cost[0].p50 - b->drawn.npv_cost[0].p50) > 0);
    draw(b, 5000, 1);
    assert_memory_equal(&b->again, &b->drawn, sizeof b->drawn);
    /* high bits of the seed count too */
    draw(b, 5000, 1 + 0x100000000ULL);
    assert_true(fabs(b->again.npv_cost[0].p50 - b->drawn.npv_cost[0].p50) > 0);
}

/* More samples of the same seed begin with the same ones. */
static void samples_go_on(void **state)
{
    struct bench *b = *state;
    double first[300];

    answer(b, "");
    draw(b, 300, 5);
    memcpy(first, b->room.sample[0], sizeof first);
    qsort(first, 300, sizeof *first, by_size);
    draw(b, 1000, 5);
    qsort(b->room.sample[0], 1000, sizeof *first, by_size);
    for (int i = 0, k = 0; i < 300; i++) {
        while (k < 1000 && b->room.sample[0][k] < first[i])
            k++;
        assert_near(b->room.sample[0][k], first[i], 0);
    }
}

static void nothing_allocates(void **state)
{
    struct bench *b = *state;
    struct alternative_filter none = { "", "", "", "", 0, 0, 0 };
    struct candidate *room;
    static struct alternatives found;
    long before;

    if (!COUNTS_ALLOCATIONS)
        skip();
    answer(b, "");
    room = malloc(alternatives_room(&b->world) * sizeof *room);
    assert_non_null(room);
    before = allocations;
    draw(b, 3000, 1);
    draw(b, 30000, 1);
    alternatives_run(&b->answer.study, &b->world, &none, 10, room, &found);
    assert_int_equal(allocations, before);
    free(room);
    assert_true(before > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(a_row_is_its_counters),
        cmocka_unit_test(triangles),
        cmocka_unit_test(two_inputs_have_a_closed_form),
        cmocka_unit_test(samples_are_runs_of_the_model),
        cmocka_unit_test(bins_are_fine_enough),
        cmocka_unit_test(the_polynomial_holds),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(workers_agree),
        cmocka_unit_test(seeds_differ_and_repeat),
        cmocka_unit_test(samples_go_on),
        cmocka_unit_test(nothing_allocates),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
