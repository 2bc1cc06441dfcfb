/* test_equivalent.c: everyday terms: each with source and date, worked by
   hand, beside the figure and never in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "energy/equivalent.h"
#include "fcgi/app.h"
#include "fcgi/say.h"
#include "pricing/price.h"
#include "tests/near.h"

static void rows_say_where_from(void **state)
{
    (void)state;
    assert_true(equivalent_count_all() >= 3);
    for (size_t i = 0; i < equivalent_count_all(); i++) {
        const struct equivalent *e = equivalent_at(i);
        assert_true(*e->id && *e->label && *e->source.title);
        assert_true(strncmp(e->source.address, "https://", 8) == 0);
        assert_true(fact_day(e->source.date) > 20200101);
        assert_true(isnan(e->one_kwh) != isnan(e->one_kg));
        assert_true(isnan(e->one_kwh) ? e->one_kg > 0 : e->one_kwh > 0);
        assert_ptr_not_equal(say(1, e->label), e->label);
    }
}

/* EIA: 10,715 kWh a year, so 10,715 kWh are 12 household-months. 251 kg are
   1,000 km at 251 g/km. 570 kg are one flight. */
static void by_hand(void **state)
{
    static const struct { const char *id; double kwh, kg, want; } run[] = {
        { "household_month", 10715, 1e9, 12 },
        { "car_km", 1e9, 251, 1000 }, { "car_eu_km", 1e9, 175, 1000 },
        { "flight_long", 1e9, 570, 1 }, { "flight_short", 1e9, 25, 0.5 },
    };
    size_t found = 0;

    (void)state;
    for (size_t k = 0; k < sizeof run / sizeof *run; k++)
        for (size_t i = 0; i < equivalent_count_all(); i++) {
            const struct equivalent *e = equivalent_at(i);
            if (strcmp(e->id, run[k].id) != 0)
                continue;
            found++;
            assert_near(equivalent_of(e, run[k].kwh, run[k].kg), run[k].want,
                        1e-8);
        }
    assert_int_equal(found, sizeof run / sizeof *run);
}

static struct response response;

static const char *ask(const char *path)
{
    struct request request = { .method = "GET", .path = path,
        .query = "a=own/rtx-4090/4&samples=0", .body = "",
        .content_type = "", .content_encoding = "", .accept = "",
        .accept_language = "", .if_none_match = "", .sec_fetch_site = "",
        .base_url = "" };
    struct world world = { .prices = seed_prices(), .rates = seed_rates(),
                           .today = 20261201, .degraded_reason = "" };

    response_reset(&response);
    app_handle(&world, &request, &response);
    assert_int_equal(response.status, 200);
    return response.body.at;
}

static void beside_the_figures(void **state)
{
    cJSON *tree = cJSON_Parse(ask("/compare.json"));
    const cJSON *options = cJSON_GetObjectItem(tree, "options");
    const cJSON *list = cJSON_GetObjectItem(tree, "equivalents"), *each;
    int count = 0;

    (void)state;
    cJSON_ArrayForEach(each, list) {
        const char *of = cJSON_GetObjectItem(each, "of")->valuestring;
        const cJSON *one = cJSON_GetObjectItem(each,
            strcmp(of, "meter_kwh") == 0 ? "one_kwh" : "one_kg");
        const cJSON *value;
        count++;
        cJSON_ArrayForEach(value, cJSON_GetObjectItem(each, "options")) {
            const cJSON *figure = cJSON_GetObjectItem(
                cJSON_GetObjectItem(options, value->string), of);
            assert_non_null(figure);
            assert_near(value->valuedouble,
                        figure->valuedouble / one->valuedouble, 1e-12);
        }
        assert_non_null(cJSON_GetObjectItem(
            cJSON_GetObjectItem(each, "source"), "date"));
    }
    assert_int_equal(count, equivalent_count_all());
    cJSON_Delete(tree);
    assert_non_null(strstr(ask("/compare.html"), "id=\"equivalents\""));
    assert_non_null(strstr(ask("/compare.txt"), "everyday"));
    assert_non_null(strstr(ask("/compare.txt"), "Energy with cooling"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_where_from), cmocka_unit_test(by_hand),
        cmocka_unit_test(beside_the_figures),
    };
    int failed;

    response_init(&response);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    response_free(&response);
    return failed;
}
