/* test_finance.c: what a reader with a finance textbook would try. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/answer.h"
#include "tests/near.h"

struct bench { struct input input; struct answer answer; struct world world; };

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    if (!b)
        return -1;
    b->world = (struct world){ .prices = seed_prices(), .rates = seed_rates(),
                               .today = 20261201, .degraded_reason = "" };
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void ask(struct bench *b, const char *more)
{
    char query[900];

    snprintf(query, sizeof query, "samples=0&limit=0&%s", more);
    input_init(&b->input);
    input_query(&b->input, query, SURFACE_QUERY);
    input_keys(&b->input, ON_COMPARE);
    if (!answer_run(&b->answer, &b->input, &b->world, ""))
        fail_msg("%s: %s %s", query, b->input.problems.problem[0].field,
                 b->input.problems.problem[0].code);
}

/* An outlay of 10,000 against 4,000 a year, in twelve equal parts, for three
   years; nothing else happens. */
#define TEXTBOOK FREE "&b.rent_price_per_hour=0.4566210045662100"
#define FREE "a=own/rtx-4090/1/1&a.gpu_price=10000&a.host_price=0"       \
    "&busy_frac=1&a.machine_speed=1&b.machine_speed=1"                       \
    "&staff_fte=0&residual_frac=0"                                           \
    "&maintenance_frac_per_year=0&gpu_failure_frac_per_year=0"               \
    "&energy_price_per_kwh=0&horizon_year=3"

static double annuity(double yearly, int months)
{
    double q = pow(1 + yearly, 1.0 / 12) - 1;

    return q > 0 ? (1 - pow(1 + q, -months)) / q : months;
}

/* Point 44: present value, return, payback, the level equal cost; and no
   return where there is none. */
static void textbook_case(void **state)
{
    struct bench *b = *state;
    const struct pair *pair = &b->answer.verdict.pair[0];
    const double month = 4000.0 / 12;

    ask(b, TEXTBOOK "&discount_frac=0.1");
    assert_near(b->answer.result[0].npv_cost, 10000, 1e-9);
    assert_near(b->answer.result[1].npv_cost, month * annuity(0.1, 36), 1e-9);
    assert_near(pair->saving_npv, month * annuity(0.1, 36) - 10000, 1e-8);
    assert_near(b->answer.result[0].step[S_monthly_equivalent_cost],
                10000 / annuity(0.1, 36), 1e-9);
    assert_near(b->answer.result[1].step[S_monthly_equivalent_cost], month,
                1e-9);
    assert_near(pair->break_even_month, 30, 0); /* 10,000 / 333.33 */
    /* the return makes the saved rents worth the outlay */
    assert_near(month * annuity(pair->irr, 36), 10000, 1e-6);
    /* the discounted payback, month by month */
    {
        double q = pow(1.1, 1.0 / 12), paid = 0;
        int at = 0;
        while (paid < 10000 && at < 36)
            paid += month / pow(q, ++at);
        assert_near(pair->break_even_month_discounted, at, 0);
    }
    ask(b, FREE "&b.rent_price_per_hour=0&discount_frac=0.1");
    assert_true(isnan(pair->irr) && isnan(pair->break_even_month));
}

/* Point 45: a lender's rate and an owner's, before and after tax. */
static void rates_and_tax(void **state)
{
    struct bench *b = *state;
    const double month = 4000.0 / 12;
    static const double rates[] = { 0, 0.04, 0.08, 0.15 };

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        char query[600];
        snprintf(query, sizeof query, TEXTBOOK "&discount_frac=%g", rates[i]);
        ask(b, query);
        assert_near(b->answer.result[1].npv_cost,
                    month * annuity(rates[i], 36), 1e-9);
        /* 25 % tax: rents deducted when paid, the outlay at once in month 1 */
        snprintf(query, sizeof query, TEXTBOOK "&discount_frac=%g"
                 "&income_tax_frac=0.25&depreciation=immediate", rates[i]);
        ask(b, query);
        assert_near(b->answer.result[1].npv_cost,
                    0.75 * month * annuity(rates[i], 36), 1e-9);
        assert_near(b->answer.result[0].npv_cost,
                    10000 - 2500 / pow(1 + rates[i], 1.0 / 12), 1e-9);
    }
}

/* Point 47: another currency moves every amount by the stated rate of the
   stated day, and nothing else. */
static void currency_moves_amounts_only(void **state)
{
    struct bench *b = *state;
    static struct result dollars[2];
    static const char *const currency[] = { "EUR", "CNY", "JPY", "GBP" };

    for (size_t i = 0; i < sizeof currency / sizeof *currency; i++) {
        char query[200];
        double rate;
        int day;
        ask(b, "as_of=2025-10-01");
        memcpy(dollars, b->answer.result, sizeof dollars);
        assert_true(rate_find(seed_rates(), currency[i], 20251001, &rate, &day));
        snprintf(query, sizeof query, "as_of=2025-10-01&currency=%s",
                 currency[i]);
        ask(b, query);
        assert_near(b->answer.study.currency_per_usd, rate, 1e-12);
        assert_int_equal(b->answer.study.rate_day, day);
        for (int o = 0; o < 2; o++) {
            const struct result *r = &b->answer.result[o];
            assert_near(r->npv_cost, rate * dollars[o].npv_cost, 1e-9);
            assert_near(r->total_cost, rate * dollars[o].total_cost, 1e-9);
            for (int k = 0; k < ITEM_COUNT; k++)
                assert_near(r->item[k], rate * dollars[o].item[k], 1e-9);
            assert_near(r->step[S_total_kg], dollars[o].step[S_total_kg], 0);
            assert_near(r->step[S_meter_kwh], dollars[o].step[S_meter_kwh], 0);
            assert_int_equal(r->rank, dollars[o].rank);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(textbook_case, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rates_and_tax, set_up, tear_down),
        cmocka_unit_test_setup_teardown(currency_moves_amounts_only, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
