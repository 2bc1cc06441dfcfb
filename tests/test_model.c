/* test_model.c: what must hold whatever the numbers are, on random studies;
   and the break-evens against a slow, plain search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/answer.h"
#include "tests/near.h"

enum { STUDIES = 150 };

static struct input input;
static struct answer answer;
static uint64_t state_of_dice;

static double dice(double low, double high)
{
    state_of_dice = state_of_dice * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state_of_dice >> 11) * 0x1p-53;
}

static void answer_to(const char *query)
{
    static struct world world;

    world.prices = seed_prices();
    world.rates = seed_rates();
    world.today = 20261201;
    world.degraded_reason = "";
    input_init(&input);
    input_query(&input, query, SURFACE_QUERY);
    input_keys(&input, ON_COMPARE);
    if (!answer_run(&answer, &input, &world, ""))
        fail_msg("%s: %s in %s", input.problems.problem[0].field,
                 input.problems.problem[0].code, query);
}

/* A study of an owned, a rented and a third option, at random. */
static void random_study(int n)
{
    static const char *const third[] = {
        "own/h100-sxm5-80gb/8", "rent/aws/p5.48xlarge/us-east-1/reserved_1y",
        "rent/gcp/a3-highgpu-8g/us-central1/spot", "own/dgx-h100",
        "rent/aws/p4d.24xlarge/us-east-1/savings_3y/all_upfront" };
    char query[2048];

    state_of_dice = (uint64_t)n + 1;
    dice(0, 1);
    snprintf(query, sizeof query,
             "samples=0&a=own/rtx-4090/4/%d&c=%s&horizon_year=%.3f&busy_frac=%.4f"
             "&discount_frac=%.4f&income_tax_frac=%.3f&service_tax_frac=%.3f"
             "&opex_growth_frac=%.3f&loan_frac=%.2f&loan_year=%.2f"
             "&depreciation=%s&rent_price_per_hour=%.4f&rent_upfront_price=%.1f"
             "&rent_price_growth_frac=%.3f&prorate_term=%s&storage_gb=%.1f"
             "&energy_price_growth_frac=%.3f&max_use_frac=%.2f&carbon_price_per_tonne=%.1f",
             1 + (int)dice(0, 5), third[(int)dice(0, 5)], dice(0.25, 8),
             dice(0, 1), n % 4 ? dice(0, 0.3) : 0, n % 3 ? 0 : dice(0, 0.5),
             n % 2 ? 0 : dice(0, 0.3), dice(-0.1, 0.1), n % 2 ? 0 : dice(0, 1),
             dice(0.25, 9), n % 5 ? "straight_line" : "macrs_5", dice(0.1, 60),
             n % 3 ? 0 : dice(0, 20000), dice(-0.3, 0.1), n % 2 ? "no" : "yes",
             dice(0, 5000), dice(-0.1, 0.1), dice(0.3, 1), n % 2 ? 0 : dice(0, 300));
    answer_to(query);
}

static void sums(void **state)
{
    (void)state;
    for (int n = 0; n < STUDIES; n++) {
        random_study(n);
        for (int i = 0; i < answer.study.option_count; i++) {
            const struct result *r = &answer.result[i];
            double items = 0, flows = 0, npv = 0;
            for (int k = 0; k < ITEM_COUNT; k++)
                items += r->item[k];
            for (int m = 0; m <= r->month_count; m++) {
                flows += r->flow[m];
                npv += r->flow[m] /
                       pow(1 + answer.study.option[0].value[F_discount_frac],
                           m / 12.0);
            }
            assert_near(items, r->total_cost, 1e-9);
            assert_near(flows, r->total_cost, 1e-9);
            assert_near(npv, r->npv_cost, 1e-9);
        }
    }
}

static double run_with(int option, int field, double value, const char *what)
{
    struct trial trial;
    struct work work;
    struct result result;

    trial_of(&answer.study, &trial);
    trial.value[option][field] = value;
    if (field_table[field].applies == APPLIES_SHARED)
        for (int i = 0; i < answer.study.option_count; i++)
            trial.value[i][field] = value;
    work = work_of(trial.value[0]);
    model_run(answer.study.option[option].kind, trial.value[option], &work,
              &result, NULL);
    if (strcmp(what, "kwh") == 0)
        return result.step[S_meter_kwh];
    return result.npv_cost;
}

/* A dearer world is never cheaper. Without tax: a loss is deducted. */
static void dearer_is_not_cheaper(void **state)
{
    static const int price[] = {
        F_gpu_price, F_host_price, F_energy_price_per_kwh, F_staff_cost_per_year,
        F_hosting_price_per_kw_month, F_licence_price_per_gpu_year, F_setup_cost,
        F_other_cost_per_month, F_rent_price_per_hour, F_rent_upfront_price,
        F_storage_price_per_gb_month, F_egress_price_per_gb, F_support_frac,
        F_service_tax_frac, F_purchase_tax_frac, F_maintenance_frac_per_year };

    (void)state;
    for (int n = 0; n < STUDIES; n++) {
        random_study(n);
        for (int i = 0; i < answer.study.option_count; i++)
            for (size_t k = 0; k < sizeof price / sizeof *price; k++) {
                int f = price[k];
                double now = answer.study.option[i].value[f];
                if (!field_applies(f, answer.study.option[i].kind) ||
                    answer.study.option[0].value[F_income_tax_frac] > 0 ||
                    (f == F_gpu_price && answer.study.option[i].value[F_residual_frac] > 0.99))
                    continue;
                assert_true(run_with(i, f, now * 1.5 + 0.01, "npv") >=
                            run_with(i, f, now, "npv") - 1e-6);
            }
    }
}

static void energy_follows_hours_and_pue(void **state)
{
    double half, full, none, dear;

    (void)state;
    answer_to("busy_frac=0.3&a.powered_frac=0&fleet_busy_frac=1");
    for (int i = 0; i < 2; i++) {
        half = run_with(i, F_busy_frac, 0.3, "kwh");
        full = run_with(i, F_busy_frac, 0.6, "kwh");
        none = run_with(i, F_busy_frac, 0, "kwh");
        assert_near(full, 2 * half, 1e-12); /* twice the hours */
        assert_true(none <= 0 && none >= 0); /* no hours, no energy */
        dear = run_with(i, F_pue_ratio, 2 * answer.study.option[i].value[F_pue_ratio], "kwh");
        assert_near(dear, 2 * half, 1e-12); /* PUE once, as a factor */
    }
}

static void loan_at_the_discount_rate_is_worth_nothing(void **state)
{
    double monthly = pow(1.08, 1 / 12.0) - 1, with, without;
    char query[256];

    (void)state;
    snprintf(query, sizeof query,
             "discount_frac=0.08&loan_rate_frac=%.17g&loan_frac=1&loan_year=2", 12 * monthly);
    answer_to(query);
    with = answer.result[0].npv_cost;
    without = run_with(0, F_loan_frac, 0, "npv");
    assert_near(with, without, 1e-9);
}

/* --- break-evens ------------------------------------------------------------ */

static double at_busy(int option, double busy, int carbon, int *is_short)
{
    struct trial trial;
    struct work work;
    struct result result;

    trial_of(&answer.study, &trial);
    trial.value[0][F_busy_frac] = busy;
    work = work_of(trial.value[0]);
    model_run(answer.study.option[option].kind, trial.value[option], &work,
              &result, NULL);
    *is_short |= result.short_of_capacity;
    return carbon ? result.step[S_total_kg] : result.npv_cost;
}

static int wins_at(int heavy, int other, double busy, int carbon)
{
    int is_short = 0;
    double h = at_busy(heavy, busy, carbon, &is_short);
    double o = at_busy(other, busy, carbon, &is_short);

    return !is_short && h <= o + 1e-12 * fmax(1, fmax(fabs(h), fabs(o)));
}

static double slow_busy(int heavy, int other, int carbon)
{
    int n = 0;
    double low, high;

    while (n <= 1000 && !wins_at(heavy, other, n / 1000.0, carbon))
        n++;
    if (n == 0 || n > 1000)
        return n ? (double)NAN : 0;
    low = (n - 1) / 1000.0;
    high = n / 1000.0;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (wins_at(heavy, other, middle, carbon))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void same_number(double a, double b, int n)
{
    if (isnan(a) != isnan(b) || (!isnan(a) && fabs(a - b) > 1e-9))
        fail_msg("study %d: %.12g by the line, %.12g by the model", n, a, b);
}

static void break_even_load(void **state)
{
    (void)state;
    for (int n = 0; n < 40; n++) {
        random_study(n);
        for (int k = 0; k < answer.verdict.count; k++) {
            const struct pair *p = &answer.verdict.pair[k];
            int other = p->heavy == p->a ? p->b : p->a;
            if (p->heavy < 0)
                continue;
            same_number(p->break_even_busy_frac, slow_busy(p->heavy, other, 0), n);
            same_number(p->carbon_break_even_busy_frac, slow_busy(p->heavy, other, 1), n);
        }
    }
}

static void break_even_prices_tie(void **state)
{
    int tried = 0;

    (void)state;
    for (int n = 0; n < STUDIES; n++) {
        random_study(n);
        for (int k = 0; k < answer.verdict.count; k++) {
            const struct pair *p = &answer.verdict.pair[k];
            double rent = p->break_even_rent_price_per_hour;
            int rented = p->rent_option, other;
            if (isnan(rent))
                continue;
            other = rented == p->b ? p->a : p->b;
            assert_near(run_with(rented, F_rent_price_per_hour, rent, "npv"),
                        answer.result[other].npv_cost, 1e-8);
            tried++;
        }
    }
    assert_true(tried > STUDIES / 4);
}

static void rate_makes_it_worth_nothing(void **state)
{
    int tried = 0;

    (void)state;
    for (int n = 0; n < STUDIES; n++) {
        random_study(n);
        for (int k = 0; k < answer.verdict.count; k++) {
            const struct pair *p = &answer.verdict.pair[k];
            int heavy = p->heavy >= 0 ? p->heavy : p->a;
            int other = heavy == p->b ? p->a : p->b;
            double worth = 0, size = 0;
            if (isnan(p->irr))
                continue;
            for (int m = 0; m <= answer.result[0].month_count; m++) {
                double flow = answer.result[other].flow[m] - answer.result[heavy].flow[m];
                double factor = pow(1 + p->irr, -m / 12.0);
                worth += flow * factor;
                size += fabs(flow) * factor;
            }
            assert_true(fabs(worth) <= 1e-7 * size);
            tried++;
        }
    }
    assert_true(tried > STUDIES / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums), cmocka_unit_test(dearer_is_not_cheaper),
        cmocka_unit_test(energy_follows_hours_and_pue),
        cmocka_unit_test(loan_at_the_discount_rate_is_worth_nothing),
        cmocka_unit_test(break_even_load),
        cmocka_unit_test(break_even_prices_tie),
        cmocka_unit_test(rate_makes_it_worth_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
