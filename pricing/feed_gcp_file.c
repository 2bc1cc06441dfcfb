/* feed_gcp_file.c: prices of Google's machines as a third party puts them
   together weekly out of Google's catalogue (google-cloud-pricing-cost-
   calculator, pricing.yml), one body of YAML:
   compute: instance: <machine>: cost: <region>: hour, hour_spot, month_1y ...
   Months are of 730 hours; a commitment is told by the hour. The file names no
   currency; its prices are the catalogue's in USD. GPUs come from the table of
   instances, and the file's own number of them must agree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "pricing/catalogue.h"
#include "pricing/feed_json.h"
#include "pricing/gcp_sold.h"
#include "pricing/num.h"

static const double hour_per_month = 730;

enum { DEPTH_MAX = 16, KEY_BYTE = 64, PLACE_MAX = 200 };

/* What a region says of a machine. */
enum figure { FIGURE_hour, FIGURE_spot, FIGURE_month_1y, FIGURE_month_3y,
              FIGURE_COUNT };
static const struct { const char *key; enum term term; double hours; }
figure_table[FIGURE_COUNT] = {
    { "hour", TERM_ON_DEMAND, 1 }, { "hour_spot", TERM_SPOT, 1 },
    { "month_1y", TERM_RESERVED_1Y, hour_per_month },
    { "month_3y", TERM_RESERVED_3Y, hour_per_month },
};

struct place {
    char region[KEY_BYTE], text[FIGURE_COUNT][32];
    int twice;                  /* a figure stands twice */
};

struct gcp_file {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
    char key[DEPTH_MAX][KEY_BYTE];  /* the one last read in each level */
    int depth, list, has_key;       /* open mappings, lists; a value follows */
    int documents;
    struct place place[PLACE_MAX];  /* of the machine that is read */
    int place_count;
    double gpu_count;               /* that the file states; NAN none */
    int day, machines;
};

static struct feed_parse *gcp_file_begin(const struct feed *feed,
                                         const struct feed_sink *sink)
{
    struct gcp_file *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->feed = feed;
    g->sink = *sink;
    return &g->parse;
}

static void gcp_file_close(struct feed_parse *parse)
{
    struct gcp_file *g = (struct gcp_file *)parse;

    feed_page_close(&g->page);
    free(g);
}

static enum status gcp_file_bytes(struct feed_parse *parse, const char *bytes,
                                  size_t count)
{
    return feed_page_add(&((struct gcp_file *)parse)->page, bytes, count,
                         parse);
}

/* -- machines ------------------------------------------------------------- */

/* Families that always hold accelerators: they are missed when unknown. */
static int has_accelerators(const char *machine)
{
    static const char *const family[] = { "a2-", "a3-", "a4-", "a4x-", "g2-",
                                          "g4-" };

    for (size_t i = 0; i < sizeof family / sizeof *family; i++)
        if (!strncmp(machine, family[i], strlen(family[i])))
            return 1;
    return 0;
}

static int give(struct gcp_file *g, struct feed_row *row, int refused)
{
    return refused >= 0
        ? g->sink.refused(g->sink.context, (enum refusal)refused, row)
        : g->sink.row(g->sink.context, row);
}

/* The prices of one region. Nothing or 0 stands for "not sold so". */
static int give_place(struct gcp_file *g, const struct feed_row *base,
                      const struct place *place, int refused)
{
    struct feed_row all = *base;

    all.region = place->region;
    all.term = TERM_COUNT;
    if (refused >= 0 || place->twice)
        return give(g, &all, refused >= 0 ? refused : REFUSED_duplicate_key);
    for (int f = 0; f < FIGURE_COUNT; f++) {
        struct feed_row row = all;
        int why;

        row.term = figure_table[f].term;
        if (!*place->text[f])
            continue;
        why = feed_price(place->text[f], &row.price_per_hour);
        if (why == REFUSED_zero_price && row.term != TERM_ON_DEMAND)
            continue;
        row.price_per_hour /= figure_table[f].hours;
        if (!gcp_is_sold(row.instance, row.term))
            why = REFUSED_not_sold;
        if (give(g, &row, why))
            return 1;
    }
    return 0;
}

/* The machine's mapping is over. Nonzero: stop. */
static int give_machine(struct gcp_file *g, const char *machine)
{
    const struct instance *known = instance_find("gcp", machine);
    struct feed_row row = {
        .provider = "gcp", .instance = machine, .region = "",
        .currency = g->feed->currency, .gpu = "", .gpu_name = "", .zone = "",
        .source = "", .gpu_count = g->gpu_count, .gpu_memory_gib = NAN,
        .vcpu_count = NAN, .memory_gib = NAN, .effective_day = g->day,
        .payment = PAYMENT_NO_UPFRONT,
    };
    int refused = -1;

    g->machines++;
    if (!known || !*known->gpu)
        return g->sink.refused(g->sink.context, has_accelerators(machine)
                               ? REFUSED_no_machine : REFUSED_cpu_only, &row);
    if (isnan(row.gpu_count))
        refused = REFUSED_gpu_count;
    else
        refused = feed_know_gpu(&row);
    for (int i = 0; i < g->place_count; i++)
        if (give_place(g, &row, &g->place[i], refused))
            return 1;
    return 0;
}

/* -- the file's levels ---------------------------------------------------- */

/* Is the mapping that is open at `depth` (the whole file is 1) under these
   keys? NULL: whatever the key. */
static int is_at(const struct gcp_file *g, int depth, const char *first,
                 const char *second, const char *fourth)
{
    return g->depth == depth && !strcmp(g->key[1], first)
           && (!second || !strcmp(g->key[2], second))
           && (!fourth || !strcmp(g->key[4], fourth));
}

static int is_machine(const struct gcp_file *g)
{
    return is_at(g, 4, "compute", "instance", NULL);
}

static int is_place(const struct gcp_file *g)
{
    return is_at(g, 6, "compute", "instance", "cost");
}

static enum status take_stamp(struct gcp_file *g, const char *value)
{
    double seconds = feed_number(value);

    if (!(seconds > 1e9 && seconds < 1e10))
        return feed_refuse(&g->parse, "bad_date: its time is %.30s", value);
    g->day = day_of_time((long long)seconds);
    snprintf(g->parse.version, sizeof g->parse.version, "%.30s", value);
    return GOOD;
}

/* One "key: value" of the mapping that is open. What a machine has beside cpu
   and ram are its accelerators. */
static enum status take_pair(struct gcp_file *g, const char *key,
                             const char *value)
{
    if (is_at(g, 2, "about", NULL, NULL) && !strcmp(key, "timestamp"))
        return take_stamp(g, value);
    if (is_machine(g) && strcmp(key, "cpu") && strcmp(key, "ram")
        && feed_number(value) > 0)
        g->gpu_count = isnan(g->gpu_count) ? feed_number(value) : -1;
    if (is_place(g)) {
        struct place *place = &g->place[g->place_count - 1];
        for (int f = 0; f < FIGURE_COUNT; f++) {
            if (strcmp(key, figure_table[f].key))
                continue;
            place->twice |= *place->text[f] != '\0';
            snprintf(place->text[f], sizeof place->text[f], "%.31s", value);
        }
    }
    return GOOD;
}

static enum status open_mapping(struct gcp_file *g)
{
    if (g->depth + 1 == DEPTH_MAX)
        return feed_refuse(&g->parse, "too_deep: more than %d levels",
                           DEPTH_MAX);
    if (g->depth && !g->has_key)
        return feed_refuse(&g->parse, "schema: a mapping as a key");
    g->depth++;
    g->has_key = 0;
    if (is_machine(g)) {
        g->place_count = 0;
        g->gpu_count = NAN;
    } else if (is_place(g)) {
        if (g->place_count == PLACE_MAX)
            return feed_refuse(&g->parse, "too_long: more than %d regions",
                               PLACE_MAX);
        g->place[g->place_count] = (struct place){ .twice = 0 };
        snprintf(g->place[g->place_count++].region, KEY_BYTE, "%s",
                 g->key[5]);
    }
    return GOOD;
}

static enum status close_mapping(struct gcp_file *g)
{
    const int stop = is_machine(g) && give_machine(g, g->key[3]);

    g->depth--;
    g->has_key = 0;
    return stop ? NO_MEMORY : GOOD;
}

static enum status take_scalar(struct gcp_file *g, const char *text,
                               size_t byte)
{
    if (!g->depth)
        return feed_refuse(&g->parse, "schema: no mapping");
    if (g->has_key) {
        g->has_key = 0;
        return take_pair(g, g->key[g->depth], text);
    }
    if (byte >= KEY_BYTE || strlen(text) != byte)
        return feed_refuse(&g->parse, "bad_name: a key of %zu bytes", byte);
    memcpy(g->key[g->depth], text, byte + 1);
    g->has_key = 1;
    return GOOD;
}

/* What stands in a list is nothing of ours. */
static enum status take_event(struct gcp_file *g, const yaml_event_t *event)
{
    const int opens = event->type == YAML_SEQUENCE_START_EVENT
                      || event->type == YAML_MAPPING_START_EVENT;
    const int closes = event->type == YAML_SEQUENCE_END_EVENT
                       || event->type == YAML_MAPPING_END_EVENT;

    if (event->type == YAML_ALIAS_EVENT)
        return feed_refuse(&g->parse, "schema: one part refers to another");
    if (event->type == YAML_DOCUMENT_START_EVENT && g->documents++)
        return feed_refuse(&g->parse, "trailing: a second document");
    if (g->list || event->type == YAML_SEQUENCE_START_EVENT) {
        g->list += opens - closes;
        g->has_key = g->list ? g->has_key : 0;
        return g->list < DEPTH_MAX ? GOOD
            : feed_refuse(&g->parse, "too_deep: more than %d levels",
                          DEPTH_MAX);
    }
    switch (event->type) {
    case YAML_MAPPING_START_EVENT:
        return open_mapping(g);
    case YAML_MAPPING_END_EVENT:
        return close_mapping(g);
    case YAML_SCALAR_EVENT:
        return take_scalar(g, (const char *)event->data.scalar.value,
                           event->data.scalar.length);
    default:
        return GOOD;
    }
}

static enum status read_events(struct gcp_file *g, yaml_parser_t *parser)
{
    enum status status = GOOD;
    int over = 0;

    while (status == GOOD && !over) {
        yaml_event_t event;

        if (!yaml_parser_parse(parser, &event))
            return parser->error == YAML_MEMORY_ERROR ? NO_MEMORY
                : feed_refuse(&g->parse, "%s: %.80s in line %zu",
                              parser->error == YAML_READER_ERROR ? "encoding"
                              : "yaml", parser->problem
                              ? parser->problem : "not YAML",
                              parser->problem_mark.line + 1);
        status = take_event(g, &event);
        over = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return status;
}

static enum status gcp_file_end(struct feed_parse *parse)
{
    struct gcp_file *g = (struct gcp_file *)parse;
    const char *text = g->page.text ? g->page.text : "";
    enum status status = NO_MEMORY;
    yaml_parser_t parser;

    if (memchr(text, '\0', g->page.byte))
        return feed_refuse(parse, "encoding: the text is not UTF-8");
    if (g->page.byte && text[g->page.byte - 1] != '\n')
        return feed_refuse(parse, "incomplete: the last line does not end");
    if (yaml_parser_initialize(&parser)) {
        yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser, (const unsigned char *)text,
                                     g->page.byte);
        status = read_events(g, &parser);
        yaml_parser_delete(&parser);
    }
    if (status == GOOD && !g->day)
        return feed_refuse(parse, "schema: no time in it");
    if (status == GOOD && !g->machines)
        return feed_refuse(parse, "schema: no machine in it");
    return status;
}

const struct feed_reader feed_reader_gcp_file = {
    "gcp_file", 2, 0, gcp_file_begin, gcp_file_bytes, gcp_file_end,
    gcp_file_close, NULL
};
