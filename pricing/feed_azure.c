/* feed_azure.c: Azure Retail Prices, one region a feed, page by page. An item
   is one meter: on demand with its savings plans, Spot, or a reservation,
   whose price is that of the whole term although its unit says an hour; it
   is billed monthly at no extra, so an hour of it is told. Windows, Cloud
   Services, Dedicated and Low Priority meters share the machine's name and
   are passed over. GPUs come from the table of instances: the feed names
   none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/feed_json.h"

static const double hour_per_year = 8760;

struct azure {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
    char next[FEED_ADDRESS_BYTE];
    long items;
};

static struct feed_parse *azure_begin(const struct feed *feed,
                                      const struct feed_sink *sink)
{
    struct azure *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->feed = feed;
    a->sink = *sink;
    return &a->parse;
}

static void azure_close(struct feed_parse *parse)
{
    struct azure *a = (struct azure *)parse;

    feed_page_close(&a->page);
    free(a);
}

static enum status azure_bytes(struct feed_parse *parse, const char *bytes,
                               size_t count)
{
    struct azure *a = (struct azure *)parse;

    return feed_page_add(&a->page, bytes, count, parse);
}

static enum status refuse(struct azure *a, const char *why)
{
    return feed_refuse(&a->parse, "%s", why);
}

static int ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int passed_over(const cJSON *item)
{
    const char *product = feed_json_text(item, "productName");
    const cJSON *primary =
        cJSON_GetObjectItemCaseSensitive(item, "isPrimaryMeterRegion");

    return strstr(product, "Windows") || strstr(product, "Cloud Services") ||
           strstr(product, "CloudServices") || strstr(product, "Dedicated") ||
           cJSON_IsFalse(primary) ||
           ends_in(feed_json_text(item, "skuName"), " Low Priority") ||
           ends_in(feed_json_text(item, "meterName"), " Low Priority") ||
           strcmp(feed_json_text(item, "serviceName"), "Virtual Machines") ||
           strcmp(feed_json_text(item, "type"), "DevTestConsumption") == 0;
}

static int give(struct azure *a, struct feed_row *row, int refused)
{
    return refused >= 0
        ? a->sink.refused(a->sink.context, (enum refusal)refused, row)
        : a->sink.row(a->sink.context, row);
}

/* Years in "1 Year", "3 Years"; 0: another term. */
static int year_of(const char *term)
{
    return strcmp(term, "1 Year") == 0 ? 1 : strcmp(term, "3 Years") == 0 ? 3
                                                                          : 0;
}

static int give_reservation(struct azure *a, const cJSON *item,
                            struct feed_row *row)
{
    int years = year_of(feed_json_text(item, "reservationTerm"));
    int refused = feed_json_price(item, "retailPrice", &row->price_per_hour);

    row->term = years == 3 ? TERM_RESERVED_3Y : TERM_RESERVED_1Y;
    if (!years)
        return 0;
    row->price_per_hour /= years * hour_per_year;
    return give(a, row, refused);
}

static int give_plans(struct azure *a, const cJSON *item,
                      const struct feed_row *base)
{
    const cJSON *plan, *plans =
        cJSON_GetObjectItemCaseSensitive(item, "savingsPlan");

    cJSON_ArrayForEach(plan, plans) {
        struct feed_row row = *base;
        int years = year_of(feed_json_text(plan, "term"));
        if (!years)
            continue;
        row.term = years == 3 ? TERM_SAVINGS_3Y : TERM_SAVINGS_1Y;
        if (give(a, &row, feed_json_twice(plan) ? REFUSED_duplicate_key
                 : feed_json_price(plan, "retailPrice", &row.price_per_hour)))
            return 1;
    }
    return 0;
}

/* What is wrong with the item apart from its price, or -1. */
static int item_fault(const struct azure *a, const cJSON *item,
                      const struct feed_row *row)
{
    const char *asked = strchr(a->feed->id, '-') + 1; /* "az-eastus" */
    const cJSON *tier = cJSON_GetObjectItemCaseSensitive(item,
                                                         "tierMinimumUnits");

    if (feed_json_twice(item))
        return REFUSED_duplicate_key;
    if (strcmp(row->currency, a->feed->currency) != 0)
        return REFUSED_currency;
    if (strcmp(row->region, asked) != 0)
        return REFUSED_unknown_region;
    if (strcmp(feed_json_text(item, "unitOfMeasure"), "1 Hour") != 0 ||
        (cJSON_IsNumber(tier) && tier->valuedouble > 0))
        return REFUSED_unit;
    return row->effective_day ? -1 : REFUSED_bad_date;
}

/* Nonzero: stop. */
static int take_item(struct azure *a, const cJSON *item)
{
    struct feed_row row = {
        .provider = "azure", .instance = feed_json_text(item, "armSkuName"),
        .region = feed_json_text(item, "armRegionName"),
        .currency = feed_json_text(item, "currencyCode"),
        .gpu = "", .gpu_name = "", .zone = "", .source = "",
        .gpu_count = NAN, .gpu_memory_gib = NAN, .vcpu_count = NAN,
        .memory_gib = NAN, .payment = PAYMENT_NO_UPFRONT,
        .effective_day = feed_json_day(item, "effectiveStartDate"),
    };
    const char *type = feed_json_text(item, "type");
    const struct instance *known = instance_find("azure", row.instance);
    int fault, spot;

    if (!*row.instance || passed_over(item))
        return 0;
    if (!known || !*known->gpu) /* N: a series with accelerators */
        return a->sink.refused(a->sink.context, !known &&
                               strncmp(row.instance, "Standard_N", 10) == 0
                               ? REFUSED_no_machine : REFUSED_cpu_only, &row);
    fault = item_fault(a, item, &row);
    if (fault < 0)
        fault = feed_know_gpu(&row);
    if (fault >= 0)
        return a->sink.refused(a->sink.context, (enum refusal)fault, &row);
    if (strcmp(type, "Reservation") == 0)
        return give_reservation(a, item, &row);
    if (strcmp(type, "Consumption") != 0)
        return 0;
    spot = ends_in(feed_json_text(item, "skuName"), " Spot") ||
           ends_in(feed_json_text(item, "meterName"), " Spot");
    row.term = spot ? TERM_SPOT : TERM_ON_DEMAND;
    if (give(a, &row, feed_json_price(item, "retailPrice",
                                      &row.price_per_hour)))
        return 1;
    return spot ? 0 : give_plans(a, item, &row);
}

static enum status take_page(struct azure *a, const cJSON *tree)
{
    const cJSON *item, *items = cJSON_GetObjectItemCaseSensitive(tree, "Items");
    const cJSON *link = cJSON_GetObjectItemCaseSensitive(tree, "NextPageLink");
    const char *next = feed_json_text(tree, "NextPageLink");

    if (!cJSON_IsArray(items))
        return refuse(a, "schema: no Items");
    if (strcmp(feed_json_text(tree, "BillingCurrency"), a->feed->currency))
        return refuse(a, "currency: not the one asked for");
    /* without it nobody knows whether this was the last page */
    if (!cJSON_IsNull(link) && !cJSON_IsString(link))
        return refuse(a, "schema: no NextPageLink");
    /* an empty page ends no list: the rest may be missing, and yesterday's
       prices are better than a part of today's */
    if (!cJSON_GetArraySize(items))
        return refuse(a, a->items ? "incomplete: a page without items"
                                  : "row_count: it holds no item");
    cJSON_ArrayForEach(item, items) {
        a->items++;
        if (!*feed_json_text(item, "currencyCode"))
            return refuse(a, "currency: an item names none");
        if (!*feed_json_text(item, "unitOfMeasure"))
            return refuse(a, "unit: an item names none");
        if (take_item(a, item))
            return NO_MEMORY;
    }
    if (strlen(next) >= sizeof a->next)
        return refuse(a, "too_long: the address of the next page");
    snprintf(a->next, sizeof a->next, "%s", next);
    return GOOD;
}

static enum status azure_end(struct feed_parse *parse)
{
    struct azure *a = (struct azure *)parse;
    cJSON *tree = feed_page_read(&a->page, parse);
    enum status status = tree ? take_page(a, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

static const char *azure_next(struct feed_parse *parse)
{
    struct azure *a = (struct azure *)parse;

    return *a->next ? a->next : NULL;
}

const struct feed_reader feed_reader_azure = {
    "azure", 2, 0, azure_begin, azure_bytes, azure_end, azure_close, azure_next
};
