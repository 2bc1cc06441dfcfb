/* import.c: reads own price books (see import.h). */
#include "pricing/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energy/device.h"
#include "energy/zone.h"
#include "pricing/csv.h"
#include "pricing/num.h"
#include "pricing/pricing.h"

#define IMPORT_COLUMNS(X) X(what) X(id) X(provider) X(instance) X(region) \
    X(term) X(payment) X(gpu) X(gpu_count) X(class) X(price)              \
    X(upfront_price) X(currency) X(from)

enum column {
#define COLUMN(name) COLUMN_##name,
    IMPORT_COLUMNS(COLUMN)
    COLUMN_COUNT
};
static const char *const column_name[COLUMN_COUNT] = {
#define NAMED(name) #name,
    IMPORT_COLUMNS(NAMED)
};

static const char *const what_name[] = { "rent", "gpu", "server", "tariff" };
enum { WHAT_RENT, WHAT_COUNT = 4 };

struct import {
    struct import_sink sink;
    const struct rate_table *rates;
    struct csv *csv;
    size_t header, at[COLUMN_COUNT];  /* SIZE_MAX: absent */
    long line, mistakes;
    int stopped;
};

static void mistake(struct import *i, enum column column, const char *code,
                    const char *hint)
{
    i->mistakes++;
    i->sink.mistake(i->sink.context, i->line, column_name[column], code, hint);
}

static const char *field(const struct import *i, const struct csv_row *row,
                         enum column column)
{
    return i->at[column] == (size_t)-1 ? "" : row->field[i->at[column]];
}

static void read_header(struct import *i, const struct csv_row *row)
{
    for (int c = 0; c < COLUMN_COUNT; c++)
        i->at[c] = (size_t)-1;
    i->header = row->count;
    for (size_t k = 0; k < row->count; k++) {
        int c = 0;
        while (c < COLUMN_COUNT && strcmp(column_name[c], row->field[k]) != 0)
            c++;
        if (c == COLUMN_COUNT || i->at[c] != (size_t)-1) {
            i->mistakes++;
            i->sink.mistake(i->sink.context, i->line, row->field[k],
                            c == COLUMN_COUNT ? "unknown_key" : "repeated", "");
        } else {
            i->at[c] = k;
        }
    }
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (i->at[c] == (size_t)-1 &&
            (c == COLUMN_what || c == COLUMN_price || c == COLUMN_currency ||
             c == COLUMN_from))
            mistake(i, (enum column)c, "missing", "a column of that name");
}

static int word_of(const char *const *names, int count, const char *word)
{
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], word) == 0)
            return k;
    return -1;
}

/* Text that a row of this kind needs. */
static const char *need(struct import *i, const struct csv_row *row,
                        enum column column)
{
    const char *text = field(i, row, column);

    if (!*text)
        mistake(i, column, "missing", "");
    return text;
}

/* What belongs to another kind of row is a mistake, not ignored. */
static void refuse_others(struct import *i, const struct csv_row *row,
                          const enum column *column, int count)
{
    for (int k = 0; k < count; k++)
        if (*field(i, row, column[k]))
            mistake(i, column[k], "not_applicable", field(i, row, COLUMN_what));
}

static double read_price(struct import *i, const struct csv_row *row,
                         enum column column, int may_be_zero)
{
    const char *text = need(i, row, column);
    double value = NAN;

    if (!*text)
        return NAN;
    if (num_read(text, strlen(text), 0, &value) != NUM_GOOD) {
        mistake(i, column, "not_a_number", "");
        return NAN;
    }
    if (value < 0 || (value <= 0 && !may_be_zero) || value > 1e9) {
        mistake(i, column, value > 1e9 ? "above_max" : "below_min",
                may_be_zero ? "0 to 1e9" : "more than 0, to 1e9");
        return NAN;
    }
    return value;
}

static void read_common(struct import *i, const struct csv_row *row,
                        const char **currency, int *day)
{
    const char *from;

    *currency = need(i, row, COLUMN_currency);
    if (**currency && !rate_known(i->rates, *currency))
        mistake(i, COLUMN_currency, "not_in_list", "ISO 4217");
    from = need(i, row, COLUMN_from);
    *day = day_read(from, strlen(from));
    if (*from && !*day)
        mistake(i, COLUMN_from, "bad_date", "YYYY-MM-DD");
}

/* A word out of a list, the first one when the cell is empty. */
static int read_word(struct import *i, const struct csv_row *row,
                     enum column column, const char *const *names, int count)
{
    const char *text = field(i, row, column);
    int at = *text ? word_of(names, count, text) : 0;

    if (at < 0)
        mistake(i, column, "not_in_list", names[0]);
    return at < 0 ? 0 : at;
}

static void read_machine(struct import *i, const struct csv_row *row,
                         struct feed_row *out)
{
    const char *count = field(i, row, COLUMN_gpu_count);
    int known = instance_find(out->provider, out->instance) != NULL;

    out->gpu = out->gpu_name = field(i, row, COLUMN_gpu);
    if (*out->gpu && !gpu_find(out->gpu))
        mistake(i, COLUMN_gpu, "not_in_list",
                gpu_nearest(out->gpu) ? gpu_nearest(out->gpu) : "");
    if (*count)
        out->gpu_count = read_price(i, row, COLUMN_gpu_count, 0);
    if (!known && !*out->gpu)
        mistake(i, COLUMN_gpu, "missing", "the instance is not in the table");
    if (!known && !*count)
        mistake(i, COLUMN_gpu_count, "missing",
                "the instance is not in the table");
    if (known && feed_know_gpu(out) >= 0)
        mistake(i, COLUMN_gpu_count, "conflict", "the table of instances");
}

static void read_rent(struct import *i, const struct csv_row *row)
{
    static const enum column others[] = { COLUMN_id, COLUMN_class };
    struct feed_row out = {
        .provider = need(i, row, COLUMN_provider),
        .instance = need(i, row, COLUMN_instance),
        .region = need(i, row, COLUMN_region), .zone = "", .source = "",
        .gpu = "", .gpu_name = "", .gpu_count = NAN, .gpu_memory_gib = NAN,
        .vcpu_count = NAN, .memory_gib = NAN,
        .term = (enum term)read_word(i, row, COLUMN_term, term_name,
                                     TERM_UNSPECIFIED),
        .payment = (enum payment)read_word(i, row, COLUMN_payment,
                                           payment_name, PAYMENT_COUNT),
    };
    long before = i->mistakes;

    refuse_others(i, row, others, 2);
    read_machine(i, row, &out);
    out.price_per_hour = read_price(i, row, COLUMN_price,
                                    out.payment == PAYMENT_ALL_UPFRONT
                                    && term_month_of((int)out.term) > 0);
    if (*field(i, row, COLUMN_upfront_price))
        out.upfront_price = read_price(i, row, COLUMN_upfront_price, 1);
    if (out.price_per_hour <= 0 && out.upfront_price <= 0)
        mistake(i, COLUMN_upfront_price, "missing", "an hour costs nothing");
    read_common(i, row, &out.currency, &out.effective_day);
    if (i->mistakes == before && i->mistakes == 0)
        i->stopped |= i->sink.rent(i->sink.context, &out);
}

static int is_known(enum own_kind kind, const char *id)
{
    return kind == OWN_GPU ? gpu_find(id) != NULL
         : kind == OWN_SERVER ? server_find(id) != NULL
                              : zone_find(id) != NULL;
}

static void read_own(struct import *i, const struct csv_row *row,
                     enum own_kind kind)
{
    static const enum column others[] = {
        COLUMN_provider, COLUMN_instance, COLUMN_region, COLUMN_term,
        COLUMN_payment, COLUMN_gpu, COLUMN_gpu_count, COLUMN_upfront_price,
        COLUMN_class };
    struct own_price out = { .kind = kind, .id = need(i, row, COLUMN_id),
                             .title = "" };

    refuse_others(i, row, others, kind == OWN_TARIFF ? 8 : 9);
    if (*out.id && !is_known(kind, out.id))
        mistake(i, COLUMN_id, "not_in_list",
                kind == OWN_GPU && gpu_nearest(out.id) ? gpu_nearest(out.id)
                                                       : "");
    if (kind == OWN_TARIFF) {
        need(i, row, COLUMN_class);
        out.tariff = (enum tariff_class)read_word(
            i, row, COLUMN_class, tariff_class_name, TARIFF_CLASS_COUNT);
    }
    out.price = read_price(i, row, COLUMN_price, 0);
    read_common(i, row, &out.currency, &out.day);
    if (i->mistakes == 0)
        i->stopped |= i->sink.own(i->sink.context, &out);
}

static int take_row(void *context, const struct csv_row *row)
{
    struct import *i = context;
    int what;

    i->line = row->line;
    if (!i->header) {
        read_header(i, row);
        return 0;
    }
    if (row->count != i->header || row->control) {
        mistake(i, COLUMN_what, row->control ? "bad_character" : "bad_length",
                "as many cells as the header");
        return 0;
    }
    if (i->line > IMPORT_LINE_MAX) {
        mistake(i, COLUMN_what, "too_long", "100,000 lines");
        return 1;
    }
    what = word_of(what_name, WHAT_COUNT, field(i, row, COLUMN_what));
    if (what < 0)
        mistake(i, COLUMN_what, *field(i, row, COLUMN_what) ? "not_in_list"
                                                            : "missing",
                "rent gpu server tariff");
    else if (what == WHAT_RENT)
        read_rent(i, row);
    else
        read_own(i, row, (enum own_kind)(what - 1));
    return i->stopped;
}

struct import *import_begin(const struct import_sink *sink,
                            const struct rate_table *rates)
{
    struct import *i = calloc(1, sizeof *i);

    if (!i)
        return NULL;
    i->sink = *sink;
    i->rates = rates;
    i->csv = csv_open(take_row, i);
    if (i->csv)
        return i;
    free(i);
    return NULL;
}

void import_bytes(struct import *i, const char *bytes, size_t count)
{
    csv_bytes(i->csv, bytes, count);
}

int import_end(struct import *i)
{
    int whole = 1;
    enum csv_fault fault = csv_end(i->csv, &whole);

    i->line = csv_line(i->csv);
    if (fault != CSV_GOOD && !(fault == CSV_STOPPED && i->mistakes)) {
        i->mistakes++;
        i->sink.mistake(i->sink.context, i->line, "", fault == CSV_NO_MEMORY ||
                        i->stopped ? "memory" : "not_csv", csv_words(fault));
    } else if (!i->header) {
        mistake(i, COLUMN_what, "missing", "the file is empty");
    }
    return i->mistakes == 0;
}

void import_close(struct import *i)
{
    if (!i)
        return;
    csv_close(i->csv);
    free(i);
}
