/* feed_aws_plans.c: Amazon's Compute Savings Plans, one region a feed: the
   index (a list of regions) names the current file, JSON of hundreds of MB
   that is read piece by piece and never held. A plan's term and way of paying
   stand in `products`, its rates in `terms`; whichever comes first, the few
   rates of machines with a GPU are kept until the end. A rate counts whole:
   nothing comes on top of it, paying upfront only says when it is paid. So a
   plan without upfront is its rate an hour; paid whole, the rate of all hours
   of the term at its start; paid in part, half of it (Amazon asks for at least
   half). Plans bound to a family (EC2 Instance Savings Plans) are left out:
   they would be a second price for the same term. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "pricing/catalogue.h"
#include "pricing/feed_json.h"
#include "pricing/num.h"

enum { DEPTH_MAX = 16, TEXT_BYTE = 80, PRODUCT_MAX = 64, PLAN_MAX = 1024,
       RATE_MAX = 16384, SLICE_BYTE = 65536, QUIET_BYTE = 1 << 20 };
static const double hour_per_year = 8760;

/* Where the reader is: the lists and objects it looks into. */
enum place { PLACE_other, PLACE_root, PLACE_products, PLACE_product,
             PLACE_attributes, PLACE_terms, PLACE_plans, PLACE_plan,
             PLACE_lease, PLACE_rates, PLACE_rate, PLACE_price };

/* What is kept of the product, plan and rate that are open. */
enum text { TEXT_product, TEXT_family, TEXT_option, TEXT_term,
            TEXT_plan, TEXT_day, TEXT_duration, TEXT_length,
            TEXT_usage, TEXT_operation, TEXT_service, TEXT_unit, TEXT_price,
            TEXT_currency, TEXT_region, TEXT_instance, TEXT_COUNT };

/* The members that count, and what they open or are kept as. */
static const struct key {
    enum place in;
    const char *name;
    enum place opens;
    enum text text;
} keys[] = {
    { PLACE_root, "products", PLACE_products, TEXT_COUNT },
    { PLACE_root, "terms", PLACE_terms, TEXT_COUNT },
    { PLACE_product, "sku", PLACE_other, TEXT_product },
    { PLACE_product, "productFamily", PLACE_other, TEXT_family },
    { PLACE_product, "attributes", PLACE_attributes, TEXT_COUNT },
    { PLACE_attributes, "purchaseOption", PLACE_other, TEXT_option },
    { PLACE_attributes, "purchaseTerm", PLACE_other, TEXT_term },
    { PLACE_terms, "savingsPlan", PLACE_plans, TEXT_COUNT },
    { PLACE_plan, "sku", PLACE_other, TEXT_plan },
    { PLACE_plan, "effectiveDate", PLACE_other, TEXT_day },
    { PLACE_plan, "leaseContractLength", PLACE_lease, TEXT_COUNT },
    { PLACE_plan, "rates", PLACE_rates, TEXT_COUNT },
    { PLACE_lease, "duration", PLACE_other, TEXT_duration },
    { PLACE_lease, "unit", PLACE_other, TEXT_length },
    { PLACE_rate, "discountedUsageType", PLACE_other, TEXT_usage },
    { PLACE_rate, "discountedOperation", PLACE_other, TEXT_operation },
    { PLACE_rate, "discountedServiceCode", PLACE_other, TEXT_service },
    { PLACE_rate, "unit", PLACE_other, TEXT_unit },
    { PLACE_rate, "discountedRate", PLACE_price, TEXT_COUNT },
    { PLACE_rate, "discountedRegionCode", PLACE_other, TEXT_region },
    { PLACE_rate, "discountedInstanceType", PLACE_other, TEXT_instance },
    { PLACE_price, "price", PLACE_other, TEXT_price },
    { PLACE_price, "currency", PLACE_other, TEXT_currency },
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

/* What says how a plan is paid, and the plan itself: its length in years (0:
   not in whole years) and first day. */
struct product { char sku[TEXT_BYTE]; int years, payment; };
struct plan { char sku[TEXT_BYTE]; int years, day; };

/* A rate of a machine with a GPU. refused: what is wrong with it, or -1. */
struct plan_rate {
    const struct instance *instance;
    double price;
    int plan, refused;
};

struct plans {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    const char *region;         /* out of the feed's id */
    struct feed_page index;
    char next[FEED_ADDRESS_BYTE];
    int body;                   /* 0: the index, 1: the rates */
    yajl_handle json;
    enum status status;
    struct { enum place place; unsigned seen; } level[DEPTH_MAX]; /* open */
    int depth;
    const struct key *key;      /* the latest, NULL: none that counts */
    size_t quiet;               /* bytes since anything came out of them */
    char text[TEXT_COUNT][TEXT_BYTE];
    int twice;                  /* a member stood twice in the rate */
    struct product product[PRODUCT_MAX];
    struct plan plan[PLAN_MAX];
    struct plan_rate rate[RATE_MAX];
    int product_count, plan_count, rate_count;
};

static int start_map(void *context);
static int start_list(void *context);
static int closes(void *context);
static int take_key(void *context, const unsigned char *key, size_t byte);
static int take_text(void *context, const unsigned char *text, size_t byte);
static int take_number(void *context, const char *text, size_t byte);
static int take_null(void *context);
static int take_boolean(void *context, int value);

static const yajl_callbacks callbacks = {
    take_null, take_boolean, NULL, NULL, take_number, take_text, start_map,
    take_key, closes, start_list, closes };

static struct feed_parse *plans_begin(const struct feed *feed,
                                      const struct feed_sink *sink)
{
    struct plans *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->feed = feed;
    p->sink = *sink;
    p->region = feed->id + strlen("aws-sp-");
    p->json = yajl_alloc(&callbacks, NULL, p);
    if (p->json)
        return &p->parse;
    free(p);
    return NULL;
}

static void plans_close(struct feed_parse *parse)
{
    struct plans *p = (struct plans *)parse;

    feed_page_close(&p->index);
    yajl_free(p->json);
    free(p);
}

/* -- the index of regions ------------------------------------------------- */

static enum status read_index(struct plans *p)
{
    cJSON *tree = feed_page_read(&p->index, &p->parse);
    const cJSON *region, *regions =
        cJSON_GetObjectItemCaseSensitive(tree, "regions");
    int twice = 0;

    if (!tree)
        return FEED_REFUSED;
    cJSON_ArrayForEach(region, regions) {
        const char *address = feed_json_text(region, "versionUrl");

        if (strcmp(feed_json_text(region, "regionCode"), p->region)
            || address[0] != '/' || strlen(address) >= sizeof p->next)
            continue;
        twice |= *p->next != '\0' || feed_json_twice(region);
        snprintf(p->next, sizeof p->next, "%s", address);
    }
    cJSON_Delete(tree);
    if (twice)
        return feed_refuse(&p->parse, "duplicate_key: the index names %s twice",
                           p->region);
    p->body = 1;
    feed_version_of(&p->parse, p->next);
    return *p->next ? GOOD
        : feed_refuse(&p->parse, "schema: the index names no file of %s",
                      p->region);
}

/* -- plans and rates ------------------------------------------------------ */

/* "No Upfront" is also written "NoUpfront". */
static int payment_of(const char *option)
{
    static const char *const name[PAYMENT_COUNT] = {
        [PAYMENT_NO_UPFRONT] = "NoUpfront",
        [PAYMENT_PARTIAL_UPFRONT] = "PartialUpfront",
        [PAYMENT_ALL_UPFRONT] = "AllUpfront" };
    char text[TEXT_BYTE];
    size_t byte = 0;

    for (; *option; option++)
        if (*option != ' ')
            text[byte++] = *option;
    text[byte] = '\0';
    for (int i = 0; i < PAYMENT_COUNT; i++)
        if (strcmp(text, name[i]) == 0)
            return i;
    return -1;
}

static int is(const struct plans *p, enum text text, const char *want)
{
    return strcmp(p->text[text], want) == 0;
}

static int fail(struct plans *p, const char *why)
{
    p->status = feed_refuse(&p->parse, "%s", why);
    return 0;
}

static int end_product(struct plans *p)
{
    struct product *of = &p->product[p->product_count];

    if (!is(p, TEXT_family, "ComputeSavingsPlans"))
        return 1;
    if (p->product_count == PRODUCT_MAX)
        return fail(p, "too_long: more plans than there can be");
    of->years = is(p, TEXT_term, "1yr") ? 1 : is(p, TEXT_term, "3yr") ? 3 : 0;
    of->payment = payment_of(p->text[TEXT_option]);
    if (!of->years || of->payment < 0 || !*p->text[TEXT_product])
        return fail(p, "schema: a plan without term or way of paying");
    memcpy(of->sku, p->text[TEXT_product], TEXT_BYTE);
    p->product_count++;
    return 1;
}

/* Kept only when one of its rates is. */
static int end_plan(struct plans *p)
{
    struct plan *of = &p->plan[p->plan_count];

    if (!p->rate_count || p->rate[p->rate_count - 1].plan != p->plan_count)
        return 1;
    if (p->plan_count == PLAN_MAX - 1)
        return fail(p, "too_long: more plans than there can be");
    of->years = !is(p, TEXT_length, "year") ? 0
              : is(p, TEXT_duration, "1") ? 1 : is(p, TEXT_duration, "3") * 3;
    of->day = strlen(p->text[TEXT_day]) < 10 ? 0
            : day_read(p->text[TEXT_day], 10);
    memcpy(of->sku, p->text[TEXT_plan], TEXT_BYTE);
    p->plan_count++;
    return 1;
}

/* The plain Linux machine: "BoxUsage:" and its name, behind "USE2-" or so
   outside us-east-1. "HostBoxUsage:" is on a host of one's own. */
static int is_plain(const struct plans *p)
{
    const char *usage = p->text[TEXT_usage];
    const char *box = strstr(usage, "BoxUsage:");

    return box && (box == usage || box[-1] == '-')
           && is(p, TEXT_instance, box + strlen("BoxUsage:"))
           && is(p, TEXT_operation, "RunInstances")
           && is(p, TEXT_service, "AmazonEC2")
           && is(p, TEXT_region, p->region);
}

static int end_rate(struct plans *p)
{
    const struct instance *known = is_plain(p)
        ? instance_find("aws", p->text[TEXT_instance]) : NULL;
    struct plan_rate *rate = &p->rate[p->rate_count];

    if (!known || !*known->gpu)
        return 1;
    if (p->rate_count == RATE_MAX)
        return fail(p, "too_long: more rates than there can be");
    *rate = (struct plan_rate){ .instance = known, .plan = p->plan_count };
    rate->refused = p->twice ? REFUSED_duplicate_key
        : !is(p, TEXT_unit, "Hrs") ? REFUSED_unit
        : !is(p, TEXT_currency, p->feed->currency) ? REFUSED_currency
        : feed_price(p->text[TEXT_price], &rate->price);
    p->rate_count++;
    return 1;
}

static const struct product *product_of(const struct plans *p,
                                        const struct plan *plan)
{
    for (int i = 0; i < p->product_count; i++)
        if (!strcmp(p->product[i].sku, plan->sku))
            return &p->product[i];
    return NULL;
}

/* Nonzero: stop. */
static int give_rate(struct plans *p, const struct plan_rate *rate,
                     const struct plan *plan, const struct product *product)
{
    const double upfront_part =
        product->payment == PAYMENT_ALL_UPFRONT ? 1
        : product->payment == PAYMENT_PARTIAL_UPFRONT ? 0.5 : 0;
    struct feed_row row = {
        .provider = "aws", .instance = rate->instance->id,
        .region = p->region, .currency = p->feed->currency, .gpu = "",
        .gpu_name = "", .zone = "", .source = "", .gpu_count = NAN,
        .gpu_memory_gib = NAN, .vcpu_count = NAN, .memory_gib = NAN,
        .effective_day = plan->day,
        .term = product->years == 3 ? TERM_SAVINGS_3Y : TERM_SAVINGS_1Y,
        .payment = (enum payment)product->payment,
        .price_per_hour = rate->price * (1 - upfront_part),
        .upfront_price = rate->price * upfront_part * hour_per_year *
                         product->years };
    int refused = rate->refused;

    if (refused < 0 && !plan->day)
        refused = REFUSED_bad_date;
    if (refused < 0)
        refused = feed_know_gpu(&row);
    return refused >= 0
        ? p->sink.refused(p->sink.context, (enum refusal)refused, &row)
        : p->sink.row(p->sink.context, &row);
}

/* The whole file is there. */
static enum status give_all(struct plans *p)
{
    int given = 0;

    if (!p->product_count)
        return feed_refuse(&p->parse, "schema: no product is a compute "
                           "savings plan");
    for (int i = 0; i < p->rate_count; i++) {
        const struct plan *plan = &p->plan[p->rate[i].plan];
        const struct product *product = product_of(p, plan);

        if (!product)
            continue; /* a plan of another kind */
        if (product->years != plan->years)
            return feed_refuse(&p->parse, "schema: plan %.40s is not of %d "
                               "years in its terms", plan->sku,
                               product->years);
        given++;
        if (give_rate(p, &p->rate[i], plan, product))
            return NO_MEMORY;
    }
    return given ? GOOD
        : feed_refuse(&p->parse, "row_count: no rate of a machine with a GPU "
                      "in %s", p->region);
}

/* -- JSON, piece by piece ------------------------------------------------- */

static enum place place_now(const struct plans *p)
{
    return p->depth ? p->level[p->depth - 1].place : PLACE_other;
}

static void forget(struct plans *p, enum text first, enum text end)
{
    for (int i = (int)first; i < (int)end; i++)
        *p->text[i] = '\0';
}

static int opens(struct plans *p, enum place place)
{
    if (p->depth == DEPTH_MAX)
        return fail(p, "too_deep: more levels than such a file has");
    p->level[p->depth].place = place;
    p->level[p->depth++].seen = 0;
    p->key = NULL;
    p->quiet = 0;
    if (place == PLACE_product)
        forget(p, TEXT_product, TEXT_plan);
    if (place == PLACE_plan)
        forget(p, TEXT_plan, TEXT_usage);
    if (place == PLACE_rate) {
        forget(p, TEXT_usage, TEXT_COUNT);
        p->twice = 0;
    }
    return 1;
}

static int is_list(enum place place)
{
    return place == PLACE_products || place == PLACE_plans
           || place == PLACE_rates;
}

static int start_map(void *context)
{
    struct plans *p = context;

    if (!p->depth)
        return opens(p, PLACE_root);
    switch (place_now(p)) {
    case PLACE_products: return opens(p, PLACE_product);
    case PLACE_plans: return opens(p, PLACE_plan);
    case PLACE_rates: return opens(p, PLACE_rate);
    case PLACE_other: case PLACE_root: case PLACE_product:
    case PLACE_attributes: case PLACE_terms: case PLACE_plan:
    case PLACE_lease: case PLACE_rate: case PLACE_price:
        break;
    }
    return opens(p, p->key && !is_list(p->key->opens) ? p->key->opens
                                                      : PLACE_other);
}

static int start_list(void *context)
{
    struct plans *p = context;

    return opens(p, !is_list(place_now(p)) && p->key && is_list(p->key->opens)
                 ? p->key->opens : PLACE_other);
}

static int closes(void *context)
{
    struct plans *p = context;
    const enum place place = place_now(p);

    p->depth--;
    p->key = NULL;
    p->quiet = 0;
    return place == PLACE_product ? end_product(p)
         : place == PLACE_plan ? end_plan(p)
         : place == PLACE_rate ? end_rate(p) : 1;
}

/* A member twice: of a rate, the rate is not used; else nothing is. */
static int take_key(void *context, const unsigned char *name, size_t byte)
{
    struct plans *p = context;
    const enum place place = place_now(p);
    unsigned *seen = &p->level[p->depth - 1].seen;

    p->key = NULL;
    p->quiet = 0;
    for (int i = 0; i < KEY_COUNT && !p->key; i++)
        if (keys[i].in == place
            && strncmp(keys[i].name, (const char *)name, byte) == 0
            && keys[i].name[byte] == '\0')
            p->key = &keys[i];
    if (!p->key)
        return 1;
    if (*seen & 1u << (p->key - keys)) {
        if (place != PLACE_rate && place != PLACE_price)
            return fail(p, "duplicate_key: a member stands twice");
        p->twice = 1;
    }
    *seen |= 1u << (p->key - keys);
    return 1;
}

/* A value: kept when it is that of a member that counts. */
static int take_value(struct plans *p, const char *text, size_t byte)
{
    p->quiet = 0;
    if (!p->depth)
        return fail(p, "schema: no object");
    if (!p->key || p->key->text == TEXT_COUNT)
        return 1;
    if (byte >= TEXT_BYTE || memchr(text, '\0', byte))
        return fail(p, "too_long: a value");
    memcpy(p->text[p->key->text], text, byte);
    p->text[p->key->text][byte] = '\0';
    p->key = NULL;
    return 1;
}

static int take_text(void *context, const unsigned char *text, size_t byte)
{
    return take_value(context, (const char *)text, byte);
}

static int take_number(void *context, const char *text, size_t byte)
{
    return take_value(context, text, byte);
}

static int take_null(void *context) { return take_value(context, "", 0); }

static int take_boolean(void *context, int value)
{
    return take_value(context, value ? "true" : "false", value ? 4 : 5);
}

static enum status verdict(struct plans *p, yajl_status status)
{
    unsigned char *error;
    const char *words;

    if (p->status != GOOD || status == yajl_status_ok)
        return p->status;
    error = yajl_get_error(p->json, 0, NULL, 0);
    words = error ? (const char *)error : "not JSON";
    p->status = feed_refuse(&p->parse, "%s: %.80s",
                            strstr(words, "UTF8") ? "encoding"
                            : strstr(words, "trailing") ? "trailing" : "json",
                            words);
    yajl_free_error(p->json, error);
    p->parse.why[strcspn(p->parse.why, "\n")] = '\0';
    return p->status;
}

/* In slices: yajl keeps a value whole until it ends, so one that does not end
   is given up. */
static enum status plans_bytes(struct feed_parse *parse, const char *bytes,
                               size_t count)
{
    struct plans *p = (struct plans *)parse;
    size_t slice;

    if (!p->body)
        return feed_page_add(&p->index, bytes, count, parse);
    for (; count && p->status == GOOD; bytes += slice, count -= slice) {
        slice = count < SLICE_BYTE ? count : SLICE_BYTE;
        p->quiet += slice;
        verdict(p, yajl_parse(p->json, (const unsigned char *)bytes, slice));
        if (p->status == GOOD && p->quiet > QUIET_BYTE)
            fail(p, "too_long: a value of more than 1 MiB");
    }
    return p->status;
}

static enum status plans_end(struct feed_parse *parse)
{
    struct plans *p = (struct plans *)parse;

    if (!p->body)
        return read_index(p);
    p->next[0] = '\0';
    if (p->status != GOOD ||
        verdict(p, yajl_complete_parse(p->json)) != GOOD)
        return p->status;
    return give_all(p);
}

static const char *plans_next(struct feed_parse *parse)
{
    struct plans *p = (struct plans *)parse;

    return *p->next ? p->next : NULL;
}

const struct feed_reader feed_reader_aws_plans = {
    "aws_plans", 2, 1, plans_begin, plans_bytes, plans_end, plans_close,
    plans_next
};
