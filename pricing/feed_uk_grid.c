/* feed_uk_grid.c: Great Britain's Carbon Intensity API: half hours with what
   was forecast and, once they are over, what was measured. Operational, not
   life-cycle. The address may be that of one half hour or of a day. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/feed_json.h"

enum { HALF_HOUR_MAX = 3000 };

struct uk {
    struct feed_parse parse;
    struct feed_sink sink;
    struct feed_page page;
};

static struct feed_parse *uk_begin(const struct feed *feed,
                                   const struct feed_sink *sink)
{
    struct uk *u = calloc(1, sizeof *u);

    (void)feed;
    if (!u)
        return NULL;
    u->sink = *sink;
    return &u->parse;
}

static void uk_close(struct feed_parse *parse)
{
    struct uk *u = (struct uk *)parse;

    feed_page_close(&u->page);
    free(u);
}

static enum status uk_bytes(struct feed_parse *parse, const char *bytes,
                            size_t count)
{
    return feed_page_add(&((struct uk *)parse)->page, bytes, count, parse);
}

static int refused(struct uk *u, enum refusal why)
{
    const struct feed_row row = { .provider = "", .instance = "GB" };

    return u->sink.refused(u->sink.context, why, &row);
}

/* The measured value, or without one the forecast. -1, or the refusal. */
static int read_value(const cJSON *intensity, struct reading *out)
{
    const cJSON *measured =
        cJSON_GetObjectItemCaseSensitive(intensity, "actual");

    out->forecast = !measured || cJSON_IsNull(measured);
    if (out->forecast)
        measured = cJSON_GetObjectItemCaseSensitive(intensity, "forecast");
    return feed_json_value(measured, &out->value);
}

/* Nonzero: stop. */
static int take_half_hour(struct uk *u, const cJSON *item)
{
    const cJSON *intensity =
        cJSON_GetObjectItemCaseSensitive(item, "intensity");
    struct reading reading = {
        .kind = READING_GRID, .basis = BASIS_DIRECT, .zone = "GB",
        .begin = second_read(feed_json_text(item, "from")),
        .end = second_read(feed_json_text(item, "to")),
    };
    int why;

    if (feed_json_twice(item) || feed_json_twice(intensity))
        return refused(u, REFUSED_duplicate_key);
    if (reading.begin < 0 || reading.end <= reading.begin ||
        reading.end - reading.begin > 3600)
        return refused(u, REFUSED_bad_date);
    why = read_value(intensity, &reading);
    if (why >= 0)
        return refused(u, (enum refusal)why);
    /* a day's list runs ahead with forecasts: they are no later version */
    if (!reading.forecast &&
        strcmp(feed_json_text(item, "from"), u->parse.version) > 0)
        snprintf(u->parse.version, sizeof u->parse.version, "%s",
                 feed_json_text(item, "from"));
    return u->sink.reading(u->sink.context, &reading);
}

static enum status take(struct uk *u, const cJSON *tree)
{
    const cJSON *item, *data = cJSON_GetObjectItemCaseSensitive(tree, "data");
    const cJSON *fault = cJSON_GetObjectItemCaseSensitive(tree, "error");

    if (fault)
        return feed_refuse(&u->parse, "schema: it says %.80s",
                           feed_json_text(fault, "message"));
    if (!cJSON_IsArray(data))
        return feed_refuse(&u->parse, "schema: no data");
    if (!cJSON_GetArraySize(data) || cJSON_GetArraySize(data) > HALF_HOUR_MAX)
        return feed_refuse(&u->parse, "row_count: %d half hours",
                           cJSON_GetArraySize(data));
    cJSON_ArrayForEach(item, data)
        if (take_half_hour(u, item))
            return NO_MEMORY;
    return GOOD;
}

static enum status uk_end(struct feed_parse *parse)
{
    struct uk *u = (struct uk *)parse;
    cJSON *tree = feed_page_read(&u->page, parse);
    enum status status = tree ? take(u, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

const struct feed_reader feed_reader_uk_grid = {
    "uk_grid", 1, 0, uk_begin, uk_bytes, uk_end, uk_close, NULL
};
