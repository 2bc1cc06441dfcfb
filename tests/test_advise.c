/* test_advise.c: tiers, drivers and /advise through the seam. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/app.h"
#include "pricing/advise.h"
#include "pricing/price.h"
#include "tests/near.h"

/* --- tables ------------------------------------------------------------------- */

static void tiers_by_budget_and_size(void **state)
{
    (void)state;
    static const struct { double budget; int want; } budgets[] = {
        { 4999, -1 }, { 5000, 0 }, { 10000, 0 }, { 14999, 0 }, { 15000, 1 },
        { 49999, 1 }, { 50000, 2 }, { 1e9, 2 },
    };
    static const struct { double params, samples; int want; } sizes[] = {
        { 5e7, 5e4, 0 }, { 1e8, 1e5, 0 }, { 5e7, 2e5, 1 }, { 5e8, 5e4, 1 },
        { 2e9, 1, 2 }, { 1, 2e6, 2 }, { (double)NAN, 5e4, 0 },
        { 5e8, (double)NAN, 1 }, { (double)NAN, (double)NAN, 0 },
    };

    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++)
        assert_int_equal(tier_of_budget(budgets[i].budget), budgets[i].want);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(tier_of_size(sizes[i].params, sizes[i].samples),
                         sizes[i].want);
    for (size_t i = 0; i < tier_build_count_all(); i++)
        assert_non_null(gpu_find(tier_build_at(i)->gpu));
    for (size_t i = 0; i < correction_count_all(); i++) {
        const struct correction *c = correction_at(i);
        assert_true(!*c->gpu || gpu_find(c->gpu));
        assert_true(*c->source.title && fact_day(c->source.date));
    }
}

static void drivers_are_read_and_compared(void **state)
{
    (void)state;
    static const char smi[] =
        "+-----------------------------------------------------------------+\n"
        "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA "
        "Version: 12.2     |\n";
    char version[DRIVER_TEXT_BYTE];

    assert_int_equal(driver_read(smi, version), 1);
    assert_string_equal(version, "535.104.05");
    assert_int_equal(driver_read("  570.26\n", version), 1);
    assert_string_equal(version, "570.26");
    assert_int_equal(driver_read("", version), 0);
    assert_int_equal(driver_read("none", version), 0);
    assert_int_equal(driver_read("570", version), 0);
    assert_int_equal(driver_read("...", version), 0);
    assert_int_equal(driver_read("1.2.3.4.5.6.7.8.9.10.11.12.13.14", version),
                     0);
    assert_int_equal(driver_compare("535.104.05", "535.54.03"), 1);
    assert_int_equal(driver_compare("525.60.13", "525.60.13"), 0);
    assert_int_equal(driver_compare("470.57.02", "525.60.13"), -1);
    assert_int_equal(driver_compare("570", "570.26"), -1);
    /* CUDA 11.4 came with 470.42.01, 12.2 with 535.54.03 */
    assert_string_equal(driver_cuda("470.57.02"), "11.4");
    assert_string_equal(driver_cuda("535.104.05"), "12.2");
    assert_null(driver_cuda("300.1"));
    assert_string_equal(driver_of_architecture("Ada (AD102)"), "520.61.05");
    assert_string_equal(driver_of_architecture("Blackwell (GB202)"),
                        "570.26");
    assert_string_equal(driver_of_architecture("Ampere (GA100)"),
                        "450.36.06");
    assert_string_equal(driver_of_architecture("Ampere (GA106)"),
                        "455.23.04");
    assert_null(driver_of_architecture("CDNA3"));
}

/* --- the address ------------------------------------------------------------------ */

struct bench { struct world world; struct response response; cJSON *json; };

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    if (!b)
        return -1;
    b->world = (struct world){ .prices = seed_prices(),
                                .rates = seed_rates(), .today = 20261201,
                                .degraded_reason = "" };
    response_init(&b->response);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    cJSON_Delete(b->json);
    response_free(&b->response);
    free(b);
    return 0;
}

static int get(struct bench *b, const char *path, const char *query)
{
    struct request request = {
        .method = "GET", .path = path, .query = query, .body = "",
        .content_type = "", .content_encoding = "", .accept = "",
        .accept_language = "", .if_none_match = "", .sec_fetch_site = "",
        .base_url = ""
    };

    response_reset(&b->response);
    app_handle(&b->world, &request, &b->response);
    text_char(&b->response.body, '\0');
    return b->response.status;
}

static const cJSON *member(const cJSON *at, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(at, name);

    if (!item)
        fail_msg("no member %s", name);
    return item;
}

static const cJSON *ask(struct bench *b, const char *query)
{
    if (get(b, "/advise.json", query) != 200)
        fail_msg("%s: %s", query, b->response.body.at);
    cJSON_Delete(b->json);
    b->json = cJSON_Parse(b->response.body.at);
    assert_non_null(b->json);
    return b->json;
}

static int warned(const cJSON *json, const char *code)
{
    const cJSON *each;

    cJSON_ArrayForEach(each, member(json, "warnings"))
        if (strcmp(member(each, "code")->valuestring, code) == 0)
            return 1;
    return 0;
}

static void chooses_a_tier(void **state)
{
    static const struct { const char *query, *tier; int conflict; } rows[] = {
        { "budget=8000&currency=CNY&param_count=5e7&dataset_sample_count=5e4", "entry", 0 },
        { "budget=20000&currency=CNY&param_count=5e8", "advanced", 0 },
        { "budget=60000&currency=CNY&param_count=7e9", "professional", 0 },
        { "budget=60000&currency=CNY&param_count=5e7", "professional", 0 },
        { "budget=8000&currency=CNY&param_count=7e9", "entry", 1 },
        { "param_count=7e9", "professional", 0 },
        { "param_count=5e7", "entry", 0 },
        { "budget=8000&currency=CNY&param_count=7e9&task=qlora", "entry", 0 },
        { "param_count=7e9&task=qlora", "entry", 0 },
        { "", "entry", 0 },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cJSON *json = ask(b, rows[i].query), *each;
        if (strcmp(member(json, "tier")->valuestring, rows[i].tier) != 0 ||
            warned(json, "budget_and_size") != rows[i].conflict)
            fail_msg("%s: %s", rows[i].query, b->response.body.at);
        assert_true(cJSON_GetArraySize(member(json, "builds")) >= 2);
        cJSON_ArrayForEach(each, member(json, "builds")) {
            const cJSON *hour = member(each, "cost_per_gpu_hour");
            const cJSON *rent = member(each, "rent");
            if (!cJSON_IsNumber(hour) &&
                cJSON_IsNumber(member(each, "capex")))
                fail_msg("%s: %s", rows[i].query, b->response.body.at);
            if (cJSON_IsObject(rent))
                assert_true(member(rent, "cost_per_gpu_hour")->valuedouble
                            > 0);
        }
    }
    /* below every tier */
    assert_true(cJSON_IsNull(member(ask(b, "budget=100&currency=CNY"),
                                    "tier")));
    assert_true(warned(b->json, "budget_below_all"));
}

/* A tier whose every build is above the budget is not all that is shown: what
   the budget buys stands behind it, and it is said. */
static void the_budget_buys_something(void **state)
{
    struct bench *b = *state;
    const cJSON *each, *json = ask(b, "budget=30000&param_count=7e9");
    int within = 0, of_tier = 0;

    cJSON_ArrayForEach(each, member(json, "builds")) {
        const int professional = !strcmp(member(each, "tier")->valuestring,
                                         "professional");
        within += cJSON_IsTrue(member(each, "within_budget"));
        of_tier += professional;
        assert_int_equal(professional,
                         cJSON_IsFalse(member(each, "within_budget")));
    }
    assert_true(within > 0 && of_tier > 0);
    assert_true(warned(json, "tier_above_budget"));
    json = ask(b, "budget=400000&param_count=7e9");
    assert_false(warned(json, "tier_above_budget"));
    /* below every tier, and still a card can be had */
    json = ask(b, "budget=4900&currency=CNY");
    cJSON_ArrayForEach(each, member(json, "builds"))
        assert_true(cJSON_IsTrue(member(each, "within_budget")));
}

/* 1e9 weights: 16e9 bytes = 14.9 GiB, not 40. */
static void says_what_is_needed(void **state)
{
    struct bench *b = *state;
    const cJSON *need = member(ask(b, "param_count=1e9"), "need");
    const cJSON *each;
    int found = 0;

    assert_near(member(need, "state_gib")->valuedouble,
                16e9 / (1024.0 * 1024 * 1024), 1e-12);
    cJSON_ArrayForEach(each, member(b->json, "corrections"))
        found += strcmp(member(each, "id")->valuestring, "one-billion") == 0;
    assert_int_equal(found, 1);
    need = member(ask(b, "param_count=7e9&task=inference"), "need");
    assert_near(member(need, "state_gib")->valuedouble,
                14e9 / (1024.0 * 1024 * 1024), 1e-12);
}

static void checks_the_driver(void **state)
{
    struct bench *b = *state;
    const cJSON *json = ask(b, "param_count=5e8&driver=470.57.02");
    const cJSON *driver = member(json, "driver");

    assert_string_equal(member(driver, "cuda")->valuestring, "11.4");
    assert_true(cJSON_IsFalse(member(driver, "runs_cuda_12")));
    assert_true(warned(json, "driver_too_old"));
    json = ask(b, "param_count=5e8&driver=580.65.06");
    assert_true(cJSON_IsTrue(member(member(json, "driver"),
                                    "runs_cuda_13")));
    assert_false(warned(json, "driver_too_old"));
    assert_int_equal(get(b, "/advise.json", "driver=latest"), 400);
    assert_int_equal(get(b, "/advise.json", "budget=-1"), 400);
    assert_int_equal(get(b, "/advise.json", "token_count=1e9"), 400);
    assert_int_equal(get(b, "/advise.json", "task=cooking"), 400);
}

static void pages(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, "/advise.html", ""), 200);
    assert_int_equal(get(b, "/advise.html", "lang=zh&budget=20000"
                     "&param_count=7e9&driver=470.57.02"), 200);
    assert_non_null(strstr(b->response.body.at, "<table>"));
    assert_int_equal(get(b, "/advise.html", "driver=%3Cb%3E&budget=x"), 400);
    assert_null(strstr(b->response.body.at, "<b>"));
    assert_int_equal(get(b, "/advise.txt", "param_count=7e9"), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiers_by_budget_and_size),
        cmocka_unit_test(drivers_are_read_and_compared),
        cmocka_unit_test_setup_teardown(chooses_a_tier, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_budget_buys_something, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_what_is_needed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(checks_the_driver, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
