/* feed_skypilot.c: the vms.csv files of the SkyPilot catalogue, one a cloud.
   Columns are found by name, as their order differs from cloud to cloud. One
   row of the file gives up to two prices: on demand and spot. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/catalogue.h"
#include "pricing/csv.h"
#include "pricing/feed.h"

enum column { COLUMN_instance, COLUMN_gpu, COLUMN_count, COLUMN_vcpu,
              COLUMN_memory, COLUMN_price, COLUMN_spot, COLUMN_region,
              COLUMN_gpu_info, COLUMN_NEEDED,
              COLUMN_zone = COLUMN_NEEDED, COLUMN_upstream, COLUMN_COUNT };

static const char *const column_name[COLUMN_COUNT] = {
    [COLUMN_instance] = "InstanceType",  [COLUMN_gpu] = "AcceleratorName",
    [COLUMN_count] = "AcceleratorCount", [COLUMN_vcpu] = "vCPUs",
    [COLUMN_memory] = "MemoryGiB",       [COLUMN_price] = "Price",
    [COLUMN_spot] = "SpotPrice",         [COLUMN_region] = "Region",
    [COLUMN_gpu_info] = "GpuInfo",       [COLUMN_zone] = "AvailabilityZone",
    [COLUMN_upstream] = "UpstreamCloudId",
};

/* What each cloud means by Region and AvailabilityZone. */
enum place { PLACE_REGION,      /* zones lie in the region */
             PLACE_AWS,         /* a Local Zone is a region of its own */
             PLACE_ZONE,        /* the zone is what the provider calls region */
             PLACE_TOWN };      /* "town, country, continent": the country */

static const struct cloud {
    const char *provider;
    enum place place;
    int memory_of_all;          /* SizeInMiB counts all accelerators together */
    int host_apart;             /* hosts and accelerators have rows apart */
    int auction;                /* nothing on demand: Price means nothing */
    double placeholder;         /* stands for "unknown"; 0: none */
} cloud_table[] = {
    { .provider = "aws", .place = PLACE_AWS },
    { .provider = "gcp", .host_apart = 1,
      .placeholder = 700 },     /* skypilot-catalog#31 */
    /* docs.mithril.ai, Infra (read 2026-12-07): ordered through SkyPilot, a
       machine is let at the price of the spot auction. The file repeats that
       price, 1 USD a GPU when nobody bids, as the price on demand. */
    { .provider = "mithril", .auction = 1 },
    { .provider = "primeintellect", .memory_of_all = 1 },
    { .provider = "runpod", .place = PLACE_ZONE },
    { .provider = "vast", .place = PLACE_TOWN, .memory_of_all = 1 },
}, cloud_other = { .provider = "" };

/* What know_gpu found before: the same machine comes once a region, and
   looking a name up costs a hundred times a comparison. */
enum { KNOWN_MAX = 4096, KNOWN_BYTE = 480, KNOWN_PROBE = 8 };
struct known {
    char key[KNOWN_BYTE];       /* machine, name, GpuInfo, count; "" empty */
    const char *gpu;            /* of the device table */
    double gpu_count, gpu_memory_gib;
    int refused;
};

struct skypilot {
    struct feed_parse parse;
    const struct feed *feed;
    const struct cloud *cloud;
    struct feed_sink sink;
    struct csv *csv;
    size_t header;              /* columns of the header, 0: not read yet */
    size_t at[COLUMN_COUNT];    /* place of each column; SIZE_MAX: absent */
    size_t byte;                /* seen so far */
    struct known known[KNOWN_MAX];
};

static const struct cloud *cloud_find(const char *provider)
{
    for (size_t i = 0; i < sizeof cloud_table / sizeof *cloud_table; i++)
        if (!strcmp(cloud_table[i].provider, provider))
            return &cloud_table[i];
    return &cloud_other;
}

static int read_header(struct skypilot *s, const struct csv_row *row)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        size_t found = 0;

        s->at[c] = (size_t)-1;
        for (size_t i = 0; i < row->count; i++) {
            if (!strcmp(row->field[i], column_name[c])) {
                s->at[c] = i;
                found++;
            }
        }
        if (found > 1 || (found == 0 && c < COLUMN_NEEDED)) {
            snprintf(s->parse.why, sizeof s->parse.why,
                     "schema: %s column %s in the first line",
                     found ? "more than one" : "no", column_name[c]);
            return 1;
        }
    }
    s->header = row->count;
    return 0;
}

static const char *field(const struct skypilot *s, const struct csv_row *row,
                         enum column column)
{
    return s->at[column] == (size_t)-1 ? "" : row->field[s->at[column]];
}

/* The value after 'key': in a Python or JSON literal, or NULL. */
static const char *literal_find(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    if (!at)
        return NULL;
    at += strlen(key);
    at += *at == '\'' || *at == '"';
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    return at + 1 + strspn(at + 1, " ");
}

/* GiB of one accelerator out of GpuInfo. MiB by its name, but some clouds
   write GiB (80 for a card of 80): below 1,024 it can only be GiB, as no
   accelerator has less than 1 GiB. NAN when there is none or they differ. */
static double info_memory(const struct cloud *cloud, const char *info,
                          double count)
{
    double size = NAN;

    for (const char *at = info; (at = literal_find(at, "SizeInMiB"));) {
        char number[32];
        size_t byte = strspn(at, "0123456789.");
        double value;

        snprintf(number, sizeof number, "%.*s", (int)(byte < 31 ? byte : 31),
                 at);
        value = feed_number(number);
        if (!(value > 0) || (!isnan(size) && fabs(size - value) > 0.5))
            return NAN;
        size = value;
    }
    if (cloud->memory_of_all)
        size /= count;
    return size >= 1024 ? size / 1024 : size;
}

/* The first accelerator's name out of GpuInfo, "" when there is none. */
static void info_name(const char *info, char *out, size_t size)
{
    const char *at = literal_find(info, "Name");
    size_t byte = 0;

    if (at && (*at == '\'' || *at == '"'))
        byte = strcspn(at + 1, at[0] == '"' ? "\"" : "'");
    snprintf(out, size, "%.*s", byte < size ? (int)byte : 0, at ? at + 1 : "");
}

static int has_word(const char *text, const char *lower)
{
    size_t byte = strlen(lower);

    for (; *text; text++) {
        size_t i = 0;

        while (i < byte && tolower((unsigned char)text[i]) == lower[i])
            i++;
        if (i == byte)
            return 1;
    }
    return 0;
}

/* The form of card that a name tells (gpu_1x_h100_pcie), in the
   spelling of the device table; "" when it tells none. NVLink, a bridge
   between cards, is no form. */
static const char *form_of(const char *name)
{
    if (has_word(name, "sxm"))
        return "sxm";
    if (has_word(name, "pcie"))
        return "pcie";
    if ((has_word(name, "_nvl") || has_word(name, "-nvl"))
        && !has_word(name, "nvlink"))
        return "nvl";
    return "";
}

/* Whether a device of the table is another form of card than `name` tells. */
static int other_form(const char *gpu, const char *name)
{
    const char *own = form_of(gpu), *told = form_of(name);

    return *own && *told && strcmp(own, told) != 0;
}

/* Names the accelerator: by catalogue or by the most telling of the names
   the row has. The form of the card stands in some clouds' machine names
   only; a row whose names tell two forms tells none. `upstream`: the name of
   the machine at the provider that a broker rents it from, or "". Returns -1
   or a refusal. */
static int know_gpu(struct feed_row *row, const char *name, const char *info,
                    const char *upstream)
{
    char inner[80], full[2][120] = { "", "" };
    const char *candidate[4], *form = form_of(row->instance);
    int refused = -1;

    if (!*form)
        form = form_of(upstream);
    info_name(info, inner, sizeof inner);
    if (*form) {
        snprintf(full[0], sizeof full[0], "%.90s %s", inner, form);
        snprintf(full[1], sizeof full[1], "%.90s %s", name, form);
    }
    candidate[0] = full[0];
    candidate[1] = full[1];
    candidate[2] = inner;
    candidate[3] = name;
    row->gpu = "";
    for (int i = 0; i < 4 && refused < 0 && !*row->gpu; i++) {
        row->gpu_name = candidate[i];
        if (*candidate[i])
            refused = feed_know_gpu(row);
    }
    row->gpu_name = name;
    if (other_form(row->gpu, row->instance) || other_form(row->gpu, upstream)
        || other_form(row->gpu, inner) || other_form(row->gpu, name))
        row->gpu = "";
    return refused;
}

/* know_gpu with a memory. */
static int recall_gpu(struct skypilot *s, struct feed_row *row,
                      const char *name, const char *info, const char *count,
                      const char *upstream)
{
    char key[KNOWN_BYTE];
    int byte = snprintf(key, sizeof key, "%s\n%s\n%s\n%s\n%s",
                        row->instance, upstream, name, info, count);
    unsigned hash = 2166136261u;
    struct known *known = NULL;
    int refused;

    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    for (unsigned i = 0; i < KNOWN_PROBE; i++) {
        known = &s->known[(hash + i) % KNOWN_MAX];
        if (!*known->key || !strcmp(known->key, key))
            break;
    }
    if (strcmp(known->key, key) || byte >= KNOWN_BYTE) {
        row->gpu_memory_gib = info_memory(s->cloud, info, row->gpu_count);
        refused = know_gpu(row, name, info, upstream);
        if (byte < KNOWN_BYTE) {
            memcpy(known->key, key, (size_t)byte + 1);
            known->gpu = row->gpu;
            known->gpu_count = row->gpu_count;
            known->gpu_memory_gib = row->gpu_memory_gib;
            known->refused = refused;
        }
        return refused;
    }
    row->gpu = known->gpu;
    row->gpu_count = known->gpu_count;
    row->gpu_memory_gib = known->gpu_memory_gib;
    return known->refused;
}

/* Region and zone as this cloud means them; `text` holds what is built. */
static void know_place(const struct cloud *cloud, struct feed_row *row,
                       char text[160])
{
    const char *part, *dash, *comma;

    switch (cloud->place) {
    case PLACE_REGION:
        break;
    case PLACE_ZONE:
        if (*row->zone)
            row->region = row->zone;
        break;
    case PLACE_AWS: /* use1-atl2-az1 lies in Local Zone us-east-1-atl-2 */
        part = strchr(row->zone, '-');
        dash = part ? strchr(part + 1, '-') : NULL;
        if (dash) {
            size_t word = strcspn(part + 1, "0123456789-");

            snprintf(text, 160, "%s-%.*s-%.*s", row->region, (int)word,
                     part + 1, (int)(dash - part - 1 - (int)word),
                     part + 1 + word);
            row->region = text;
        }
        break;
    case PLACE_TOWN: /* "Texas, US, NA" */
        comma = strrchr(row->region, ',');
        if (comma && comma - row->region >= 4 && comma[-3] == ' '
            && comma[-4] == ',' && isupper((unsigned char)comma[-2])
            && isupper((unsigned char)comma[-1])) {
            snprintf(text, 160, "%.2s", comma - 2);
            row->zone = row->region;
            row->region = text;
        }
        break;
    }
}

static int refuse(const struct skypilot *s, int why, const struct feed_row *row)
{
    return s->sink.refused(s->sink.context, (enum refusal)why, row);
}

/* A machine without an accelerator, unless its price leaves one out. */
static int plain_machine(const struct skypilot *s, const struct feed_row *row)
{
    const struct instance *known;

    if (!s->cloud->host_apart)
        return refuse(s, REFUSED_cpu_only, row);
    known = instance_find(row->provider, row->instance);
    if ((known && known->gpu_count > 0) || !strncmp(row->instance, "a2-", 3)
        || !strncmp(row->instance, "a3-", 3)
        || !strncmp(row->instance, "a4", 2)
        || !strncmp(row->instance, "g2-", 3)
        || !strncmp(row->instance, "g4-", 3))
        return refuse(s, REFUSED_host_alone, row);
    return refuse(s, REFUSED_cpu_only, row);
}

/* Gives out the prices of a row whose machine is known. An empty Price means
   not sold on demand. No spot price is written in three ways: nothing, zero,
   or the price on demand (rounded to four digits on AWS). */
static int give_prices(const struct skypilot *s, struct feed_row *row,
                       const char *price, const char *spot)
{
    double on_demand = NAN, spot_price = NAN;
    int why = -1, spot_why = -1, stop = 0;

    if (*price && !s->cloud->auction)
        why = feed_price(price, &on_demand);
    if (*spot)
        spot_why = feed_price(spot, &spot_price);
    if (spot_why == REFUSED_zero_price)
        spot_why = -1;
    if (s->cloud->placeholder > 0) {
        if (on_demand >= s->cloud->placeholder
            && on_demand <= s->cloud->placeholder)
            why = REFUSED_placeholder;
        if (spot_price >= s->cloud->placeholder
            && spot_price <= s->cloud->placeholder)
            spot_price = NAN;
    }
    if (fabs(spot_price - on_demand) < 0.000051)
        spot_price = NAN;
    if (why >= 0) /* without it the spot price cannot be told from a copy */
        return refuse(s, why, row);
    if (spot_why >= 0) {
        row->term = TERM_SPOT;
        stop = refuse(s, spot_why, row);
    } else if (isnan(on_demand) && isnan(spot_price)) {
        return refuse(s, REFUSED_not_sold, row);
    }
    if (!stop && !isnan(on_demand)) {
        row->term = TERM_ON_DEMAND;
        row->price_per_hour = on_demand;
        stop = s->sink.row(s->sink.context, row);
    }
    if (!stop && !isnan(spot_price)) {
        row->term = TERM_SPOT;
        row->price_per_hour = spot_price;
        stop = s->sink.row(s->sink.context, row);
    }
    return stop;
}

static int read_row(struct skypilot *s, const struct csv_row *csv)
{
    const char *name = field(s, csv, COLUMN_gpu);
    const char *count = field(s, csv, COLUMN_count);
    const char *info = field(s, csv, COLUMN_gpu_info);
    char place[160];
    struct feed_row row = {
        .provider = s->feed->provider, .currency = s->feed->currency,
        .instance = field(s, csv, COLUMN_instance),
        .region = field(s, csv, COLUMN_region),
        .zone = field(s, csv, COLUMN_zone),
        .gpu = "", .gpu_name = name, .source = "",
        .gpu_count = feed_number(count),
        .vcpu_count = feed_number(field(s, csv, COLUMN_vcpu)),
        .memory_gib = feed_number(field(s, csv, COLUMN_memory)),
        .gpu_memory_gib = NAN, .term = TERM_COUNT,
        .payment = PAYMENT_NO_UPFRONT,
    };
    int why;

    if (csv->control)
        return refuse(s, REFUSED_control_char, NULL);
    know_place(s->cloud, &row, place);
    if (!*row.instance)
        return refuse(s, *name ? REFUSED_no_machine : REFUSED_bad_name, NULL);
    if (!*name)
        return plain_machine(s, &row);
    if (*count && !(row.gpu_count > 0))
        return refuse(s, REFUSED_gpu_count, &row);
    if (s->cloud->host_apart)
        return refuse(s, REFUSED_host_alone, &row);
    why = recall_gpu(s, &row, name, info, count,
                     field(s, csv, COLUMN_upstream));
    if (why >= 0)
        return refuse(s, why, &row);
    return give_prices(s, &row, field(s, csv, COLUMN_price),
                       field(s, csv, COLUMN_spot));
}

static int use_row(void *context, const struct csv_row *row)
{
    struct skypilot *s = context;

    if (!s->header)
        return read_header(s, row);
    if (row->count != s->header)
        return refuse(s, REFUSED_field_count, NULL);
    return read_row(s, row);
}

static void skypilot_close(struct feed_parse *parse)
{
    struct skypilot *s = (struct skypilot *)parse;

    csv_close(s->csv);
    free(s);
}

static struct feed_parse *skypilot_begin(const struct feed *feed,
                                         const struct feed_sink *sink)
{
    struct skypilot *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->feed = feed;
    s->cloud = cloud_find(feed->provider);
    s->sink = *sink;
    s->csv = csv_open(use_row, s);
    if (!s->csv) {
        free(s);
        return NULL;
    }
    return &s->parse;
}

static enum status verdict(struct skypilot *s, enum csv_fault fault)
{
    if (fault == CSV_GOOD)
        return GOOD;
    if (fault == CSV_NO_MEMORY || (fault == CSV_STOPPED && !*s->parse.why))
        return NO_MEMORY;
    if (!*s->parse.why)
        snprintf(s->parse.why, sizeof s->parse.why, "%s: %s near line %ld",
                 fault == CSV_ENCODING ? "encoding"
                 : fault == CSV_TOO_LONG ? "too_long" : "csv",
                 csv_words(fault), csv_line(s->csv));
    return FEED_REFUSED;
}

static enum status skypilot_bytes(struct feed_parse *parse, const char *bytes,
                                  size_t count)
{
    struct skypilot *s = (struct skypilot *)parse;

    for (size_t i = 0; !s->byte && i < count; i++) {
        if (isspace((unsigned char)bytes[i]))
            continue;
        if (bytes[i] == '<') {
            snprintf(parse->why, sizeof parse->why,
                     "schema: a page of markup instead of a table");
            return FEED_REFUSED;
        }
        break;
    }
    s->byte += count;
    return verdict(s, csv_bytes(s->csv, bytes, count));
}

static enum status skypilot_end(struct feed_parse *parse)
{
    struct skypilot *s = (struct skypilot *)parse;
    int whole;
    enum status status = verdict(s, csv_end(s->csv, &whole));

    if (status == GOOD && !s->header) {
        snprintf(parse->why, sizeof parse->why, "schema: the file is empty");
        return FEED_REFUSED;
    }
    if (status == GOOD && !whole && !(s->feed->flags & FEED_OPEN_END)) {
        snprintf(parse->why, sizeof parse->why,
                 "incomplete: the file ends within line %ld",
                 csv_line(s->csv));
        return FEED_REFUSED;
    }
    return status;
}

const struct feed_reader feed_reader_skypilot = {
    "skypilot", 1, 0, skypilot_begin, skypilot_bytes, skypilot_end,
    skypilot_close, NULL,
};
