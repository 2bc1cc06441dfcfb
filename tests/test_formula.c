/* test_formula.c: the text of every formula against what the compiler made
   of it, on random options; dimensions, names and words of the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pricing/price.h"
#include "pricing/pricing.h"
#include "tests/formula.c"
#include "tests/near.h"

/* --- one slot for every name ------------------------------------------------ */

enum { SLOT_MAX = 400, RUN_COUNT = 4000 };

struct slot { const char *name, *dimension; };
static struct slot slot_table[SLOT_MAX];
static int slot_count;
static struct dimension slot_dimension[SLOT_MAX];
static struct formula_tree *tree_of;    /* by formula */
static int *slot_of;                    /* by formula */

static int find_slot(const char *name, size_t length)
{
    for (int i = 0; i < slot_count; i++)
        if (strlen(slot_table[i].name) == length &&
            memcmp(slot_table[i].name, name, length) == 0)
            return i;
    return -1;
}

static int slot_named(const char *name)
{
    int slot = find_slot(name, strlen(name));

    if (slot < 0)
        fail_msg("no slot for %s", name);
    return slot;
}

static void add_slot(const char *name, const char *dimension)
{
    assert_true(slot_count < SLOT_MAX);
    slot_table[slot_count].name = name;
    slot_table[slot_count].dimension = dimension;
    if (!dimension_read(dimension, &slot_dimension[slot_count]))
        fail_msg("%s: \"%s\" is no dimension", name, dimension);
    slot_count++;
}

/* Numbers that the program hands to formulas beside the tables. */
static const struct slot further[] = {
    { "at_month", "month" },       { "capital_cost", "money" },
    { "taxed_cost", "money" },     { "running_cost", "money" },
    { "npv_cost", "money" },       { "work_hour_per_month", "hour/month" },
};

static const struct { const char *name, *dimension; double value;
                      const char *source; } const_table[] = {
#define CONST(name, dimension, value, source) \
    { #name, dimension, value, source },
#include "energy/consts.def"
};
enum { CONST_COUNT = sizeof const_table / sizeof *const_table };

static const struct { const char *name; enum unit unit; const char *label; }
given_table[] = {
#define GIVEN(name, unit, label) { #name, UNIT_##unit, label },
#include "energy/given.def"
};

static int is_numeric(const struct field *field)
{
    return field->type != FIELD_NAME;
}

static int make_slots(void **state)
{
    static struct formula_tree trees[SLOT_MAX];
    static int slots[SLOT_MAX];

    (void)state;
    tree_of = trees;
    slot_of = slots;
    assert_true(formula_count <= SLOT_MAX);
    for (int f = 0; f < FIELD_COUNT; f++)
        add_slot(field_table[f].name, is_numeric(&field_table[f])
                 ? unit_table[field_table[f].unit].dimension : "1");
    for (int i = 0; i < CONST_COUNT; i++)
        add_slot(const_table[i].name, const_table[i].dimension);
    for (int i = 0; i < GIVEN_COUNT; i++)
        add_slot(given_table[i].name,
                 unit_table[given_table[i].unit].dimension);
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        add_slot(further[i].name, further[i].dimension);
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        if (find_slot(f->name, strlen(f->name)) < 0)
            add_slot(f->name, unit_table[f->unit].dimension);
        slot_of[i] = slot_named(f->name);
    }
    for (int i = 0; i < formula_count; i++)
        if (!formula_parse(&tree_of[i], formula_table[i].text, find_slot))
            fail_msg("%s: %s at \"%s\"", formula_table[i].name,
                     tree_of[i].error, tree_of[i].rest);
    return 0;
}

/* --- random options ---------------------------------------------------------- */

static uint64_t seed = 20261201;

static uint64_t next_random(void)
{
    /* SplitMix64 (Steele, Lea, Flood 2014). */
    uint64_t z = seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(next_random() >> 11) * 0x1p-53;
}

static int one_of(int count)
{
    return (int)(next_random() % (unsigned)count);
}

static int word_count(const char *choices)
{
    int count = 1;

    for (; *choices; choices++)
        count += *choices == ' ';
    return count;
}

/* Anywhere within the limits: at an end, even, or by orders of magnitude. */
static double random_value(const struct field *field)
{
    double value = uniform(field->min, field->max);

    if (field->type == FIELD_CHOICE)
        return one_of(word_count(field->choices));
    switch (one_of(8)) {
    case 0: value = field->min; break;
    case 1: value = field->max; break;
    case 2: value = isnan(field->preset) ? value : field->preset; break;
    case 3: case 4:
        value = fmin(field->max, fmax(field->min, 1e-3) *
                     pow(10, uniform(0, 6)));
        break;
    case 5: value = fmin(value, fmax(field->min, 1)); break;
    default: break;
    }
    return field->type == FIELD_WHOLE ? floor(value) : value;
}

static void random_option(double *value)
{
    static const int missing[] = { F_grid_g_per_kwh, F_wue_l_per_kwh,
                                   F_grid_water_l_per_kwh };

    for (int f = 0; f < FIELD_COUNT; f++)
        value[f] = field_table[f].type == FIELD_NAME
                 ? 0 : random_value(&field_table[f]);
    if (one_of(3) == 0)
        value[F_machine_count] = one_of(4);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (one_of(20) == 0)
            value[missing[i]] = NAN;
}

/* --- the whole model once more, from the text alone ---------------------------- */

struct text_run {
    enum kind kind;
    const double *value;
    const struct result *result;
    const struct month *months;
    double slot[SLOT_MAX], before[SLOT_MAX];
};

static int belongs(const struct formula *f, enum kind kind)
{
    return strcmp(f->kind, "BOTH") == 0 ||
           strcmp(f->kind, kind == KIND_OWN ? "OWN" : "RENT") == 0;
}

static void compare(const struct text_run *run, const struct formula *f,
                    double got, double want, int month)
{
    if (isnan(got) ? isnan(want)
                   : got == want || fabs(got - want) <= 1e-12 * fabs(want))
        return;
    for (int i = 0; i < FIELD_COUNT; i++)
        print_error("%s=%.17g ", field_table[i].name, run->value[i]);
    fail_msg("\n%s %s in month %d: text %.17g, program %.17g",
             run->kind == KIND_OWN ? "own" : "rent", f->name, month, got,
             want);
}

static double compiled(const struct text_run *run, const struct formula *f,
                       int month)
{
    switch (f->part) {
    case PART_MONTH: case PART_COST: case PART_CLOSING:
        return f->item ? run->months[month].item[f->index]
                       : run->months[month].step[f->index];
    case PART_ENERGY: case PART_STEP: case PART_TOTAL: break;
    }
    return run->result->step[f->index];
}

static void run_part(struct text_run *run, enum formula_part part, int month)
{
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        double got;
        if (f->part != part || !belongs(f, run->kind))
            continue;
        got = formula_value(&tree_of[i], run->slot, run->before);
        compare(run, f, got, compiled(run, f, month), month);
        run->slot[slot_of[i]] = got;
    }
}

static double sum_of(const struct text_run *run, const char *class,
                     const char *also)
{
    double sum = 0;

    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        if (f->part == PART_COST && belongs(f, run->kind) &&
            (strcmp(f->class, class) == 0 || strcmp(f->class, also) == 0))
            sum += run->slot[slot_of[i]];
    }
    return sum;
}

static void run_months(struct text_run *run, double *total, double *npv)
{
    double growth = 1 + run->value[F_discount_frac];

    *total = *npv = 0;
    for (int m = 0; m <= run->result->month_count; m++) {
        run->slot[slot_named("at_month")] = m;
        run_part(run, PART_MONTH, m);
        run_part(run, PART_COST, m);
        run->slot[slot_named("capital_cost")] = sum_of(run, "CAPITAL", "");
        run->slot[slot_named("taxed_cost")] = sum_of(run, "TAXED", "");
        run->slot[slot_named("running_cost")] =
            sum_of(run, "TAXED", "RUNNING");
        run_part(run, PART_CLOSING, m);
        *total += run->slot[slot_named("flow_cost")];
        *npv += run->slot[slot_named("flow_cost")] * pow(growth, -m / 12.0);
        memcpy(run->before, run->slot, sizeof run->before);
    }
}

static void text_is_program(void **state)
{
    static struct month months[MONTH_MAX + 1];
    static struct result result;
    static struct text_run run;
    double a[FIELD_COUNT], value[FIELD_COUNT], total, npv;

    (void)state;
    for (int n = 0; n < RUN_COUNT; n++) {
        struct work work;
        int term_month;
        random_option(a);
        random_option(value);
        work = work_of(a);
        memset(&run, 0, sizeof run);
        run.kind = n % 2 ? KIND_RENT : KIND_OWN;
        run.value = value;
        run.result = &result;
        run.months = months;
        model_run(run.kind, value, &work, &result, months);
        for (int f = 0; f < FIELD_COUNT; f++)
            run.slot[f] = value[f];
        for (int i = 0; i < CONST_COUNT; i++)
            run.slot[slot_named(const_table[i].name)] = const_table[i].value;
        term_month = run.kind == KIND_RENT
                   ? term_month_of((int)value[F_term]) : 0;
        run.slot[slot_named("work_speed_hour_per_month")] =
            work.speed_hour_per_month;
        run.slot[slot_named("commitment_count")] = term_month > 0;
        run.slot[slot_named("term_month")] = term_month;
        run_part(&run, PART_ENERGY, 0);
        run_part(&run, PART_STEP, 0);
        run_months(&run, &total, &npv);
        assert_near(total, result.total_cost, 1e-12);
        assert_near(npv, result.npv_cost, 1e-12);
        run.slot[slot_named("npv_cost")] = npv;
        run.slot[slot_named("work_hour_per_month")] =
            work.machine_hour_per_month;
        run_part(&run, PART_TOTAL, 0);
    }
}

/* The comparison above would not notice a formula that no option reaches. */
static void every_line_is_reached(void **state)
{
    (void)state;
    for (int i = 0; i < formula_count; i++)
        assert_true(belongs(&formula_table[i], KIND_OWN) ||
                    belongs(&formula_table[i], KIND_RENT));
    for (int i = 0; i < ITEM_COUNT; i++)
        assert_true(item_table[i].own || item_table[i].rent);
}

/* --- dimensions ------------------------------------------------------------------ */

static void dimensions(void **state)
{
    (void)state;
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        struct dimension got, want;
        const char *why;
        char got_text[200], want_text[200];
        assert_true(dimension_read(unit_table[f->unit].dimension, &want));
        if (!formula_dimension(&tree_of[i], slot_dimension, &got, &why))
            fail_msg("%s: %s: %s", f->name, why, f->text);
        dimension_print(&got, got_text, sizeof got_text);
        dimension_print(&want, want_text, sizeof want_text);
        if (!dimension_same(&got, &want))
            fail_msg("%s is %s, not %s: %s", f->name, got_text, want_text,
                     f->text);
        if (f->item)
            assert_int_equal(f->unit, UNIT_MONEY);
    }
}

/* --- names --------------------------------------------------------------------------- */

/* Names that the calculation contract fixes against the rule. */
static const char *const free_names[] = { "npv_cost_with_carbon" };

static int ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), each = strlen(suffix);

    return each <= length && strcmp(name + length - each, suffix) == 0;
}

/* The longest suffix of any unit that the name has. */
static size_t suffix_length(const char *name)
{
    size_t best = 0;

    for (int u = 0; u < UNIT_COUNT_ALL; u++)
        if (ends_in(name, unit_table[u].suffix) &&
            strlen(unit_table[u].suffix) > best)
            best = strlen(unit_table[u].suffix);
    return best;
}

static void check_suffix(const char *name, enum unit unit)
{
    const struct unit_row *row = &unit_table[unit];

    for (size_t i = 0; i < sizeof free_names / sizeof *free_names; i++)
        if (strcmp(name, free_names[i]) == 0)
            return;
    if (!ends_in(name, row->suffix))
        fail_msg("%s does not end in %s", name, row->suffix);
    if (*row->suffix && strlen(row->suffix) < suffix_length(name))
        fail_msg("%s sounds like another unit than %s", name, row->suffix);
}

static void names_end_in_units(void **state)
{
    (void)state;
    for (int f = 0; f < FIELD_COUNT; f++)
        if (field_table[f].type == FIELD_NUMBER ||
            field_table[f].type == FIELD_WHOLE)
            check_suffix(field_table[f].name, field_table[f].unit);
    for (int i = 0; i < GIVEN_COUNT; i++)
        check_suffix(given_table[i].name, given_table[i].unit);
    for (int i = 0; i < formula_count; i++)
        if (!formula_table[i].item)
            check_suffix(formula_table[i].name, formula_table[i].unit);
}

static void check_name(const char *name)
{
    if (name[0] < 'a' || name[0] > 'z')
        fail_msg("%s does not begin with a letter", name);
    for (const char *at = name; *at; at++)
        if (!(*at >= 'a' && *at <= 'z') && !(*at >= '0' && *at <= '9') &&
            *at != '_')
            fail_msg("%s holds a character that no name has", name);
}

static void names_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < slot_count; i++) {
        check_name(slot_table[i].name);
        for (int k = 0; k < i; k++)
            if (strcmp(slot_table[i].name, slot_table[k].name) == 0)
                fail_msg("two things are called %s", slot_table[i].name);
    }
    /* A formula's name may stand twice, once a kind, and nowhere else. */
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        if (slot_of[i] < FIELD_COUNT + CONST_COUNT + GIVEN_COUNT)
            fail_msg("%s is a formula and something else", f->name);
        for (int k = 0; k < i; k++)
            if (slot_of[k] == slot_of[i] &&
                (belongs(f, KIND_OWN) == belongs(&formula_table[k], KIND_OWN)
                 || strcmp(f->kind, "BOTH") == 0))
                fail_msg("%s has two formulas", f->name);
    }
}

/* --- words ------------------------------------------------------------------------------ */

static void check_words(const char *name, const char *what, const char *words)
{
    if (!words || !*words)
        fail_msg("%s has no %s", name, what);
    if (words[0] == ' ' || words[strlen(words) - 1] == ' ')
        fail_msg("%s: blank around its %s", name, what);
}

static void check_field(const struct field *field)
{
    check_words(field->name, "label", field->label);
    check_words(field->name, "help", field->help);
    if (field->type == FIELD_CHOICE) {
        check_words(field->name, "choices", field->choices);
        assert_true(!*field->text || choice_find(field->choices, field->text,
                                                 strlen(field->text)) >= 0);
    } else if (field->type != FIELD_NAME) {
        if (!(field->min < field->max))
            fail_msg("%s: no room between its limits", field->name);
        if (field->preset < field->min || field->preset > field->max)
            fail_msg("%s: preset beyond its limits", field->name);
    }
}

static void words_are_there(void **state)
{
    (void)state;
    for (int f = 0; f < FIELD_COUNT; f++)
        check_field(&field_table[f]);
    for (int i = 0; i < CONST_COUNT; i++)
        check_words(const_table[i].name, "source", const_table[i].source);
    for (int i = 0; i < GIVEN_COUNT; i++)
        check_words(given_table[i].name, "label", given_table[i].label);
    for (int i = 0; i < formula_count; i++) {
        check_words(formula_table[i].name, "label", formula_table[i].label);
        check_words(formula_table[i].name, "formula", formula_table[i].text);
    }
    for (int i = 0; i < ITEM_COUNT; i++)
        check_words(item_table[i].name, "label", item_table[i].label);
    for (int u = 0; u < UNIT_COUNT_ALL; u++)
        check_words(unit_table[u].suffix, "dimension",
                    unit_table[u].dimension);
}

/* --- the reader itself --------------------------------------------------------------------- */

static void reads_formulas(void **state)
{
    static const struct { const char *text; double want; const char *why; }
    run[] = {
        { "1 + 2 * 3",                  7,     "products first" },
        { "8 - 4 - 2",                  2,     "from the left" },
        { "8.0 / 4 / 2",                1,     "from the left" },
        { "2 * (3 + 4)",                14,    "brackets" },
        { "IF(2 > 1, 5, 6)",            5,     "comparison holds" },
        { "IF(2 <= 1, 5, 6)",           6,     "comparison does not" },
        { "IF(2 >= 2, 5, NA())",        5,     "the other branch is not asked" },
        { "MIN(3, 4) + MAX(3, 4)",      7,     "two arguments" },
        { "POWER(2, 10)",               1024,  "power" },
        { "ROUNDUP(2.1)",               3,     "up" },
        { "ROUNDUP(0 - 2.1)",           -2,    "up is not away from zero" },
        { "ROUNDDOWN(0 - 2.1)",         -3,    "down is not towards zero" },
        { "MOD(38, 12)",                2,     "rest" },
        { "1e-3 * 1e3",                 1,     "exponents" },
        { "NA()",                       NAN,   "no such number" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        struct formula_tree tree;
        if (!formula_parse(&tree, run[i].text, NULL))
            fail_msg("%s: %s (%s)", run[i].text, tree.error, run[i].why);
        near_check(formula_value(&tree, NULL, NULL), run[i].want, 1e-15,
                   run[i].text, __FILE__, __LINE__);
    }
}

static void refuses_formulas(void **state)
{
    static const struct { const char *text, *why; } run[] = {
        { "",                       "nothing" },
        { "1 / 2",                  "C divides integers" },
        { "(1 + 2) / 2",            "the same, hidden in brackets" },
        { "IF(2 > 1, 1, 0) / 2",    "the same, hidden in a choice" },
        { "5 % 2",                  "no spreadsheet knows this" },
        { "2 > 1 ? 3 : 4",          "IF is the word" },
        { "IF(2 > 1 && 3 > 2, 1, 0)", "IF within IF is the word" },
        { "2 > 1",                  "comparisons stand in IF" },
        { "IF(2, 1, 0)",            "IF wants a comparison" },
        { "IF(2 == 2, 1, 0)",       "doubles are not compared for equality" },
        { "-2",                     "0 - 2 is the word" },
        { "fmax(1, 2)",             "C library" },
        { "floor(1.5)",             "C library" },
        { "MAX(1)",                 "too few" },
        { "MAX(1, 2, 3)",           "too many" },
        { "PREV(2)",                "of a name only" },
        { "nobody",                 "unknown name" },
        { "1 2",                    "no operator" },
        { "(1 + 2",                 "bracket left open" },
        { "1.",                     "half a number" },
        { "0x10",                   "no decimal number" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        struct formula_tree tree;
        if (formula_parse(&tree, run[i].text, NULL))
            fail_msg("\"%s\" was read (%s)", run[i].text, run[i].why);
    }
}

static void infers_dimensions(void **state)
{
    static const struct { const char *text, *want, *why; } run[] = {
        { "busy_watt / watt_per_kw",              "kW",    "conversion" },
        { "0 * one_month",                        "month", "0 of something" },
        { "IF(at_month > 0, one_month, 0)",       "month", "0 fits all" },
        { "one_month / month_per_year",           "year",  "conversion" },
        { "POWER(1 + busy_frac, year_index)",     "1",     "pure numbers" },
        { "busy_watt + meter_kwh",                NULL,    "unlike" },
        { "1 + at_month",                         NULL,    "unlike" },
        { "IF(at_month > 1, 1, 0)",               NULL,    "months and number" },
        { "IF(at_month > 0, one_month, one_year)", NULL,   "unlike branches" },
        { "POWER(2, at_month)",                   NULL,    "by months" },
        { "ROUNDUP(horizon_year)",                NULL,    "rounds years" },
        { "MIN(horizon_month, life_year)",        NULL,    "unlike" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        struct formula_tree tree;
        struct dimension got, want;
        const char *why = NULL;
        int good;
        if (!formula_parse(&tree, run[i].text, find_slot))
            fail_msg("%s: %s", run[i].text, tree.error);
        good = formula_dimension(&tree, slot_dimension, &got, &why);
        if (good != (run[i].want != NULL))
            fail_msg("%s: %s (%s)", run[i].text, why ? why : "has a dimension",
                     run[i].why);
        if (!good)
            continue;
        assert_true(dimension_read(run[i].want, &want));
        assert_true(dimension_same(&got, &want));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_formulas),
        cmocka_unit_test(refuses_formulas),
        cmocka_unit_test(infers_dimensions),
        cmocka_unit_test(text_is_program),
        cmocka_unit_test(every_line_is_reached),
        cmocka_unit_test(dimensions),
        cmocka_unit_test(names_end_in_units),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(words_are_there),
    };

    return cmocka_run_group_tests(tests, make_slots, NULL);
}
