/* table_prices.c: offers on a day, one instance's prices, one offer's. */
#include "fcgi/table_prices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/device.h"
#include "energy/zone.h"
#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/lists.h"
#include "fcgi/out_svg.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/table_page.h"
#include "pricing/catalogue.h"
#include "pricing/num.h"
#include "pricing/offer.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

struct offer {
    const struct price *price;
    double per_hour, per_gpu_hour, per_pflop_hour; /* in the currency asked,
                                   with what is paid upfront */
    double hour_part, upfront;  /* its parts */
};

struct offers {
    struct offer *offer;
    size_t count, room;
    int day;
    char currency[4];
    double per_usd;
};

static void complain(struct table_call *c, const char *key, const char *code,
                     const char *limit)
{
    problem_add(&c->input->problems, key, code, limit, "");
}

static int is_region(const struct world *world, const char *region)
{
    for (size_t i = 0; i < world->prices->count; i++)
        if (strcmp(world->prices->price[i].region, region) == 0)
            return 1;
    return 0;
}

/* A name that nothing has is a mistake, no empty list. */
static void check_filters(struct table_call *c)
{
    const char *gpu = c->input->key_text[K_gpu];
    const char *provider = c->input->key_text[K_provider];
    const char *region = c->input->key_text[K_region];
    const char *near = *gpu && !gpu_find(gpu) ? gpu_nearest(gpu) : NULL;
    const struct region *there = *provider && *region
                                 ? region_nearest(provider, region) : NULL;

    if (*gpu && !gpu_find(gpu))
        problem_add(&c->input->problems, "gpu", "not_in_list", "",
                    near ? near : "");
    if (*provider && !provider_known(c->world, provider))
        problem_add(&c->input->problems, "provider", "not_in_list", "", "");
    if (*region && !(*provider && region_find(provider, region))
        && !is_region(c->world, region))
        problem_add(&c->input->problems, "region", "not_in_list", "",
                    there ? there->id : "");
}

/* Day and currency; 0 when one of them is wrong. */
static int read_frame(struct table_call *c, struct offers *offers)
{
    const char *currency = c->input->key_text[K_currency];
    int rate_day;

    offers->day = table_day(c);
    offers->per_usd = 1;
    snprintf(offers->currency, sizeof offers->currency, "%s",
             c->zh && !*currency ? "CNY" : "USD");
    if (strlen(currency) == 3)
        snprintf(offers->currency, sizeof offers->currency, "%s", currency);
    if ((*currency && strlen(currency) != 3) ||
        !rate_known(c->world->rates, offers->currency))
        complain(c, "currency", "not_in_list", "");
    else if (offers->day && !rate_find(c->world->rates, offers->currency,
                                       offers->day, &offers->per_usd,
                                       &rate_day))
        complain(c, "currency", "no_rate", "");
    check_filters(c);
    return !c->input->problems.count;
}

/* 1 if every word of q is somewhere in the offer, case aside. */
static int has_words(const char *q, const struct price *p, const char *gpu)
{
    char hay[400], word[64];

    snprintf(hay, sizeof hay, "%s %s %s %s %s %s", p->provider,
             provider_name(p->provider), p->instance, p->region, p->gpu, gpu);
    for (char *at = hay; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    while (*q) {
        size_t length = strcspn(q, " ,");
        if (length > 0 && length < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)length, q);
            for (char *at = word; *at; at++)
                *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
            if (!strstr(hay, word))
                return 0;
        }
        q += length + (q[length] != '\0');
    }
    return 1;
}

static int is_wanted(const struct table_call *c, const struct price *p)
{
    const struct input *in = c->input;
    const struct gpu *gpu = gpu_find(p->gpu);
    static const struct { int key; size_t offset; } exact[] = {
        { K_provider, offsetof(struct price, provider) },
        { K_gpu, offsetof(struct price, gpu) },
        { K_region, offsetof(struct price, region) },
    };

    for (int i = 0; i < COUNT(exact); i++) {
        const char *value;
        memcpy(&value, (const char *)p + exact[i].offset, sizeof value);
        if (*in->key_text[exact[i].key] &&
            strcmp(value, in->key_text[exact[i].key]) != 0)
            return 0;
    }
    if (in->key_typed[K_term] && p->term != in->key_value[K_term])
        return 0;
    return has_words(in->key_text[K_q], p, gpu ? gpu->name : "");
}

static int same_offer(const struct price *a, const struct price *b)
{
    return a->term == b->term && a->payment == b->payment &&
           strcmp(a->provider, b->provider) == 0 &&
           strcmp(a->instance, b->instance) == 0 &&
           strcmp(a->region, b->region) == 0;
}

static int offer_add(struct table_call *c, struct offers *offers,
                     const struct price *p)
{
    const struct gpu *gpu = gpu_find(p->gpu);
    const struct instance *instance = instance_find(p->provider, p->instance);
    double count = isfinite(p->gpu_count) ? p->gpu_count
                 : instance ? instance->gpu_count : (double)NAN;
    double per_usd, peak = gpu ? gpu->peak_tflops[PRECISION_BF16].value
                               : (double)NAN;
    struct offer *offer;
    int rate_day;

    if (!rate_find(c->world->rates, p->currency, offers->day, &per_usd,
                   &rate_day))
        return 1;
    if (offers->count == offers->room) {
        size_t room = offers->room ? 2 * offers->room : 256;
        struct offer *more = realloc(offers->offer, room * sizeof *more);
        if (!more)
            return 0;
        offers->offer = more;
        offers->room = room;
    }
    offer = &offers->offer[offers->count++];
    offer->price = p;
    offer->per_hour = price_spread((enum term)p->term, p->price_per_hour,
                                   p->upfront_price)
                      / per_usd * offers->per_usd;
    offer->hour_part = p->price_per_hour / per_usd * offers->per_usd;
    offer->upfront = p->upfront_price / per_usd * offers->per_usd;
    offer->per_gpu_hour = count > 0 ? offer->per_hour / count : (double)NAN;
    offer->per_pflop_hour = peak > 0 ? offer->per_gpu_hour / peak * 1000
                                     : (double)NAN;
    return 1;
}

static int collect(struct table_call *c, struct offers *offers)
{
    const struct price_table *table = c->world->prices;

    for (size_t i = 0; i < table->count; ) {
        const struct price *first = &table->price[i], *now;
        while (i < table->count && same_offer(first, &table->price[i]))
            i++;
        if (!is_wanted(c, first))
            continue;
        now = price_find(table, first->provider, first->instance,
                         first->region, (enum term)first->term,
                         (enum payment)first->payment, offers->day);
        if (now && !offer_add(c, offers, now))
            return 0;
    }
    return 1;
}

/* What is not known goes last. */
static int by_number(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int by_gpu_hour(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    int order = !*x->price->gpu - !*y->price->gpu; /* known GPUs first */

    if (!order)
        order = by_number(x->per_gpu_hour, y->per_gpu_hour);
    return order ? order : price_compare(x->price, y->price);
}

static int by_price(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    int order = by_number(x->per_hour, y->per_hour);

    return order ? order : price_compare(x->price, y->price);
}

static int by_pflop_hour(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    int order = by_number(x->per_pflop_hour, y->per_pflop_hour);

    return order ? order : price_compare(x->price, y->price);
}

static int by_provider(const void *a, const void *b)
{
    return price_compare(((const struct offer *)a)->price,
                         ((const struct offer *)b)->price);
}

static int by_day(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    int order = price_day(y->price) - price_day(x->price);

    return order ? order : price_compare(x->price, y->price);
}

/* As the choices of key `sort`. */
static int (*const orders[])(const void *, const void *) = {
    by_gpu_hour, by_price, by_pflop_hour, by_provider, by_day
};

static const struct sheet_column price_columns[] = {
    { "instance", "Instance", "", 0 }, { "provider", "Provider", "", 0 },
    { "gpu", "GPU model", "", 0 }, { "gpu_count", "GPUs", "", 1 },
    { "price_per_gpu_hour", "A GPU-hour", "", 1 },
    { "price_per_hour", "Rent", "/hour", 1 }, { "note", "To note", "", 0 },
    { "price_per_pflop_hour", "A PFLOP-hour", "BF16", 1 },
    { "region", "Region", "", 0 }, { "term", "Term", "", 0 },
    { "payment", "Payment", "", 0 }, { "day", "Known from", "", 0 },
    /* beside the page: parts of the rent and of the note */
    { "upfront_price", "Upfront", "", 1 }, { "seen_day", "Last seen", "", 0 },
    { "state", "State", "", 0 }, { "move_frac", "Moved by", "", 1 },
};
enum { PAGE_COLUMNS = 12 };

static const char *const state_name[] = { "current", "old", "gone" };

/* The day on which the price was last seen, as one knew by `day`; 0: not
   known. */
static int seen_by(const struct table_call *c, const struct price *p, int day)
{
    const int seen = price_seen_day(c->world->prices, p);

    return seen > day ? day : seen;
}

/* What a reader must know of a price, in words; "" nothing. Its state on `day`,
   its move in the thirty days up to `move_day`. */
static void put_note(const struct table_call *c, const struct price *p,
                     enum price_state state, int day, int move_day,
                     struct text *out)
{
    const struct price_table *table = c->world->prices;
    double move_frac, was;
    char text[60], seen[11];

    if (table->feed[p->feed].kind == FEED_DERIVED)
        text_str(out, table_tell(c, "derived from the price on demand"));
    if (state != PRICE_CURRENT) {
        text_str(out, out->byte ? "; " : "");
        day_print(seen, seen_by(c, p, day));
        text_str(out, table_tell(c, state == PRICE_OLD ? "old: last seen"
                                                 : "no longer listed: last seen"));
        text_char(out, ' ');
        text_str(out, seen);
    }
    if (!price_moved(table, p, move_day, &move_frac, &was))
        return;
    if (out->byte)
        text_str(out, "; ");
    snprintf(text, sizeof text, "%+.0f %% (%.6g)", move_frac * 100, was);
    text_str(out, table_tell(c, "moved by"));
    text_char(out, ' ');
    text_str(out, text);
}

/* The columns beside the page's. */
static void price_row_more(struct table_call *c, struct sheet *sheet,
                           const struct offer *offer, int day)
{
    const struct price_table *table = c->world->prices;
    const struct price *p = offer->price;
    const int seen_day = seen_by(c, p, day);
    double move_frac, was;
    char seen[11] = "";

    sheet_number(sheet, offer->upfront > 0 ? offer->upfront : (double)NAN, 6);
    if (seen_day)
        day_print(seen, seen_day);
    sheet_text(sheet, seen, "");
    sheet_text(sheet, state_name[price_state(table, p, day)], "");
    sheet_number(sheet, price_moved(table, p, day, &move_frac, &was)
                 ? move_frac : 0, 4);
}

static void price_row(struct table_call *c, struct sheet *sheet,
                      const struct offer *offer, int on_day)
{
    const struct price *p = offer->price;
    const struct gpu *gpu = gpu_find(p->gpu);
    char address[ADDRESS_ROOM], name[200], word[64], day[11];
    int plain = c->form != SHEET_HTML;
    struct text note;

    sheet_row(sheet);
    snprintf(name, sizeof name, "%s:%s", p->provider, p->instance);
    table_local(c, address, "/prices/", name);
    sheet_text(sheet, p->instance,
               strspn(p->instance, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP"
                      "QRSTUVWXYZ0123456789._-") == strlen(p->instance)
               ? address : "");
    sheet_text(sheet, plain ? p->provider : provider_name(p->provider), "");
    table_local(c, address, "/gpus/", p->gpu);
    sheet_text(sheet, plain ? p->gpu : gpu ? gpu->name : p->gpu,
               gpu ? address : "");
    sheet_number(sheet, offer->per_hour / offer->per_gpu_hour, 4);
    sheet_number(sheet, offer->per_gpu_hour, 3);
    /* the page has no column for what is paid upfront; where there is one,
       the two parts stand apart so that nobody counts it twice */
    sheet_number(sheet, plain ? offer->hour_part : offer->per_hour, 4);
    text_init(&note, WORDS_BYTE_MAX);
    put_note(c, p, price_state(c->world->prices, p, on_day), on_day, on_day,
             &note);
    sheet_text(sheet, note.at ? note.at : "", "");
    text_free(&note);
    sheet_number(sheet, offer->per_pflop_hour, 3);
    sheet_text(sheet, p->region, "");
    say_word(c->zh, term_name[p->term], word, sizeof word);
    sheet_text(sheet, plain ? term_name[p->term] : word, "");
    say_word(c->zh, payment_name[p->payment], word, sizeof word);
    sheet_text(sheet, plain ? payment_name[p->payment] : word, "");
    day_print(day, price_day(p));
    sheet_text(sheet, day, "");
    if (plain)
        price_row_more(c, sheet, offer, on_day);
}

/* --- the form above the prices -------------------------------------------------- */

static void field_open(struct table_call *c, const char *key,
                       const char *label)
{
    text_str(c->out, "<div class=\"field\"><label for=\"p-");
    text_str(c->out, key);
    text_str(c->out, "\">");
    html_text(c->out, table_tell(c, label));
    text_str(c->out, "</label>");
}

static void put_input(struct table_call *c, const char *key, const char *label,
                      const char *type, const char *value)
{
    field_open(c, key, label);
    text_str(c->out, "<input");
    html_attribute(c->out, "type", type);
    text_str(c->out, " id=\"p-");
    text_str(c->out, key);
    text_char(c->out, '"');
    html_attribute(c->out, "name", key);
    html_attribute(c->out, "value", value);
    text_str(c->out, "></div>\n");
}

static void select_open(struct table_call *c, const char *key,
                        const char *label, const char *first)
{
    field_open(c, key, label);
    text_str(c->out, "<select id=\"p-");
    text_str(c->out, key);
    text_char(c->out, '"');
    html_attribute(c->out, "name", key);
    text_str(c->out, ">\n");
    if (first)
        list_option(c->out, "", table_tell(c, first), NULL);
}

static void select_close(struct table_call *c)
{
    text_str(c->out, "</select></div>\n");
}

static const char *typed(const struct table_call *c, const char *key)
{
    const char *value = input_typed(c->input, key);

    return value ? value : "";
}

void table_prices_filter(struct table_call *c)
{
    const char *before = "";

    text_str(c->out, "<form class=\"filter\" action=\"/prices\" "
                     "method=\"get\">\n");
    put_input(c, "q", "Search", "search", typed(c, "q"));
    select_open(c, "provider", "Provider", "all");
    for (size_t i = 0; i < c->world->prices->count; i++) {
        const char *each = c->world->prices->price[i].provider;
        if (strcmp(each, before) != 0)
            list_option(c->out, each, provider_name(each),
                        typed(c, "provider"));
        before = each;
    }
    select_close(c);
    select_open(c, "gpu", "GPU model", "all");
    for (size_t i = 0; i < gpu_count_all(); i++)
        list_option(c->out, gpu_at(i)->id, gpu_at(i)->name, typed(c, "gpu"));
    select_close(c);
    put_input(c, "region", "Region", "text", typed(c, "region"));
    select_open(c, "term", "Term", "all");
    list_choices(c->out, c->zh, field_table[F_term].choices, typed(c, "term"));
    select_close(c);
    select_open(c, "currency", "Currency", NULL);
    list_option(c->out, "USD", "", typed(c, "currency"));
    list_currencies(c->out, c->world->rates, *typed(c, "currency")
                    ? typed(c, "currency") : c->zh ? "CNY" : "");
    select_close(c);
    put_input(c, "as_of", "Prices of", "date", typed(c, "as_of"));
    select_open(c, "sort", "Order", NULL);
    list_choices(c->out, c->zh, "gpu_hour price pflop_hour provider day",
                 typed(c, "sort"));
    select_close(c);
    if (c->zh)
        text_str(c->out, "<input type=\"hidden\" name=\"lang\" value=\"zh\">");
    text_str(c->out, "<div class=\"field\"><button type=\"submit\">");
    html_text(c->out, table_tell(c, "Show"));
    text_str(c->out, "</button></div>\n</form>\n");
}

static void put_next(struct table_call *c, size_t next, size_t total)
{
    struct text query;
    char cursor[48];

    text_init(&query, WORDS_BYTE_MAX);
    snprintf(cursor, sizeof cursor, "/prices?cursor=%zu", next);
    text_str(&query, cursor);
    table_query(c, c->zh, "&", &query);
    text_str(c->out, "<p class=\"use\"><a rel=\"next\"");
    html_attribute(c->out, "href", query.at ? query.at : "");
    text_char(c->out, '>');
    html_text(c->out, table_tell(c, "Next page"));
    text_str(c->out, "</a></p>\n<p class=\"hint\">");
    shown_number(c->out, (double)next, 0);
    text_str(c->out, " / ");
    shown_number(c->out, (double)total, 0);
    text_str(c->out, "</p>\n");
    text_free(&query);
}

static void put_prices(struct table_call *c, const struct offers *offers)
{
    size_t from = (size_t)c->input->key_value[K_cursor];
    size_t limit = c->form == SHEET_CSV && !c->input->key_typed[K_limit]
                                        ? offers->count
                                        : (size_t)c->input->key_value[K_limit];
    size_t to = from + limit < offers->count ? from + limit : offers->count;
    struct sheet sheet;
    char day[11];

    day_print(day, offers->day);
    if (c->form == SHEET_JSON) {
        text_str(c->out, "{");
        json_pair_string(c->out, "as_of", day);
        json_pair_string(c->out, "currency", offers->currency);
        json_pair_number(c->out, "total", (double)offers->count);
        json_pair_number(c->out, "cursor",
                         to < offers->count ? (double)to : (double)NAN);
        json_name(c->out, "rows");
    }
    if (c->form == SHEET_HTML) {
        table_page_open(c, "/prices", "Prices of rented GPUs",
                  "What is known of each offer on a day, with the price of "
                  "one GPU-hour; what is paid upfront is spread over the "
                  "term.");
        table_prices_filter(c);
        text_str(c->out, "<p class=\"basis\">");
        shown_number(c->out, (double)offers->count, 0);
        text_char(c->out, ' ');
        html_text(c->out, table_tell(c, "offers"));
        text_str(c->out, " \xC2\xB7 ");
        text_str(c->out, day);
        text_str(c->out, " \xC2\xB7 ");
        text_str(c->out, offers->currency);
        text_str(c->out, "</p>\n");
    }
    sheet_open(&sheet, c->out, c->form, c->zh, price_columns,
               c->form == SHEET_HTML ? PAGE_COLUMNS : COUNT(price_columns),
               "Prices of rented GPUs");
    for (size_t i = from; i < to; i++)
        price_row(c, &sheet, &offers->offer[i], offers->day);
    sheet_close(&sheet);
    if (c->form == SHEET_JSON)
        text_str(c->out, "}\n");
    if (c->form == SHEET_HTML) {
        if (to < offers->count)
            put_next(c, to, offers->count);
        table_files(c, "/prices");
        table_page_close(c);
    }
}

/* --- one instance ----------------------------------------------------------------- */

static const struct sheet_column seen_columns[] = {
    { "day", "Known from", "", 0 }, { "region", "Region", "", 0 },
    { "term", "Term", "", 0 }, { "payment", "Payment", "", 0 },
    { "price_per_hour", "Rent", "/hour", 1 },
    { "upfront_price", "Upfront", "", 1 }, { "currency", "Currency", "", 0 },
    { "", "So far", "", 0 }, { "note", "To note", "", 0 },
    { "source", "Source", "", 0 }, { "feed", "Feed", "", 0 },
    { "seen_day", "Last seen", "", 0 }, { "gone_day", "Gone", "", 0 },
    { "move_frac", "Moved by", "", 1 },
};
enum { SEEN_PAGE_COLUMNS = 10 };

/* The columns beside the page's. */
static void seen_more(struct table_call *c, struct sheet *sheet,
                      const struct price *at, int on_day)
{
    const struct price_table *table = c->world->prices;
    const int seen_day = seen_by(c, at, on_day);
    double move_frac, was;
    char day[11] = "";

    sheet_text(sheet, table->feed[at->feed].id, "");
    if (seen_day)
        day_print(day, seen_day);
    sheet_text(sheet, day, "");
    *day = '\0';
    if (at->gone_day && at->gone_day <= on_day)
        day_print(day, at->gone_day);
    sheet_text(sheet, day, "");
    sheet_number(sheet, price_moved(table, at, price_day(at), &move_frac, &was)
                 ? move_frac : 0, 4);
}

/* Has its feed said another price of the offer by then? */
static int is_replaced(const struct price_table *table, const struct price *at,
                       int on_day)
{
    for (const struct price *next = at + 1;
         next < table->price + table->count && same_offer(at, next)
         && price_day(next) <= on_day; next++)
        if (next->feed == at->feed)
            return 1;
    return 0;
}

/* Beside a price of the past, as one knew by `on_day`: whether it moved far
   when it came, whether its offer went, and whether the last one is old. */
static void put_seen_note(struct table_call *c, struct sheet *sheet,
                          const struct price *at, int on_day)
{
    const struct price_table *table = c->world->prices;
    const enum price_state state = price_state(table, at, on_day);
    struct text note;

    text_init(&note, WORDS_BYTE_MAX);
    put_note(c, at, state == PRICE_OLD && is_replaced(table, at, on_day)
             ? PRICE_CURRENT : state, on_day, price_day(at), &note);
    sheet_text(sheet, note.at ? note.at : "", "");
    text_free(&note);
}

/* Prices of one offer up to this one, as a line. */
static void put_spark(struct table_call *c, struct sheet *sheet,
                      const struct price *first, const struct price *last)
{
    double value[32];
    int count = 0;
    struct text line;

    for (const struct price *at = first; at <= last; at++) {
        if (count == COUNT(value)) {
            memmove(value, value + 1, sizeof value - sizeof *value);
            count--;
        }
        value[count++] = price_spread((enum term)at->term, at->price_per_hour,
                                      at->upfront_price);
    }
    text_init(&line, WORDS_BYTE_MAX);
    if (c->form == SHEET_HTML)
        out_sparkline(value, count, &line);
    sheet_markup(sheet, line.at ? line.at : "");
    text_free(&line);
}

/* Rows from `first` on of one instance, no later than `on_day`; of one offer
   when `only` is given. */
static void put_seen(struct table_call *c, const struct price *first,
                     const struct price *only, int on_day, const char *title,
                     const char *address)
{
    const struct price_table *table = c->world->prices;
    const struct price *offer = NULL;
    struct sheet sheet;

    table_rows_open(c, &sheet, address, title, "", seen_columns,
              c->form == SHEET_HTML ? SEEN_PAGE_COLUMNS : COUNT(seen_columns));
    for (const struct price *at = first; at < table->price + table->count &&
         strcmp(at->provider, first->provider) == 0 &&
         strcmp(at->instance, first->instance) == 0; at++) {
        const char *source = *at->source ? at->source
                                         : table->feed[at->feed].address;
        char day[11], word[64];
        if ((only && !same_offer(only, at)) || price_day(at) > on_day)
            continue;
        if (!offer || !same_offer(offer, at))
            offer = at;
        sheet_row(&sheet);
        day_print(day, price_day(at));
        sheet_text(&sheet, day, "");
        sheet_text(&sheet, at->region, "");
        say_word(c->zh, term_name[at->term], word, sizeof word);
        sheet_text(&sheet, c->form == SHEET_HTML ? word : term_name[at->term],
                   "");
        say_word(c->zh, payment_name[at->payment], word, sizeof word);
        sheet_text(&sheet, c->form == SHEET_HTML ? word
                   : payment_name[at->payment], "");
        sheet_number(&sheet, at->price_per_hour, 6);
        sheet_number(&sheet, at->upfront_price > 0 ? at->upfront_price
                                                   : (double)NAN, 6);
        sheet_text(&sheet, at->currency, "");
        put_spark(c, &sheet, offer, at);
        put_seen_note(c, &sheet, at, on_day);
        sheet_text(&sheet, c->form == SHEET_HTML ? table->feed[at->feed].title
                                                 : source, table_followed(source));
        if (c->form != SHEET_HTML)
            seen_more(c, &sheet, at, on_day);
    }
    table_rows_close(c, &sheet, address);
}

static int one_instance(struct table_call *c)
{
    const char *colon = strchr(c->name, ':');
    const struct price *first = NULL;
    char provider[64], title[200], address[ADDRESS_ROOM];
    const int day = table_day(c);

    if (c->input->problems.count)
        return 0;
    if (!colon || (size_t)(colon - c->name) >= sizeof provider)
        return 0;
    snprintf(provider, sizeof provider, "%.*s", (int)(colon - c->name),
             c->name);
    first = price_of_instance(c->world->prices, provider, colon + 1);
    if (!first)
        return 0;
    snprintf(title, sizeof title, "%s %s", provider_name(provider), colon + 1);
    snprintf(address, sizeof address, "/prices/%s", c->name);
    put_seen(c, first, NULL, day, title, address);
    return 1;
}

int table_history(struct table_call *c)
{
    struct input *input = c->input;
    const char *provider = *input->key_text[K_provider]
                           ? input->key_text[K_provider] : "aws";
    const char *instance = input->key_text[K_instance];
    const struct offer_name name = {
        provider, instance, input->key_text[K_region],
        (enum term)input->key_value[K_term],
        (enum payment)input->key_value[K_payment]
    };
    const int day = table_day(c);
    const struct price *offer;
    const char *hint;
    char title[200];
    int unknown;

    if (!*instance)
        complain(c, "instance", "missing", "");
    if (!*name.region)
        complain(c, "region", "missing", "");
    if (input->problems.count)
        return 0;
    unknown = offer_unknown(c->world, &name, &hint);
    if (unknown >= 0) {
        problem_add(&input->problems, field_table[unknown].name,
                    "not_in_list", "", hint);
        return 0;
    }
    offer = price_find(c->world->prices, provider, instance, name.region,
                       name.term, name.payment, day);
    if (!offer) {
        problem_add(&input->problems,
                    field_table[offer_unpriced(c->world, &name)].name,
                    "no_price", "", "");
        return 0;
    }
    snprintf(title, sizeof title, "%s %s, %s", provider_name(provider),
             instance, name.region);
    put_seen(c, price_of_instance(c->world->prices, provider, instance), offer,
             day, title, "/prices/history");
    return 1;
}

int table_prices(struct table_call *c)
{
    struct offers offers = { 0 };

    if (*c->name)
        return one_instance(c);
    if (!read_frame(c, &offers))
        return 0;
    if (!collect(c, &offers)) {
        c->out->failed = 1;
    } else {
        if (offers.count)
            qsort(offers.offer, offers.count, sizeof *offers.offer,
                  orders[(int)c->input->key_value[K_sort]]);
        put_prices(c, &offers);
    }
    free(offers.offer);
    return 1;
}
