/* test_grant.c: budgets of a funding request against arithmetic by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "pricing/calendar.h"
#include "pricing/grant.h"
#include "tests/near.h"

#define same(got, want) assert_near(got, want, 1e-12)

static const struct grant_terms plain = {
    .basis = GRANT_PAID, .overhead_on = GRANT_ON_ALL, .overhead_frac = 0,
    .use_frac = 1, .funded_frac = 1, .equipment_line = 0, .round_to = 1,
    .rate = 1, .start_month = 1, .year_month = 1, .period_month = 12 };

/* One machine of 12,000, each month 100 of energy, 50 of staff and 10 of
   repairs, interest of 5, sold at the end for 2,000. */
struct case_of { struct month month[MONTH_MAX + 1]; struct result result;
                 double value[FIELD_COUNT]; };

static void set(struct case_of *c, int months)
{
    memset(c, 0, sizeof *c);
    c->value[F_depreciation_year] = 5;
    c->result.month_count = months;
    c->result.step[S_machine_used_count] = 1;
    c->month[0].item[I_hardware] = 12000;
    for (int m = 1; m <= months; m++) {
        c->month[m].item[I_energy] = 100;
        c->month[m].item[I_staff] = 50;
        c->month[m].item[I_repairs] = 10;
        c->month[m].item[I_interest] = 5;
    }
    c->month[months].item[I_residual] = -2000;
    for (int m = 0; m <= months; m++)
        for (int k = 0; k < ITEM_COUNT; k++)
            c->result.item[k] += c->month[m].item[k];
}

static void periods_are_what_is_left_of_a_year(void **state)
{
    static const struct { int start, year, period, months, want[5]; } rows[] = {
        { 3, 1, 12, 36, { 10, 12, 12, 2, 0 } },  /* March; calendar years */
        { 3, 4, 12, 36, { 1, 12, 12, 11, 0 } },  /* years from April */
        { 4, 4, 12, 24, { 12, 12, 0, 0, 0 } },   /* begins with the year */
        { 3, 0, 18, 36, { 18, 18, 0, 0, 0 } },   /* reporting periods */
        { 3, 0, 18, 40, { 18, 18, 4, 0, 0 } },
        { 12, 1, 12, 3, { 1, 2, 0, 0, 0 } },
    };
    static struct case_of c;
    static struct grant grant;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct grant_terms terms = plain;
        int first = 1, k = 0;
        set(&c, rows[i].months);
        terms.start_month = rows[i].start;
        terms.year_month = rows[i].year;
        terms.period_month = rows[i].period;
        grant_run(KIND_OWN, c.value, &c.result, c.month, &terms, &grant);
        for (; rows[i].want[k]; k++) {
            assert_int_equal(grant.period[k].months, rows[i].want[k]);
            assert_int_equal(grant.period[k].first, first);
            first += rows[i].want[k];
        }
        assert_int_equal(grant.count, k);
        assert_int_equal(grant.sum.months, rows[i].months);
    }
}

static void classes_follow_the_equipment_line(void **state)
{
    static struct case_of c;
    static struct grant grant;
    struct grant_terms terms = plain;

    (void)state;
    set(&c, 12);
    terms.overhead_on = GRANT_NOT_ON_EQUIPMENT;
    terms.overhead_frac = 0.15;
    terms.equipment_line = 12000;
    grant_run(KIND_OWN, c.value, &c.result, c.month, &terms, &grant);
    assert_int_equal(grant.is_equipment, 1);
    same(grant.sum.cost[GRANT_EQUIPMENT], 12000);
    same(grant.sum.cost[GRANT_SUPPLY], 120);
    same(grant.sum.cost[GRANT_SERVICE], 1200);
    same(grant.sum.cost[GRANT_STAFF], 600);
    same(grant.sum.overhead, 288);         /* 0.15 x 1,920 */
    same(grant.sum.total, 14208);
    same(grant.sum.all, 11980);            /* 13,920 + 60 - 2,000 */
    same(grant.sum.left, -1940);           /* 60 - 2,000 */
    terms.equipment_line = 12001;
    grant_run(KIND_OWN, c.value, &c.result, c.month, &terms, &grant);
    assert_int_equal(grant.is_equipment, 0);
    same(grant.sum.cost[GRANT_EQUIPMENT], 0);
    same(grant.sum.cost[GRANT_SUPPLY], 12120);
    same(grant.sum.overhead, 2088);        /* 0.15 x 13,920 */
}

static void depreciation_counts_time_and_use(void **state)
{
    static struct case_of c;
    static struct grant grant;
    struct grant_terms terms = plain;

    (void)state;
    /* 12,000 over 60 months is 200 a month */
    same(grant_depreciation(12000, 5, 1, 1, 18), 3600);
    same(grant_depreciation(12000, 5, 0.5, 19, 36), 1800);
    same(grant_depreciation(12000, 1, 1, 7, 18), 6000); /* 6 of 12 */
    same(grant_depreciation(12000, 1, 1, 13, 18), 0);
    set(&c, 36);
    terms.basis = GRANT_DEPRECIATED;
    terms.use_frac = 0.5;
    terms.rate = 0.9;
    terms.overhead_frac = 0.25;
    terms.year_month = 0;
    terms.period_month = 18;
    grant_run(KIND_OWN, c.value, &c.result, c.month, &terms, &grant);
    assert_int_equal(grant.count, 2);
    same(grant.period[0].depreciation, 3600);
    same(grant.period[0].cost[GRANT_EQUIPMENT], 1620); /* x 0.5 x 0.9 */
    same(grant.period[0].cost[GRANT_SERVICE], 810);
    same(grant.period[0].cost[GRANT_STAFF], 405);
    same(grant.period[0].cost[GRANT_SUPPLY], 81);
    same(grant.period[0].overhead, 729);               /* of 2,916 */
    same(grant.period[1].cost[GRANT_EQUIPMENT], 1620);
    /* (12,000 + 18 x 165) x 0.9 is 13,473 */
    same(grant.period[0].all, 13473);
    same(grant.period[0].left, 13473 - 2916);
}

static void sums_are_those_of_the_rounded_amounts(void **state)
{
    static struct case_of c;
    static struct grant grant;
    struct grant_terms terms = plain;

    (void)state;
    set(&c, 36);
    terms.start_month = 2;     /* 11, 12, 12 and 1 months */
    terms.round_to = 100;
    terms.funded_frac = 0.8;
    grant_run(KIND_OWN, c.value, &c.result, c.month, &terms, &grant);
    assert_int_equal(grant.count, 4);
    /* 550, 600, 600 and 50 round to 600, 600, 600 and 100 */
    same(grant.sum.cost[GRANT_STAFF], 1900);
    /* 110, 120, 120, 10 */
    same(grant.sum.cost[GRANT_SUPPLY], 300);
    /* 12,000 + 100 + 1,100 + 600 = 13,800, of which 0.8 is 11,040 */
    same(grant.period[0].total, 13800);
    same(grant.period[0].funded, 11000);
    for (int i = 0; i < grant.count; i++)
        same(grant.period[i].direct + grant.period[i].left,
                    grant.period[i].all);
}

static void rent_is_held_against_depreciation(void **state)
{
    static struct case_of like;
    struct result rent;
    struct grant_terms terms = plain;
    struct grant_cap cap;

    (void)state;
    set(&like, 36);
    memset(&rent, 0, sizeof rent);
    rent.month_count = 36;
    rent.item[I_compute] = 7000;
    rent.item[I_upfront] = 200;
    rent.item[I_storage] = 9999;        /* no equipment is rented by it */
    cap = grant_cap_of(&rent, &like.result, 5, &terms);
    same(cap.rent, 7200);
    same(cap.cap, 7200);         /* 36 of 60 months of 12,000 */
    assert_int_equal(cap.within, 1);
    rent.item[I_upfront] = 201;
    cap = grant_cap_of(&rent, &like.result, 5, &terms);
    assert_int_equal(cap.within, 0);
}

static void every_rule_has_a_flavour_a_source_and_a_date(void **state)
{
    (void)state;
    for (int i = 0; i < grant_rule_count; i++) {
        int known = 0;
        for (int k = 0; k < GRANT_FLAVOUR_COUNT; k++)
            known |= strcmp(grant_rule_table[i].flavour,
                            grant_flavour_table[k].id) == 0;
        assert_int_equal(known, 1);
        assert_true(strlen(grant_rule_table[i].title) > 3);
        assert_true(strlen(grant_rule_table[i].address) > 3);
        assert_true(strlen(grant_rule_table[i].date) >= 4);
    }
    for (int k = 0; k < GRANT_FLAVOUR_COUNT; k++) {
        const char *order = grant_flavour_table[k].order;
        for (const char *part = "nbjpeqat"; *part; part++)
            assert_non_null(strchr(order, *part));
        assert_int_equal(strchr(order, 'r') != NULL,
                         grant_flavour_table[k].basis == GRANT_DEPRECIATED);
    }
}

static void months_are_those_of_the_calendar(void **state)
{
    (void)state;
    assert_int_equal(calendar_month(20271115, 0), 20271101);
    assert_int_equal(calendar_month(20271115, 2), 20280101);
    assert_int_equal(calendar_month(20270131, 23), 20281201);
    assert_int_equal(calendar_start(20270301), 20270301);
    assert_int_equal(calendar_start(20271202), 20280101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_are_what_is_left_of_a_year),
        cmocka_unit_test(classes_follow_the_equipment_line),
        cmocka_unit_test(depreciation_counts_time_and_use),
        cmocka_unit_test(sums_are_those_of_the_rounded_amounts),
        cmocka_unit_test(rent_is_held_against_depreciation),
        cmocka_unit_test(every_rule_has_a_flavour_a_source_and_a_date),
        cmocka_unit_test(months_are_those_of_the_calendar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
