/* feed_electricitymaps.c: the newest hour of one zone by Electricity Maps,
   behind the user's own key; also the list of its last hours. An hour that
   nobody has measured yet is null there and missing here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/feed_json.h"

enum { HOUR_SECOND = 3600, HOURS_MAX = 1000 };

struct maps {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
};

static struct feed_parse *maps_begin(const struct feed *feed,
                                     const struct feed_sink *sink)
{
    struct maps *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->feed = feed;
    m->sink = *sink;
    return &m->parse;
}

static void maps_close(struct feed_parse *parse)
{
    struct maps *m = (struct maps *)parse;

    feed_page_close(&m->page);
    free(m);
}

static enum status maps_bytes(struct feed_parse *parse, const char *bytes,
                              size_t count)
{
    return feed_page_add(&((struct maps *)parse)->page, bytes, count, parse);
}

static const char *zone_asked(const struct maps *m)
{
    return strchr(m->feed->id, '-') + 1; /* "em-DE" */
}

static int refused(struct maps *m, enum refusal why)
{
    const struct feed_row row = { .provider = "", .instance = zone_asked(m) };

    return m->sink.refused(m->sink.context, why, &row);
}

/* What the figure counts; BASIS_NONE: it does not say. */
static enum reading_basis basis_of(const char *type)
{
    return strcmp(type, "lifecycle") == 0 ? BASIS_LIFECYCLE
         : strcmp(type, "direct") == 0 ? BASIS_DIRECT : BASIS_NONE;
}

static enum status take_hour(struct maps *m, const cJSON *hour)
{
    const cJSON *estimated =
        cJSON_GetObjectItemCaseSensitive(hour, "isEstimated");
    const char *type = feed_json_text(hour, "emissionFactorType");
    const char *when = feed_json_text(hour, "datetime");
    struct reading reading = {
        .kind = READING_GRID, .basis = basis_of(type),
        .begin = second_read(when), .estimated = cJSON_IsTrue(estimated),
    };
    int why;

    if (strcmp(feed_json_text(hour, "zone"), zone_asked(m)) != 0)
        return feed_refuse(&m->parse, "schema: it is of zone \"%.20s\"",
                           feed_json_text(hour, "zone"));
    if (reading.basis == BASIS_NONE || !cJSON_IsBool(estimated))
        return feed_refuse(&m->parse, "schema: emissionFactorType or "
                           "isEstimated is missing");
    why = feed_json_twice(hour) ? REFUSED_duplicate_key
        : reading.begin < 0 ? REFUSED_bad_date
        : feed_json_value(cJSON_GetObjectItemCaseSensitive(
              hour, "carbonIntensity"), &reading.value);
    if (why >= 0)
        return refused(m, (enum refusal)why) ? NO_MEMORY : GOOD;
    reading.end = reading.begin + HOUR_SECOND;
    snprintf(reading.zone, sizeof reading.zone, "%s", zone_asked(m));
    if (strcmp(when, m->parse.version) > 0)
        snprintf(m->parse.version, sizeof m->parse.version, "%s", when);
    return m->sink.reading(m->sink.context, &reading) ? NO_MEMORY : GOOD;
}

static enum status take(struct maps *m, const cJSON *tree)
{
    const cJSON *hour, *hours =
        cJSON_GetObjectItemCaseSensitive(tree, "history");
    enum status status = GOOD;

    if (!hours && !cJSON_GetObjectItemCaseSensitive(tree, "carbonIntensity"))
        return feed_refuse(&m->parse, "schema: no carbonIntensity");
    if (!hours)
        return take_hour(m, tree);
    if (!cJSON_IsArray(hours) || !cJSON_GetArraySize(hours) ||
        cJSON_GetArraySize(hours) > HOURS_MAX)
        return feed_refuse(&m->parse, "row_count: %d hours",
                           cJSON_GetArraySize(hours));
    cJSON_ArrayForEach(hour, hours)
        if (status == GOOD)
            status = take_hour(m, hour);
    return status;
}

static enum status maps_end(struct feed_parse *parse)
{
    struct maps *m = (struct maps *)parse;
    cJSON *tree = feed_page_read(&m->page, parse);
    enum status status = tree ? take(m, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

const struct feed_reader feed_reader_electricitymaps = {
    "electricitymaps", 1, 0, maps_begin, maps_bytes, maps_end, maps_close,
    NULL
};
