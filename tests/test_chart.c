/* test_chart.c: geometry of figures, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "fcgi/chart.h"
#include "tests/near.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void scales_are_straight_lines(void **state)
{
    static const struct { struct scale scale; double value, want; } run[] = {
        { { 0, 10, 100, 200 }, 5, 150 },
        { { 0, 10, 200, 100 }, 2.5, 175 },   /* upwards */
        { { -50, 50, 0, 1000 }, -50, 0 },
        { { 3, 3, 40, 90 }, 3, 40 },         /* no span */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(run); i++)
        assert_near(scale_at(&run[i].scale, run[i].value), run[i].want, 1e-12);
}

static void ticks_are_round(void **state)
{
    static const struct {
        double low, high;
        int about, count, decimals;
        double first, step;
    } run[] = {
        { 0, 100, 5, 6, 0, 0, 20 },
        { 0, 98862, 5, 5, 0, 0, 20000 },
        { -4802, 36000, 4, 2, 0, 0, 20000 },
        { 0, 0.9, 5, 5, 1, 0, 0.2 },
        { 0.07, 0.19, 4, 2, 2, 0.1, 0.05 },
        { 5, 5, 5, 0, 0, 0, 0 },
        { 1, 0, 5, 0, 0, 0, 0 },
        { 0, 1e12, 5, 6, 0, 0, 2e11 },
    };
    struct ticks t;

    (void)state;
    for (size_t i = 0; i < COUNT(run); i++) {
        ticks_of(run[i].low, run[i].high, run[i].about, &t);
        assert_int_equal(t.count, run[i].count);
        assert_int_equal(t.decimals, run[i].decimals);
        if (!t.count)
            continue;
        assert_near(t.at[0], run[i].first, 1e-9);
        assert_near(t.step, run[i].step, 1e-12);
        assert_true(t.at[t.count - 1] <= run[i].high * (1 + 1e-9));
    }
    ticks_of(0, (double)NAN, 5, &t);
    assert_int_equal(t.count, 0);
}

static void months_come_in_years(void **state)
{
    static const struct { double months; int about, count; double step; } run[] = {
        { 36, 6, 7, 6 }, { 36, 3, 4, 12 }, { 180, 7, 6, 36 }, { 3, 6, 4, 1 },
    };
    struct ticks t;

    (void)state;
    for (size_t i = 0; i < COUNT(run); i++) {
        ticks_of_months(run[i].months, run[i].about, &t);
        assert_int_equal(t.count, run[i].count);
        assert_near(t.step, run[i].step, 1e-12);
    }
}

static void curves_reach_from_edge_to_edge(void **state)
{
    static const double flat[] = { 100, 100, 100, 100, 100 };
    static const double rising[] = { 0, 50, 100, 150, 200 };
    static const double high[] = { 0, 60, 120, 180, 400 };
    const struct curve_in in[] = { { flat, NULL, NULL },
                                   { rising, rising, high } };
    struct frame frame = { 10, 110, 20, 420 };
    struct curves c;

    (void)state;
    chart_curves(in, 2, 4, &frame, 18, &c);
    assert_int_equal(c.point_count, 5);
    assert_near(c.curve[0].point[0].x, 10, 1e-12);
    assert_near(c.curve[0].point[4].x, 110, 1e-12);
    assert_near(c.curve[1].point[0].y, 420, 1e-12);   /* 0 at the bottom */
    assert_near(c.curve[1].high_y[4], 20, 1e-12);     /* 400 at the top */
    assert_near(c.curve[1].point[4].y, 220, 1e-12);   /* 200 half way */
    assert_near(c.curve[0].point[2].y, 320, 1e-12);
    assert_false(c.curve[0].has_band);
    assert_true(c.curve[1].has_band);
    /* curves cross where their values do */
    assert_near(c.curve[0].point[2].y, c.curve[1].point[2].y, 1e-12);
}

static void long_curves_are_thinned(void **state)
{
    double value[181];
    const struct curve_in in[] = { { value, NULL, NULL } };
    struct frame frame = { 0, 600, 0, 300 };
    struct curves c;

    (void)state;
    for (int i = 0; i <= 180; i++)
        value[i] = i;
    chart_curves(in, 1, 180, &frame, 18, &c);
    assert_int_equal(c.point_count, 46);
    assert_int_equal(c.month[0], 0);
    assert_int_equal(c.month[45], 180);
    assert_int_equal(c.month[1], 4);
}

static void labels_stand_apart(void **state)
{
    double y[] = { 100, 98, 99, 10 };
    double edge[] = { 299, 298 };

    (void)state;
    chart_spread(y, 4, 18, 0, 300);
    assert_near(y[3], 10, 1e-12);
    assert_near(y[1], 98, 1e-12);     /* kept in their order */
    assert_near(y[2], 116, 1e-12);
    assert_near(y[0], 134, 1e-12);
    chart_spread(edge, 2, 18, 0, 300);
    assert_near(edge[0], 300, 1e-12); /* pushed back inside */
    assert_near(edge[1], 282, 1e-12);
}

static void parts_stack_both_ways(void **state)
{
    static const double value[] = { 60, 0, 40, -20,
                                    0, 180, (double)NAN, 0 };
    struct frame frame = { 0, 200, 0, 100 };
    struct stack s;

    (void)state;
    chart_stack(value, 2, 4, &frame, 0.5, &s);
    /* from -20 to 180 over 200 units: one unit a unit */
    assert_int_equal(s.bar[0].count, 3);
    assert_near(s.bar[0].part[0].from, 20, 1e-12);
    assert_near(s.bar[0].part[0].to, 80, 1e-12);
    assert_near(s.bar[0].part[1].from, 80, 1e-12);
    assert_near(s.bar[0].part[1].to, 120, 1e-12);
    assert_near(s.bar[0].part[2].from, 0, 1e-12);     /* negative: left of 0 */
    assert_near(s.bar[0].part[2].to, 20, 1e-12);
    assert_near(s.bar[0].sum, 80, 1e-12);
    assert_int_equal(s.bar[1].count, 1);
    assert_near(s.bar[1].part[0].to, 200, 1e-12);
    assert_near(s.bar[0].y, 25, 1e-12);
    assert_near(s.bar[1].y, 75, 1e-12);
    assert_near(s.bar[1].height, 25, 1e-12);
}

static void swings_start_at_the_base(void **state)
{
    static const struct swing_in in[] = { { -50, 150 }, { 80, (double)NAN } };
    struct frame frame = { 0, 208, 0, 100 };
    struct tornado t;

    (void)state;
    chart_tornado(in, 2, 50, &frame, &t);
    /* -50 ... 150 and 2 % on either side over 208 units */
    assert_near(t.base_x, 104, 1e-9);
    assert_near(t.zero_x, 54, 1e-9);
    assert_near(t.swing[0].low_x, 4, 1e-9);
    assert_near(t.swing[0].high_x, 204, 1e-9);
    assert_true(t.swing[1].low_ok);
    assert_false(t.swing[1].high_ok);
    assert_near(t.swing[1].high_x, t.base_x, 1e-9);
}

static void heat_turns_where_the_sign_does(void **state)
{
    /* rows from the bottom: value = row - 1 - column / 2 */
    double value[3 * 2];
    struct frame frame = { 0, 20, 0, 30 };
    struct heat h;

    (void)state;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 2; column++)
            value[row * 2 + column] = row - 0.5 - column;
    chart_heat(value, 2, 3, 0, 1, 0, 3, 0.2, &frame, &h);
    assert_int_equal(h.level[0][0], -1);
    assert_int_equal(h.level[1][0], 1);
    assert_int_equal(h.level[2][0], 2);
    assert_int_equal(h.level[0][1], -2);
    assert_true(h.line_on[0]);
    assert_near(h.line[0].x, 5, 1e-9);
    assert_near(h.line[0].y, 20, 1e-9);  /* half way from row 0 to row 1 */
    assert_near(h.line[1].y, 10, 1e-9);
    value[0] = (double)NAN;
    chart_heat(value, 2, 3, 0, 1, 0, 3, 0.2, &frame, &h);
    assert_true(h.none[0][0]);
    assert_false(h.line_on[0]);
}

static void prices_hold_until_the_next(void **state)
{
    static const struct observation seen[] = { { 0, 10 }, { 100, 8 } };
    struct scale x = { 0, 200, 0, 200 }, y = { 0, 10, 100, 0 };
    struct point p[4];

    (void)state;
    assert_int_equal(chart_steps(seen, 2, 200, &x, &y, p), 4);
    assert_near(p[0].y, 0, 1e-12);
    assert_near(p[1].x, 100, 1e-12);
    assert_near(p[1].y, 0, 1e-12);
    assert_near(p[2].x, 100, 1e-12);
    assert_near(p[2].y, 20, 1e-12);
    assert_near(p[3].x, 200, 1e-12);
    assert_int_equal(chart_steps(seen, 0, 200, &x, &y, p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_are_straight_lines),
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(months_come_in_years),
        cmocka_unit_test(curves_reach_from_edge_to_edge),
        cmocka_unit_test(long_curves_are_thinned),
        cmocka_unit_test(labels_stand_apart),
        cmocka_unit_test(parts_stack_both_ways),
        cmocka_unit_test(swings_start_at_the_base),
        cmocka_unit_test(heat_turns_where_the_sign_does),
        cmocka_unit_test(prices_hold_until_the_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
