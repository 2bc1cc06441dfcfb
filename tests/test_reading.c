/* test_reading.c: values of grid and tariffs: what readers make of them, which
   are believed, what is kept, and days of 23 and 25 hours. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "energy/zone.h"
#include "pricing/accept_reading.h"
#include "pricing/apply.h"
#include "tests/near.h"

/* -- readers --------------------------------------------------------------- */

enum { HEARD_BYTE = 200000 };
struct heard { char text[HEARD_BYTE]; size_t byte; long count; };
static struct heard heard_text;

static void hear(struct heard *heard, const char *line)
{
    heard->byte += (size_t)snprintf(heard->text + heard->byte,
                                    HEARD_BYTE - heard->byte, "%s\n", line);
    assert_true(heard->byte < HEARD_BYTE);
}

static int hear_reading(void *context, const struct reading *r)
{
    char line[240], when[READING_WHEN_BYTE];

    reading_when(r, when);
    snprintf(line, sizeof line, "%s%s%s %s %.10g%s %s%s%s%s%s%s", r->zone,
             *r->region ? "/" : "", r->region,
             r->kind == READING_GRID ? "grid" : tariff_class_name[r->tariff],
             r->value, r->currency, when, *reading_basis_name[r->basis]
             ? ", " : "", reading_basis_name[r->basis],
             *r->note ? ", " : "", r->note, r->forecast ? ", forecast"
             : r->estimated ? ", estimated" : "");
    ((struct heard *)context)->count++;
    hear(context, line);
    return 0;
}

static int hear_refused(void *context, enum refusal why,
                        const struct feed_row *row)
{
    char line[100];

    snprintf(line, sizeof line, "!%s %s", refusal_table[why].id,
             row->instance);
    hear(context, line);
    return 0;
}

/* One body in pieces; why: what the reader says of it. */
static enum status read_text(const char *id, const char *body, size_t byte,
                             size_t piece, struct heard *heard, char why[200])
{
    const struct feed *feed = feed_find(id);
    const struct feed_sink sink = { heard, NULL, hear_refused, NULL,
                                    hear_reading, NULL };
    struct feed_parse *parse;
    enum status status = GOOD;

    assert_non_null(feed);
    parse = feed_begin(feed, &sink);
    assert_non_null(parse);
    heard->byte = 0;
    heard->count = 0;
    *heard->text = '\0';
    for (size_t at = 0; at < byte && status == GOOD; at += piece)
        status = feed_bytes(feed, parse, body + at,
                            byte - at < piece ? byte - at : piece);
    if (status == GOOD)
        status = feed_end(feed, parse);
    snprintf(why, 200, "%s", feed_why(parse));
    feed_close(feed, parse);
    return status;
}

#define UK(from, to, forecast, actual)                                       \
    "{\"from\":\"2099-01-01T" from "Z\",\"to\":\"2099-01-01T" to              \
    "Z\",\"intensity\":{\"forecast\":" forecast ",\"actual\":" actual         \
    ",\"index\":\"moderate\"}}"
#define MAPS(zone, value, type, guess)                                       \
    "{\"zone\":\"" zone "\",\"carbonIntensity\":" value ",\"datetime\":"      \
    "\"2099-01-01T12:00:00.000Z\",\"createdAt\":\"2098-12-29T12:00:00.000Z\"" \
    ",\"emissionFactorType\":\"" type "\",\"isEstimated\":" guess "}"
#define EIA(state, sector, period, price)                                    \
    "{\"period\":\"" period "\",\"stateid\":\"" state "\",\"sectorid\":\""    \
    sector "\",\"price\":" price ",\"price-units\":"                          \
    "\"cents per kilowatthour\"}"
#define EIA_HEAD "{\"response\":{\"total\":\"1\",\"data\":["
#define GOOGLE "Google Cloud Region,Location,Google CFE,Grid carbon intensity" \
    " (gCO2eq / kWh)\n"
/* two bands x two countries; position = band x 2 + country */
#define EUROSTAT(currency, value)                                            \
    "{\"version\":\"2.0\",\"id\":[\"freq\",\"nrg_cons\",\"unit\",\"tax\","    \
    "\"currency\",\"geo\",\"time\"],\"size\":[1,2,1,1,1,2,1],\"dimension\":{" \
    "\"nrg_cons\":{\"category\":{\"index\":{\"MWH20-499\":0,"                 \
    "\"MWH2000-19999\":1}}},\"unit\":{\"category\":{\"index\":{\"KWH\":0}}}," \
    "\"tax\":{\"category\":{\"index\":{\"X_VAT\":0}}},\"currency\":"          \
    "{\"category\":{\"index\":{\"" currency "\":0}}},\"geo\":{\"category\":"  \
    "{\"index\":{\"DE\":0,\"EL\":1}}},\"time\":{\"category\":{\"index\":"     \
    "{\"2026-S1\":0}}}},\"value\":{" value "}}"

static const struct {
    const char *feed, *body;
    enum status status;
    const char *want, *why;
} bodies[] = {
    { "uk-grid", "{\"data\":[" UK("12:00", "12:30", "150", "null") "]}", GOOD,
      "GB grid 150 2099-01-01 12:00 UTC, direct, forecast\n", "" },
    { "uk-grid", "{\"data\":[" UK("12:00", "12:30", "150", "141") ","
      UK("12:30", "13:00", "152", "null") "]}", GOOD,
      "GB grid 141 2099-01-01 12:00 UTC, direct\n"
      "GB grid 152 2099-01-01 12:30 UTC, direct, forecast\n", "" },
    { "uk-grid", "{\"data\":[" UK("12:00", "12:30", "null", "null") "]}", GOOD,
      "!missing GB\n", "" },
    { "uk-grid", "{\"data\":[" UK("12:00", "11:30", "1", "1") "]}", GOOD,
      "!bad_date GB\n", "" },
    { "uk-grid", "{\"data\":[" UK("12:00", "12:30", "150", "1,\"actual\":2")
      "]}", GOOD, "!duplicate_key GB\n", "" },
    { "uk-grid", "{\"data\":[]}", FEED_REFUSED, "", "row_count:" },
    { "uk-grid", "{}", FEED_REFUSED, "", "schema:" },
    { "uk-grid", "<html>", FEED_REFUSED, "", "json:" },
    { "uk-grid", "{\"error\":{\"code\":\"500\",\"message\":\"gone\"}}",
      FEED_REFUSED, "", "schema: it says gone" },
    { "em-DE", MAPS("DE", "250", "lifecycle", "true"), GOOD,
      "DE grid 250 2099-01-01 12:00 UTC, lifecycle, estimated\n", "" },
    { "em-DE", MAPS("DE", "250", "direct", "false"), GOOD,
      "DE grid 250 2099-01-01 12:00 UTC, direct\n", "" },
    { "em-DE", MAPS("DE", "null", "lifecycle", "false"), GOOD, "!missing DE\n",
      "" },
    { "em-DE", MAPS("FR", "50", "lifecycle", "false"), FEED_REFUSED, "",
      "schema: it is of zone \"FR\"" },
    { "em-DE", MAPS("DE", "250", "marginal", "false"), FEED_REFUSED, "",
      "schema:" },
    { "em-DE", "{\"error\":\"Invalid auth-token\"}", FEED_REFUSED, "",
      "schema:" },
    { "em-DE", "{\"zone\":\"DE\",\"history\":[]}", FEED_REFUSED, "",
      "row_count:" },
    { "eia", EIA_HEAD EIA("CA", "COM", "2026-09", "\"12.5\"") "]}}", GOOD,
      "US-CA commercial 0.125USD 2026-09, average revenue\n", "" },
    { "eia", "{\"response\":{\"total\":3,\"data\":["
      EIA("US", "IND", "2026-12", "8.1") "," EIA("TX", "RES", "2026-09", "null")
      "," EIA("NEW", "COM", "2026-09", "20") "]}}", GOOD,
      "US industrial 0.081USD 2026-12, average revenue\n!unpublished US-TX\n",
      "" },
    { "eia", EIA_HEAD EIA("CA", "COM", "2026-09", "35.2") "]}}", GOOD,
      "US-CA commercial 0.352USD 2026-09, average revenue\n", "" },
    { "eia", EIA_HEAD EIA("CA", "TRA", "2026-09", "9") "]}}", GOOD, "", "" },
    { "eia", EIA_HEAD EIA("CA", "COM", "2026-13", "9") "]}}", GOOD,
      "!bad_date US-CA\n", "" },
    { "eia", "{\"response\":{\"total\":9,\"data\":["
      EIA("CA", "COM", "2026-09", "9") "]}}", FEED_REFUSED, "",
      "incomplete: 1 rows of 9" },
    { "eia", EIA_HEAD "{\"period\":\"2026-09\",\"stateid\":\"CA\","
      "\"sectorid\":\"COM\",\"price\":0.2,\"price-units\":"
      "\"dollars per kilowatthour\"}]}}", FEED_REFUSED, "", "unit:" },
    { "eia", "{\"response\":{\"total\":\"0\",\"data\":[]}}", FEED_REFUSED, "",
      "row_count:" },
    { "eia", "{\"error\":{\"code\":\"API_KEY_INVALID\"}}", FEED_REFUSED, "",
      "schema:" },
    { "google-2024", GOOGLE "us-central1,Iowa,0.88,431.95\n"
      "europe-west6,Z\xC3\xBCrich,,21\r\n" "mars-north1,Olympus,,3\n"
      "us-east1,South Carolina,0.3,\n", GOOD,
      "US/us-central1 grid 431.95 2024, direct\n"
      "CH/europe-west6 grid 21 2024, direct\n!unknown_region mars-north1\n"
      "!missing us-east1\n", "" },
    { "google-2024", "Google Cloud Region,Location,Google CFE,Lifecycle grid "
      "carbon intensity (gCO2eq / kWh)\nus-central1,Iowa,0.78,479\n", GOOD,
      "US/us-central1 grid 479 2024, lifecycle\n", "" },
    { "google-2024", "Google Cloud Region,Location,Google CFE,Grid carbon "
      "intensity (kgCO2eq / kWh)\nus-central1,Iowa,0.78,0.479\n",
      FEED_REFUSED, "", "unit:" },
    { "google-2024", GOOGLE "us-central1,Iowa,0.88,43", FEED_REFUSED,
      "US/us-central1 grid 43 2024, direct\n", "incomplete:" },
    { "google-2025", GOOGLE "us-central1,Iowa,0.88,431.95", GOOD,
      "US/us-central1 grid 431.95 2025, direct\n", "" },
    { "google-2025", GOOGLE "us-central1,Iowa", FEED_REFUSED, "", "csv:" },
    { "google-2025", "data/yearly/2019.csv", FEED_REFUSED, "", "schema:" },
    { "google-2025", "", FEED_REFUSED, "", "schema: no header" },
    /* band 0 of DE is a hole; EL is Greece */
    { "eurostat-firms", EUROSTAT("EUR", "\"2\":0.21,\"3\":0.19,\"1\":0.22"),
      GOOD, "GR commercial 0.22EUR 2026-S1, band IB, without VAT\n"
      "DE industrial 0.21EUR 2026-S1, band ID, without VAT\n"
      "GR industrial 0.19EUR 2026-S1, band ID, without VAT\n", "" },
    { "eurostat-firms", EUROSTAT("PPS", "\"1\":0.22"), FEED_REFUSED, "",
      "currency:" },
    { "eurostat-firms", EUROSTAT("EUR", "\"1\":0.22,\"1\":0.23"),
      FEED_REFUSED, "", "schema:" },
    { "eurostat-firms", "{\"warning\":\"try later\"}", FEED_REFUSED, "",
      "schema:" },
};

static void readers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const char *body = bodies[i].body;

        for (size_t piece = 1; piece < 5000; piece = piece * 3 + 1) {
            char why[200];
            enum status status = read_text(bodies[i].feed, body, strlen(body),
                                           piece, &heard_text, why);

            if (status != bodies[i].status ||
                strcmp(heard_text.text, bodies[i].want) != 0 ||
                strncmp(why, bodies[i].why, strlen(bodies[i].why)) != 0)
                fail_msg("%s, %s: \"%s\", in pieces of %zu:\n%s",
                         bodies[i].feed, body, why, piece, heard_text.text);
        }
    }
}

/* A body cut anywhere is refused, but for blanks at its end. */
static void cut_bodies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const size_t byte = strlen(bodies[i].body);
        char why[200];

        if (bodies[i].status != GOOD || strstr(bodies[i].feed, "2025"))
            continue;
        for (size_t cut = 0; cut + 1 < byte; cut++)
            if (bodies[i].body[cut] != '\n' &&
                (!cut || bodies[i].body[cut - 1] != '\n') &&
                read_text(bodies[i].feed, bodies[i].body, cut, 64,
                          &heard_text, why) == GOOD)
                fail_msg("%s is taken when cut at %zu: %s", bodies[i].feed,
                         cut, bodies[i].body);
    }
}

/* The years of Google's table, as they are, are all believed. */
static enum status judge_recorded(const char *body, size_t byte)
{
    const struct feed *feed = feed_find("google-2024");
    struct batch *batch = batch_open(feed);
    const struct feed_sink sink = batch_sink(batch);
    struct feed_parse *parse = feed_begin(feed, &sink);
    const struct accept_reading_rule rule = { feed, 1793620800, 0, 0 };
    char why[200];
    enum status status = feed_bytes(feed, parse, body, byte);

    if (status == GOOD)
        status = feed_end(feed, parse);
    if (status == GOOD)
        status = batch_judge_readings(batch, &rule, why, sizeof why);
    if (status != GOOD)
        print_error("%s\n", why);
    assert_int_equal(tally_alarms(batch_tally(batch)), 0);
    feed_close(feed, parse);
    batch_close(batch);
    return status;
}

/* -- recorded bodies ------------------------------------------------------- */

static char *shared(const char *name, size_t *byte)
{
    const char *folder = getenv("GPUTCO_SHARED");
    char path[400], *text = malloc(HEARD_BYTE);
    FILE *file;

    assert_non_null(text);
    snprintf(path, sizeof path, "%s/feeds/carbon/%s", folder ? folder : "",
             name);
    file = folder ? fopen(path, "r") : NULL;
    if (!file) {
        print_message("skipped: GPUTCO_SHARED has no %s\n", name);
        free(text);
        return NULL;
    }
    *byte = fread(text, 1, HEARD_BYTE, file);
    assert_true(*byte < HEARD_BYTE);
    fclose(file);
    return text;
}

static void recorded(void **state)
{
    static const struct {
        const char *name, *feed;
        enum status status;
        long count;
        const char *line;
    } run[] = {
        { "uk_intensity_2019-09-12.json", "uk-grid", GOOD, 1,
          "GB grid 188 2019-09-12 08:00 UTC, direct\n" },
        { "uk_error_2025-01-13.json", "uk-grid", FEED_REFUSED, 0, "" },
        { "uk_intensity_date_no_data_2026-09-07.json", "uk-grid", FEED_REFUSED,
          0, "" },
        /* recorded of a zone that has no feed: refused for the zone */
        { "electricitymaps_latest_US-CAR-DUK_2025-03-29.json", "em-US",
          FEED_REFUSED, 0, "" },
        { "gcp_region_carbon_2019.csv", "google-2024", GOOD, 24,
          "FI/europe-north1 grid 181 2024, lifecycle\n" },
        { "gcp_region_carbon_2024.csv", "google-2024", GOOD, 44,
          "SE/europe-north2 grid 2.73 2024, direct\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        size_t byte = 0;
        char why[200], *text = shared(run[i].name, &byte);

        if (!text)
            skip();
        if (read_text(run[i].feed, text, byte, 1000, &heard_text, why)
                != run[i].status || heard_text.count != run[i].count ||
            !strstr(heard_text.text, run[i].line))
            fail_msg("%s: %ld, %s\n%s", run[i].name, heard_text.count, why,
                     heard_text.text);
        if (strncmp(run[i].name, "gcp", 3) == 0)
            assert_int_equal(judge_recorded(text, byte), GOOD);
        free(text);
    }
}

/* -- time ------------------------------------------------------------------ */

static void times(void **state)
{
    static const struct { const char *text; long long want; } run[] = {
        { "1970-01-01T00:00Z", 0 }, { "2001-09-09T01:46:40Z", 1000000000 },
        { "2025-03-29T18:00:00.000Z", 1743271200 },
        { "2025-03-29T18:00:00.Z", 1743271200 },
        { "2025-02-29T18:00Z", -1 }, { "2025-03-29T24:00Z", -1 },
        { "2025-03-29T18:60Z", -1 }, { "2025-03-29T18:00:60Z", -1 },
        { "2025-03-29T18:00+01:00", -1 }, { "2025-03-29T18:00", -1 },
        { "2025-03-29 18:00Z", -1 }, { "2025-03-29T18:00ZZ", -1 },
        { "", -1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        if (second_read(run[i].text) != run[i].want)
            fail_msg("%s: %lld", run[i].text, second_read(run[i].text));
    for (int year = 1970; year < 2101; year++) {
        static const int days[] = { 101, 228, 301, 1231 };
        for (int i = 0; i < 4; i++) {
            const int day = year * 10000 + days[i];
            assert_int_equal(day_of_second(second_of_day(day)), day);
            assert_int_equal(day_of_second(second_of_day(day) + 86399), day);
        }
    }
    assert_int_equal(day_of_second(-1), 19691231);
}

/* Clocks of London: forward on 29 March 2026, back on 25 October 2026, both at
   01:00 UTC. Hours of summer begin 23:00 UTC the day before. */
static const struct { int day, hours; const char *begin; } london[] = {
    { 20260328, 24, "2026-03-28T00:00Z" },
    { 20260329, 23, "2026-03-29T00:00Z" },
    { 20260330, 24, "2026-03-29T23:00Z" },
    { 20261024, 24, "2026-10-23T23:00Z" },
    { 20261025, 25, "2026-10-24T23:00Z" },
    { 20261026, 24, "2026-10-26T00:00Z" },
    { 20270328, 23, "2027-03-28T00:00Z" },
    { 20241027, 25, "2024-10-26T23:00Z" },
};

static void local_days(void **state)
{
    long long begin, end;

    (void)state;
    for (size_t i = 0; i < sizeof london / sizeof *london; i++) {
        local_day(london[i].day, 0, 1, &begin, &end);
        assert_int_equal(begin, second_read(london[i].begin));
        assert_int_equal(end - begin, london[i].hours * 3600);
        local_day(london[i].day, 0, 0, &begin, &end); /* UTC has no such days */
        assert_int_equal(begin, second_of_day(london[i].day));
        assert_int_equal(end - begin, 86400);
    }
    local_day(20260329, 1, 1, &begin, &end); /* Berlin */
    assert_int_equal(begin, second_read("2026-03-28T23:00Z"));
    assert_int_equal(end - begin, 23 * 3600);
}

/* Half hours whose value is 100 in the first hour of the local day and 200
   after that: the mean of H hours is (100 + (H - 1) x 200) / H. The half hours
   around the day are 1000 each, so that a shifted hour shows. */
static void days_of_23_and_25_hours(void **state)
{
    struct reading half[60];

    (void)state;
    for (size_t i = 0; i < sizeof london / sizeof *london; i++) {
        const long long first = second_read(london[i].begin);
        const int count = london[i].hours * 2;
        long long begin, end;

        for (int k = -2; k < count + 2; k++)
            half[k + 2] = (struct reading){
                .value = k < 0 || k >= count ? 1000 : k < 2 ? 100 : 200,
                .begin = first + k * 1800, .end = first + k * 1800 + 1800 };
        local_day(london[i].day, 0, 1, &begin, &end);
        assert_near(reading_mean(half, (size_t)count + 4, begin, end),
                    (100.0 + (london[i].hours - 1) * 200) / london[i].hours,
                    1e-12);
        /* one is missing, within or at an end */
        assert_true(isnan(reading_mean(half, (size_t)count + 1, begin, end)));
        assert_true(isnan(reading_mean(half + 3, (size_t)count, begin, end)));
        half[20].begin += 1800;
        half[20].end += 1800;
        assert_true(isnan(reading_mean(half, (size_t)count + 4, begin, end)));
    }
}

/* Each counts by how long it is: an hour of 100 and two halves of 400 are
   250; and of an hour of 100 that begins before, half an hour counts. */
static void means_go_by_duration(void **state)
{
    const struct reading mixed[] = { { .value = 100, .begin = 0, .end = 3600 },
        { .value = 400, .begin = 3600, .end = 5400 },
        { .value = 400, .begin = 5400, .end = 7200 } };

    (void)state;
    assert_near(reading_mean(mixed, 3, 0, 7200), 250, 1e-12);
    assert_near(reading_mean(mixed, 3, 1800, 5400), 250, 1e-12);
    assert_near(reading_mean(mixed, 3, 1800, 7200), 300, 1e-12);
    assert_true(isnan(reading_mean(mixed, 3, 0, 7201)));
    assert_true(isnan(reading_mean(mixed, 0, 0, 7200)));
}

/* -- believing ------------------------------------------------------------- */

static const long long noon = 1793620800; /* 2026-11-02 12:00 UTC */

static struct reading grid(const char *zone, double value)
{
    struct reading r = { .kind = READING_GRID, .basis = BASIS_DIRECT,
                         .value = value, .begin = noon - 3600, .end = noon };

    snprintf(r.zone, sizeof r.zone, "%s", zone);
    return r;
}

static struct reading tariff(const char *zone, enum tariff_class of,
                             const char *currency, double value)
{
    struct reading r = { .kind = READING_TARIFF, .tariff = of, .value = value,
                         .begin = second_of_day(20260801),
                         .end = second_of_day(20260901) };

    snprintf(r.zone, sizeof r.zone, "%s", zone);
    snprintf(r.currency, sizeof r.currency, "%s", currency);
    return r;
}

static enum status judge(const struct reading *r, int accept, char why[200],
                         struct tally *tally)
{
    struct reading one = *r;
    size_t count = 1;
    const struct accept_reading_rule rule = { feed_find("uk-grid"), noon,
                                              accept, 0 };
    enum status status;

    *tally = (struct tally){ .row = 0 };
    *why = '\0';
    status = accept_readings(&one, &count, &rule, tally, why, 200);
    if (status == GOOD)
        assert_int_equal(count, 1);
    return status;
}

static void believing(void **state)
{
    const double year = zone_find("GB")->grid_g_per_kwh.value;
    const double clean = zone_find("SE")->grid_g_per_kwh.value;
    enum tariff_class used;
    const double firm = tariff_find("DE", TARIFF_COMMERCIAL,
                                    &used).fact.value;
    struct reading future = grid("GB", 200), later = future, old = future;
    struct tally tally;
    char why[200];

    (void)state;
    assert_true(year > 200 && year < 2000 && firm > 0.05);
    assert_true(clean > 20 && clean * 21 < 2000);
    future.begin = noon + 86400 + 1;
    future.end = future.begin + 1800;
    later.begin = noon + 1800;
    later.end = noon + 3600;
    old.begin = old.end;
    {
        const struct {
            struct reading r;
            const char *why;    /* "" believed */
            int even_so;        /* believed when the operator has looked */
        } run[] = {
            { grid("GB", year), "", 1 }, { grid("SE", clean * 19), "", 1 },
            { grid("GB", year / 19), "", 1 },
            { grid("SE", clean * 21), "outlier:", 1 },
            { grid("GB", 2001), "out_of_range:", 0 },
            { grid("GB", year / 21), "outlier:", 1 },
            { grid("GB", year * 1000), "outlier:", 0 },
            { grid("GB", year / 1000), "unit:", 1 },
            { grid("GB", 0), "unit:", 1 },
            { grid("GB", -5), "negative:", 0 },
            { grid("GB", (double)NAN), "not_finite:", 0 },
            { grid("ZZ", 200), "unknown_region:", 0 },
            { future, "bad_date:", 0 }, { old, "bad_date:", 0 },
            { tariff("DE", TARIFF_COMMERCIAL, "EUR", firm * 2.9), "", 1 },
            { tariff("DE", TARIFF_COMMERCIAL, "EUR", firm / 2.9), "", 1 },
            { tariff("DE", TARIFF_COMMERCIAL, "EUR", firm * 3.1), "outlier:",
              1 },
            { tariff("DE", TARIFF_COMMERCIAL, "EUR", firm / 3.1), "outlier:",
              1 },
            /* another money cannot be compared */
            { tariff("DE", TARIFF_COMMERCIAL, "USD", firm * 3.1), "", 1 },
            { tariff("DE", TARIFF_COMMERCIAL, "EUR", 27), "out_of_range:", 0 },
            { tariff("DE", TARIFF_COMMERCIAL, "EUR", 0), "zero_price:", 0 },
            { tariff("DE", TARIFF_COMMERCIAL, "EUR", -0.1), "negative:", 0 },
        };

        for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
            enum status status = judge(&run[i].r, 0, why, &tally);

            if ((status == GOOD) != !*run[i].why ||
                strncmp(why, run[i].why, strlen(run[i].why)) != 0)
                fail_msg("%s %g: \"%s\", not \"%s\"", run[i].r.zone,
                         run[i].r.value, why, run[i].why);
            if (run[i].even_so &&
                judge(&run[i].r, 1, why, &tally) != GOOD)
                fail_msg("%s %g, and the operator: %s", run[i].r.zone,
                         run[i].r.value, why);
        }
    }
    {
        size_t count = 1;
        const struct accept_reading_rule rule = { feed_find("uk-grid"), noon, 0,
                                              0 };

        assert_int_equal(accept_readings(&later, &count, &rule, &tally, why,
                                         200), GOOD);
        assert_int_equal(later.forecast, 1); /* it is yet to come */
    }
}

/* One bad value among neighbours goes alone; two for one time go both. */
static void one_of_many(void **state)
{
    const struct accept_reading_rule rule = { feed_find("uk-grid"), noon, 0,
                                              0 };
    const struct accept_reading_rule less = { feed_find("uk-grid"), noon, 0,
                                              10 };
    const double year = zone_find("FR")->grid_g_per_kwh.value;
    struct reading r[] = { grid("DE", 300), grid("FR", year * 1000),
                           grid("PL", 700), grid("ES", -1), grid("IT", 250),
                           grid("IT", 260), grid("AT", 90), grid("AT", 90) };
    struct tally tally = { .row = 0 };
    size_t count = sizeof r / sizeof *r;
    char why[200];

    (void)state;
    assert_int_equal(accept_readings(r, &count, &rule, &tally, why, 200),
                     GOOD);
    assert_int_equal(count, 3);
    assert_string_equal(r[0].zone, "AT");
    assert_string_equal(r[1].zone, "DE");
    assert_string_equal(r[2].zone, "PL");
    assert_int_equal(tally.refused[REFUSED_outlier], 1);
    assert_string_equal(tally.example[REFUSED_outlier], "FR ");
    assert_int_equal(tally.refused[REFUSED_negative], 1);
    assert_int_equal(tally.refused[REFUSED_duplicate], 1);
    assert_int_equal(accept_readings(r, &count, &less, &tally, why, 200),
                     FEED_REFUSED); /* three where there were ten */
    assert_memory_equal(why, "row_count:", 10);
}

/* Regions of a cloud: one on water power alone is no sign of kilograms. */
static void regions_in_kg(void **state)
{
    const struct accept_reading_rule rule = { feed_find("google-2025"), noon,
                                              0, 0 };
    struct reading r[] = { grid("CA", 0.5), grid("US", 431), grid("DE", 275) };
    static const char *const id[] = { "northamerica-northeast1", "us-central1",
                                      "europe-west3" };
    struct tally tally = { .row = 0 };
    size_t count = 3;
    char why[200];

    (void)state;
    for (int i = 0; i < 3; i++)
        snprintf(r[i].region, sizeof r[i].region, "%s", id[i]);
    assert_int_equal(accept_readings(r, &count, &rule, &tally, why, 200),
                     GOOD);
    assert_int_equal(count, 2); /* 0.5 g is not believed of Quebec either */
    assert_int_equal(tally.refused[REFUSED_outlier], 1);
    r[0].value /= 1000;
    r[1].value /= 1000;
    assert_int_equal(accept_readings(r, &count, &rule, &tally, why, 200),
                     FEED_REFUSED);
    assert_memory_equal(why, "unit:", 5);
}

/* Cents taken for dollars: most tariffs are a hundred times too high. */
static void wrong_unit(void **state)
{
    const struct accept_reading_rule rule = { feed_find("uk-grid"), noon, 0,
                                              0 };
    enum tariff_class used;
    struct reading r[3];
    struct tally tally = { .row = 0 };
    static const char *const zone[] = { "US-CA", "US-TX", "US-WA" };
    size_t count = 3;
    char why[200];

    (void)state;
    for (int i = 0; i < 3; i++)
        r[i] = tariff(zone[i], TARIFF_COMMERCIAL, "USD", 0.01 * tariff_find(
            zone[i], TARIFF_COMMERCIAL, &used).fact.value);
    assert_int_equal(accept_readings(r, &count, &rule, &tally, why, 200),
                     FEED_REFUSED);
    assert_memory_equal(why, "unit:", 5);
}

/* -- keeping --------------------------------------------------------------- */

static char folder[] = "/tmp/gputco-reading-XXXXXX", path[80];

static enum status run(struct store *store, const char *id, const char *text,
                       long long now, struct apply_outcome *out)
{
    const struct feed *feed = feed_find(id);
    const struct apply_run how = { .feed = feed, .address = feed->address,
                                   .now = now, .day = day_of_second(now) };
    unsigned long long hash = 5381;
    FILE *file = tmpfile();
    enum status status;

    assert_non_null(file);
    for (const char *c = text; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    fputs(text, file);
    {
        const struct apply_body body = { file, "", "", hash, NULL, NULL };
        status = apply_body(store, &how, &body, out);
    }
    fclose(file);
    return status;
}

static const char *half_hours(const char *values)
{
    static char text[2000];

    snprintf(text, sizeof text, "{\"data\":[{\"from\":\"2026-11-02T11:30Z\","
             "\"to\":\"2026-11-02T12:00Z\",\"intensity\":%s}]}", values);
    return text;
}

static double kept(struct store *store, const char *zone, int *forecast)
{
    struct reading_table table;
    const struct reading *live;
    double value;

    assert_int_equal(store_reading_load(store, &table), GOOD);
    live = reading_live(&table, zone);
    value = live ? live->value : (double)NAN;
    if (live && forecast)
        *forecast = live->forecast;
    store_reading_free(&table);
    return value;
}

static struct store *open_store(void)
{
    struct store *store = NULL;
    char why[300] = "";

    assert_int_equal(store_open(path, STORE_WRITE, &store, why, sizeof why),
                     GOOD);
    return store;
}

/* Fetches of one half hour: what is refused leaves the old value. */
static void life_of_a_reading(void **state)
{
    static const struct {
        const char *values;
        enum status status;
        double want;
        int forecast;
        const char *why;
    } step[] = {
        { "{\"forecast\":150,\"actual\":null}", GOOD, 150, 1, "" },
        { "{\"forecast\":150,\"actual\":141}", GOOD, 141, 0, "" },
        { "{\"forecast\":150,\"actual\":143}", GOOD, 143, 0, "" }, /* revised */
        { "{\"forecast\":160,\"actual\":null}", GOOD, 143, 0, "" },
        { "{\"forecast\":150,\"actual\":0.143}", FEED_REFUSED, 143, 0,
          "unit:" },
        { "{\"forecast\":150,\"actual\":-143}", FEED_REFUSED, 143, 0,
          "negative:" },
        { "{\"forecast\":150,\"actual\":143000}", FEED_REFUSED, 143, 0,
          "outlier:" },
        { "{\"forecast\":null,\"actual\":null}", FEED_REFUSED, 143, 0,
          "missing:" },
        { "{\"forecast\":150,\"actual\":144}", GOOD, 144, 0, "" },
    };
    struct store *store = open_store();
    struct feed_state feed;

    (void)state;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        struct apply_outcome out;
        int forecast = -1;
        enum status status = run(store, "uk-grid", half_hours(step[i].values),
                                 noon + (long long)i * 3600, &out);
        double got = kept(store, "GB", &forecast);

        if (status != step[i].status || !(fabs(got - step[i].want) < 1e-9) ||
            forecast != step[i].forecast ||
            strncmp(out.why, step[i].why, strlen(step[i].why)) != 0)
            fail_msg("step %zu: %g %d \"%s\"", i, got, forecast, out.why);
    }
    assert_int_equal(store_feed_state(store, "uk-grid", &feed), GOOD);
    assert_int_equal(feed.good_day, 20261102);
    assert_int_equal(feed.offer_count, 1);
    assert_string_equal(feed.version, "2026-11-02T11:30Z");
    store_close(store);
}

/* Of months the newest stays, of hours three days; feeds stay apart. */
static void what_is_kept(void **state)
{
    struct store *store = open_store();
    struct store_tables tables;
    struct reading r = grid("GB", 180);
    struct reading month = tariff("US-CA", TARIFF_COMMERCIAL, "USD", 0.25);

    (void)state;
    assert_int_equal(store_begin(store), GOOD);
    for (int hour = 0; hour < 100; hour++) {
        r.begin = noon - hour * 3600LL - 3600;
        r.end = r.begin + 3600;
        assert_int_equal(store_reading_put(store, "em-GB", &r, 1, noon), GOOD);
    }
    for (int k = 0; k < 2; k++) { /* the older one comes last */
        assert_int_equal(store_reading_put(store, "eia", &month, 1, noon),
                         GOOD);
        month.begin = second_of_day(20260701);
        month.end = second_of_day(20260801);
    }
    assert_int_equal(store_commit(store), GOOD);
    assert_int_equal(store_load(store, &tables), GOOD);
    {
        const struct reading_table *all = &tables.readings;
        size_t hours = 0, months = 0;

        for (size_t i = 0; i < all->count; i++) {
            hours += !strcmp(all->row[i].feed, "em-GB");
            months += !strcmp(all->row[i].feed, "eia");
            assert_true(i == 0 || reading_compare(&all->row[i - 1],
                                                  &all->row[i]) < 0);
        }
        assert_int_equal(hours, 73); /* ends from noon - 72 h to noon */
        assert_int_equal(months, 1);
        assert_int_equal(reading_tariff(all, "US-CA", TARIFF_COMMERCIAL)
                         ->begin, second_of_day(20260801));
        assert_null(reading_tariff(all, "US-CA", TARIFF_HOUSEHOLD));
        assert_null(reading_live(all, "US-CA"));
        assert_null(reading_live(NULL, "GB"));
    }
    store_tables_free(&tables);
    store_close(store);
}

/* -- beside other tables --------------------------------------------------- */

/* Electricity Maps is asked for zones of the table that have a factor of
   theirs: else nothing could be shown or judged. */
static void zones_of_feeds(void **state)
{
    int count = 0;

    (void)state;
    for (size_t i = 0; i < feed_count_all(); i++) {
        const struct feed *feed = feed_at(i);
        const struct zone *zone;

        if (feed->reader != &feed_reader_electricitymaps)
            continue;
        count++;
        zone = zone_find(feed->id + 3); /* "em-" */
        if (!zone || isnan(zone->grid_alternative.value) ||
            !strstr(feed->address, feed->id + 3) || !*feed->key_name ||
            !(feed->flags & FEED_ON_REQUEST))
            fail_msg("%s", feed->id);
    }
    assert_true(count > 50);
}

/* What is said of B448 to B450 is what the shared table of bad inputs wants;
   that it is said, and the old value stays, is told above. */
static void words_of_the_shared_table(void **state)
{
    static const struct { const char *id, *alarm; } want[] = {
        { "B448,", "alarm=unit" }, { "B449,", "alarm=negative" },
        { "B450,", "alarm=outlier" } };
    const char *at = getenv("GPUTCO_SHARED");
    char name[400], line[400];
    size_t seen = 0;
    FILE *file;

    (void)state;
    snprintf(name, sizeof name, "%s/reference/bad_inputs.csv",
             at ? at : "");
    file = at ? fopen(name, "r") : NULL;
    if (!file) {
        print_message("skipped: GPUTCO_SHARED has no bad_inputs.csv\n");
        skip();
    }
    while (fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof want / sizeof *want; i++)
            if (strncmp(line, want[i].id, 5) == 0) {
                assert_non_null(strstr(line, want[i].alarm));
                seen++;
            }
    fclose(file);
    assert_int_equal(seen, sizeof want / sizeof *want);
    assert_string_equal(refusal_table[REFUSED_negative].id, "negative");
    assert_string_equal(refusal_table[REFUSED_outlier].id, "outlier");
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/x.db", folder);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    char name[100];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers), cmocka_unit_test(cut_bodies),
        cmocka_unit_test(recorded), cmocka_unit_test(times),
        cmocka_unit_test(local_days),
        cmocka_unit_test(days_of_23_and_25_hours),
        cmocka_unit_test(means_go_by_duration), cmocka_unit_test(believing),
        cmocka_unit_test(one_of_many), cmocka_unit_test(regions_in_kg),
        cmocka_unit_test(wrong_unit),
        cmocka_unit_test(life_of_a_reading), cmocka_unit_test(what_is_kept),
        cmocka_unit_test(zones_of_feeds),
        cmocka_unit_test(words_of_the_shared_table),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
