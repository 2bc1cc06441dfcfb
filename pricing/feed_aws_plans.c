/* feed_aws_plans.c: Amazon's Compute Savings Plans, one region a feed: the
   index (a list of regions) names the current file, JSON of hundreds of MB
   that is read piece by piece and never held. A plan's term and way of paying
   stand in `products`, its rates in `terms`. A rate counts whole: nothing
   comes on top of it, paying upfront only says when it is paid. So a plan
   without upfront is its rate an hour; paid whole, the rate of all hours of
   the term at its start; paid in part, half of it (Amazon asks for at least
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

enum { DEPTH_MAX = 16, PATH_BYTE = 200, TEXT_BYTE = 80, PLAN_MAX = 64 };
static const double hour_per_year = 8760;

struct plan { char sku[TEXT_BYTE]; int years, payment; };

/* What is read of the object that is open. */
enum text { TEXT_sku, TEXT_family, TEXT_option, TEXT_term, TEXT_day,
            TEXT_duration, TEXT_unit, TEXT_usage, TEXT_operation,
            TEXT_service, TEXT_rate_unit, TEXT_price, TEXT_currency,
            TEXT_region, TEXT_instance, TEXT_COUNT };

static const char *const text_path[TEXT_COUNT] = {
    [TEXT_family] = "products/productFamily",
    [TEXT_option] = "products/attributes/purchaseOption",
    [TEXT_term] = "products/attributes/purchaseTerm",
    [TEXT_day] = "terms/savingsPlan/effectiveDate",
    [TEXT_duration] = "terms/savingsPlan/leaseContractLength/duration",
    [TEXT_unit] = "terms/savingsPlan/leaseContractLength/unit",
    [TEXT_usage] = "terms/savingsPlan/rates/discountedUsageType",
    [TEXT_operation] = "terms/savingsPlan/rates/discountedOperation",
    [TEXT_service] = "terms/savingsPlan/rates/discountedServiceCode",
    [TEXT_rate_unit] = "terms/savingsPlan/rates/unit",
    [TEXT_price] = "terms/savingsPlan/rates/discountedRate/price",
    [TEXT_currency] = "terms/savingsPlan/rates/discountedRate/currency",
    [TEXT_region] = "terms/savingsPlan/rates/discountedRegionCode",
    [TEXT_instance] = "terms/savingsPlan/rates/discountedInstanceType",
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
    /* where the reader is: the keys of the open objects, joined by '/'; lists
       do not count */
    char path[PATH_BYTE];
    struct { int is_list; size_t path_byte; } level[DEPTH_MAX];
    int depth;
    char text[TEXT_COUNT][TEXT_BYTE];
    int twice;                  /* a member stood twice in the rate */
    struct plan plan[PLAN_MAX];
    int plan_count;
    long rates;
};

static int start_map(void *context);
static int end_map(void *context);
static int start_list(void *context);
static int end_list(void *context);
static int take_key(void *context, const unsigned char *key, size_t byte);
static int take_text(void *context, const unsigned char *text, size_t byte);
static int take_number(void *context, const char *text, size_t byte);
static int take_null(void *context);
static int take_boolean(void *context, int value);

static const yajl_callbacks callbacks = {
    take_null, take_boolean, NULL, NULL, take_number, take_text, start_map,
    take_key, end_map, start_list, end_list };

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

    if (!tree)
        return FEED_REFUSED;
    cJSON_ArrayForEach(region, regions) {
        const char *address = feed_json_text(region, "versionUrl");

        if (!strcmp(feed_json_text(region, "regionCode"), p->region)
            && address[0] == '/' && strlen(address) < sizeof p->next)
            snprintf(p->next, sizeof p->next, "%s", address);
    }
    cJSON_Delete(tree);
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
    return strncmp(option, "No", 2) == 0 ? PAYMENT_NO_UPFRONT
         : strncmp(option, "Partial", 7) == 0 ? PAYMENT_PARTIAL_UPFRONT
         : strncmp(option, "All", 3) == 0 ? PAYMENT_ALL_UPFRONT : -1;
}

static int years_of(const char *term)
{
    return strcmp(term, "1yr") == 0 ? 1 : strcmp(term, "3yr") == 0 ? 3 : 0;
}

static int fail(struct plans *p, const char *why)
{
    p->status = feed_refuse(&p->parse, "%s", why);
    return 0;
}

static int end_product(struct plans *p)
{
    const struct plan *of = NULL;

    if (strcmp(p->text[TEXT_family], "ComputeSavingsPlans"))
        return 1;
    if (p->plan_count == PLAN_MAX)
        return fail(p, "too_long: more plans than there can be");
    of = &p->plan[p->plan_count];
    p->plan[p->plan_count] = (struct plan){
        .years = years_of(p->text[TEXT_term]),
        .payment = payment_of(p->text[TEXT_option]) };
    if (!of->years || of->payment < 0 || !*p->text[TEXT_sku])
        return fail(p, "schema: a plan without term or way of paying");
    memcpy(p->plan[p->plan_count++].sku, p->text[TEXT_sku], TEXT_BYTE);
    return 1;
}

static const struct plan *plan_of(const struct plans *p)
{
    for (int i = 0; i < p->plan_count; i++)
        if (!strcmp(p->plan[i].sku, p->text[TEXT_sku]))
            return &p->plan[i];
    return NULL;
}

static int is(const struct plans *p, enum text text, const char *want)
{
    return strcmp(p->text[text], want) == 0;
}

/* The plain Linux machine, of a length the plan agrees with. */
static int is_wanted(const struct plans *p, const struct plan *plan)
{
    const char *box = strstr(p->text[TEXT_usage], "BoxUsage:");

    return is(p, TEXT_operation, "RunInstances")
           && is(p, TEXT_service, "AmazonEC2") && box
           && is(p, TEXT_region, p->region) && is(p, TEXT_unit, "year")
           && is(p, TEXT_duration, plan->years == 1 ? "1" : "3");
}

/* The rate is over. 0: stop. */
static int end_rate(struct plans *p)
{
    const struct plan *plan = plan_of(p);
    const struct instance *known;
    struct feed_row row = {
        .provider = "aws", .instance = p->text[TEXT_instance],
        .region = p->region, .currency = p->feed->currency, .gpu = "",
        .gpu_name = "", .zone = "", .source = "", .gpu_count = NAN,
        .gpu_memory_gib = NAN, .vcpu_count = NAN, .memory_gib = NAN };
    double rate = 0, upfront_part;
    int refused;

    p->rates++;
    if (!p->plan_count)
        return fail(p, "schema: rates before their plans");
    if (!plan || !is_wanted(p, plan))
        return 1;
    known = instance_find("aws", row.instance);
    if (!known || !*known->gpu)
        return 1;
    row.term = plan->years == 3 ? TERM_SAVINGS_3Y : TERM_SAVINGS_1Y;
    row.payment = (enum payment)plan->payment;
    row.effective_day = day_read(p->text[TEXT_day], 10);
    refused = p->twice ? REFUSED_duplicate_key
        : !is(p, TEXT_rate_unit, "Hrs") ? REFUSED_unit
        : !is(p, TEXT_currency, p->feed->currency) ? REFUSED_currency
        : !row.effective_day ? REFUSED_bad_date
        : feed_price(p->text[TEXT_price], &rate);
    if (refused < 0)
        refused = feed_know_gpu(&row);
    upfront_part = row.payment == PAYMENT_ALL_UPFRONT ? 1
                 : row.payment == PAYMENT_PARTIAL_UPFRONT ? 0.5 : 0;
    row.price_per_hour = rate * (1 - upfront_part);
    row.upfront_price = rate * upfront_part * hour_per_year * plan->years;
    if (refused >= 0 ? p->sink.refused(p->sink.context, (enum refusal)refused,
                                       &row)
                     : p->sink.row(p->sink.context, &row)) {
        p->status = NO_MEMORY;
        return 0;
    }
    return 1;
}

/* -- JSON, piece by piece ------------------------------------------------- */

static int opens(struct plans *p, int is_list)
{
    if (p->depth == DEPTH_MAX)
        return fail(p, "too_deep: more levels than such a file has");
    p->level[p->depth].is_list = is_list;
    p->level[p->depth++].path_byte = strlen(p->path);
    return 1;
}

static void closes(struct plans *p)
{
    p->depth--;
    p->path[p->level[p->depth].path_byte] = '\0';
}

/* Members of the object that opens are forgotten. */
static int start_map(void *context)
{
    struct plans *p = context;
    const int rate = !strcmp(p->path, "terms/savingsPlan/rates");

    if (rate || !strcmp(p->path, "products")
        || !strcmp(p->path, "terms/savingsPlan")) {
        for (int i = rate ? TEXT_usage : 0; i < TEXT_COUNT; i++)
            *p->text[i] = '\0';
        p->twice = 0;
    }
    return opens(p, 0);
}

static int end_map(void *context)
{
    struct plans *p = context;

    closes(p);
    if (p->depth && p->level[p->depth - 1].is_list) {
        if (!strcmp(p->path, "products"))
            return end_product(p);
        if (!strcmp(p->path, "terms/savingsPlan/rates"))
            return end_rate(p);
    }
    return 1;
}

static int start_list(void *context) { return opens(context, 1); }

static int end_list(void *context)
{
    closes(context);
    return 1;
}

static int take_key(void *context, const unsigned char *key, size_t byte)
{
    struct plans *p = context;
    size_t used = p->level[p->depth - 1].path_byte;

    if (used + byte + 2 > PATH_BYTE)
        return fail(p, "too_long: a key");
    if (used)
        p->path[used++] = '/';
    memcpy(p->path + used, key, byte);
    p->path[used + byte] = '\0';
    return 1;
}

/* A value: kept when it is one we look for. Values in a list are nothing. */
static int take_value(struct plans *p, const char *text, size_t byte)
{
    if (!p->depth)
        return fail(p, "schema: no object");
    if (p->level[p->depth - 1].is_list)
        return 1;
    for (int i = 0; i < TEXT_COUNT; i++) {
        if (i == TEXT_sku ? strcmp(p->path, "products/sku")
                            && strcmp(p->path, "terms/savingsPlan/sku")
                          : strcmp(p->path, text_path[i]) != 0)
            continue;
        p->twice |= *p->text[i] != '\0';
        if (byte >= TEXT_BYTE || memchr(text, '\0', byte))
            return fail(p, "too_long: a value");
        memcpy(p->text[i], text, byte);
        p->text[i][byte] = '\0';
        break;
    }
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
    unsigned char *words;

    if (p->status != GOOD || status == yajl_status_ok)
        return p->status;
    words = yajl_get_error(p->json, 0, NULL, 0);
    p->status = feed_refuse(&p->parse, "json: %.80s",
                            words ? (const char *)words : "not JSON");
    yajl_free_error(p->json, words);
    p->parse.why[strcspn(p->parse.why, "\n")] = '\0';
    return p->status;
}

static enum status plans_bytes(struct feed_parse *parse, const char *bytes,
                               size_t count)
{
    struct plans *p = (struct plans *)parse;

    if (!p->body)
        return feed_page_add(&p->index, bytes, count, parse);
    if (p->status != GOOD)
        return p->status;
    return verdict(p, yajl_parse(p->json, (const unsigned char *)bytes,
                                 count));
}

static enum status plans_end(struct feed_parse *parse)
{
    struct plans *p = (struct plans *)parse;

    if (!p->body)
        return read_index(p);
    p->next[0] = '\0';
    if (verdict(p, yajl_complete_parse(p->json)) != GOOD)
        return p->status;
    return p->rates ? GOOD
        : feed_refuse(parse, "row_count: no rate of %s", p->region);
}

static const char *plans_next(struct feed_parse *parse)
{
    struct plans *p = (struct plans *)parse;

    return *p->next ? p->next : NULL;
}

const struct feed_reader feed_reader_aws_plans = {
    "aws_plans", 1, 1, plans_begin, plans_bytes, plans_end, plans_close,
    plans_next
};
