/* test_zones.c: live values of grids and tariffs beside what results use: on
   the page of places, in JSON and CSV, and in no result. */
#define _XOPEN_SOURCE 700 /* strdup */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "energy/zone.h"
#include "fcgi/app.h"
#include "pricing/reading.h"
#include "tests/near.h"

enum { TODAY = 20261026, ROW_MAX = 80 };
static struct reading row[ROW_MAX];
static struct reading_table table = { row, 0 };
static struct response response;

static struct reading *add(const char *feed, const char *zone, double value,
                           const char *begin, int hour_halves)
{
    struct reading *r = &row[table.count++];

    assert_true(table.count <= ROW_MAX);
    *r = (struct reading){ .value = value, .begin = second_read(begin) };
    r->end = r->begin + hour_halves * 1800;
    snprintf(r->feed, sizeof r->feed, "%s", feed);
    snprintf(r->zone, sizeof r->zone, "%s", zone);
    return r;
}

static int compare(const void *a, const void *b)
{
    return reading_compare(a, b);
}

/* London's day of 25 hours, 25 October 2026: 100 g in its first hour, 225 g
   after that, 220 g on the whole; then the measured half hour and a forecast.
   A country by Electricity Maps, a region of Google, a tariff of two months. */
static int set_up(void **state)
{
    struct reading *r;

    (void)state;
    response_init(&response);
    for (int k = 0; k < 50; k++) {
        r = add("uk-grid", "GB", k < 2 ? 100 : 225, "2026-10-24T23:00Z", 1);
        r->basis = BASIS_DIRECT;
        r->begin += k * 1800;
        r->end = r->begin + 1800;
    }
    add("uk-grid", "GB", 141.5, "2026-10-26T09:30Z", 1)->basis = BASIS_DIRECT;
    r = add("uk-grid", "GB", 160, "2026-10-26T10:00Z", 1);
    r->basis = BASIS_DIRECT;
    r->forecast = 1;
    r = add("em-DE", "DE", 377, "2026-10-26T09:00Z", 2);
    r->basis = BASIS_LIFECYCLE;
    r->estimated = 1;
    add("em-FR", "FR", 21, "2026-10-20T09:00Z", 2)->basis = BASIS_LIFECYCLE;
    r = add("google-2025", "US", 431.95, "2025-01-01T00:00Z", 48 * 365);
    r->basis = BASIS_DIRECT;
    snprintf(r->region, sizeof r->region, "us-central1");
    r = add("eia", "US-CA", 0.2512, "2026-08-01T00:00Z", 48 * 31);
    r->kind = READING_TARIFF;
    r->tariff = TARIFF_COMMERCIAL;
    snprintf(r->currency, sizeof r->currency, "USD");
    snprintf(r->note, sizeof r->note, "average revenue");
    qsort(row, table.count, sizeof *row, compare);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    response_free(&response);
    return 0;
}

static const char *ask(const char *path, const char *query,
                       const struct reading_table *readings)
{
    const struct world world = { .prices = seed_prices(),
        .rates = seed_rates(), .today = TODAY, .degraded_reason = "",
        .readings = readings };
    const struct request request = { "GET", path, query, "", 0, 0, "", "", "",
                                     "", "", "", "", NULL, NULL };

    response_reset(&response);
    app_handle(&world, &request, &response);
    assert_int_equal(response.status, 200);
    return response.body.at;
}

static const cJSON *find(const cJSON *rows, const char *member,
                         const char *value)
{
    const cJSON *each;

    cJSON_ArrayForEach(each, rows)
        if (strcmp(cJSON_GetObjectItem(each, member)->valuestring, value) == 0)
            return each;
    fail_msg("no %s", value);
    return NULL;
}

static const char *word(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItem(object, name);

    assert_true(cJSON_IsString(member));
    return member->valuestring;
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItem(object, name);

    assert_non_null(member);
    return cJSON_IsNumber(member) ? member->valuedouble : (double)NAN;
}

static void rows_have_live_values(void **state)
{
    cJSON *tree = cJSON_Parse(ask("/zones.json", "", &table));
    const cJSON *rows = cJSON_GetObjectItem(tree, "rows"), *r;

    (void)state;
    assert_int_equal(cJSON_GetArraySize(rows), zone_count_all());
    r = find(rows, "id", "GB");
    assert_near(number(r, "grid_g_per_kwh"),
                zone_find("GB")->grid_g_per_kwh.value, 0);
    assert_near(number(r, "live_g_per_kwh"), 141.5, 0);
    assert_string_equal(word(r, "live_time"), "2026-10-26 09:30 UTC");
    assert_string_equal(word(r, "live_basis"), "direct, average");
    assert_string_equal(word(r, "live_state"), "measured");
    assert_non_null(strstr(word(r, "live_source"), "Carbon Intensity API"));
    assert_near(number(r, "live_yesterday_g_per_kwh"), 220, 1e-12);
    r = find(rows, "id", "DE");
    assert_near(number(r, "live_g_per_kwh"), 377, 0);
    assert_string_equal(word(r, "live_state"), "estimated");
    assert_true(isnan(number(r, "live_yesterday_g_per_kwh")));
    assert_string_equal(word(find(rows, "id", "FR"), "live_state"), "old");
    r = find(rows, "id", "US"); /* of one region of it alone */
    assert_true(isnan(number(r, "live_g_per_kwh")));
    assert_string_equal(word(r, "live_time"), "");
    r = find(rows, "id", "US-CA");
    assert_near(number(r, "fetched_commercial_price_per_kwh"), 0.2512, 0);
    assert_true(isnan(number(r, "fetched_industrial_price_per_kwh")));
    assert_string_equal(word(r, "fetched_currency"), "USD");
    assert_string_equal(word(r, "fetched_tariff_time"), "2026-08");
    cJSON_Delete(tree);
}

static void readings_stand_beside_what_is_used(void **state)
{
    cJSON *tree = cJSON_Parse(ask("/zones.json", "", &table));
    const cJSON *rows = cJSON_GetObjectItem(tree, "readings"), *r;
    enum tariff_class used;

    (void)state;
    assert_int_equal(cJSON_GetArraySize(rows), 5); /* the newest of each */
    r = find(rows, "zone", "GB");
    assert_near(number(r, "value"), 141.5, 0);
    assert_near(number(r, "used_value"),
                zone_find("GB")->grid_g_per_kwh.value, 0);
    assert_string_equal(word(r, "used_date"),
                        zone_find("GB")->grid_g_per_kwh.source.date);
    r = find(rows, "zone", "US");
    assert_string_equal(word(r, "region"), "us-central1");
    assert_string_equal(word(r, "time"), "2025");
    assert_string_equal(word(r, "unit"), "g CO2e/kWh");
    r = find(rows, "zone", "US-CA");
    assert_near(number(r, "used_value"), tariff_find("US-CA",
                TARIFF_COMMERCIAL, &used).fact.value, 0);
    assert_string_equal(word(r, "unit"), "USD/kWh");
    /* August 2026 is after whatever is built in */
    assert_string_equal(word(r, "state"), "newer");
    assert_string_equal(word(r, "basis"), "average revenue");
    cJSON_Delete(tree);
    tree = cJSON_Parse(ask("/zones.json", "", NULL));
    assert_int_equal(cJSON_GetArraySize(
        cJSON_GetObjectItem(tree, "readings")), 0);
    r = find(cJSON_GetObjectItem(tree, "rows"), "id", "GB");
    assert_true(isnan(number(r, "live_g_per_kwh")));
    cJSON_Delete(tree);
}

static void csv_and_page(void **state)
{
    const char *body = ask("/zones.csv", "", &table);

    (void)state;
    assert_non_null(strstr(body, ",live_g_per_kwh,live_time,"));
    assert_non_null(strstr(body, ",141.5,2026-10-26 09:30 UTC,"
                           "\"direct, average\",measured,"));
    body = ask("/zones", "", &table);
    assert_non_null(strstr(body, "Results use the yearly grid factors"));
    assert_non_null(strstr(body, "The grid now"));
    assert_non_null(strstr(body, "2026-10-26 09:30 UTC"));
    assert_non_null(strstr(body, "Other values of the feeds"));
    body = strstr(body, "Results use");
    assert_null(strstr(body + 1, "Results use")); /* said once */
    body = ask("/zones", "lang=zh", &table);
    assert_non_null(strstr(body, "\xE7\x94\xB5\xE7\xBD\x91")); /* the grid */
    assert_null(strstr(body, "measured"));
    assert_null(strstr(body, "Results use"));
    assert_null(strstr(ask("/zones", "", NULL), "The grid now"));
}

static void no_result_changes(void **state)
{
    static const char query[] = "a=own/h100-sxm5-80gb/8&zone=GB&b=rent/aws/"
                                "p4d.24xlarge/us-east-1/on_demand";
    char *without = strdup(ask("/compare.json", query, NULL));

    (void)state;
    assert_non_null(without);
    assert_string_equal(ask("/compare.json", query, &table), without);
    free(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_live_values),
        cmocka_unit_test(readings_stand_beside_what_is_used),
        cmocka_unit_test(csv_and_page), cmocka_unit_test(no_result_changes),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
