/* out_xlsx_follow.c: inputs that were filled in from other inputs: their
   yellow cells hold the rule (pricing/resolve.c has the same ones), so that
   they follow until they are overwritten. A cell whose value the rule does
   not give, typed or looked up, holds the value. */
#include "fcgi/out_xlsx_book.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/cells.h"

enum { RULE_BYTE_MAX = 160 };

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

/* "fixed + each * gpu_count" of the hosts' estimated prices. */
static int host_price_rule(const struct book *book, const struct option *o,
                           char *rule, size_t room)
{
    static const struct { double fixed, each; } host[] = {
        { 1600, 600 }, { 8000, 2000 }, { 6000, 8000 } };
    double rate = book->answer->study.currency_per_usd;

    for (size_t i = 0; i < sizeof host / sizeof *host; i++) {
        double fixed = host[i].fixed * rate, each = host[i].each * rate;
        if (!is_near(fixed + each * o->value[F_gpu_count],
                     o->value[F_host_price]))
            continue;
        snprintf(rule, room, "%.17g + %.17g * gpu_count", fixed, each);
        return 1;
    }
    return 0;
}

static int by_gpu(const struct option *o, int field, char *rule, size_t room)
{
    double each = o->value[field] / o->value[F_gpu_count];

    snprintf(rule, room, "%.17g * gpu_count", each);
    return isfinite(each) && each > 0;
}

/* Text of the rule that gives an input of an option; 0 when there is none. */
static int rule_of(const struct book *book, int option, int field, char *rule,
                   size_t room)
{
    const struct option *o = &book->answer->study.option[option];
    const double *v = o->value;
    double used = book->answer->result[option].step[S_machine_used_count];
    int own = o->kind == KIND_OWN;

    *rule = '\0';
    if (o->typed[field])
        return 0;
    switch (field) {
    case F_residual_frac:
        snprintf(rule, room, "POWER(0.7, horizon_year / one_year)");
        return own && is_near(v[field], pow(0.7, v[F_horizon_year]));
    case F_host_idle_watt:
        snprintf(rule, room, "0.4 * host_watt");
        return is_near(v[field], 0.4 * v[F_host_watt]);
    case F_staff_fte:
        snprintf(rule, room, "0.03 + 0.02 * machine_used_count");
        return own && is_near(v[field], 0.03 + 0.02 * used);
    case F_host_price:
        return own && o->origin[field].estimate &&
               host_price_rule(book, o, rule, room);
    case F_host_watt:
        return own && o->origin[field].estimate && by_gpu(o, field, rule, room);
    case F_machine_speed:
        return own && by_gpu(o, field, rule, room);
    default:
        return 0;
    }
}

void book_follow_numbers(struct book *book,
                         void (*found)(void *to, double number), void *to)
{
    char rule[RULE_BYTE_MAX];

    for (int i = 0; i < book->answer->study.option_count; i++)
        for (int f = 0; f < FIELD_COUNT; f++)
            if (rule_of(book, i, f, rule, sizeof rule))
                cells_numbers(rule, found, to);
}

struct place { const struct book *book; int option; };

static int put_name(const void *from, const char *name, size_t length,
                    int before, struct text *out)
{
    const struct place *place = from;

    return !before && book_cell(place->book, place->option, name, length, out);
}

static int put_number(const void *from, double number, struct text *out)
{
    const struct place *place = from;

    return book_cell_number(place->book, number, out);
}

int book_follow(struct book *book, int option, int field, struct text *out)
{
    struct place place = { book, option };
    struct cells cells = { &place, put_name, put_number };
    char rule[RULE_BYTE_MAX];

    if (!rule_of(book, option, field, rule, sizeof rule))
        return 0;
    if (!cells_formula(rule, &cells, out))
        book->failed = 1;
    return 1;
}

int book_follow_depreciation(const struct book *book, int option,
                             struct text *out)
{
    const struct option *o = &book->answer->study.option[option];
    int taxed = o->value[F_income_tax_frac] > 0;

    if (o->kind != KIND_OWN || o->typed[F_depreciation] ||
        (int)o->value[F_depreciation] != taxed)
        return 0;
    text_str(out, "IF(");
    if (!book_cell(book, option, "income_tax_frac", 15, out))
        return 0;
    text_str(out, ">0,");
    book_list_word(LIST_DEPRECIATION, 1, out);
    text_char(out, ',');
    book_list_word(LIST_DEPRECIATION, 0, out);
    text_char(out, ')');
    return 1;
}
