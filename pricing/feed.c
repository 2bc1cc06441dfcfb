/* feed.c: the table of feeds and what every reader needs. */
#include "pricing/feed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pricing/address.h"
#include "pricing/catalogue.h"
#include "pricing/num.h"

const struct refusal_row refusal_table[REFUSAL_COUNT] = {
#define REFUSAL(id, alarm, words) { #id, alarm, words },
#include "pricing/refusals.def"
};

static const struct feed feed_table[] = {
#define FEED(id, title, address, licence, kind, reader, provider, currency, \
             cadence, stale, cap, flags, hosts, pause_ms, key, header)      \
    { id, title, address, licence, provider, currency, kind,                \
      &feed_reader_##reader, cadence, stale, cap, flags, hosts, pause_ms,   \
      key, header },
#include "pricing/feeds.def"
};

size_t feed_count_all(void)
{
    return sizeof feed_table / sizeof *feed_table;
}

const struct feed *feed_at(size_t i)
{
    return i < feed_count_all() ? &feed_table[i] : NULL;
}

const struct feed *feed_find(const char *id)
{
    for (size_t i = 0; i < feed_count_all(); i++)
        if (!strcmp(feed_table[i].id, id))
            return &feed_table[i];
    return NULL;
}

struct feed_parse *feed_begin(const struct feed *feed,
                              const struct feed_sink *sink)
{
    return feed->reader->begin(feed, sink);
}

enum status feed_bytes(const struct feed *feed, struct feed_parse *parse,
                       const char *bytes, size_t count)
{
    return feed->reader->bytes(parse, bytes, count);
}

enum status feed_end(const struct feed *feed, struct feed_parse *parse)
{
    return feed->reader->end(parse);
}

enum status feed_refuse(struct feed_parse *parse, const char *format, ...)
{
    va_list more;

    va_start(more, format);
    vsnprintf(parse->why, sizeof parse->why, format, more);
    va_end(more);
    return FEED_REFUSED;
}

void feed_version_of(struct feed_parse *parse, const char *address)
{
    *parse->version = '\0';
    for (const char *at = address; *at; at++) {
        size_t digits = strspn(at, "0123456789");

        if (digits > strlen(parse->version)
            && digits < sizeof parse->version)
            snprintf(parse->version, sizeof parse->version, "%.*s",
                     (int)digits, at);
        at += digits ? digits - 1 : 0;
    }
}

const char *feed_why(const struct feed_parse *parse)
{
    return parse->why;
}

const char *feed_next(const struct feed *feed, struct feed_parse *parse)
{
    return feed->reader->next ? feed->reader->next(parse) : NULL;
}

/* Length of scheme, host and port; 0: not such an address. */
static size_t origin_length(const char *address)
{
    const char *host = strstr(address, "://");

    return host ? (size_t)(host + 3 - address) + strcspn(host + 3, "/?#") : 0;
}

void feed_whole(const char *address, const char *next,
                char out[FEED_ADDRESS_BYTE])
{
    const size_t kept = next[0] == '/' && next[1] != '/'
        ? origin_length(address) : next[0] == '&' ? strlen(address) : 0;

    if (snprintf(out, FEED_ADDRESS_BYTE, "%.*s%s", (int)kept, address, next)
        >= FEED_ADDRESS_BYTE)
        *out = '\0';
}

static int is_listed(const char *hosts, const char *address)
{
    char origin[FEED_ADDRESS_BYTE];

    for (const char *at = hosts; *at; at += strspn(at, " ")) {
        const size_t byte = strcspn(at, " ");

        snprintf(origin, sizeof origin, "https://%.*s", (int)byte, at);
        if (address_same_origin(origin, address))
            return 1;
        at += byte;
    }
    return 0;
}

int feed_may_ask(const struct feed *feed, const char *address,
                 const char *next)
{
    return address_same_origin(address, next) ||
           is_listed(feed->hosts, next);
}

void feed_close(const struct feed *feed, struct feed_parse *parse)
{
    if (parse)
        feed->reader->close(parse);
}

int feed_value(const char *text, double *out)
{
    switch (num_read(text, strlen(text), 0, out)) {
    case NUM_GOOD:
        return -1;
    case NUM_EMPTY:
        return REFUSED_missing;
    case NUM_NOT_FINITE:
    case NUM_UNDERFLOW:
        return REFUSED_not_finite;
    case NUM_NOT_A_NUMBER:
    case NUM_TOO_LONG:
        break;
    }
    return REFUSED_not_a_number;
}

int feed_price(const char *text, double *out)
{
    double value;
    int refused = feed_value(text, &value);

    if (refused >= 0)
        return refused;
    if (value <= 0)
        return value < 0 ? REFUSED_negative_price : REFUSED_zero_price;
    *out = value;
    return -1;
}

double feed_number(const char *text)
{
    double value;

    return num_read(text, strlen(text), 0, &value) == NUM_GOOD ? value : NAN;
}

int feed_know_gpu(struct feed_row *row)
{
    const struct instance *known = instance_find(row->provider, row->instance);
    const char *gpu = NULL;

    if (known && !isnan(known->gpu_count)) {
        if (isnan(row->gpu_count))
            row->gpu_count = known->gpu_count;
        /* a slice is rounded by some: 0.125 against 0.13 */
        if (fabs(row->gpu_count - known->gpu_count) > 0.01)
            return REFUSED_gpu_count;
    }
    if (known && isnan(row->gpu_memory_gib))
        row->gpu_memory_gib = known->gpu_memory_gib;
    if (known && *known->gpu)
        gpu = known->gpu;
    else
        gpu = gpu_of_name(row->gpu_name, row->gpu_memory_gib);
    row->gpu = gpu ? gpu : "";
    return -1;
}
