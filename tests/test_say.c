/* test_say.c: the Chinese page is complete: nothing that tables hold for
   people is without translation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "fcgi/out_svg.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "pricing/pricing.h"

/* Written alike in both languages. */
static const char *const alike[] = { "", "PUE", "TFLOPS", "W", "kWh",
    "kg CO2e", "g CO2e/kWh", "GiB", "GB/s", "GB", "/kWh", "/GB" };

static void said(const char *english)
{
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (strcmp(english, alike[i]) == 0)
            return;
    if (say(1, english) == english)
        fail_msg("fcgi/po/zh.po lacks: %s", english);
    assert_ptr_equal(say(0, english), english);
}

static void tables_are_translated(void **state)
{
    (void)state;
    for (int f = 0; f < FIELD_COUNT; f++) {
        said(field_table[f].label);
        said(field_table[f].help);
        if (unit_table[field_table[f].unit].money)
            said(unit_table[field_table[f].unit].shown);
    }
    for (int i = 0; i < ITEM_COUNT; i++)
        said(item_table[i].label);
    for (int i = 0; i < formula_count; i++)
        said(formula_table[i].label);
    for (int i = 0; i < SECTION_COUNT; i++)
        said(section_title[i]);
    for (int i = 0; i < FIGURE_COUNT; i++)
        said(figure_title((enum figure)i));
}

static void mistakes_are_translated(void **state)
{
    static const char *const words[] = {
#define WORDS(code, field, words) words,
#include "fcgi/words.def"
    };
    static const char *const holes[] = { "{field}", "{key}", "{limit}",
                                         "{hint}", "{example}" };

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        said(words[i]);
        for (size_t k = 0; k < sizeof holes / sizeof *holes; k++)
            if (!strstr(words[i], holes[k]) != !strstr(say(1, words[i]),
                                                       holes[k]))
                fail_msg("%s: %s", words[i], holes[k]);
    }
}

static void power_logs_are_translated(void **state)
{
    static const char *const words[] = {
#define PROBLEM(id, code, is_mistake, words) words,
#include "energy/power_problems.def"
#define FIGURE(name, unit, digits, label) label,
#include "fcgi/power_figures.def"
    };

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        said(words[i]);
}

static void cases_are_translated(void **state)
{
    static const char *const cases[] = {
#define CASE(title, query) title,
#include "fcgi/cases.def"
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        said(cases[i]);
}

static void table_is_sorted(void **state)
{
    (void)state;
    for (size_t i = 0; i < say_count(); i++)
        assert_ptr_not_equal(say(1, say_english(i)), say_english(i));
}

static void units_and_words(void **state)
{
    char out[64];

    (void)state;
    say_unit(1, "CNY/hour", out, sizeof out);
    assert_string_equal(out, "CNY/\xE5\xB0\x8F\xE6\x97\xB6");
    say_unit(0, "CNY/hour", out, sizeof out);
    assert_string_equal(out, "CNY/hour");
    say_word(0, "server_room", out, sizeof out);
    assert_string_equal(out, "server room");
    say_word(1, "on_demand", out, sizeof out);
    assert_string_equal(out, "\xE6\x8C\x89\xE9\x9C\x80");
}

/* What is told of a live value in a cell. */
static void readings_are_translated(void **state)
{
    static const char *const words[] = {
        "direct, average", "lifecycle, average", "forecast", "estimated",
        "measured", "newer", "average revenue",
        "band DC, all taxes", "band IB, without VAT", "band ID, without VAT",
    };

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        said(words[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_translated),
        cmocka_unit_test(mistakes_are_translated),
        cmocka_unit_test(power_logs_are_translated),
        cmocka_unit_test(cases_are_translated),
        cmocka_unit_test(readings_are_translated),
        cmocka_unit_test(table_is_sorted),
        cmocka_unit_test(units_and_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
