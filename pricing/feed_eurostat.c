/* feed_eurostat.c: half-yearly prices of electricity by country and band of
   consumption (nrg_pc_204 homes, nrg_pc_205 firms), JSON-stat: values in one
   object whose keys are positions in a block of all dimensions; a position
   that is not there is a value that is not known. Firms without VAT and what
   else they get back, homes with all taxes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/zone.h"
#include "pricing/feed_json.h"
#include "pricing/num.h"

enum { DIMENSION_MAX = 12, POSITION_MAX = 100000 };

/* Dimensions this reads; the others have one place each. */
enum part { PART_BAND, PART_TAX, PART_CURRENCY, PART_UNIT, PART_GEO, PART_TIME,
            PART_COUNT };
static const char *const part_name[PART_COUNT] = {
    "nrg_cons", "tax", "currency", "unit", "geo", "time" };

struct eurostat {
    struct feed_parse parse;
    struct feed_sink sink;
    struct feed_page page;
    int dimensions, size[DIMENSION_MAX];
    int at[PART_COUNT];         /* place among the dimensions, -1: absent */
    const cJSON *index[PART_COUNT]; /* code to place */
};

/* Bands of the built-in tariffs; tax is the one that suits the buyer. */
static const struct {
    const char *band, *tax;
    enum tariff_class tariff;
    const char *note;
} bands[] = {
    { "KWH2500-4999", "I_TAX", TARIFF_HOUSEHOLD, "band DC, all taxes" },
    { "MWH20-499", "X_VAT", TARIFF_COMMERCIAL, "band IB, without VAT" },
    { "MWH2000-19999", "X_VAT", TARIFF_INDUSTRIAL, "band ID, without VAT" },
};

static struct feed_parse *eurostat_begin(const struct feed *feed,
                                         const struct feed_sink *sink)
{
    struct eurostat *e = calloc(1, sizeof *e);

    (void)feed;
    if (!e)
        return NULL;
    e->sink = *sink;
    return &e->parse;
}

static void eurostat_close(struct feed_parse *parse)
{
    struct eurostat *e = (struct eurostat *)parse;

    feed_page_close(&e->page);
    free(e);
}

static enum status eurostat_bytes(struct feed_parse *parse, const char *bytes,
                                  size_t count)
{
    return feed_page_add(&((struct eurostat *)parse)->page, bytes, count,
                         parse);
}

/* Which of the dimensions this is; PART_COUNT: one that is not read. */
static int part_of(const char *name)
{
    int part = 0;

    while (part < PART_COUNT && strcmp(part_name[part], name) != 0)
        part++;
    return part;
}

/* Size of dimension `i`, and its codes when it is one that is read. */
static enum status read_dimension(struct eurostat *e, const cJSON *all, int i,
                                  const cJSON *name, const cJSON *size)
{
    const cJSON *index;
    int part;

    if (!cJSON_IsString(name) || !cJSON_IsNumber(size) ||
        !(size->valuedouble >= 1 && size->valuedouble <= POSITION_MAX))
        return feed_refuse(&e->parse, "schema: no size of a dimension");
    e->size[i] = (int)size->valuedouble;
    part = part_of(name->valuestring);
    if (part == PART_COUNT)
        return e->size[i] == 1 ? GOOD
            : feed_refuse(&e->parse, "schema: dimension \"%.30s\" has %d "
                          "places", name->valuestring, e->size[i]);
    index = cJSON_GetObjectItemCaseSensitive(all, name->valuestring);
    index = cJSON_GetObjectItemCaseSensitive(index, "category");
    index = cJSON_GetObjectItemCaseSensitive(index, "index");
    if (!cJSON_IsObject(index) || feed_json_twice(index) || e->index[part] ||
        cJSON_GetArraySize(index) != e->size[i])
        return feed_refuse(&e->parse, "schema: no index of \"%.30s\"",
                           name->valuestring);
    e->at[part] = i;
    e->index[part] = index;
    return GOOD;
}

/* Sizes and order of the dimensions, and the codes of those that are read. */
static enum status read_shape(struct eurostat *e, const cJSON *tree)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(tree, "id");
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(tree, "size");
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(tree, "dimension");
    enum status status = GOOD;
    double positions = 1;

    e->dimensions = cJSON_GetArraySize(id);
    if (!cJSON_IsArray(id) || !cJSON_IsArray(size) || e->dimensions < 1 ||
        e->dimensions > DIMENSION_MAX ||
        cJSON_GetArraySize(size) != e->dimensions)
        return feed_refuse(&e->parse, "schema: no id and size");
    for (int k = 0; k < PART_COUNT; k++) {
        e->at[k] = -1;
        e->index[k] = NULL;
    }
    for (int i = 0; i < e->dimensions && status == GOOD; i++) {
        status = read_dimension(e, all, i, cJSON_GetArrayItem(id, i),
                                cJSON_GetArrayItem(size, i));
        positions *= e->size[i];
    }
    if (status != GOOD)
        return status;
    if (e->at[PART_GEO] < 0 || e->at[PART_TIME] < 0 ||
        e->at[PART_BAND] < 0 || e->at[PART_TAX] < 0 ||
        positions > POSITION_MAX)
        return feed_refuse(&e->parse, "schema: not by country, time, band and "
                           "tax, or too large");
    return GOOD;
}

/* The only code of a dimension, "" when it is absent or has several. */
static const char *only(const struct eurostat *e, enum part part)
{
    return e->index[part] && cJSON_GetArraySize(e->index[part]) == 1
        ? e->index[part]->child->string : "";
}

/* Place of a code in its dimension, -1: none that fits. */
static int place(const struct eurostat *e, enum part part, const char *code)
{
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(e->index[part], code);

    return cJSON_IsNumber(at) && at->valuedouble >= 0 &&
           at->valuedouble < e->size[e->at[part]] ? (int)at->valuedouble : -1;
}

/* Eurostat's code of a country as the project's; 0: it is none. */
static int read_geo(const char *geo, char zone[12])
{
    if (strlen(geo) != 2 || strcmp(geo, "EA") == 0)
        return 0; /* the Union, the euro area */
    snprintf(zone, 12, "%s", strcmp(geo, "EL") == 0 ? "GR"
             : strcmp(geo, "UK") == 0 ? "GB" : geo);
    return 1;
}

/* "2026-S1" */
static int read_half(const char *text, struct reading *out)
{
    const int day = strlen(text) == 7 && strncmp(text + 4, "-S", 2) == 0
        ? fact_day(text) : 0;

    if (!day)
        return 0;
    out->begin = second_of_day(day);
    out->end = second_of_day(day % 10000 == 101 ? day + 600 : day + 9400);
    return 1;
}

static int refused(struct eurostat *e, enum refusal why, const char *zone,
                   enum tariff_class tariff)
{
    const struct feed_row row = { .provider = "", .instance = zone,
                                  .region = tariff_class_name[tariff] };

    return e->sink.refused(e->sink.context, why, &row);
}

/* Key of `value` for these places, the other dimensions having one each. */
static void position(const struct eurostat *e, const int want[PART_COUNT],
                     char key[16])
{
    long at = 0;

    for (int i = 0; i < e->dimensions; i++) {
        at *= e->size[i];
        for (int k = 0; k < PART_COUNT; k++)
            if (e->at[k] == i)
                at += want[k];
    }
    snprintf(key, 16, "%ld", at);
}

/* One country, band and half-year. */
static enum status take_value(struct eurostat *e, const cJSON *values,
                              size_t band, const char *geo, const char *time)
{
    struct reading reading = { .kind = READING_TARIFF, .currency = "EUR",
                               .tariff = bands[band].tariff };
    const int want[PART_COUNT] = {
        [PART_BAND] = place(e, PART_BAND, bands[band].band),
        [PART_TAX] = place(e, PART_TAX, bands[band].tax),
        [PART_GEO] = place(e, PART_GEO, geo),
        [PART_TIME] = place(e, PART_TIME, time),
    };
    const cJSON *value;
    char key[16];
    int why, stop;

    for (int k = 0; k < PART_COUNT; k++)
        if (want[k] < 0)
            return feed_refuse(&e->parse, "schema: a place of \"%s\" is not "
                               "one", part_name[k]);
    if (!read_geo(geo, reading.zone))
        return GOOD;
    position(e, want, key);
    value = cJSON_GetObjectItemCaseSensitive(values, key);
    why = !value || cJSON_IsNull(value) ? -2
        : !zone_find(reading.zone) ? REFUSED_unknown_region
        : !read_half(time, &reading) ? REFUSED_bad_date
        : feed_json_value(value, &reading.value);
    if (why == -2)
        return GOOD; /* a hole: not published for this country */
    snprintf(reading.note, sizeof reading.note, "%s", bands[band].note);
    if (why < 0 && strcmp(time, e->parse.version) > 0)
        snprintf(e->parse.version, sizeof e->parse.version, "%s", time);
    stop = why < 0 ? e->sink.reading(e->sink.context, &reading)
                   : refused(e, (enum refusal)why, reading.zone,
                             bands[band].tariff);
    return stop ? NO_MEMORY : GOOD;
}

static enum status take_band(struct eurostat *e, const cJSON *values,
                             size_t band)
{
    const cJSON *geo, *time;
    enum status status = GOOD;

    cJSON_ArrayForEach(geo, e->index[PART_GEO])
        cJSON_ArrayForEach(time, e->index[PART_TIME])
            if (status == GOOD)
                status = take_value(e, values, band, geo->string,
                                    time->string);
    return status;
}

static enum status take(struct eurostat *e, const cJSON *tree)
{
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(tree, "value");
    enum status status = read_shape(e, tree);
    int found = 0;

    if (status != GOOD)
        return status;
    if (!cJSON_IsObject(values) || feed_json_twice(values))
        return feed_refuse(&e->parse, "schema: no object of values");
    if (strcmp(only(e, PART_CURRENCY), "EUR") != 0)
        return feed_refuse(&e->parse, "currency: it is \"%.20s\", not EUR",
                           only(e, PART_CURRENCY));
    if (strcmp(only(e, PART_UNIT), "KWH") != 0)
        return feed_refuse(&e->parse, "unit: it is \"%.20s\", not KWH",
                           only(e, PART_UNIT));
    for (size_t i = 0; i < sizeof bands / sizeof *bands; i++) {
        if (place(e, PART_BAND, bands[i].band) < 0)
            continue;
        found++;
        if (status == GOOD)
            status = take_band(e, values, i);
    }
    return status == GOOD && !found
        ? feed_refuse(&e->parse, "schema: none of the bands asked for")
        : status;
}

static enum status eurostat_end(struct feed_parse *parse)
{
    struct eurostat *e = (struct eurostat *)parse;
    cJSON *tree = feed_page_read(&e->page, parse);
    enum status status = tree ? take(e, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

const struct feed_reader feed_reader_eurostat = {
    "eurostat", 1, 0, eurostat_begin, eurostat_bytes, eurostat_end,
    eurostat_close, NULL
};
