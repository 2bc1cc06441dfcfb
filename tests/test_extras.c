/* test_extras.c: cases, grid, alternatives and reasons in every output, in
   both languages; keys that ask for them; links that keep what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/answer.h"
#include "fcgi/extras.h"
#include "fcgi/listing.h"
#include "fcgi/out_html.h"
#include "fcgi/out_json.h"
#include "fcgi/out_text.h"
#include "fcgi/say.h"
#include "tests/near.h"

struct bench {
    struct world world;
    struct input input;
    struct answer answer, other;
    struct text out;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    *state = b;
    if (!b)
        return -1;
    b->world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = 20261201,
                                .degraded_reason = "" };
    text_init(&b->out, 16 * 1024 * 1024);
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    text_free(&b->out);
    free(b);
    return 0;
}

static int run(struct bench *b, const char *query, struct answer *to)
{
    input_init(&b->input);
    input_query(&b->input, query, SURFACE_QUERY);
    input_keys(&b->input, ON_COMPARE);
    return answer_run(to, &b->input, &b->world, "");
}

static void answer(struct bench *b, const char *query)
{
    if (!run(b, query, &b->answer))
        fail_msg("%s: %s %s", query, b->input.problems.problem[0].field,
                 b->input.problems.problem[0].code);
    text_reset(&b->out);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char everything[] =
    "samples=500&explain=b.compute&grid=busy_frac,rent_price_per_hour"
    "&carbon_price_per_tonne=90&limit=12&c=own/rtx-3090/4";

/* --- JSON ----------------------------------------------------------------- */

static cJSON *document(struct bench *b, const char *query)
{
    cJSON *tree;

    answer(b, query);
    out_json(&b->answer, &b->out);
    tree = cJSON_Parse(b->out.at);
    assert_non_null(tree);
    return tree;
}

static double number(const cJSON *tree, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(tree, name);

    if (!item || !(cJSON_IsNumber(item) || cJSON_IsNull(item)))
        fail_msg("no number %s", name);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static const char *word(const cJSON *tree, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(tree, name);

    if (!item || !(cJSON_IsString(item) || cJSON_IsNull(item)))
        fail_msg("no text %s", name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static const cJSON *member(const cJSON *tree, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(tree, name);

    if (!item)
        fail_msg("no member %s", name);
    return item;
}

static void check_alternative(const cJSON *row, int sources)
{
    static const char *const numbers[] = {
        "rank", "npv_cost", "monthly_equivalent_cost", "cost_per_gpu_hour",
        "npv_cost_with_carbon", "meter_kwh", "operational_kg", "total_kg",
        "gpu_count", "running_machine_count", "source", "rank_with_carbon" };
    static const char *const texts[] = { "kind", "label", "declaration", "gpu",
                                         "price_date" };
    int owned = strcmp(word(row, "kind"), "own") == 0;

    for (size_t i = 0; i < COUNT(numbers); i++)
        assert_true(isfinite(number(row, numbers[i])));
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_true(*word(row, texts[i]) != '\0');
    assert_true(cJSON_IsBool(member(row, "pareto")));
    assert_true(number(row, "source") <= sources);
    assert_int_equal(isnan(number(row, "price_per_hour")), owned);
    assert_int_equal(!isnan(number(row, "capex")), owned);
    assert_int_equal(*word(row, "provider") == '\0', owned);
    assert_int_equal(*word(row, "term") == '\0', owned);
    assert_true(strncmp(word(row, "declaration"), owned ? "own/" : "rent/",
                        4) == 0);
}

static void json_has_all_members(void **state)
{
    struct bench *b = *state;
    cJSON *tree = document(b, everything);
    const cJSON *rows = member(tree, "alternatives"), *row;
    const cJSON *grid = member(tree, "grid"), *cases = member(tree, "cases");
    int sources = cJSON_GetArraySize(member(tree, "sources"));
    double last = 0;

    assert_int_equal(cJSON_GetArraySize(rows), 12);
    cJSON_ArrayForEach(row, rows) {
        check_alternative(row, sources);
        assert_true(number(row, "npv_cost") >= last);
        last = number(row, "npv_cost");
    }
    assert_true(number(tree, "alternative_count") > 500);
    cJSON_ArrayForEach(row, member(tree, "pareto_front")) {
        check_alternative(row, sources);
        assert_true(cJSON_IsTrue(member(row, "pareto")));
    }
    assert_int_equal(cJSON_GetArraySize(member(grid, "saving_npv")), 11);
    cJSON_ArrayForEach(row, member(grid, "saving_npv"))
        assert_int_equal(cJSON_GetArraySize(row), 11);
    assert_int_equal(cJSON_GetArraySize(member(grid, "indifference_y")), 11);
    assert_int_equal(cJSON_GetArraySize(member(member(grid, "x"), "values")), 11);
    assert_string_equal(word(member(grid, "x"), "field"), "busy_frac");
    assert_string_equal(word(member(grid, "y"), "option"), "b");
    assert_true(number(member(cases, "low"), "saving_npv") <
                number(member(cases, "base"), "saving_npv"));
    assert_near(number(member(cases, "base"), "saving_npv"),
                b->answer.verdict.pair[0].saving_npv, 1e-12);
    assert_near(number(member(member(member(cases, "high"), "options"), "c"),
                       "npv_cost"), b->answer.cases[CASE_HIGH].npv_cost[2],
                1e-12);
    cJSON_Delete(tree);
}

/* Depth of the tree; each leaf is an input with its origin, or says why it
   goes no further. */
static int check_tree(const cJSON *node)
{
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(node, "inputs");
    const cJSON *each;
    int depth = 0;

    assert_true(*word(node, "name") != '\0');
    word(node, "unit");
    if (!inputs) {
        assert_true(cJSON_GetObjectItemCaseSensitive(node, "origin") ||
                    cJSON_GetObjectItemCaseSensitive(node, "note") ||
                    cJSON_GetObjectItemCaseSensitive(node, "explained_before") ||
                    strcmp(word(node, "name"), "at_month") == 0);
        return 1;
    }
    assert_true(*word(node, "formula") != '\0');
    assert_true(cJSON_GetArraySize(inputs) > 0);
    cJSON_ArrayForEach(each, inputs) {
        int deep = check_tree(each);
        depth = deep > depth ? deep : depth;
    }
    return depth + 1;
}

static void json_explains_down_to_inputs(void **state)
{
    struct bench *b = *state;
    static const char *const names[] = { "npv_cost", "b.total_cost", "a.energy",
        "b.compute", "a.residual", "meter_kwh", "b.total_kg", "a.income_tax",
        "cost_per_gpu_hour", "b.monthly_equivalent_cost", "a.interest" };

    for (size_t i = 0; i < COUNT(names); i++) {
        char query[200];
        cJSON *tree;
        snprintf(query, sizeof query, "samples=0&limit=0&loan_frac=0.5"
                 "&income_tax_frac=0.2&explain=%s", names[i]);
        tree = document(b, query);
        assert_true(check_tree(member(tree, "explain")) > 2);
        cJSON_Delete(tree);
    }
}

static void what_is_not_asked_for_is_null(void **state)
{
    struct bench *b = *state;
    cJSON *tree = document(b, "samples=0&limit=0");

    assert_true(cJSON_IsNull(member(tree, "grid")));
    assert_true(cJSON_IsNull(member(tree, "explain")));
    assert_int_equal(cJSON_GetArraySize(member(tree, "alternatives")), 0);
    assert_true(isnan(number(tree, "alternative_count")));
    cJSON_Delete(tree);
    tree = document(b, "samples=0"); /* ten of them are the preset */
    assert_int_equal(cJSON_GetArraySize(member(tree, "alternatives")), 10);
    cJSON_Delete(tree);
}

/* --- page and text -------------------------------------------------------- */

static void page_and_text_show_them(void **state)
{
    struct bench *b = *state;
    static const char *const in_text[] = {
        "\nWorst and best case\n", "\nCost over all draws\n",
        "\nCarbon over all draws\n", "\nOne uncertain input at a time (USD)\n",
        "\nSaving by two inputs: Time in use",
        "\nOther ways to do the same work\n", "\nFrom cheap to clean\n" };
    static const char *const in_page[] = {
        "<caption>Worst and best case</caption>",
        "<caption>Cost over all draws</caption>",
        "<caption>Carbon over all draws</caption>",
        "<caption>One uncertain input at a time</caption>",
        "<caption>Saving by two inputs",
        "<caption>Other ways to do the same work</caption>", "<caption>From cheap to clean</caption>",
        "<h2 id=\"why\">", "<code>b.compute</code>",
        "<code>= paid_month * billed_machine_hour_per_month" };

    answer(b, everything);
    out_html(&b->answer, &b->out);
    for (size_t i = 0; i < COUNT(in_page); i++)
        if (!strstr(b->out.at, in_page[i]))
            fail_msg("the page lacks %s", in_page[i]);
    b->answer.has_explanation = 0;
    text_reset(&b->out);
    out_text(&b->answer, &b->out);
    for (size_t i = 0; i < COUNT(in_text); i++)
        if (!strstr(b->out.at, in_text[i]))
            fail_msg("the text lacks %s", in_text[i]);
}

static void explained_text_ends_in_sources(void **state)
{
    struct bench *b = *state;

    answer(b, "samples=0&limit=0&explain=a.energy");
    out_text(&b->answer, &b->out);
    assert_true(strncmp(b->out.at, "a.energy = USD ", 15) == 0);
    assert_non_null(strstr(b->out.at, "a.energy_price_per_kwh = USD 0.13/kWh  "
                                      "(catalogue ["));
    assert_non_null(strstr(b->out.at, "\nSources\n"));
    assert_non_null(strstr(b->out.at, "US EIA"));
    assert_null(strstr(b->out.at, "Break-even"));
}

/* Titles, notes and heads of the listings are in Chinese, but for names of
   units and options. */
static void listings_are_said(void **state)
{
    struct bench *b = *state;
    static struct listing chinese, english;
    int seen = 0;

    for (int l = 0; l < LISTED_COUNT; l++) {
        answer(b, everything);
        listing_make(&b->answer, (enum listed)l, 0, &english);
        b->answer.study.zh = 1;
        listing_make(&b->answer, (enum listed)l, 0, &chinese);
        assert_true(english.rows > 0 && chinese.rows == english.rows);
        assert_string_not_equal(english.title, chinese.title);
        assert_true(!*english.note || strcmp(english.note, chinese.note) != 0);
        for (int k = 0; k < english.columns; k++) {
            const char *head = listing_cell(&english, 0, k);
            if (*head && strcmp(head, "kWh") != 0 && l != LISTED_GRID &&
                head[1] != ' ') {
                seen++;
                assert_string_not_equal(head, listing_cell(&chinese, 0, k));
            }
        }
        for (int i = 0; i <= english.rows; i++)
            for (int k = 0; k < english.columns; k++)
                assert_null(strstr(listing_cell(&english, i, k), "nan"));
        listing_free(&english);
        listing_free(&chinese);
    }
    assert_true(seen > 20);
}

/* --- links and keys ------------------------------------------------------- */

static void a_link_compares_with_the_alternative(void **state)
{
    struct bench *b = *state;
    static const char *const query[] = {
        "samples=0&limit=30&carbon_price_per_tonne=10",
        ("samples=0&limit=30&a=own/rtx-3090/4/2&a.zone=DE&a.site=colocation"
         "&currency=EUR&a.staff_fte=0.2&gpu_price=900&label=x&pair=ac"
         "&c=own/rtx-4090/4&rent_discount_frac=0.1&storage_gb=500"),
        ("samples=0&limit=30&a=rent/aws/p5.48xlarge/us-east-1/on_demand"
         "&pue_ratio=1.3&host_watt=900&only_term=on_demand,spot"),
    };

    for (size_t i = 0; i < COUNT(query); i++) {
        answer(b, query[i]);
        for (int k = 0; k < b->answer.alternatives.count; k++) {
            const struct alternative *row = &b->answer.alternatives.row[k];
            struct text link;
            text_init(&link, 65536);
            answer_query_against(&b->answer, row, &link);
            {
                static struct input input;
                input_init(&input);
                input_query(&input, link.at, SURFACE_QUERY);
                input_keys(&input, ON_COMPARE);
                if (!answer_run(&b->other, &input, &b->world, ""))
                    fail_msg("%s: %s %s", link.at,
                             input.problems.problem[0].field,
                             input.problems.problem[0].code);
            }
            assert_int_equal(b->other.study.option_count, 2);
            assert_near(b->other.result[0].npv_cost,
                        b->answer.result[0].npv_cost, 1e-12);
            assert_near(b->other.result[1].npv_cost, row->npv_cost, 1e-12);
            assert_near(b->other.result[1].step[S_total_kg], row->total_kg,
                        1e-12);
            text_free(&link);
        }
    }
}

/* A case moves what is compared, not what else there is. */
static void cases_leave_alternatives_alone(void **state)
{
    struct bench *b = *state;

    answer(b, "samples=0&range.discount_frac=0.02,0.2");
    b->other = b->answer;
    answer(b, "samples=0&range.discount_frac=0.02,0.2&case=low");
    assert_true(fabs(b->other.result[0].npv_cost -
                     b->answer.result[0].npv_cost) > 1);
    assert_int_equal(b->answer.alternatives.count, 10);
    for (int k = 0; k < 10; k++)
        assert_near(b->answer.alternatives.row[k].npv_cost,
                    b->other.alternatives.row[k].npv_cost, 0);
}

static void the_query_keeps_the_keys(void **state)
{
    struct bench *b = *state;
    static const char *const key[] = {
        "limit=12", "only_provider=aws%2Cgcp", "only_region=us-east-1",
        "only_gpu=h100-sxm5-80gb", "only_term=spot", "min_gpu_memory_gib=40",
        "max_machine_count=3", "grid=busy_frac%2Cgpu_price",
        "explain=a.energy", "case=low" };

    for (size_t i = 0; i < COUNT(key); i++) {
        struct text again;
        answer(b, key[i]);
        answer_query(&b->answer, &b->out);
        if (!strstr(b->out.at, key[i]))
            fail_msg("%s: %s", key[i], b->out.at);
        assert_true(run(b, b->out.at, &b->other));
        text_init(&again, 65536);
        answer_query(&b->other, &again);
        assert_string_equal(again.at, b->out.at);
        text_free(&again);
    }
}

static void mistakes_name_the_key(void **state)
{
    struct bench *b = *state;
    static const struct { const char *query, *field, *code, *hint; } bad[] = {
        { "limit=101", "limit", "above_max", "" },
        { "limit=-1", "limit", "below_min", "" },
        { "only_gpu=h100-sxm5-80", "only_gpu", "not_in_list",
          "h100-sxm5-80gb" },
        { "only_gpu=rtx-4090,none", "only_gpu", "not_in_list", NULL },
        { "only_provider=nobody", "only_provider", "not_in_list", "" },
        { "only_term=weekly", "only_term", "not_in_list", "" },
        { "min_gpu_memory_gib=x", "min_gpu_memory_gib", "not_a_number", "" },
        { "max_machine_count=1.5", "max_machine_count", "not_an_integer", "" },
        { "grid=busy_frac", "grid", "bad_grid", "" },
        { "grid=busy_frac,gpu_price,pue_ratio", "grid", "bad_grid", "" },
        { "grid=busy_frac,gpu_pric", "grid", "not_in_list", "gpu_price" },
        { "grid=busy_frac,f.gpu_price", "grid", "not_in_list", NULL },
        { "explain=enrgy", "explain", "not_in_list", NULL },
        { "explain=b.energy", "explain", "not_in_list", NULL },
        { "explain=c.energy", "explain", "not_in_list", NULL },
        { "explain=.", "explain", "not_in_list", NULL },
    };

    for (size_t i = 0; i < COUNT(bad); i++) {
        const struct problem *p = &b->input.problems.problem[0];
        if (run(b, bad[i].query, &b->answer))
            fail_msg("%s is taken", bad[i].query);
        assert_int_equal(b->input.problems.count, 1);
        assert_string_equal(p->field, bad[i].field);
        assert_string_equal(p->code, bad[i].code);
        if (bad[i].hint)
            assert_string_equal(p->hint, bad[i].hint);
    }
}

static int has_warning(const struct bench *b, const char *code)
{
    for (int i = 0; i < b->answer.warnings.count; i++)
        if (strcmp(b->answer.warnings.warning[i].code, code) == 0)
            return 1;
    return 0;
}

static void warnings_say_what_is_missing(void **state)
{
    struct bench *b = *state;

    answer(b, "samples=0&only_region=mars-1");
    assert_int_equal(b->answer.alternatives.count, 0);
    assert_true(has_warning(b, "no_alternatives"));
    answer(b, "samples=0&limit=0&grid=busy_frac,discount_frac");
    assert_true(has_warning(b, "no_grid"));
    assert_false(has_warning(b, "no_alternatives"));
}

/* An answer from another generation of prices has other alternatives. */
static void a_new_generation_is_another_ranking(void **state)
{
    struct bench *b = *state;
    const struct price_table *seed = b->world.prices;
    struct price_table next = *seed;
    struct price *row = malloc(seed->count * sizeof *row);
    const struct price *first;

    assert_non_null(row);
    memcpy(row, seed->price, seed->count * sizeof *row);
    answer(b, "samples=0");
    first = b->answer.alternatives.row[0].price;
    assert_non_null(first);
    row[first - seed->price].price_per_hour *= 10;
    next.price = row;
    next.generation = seed->generation + 1;
    b->world.prices = &next;
    answer(b, "samples=0");
    b->world.prices = seed;
    assert_true(b->answer.alternatives.row[0].price !=
                &row[first - seed->price]);
    free(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_all_members),
        cmocka_unit_test(json_explains_down_to_inputs),
        cmocka_unit_test(what_is_not_asked_for_is_null),
        cmocka_unit_test(page_and_text_show_them),
        cmocka_unit_test(explained_text_ends_in_sources),
        cmocka_unit_test(listings_are_said),
        cmocka_unit_test(a_link_compares_with_the_alternative),
        cmocka_unit_test(cases_leave_alternatives_alone),
        cmocka_unit_test(the_query_keeps_the_keys),
        cmocka_unit_test(mistakes_name_the_key),
        cmocka_unit_test(warnings_say_what_is_missing),
        cmocka_unit_test(a_new_generation_is_another_ranking),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
