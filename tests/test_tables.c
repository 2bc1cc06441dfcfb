/* test_tables.c: formulas set as mathematics, cells in each format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "fcgi/mathml.h"
#include "fcgi/sheet.h"
#include "pricing/pricing.h"

enum { ROOM = 256 * 1024 };

static void formulas_are_set(void **state)
{
    static const struct { const char *formula, *want; } run[] = {
        { "a * b", "<mi>a</mi><mo>\xC2\xB7</mo><mi>b</mi>" },
        { "a / b / c", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi>"
          "<mo>\xC2\xB7</mo><mi>c</mi></mrow></mfrac>" },
        { "1 - 2.5e-3", "<mn>1</mn><mo>\xE2\x88\x92</mo><mn>2.5e-3</mn>" },
        { "IF(a > 0, 1, 2)", "<mtd><mn>1</mn></mtd><mtd><mi>a</mi><mo>&gt;</mo>"
          "<mn>0</mn></mtd>" },
        { "POWER(1 + r, n)", "<msup><mrow><mo>(</mo><mn>1</mn><mo>+</mo>"
          "<mi>r</mi><mo>)</mo></mrow><mrow><mi>n</mi></mrow></msup>" },
    };
    struct text out;

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        text_init(&out, ROOM);
        assert_true(mathml("x", run[i].formula, &out));
        if (!strstr(out.at, run[i].want))
            fail_msg("%s: %s", run[i].formula, out.at);
        text_free(&out);
    }
}

static void every_formula_can_be_set(void **state)
{
    struct text out;

    (void)state;
    for (int i = 0; i < formula_count; i++) {
        text_init(&out, ROOM);
        if (!mathml(formula_table[i].name, formula_table[i].text, &out))
            fail_msg("%s = %s", formula_table[i].name, formula_table[i].text);
        text_free(&out);
    }
}

static void what_is_no_formula_is_refused(void **state)
{
    static const char *const bad[] = { "", "a +", "a b", "(a", "a)", "f(a",
                                       "IF(a, 1)", "<b>", "\"" };
    struct text out;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        text_init(&out, ROOM);
        assert_false(mathml("x", bad[i], &out));
        assert_int_equal(out.byte, 0);
        text_free(&out);
    }
}

static void cells_in_each_format(void **state)
{
    static const struct sheet_column columns[] = {
        { "name", "Name", "", 0 }, { "watt", "GPU power", "W", 1 },
        { "", "So far", "", 0 },
    };
    static const struct { enum sheet_form form; const char *want; } run[] = {
        { SHEET_CSV, "name,watt\r\n\"a,\"\"b\"\"\",1234.6\r\n\"'=1+1\",\r\n" },
        { SHEET_JSON, "[\n{\"name\":\"a,\\\"b\\\"\",\"watt\":1234.6},\n"
          "{\"name\":\"=1+1\",\"watt\":null}\n]" },
        { SHEET_HTML, "<tr><th scope=\"row\"><a href=\"/x?a=1&amp;b\">a,\"b\"</a>"
          "</th><td class=\"number\">1,235</td><td><i></i></td></tr>" },
    };
    struct text out;
    struct sheet sheet;

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        text_init(&out, ROOM);
        sheet_open(&sheet, &out, run[i].form, 0, columns, 3, "Things");
        sheet_row(&sheet);
        sheet_text(&sheet, "a,\"b\"", "/x?a=1&b");
        sheet_number(&sheet, 1234.6, 4);
        sheet_markup(&sheet, "<i></i>");
        sheet_row(&sheet);
        sheet_text(&sheet, "=1+1", "");
        sheet_number(&sheet, (double)NAN, 4);
        sheet_markup(&sheet, "");
        sheet_close(&sheet);
        if (run[i].form == SHEET_HTML)
            assert_non_null(strstr(out.at, run[i].want));
        else
            assert_string_equal(out.at, run[i].want);
        text_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_set),
        cmocka_unit_test(every_formula_can_be_set),
        cmocka_unit_test(what_is_no_formula_is_refused),
        cmocka_unit_test(cells_in_each_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
