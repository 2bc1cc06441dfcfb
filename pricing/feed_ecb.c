/* feed_ecb.c: reference rates of the European Central Bank, one day or many:
   nested Cube elements, the day in the outer one, currency and rate in the
   inner. Read by tags and attributes; no entity is ever expanded and a
   document type is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/feed.h"
#include "pricing/num.h"

enum { TAG_BYTE = 2000, VALUE_BYTE = 40 };

struct ecb {
    struct feed_parse parse;
    struct feed_sink sink;
    char tag[TAG_BYTE];         /* what stands between < and > */
    size_t byte;
    int in_tag, opened, closed, day;
    long rates;
};

static struct feed_parse *ecb_begin(const struct feed *feed,
                                    const struct feed_sink *sink)
{
    struct ecb *e = calloc(1, sizeof *e);

    (void)feed;
    if (!e)
        return NULL;
    e->sink = *sink;
    return &e->parse;
}

static void ecb_close(struct feed_parse *parse)
{
    free(parse);
}

static enum status refuse(struct ecb *e, const char *why, const char *what)
{
    return feed_refuse(&e->parse, "%s%.60s", why, what);
}

/* The value of an attribute in either kind of quotes; 0: it has none. */
static int attribute(const char *tag, const char *name, char out[VALUE_BYTE])
{
    size_t length = strlen(name);

    for (const char *at = tag; (at = strstr(at, name)) != NULL; at += length) {
        const char *value = at + length, *end;
        if (at > tag && !strchr(" \t\r\n", at[-1]))
            continue;
        value += strspn(value, " \t\r\n");
        if (*value++ != '=')
            continue;
        value += strspn(value, " \t\r\n");
        if (*value != '\'' && *value != '"')
            continue;
        end = strchr(value + 1, *value);
        if (!end || end - value > VALUE_BYTE - 1)
            return 0;
        snprintf(out, VALUE_BYTE, "%.*s", (int)(end - value - 1), value + 1);
        return 1;
    }
    return 0;
}

static enum status take_rate(struct ecb *e, const char *currency,
                             const char *text)
{
    struct rate rate = { .day = e->day };
    char day[12];
    int refused;

    if (strlen(currency) != 3 || strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
                                 != 3)
        return refuse(e, "schema: no currency: ", currency);
    if (!e->day)
        return refuse(e, "schema: a rate before any day: ", currency);
    memcpy(rate.currency, currency, 4);
    refused = feed_price(text, &rate.per_eur);
    if (refused >= 0)
        return refuse(e, refused == REFUSED_zero_price ? "zero_rate: "
                      : "not_a_number: no rate: ", text);
    e->rates++;
    snprintf(day, sizeof day, "%08d", e->day);
    if (strcmp(day, e->parse.version) > 0)
        memcpy(e->parse.version, day, sizeof day);
    return e->sink.rate(e->sink.context, &rate) ? NO_MEMORY : GOOD;
}

static enum status take_tag(struct ecb *e)
{
    char a[VALUE_BYTE], b[VALUE_BYTE];

    e->tag[e->byte] = '\0';
    if (strncmp(e->tag, "!DOCTYPE", 8) == 0 || strncmp(e->tag, "!ENTITY", 7) == 0)
        return refuse(e, "schema: it declares a document type", "");
    if (strncmp(e->tag, "gesmes:Envelope", 15) == 0)
        e->opened = 1;
    else if (strncmp(e->tag, "/gesmes:Envelope", 16) == 0)
        e->closed = 1;
    else if (!e->opened && e->tag[0] != '?' && e->tag[0] != '!')
        return refuse(e, "schema: it does not begin as a list of rates: ", e->tag);
    if (strncmp(e->tag, "Cube", 4) != 0)
        return GOOD;
    if (attribute(e->tag, "time", a)) {
        e->day = day_read(a, strlen(a));
        return e->day ? GOOD : refuse(e, "bad_date: no day: ", a);
    }
    if (attribute(e->tag, "currency", a))
        return attribute(e->tag, "rate", b) ? take_rate(e, a, b)
                                            : refuse(e, "schema: no rate of ", a);
    return GOOD;
}

static enum status ecb_bytes(struct feed_parse *parse, const char *bytes,
                             size_t count)
{
    struct ecb *e = (struct ecb *)parse;
    enum status status = GOOD;

    if (memchr(bytes, '\0', count))
        return refuse(e, "encoding: the text is not UTF-8", "");
    for (size_t i = 0; i < count && status == GOOD; i++) {
        if (!e->in_tag) {
            e->in_tag = bytes[i] == '<';
            e->byte = 0;
        } else if (bytes[i] == '>') {
            e->in_tag = 0;
            status = take_tag(e);
        } else if (e->byte < TAG_BYTE - 1) {
            e->tag[e->byte++] = bytes[i];
        } else {
            status = refuse(e, "too_long: a tag does not end", "");
        }
    }
    return status;
}

static enum status ecb_end(struct feed_parse *parse)
{
    struct ecb *e = (struct ecb *)parse;

    if (!e->opened || !e->closed || e->in_tag)
        return refuse(e, "incomplete: the list of rates does not end", "");
    return e->rates ? GOOD : refuse(e, "row_count: it holds no rate", "");
}

const struct feed_reader feed_reader_ecb = {
    "ecb", 1, 0, ecb_begin, ecb_bytes, ecb_end, ecb_close, NULL
};
