/* feed_aws.c: Amazon's price list of EC2, one region a feed: the index of
   regions names the current version, its CSV follows (hundreds of MB, a line
   a price). Only lines whose usage is that of a machine with a GPU are looked
   at; columns are found by name. The plain Linux price: Shared, Linux, nothing
   installed, capacity used. Reserved offers come in two lines, the hours and
   the sum upfront. GPUs come from the table of instances. */
#define _GNU_SOURCE /* memrchr */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/csv.h"
#include "pricing/feed_json.h"
#include "pricing/num.h"

enum column { COLUMN_term, COLUMN_day, COLUMN_unit, COLUMN_price,
              COLUMN_currency, COLUMN_lease, COLUMN_option, COLUMN_instance,
              COLUMN_tenancy, COLUMN_system, COLUMN_software, COLUMN_usage,
              COLUMN_NEEDED, COLUMN_class = COLUMN_NEEDED, COLUMN_capacity,
              COLUMN_market, COLUMN_gpu, COLUMN_region, COLUMN_COUNT };

static const char *const column_name[COLUMN_COUNT] = {
    [COLUMN_term] = "TermType",            [COLUMN_day] = "EffectiveDate",
    [COLUMN_unit] = "Unit",                [COLUMN_price] = "PricePerUnit",
    [COLUMN_currency] = "Currency",
    [COLUMN_lease] = "LeaseContractLength",
    [COLUMN_option] = "PurchaseOption",
    [COLUMN_instance] = "Instance Type",   [COLUMN_tenancy] = "Tenancy",
    [COLUMN_system] = "Operating System",
    [COLUMN_software] = "Pre Installed S/W", [COLUMN_usage] = "usageType",
    [COLUMN_class] = "OfferingClass",      [COLUMN_capacity] = "CapacityStatus",
    [COLUMN_market] = "MarketOption",      [COLUMN_gpu] = "GPU",
    [COLUMN_region] = "Region Code",
};

enum { LINE_BYTE = 32768, OFFER_MAX = 4096 };

/* A reserved offer while its two lines come in; NAN: not yet. */
struct offer {
    const struct instance *instance;
    enum term term;
    enum payment payment;
    int day;
    double hour, upfront;
};

struct aws {
    struct feed_parse parse;
    const struct feed *feed;
    struct feed_sink sink;
    const char *region;         /* out of the feed's id */
    struct feed_page index;
    char next[FEED_ADDRESS_BYTE];
    int body;                   /* 0: the index, 1: the prices */
    struct csv *csv;
    size_t header, at[COLUMN_COUNT]; /* place of each column; SIZE_MAX absent */
    char line[LINE_BYTE];       /* what a piece ended with */
    size_t byte;
    long rows;
    int open_end;               /* the last byte was not a line end */
    enum status status;
    struct offer offer[OFFER_MAX];
    int offer_count;
};

static enum status refuse(struct aws *a, const char *why, const char *what)
{
    return feed_refuse(&a->parse, "%s%.80s", why, what);
}

static int take_row(void *context, const struct csv_row *row);

static struct feed_parse *aws_begin(const struct feed *feed,
                                    const struct feed_sink *sink)
{
    struct aws *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->feed = feed;
    a->sink = *sink;
    a->region = strchr(feed->id, '-') + 1;
    a->csv = csv_open(take_row, a);
    if (a->csv)
        return &a->parse;
    free(a);
    return NULL;
}

static void aws_close(struct feed_parse *parse)
{
    struct aws *a = (struct aws *)parse;

    feed_page_close(&a->index);
    csv_close(a->csv);
    free(a);
}

/* -- the index of regions ------------------------------------------------- */

/* The CSV stands beside the JSON that the index names. */
static enum status read_index(struct aws *a)
{
    cJSON *tree = feed_page_read(&a->index, &a->parse);
    const cJSON *regions, *own;
    const char *address;
    size_t length;

    if (!tree)
        return FEED_REFUSED;
    regions = cJSON_GetObjectItemCaseSensitive(tree, "regions");
    own = cJSON_GetObjectItemCaseSensitive(regions, a->region);
    address = feed_json_text(own, "currentVersionUrl");
    length = strlen(address);
    a->status = GOOD;
    if (length < 6 || length >= sizeof a->next || address[0] != '/' ||
        strcmp(address + length - 5, ".json") != 0)
        a->status = refuse(a, "schema: the index names no price list of ", a->region);
    else
        snprintf(a->next, sizeof a->next, "%.*s.csv", (int)length - 5, address);
    feed_version_of(&a->parse, a->next);
    cJSON_Delete(tree);
    a->body = 1;
    return a->status;
}

/* -- one row of prices ---------------------------------------------------- */

static const char *field(const struct aws *a, const struct csv_row *row,
                         enum column column)
{
    return a->at[column] == (size_t)-1 ? "" : row->field[a->at[column]];
}

static int is(const struct aws *a, const struct csv_row *row,
              enum column column, const char *want)
{
    return strcmp(field(a, row, column), want) == 0;
}

static int is_or_none(const struct aws *a, const struct csv_row *row,
                      enum column column, const char *want)
{
    return !*field(a, row, column) || is(a, row, column, want);
}

static int read_header(struct aws *a, const struct csv_row *row)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        a->at[c] = (size_t)-1;
        for (size_t i = 0; i < row->count; i++)
            if (strcmp(row->field[i], column_name[c]) == 0)
                a->at[c] = i;
        if (a->at[c] == (size_t)-1 && c < COLUMN_NEEDED) {
            a->status = refuse(a, c == COLUMN_currency ? "currency: no column "
                               : c == COLUMN_unit ? "unit: no column "
                               : "schema: no column ", column_name[c]);
            return 1;
        }
    }
    a->header = row->count;
    return 0;
}

/* The price somebody pays who asks for nothing special. */
static int is_plain(const struct aws *a, const struct csv_row *row)
{
    return is(a, row, COLUMN_tenancy, "Shared") &&
           is(a, row, COLUMN_system, "Linux") &&
           is_or_none(a, row, COLUMN_software, "NA") &&
           is_or_none(a, row, COLUMN_capacity, "Used") &&
           is_or_none(a, row, COLUMN_market, "OnDemand") &&
           is_or_none(a, row, COLUMN_class, "standard") &&
           is_or_none(a, row, COLUMN_region, a->region);
}

static void row_of(const struct aws *a, const struct instance *instance,
                   int day, struct feed_row *out)
{
    *out = (struct feed_row){
        .provider = "aws", .instance = instance->id, .region = a->region,
        .currency = a->feed->currency, .gpu = "", .gpu_name = "", .zone = "",
        .source = "", .gpu_count = NAN, .gpu_memory_gib = NAN,
        .vcpu_count = NAN, .memory_gib = NAN, .effective_day = day,
        .payment = PAYMENT_NO_UPFRONT,
    };
}

static int give(struct aws *a, struct feed_row *row, int refused)
{
    if (refused < 0)
        refused = feed_know_gpu(row);
    return refused >= 0
        ? a->sink.refused(a->sink.context, (enum refusal)refused, row)
        : a->sink.row(a->sink.context, row);
}

static int payment_of(const char *option)
{
    return strcmp(option, "No Upfront") == 0 ? PAYMENT_NO_UPFRONT
         : strcmp(option, "Partial Upfront") == 0 ? PAYMENT_PARTIAL_UPFRONT
         : strcmp(option, "All Upfront") == 0 ? PAYMENT_ALL_UPFRONT : -1;
}

static struct offer *offer_of(struct aws *a, const struct instance *instance,
                              enum term term, enum payment payment)
{
    for (int i = 0; i < a->offer_count; i++)
        if (a->offer[i].instance == instance && a->offer[i].term == term &&
            a->offer[i].payment == payment)
            return &a->offer[i];
    if (a->offer_count == OFFER_MAX)
        return NULL;
    a->offer[a->offer_count] = (struct offer){ instance, term, payment, 0,
                                               NAN, NAN };
    return &a->offer[a->offer_count++];
}

/* Hours may cost nothing here: the whole is paid in advance then. */
static int take_reserved(struct aws *a, const struct csv_row *row,
                         const struct instance *instance, int day)
{
    int payment = payment_of(field(a, row, COLUMN_option));
    int years = is(a, row, COLUMN_lease, "1yr") ? 1
              : is(a, row, COLUMN_lease, "3yr") ? 3 : 0;
    double amount = feed_number(field(a, row, COLUMN_price));
    struct offer *offer;

    if (payment < 0 || !years || !(amount >= 0))
        return 0;
    offer = offer_of(a, instance, years == 3 ? TERM_RESERVED_3Y
                                             : TERM_RESERVED_1Y,
                     (enum payment)payment);
    if (!offer)
        return 0;
    offer->day = day > offer->day ? day : offer->day;
    if (is(a, row, COLUMN_unit, "Hrs"))
        offer->hour = amount;
    else if (is(a, row, COLUMN_unit, "Quantity"))
        offer->upfront = amount;
    return 0;
}

static int take_row(void *context, const struct csv_row *row)
{
    struct aws *a = context;
    const struct instance *instance;
    struct feed_row out;
    int day, refused;

    if (!a->header)
        return row->count > 2 && strcmp(row->field[0], "SKU") == 0
            ? read_header(a, row) : 0;
    if (row->count != a->header || row->control)
        return a->sink.refused(a->sink.context, row->control
                               ? REFUSED_control_char : REFUSED_field_count,
                               &(struct feed_row){ .term = TERM_COUNT });
    instance = instance_find("aws", field(a, row, COLUMN_instance));
    if (!instance || !*instance->gpu || !is_plain(a, row))
        return 0;
    a->rows++;
    day = strlen(field(a, row, COLUMN_day)) < 10 ? 0
        : day_read(field(a, row, COLUMN_day), 10);
    row_of(a, instance, day, &out);
    if (!is(a, row, COLUMN_currency, a->feed->currency))
        return give(a, &out, REFUSED_currency);
    if (!day)
        return give(a, &out, REFUSED_bad_date);
    if (is(a, row, COLUMN_term, "Reserved"))
        return take_reserved(a, row, instance, day);
    if (!is(a, row, COLUMN_term, "OnDemand"))
        return 0;
    out.term = TERM_ON_DEMAND;
    refused = is(a, row, COLUMN_unit, "Hrs")
        ? feed_price(field(a, row, COLUMN_price), &out.price_per_hour)
        : REFUSED_unit;
    return give(a, &out, refused);
}

/* -- lines ---------------------------------------------------------------- */

static enum status put_line(struct aws *a, const char *line, size_t count)
{
    enum csv_fault fault = csv_bytes(a->csv, line, count);

    if (fault == CSV_GOOD || a->status != GOOD)
        return a->status;
    a->status = fault == CSV_NO_MEMORY || fault == CSV_STOPPED
        ? NO_MEMORY : refuse(a, fault == CSV_ENCODING ? "encoding: "
                             : fault == CSV_TOO_LONG ? "too_long: " : "csv: ",
                             csv_words(fault));
    return a->status;
}

/* The families that hold accelerators: p, g, dl, inf, trn, u-p6e. */
static int is_family(const char *at, const char *end)
{
    if (at + 1 >= end)
        return 0;
    switch (*at) {
    case 'p': case 'g': return 1;
    case 'd': return at[1] == 'l';
    case 'i': return at[1] == 'n';
    case 't': return at[1] == 'r';
    case 'u': return at[1] == '-';
    }
    return 0;
}

/* Where the next use of a machine that may have GPUs is named, just behind
   "BoxUsage:", or NULL. Colons are rare, and quickly found. */
static const char *use_find(const char *text, const char *at, const char *end)
{
    static const char word[] = "BoxUsage";
    enum { WORD_BYTE = sizeof word - 1 };
    const char *hit;

    while ((hit = memchr(at, ':', (size_t)(end - at))) != NULL) {
        at = hit + 1;
        if (hit - text >= WORD_BYTE && hit[-WORD_BYTE] == word[0] &&
            memcmp(hit - WORD_BYTE, word, WORD_BYTE) == 0 &&
            is_family(at, end))
            return at;
    }
    return NULL;
}

/* Whole lines. Behind the header only those are read that name the use of
   such a machine: few of a million. */
static enum status take_lines(struct aws *a, const char *text, size_t count)
{
    const char *end = text + count, *at = text, *hit;

    while (!a->header && at < end && a->status == GOOD) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop + 1 : end;
        put_line(a, at, (size_t)(stop - at));
        at = stop;
    }
    while (a->status == GOOD && (hit = use_find(text, at, end)) != NULL) {
        const char *first = memrchr(at, '\n', (size_t)(hit - at));
        const char *last = memchr(hit, '\n', (size_t)(end - hit));
        first = first ? first + 1 : at;
        last = last ? last + 1 : end;
        put_line(a, first, (size_t)(last - first));
        at = last;
    }
    return a->status;
}

/* The tail of a piece waits for its line's end. */
static enum status take_piece(struct aws *a, const char *bytes, size_t count)
{
    const char *first = memchr(bytes, '\n', count), *last;
    size_t whole, head;

    a->open_end = count ? bytes[count - 1] != '\n' : a->open_end;
    if (a->byte) {
        head = first ? (size_t)(first - bytes) + 1 : count;
        if (a->byte + head > LINE_BYTE)
            return a->status = refuse(a, "too_long: a line is longer than any", "");
        memcpy(a->line + a->byte, bytes, head);
        a->byte += head;
        if (!first)
            return GOOD;
        if (take_lines(a, a->line, a->byte) != GOOD)
            return a->status;
        a->byte = 0;
        bytes += head;
        count -= head;
    }
    last = count ? memrchr(bytes, '\n', count) : NULL;
    whole = last ? (size_t)(last - bytes) + 1 : 0;
    if (take_lines(a, bytes, whole) != GOOD)
        return a->status;
    if (count - whole > LINE_BYTE)
        return a->status = refuse(a, "too_long: a line is longer than any", "");
    memcpy(a->line, bytes + whole, count - whole);
    a->byte = count - whole;
    return GOOD;
}

static enum status aws_bytes(struct feed_parse *parse, const char *bytes,
                             size_t count)
{
    struct aws *a = (struct aws *)parse;

    if (!a->body)
        return feed_page_add(&a->index, bytes, count, parse);
    return a->status == GOOD ? take_piece(a, bytes, count) : a->status;
}

/* Reserved offers whose two lines have come. An hour may cost nothing only
   where the whole is paid in advance. */
static int give_offers(struct aws *a)
{
    for (int i = 0; i < a->offer_count; i++) {
        const struct offer *offer = &a->offer[i];
        struct feed_row row;
        row_of(a, offer->instance, offer->day, &row);
        row.term = offer->term;
        row.payment = offer->payment;
        row.price_per_hour = offer->hour;
        row.upfront_price = isnan(offer->upfront) ? 0 : offer->upfront;
        if (give(a, &row, isnan(offer->hour)
                 || (offer->payment != PAYMENT_NO_UPFRONT
                     && isnan(offer->upfront)) ? REFUSED_missing : -1))
            return 1;
    }
    return 0;
}

static enum status aws_end(struct feed_parse *parse)
{
    struct aws *a = (struct aws *)parse;

    if (!a->body)
        return read_index(a);
    a->next[0] = '\0';
    if (a->status != GOOD)
        return a->status;
    if (!a->header)
        return refuse(a, "schema: no line of columns", "");
    if (a->byte || a->open_end)
        return refuse(a, "incomplete: the last line does not end", "");
    if (!a->rows)
        return refuse(a, "row_count: no price of a machine with a GPU in ", a->region);
    return give_offers(a) ? NO_MEMORY : GOOD;
}

static const char *aws_next(struct feed_parse *parse)
{
    struct aws *a = (struct aws *)parse;

    return *a->next ? a->next : NULL;
}

const struct feed_reader feed_reader_aws = {
    "aws", 2, 1, aws_begin, aws_bytes, aws_end, aws_close, aws_next
};
