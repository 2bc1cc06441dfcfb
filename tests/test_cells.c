/* test_cells.c: formulas of the tables as formulas of a spreadsheet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fcgi/cells.h"
#include "pricing/pricing.h"

/* Names stand in column C, their number of letters gives the row; 0.5 stands
   in a cell, other numbers in none. */
static int put_name(const void *from, const char *name, size_t length,
                    int before, struct text *out)
{
    (void)from;
    if (memcmp(name, "unknown", length < 7 ? length : 7) == 0)
        return 0;
    cells_at((int)length, before ? 1 : 2, 0, out);
    return 1;
}

static int put_number(const void *from, double number, struct text *out)
{
    (void)from;
    if (number < 0.5 || number > 0.5)
        return 0;
    text_str(out, "K!$A$1");
    return 1;
}

static const struct cells cells = { NULL, put_name, put_number };

static const struct { const char *text, *want, *why; } cases[] = {
    { "ab * (1 - abc)", "C3*(1-C4)", "operators and brackets stay" },
    { "ab / 0.5", "C3/K!$A$1", "a number is a cell" },
    { "MAX(0, ROUNDUP(ab - abc))", "MAX(0,ROUNDUP(C3-C4,0))",
      "rounding has a second argument" },
    { "ROUNDDOWN((ab + 0.5) / (1 + abc))", "ROUNDDOWN((C3+K!$A$1)/(1+C4),0)",
      "behind its own bracket, not an inner one" },
    { "PREV(abcd) + ab", "B5+C3", "the month before is the cell before" },
    { "ab * PREV(abcd) * abc", "C3*B5*C4", "and only that one" },
    { "IF(ab >= 1, NA(), abc)", "IF(C3>=1,NA(),C4)", "comparisons" },
    { "ab2_c * IF(ab < abc, 1, 0)", "C6*IF(C3<C4,1,0)", "digits in names" },
    { "unknown + 1", NULL, "a name without a cell" },
    { "ab + 0.25", NULL, "a number without a cell" },
    { "MAX(ab, abc", NULL, "a bracket that stays open" },
    { "ab)", NULL, "a bracket that was not opened" },
};

static void translates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out;
        int good;
        text_init(&out, 1000);
        good = cells_formula(cases[i].text, &cells, &out);
        if (good != (cases[i].want != NULL))
            fail_msg("%s: %s", cases[i].text, cases[i].why);
        text_char(&out, '\0');
        if (good && strcmp(out.at, cases[i].want) != 0)
            fail_msg("%s: %s, not %s", cases[i].text, out.at, cases[i].want);
        text_free(&out);
    }
}

static void count_number(void *to, double number)
{
    double *sum = to;

    *sum += number;
}

static void finds_numbers(void **state)
{
    double sum = 0;

    (void)state;
    cells_numbers("IF(a2 > 0, 0.25, 1) + 1.5e-3 * x1e5 - MIN(1, 4)",
                  count_number, &sum);
    assert_true(sum > 4.2514999 && sum < 4.2515001); /* 0.25, 0.0015, 4 */
}

static void names_columns(void **state)
{
    static const struct { int row, column, fixed; const char *want; } at[] = {
        { 0, 0, 0, "A1" }, { 9, 25, 0, "Z10" }, { 9, 26, 1, "$AA$10" },
        { 0, 51, 0, "AZ1" }, { 0, 52, 0, "BA1" }, { 0, 701, 0, "ZZ1" },
        { 0, 702, 0, "AAA1" } };

    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct text out;
        text_init(&out, 100);
        cells_at(at[i].row, at[i].column, at[i].fixed, &out);
        text_char(&out, '\0');
        assert_string_equal(out.at, at[i].want);
        text_free(&out);
    }
}

static int put_any(const void *from, const char *name, size_t length,
                   int before, struct text *out)
{
    (void)before;
    return put_name(from, "ab", 2, 0, out) && name && length > 0;
}

static int put_any_number(const void *from, double number, struct text *out)
{
    (void)number;
    return put_number(from, 0.5, out);
}

/* No formula of the tables holds anything that a spreadsheet would not. */
static void takes_every_formula(void **state)
{
    static const struct cells any = { NULL, put_any, put_any_number };

    (void)state;
    assert_true(formula_count > 80);
    for (int i = 0; i < formula_count; i++) {
        struct text out;
        text_init(&out, 10000);
        if (!cells_formula(formula_table[i].text, &any, &out))
            fail_msg("%s = %s", formula_table[i].name, formula_table[i].text);
        text_char(&out, '\0');
        assert_int_equal(strspn(out.at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                        "+-*/(),<>=$!"), out.byte - 1);
        text_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translates),
        cmocka_unit_test(finds_numbers),
        cmocka_unit_test(names_columns),
        cmocka_unit_test(takes_every_formula),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
