/* test_power_cell.c: numbers, units and instants as measuring tools write
   them. Instants are checked against the calendar of the C library. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "energy/power_cell.h"
#include "tests/near.h"

static struct power_cell cell(const char *text)
{
    return (struct power_cell){ text, strlen(text) };
}

static void values(void **state)
{
    static const struct { const char *text; double plain; int want;
                          double value; } run[] = {
        { "59.12 W", 1, READING_GOOD, 59.12 },
        { "59.12", 1, READING_GOOD, 59.12 },
        { "59120 mW", 1, READING_GOOD, 59.12 },
        { "1.25 kW", 1, READING_GOOD, 1250 }, /* W taken for kW: 1000 times */
        { "0.5", 1000, READING_GOOD, 500 },   /* header said kW */
        { "37 %", 1, READING_GOOD, 0.37 },
        { "100", 0.01, READING_GOOD, 1 },
        { "0.1", 1, READING_GOOD, 0.1 },
        { "-3", 1, READING_GOOD, -3 },
        { "[N/A]", 1, READING_MISSING, 0 },
        { "[Not Supported]", 1, READING_MISSING, 0 },
        { "[Unknown Error]", 1, READING_MISSING, 0 },
        { "N/A", 1, READING_MISSING, 0 }, { "-", 1, READING_MISSING, 0 },
        { "", 1, READING_MISSING, 0 }, { "ERR!", 1, READING_MISSING, 0 },
        { "12 J", 1, READING_BAD, 0 }, { "1,5", 1, READING_BAD, 0 },
        { "1.2.3", 1, READING_BAD, 0 }, { "1e3", 1, READING_BAD, 0 },
        { "5.", 1, READING_BAD, 0 }, { ".5", 1, READING_BAD, 0 },
        { "0x10", 1, READING_BAD, 0 }, { "W", 1, READING_BAD, 0 },
        { "1234567890123456789", 1, READING_BAD, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        double value = 0;
        enum power_reading got = power_cell_value(cell(run[i].text),
                                                  run[i].plain, &value);
        if ((int)got != run[i].want)
            fail_msg("%s is %d", run[i].text, (int)got);
        if (got == READING_GOOD && value != run[i].value)
            fail_msg("%s is %.17g", run[i].text, value);
    }
}

static void joules_and_spans(void **state)
{
    static const struct { const char *text; double want; } joule[] = {
        { "4567", 4567 }, { "118K", 118e3 }, { "12.3M", 12.3e6 },
        { "1.5G", 1.5e9 }, { "2T", 2e12 },
    };
    static const struct { const char *text; double want; } span[] = {
        { "00:00:01", 1 }, { "01:02:03", 3723 }, { "2-00:00:05", 172805 },
        { "10-23:59:59", 950399 }, { "501", 501 }, { "00:00:00.500", 0.5 },
    };
    static const char *const bad[] = { "1:2", "1-2", "a", "1:2:3:4", "-1",
                                       "1-2-3", "00:00:", ":" };
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof joule / sizeof *joule; i++) {
        assert_int_equal(power_cell_joule(cell(joule[i].text), &value),
                         READING_GOOD);
        assert_near(value, joule[i].want, 1e-15);
    }
    assert_int_equal(power_cell_joule(cell("12 J"), &value), READING_BAD);
    assert_int_equal(power_cell_joule(cell(""), &value), READING_MISSING);
    for (size_t i = 0; i < sizeof span / sizeof *span; i++) {
        assert_int_equal(power_cell_span(cell(span[i].text), &value),
                         READING_GOOD);
        assert_near(value, span[i].want, 1e-15);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (power_cell_span(cell(bad[i]), &value) != READING_BAD)
            fail_msg("%s is a span", bad[i]);
}

/* 1714564800 is 2024-05-01 12:00:00 UTC (date -u -d @1714564800). */
static void instants(void **state)
{
    static const struct { const char *text; int64_t want; } run[] = {
        { "2024/05/01 12:00:00.000", 1714564800000000 },
        { "2024/05/01 12:00:00.123", 1714564800123000 },
        { "2024-05-01 12:00:00", 1714564800000000 },
        { "2024-05-01T12:00:00Z", 1714564800000000 },
        { "2024-05-01T12:00:00.000001Z", 1714564800000001 },
        { "2024-05-01T14:00:00+02:00", 1714564800000000 },
        { "2024-05-01T07:30:00-0430", 1714564800000000 },
        { "20240501   12:00:00", 1714564800000000 },
        { "1714564800", 1714564800000000 },
        { "1714564800.5", 1714564800500000 },
        { "1714564800123", 1714564800123000 },
        { "2024/02/29 00:00:00", 1709164800000000 },
    };
    static const char *const bad[] = { "2023/02/29 00:00:00",
        "2024/13/01 00:00:00", "2024/05/01", "2024/05/01 25:00:00",
        "2024/05-01 12:00:00", "12:00:00", "yesterday", "", "17145648",
        "2024/05/01 12:00:00 PM", "2024/05/01 12:60:00", "99999999999999999" };
    struct power_day day;
    int64_t us;

    (void)state;
    memset(&day, 0, sizeof day);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        if (!power_cell_instant(cell(run[i].text), &day, &us))
            fail_msg("%s is no instant", run[i].text);
        if (us != run[i].want)
            fail_msg("%s is %lld", run[i].text, (long long)us);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (power_cell_instant(cell(bad[i]), &day, &us))
            fail_msg("%s is %lld", bad[i], (long long)us);
}

/* Every day of 130 years, read and printed. */
static void calendar(void **state)
{
    struct power_day day;

    (void)state;
    memset(&day, 0, sizeof day);
    for (int64_t n = 0; n < 47000; n++) {
        time_t second = (time_t)(n * 86400 + n % 86400);
        struct tm tm;
        char text[32], back[24];
        int64_t us;
        assert_non_null(gmtime_r(&second, &tm));
        strftime(text, sizeof text, "%Y/%m/%d %H:%M:%S", &tm);
        if (!power_cell_instant(cell(text), &day, &us))
            fail_msg("%s is no instant", text);
        assert_true(us == (int64_t)second * 1000000);
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
        power_instant_print(back, us);
        assert_string_equal(back, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values), cmocka_unit_test(joules_and_spans),
        cmocka_unit_test(instants), cmocka_unit_test(calendar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
