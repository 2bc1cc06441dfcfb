/* feed_eia.c: average revenue a kWh by state and sector, monthly, from the US
   Energy Information Administration (API v2, retail-sales), in cents. A month
   that is not published yet, or is suppressed, is null; the newest that is
   not counts. Home, commercial and industrial sectors are the project's
   classes; regions of several states have no zone and are passed over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/zone.h"
#include "pricing/feed_json.h"
#include "pricing/num.h"

/* A price has two decimals of a cent: divided so that 35.2 cents are 0.352. */
static double dollars(double cents)
{
    return round(cents * 1e6) / 1e8;
}

struct eia {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
};

static struct feed_parse *eia_begin(const struct feed *feed,
                                    const struct feed_sink *sink)
{
    struct eia *e = calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->feed = feed;
    e->sink = *sink;
    return &e->parse;
}

static void eia_close(struct feed_parse *parse)
{
    struct eia *e = (struct eia *)parse;

    feed_page_close(&e->page);
    free(e);
}

static enum status eia_bytes(struct feed_parse *parse, const char *bytes,
                             size_t count)
{
    return feed_page_add(&((struct eia *)parse)->page, bytes, count, parse);
}

/* 0: a sector that is none of the project's classes. */
static int read_sector(const char *sector, enum tariff_class *out)
{
    static const char *const id[TARIFF_CLASS_COUNT] = {
        [TARIFF_HOUSEHOLD] = "RES", [TARIFF_COMMERCIAL] = "COM",
        [TARIFF_INDUSTRIAL] = "IND",
    };

    for (int i = 0; i < TARIFF_CLASS_COUNT; i++)
        if (strcmp(id[i], sector) == 0) {
            *out = (enum tariff_class)i;
            return 1;
        }
    return 0;
}

/* "US" or "US-CA"; 0: it is no zone of the table. */
static int read_state(const char *state, char zone[12])
{
    if (strlen(state) != 2)
        return 0;
    snprintf(zone, 12, "%s%s", strcmp(state, "US") ? "US-" : "",
             state);
    return zone_find(zone) != NULL;
}

/* "2026-09" as the month from its first second to before the next one's. */
static int read_month(const char *period, struct reading *out)
{
    char first[16];
    int day;

    snprintf(first, sizeof first, "%.7s-01", period);
    day = strlen(period) == 7 ? day_read(first, 10) : 0;
    if (!day)
        return 0;
    out->begin = second_of_day(day);
    out->end = second_of_day(day / 100 % 100 == 12 ? day + 8900 : day + 100);
    return 1;
}

static int refused(struct eia *e, enum refusal why, const char *zone,
                   const char *sector)
{
    const struct feed_row row = { .provider = "", .instance = zone,
                                  .region = sector };

    return e->sink.refused(e->sink.context, why, &row);
}

static enum status take_row(struct eia *e, const cJSON *row)
{
    const char *sector = feed_json_text(row, "sectorid");
    const char *period = feed_json_text(row, "period");
    struct reading reading = { .kind = READING_TARIFF, .currency = "USD",
                               .note = "average revenue" };
    const cJSON *price = cJSON_GetObjectItemCaseSensitive(row, "price");
    int why, stop;

    if (strcmp(feed_json_text(row, "price-units"),
               "cents per kilowatthour") != 0)
        return feed_refuse(&e->parse, "unit: a price is in \"%.40s\"",
                           feed_json_text(row, "price-units"));
    if (!*sector || !*feed_json_text(row, "stateid"))
        return feed_refuse(&e->parse, "schema: a row without state or sector");
    if (!read_sector(sector, &reading.tariff) ||
        !read_state(feed_json_text(row, "stateid"), reading.zone))
        return GOOD;
    why = feed_json_twice(row) ? REFUSED_duplicate_key
        : !read_month(period, &reading) ? REFUSED_bad_date
        : cJSON_IsNull(price) ? REFUSED_unpublished
        : feed_json_value(price, &reading.value);
    reading.value = dollars(reading.value);
    if (why < 0 && strcmp(period, e->parse.version) > 0)
        snprintf(e->parse.version, sizeof e->parse.version, "%s", period);
    stop = why < 0 ? e->sink.reading(e->sink.context, &reading)
                   : refused(e, (enum refusal)why, reading.zone, sector);
    return stop ? NO_MEMORY : GOOD;
}

/* Are rows that were asked for not there? */
static int is_short(const struct eia *e, double total, int count)
{
    const char *asked = strstr(e->feed->address, "length=");

    return count < total &&
           !(asked && count >= (double)strtol(asked + 7, NULL, 10));
}

static enum status take(struct eia *e, const cJSON *tree)
{
    const cJSON *response = cJSON_GetObjectItemCaseSensitive(tree, "response");
    const cJSON *row, *rows =
        cJSON_GetObjectItemCaseSensitive(response, "data");
    double total;
    enum status status = GOOD;

    if (!cJSON_IsArray(rows))
        return feed_refuse(&e->parse, "schema: no response with data");
    if (feed_json_twice(response))
        return feed_refuse(&e->parse, "duplicate_key: a member stands twice");
    if (!cJSON_GetArraySize(rows))
        return feed_refuse(&e->parse, "row_count: it holds no price");
    if (feed_json_value(cJSON_GetObjectItemCaseSensitive(response, "total"),
                        &total) >= 0)
        return feed_refuse(&e->parse, "schema: no total");
    if (is_short(e, total, cJSON_GetArraySize(rows)))
        return feed_refuse(&e->parse, "incomplete: %d rows of %.0f",
                           cJSON_GetArraySize(rows), total);
    cJSON_ArrayForEach(row, rows)
        if (status == GOOD)
            status = take_row(e, row);
    return status;
}

static enum status eia_end(struct feed_parse *parse)
{
    struct eia *e = (struct eia *)parse;
    cJSON *tree = feed_page_read(&e->page, parse);
    enum status status = tree ? take(e, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

const struct feed_reader feed_reader_eia = {
    "eia", 1, 0, eia_begin, eia_bytes, eia_end, eia_close, NULL
};
