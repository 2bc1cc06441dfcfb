/* feed_aws_spot.c: Amazon's spot advisor, one body: by region, system and
   machine the saving of spot against on demand, in percent and as an average
   of 30 days. It holds no price: one is derived from the price on demand that
   is known from another feed. As FEED_DERIVED it stands behind every spot price
   that another feed states. The feed's title says so wherever the price is shown, and the row's source
   of whose price and day: "ADDRESS#derived-from=FEED,YYYY-MM-DD". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/feed_json.h"
#include "pricing/num.h"

struct spot {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
    long machines;
};

static struct feed_parse *spot_begin(const struct feed *feed,
                                     const struct feed_sink *sink)
{
    struct spot *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->feed = feed;
    s->sink = *sink;
    return &s->parse;
}

static void spot_close(struct feed_parse *parse)
{
    struct spot *s = (struct spot *)parse;

    feed_page_close(&s->page);
    free(s);
}

static enum status spot_bytes(struct feed_parse *parse, const char *bytes,
                              size_t count)
{
    return feed_page_add(&((struct spot *)parse)->page, bytes, count, parse);
}

/* -1 and the saving as a part of one, or the refusal. A saving of nothing is
   how the list says that it does not know. */
static int read_saving(const cJSON *entry, double *saving)
{
    const cJSON *s = cJSON_GetObjectItemCaseSensitive(entry, "s");

    if (feed_json_twice(entry))
        return REFUSED_duplicate_key;
    if (!s || cJSON_IsNull(s))
        return REFUSED_missing;
    if (!cJSON_IsNumber(s))
        return REFUSED_not_a_number;
    if (!(s->valuedouble >= 0 && s->valuedouble < 100))
        return REFUSED_out_of_range;
    *saving = s->valuedouble / 100;
    return *saving > 0 ? -1 : REFUSED_not_sold;
}

/* The price on demand that the saving is off, or the refusal. */
static int read_base(const struct spot *s, const struct feed_row *row,
                     struct feed_known *base)
{
    return s->sink.known
           && s->sink.known(s->sink.context, row, TERM_ON_DEMAND, base)
        ? -1 : REFUSED_no_base;
}

/* Does another machine of the list bear the name? There are a thousand and
   more of them, few with a GPU. */
static int is_twice(const cJSON *list, const cJSON *entry)
{
    const cJSON *other;

    cJSON_ArrayForEach(other, list)
        if (other != entry && !strcmp(other->string, entry->string))
            return 1;
    return 0;
}

/* Nonzero: stop. */
static int take_machine(struct spot *s, const char *region,
                        const cJSON *list, const cJSON *entry)
{
    const struct instance *known = instance_find("aws", entry->string);
    struct feed_row row = {
        .provider = "aws", .instance = entry->string, .region = region,
        .currency = s->feed->currency, .gpu = "", .gpu_name = "", .zone = "",
        .source = "", .gpu_count = NAN, .gpu_memory_gib = NAN,
        .vcpu_count = NAN, .memory_gib = NAN, .term = TERM_SPOT,
        .payment = PAYMENT_NO_UPFRONT,
    };
    char source[FEED_ADDRESS_BYTE], day[11];
    struct feed_known base;
    double saving = 0;
    int refused;

    s->machines++;
    if (!known || !*known->gpu)
        return 0;
    refused = is_twice(list, entry) ? REFUSED_duplicate_key
                                    : read_saving(entry, &saving);
    if (refused < 0)
        refused = feed_know_gpu(&row);
    if (refused < 0)
        refused = read_base(s, &row, &base);
    if (refused >= 0)
        return s->sink.refused(s->sink.context, (enum refusal)refused, &row);
    day_print(day, base.day);
    snprintf(source, sizeof source, "%s#derived-from=%s,%s", s->feed->address,
             base.feed, day);
    row.source = source;
    row.price_per_hour = base.price_per_hour * (1 - saving);
    return s->sink.row(s->sink.context, &row);
}

static enum status take_all(struct spot *s, const cJSON *tree)
{
    const cJSON *region, *machine, *regions =
        cJSON_GetObjectItemCaseSensitive(tree, "spot_advisor");

    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(tree, "ranges"))
        || !cJSON_IsObject(regions))
        return feed_refuse(&s->parse, "schema: no ranges and spot_advisor");
    if (feed_json_twice(regions))
        return feed_refuse(&s->parse, "duplicate_key: a region stands twice");
    cJSON_ArrayForEach(region, regions) {
        const cJSON *linux_prices =
            cJSON_GetObjectItemCaseSensitive(region, "Linux");

        if (feed_json_twice(region))
            return feed_refuse(&s->parse, "duplicate_key: in %.60s",
                               region->string);
        cJSON_ArrayForEach(machine, linux_prices)
            if (take_machine(s, region->string, linux_prices, machine))
                return NO_MEMORY;
    }
    return s->machines ? GOOD
        : feed_refuse(&s->parse, "row_count: no machine in any region");
}

static enum status spot_end(struct feed_parse *parse)
{
    struct spot *s = (struct spot *)parse;
    cJSON *tree = feed_page_read(&s->page, parse);
    enum status status = tree ? take_all(s, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

const struct feed_reader feed_reader_aws_spot = {
    "aws_spot", 1, 0, spot_begin, spot_bytes, spot_end, spot_close, NULL
};
