/* feed_oci.c: Oracle's price list, one body. A part is priced by the GPU and
   hour, host included; oci_parts.csv says which shapes it is for, the table
   of instances how many GPUs they hold. Of tiers the one that goes on without
   end counts: the first is often a free allowance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/feed_json.h"

struct oci {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
    long parts;
};

static const struct { const char *part, *instance; } parts[] = {
#define ROW(part, instance, source, address, date) { part, instance },
#include "pricing/oci_parts.inc"
};

static struct feed_parse *oci_begin(const struct feed *feed,
                                    const struct feed_sink *sink)
{
    struct oci *o = calloc(1, sizeof *o);

    if (!o)
        return NULL;
    o->feed = feed;
    o->sink = *sink;
    return &o->parse;
}

static void oci_close(struct feed_parse *parse)
{
    struct oci *o = (struct oci *)parse;

    feed_page_close(&o->page);
    free(o);
}

static enum status oci_bytes(struct feed_parse *parse, const char *bytes,
                             size_t count)
{
    struct oci *o = (struct oci *)parse;

    return feed_page_add(&o->page, bytes, count, parse);
}

/* The price list of the part in the feed's currency, or NULL. */
static const cJSON *prices_of(const struct oci *o, const cJSON *item)
{
    const cJSON *local, *all = cJSON_GetObjectItemCaseSensitive(
        item, "currencyCodeLocalizations");

    cJSON_ArrayForEach(local, all)
        if (strcmp(feed_json_text(local, "currencyCode"),
                   o->feed->currency) == 0)
            return cJSON_GetObjectItemCaseSensitive(local, "prices");
    return NULL;
}

/* Pay as you go, the tier without an upper end, of which there is one. */
static int part_price(const cJSON *prices, double *out)
{
    const cJSON *price;
    int found = prices ? REFUSED_missing : REFUSED_currency, count = 0;

    cJSON_ArrayForEach(price, prices) {
        const cJSON *most = cJSON_GetObjectItemCaseSensitive(price, "rangeMax");
        if (strcmp(feed_json_text(price, "model"), "PAY_AS_YOU_GO") != 0 ||
            (cJSON_IsNumber(most) && most->valuedouble < 1e12))
            continue;
        found = feed_json_twice(price) ? REFUSED_duplicate_key
              : count++ ? REFUSED_duplicate
              : feed_json_price(price, "value", out);
        if (found >= 0)
            break;
    }
    return found;
}

static int give_shape(struct oci *o, const char *instance, int refused,
                      double gpu_price)
{
    struct feed_row row = {
        .provider = "oci", .instance = instance, .region = "commercial",
        .currency = o->feed->currency, .gpu = "", .gpu_name = "", .zone = "",
        .source = "", .gpu_count = NAN, .gpu_memory_gib = NAN,
        .vcpu_count = NAN, .memory_gib = NAN, .term = TERM_ON_DEMAND,
        .payment = PAYMENT_NO_UPFRONT,
    };

    if (refused < 0)
        refused = feed_know_gpu(&row);
    if (refused < 0 && !(row.gpu_count > 0))
        refused = REFUSED_gpu_count;
    if (refused >= 0)
        return o->sink.refused(o->sink.context, (enum refusal)refused, &row);
    row.price_per_hour = gpu_price * row.gpu_count;
    return o->sink.row(o->sink.context, &row);
}

/* Nonzero: stop. A GPU part that no shape is known for is told and left. */
static int take_item(struct oci *o, const cJSON *item)
{
    const char *part = feed_json_text(item, "partNumber");
    double price = 0;
    int refused, known = 0;

    if (strcmp(feed_json_text(item, "metricName"), "GPU Per Hour") != 0)
        return 0;
    o->parts++;
    refused = feed_json_twice(item) ? REFUSED_duplicate_key
                                    : part_price(prices_of(o, item), &price);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].part, part) == 0) {
            known = 1;
            if (give_shape(o, parts[i].instance, refused, price))
                return 1;
        }
    return known ? 0 : give_shape(o, part, REFUSED_no_machine, 0);
}

static enum status oci_end(struct feed_parse *parse)
{
    struct oci *o = (struct oci *)parse;
    cJSON *tree = feed_page_read(&o->page, parse);
    const cJSON *item, *items =
        cJSON_GetObjectItemCaseSensitive(tree, "items");
    enum status status = tree ? GOOD : FEED_REFUSED;

    cJSON_ArrayForEach(item, items)
        if (status == GOOD && take_item(o, item))
            status = NO_MEMORY;
    if (status == GOOD && !o->parts) {
        status = feed_refuse(parse, "unit: no part is priced by the GPU and "
                             "hour");
    }
    cJSON_Delete(tree);
    return status;
}

const struct feed_reader feed_reader_oci = {
    "oci", 2, 0, oci_begin, oci_bytes, oci_end, oci_close, NULL
};
