/* feed_blocks.c: capacity blocks of AWS, which Amazon publishes as a page and
   a third party as JSON: a machine's rate an hour by region, "N/A" where it is
   not sold. The day is that on which the page was read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/feed_json.h"

struct blocks {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
    int day;
    long rows;
};

static struct feed_parse *blocks_begin(const struct feed *feed,
                                       const struct feed_sink *sink)
{
    struct blocks *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->feed = feed;
    b->sink = *sink;
    return &b->parse;
}

static void blocks_close(struct feed_parse *parse)
{
    struct blocks *b = (struct blocks *)parse;

    feed_page_close(&b->page);
    free(b);
}

static enum status blocks_bytes(struct feed_parse *parse, const char *bytes,
                                size_t count)
{
    return feed_page_add(&((struct blocks *)parse)->page, bytes, count, parse);
}

/* Nonzero: stop. */
static int take_rate(struct blocks *b, const char *instance, double gpu_count,
                     const cJSON *rate)
{
    struct feed_row row = {
        .provider = "aws", .instance = instance,
        .region = feed_json_text(rate, "region_code"),
        .currency = b->feed->currency, .gpu = "", .gpu_name = "", .zone = "",
        .source = "", .gpu_count = gpu_count, .gpu_memory_gib = NAN,
        .vcpu_count = NAN, .memory_gib = NAN, .term = TERM_CAPACITY_BLOCK,
        .payment = PAYMENT_NO_UPFRONT, .effective_day = b->day,
    };
    int refused;

    if (strcmp(feed_json_text(rate, "hourly_rate_usd"), "N/A") == 0)
        return 0;
    refused = feed_json_twice(rate) ? REFUSED_duplicate_key
        : feed_json_price(rate, "hourly_rate_usd", &row.price_per_hour);
    if (refused < 0)
        refused = feed_know_gpu(&row);
    b->rows++;
    return refused >= 0
        ? b->sink.refused(b->sink.context, (enum refusal)refused, &row)
        : b->sink.row(b->sink.context, &row);
}

static enum status take_all(struct blocks *b, const cJSON *tree)
{
    const cJSON *type, *rate, *types =
        cJSON_GetObjectItemCaseSensitive(tree, "instance_types");

    b->day = feed_json_day(cJSON_GetObjectItemCaseSensitive(tree, "metadata"),
                           "last_updated");
    if (b->day)
        snprintf(b->parse.version, sizeof b->parse.version, "%08d", b->day);
    if (feed_json_twice(types))
        return feed_refuse(&b->parse, "duplicate_key: a machine stands twice");
    cJSON_ArrayForEach(type, types) {
        const cJSON *count = cJSON_GetObjectItemCaseSensitive(
            type, "accelerator_count");
        cJSON_ArrayForEach(rate, cJSON_GetObjectItemCaseSensitive(type,
                                                                  "pricing"))
            if (take_rate(b, type->string, cJSON_IsNumber(count)
                          ? count->valuedouble : (double)NAN, rate))
                return NO_MEMORY;
    }
    if (b->rows && b->day)
        return GOOD;
    return feed_refuse(&b->parse, b->day ? "row_count: no rate of any machine"
                                         : "schema: no day of the rates");
}

static enum status blocks_end(struct feed_parse *parse)
{
    struct blocks *b = (struct blocks *)parse;
    cJSON *tree = feed_page_read(&b->page, parse);
    enum status status = tree ? take_all(b, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

const struct feed_reader feed_reader_blocks = {
    "blocks", 2, 0, blocks_begin, blocks_bytes, blocks_end, blocks_close, NULL
};
