/* test_sensitivity.c: every row, case, crossing and explanation is what runs
   of the model at that place give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/answer.h"
#include "pricing/num.h"
#include "pricing/resolve.h"
#include "tests/formula.c"
#include "tests/near.h"

enum { QUERY_BYTE = 4096 };

struct bench {
    struct world world;
    struct input input;
    struct answer answer, other;
    struct month months[MONTH_MAX + 1];
    struct explanation explanation;
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

/* Answers a query, apart from whatever is in *to afterwards. */
static void answer(struct bench *b, const char *query, struct answer *to)
{
    input_init(&b->input);
    input_query(&b->input, query, SURFACE_QUERY);
    input_keys(&b->input, ON_COMPARE);
    if (!answer_run(to, &b->input, &b->world, ""))
        fail_msg("%s: %s %s", query, b->input.problems.problem[0].field,
                 b->input.problems.problem[0].code);
}

static const char *const query[] = {
    "samples=0&limit=0",
    "samples=0&limit=0&a=own/h100-sxm5-80gb/8/2&b=rent/aws/p5.48xlarge/"
    "us-east-1/on_demand&zone=DE&currency=EUR&income_tax_frac=0.3",
    "samples=0&limit=0&busy_frac=0.9&c=own/rtx-3090/4&horizon_year=5"
    "&range.discount_frac=0.03,0.12",
    "samples=0&limit=0&a=rent&b=own/rtx-4090/4/2&pair=ba",
    "samples=0&limit=0&pair=bc&c=own/rtx-5090/2/9&loan_frac=0.5"
    "&range.setup_cost=0,50000&range.max_use_frac=0.5,1",
    "samples=0&limit=0&busy_frac=1&a.powered_frac=0.5&carbon_price_per_tonne=50"
    "&speed_basis=gpu_count&rent_price_growth_frac=-0.1",
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The study with one field of an option (or of all) at another value, and
   what goes with it: two separate runs of the model. */
static double saving_with(struct study study, int field, int option,
                          double value, int a, int b)
{
    struct result result[OPTION_MAX];

    for (int i = 0; i < study.option_count; i++) {
        double *v = study.option[i].value;
        if (option >= 0 && option != i)
            continue;
        if (field == F_embodied_gpu_kg)
            v[F_embodied_host_kg] *= value / v[F_embodied_gpu_kg];
        v[field] = value;
    }
    study_run(&study, result);
    if (result[a].short_of_capacity || result[b].short_of_capacity)
        return (double)NAN;
    return result[b].npv_cost - result[a].npv_cost;
}

static void rows_equal_runs_at_the_ends(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < COUNT(query); i++) {
        const struct sensitivity *s = &b->answer.sensitivity;
        double last = INFINITY;
        answer(b, query[i], &b->answer);
        assert_true(s->count > 10);
        for (int k = 0; k < s->count; k++) {
            const struct sensitivity_row *row = &s->row[k];
            double swing = fabs(row->saving_high - row->saving_low);
            double flip;
            assert_true(row->low < row->high);
            assert_near(row->saving_low,
                        saving_with(b->answer.study, row->field, row->option,
                                    row->low, s->a, s->b), 1e-12);
            assert_near(row->saving_high,
                        saving_with(b->answer.study, row->field, row->option,
                                    row->high, s->a, s->b), 1e-12);
            if (!isnan(swing)) {
                assert_true(swing <= last);
                last = swing;
            }
            if (isnan(row->flip))
                continue;
            flip = saving_with(b->answer.study, row->field, row->option,
                               row->flip, s->a, s->b);
            /* nil there, or of other signs on its two sides */
            if (!(fabs(flip) <= 1e-3 * fmax(1, fmax(fabs(row->saving_low),
                                                    fabs(row->saving_high))))) {
                double step = 1e-9 * fmax(1, fabs(row->flip));
                double below = saving_with(b->answer.study, row->field,
                                           row->option, row->flip - step,
                                           s->a, s->b);
                double above = saving_with(b->answer.study, row->field,
                                           row->option, row->flip + step,
                                           s->a, s->b);
                if (!(below * above <= 0))
                    fail_msg("%s: %s flips at %.17g, where it is %g",
                             query[i], field_table[row->field].name,
                             row->flip, flip);
            }
        }
    }
}

/* The presets of the contract, by hand, for the default study. */
static void preset_ranges(void **state)
{
    struct bench *b = *state;
    static const struct { int field, option; double low, high; const char *why; }
    run[] = {
        { F_busy_frac, -1, 0.4, 0.8, "0.6 and a fifth either way" },
        { F_gpu_price, 0, 2000, 3125, "0.8 to 1.25 of 2,500" },
        { F_rent_price_per_hour, 1, 0.7 * 21.957642, 1.1 * 21.957642, "" },
        { F_rent_price_growth_frac, 1, -0.3, 0.05, "fixed ends" },
        { F_energy_price_per_kwh, 0, 0.7 * 0.128, 1.5 * 0.128, "" },
        { F_pue_ratio, 0, 1.34, 1.74, "0.2 either way" },
        { F_pue_ratio, 1, 1, 1.35, "not below 1" },
        { F_gpu_load_frac, 0, 0.6, 1, "fixed ends" },
        { F_gpu_load_frac, 1, 0.6, 1, "fixed ends" },
        { F_residual_frac, 0, 0, 1.5 * 0.343, "" },
        { F_staff_fte, 0, 0.025, 0.1, "half and twice" },
        { F_machine_speed, 1, 0.75 * 2496, 1.33 * 2496, "the others alone" },
        { F_machine_speed, 0, NAN, NAN, "not the measure of work" },
        { F_discount_frac, -1, NAN, NAN, "not uncertain" },
    };

    answer(b, "samples=0&limit=0&energy_price_per_kwh=0.128&b.pue_ratio=1.15",
           &b->answer);
    for (size_t i = 0; i < COUNT(run); i++) {
        const struct range *found = NULL;
        for (int k = 0; k < b->answer.ranges.count; k++)
            if (b->answer.ranges.range[k].field == run[i].field &&
                b->answer.ranges.range[k].option == run[i].option)
                found = &b->answer.ranges.range[k];
        assert_near(found ? found->low : NAN, run[i].low, 1e-12);
        assert_near(found ? found->high : NAN, run[i].high, 1e-12);
    }
}

static void typed_ranges_come_first(void **state)
{
    struct bench *b = *state;
    int seen = 0;

    answer(b, "samples=0&limit=0&range.gpu_price=1200,2200"
              "&range.discount_frac=3%25,12%25", &b->answer);
    for (int k = 0; k < b->answer.sensitivity.count; k++) {
        const struct sensitivity_row *row = &b->answer.sensitivity.row[k];
        if (row->field == F_gpu_price) {
            assert_near(row->low, 1200, 0);
            assert_near(row->high, 2200, 0);
            seen++;
        } else if (row->field == F_discount_frac) {
            assert_near(row->low, 0.03, 0);
            assert_near(row->high, 0.12, 0);
            assert_int_equal(row->option, -1);
            seen++;
        }
    }
    assert_int_equal(seen, 2);
}

/* "buying stops paying below …": with no curve in between, by hand. */
static void flip_of_a_rent(void **state)
{
    struct bench *b = *state;
    double want;

    answer(b, "samples=0&limit=0", &b->answer);
    want = b->answer.verdict.pair[0].break_even_rent_price_per_hour;
    for (int k = 0; k < b->answer.sensitivity.count; k++) {
        const struct sensitivity_row *row = &b->answer.sensitivity.row[k];
        if (row->field == F_rent_price_per_hour)
            assert_near(row->flip, want, 1e-9);
        if (row->field == F_busy_frac)
            assert_near(row->flip,
                        b->answer.verdict.pair[0].break_even_busy_frac, 1e-6);
        if (row->field == F_energy_price_per_kwh)
            assert_near(row->flip,
                        b->answer.verdict.pair[0].
                        break_even_energy_price_per_kwh, 1e-9);
    }
}

/* --- cases ---------------------------------------------------------------- */

static void cases_take_the_ends(void **state)
{
    struct bench *b = *state;
    static const char *const asked[] = { "&case=low", "", "&case=high" };
    char text[QUERY_BYTE];

    for (size_t i = 0; i < COUNT(query); i++) {
        for (int k = 0; k < CASE_COUNT; k++) {
            snprintf(text, sizeof text, "%s%s", query[i], asked[k]);
            answer(b, text, &b->answer);
            if (k == 0)
                answer(b, query[i], &b->other);
            for (int o = 0; o < b->answer.study.option_count; o++) {
                const struct result *r = &b->answer.result[o];
                if (!r->short_of_capacity)
                    assert_near(b->answer.cases[k].npv_cost[o], r->npv_cost,
                                1e-12);
                /* the table is the same whichever case is asked for */
                for (int c = 0; c < CASE_COUNT; c++)
                    assert_near(b->answer.cases[c].npv_cost[o],
                                b->other.cases[c].npv_cost[o], 1e-12);
            }
        }
    }
}

/* By hand: in the default study each of the ranges has a clear side. */
static void worst_case_of_the_default_study(void **state)
{
    struct bench *b = *state;
    static const struct { int field, option; double low, high; } end[] = {
        /* worst for a: */
        { F_busy_frac, 0, 0.4, 0.8 },       /* little work */
        { F_gpu_price, 0, 3125, 2000 },     /* dear cards */
        { F_residual_frac, 0, 0, 0.5145 },  /* scrap */
        { F_staff_fte, 0, 0.1, 0.025 },
        { F_energy_price_per_kwh, 0, 0.195, 0.091 },
        { F_rent_price_growth_frac, 1, -0.3, 0.05 }, /* rents fall */
        { F_staff_fte, 1, 0.01, 0.04 },
        { F_gpu_load_frac, 0, 1, 0.6 },
        { F_grid_g_per_kwh, 0, NAN, NAN },  /* costs nothing: stays */
    };

    for (int best = 0; best < 2; best++) {
        answer(b, best ? "samples=0&limit=0&energy_price_per_kwh=0.13&case=high"
                       : "samples=0&limit=0&energy_price_per_kwh=0.13&case=low",
               &b->answer);
        answer(b, "samples=0&limit=0&energy_price_per_kwh=0.13", &b->other);
        for (size_t i = 0; i < COUNT(end); i++) {
            int f = end[i].field, o = end[i].option;
            double want = best ? end[i].high : end[i].low;
            assert_near(b->answer.study.option[o].value[f],
                        isnan(want) ? b->other.study.option[o].value[f] : want,
                        1e-12);
        }
    }
}

/* What is a third option's own is at its worst against that one. */
static void a_case_moves_third_options(void **state)
{
    struct bench *b = *state;

    answer(b, "samples=0&limit=0&c=own/rtx-3090/4", &b->answer);
    assert_true(b->answer.cases[CASE_LOW].npv_cost[2] <
                b->answer.cases[CASE_BASE].npv_cost[2]);
    assert_true(b->answer.cases[CASE_HIGH].npv_cost[2] >
                b->answer.cases[CASE_BASE].npv_cost[2]);
}

/* --- grid ----------------------------------------------------------------- */

static double grid_saving(const struct study *study, const struct grid *g,
                          double x, double y)
{
    struct study moved = *study;
    int axis[2] = { g->x.option, g->y.option };

    for (int i = 0; i < moved.option_count; i++) {
        if (axis[0] < 0 || axis[0] == i)
            moved.option[i].value[g->x.field] = x;
        if (axis[1] < 0 || axis[1] == i)
            moved.option[i].value[g->y.field] = y;
    }
    return saving_with(moved, F_life_year, 0,
                       moved.option[0].value[F_life_year], g->a, g->b);
}

static void grid_equals_runs_at_each_crossing(void **state)
{
    struct bench *b = *state;
    static const char *const grid[] = {
        "grid=busy_frac,rent_price_per_hour",
        "grid=gpu_price,energy_price_per_kwh&busy_frac=0.15",
        "grid=b.pue_ratio,a.pue_ratio",
        "grid=busy_frac,b.rent_price_per_hour&range.busy_frac=0.02,0.6"
        "&range.rent_price_per_hour=2,40",
        "grid=machine_speed,busy_frac&a=own/rtx-4090/4/3&b=own/rtx-3090/4/8"
        "&busy_frac=0.9",
        "grid=setup_cost,discount_frac&range.setup_cost=0,1e5"
        "&range.discount_frac=0,0.5",
    };
    int lines = 0;

    for (size_t i = 0; i < COUNT(grid); i++) {
        const struct grid *g = &b->answer.grid;
        char text[QUERY_BYTE];
        snprintf(text, sizeof text, "samples=0&limit=0&%s", grid[i]);
        answer(b, text, &b->answer);
        assert_true(b->answer.has_grid);
        assert_near(grid_at(&g->x, 0), g->x.low, 0);
        assert_near(grid_at(&g->x, GRID_COUNT - 1), g->x.high, 0);
        for (int x = 0; x < GRID_COUNT; x++) {
            double even = g->even_y[x];
            int crosses = 0;
            for (int y = 0; y < GRID_COUNT; y++) {
                assert_near(g->saving[y][x],
                            grid_saving(&b->answer.study, g,
                                        grid_at(&g->x, x), grid_at(&g->y, y)),
                            1e-12);
                if (y > 0)
                    crosses |= g->saving[y][x] * g->saving[y - 1][x] <= 0;
            }
            assert_int_equal(crosses, !isnan(even));
            if (isnan(even))
                continue;
            lines++;
            assert_true(even >= g->y.low && even <= g->y.high);
            {
                double step = 1e-9 * fmax(1, fabs(even));
                double at = grid_at(&g->x, x);
                double below = grid_saving(&b->answer.study, g, at, even - step);
                double above = grid_saving(&b->answer.study, g, at, even + step);
                assert_true(below * above <= 0);
            }
        }
    }
    assert_true(lines > GRID_COUNT);
}

static void a_grid_needs_two_ranges(void **state)
{
    struct bench *b = *state;
    static const char *const none[] = {
        "grid=busy_frac,busy_frac", "grid=busy_frac,discount_frac",
        "grid=c.gpu_price,busy_frac&c=own/rtx-3090/4",
    };

    for (size_t i = 0; i < COUNT(none); i++) {
        char text[QUERY_BYTE];
        snprintf(text, sizeof text, "samples=0&limit=0&%s", none[i]);
        answer(b, text, &b->answer);
        assert_int_equal(b->answer.has_grid, strstr(text, "c.gpu") != NULL);
    }
}

/* --- explanations --------------------------------------------------------- */

/* The names that may stand in the formula that is being looked at. */
enum { NAME_MAX_COUNT = 64 };
static const struct explain_node *part[NAME_MAX_COUNT];
static int part_count;

static int find_part(const char *name, size_t length)
{
    for (int i = 0; i < part_count; i++)
        if (strlen(part[i]->name) == length &&
            memcmp(part[i]->name, name, length) == 0)
            return i;
    return -1;
}

/* Parts of node i of an explanation: what follows one deeper. */
static void take_parts(const struct explanation *e, int i)
{
    part_count = 0;
    for (int k = i + 1; k < e->count && e->node[k].depth > e->node[i].depth;
         k++)
        if (e->node[k].depth == e->node[i].depth + 1) {
            assert_true(part_count < NAME_MAX_COUNT);
            part[part_count++] = &e->node[k];
        }
}

/* The numbers put in give the number explained. */
static int check_node(const struct explanation *e, int i)
{
    static struct formula_tree tree;
    const struct explain_node *node = &e->node[i];
    double value[NAME_MAX_COUNT], before[NAME_MAX_COUNT];

    if (node->kind != EXPLAIN_FORMULA || node->again ||
        strcmp(node->formula, "term") == 0)
        return 0;
    take_parts(e, i);
    if (strcmp(node->formula, "the sum of its parts") == 0) {
        double sum = 0;
        for (int k = 0; k < part_count; k++)
            sum += part[k]->value;
        assert_near(sum, node->value, 1e-12);
        return 1;
    }
    if (!formula_parse(&tree, node->formula, find_part))
        fail_msg("%s: %s", node->formula, tree.error);
    for (int k = 0; k < part_count; k++)
        value[k] = before[k] = part[k]->value;
    if (!isnan(node->value))
        assert_near(formula_value(&tree, value, before), node->value, 1e-9);
    return 1;
}

static void explain_all(struct bench *b, const char *text)
{
    const struct study *study = &b->answer.study;
    int checked = 0;

    answer(b, text, &b->answer);
    for (int o = 0; o < study->option_count; o++)
        for (int f = 0; f < formula_count + 2; f++) {
            const char *name = f < formula_count ? formula_table[f].name
                             : f == formula_count ? "npv_cost" : "total_cost";
            const struct explanation *e = &b->explanation;
            if (!explain_knows(study->option[o].kind, name))
                continue;
            assert_true(explain_run(study, o, name, b->months,
                                    &b->explanation));
            if (e->cut)
                fail_msg("%s of option %c is cut", name, 'a' + o);
            assert_int_equal(e->node[0].depth, 0);
            for (int i = 0; i < e->count; i++) {
                checked += check_node(e, i);
                assert_true(i == 0 || e->node[i].depth <=
                                      e->node[i - 1].depth + 1);
                assert_true(i == 0 || e->node[i].depth > 0);
                /* what is not taken apart is an input, a constant, a line of
                   a month before or shown further up */
                if (*e->node[i].formula && !e->node[i].again)
                    assert_true(i + 1 < e->count && e->node[i + 1].depth ==
                                e->node[i].depth + 1);
            }
        }
    assert_true(checked > 100);
}

static void explanations_add_up(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < COUNT(query); i++)
        explain_all(b, query[i]);
    explain_all(b, "samples=0&limit=0&loan_frac=1&loan_year=1.5"
                   "&income_tax_frac=0.25&depreciation=macrs_5"
                   "&b=rent/aws/p5.48xlarge/us-east-1/on_demand"
                   "&b.rent_price_growth_frac=-0.2");
}

static void an_item_is_the_sum_of_its_months(void **state)
{
    struct bench *b = *state;

    answer(b, "samples=0&limit=0&explain=b.compute", &b->answer);
    assert_true(b->answer.has_explanation);
    assert_int_equal(b->answer.explanation.node[0].kind, EXPLAIN_SUM);
    assert_near(b->answer.explanation.node[0].value,
                b->answer.result[1].item[I_compute], 0);
    answer(b, "samples=0&limit=0&explain=compute", &b->answer);
    assert_int_equal(b->answer.explanation.node[0].option, 1);
    answer(b, "samples=0&limit=0&explain=gpu_price", &b->answer);
    assert_int_equal(b->answer.explanation.count, 1);
    assert_int_equal(b->answer.explanation.node[0].field, F_gpu_price);
    assert_true(b->answer.source_of[0][F_gpu_price] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_equal_runs_at_the_ends),
        cmocka_unit_test(preset_ranges),
        cmocka_unit_test(typed_ranges_come_first),
        cmocka_unit_test(flip_of_a_rent),
        cmocka_unit_test(cases_take_the_ends),
        cmocka_unit_test(worst_case_of_the_default_study),
        cmocka_unit_test(a_case_moves_third_options),
        cmocka_unit_test(grid_equals_runs_at_each_crossing),
        cmocka_unit_test(a_grid_needs_two_ranges),
        cmocka_unit_test(explanations_add_up),
        cmocka_unit_test(an_item_is_the_sum_of_its_months),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
