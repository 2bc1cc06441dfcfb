/* feed_gcp.c: Google's catalogue of prices (services.skus.list of Compute
   Engine), page by page. It prices parts, not machines:
     machine = vCPUs x core + GiB x RAM + GPUs x GPU + SSD GiB x SSD / 730
   What a part is called stands in gcp_parts.csv, what a machine is made of in
   gcp_machines.csv. A machine that lacks the price of a part has none, nor has
   one that is not sold in that way (gcp_sold.csv). Names are compared whole, so
   that what is priced for another purpose (Sole Tenancy, Reserved, Custom,
   Premium, DWS, Calendar Mode, suspended) is no part.
   GPUs that are attached to N1 machines have no machine of a name; they and
   slices of a GPU (g4-standard-6 to -24) are left. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/feed_json.h"
#include "pricing/gcp_sold.h"

static const double hour_per_month = 730;
static const double nano = 1e-9;

enum { REGION_MAX = 128, REGION_BYTE = 40, TOKEN_BYTE = 300 };

static const struct part { const char *part, *kind, *name; } parts[] = {
#define ROW(part, kind, name, source, address, date) { part, kind, name },
#include "pricing/gcp_parts.inc"
#undef ROW
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

static const struct machine {
    const char *instance, *core, *ram, *gpu;
    double vcpu_count, memory_gib, gpu_count, ssd_gib;
    const char *gpu_name;
} machines[] = {
#define ROW(instance, core, ram, gpu, vcpu, memory, gpu_count, ssd, gpu_name, \
            source, address, date) \
    { instance, core, ram, gpu, vcpu, memory, gpu_count, ssd, gpu_name },
#include "pricing/gcp_machines.inc"
#undef ROW
};
enum { MACHINE_COUNT = sizeof machines / sizeof *machines };

/* Ways of paying that are read. */
static const enum term terms[] = { TERM_ON_DEMAND, TERM_SPOT,
                                   TERM_RESERVED_1Y, TERM_RESERVED_3Y };
enum { ON_DEMAND, SPOT, YEAR_1, YEAR_3, WAY_COUNT, WAY_NONE = WAY_COUNT };

/* Of a part in a region. refused: what is wrong with it, -1 nothing. */
struct part_price { double per_hour; int known, refused, day; };

struct gcp {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    struct feed_page page;
    char region[REGION_MAX][REGION_BYTE];
    int region_count;
    struct part_price price[PART_COUNT][REGION_MAX][WAY_COUNT];
    int pages, rows;
    char next[3 * TOKEN_BYTE + sizeof "&pageToken="];
};

static struct feed_parse *gcp_begin(const struct feed *feed,
                                    const struct feed_sink *sink)
{
    struct gcp *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->feed = feed;
    g->sink = *sink;
    return &g->parse;
}

static void gcp_close(struct feed_parse *parse)
{
    struct gcp *g = (struct gcp *)parse;

    feed_page_close(&g->page);
    free(g);
}

static enum status gcp_bytes(struct feed_parse *parse, const char *bytes,
                             size_t count)
{
    struct gcp *g = (struct gcp *)parse;

    return feed_page_add(&g->page, bytes, count, parse);
}

/* -- what a SKU is -------------------------------------------------------- */

/* Behind the word when the text begins with it, else NULL. */
static const char *behind(const char *text, const char *word)
{
    const size_t byte = strlen(word);

    return strncmp(text, word, byte) ? NULL : text + byte;
}

static int ends(const char *text, const char *word)
{
    const size_t byte = strlen(text), end = strlen(word);

    return byte >= end && !strcmp(text + byte - end, word);
}

static int is_special(const char *description)
{
    static const char *const word[] = {
        "Sole Tenancy", "Reserved", "Custom", "Premium", "suspended",
        "Calendar", "DWS", "Defined Duration", "Flex",
    };

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strstr(description, word[i]))
            return 1;
    return 0;
}

/* What may stand behind a part's name: that it is for spot machines, where,
   and for how long. 0: something else. */
static int is_tail(const char *tail, int *spot)
{
    static const char *const attached[] = {
        " attached to Spot Preemptible VMs", " attached to Preemptible VMs" };

    for (size_t i = 0; i < sizeof attached / sizeof *attached; i++) {
        if (behind(tail, attached[i])) {
            tail = behind(tail, attached[i]);
            *spot = 1;
        }
    }
    return !*tail || behind(tail, " running in ") || behind(tail, " in ");
}

/* The part that is described, and how it is paid for; -1: none. */
static int read_description(const char *text, int *spot, int *years)
{
    static const char *const preemptible[] = { "Spot Preemptible ",
                                               "Preemptible " };
    const char *rest = behind(text, "Commitment v1: ");

    *spot = 0;
    *years = !rest ? 0 : ends(text, " for 1 Year") ? 1
           : ends(text, " for 3 Years") || ends(text, " for 3 Year") ? 3 : -1;
    if (is_special(text))
        return -1;
    text = rest ? rest : text;
    for (size_t i = 0; i < sizeof preemptible / sizeof *preemptible; i++) {
        if (behind(text, preemptible[i])) {
            text = behind(text, preemptible[i]);
            *spot = 1;
        }
    }
    for (int i = 0; i < PART_COUNT; i++) {
        rest = behind(text, parts[i].name);
        if (rest && is_tail(rest, spot))
            return i;
    }
    return -1;
}

/* A commitment is one when description and usage type agree. Spot prices are
   told by the description too: of A4 they stand under OnDemand. */
static int way_of(const char *usage, int spot, int years)
{
    if (!strcmp(usage, "Commit1Yr"))
        return years == 1 && !spot ? YEAR_1 : WAY_NONE;
    if (!strcmp(usage, "Commit3Yr"))
        return years == 3 && !spot ? YEAR_3 : WAY_NONE;
    if (years)
        return WAY_NONE;
    if (!strcmp(usage, "Preemptible"))
        return SPOT;
    return strcmp(usage, "OnDemand") ? WAY_NONE : spot ? SPOT : ON_DEMAND;
}

/* -- what it costs -------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* A whole number that is text or, in a body made by others, a number; a
   missing one is 0, as the format leaves it out. NAN: it is none. */
static double whole_number(const cJSON *value)
{
    const char *digit;
    double number;

    if (!value)
        return 0;
    if (cJSON_IsNumber(value))
        return fabs(value->valuedouble) <= 9007199254740992
               && value->valuedouble == floor(value->valuedouble)
            ? value->valuedouble : (double)NAN;
    if (!cJSON_IsString(value))
        return NAN;
    digit = value->valuestring + (*value->valuestring == '-');
    if (!*digit || strlen(digit) > 15 || strspn(digit, "0123456789")
                                          != strlen(digit))
        return NAN;
    number = feed_number(digit);
    return *value->valuestring == '-' ? -number : number;
}

/* units + nanos / 1e9, both of one sign; either is left out when it is 0.
   Returns -1 or the refusal. */
static int read_money(const cJSON *money, double *out)
{
    const cJSON *fraction = member(money, "nanos");
    const double units = whole_number(member(money, "units"));
    const double nanos = fraction && !cJSON_IsNumber(fraction)
                         ? (double)NAN : whole_number(fraction);

    if (feed_json_twice(money))
        return REFUSED_duplicate_key;
    if (!cJSON_IsObject(money))
        return REFUSED_missing;
    if (isnan(units) || isnan(nanos) || fabs(nanos) > 999999999
        || units * nanos < 0)
        return REFUSED_not_a_number;
    if (units < 0 || nanos < 0)
        return REFUSED_negative_price;
    *out = units + nanos * nano;
    return *out > 0 ? -1 : REFUSED_zero_price;
}

/* Of tiers the one that goes on without end: the one that begins last. */
static const cJSON *last_tier(const cJSON *tiers, int *refused)
{
    const cJSON *tier, *last = NULL;
    double most = -1;

    *refused = REFUSED_missing;
    cJSON_ArrayForEach(tier, tiers) {
        const cJSON *from = member(tier, "startUsageAmount");
        const double amount = !from ? 0 : cJSON_IsNumber(from)
                              ? from->valuedouble : (double)NAN;

        *refused = feed_json_twice(tier) ? REFUSED_duplicate_key
                 : amount > most ? -1 : REFUSED_duplicate;
        if (*refused >= 0)
            return NULL;
        most = amount;
        last = tier;
    }
    return last;
}

/* Hours that the unit of a kind of part stands for; 0: not its unit. */
static double unit_hours(const char *kind, const char *unit)
{
    if (!strcmp(kind, "core") || !strcmp(kind, "gpu"))
        return !strcmp(unit, "h");
    if (!strcmp(unit, "GiBy.h"))
        return 1;
    return !strcmp(kind, "ssd") && !strcmp(unit, "GiBy.mo") ? hour_per_month
                                                            : 0;
}

/* The money of the one price in force, NULL with the refusal. */
static const cJSON *money_of(const cJSON *sku, const char *kind, double *hours,
                             int *refused)
{
    const cJSON *all = member(sku, "pricingInfo");
    const cJSON *info = cJSON_GetArrayItem(all, 0);
    const cJSON *priced = member(info, "pricingExpression");
    const cJSON *tier;

    *refused = REFUSED_missing;
    if (!cJSON_IsArray(all) || !cJSON_IsObject(priced))
        return NULL;
    *hours = unit_hours(kind, feed_json_text(priced, "usageUnit"));
    *refused = feed_json_twice(sku) || feed_json_twice(info)
               || feed_json_twice(priced)
               || feed_json_twice(member(sku, "category"))
        ? REFUSED_duplicate_key : cJSON_GetArraySize(all) > 1
        ? REFUSED_duplicate : *hours > 0 ? -1 : REFUSED_unit;
    if (*refused >= 0)
        return NULL;
    tier = last_tier(member(priced, "tieredRates"), refused);
    return tier ? member(tier, "unitPrice") : NULL;
}

static struct part_price price_of(const cJSON *sku, const struct part *part)
{
    struct part_price price = { .known = 1 };
    double hours = 1;
    const cJSON *money = money_of(sku, part->kind, &hours, &price.refused);

    if (price.refused < 0)
        price.refused = read_money(money, &price.per_hour);
    price.per_hour /= hours;
    price.day = feed_json_day(cJSON_GetArrayItem(member(sku, "pricingInfo"),
                                                 0), "effectiveTime");
    return price;
}

/* Another currency is one of the whole body. */
static int is_foreign(const struct gcp *g, const cJSON *sku)
{
    const cJSON *info, *tier;

    cJSON_ArrayForEach(info, member(sku, "pricingInfo")) {
        const cJSON *rate = member(info, "currencyConversionRate");

        if (cJSON_IsNumber(rate) && rate->valuedouble != 1)
            return 1;
        cJSON_ArrayForEach(tier, member(member(info, "pricingExpression"),
                                        "tieredRates")) {
            const cJSON *money = member(tier, "unitPrice");

            if (cJSON_IsObject(money)
                && strcmp(feed_json_text(money, "currencyCode"),
                          g->feed->currency))
                return 1;
        }
    }
    return 0;
}

/* -- parts ---------------------------------------------------------------- */

/* The first row of a part, under which its prices are kept. */
static int part_of(const char *id)
{
    for (int i = 0; i < PART_COUNT; i++)
        if (!strcmp(parts[i].part, id))
            return i;
    return -1;
}

/* Place of a region, a new one if need be; -1: there is no room. */
static int region_of(struct gcp *g, const char *name)
{
    for (int i = 0; i < g->region_count; i++)
        if (!strcmp(g->region[i], name))
            return i;
    if (g->region_count == REGION_MAX || strlen(name) >= REGION_BYTE)
        return -1;
    snprintf(g->region[g->region_count], REGION_BYTE, "%s", name);
    return g->region_count++;
}

/* The same part at another price: nobody can tell which one counts. */
static void keep_price(struct part_price *kept, struct part_price price)
{
    if (kept->known && kept->refused < 0 && price.refused < 0
        && fabs(kept->per_hour - price.per_hour) > 1e-12)
        price.refused = REFUSED_duplicate;
    if (kept->known && kept->refused >= 0)
        return;
    if (kept->known && kept->day > price.day)
        price.day = kept->day;
    *kept = price;
}

static enum status keep_in_regions(struct gcp *g, const cJSON *sku, int part,
                                   int way, struct part_price price)
{
    const cJSON *name, *all = member(sku, "serviceRegions");

    cJSON_ArrayForEach(name, all) {
        int region;

        if (!cJSON_IsString(name) || !*name->valuestring)
            return feed_refuse(&g->parse, "schema: a region without a name");
        region = region_of(g, name->valuestring);
        if (region < 0)
            return feed_refuse(&g->parse, "too_long: more than %d regions, or "
                               "one of more than %d bytes", REGION_MAX,
                               REGION_BYTE - 1);
        keep_price(&g->price[part][region][way], price);
    }
    return GOOD;
}

static struct feed_row row_of(const struct gcp *g, const char *instance)
{
    return (struct feed_row){
        .provider = "gcp", .instance = instance, .region = "", .zone = "",
        .currency = g->feed->currency, .gpu = "", .gpu_name = "",
        .source = "", .gpu_count = NAN, .gpu_memory_gib = NAN,
        .vcpu_count = NAN, .memory_gib = NAN, .term = TERM_COUNT,
        .payment = PAYMENT_NO_UPFRONT,
    };
}

static enum status take_sku(struct gcp *g, const cJSON *sku)
{
    const char *description = feed_json_text(sku, "description");
    const cJSON *category = member(sku, "category");
    const char *usage = feed_json_text(category, "usageType");
    int spot, years, part = read_description(description, &spot, &years), way;

    if (!cJSON_IsObject(sku) || !cJSON_IsObject(category) || !*description)
        return feed_refuse(&g->parse, "schema: an SKU without description or "
                           "category");
    if (part < 0) {
        struct feed_row row = row_of(g, description);

        return !strcmp(feed_json_text(category, "resourceGroup"), "GPU")
               && !strcmp(usage, "OnDemand") && !is_special(description)
               && g->sink.refused(g->sink.context, REFUSED_no_machine, &row)
            ? NO_MEMORY : GOOD;
    }
    way = way_of(usage, spot, years);
    if (way == WAY_NONE
        || strcmp(feed_json_text(category, "resourceFamily"),
                  strcmp(parts[part].kind, "ssd") ? "Compute" : "Storage"))
        return GOOD;
    if (is_foreign(g, sku))
        return feed_refuse(&g->parse, "currency: prices are not in %s",
                           g->feed->currency);
    return keep_in_regions(g, sku, part_of(parts[part].part), way,
                           price_of(sku, &parts[part]));
}

/* -- machines ------------------------------------------------------------- */

/* Adds `amount` of a part. A machine without such a part has "" or 0. */
static void add_part(const struct gcp *g, const char *id, double amount,
                     int region, int way, struct part_price *sum)
{
    const struct part_price *part;

    if (!*id || !(amount > 0) || sum->refused >= 0)
        return;
    part = &g->price[part_of(id)][region][way];
    sum->refused = part->known ? part->refused : REFUSED_missing;
    sum->per_hour += amount * part->per_hour;
    if (part->day > sum->day)
        sum->day = part->day;
}

static int give(struct gcp *g, struct feed_row *row, int refused)
{
    if (refused < 0)
        refused = feed_know_gpu(row);
    if (refused >= 0)
        return g->sink.refused(g->sink.context, (enum refusal)refused, row);
    g->rows++;
    return g->sink.row(g->sink.context, row);
}

/* A machine in a region, sold in one way. *seen: its GPU has a price. */
static int give_machine(struct gcp *g, const struct machine *m, int region,
                        int way, int *seen)
{
    struct part_price sum = { .refused = -1 };
    struct feed_row row = row_of(g, m->instance);

    if (!g->price[part_of(m->gpu)][region][way].known)
        return 0;
    *seen = 1;
    add_part(g, m->gpu, m->gpu_count, region, way, &sum);
    add_part(g, m->core, m->vcpu_count, region, way, &sum);
    add_part(g, m->ram, m->memory_gib, region, way, &sum);
    add_part(g, "ssd", m->ssd_gib, region, way, &sum);
    row.region = g->region[region];
    row.term = terms[way];
    row.gpu_name = m->gpu_name;
    row.gpu_count = m->gpu_count;
    row.vcpu_count = m->vcpu_count;
    row.memory_gib = m->memory_gib;
    row.price_per_hour = sum.per_hour;
    row.effective_day = sum.day;
    if (!gcp_is_sold(m->instance, row.term))
        sum.refused = REFUSED_not_sold;
    return give(g, &row, sum.refused);
}

/* Nonzero: stop. A machine whose GPU has no price anywhere is missed. */
static int give_all(struct gcp *g)
{
    for (int i = 0; i < MACHINE_COUNT; i++) {
        struct feed_row row = row_of(g, machines[i].instance);
        int seen = 0;

        for (int region = 0; region < g->region_count; region++)
            for (int way = 0; way < WAY_COUNT; way++)
                if (give_machine(g, &machines[i], region, way, &seen))
                    return 1;
        if (!seen && give(g, &row, REFUSED_missing))
            return 1;
    }
    return 0;
}

/* -- pages ---------------------------------------------------------------- */

/* Stands in an address as it is. */
static int is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')
           || (c >= 'a' && c <= 'z') || strchr("-._~", c);
}

/* What is added to the first address for the next page: "" at the end. */
static enum status read_token(struct gcp *g, const cJSON *tree)
{
    const cJSON *token = member(tree, "nextPageToken");
    size_t at = 0;

    *g->next = '\0';
    if (token && !cJSON_IsString(token) && !cJSON_IsNull(token))
        return feed_refuse(&g->parse, "schema: nextPageToken is no text");
    if (!cJSON_IsString(token) || !*token->valuestring)
        return GOOD;
    if (strlen(token->valuestring) > TOKEN_BYTE)
        return feed_refuse(&g->parse, "too_long: a token of the next page of "
                           "more than %d bytes", TOKEN_BYTE);
    at = (size_t)snprintf(g->next, sizeof g->next, "&pageToken=");
    for (const char *c = token->valuestring; *c; c++)
        at += (size_t)snprintf(g->next + at, sizeof g->next - at,
                               is_plain(*c) ? "%c" : "%%%02X",
                               (unsigned char)*c);
    return GOOD;
}

/* A later page may be empty when it says what follows; no page is `{}`. */
static enum status take_page(struct gcp *g, const cJSON *tree)
{
    const cJSON *sku, *skus = member(tree, "skus");
    const int more = cJSON_IsString(member(tree, "nextPageToken"));
    enum status status = read_token(g, tree);

    if (status != GOOD)
        return status;
    if (!(cJSON_IsArray(skus) || (!skus && more))
        || (!cJSON_GetArraySize(skus) && (!more || g->pages == 0)))
        return feed_refuse(&g->parse, "schema: no SKUs in the page");
    g->pages++;
    cJSON_ArrayForEach(sku, skus) {
        status = take_sku(g, sku);
        if (status != GOOD)
            return status;
    }
    if (*g->next)
        return GOOD;
    if (give_all(g))
        return NO_MEMORY;
    return g->rows ? GOOD : feed_refuse(&g->parse, "schema: no machine could "
                                        "be put together");
}

static enum status gcp_end(struct feed_parse *parse)
{
    struct gcp *g = (struct gcp *)parse;
    cJSON *tree = feed_page_read(&g->page, parse);
    enum status status = tree ? take_page(g, tree) : FEED_REFUSED;

    cJSON_Delete(tree);
    return status;
}

static const char *gcp_next(struct feed_parse *parse)
{
    struct gcp *g = (struct gcp *)parse;

    return *g->next ? g->next : NULL;
}

const struct feed_reader feed_reader_gcp = {
    "gcp", 1, 0, gcp_begin, gcp_bytes, gcp_end, gcp_close, gcp_next
};
