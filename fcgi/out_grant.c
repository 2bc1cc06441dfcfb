/* out_grant.c: a funding request in headings, paragraphs and tables, in the
   order of its flavour. The words are the same for all funders. */
#include "fcgi/out_grant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/grant_ask.h"
#include "fcgi/grant_words.h"
#include "fcgi/json.h"
#include "fcgi/out_paper.h"
#include "fcgi/page.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "fcgi/sheet.h"
#include "fcgi/shown.h"
#include "pricing/calendar.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

#define UNWRITTEN __attribute__((uninitialized))

enum { PIECE_BYTE_MAX = 64 * 1024 };

struct writing {
    const struct answer *answer;
    const struct grant_pack *pack;
    struct paper *paper;
};

static const char *held(const struct text *text)
{
    return text->at ? text->at : "";
}

static const char *tell(const struct writing *w, const char *english)
{
    return say(w->answer->study.zh, english);
}

int grant_asked(const struct answer *answer)
{
    return grant_flavour_of(answer->input) != NULL;
}

static const struct option *asked_option(const struct writing *w)
{
    return &w->answer->study.option[w->pack->option];
}

/* --- cells -------------------------------------------------------- */

/* An amount in the funder's currency, in the unit of the table. */
static void amount_cell(const struct writing *w, double value)
{
    struct text cell;

    text_init(&cell, PIECE_BYTE_MAX);
    shown_number(&cell, value / w->pack->flavour->shown_per,
                 w->pack->flavour->decimals);
    paper_cell(w->paper, held(&cell));
    text_free(&cell);
}

static void number_cell(const struct writing *w, double value, int digits)
{
    struct text cell;

    text_init(&cell, PIECE_BYTE_MAX);
    shown_digits(&cell, value, digits);
    paper_cell(w->paper, held(&cell));
    text_free(&cell);
}

/* "Budget, EUR" */
static void table(const struct writing *w, struct text *caption,
                  const char *english, int columns)
{
    text_reset(caption);
    text_str(caption, tell(w, english));
    text_str(caption, ", ");
    text_str(caption, *w->pack->flavour->shown_as
                      ? tell(w, w->pack->flavour->shown_as)
                      : w->pack->currency);
    paper_table(w->paper, held(caption), columns);
}

static void period_cell(const struct writing *w, const struct grant_period *p)
{
    char first[11], last[11], cell[32];
    int start = w->answer->start_day;

    day_print(first, calendar_month(start, p->first - 1));
    day_print(last, calendar_month(start, p->first + p->months - 2));
    snprintf(cell, sizeof cell, "%.7s \xE2\x80\x93 %.7s", first, last);
    paper_cell(w->paper, cell);
}

/* --- budget --------------------------------------------------------- */

static const char *const class_words[GRANT_CLASS_COUNT] = {
    "Equipment", "Supplies", "Services", "Staff" };

static int is_partly_funded(const struct writing *w)
{
    return w->pack->terms.funded_frac < 1;
}

static void budget_row(const struct writing *w, const struct grant_period *p)
{
    number_cell(w, p->months, 3);
    for (int k = 0; k < GRANT_CLASS_COUNT; k++)
        amount_cell(w, p->cost[k]);
    amount_cell(w, p->overhead);
    amount_cell(w, p->total);
    if (is_partly_funded(w))
        amount_cell(w, p->funded);
    amount_cell(w, p->left);
}

static void budget_head(const struct writing *w)
{
    char funded[32];

    paper_cell(w->paper, tell(w, "Budget period"));
    paper_cell(w->paper, tell(w, "Months"));
    for (int k = 0; k < GRANT_CLASS_COUNT; k++)
        paper_cell(w->paper, tell(w, class_words[k]));
    paper_cell(w->paper, tell(w, "Overhead"));
    paper_cell(w->paper, tell(w, "Requested"));
    if (is_partly_funded(w)) {
        snprintf(funded, sizeof funded, "%.0f %%",
                 100 * w->pack->terms.funded_frac);
        paper_cell(w->paper, funded);
    }
    paper_cell(w->paper, tell(w, "Not requested"));
}

static void put_budget(const struct writing *w)
{
    const struct grant *grant = &w->pack->grant;
    struct text caption;

    text_init(&caption, PIECE_BYTE_MAX);
    paper_heading(w->paper, 2, tell(w, "Budget by period"));
    table(w, &caption, "Budget", 9 + is_partly_funded(w));
    budget_head(w);
    for (int i = 0; i < grant->count; i++) {
        period_cell(w, &grant->period[i]);
        budget_row(w, &grant->period[i]);
    }
    paper_cell(w->paper, tell(w, "Sum"));
    budget_row(w, &grant->sum);
    paper_table_end(w->paper);
    paper_paragraph(w->paper, tell(w, "Each sum is that of the rounded "
        "amounts. Requested with not requested, without overhead, is what the "
        "option costs; interest, profit tax, resale, what is not depreciated "
        "yet, use by others and what rounding adds are not requested."));
    text_free(&caption);
}

static void put_depreciation(const struct writing *w)
{
    const struct grant *grant = &w->pack->grant;
    struct text caption;

    if (asked_option(w)->kind != KIND_OWN)
        return;
    text_init(&caption, PIECE_BYTE_MAX);
    paper_heading(w->paper, 2, tell(w, "Depreciation"));
    table(w, &caption, "Depreciation", 5);
    paper_cell(w->paper, tell(w, "Budget period"));
    paper_cell(w->paper, tell(w, "Months"));
    paper_cell(w->paper, tell(w, "Whole depreciation"));
    paper_cell(w->paper, tell(w, "Share of use, %"));
    paper_cell(w->paper, tell(w, "Eligible"));
    for (int i = 0; i < grant->count; i++) {
        const struct grant_period *p = &grant->period[i];
        period_cell(w, p);
        number_cell(w, p->months, 3);
        amount_cell(w, p->depreciation * w->pack->terms.rate);
        number_cell(w, 100 * w->pack->terms.use_frac, 3);
        amount_cell(w, p->cost[GRANT_EQUIPMENT]);
    }
    paper_table_end(w->paper);
    grant_say(w->answer, w->pack, GRANT_SAY_DEPRECIATION, w->paper);
    text_free(&caption);
}

static void put_rent_check(const struct writing *w)
{
    paper_heading(w->paper, 2, tell(w, "Rent against depreciation"));
    if (asked_option(w)->kind == KIND_OWN)
        paper_paragraph(w->paper, tell(w, "Nothing is rented: the check does "
                        "not apply."));
    else if (w->pack->like < 0)
        paper_paragraph(w->paper, tell(w, "The study has no owned option of "
                        "like equipment: add one to check the rent."));
    else
        grant_say(w->answer, w->pack, w->pack->cap.within
                  ? GRANT_SAY_RENT_WITHIN : GRANT_SAY_RENT_ABOVE, w->paper);
}

/* --- price and choice ----------------------------------------------- */

static void value_with_unit(const struct writing *w, int field,
                            struct text *out)
{
    struct text unit;
    char said[64];

    shown_value(out, asked_option(w), field);
    text_init(&unit, PIECE_BYTE_MAX);
    shown_unit(&unit, &w->answer->study, field);
    say_unit(w->answer->study.zh, held(&unit), said, sizeof said);
    text_str(out, *said ? " " : "");
    text_str(out, said);
    text_free(&unit);
}

static void put_price(const struct writing *w)
{
    const struct option *o = asked_option(w);
    static const int own[] = { F_gpu_price, F_host_price,
        F_energy_price_per_kwh, F_staff_cost_per_year };
    static const int rent[] = { F_rent_price_per_hour, F_rent_upfront_price,
        F_rent_discount_frac, F_staff_cost_per_year };
    const int *field = o->kind == KIND_OWN ? own : rent;
    struct text line;
    char day[11];

    text_init(&line, PIECE_BYTE_MAX);
    paper_heading(w->paper, 2, tell(w, "Prices"));
    for (int i = 0; i < 4; i++) {
        int source = w->answer->source_of[w->pack->option][field[i]];
        text_reset(&line);
        text_str(&line, tell(w, field_table[field[i]].label));
        text_str(&line, ": ");
        value_with_unit(w, field[i], &line);
        text_str(&line, "; ");
        if (source) {
            const struct cited *c = &w->answer->cited[source - 1];
            text_str(&line, c->source->title);
            text_str(&line, ", ");
            text_str(&line, cited_date(c, day));
        } else {
            text_str(&line, tell(w, origin_name[o->origin[field[i]].kind]));
        }
        paper_item(w->paper, held(&line), "");
    }
    grant_say(w->answer, w->pack, w->pack->terms.rate > 1 ||
              w->pack->terms.rate < 1 ? GRANT_SAY_RATE : GRANT_SAY_NO_RATE,
              w->paper);
    if (o->kind == KIND_RENT)
        grant_say(w->answer, w->pack, GRANT_SAY_CALCULATOR, w->paper);
    else if (w->pack->terms.equipment_line > 0)
        grant_say(w->answer, w->pack, w->pack->grant.is_equipment
                  ? GRANT_SAY_EQUIPMENT : GRANT_SAY_SUPPLY, w->paper);
    text_free(&line);
}

static void put_choice(const struct writing *w)
{
    paper_heading(w->paper, 2, tell(w, "Options compared"));
    paper_rows(w->answer, w->paper);
}

/* --- lists -------------------------------------------------------- */

static void put_quotes(const struct writing *w)
{
    static const char *const slots[] = {
        "Quotation 1 (supplier, number, date): ____________________",
        "Quotation 2 (supplier, number, date): ____________________",
        "Quotation 3 (supplier, number, date): ____________________",
        "Equipment at hand, and why it does not suffice: __________",
        "The institution's own line for equipment: ________________" };

    paper_heading(w->paper, 2, tell(w, "To be completed by the applicant"));
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        paper_item(w->paper, tell(w, slots[i]), "");
}

/* Every input of the option with where it comes from. */
static void put_assumptions(const struct writing *w)
{
    const struct option *o = asked_option(w);
    struct text line;

    text_init(&line, PIECE_BYTE_MAX);
    paper_heading(w->paper, 2, tell(w, "Assumptions"));
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct origin *origin = &o->origin[f];
        if (!option_has(w->pack->option, o->kind, f))
            continue;
        text_reset(&line);
        text_str(&line, tell(w, field_table[f].label));
        text_str(&line, ": ");
        value_with_unit(w, f, &line);
        text_str(&line, " (");
        text_str(&line, tell(w, origin->estimate ? "estimate"
                                : origin_name[origin->kind]));
        text_char(&line, ')');
        paper_item(w->paper, held(&line), "");
    }
    text_free(&line);
}

static void put_rules(const struct writing *w)
{
    struct text line;

    text_init(&line, PIECE_BYTE_MAX);
    paper_heading(w->paper, 2, tell(w, "Rules to check"));
    for (int i = 0; i < grant_rule_count; i++) {
        const struct grant_rule *rule = &grant_rule_table[i];
        if (strcmp(rule->flavour, w->pack->flavour->id) != 0)
            continue;
        text_reset(&line);
        if (rule->amount > 0 && *rule->unit)
            shown_money(&line, rule->unit, rule->amount);
        else if (rule->amount > 0)
            shown_percent(&line, rule->amount);
        text_str(&line, line.byte ? ": " : "");
        text_str(&line, tell(w, rule->words));
        text_char(&line, ' ');
        text_str(&line, tell(w, "Check current rules:"));
        text_char(&line, ' ');
        text_str(&line, rule->title);
        text_str(&line, ", ");
        text_str(&line, rule->date);
        text_str(&line, ",");
        paper_item(w->paper, held(&line), rule->address);
    }
    text_free(&line);
}

/* --- the pack ----------------------------------------------------- */

static void put_part(const struct writing *w, char part)
{
    static const char need[] = "Need", why[] = "Justification",
                      energy[] = "Energy and carbon";

    switch (part) {
    case 'n':
        paper_heading(w->paper, 2, tell(w, need));
        grant_say(w->answer, w->pack, GRANT_SAY_WORK, w->paper);
        break;
    case 'j':
        paper_heading(w->paper, 2, tell(w, why));
        grant_justify(w->answer, w->pack, w->paper);
        break;
    case 'e':
        paper_heading(w->paper, 2, tell(w, energy));
        grant_say(w->answer, w->pack, GRANT_SAY_ENERGY, w->paper);
        break;
    case 'b': put_budget(w); break;
    case 'c': put_choice(w); break;
    case 'd': put_depreciation(w); break;
    case 'p': put_price(w); break;
    case 'r': put_rent_check(w); break;
    case 'q': put_quotes(w); break;
    case 'a': put_assumptions(w); break;
    case 't': put_rules(w); break;
    }
}

void out_grant(const struct answer *answer, struct paper *paper)
{
    struct grant_pack pack UNWRITTEN;
    struct writing w = { answer, &pack, paper };
    struct text title;

    grant_work_out(answer, &pack);
    text_init(&title, PIECE_BYTE_MAX);
    if (*answer->study.label) {
        text_str(&title, answer->study.label);
        text_str(&title, ": ");
    }
    text_str(&title, tell(&w, "Computing in a funding request"));
    text_str(&title, ", ");
    text_str(&title, tell(&w, pack.flavour->name));
    paper_heading(paper, 1, held(&title));
    text_free(&title);
    for (const char *part = pack.flavour->order; *part; part++)
        put_part(&w, *part);
    paper_warnings(answer, paper);
    paper_sources(answer, paper);
    paper_end(answer, paper);
}

/* --- forms ---------------------------------------------------------- */

static void put_as(const struct answer *answer, enum paper_form form,
                   struct text *out)
{
    struct paper paper;

    paper_open(&paper, out, form, answer->study.zh);
    out_grant(answer, &paper);
    paper_close(&paper);
}

void out_grant_text(const struct answer *answer, struct text *out)
{
    put_as(answer, PAPER_TEXT, out);
}

void out_grant_html(const struct answer *answer, struct text *out)
{
    text_str(out, "<article class=\"grant\">\n");
    put_as(answer, PAPER_HTML, out);
    text_str(out, "</article>\n");
}

/* --- programs --------------------------------------------------------- */

static const struct { size_t offset; const char *name; } figures[] = {
#define ROW(member, name) { offsetof(struct grant_period, member), name }
    ROW(cost[GRANT_EQUIPMENT], "equipment_cost"),
    ROW(cost[GRANT_SUPPLY], "supply_cost"),
    ROW(cost[GRANT_SERVICE], "service_cost"),
    ROW(cost[GRANT_STAFF], "staff_cost"), ROW(direct, "direct_cost"),
    ROW(overhead, "overhead_cost"), ROW(total, "requested_cost"),
    ROW(funded, "funded_cost"), ROW(left, "not_requested_cost"),
    ROW(all, "option_cost"),
#undef ROW
};
enum { FIGURE_COUNT_ = sizeof figures / sizeof *figures };

static double figure_of(const struct grant_period *p, int i)
{
    double value;

    memcpy(&value, (const char *)p + figures[i].offset, sizeof value);
    return value;
}

static void csv_period(const struct writing *w, const char *section,
                       const struct grant_period *p, struct text *out)
{
    char digits[NUM_TEXT_BYTE];

    for (int i = 0; i < FIGURE_COUNT_; i++) {
        text_char(out, (char)('a' + w->pack->option));
        text_char(out, ',');
        csv_cell(out, section);
        text_char(out, ',');
        csv_cell(out, figures[i].name);
        text_str(out, ",,");
        num_print(digits, figure_of(p, i));
        text_str(out, digits);
        text_char(out, ',');
        csv_cell(out, w->pack->currency);
        text_str(out, ",,,,,\r\n");
    }
}

void out_grant_csv(const struct answer *answer, struct text *out)
{
    struct grant_pack pack UNWRITTEN;
    struct writing w = { answer, &pack, NULL };

    grant_work_out(answer, &pack);
    for (int i = 0; i < pack.grant.count; i++) {
        char section[40], day[11];
        day_print(day, calendar_month(answer->start_day,
                                      pack.grant.period[i].first - 1));
        snprintf(section, sizeof section, "grant %s", day);
        csv_period(&w, section, &pack.grant.period[i], out);
    }
    csv_period(&w, "grant sum", &pack.grant.sum, out);
}

static void json_period(const struct answer *answer,
                        const struct grant_period *p, struct text *out)
{
    char day[11];

    day_print(day, calendar_month(answer->start_day, p->first - 1));
    text_char(out, '{');
    json_pair_string(out, "start", day);
    json_pair_number(out, "month_count", p->months);
    for (int i = 0; i < FIGURE_COUNT_; i++)
        json_pair_number(out, figures[i].name, figure_of(p, i));
    text_char(out, '}');
}

void out_grant_json(const struct answer *answer, struct text *out)
{
    struct grant_pack pack UNWRITTEN;
    char letter[2];

    if (!grant_asked(answer))
        return;
    grant_work_out(answer, &pack);
    letter[0] = (char)('a' + pack.option);
    letter[1] = '\0';
    json_name(out, "grant");
    text_char(out, '{');
    json_pair_string(out, "flavour", pack.flavour->id);
    json_pair_string(out, "option", letter);
    json_pair_string(out, "currency", pack.currency);
    json_pair_number(out, "rate", pack.terms.rate);
    json_name(out, "periods");
    text_char(out, '[');
    for (int i = 0; i < pack.grant.count; i++) {
        json_next(out);
        json_period(answer, &pack.grant.period[i], out);
    }
    text_char(out, ']');
    json_name(out, "sum");
    json_period(answer, &pack.grant.sum, out);
    json_name(out, "rent_check");
    if (pack.like < 0) {
        text_str(out, "null");
    } else {
        text_char(out, '{');
        json_pair_number(out, "rent_cost", pack.cap.rent);
        json_pair_number(out, "like_depreciation_cost", pack.cap.cap);
        json_pair_bool(out, "within", pack.cap.within);
        text_char(out, '}');
    }
    text_char(out, '}');
}
