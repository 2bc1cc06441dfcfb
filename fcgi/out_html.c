/* out_html.c: the answer as a page: sentence, cards, tables, inputs with
   their sources. Works without script and without styles. */
#include "fcgi/out_html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/extras_html.h"
#include "fcgi/form.h"
#include "fcgi/format.h"
#include "fcgi/html.h"
#include "fcgi/out_boundary.h"
#include "fcgi/out_equivalent.h"
#include "fcgi/out_grant.h"
#include "fcgi/out_svg.h"
#include "fcgi/out_paper.h"
#include "fcgi/page.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "fcgi/words.h"
#include "pricing/grant.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

enum { PIECE_BYTE_MAX = 64 * 1024, COPY_BYTE_MAX = 256 * 1024,
       FORM_BYTE_MAX = 1024 * 1024 };

/* A text in the reader's language; writes it escaped. */
static const char *tell(const struct answer *answer, const char *english)
{
    return say(answer->study.zh, english);
}

static void put_words(const struct answer *answer, struct text *out,
                      const char *english)
{
    html_text(out, tell(answer, english));
}

/* Renderers of plain text, escaped on their way into the page. */
static void put_piece(const struct answer *answer, struct text *out,
                      void (*write)(const struct answer *, struct text *))
{
    struct text piece;

    text_init(&piece, PIECE_BYTE_MAX);
    write(answer, &piece);
    html_text_of(out, &piece);
    text_free(&piece);
}

static void put_letter(struct text *out, int option)
{
    char letter[2] = { (char)('a' + option), '\0' };

    html_element(out, "span", "letter", letter);
}

static void put_count(const struct answer *answer, struct text *out,
                      int count, const char *one, const char *many)
{
    shown_number(out, count, 0);
    text_char(out, ' ');
    put_words(answer, out, count == 1 ? one : many);
}

/* --- tables -------------------------------------------------------------------- */

static void table_open(struct text *out, const char *caption)
{
    text_str(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    html_attribute(out, "aria-label", caption);
    text_str(out, ">\n<table>\n<caption>");
    html_text(out, caption);
    text_str(out, "</caption>\n<thead>\n<tr><td></td>");
}

static void table_close(struct text *out)
{
    text_str(out, "</tbody>\n</table>\n</div>\n");
}

/* why: address of the same page before the name of a figure to explain, NULL
   where figures are not explained. */
static void put_cell(const struct answer *answer,
                     const struct report_row *row, int column,
                     const struct text *why, struct text *out)
{
    struct text value;
    int bare = !row->applies[column] || !isfinite(row->value[column]);
    int linked = why && !bare &&
        explain_knows(answer->study.option[column].kind, row->name);

    text_init(&value, PIECE_BYTE_MAX);
    report_value(answer, row, column, &value);
    text_str(out, bare ? "<td class=\"none\">" : "<td>");
    if (linked) {
        text_str(out, "<a href=\"");
        html_text_of(out, why);
        text_char(out, (char)('a' + column));
        text_char(out, '.');
        text_str(out, row->name);
        text_str(out, "#why\">");
    }
    html_text_of(out, &value);
    if (*row->unit == '/' && !bare)
        put_words(answer, out, row->unit);
    text_str(out, linked ? "</a></td>" : "</td>");
    text_free(&value);
}

static void put_row(const struct answer *answer, const struct report_row *row,
                    int columns, const struct text *why, struct text *out)
{
    int strong = strcmp(row->name, "total_cost") == 0 ||
                 strcmp(row->name, "npv_cost") == 0;

    text_str(out, strong ? "<tr class=\"sum\"><th scope=\"row\">"
                         : "<tr><th scope=\"row\">");
    put_words(answer, out, row->label);
    if (*row->unit && *row->unit != '/') {
        text_str(out, " <span class=\"unit\">");
        put_words(answer, out, row->unit);
        text_str(out, "</span>");
    }
    text_str(out, "</th>");
    for (int i = 0; i < columns; i++)
        put_cell(answer, row, i, why, out);
    text_str(out, "</tr>\n");
}

static void put_section(const struct answer *answer, struct text *out,
                        const char *title, int columns)
{
    text_str(out, "</tbody>\n<tbody>\n<tr class=\"section\"><th scope=\"rowgroup\" colspan=\"");
    shown_number(out, columns + 1, 0);
    text_str(out, "\">");
    put_words(answer, out, title);
    text_str(out, "</th></tr>\n");
}

static void put_heads(const struct answer *answer, struct text *out)
{
    for (int i = 0; i < answer->study.option_count; i++) {
        text_str(out, "<th scope=\"col\">");
        put_letter(out, i);
        html_text(out, answer_label(answer, i));
        text_str(out, "</th>");
    }
    text_str(out, "</tr>\n</thead>\n<tbody>\n");
}

static void put_options(const struct answer *answer, struct text *out)
{
    struct report report;
    struct text why;
    int section = -1, columns = answer->study.option_count;

    text_init(&why, PIECE_BYTE_MAX);
    text_str(&why, "/compare?");
    answer_query_unexplained(answer, &why);
    text_str(&why, "&explain=");
    report_options(answer, &report);
    text_str(out, "<h2 id=\"costs\">");
    put_words(answer, out, "In figures");
    text_str(out, "</h2>\n");
    table_open(out, tell(answer, "Options, over the whole comparison"));
    put_heads(answer, out);
    for (int i = 0; i < report.count; i++) {
        if ((int)report.row[i].section != section) {
            section = (int)report.row[i].section;
            put_section(answer, out, section_title[section], columns);
        }
        put_row(answer, &report.row[i], columns,
                answer->is_saved ? NULL : &why, out);
    }
    text_free(&why);
    table_close(out);
    text_str(out, "<p class=\"hint\">");
    if (!answer->is_saved) {
        put_words(answer, out, "Each figure leads to its formula and sources.");
        text_char(out, ' ');
    }
    put_words(answer, out, "Lines that are 0 for all options are left out. "
              "A dash: has no meaning here.");
    text_str(out, "</p>");
}

static void put_pair_head(const struct answer *answer,
                          const struct pair *pair, struct text *out)
{
    text_str(out, "<th scope=\"col\">");
    put_letter(out, pair->a);
    html_text(out, answer_label(answer, pair->a));
    text_str(out, "<br>");
    put_words(answer, out, "against");
    text_char(out, ' ');
    put_letter(out, pair->b);
    html_text(out, answer_label(answer, pair->b));
    text_str(out, "</th>");
}

static void put_pairs(const struct answer *answer, struct text *out)
{
    struct report report;

    if (!answer->verdict.count)
        return;
    report_pairs(answer, &report);
    text_str(out, "<h2 id=\"breakeven\">");
    put_words(answer, out, "Break-even");
    text_str(out, "</h2>\n");
    table_open(out, tell(answer, "Two options against each other"));
    for (int i = 0; i < answer->verdict.count; i++)
        put_pair_head(answer, &answer->verdict.pair[i], out);
    text_str(out, "</tr>\n</thead>\n<tbody>\n");
    for (int i = 0; i < report.count; i++)
        put_row(answer, &report.row[i], answer->verdict.count, NULL, out);
    table_close(out);
}

/* The formats in which /compare answers. */
static unsigned compare_formats(void)
{
    static const struct { const char *path; unsigned formats; } routes[] = {
#define ROUTE(path, methods, formats, where, handler, summary) { path, formats },
#include "fcgi/routes.def"
    };

    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(routes[i].path, "/compare") == 0)
            return routes[i].formats;
    return 0;
}

static const struct { const char *suffix; } formats[] = {
#define FORMAT(id, suffix, media) { suffix },
#include "fcgi/formats.def"
};

static void put_address(const struct answer *answer, const char *suffix,
                        struct text *out)
{
    text_str(out, answer->base_url);
    text_str(out, "/compare");
    text_str(out, suffix);
    text_char(out, '?');
    answer_query(answer, out);
}

/* --- figures ----------------------------------------------------------------------- */

static void put_figure_link(const struct answer *answer, enum figure figure,
                            struct text *out)
{
    struct text address;

    text_init(&address, PIECE_BYTE_MAX);
    put_address(answer, ".svg", &address);
    text_str(&address, "&figure=");
    text_str(&address, figure_name[figure]);
    text_str(out, "<a class=\"file\"");
    html_attribute(out, "href", address.at ? address.at : "");
    text_str(out, ">SVG</a>");
    text_free(&address);
}

enum { WIDTH_WIDE = 800, WIDTH_HALF = 440, WIDTH_NARROW = 360 };

/* The first figure is drawn for wide and for narrow screens, of which one is
   seen; the others fit both. */
static void put_plot(const struct answer *answer, enum figure figure,
                     struct text *out)
{
    static const int widths[] = { WIDTH_WIDE, WIDTH_NARROW };

    if (figure == FIGURE_CUMULATIVE)
        out_svg_widths(answer, figure, widths, 2, THEME_LIGHT, out);
    else
        out_svg(answer, figure, WIDTH_HALF, THEME_LIGHT, out);
}

static void put_figure(const struct answer *answer, enum figure figure,
                       struct text *out)
{
    const char *title = tell(answer, figure_title(figure));

    if (!figure_exists(answer, figure))
        return;
    text_str(out, "<figure class=\"fig\" id=\"fig-");
    text_str(out, figure_name[figure]);
    text_str(out, "\">\n<figcaption>");
    html_element(out, "h2", NULL, title);
    if (!answer->is_saved)
        put_figure_link(answer, figure, out);
    text_str(out, "</figcaption>\n<div class=\"plot\">");
    put_plot(answer, figure, out);
    text_str(out, "</div>\n<details class=\"numbers\"><summary>");
    put_words(answer, out, "The same as a table");
    text_str(out, "</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    html_attribute(out, "aria-label", title);
    text_str(out, ">\n<table>\n<caption>");
    html_text(out, title);
    text_str(out, "</caption>\n");
    out_svg_table(answer, figure, out);
    text_str(out, "</table>\n</div>\n</details>\n</figure>\n");
}

/* --- the sentence and the cards ---------------------------------------------- */

static int warning_count(const struct answer *answer)
{
    int count = 0;

    for (int i = 0; i < answer->warnings.count; i++)
        count += report_warns(&answer->warnings.warning[i]);
    return count;
}

/* page: where the sources and warnings are, "" for this page. */
static void put_basis(const struct answer *answer, const char *page,
                      struct text *out)
{
    char day[11];

    day_print(day, answer->study.as_of_day);
    text_str(out, "<p class=\"basis\">");
    put_words(answer, out, "Prices of");
    text_str(out, " <time>");
    text_str(out, day);
    text_str(out, "</time>, <a href=\"");
    html_attr(out, page);
    text_str(out, "#sources\">");
    put_count(answer, out, answer->cited_count, "source", "sources");
    text_str(out, "</a>");
    if (warning_count(answer)) {
        text_str(out, ", <a href=\"");
        html_attr(out, page);
        text_str(out, "#warnings\">");
        put_count(answer, out, warning_count(answer), "thing to know",
                  "things to know");
        text_str(out, "</a>");
    }
    text_str(out, "</p>\n");
}

/* 1 if the option can do the work with less carbon than every other. */
static int is_cleanest(const struct answer *answer, int option)
{
    double kg = answer->result[option].step[S_total_kg];

    if (answer->result[option].short_of_capacity || !isfinite(kg))
        return 0;
    for (int i = 0; i < answer->study.option_count; i++)
        if (i != option && !answer->result[i].short_of_capacity &&
            !(answer->result[i].step[S_total_kg] > kg))
            return 0;
    return 1;
}

/* How many machines were found to be needed; the label tells typed ones. */
static void put_machines(const struct answer *answer, int i, struct text *out)
{
    const struct option *o = &answer->study.option[i];
    double used = answer->result[i].step[S_machine_used_count];

    if (o->kind != KIND_OWN || o->value[F_machine_count] > 0 || !(used > 1))
        return;
    text_str(out, " \xC2\xB7 ");
    shown_number(out, used, 0);
    text_char(out, ' ');
    put_words(answer, out, "machines");
}

static void put_card(const struct answer *answer, int i, struct text *out)
{
    const struct result *r = &answer->result[i];
    const char *currency = answer->study.currency;
    double kg = r->step[S_total_kg];

    text_str(out, r->rank == 1 ? "<li class=\"best\">" : "<li>");
    text_str(out, "<p class=\"who\">");
    put_letter(out, i);
    html_text(out, answer_label(answer, i));
    text_str(out, "</p>\n<p class=\"big\">");
    shown_money(out, currency, r->npv_cost);
    text_str(out, "</p>\n<p class=\"small\">");
    shown_money(out, currency, r->step[S_monthly_equivalent_cost]);
    text_char(out, ' ');
    put_words(answer, out, "a month");
    if (isfinite(kg)) {
        text_str(out, " \xC2\xB7 ");
        shown_digits(out, kg / 1000, 3);
        text_str(out, "\xC2\xA0t\xC2\xA0" "CO<sub>2</sub>e");
    }
    put_machines(answer, i, out);
    text_str(out, "</p>\n");
    if (r->rank == 1)
        html_element(out, "p", "tag", tell(answer, "cheapest"));
    if (is_cleanest(answer, i))
        html_element(out, "p", "tag green", tell(answer, "least carbon"));
    if (r->short_of_capacity)
        html_element(out, "p", "tag short", tell(answer, "cannot do the work"));
    if (sentence_is_warned(answer, i, "stale_price"))
        html_element(out, "p", "tag short", tell(answer, "old price"));
    if (sentence_is_warned(answer, i, "offer_gone"))
        html_element(out, "p", "tag short", tell(answer, "no longer listed"));
    if (sentence_is_warned(answer, i, "price_moved"))
        html_element(out, "p", "tag short",
                     tell(answer, "price moved by more than 30 %"));
    text_str(out, "</li>\n");
}

static void put_said(const struct answer *answer, const char *page,
                     struct text *out)
{
    if (*answer->study.label) {
        text_str(out, "<p class=\"title\">");
        html_text(out, answer->study.label);
        text_str(out, "</p>\n");
    }
    text_str(out, "<h1>");
    put_piece(answer, out, sentence_verdict);
    text_str(out, "</h1>\n<p class=\"lead\">");
    put_piece(answer, out, sentence_amounts);
    text_str(out, "</p>\n<ul class=\"cards\">\n");
    for (int i = 0; i < answer->study.option_count; i++)
        put_card(answer, i, out);
    text_str(out, "</ul>\n");
    put_basis(answer, page, out);
    put_figure(answer, FIGURE_CUMULATIVE, out);
}

static void put_say(const struct answer *answer, struct text *out)
{
    text_str(out, "<section class=\"say\" id=\"answer\">\n");
    put_said(answer, "", out);
    text_str(out, "</section>\n");
}

void out_html_start(const struct answer *answer, const char *page,
                    struct text *out)
{
    text_str(out, "<section class=\"say\" id=\"answer\">\n"
             "<p class=\"title\">");
    put_words(answer, out, "Buy GPUs, or rent them?");
    text_str(out, "</p>\n");
    put_said(answer, page, out);
    text_str(out, "<p class=\"small\">");
    put_words(answer, out, "Computed with the built-in prices on the day "
              "this page was made.");
    text_str(out, " <a href=\"");
    html_attr(out, page);
    text_str(out, "\">");
    put_words(answer, out, "The whole answer of today");
    text_str(out, "</a></p>\n</section>\n");
}

/* --- how sure ---------------------------------------------------------------------- */

static void fact_open(const struct answer *answer, struct text *out,
                      const char *english)
{
    text_str(out, "<div><dt>");
    put_words(answer, out, english);
    text_str(out, "</dt><dd>");
}

static void fact_close(struct text *out)
{
    text_str(out, "</dd></div>\n");
}

static void put_probability(const struct answer *answer, const double *share,
                            const char *english, struct text *out)
{
    fact_open(answer, out, english);
    for (int i = 0; i < answer->study.option_count; i++) {
        text_str(out, i ? " <span>" : "<span>");
        put_letter(out, i);
        shown_number(out, share[i] * 100, 0);
        text_str(out, " %</span>");
    }
    fact_close(out);
}

/* The index of the deciding pair in the verdict; -1 none. */
static int deciding(const struct answer *answer)
{
    const struct pair *pair = sentence_pair(answer);

    return pair ? (int)(pair - answer->verdict.pair) : -1;
}

static void put_range(const struct answer *answer, int at, struct text *out)
{
    const struct pair *pair = &answer->verdict.pair[at];
    struct spread spread = answer->uncertainty.pair_saving[at];
    const char *currency = answer->study.currency;

    fact_open(answer, out, "Saving, in 9 cases of 10 between");
    put_letter(out, pair->b);
    text_str(out, "\xE2\x86\x92 ");
    put_letter(out, pair->a);
    shown_money(out, currency, spread.p5);
    text_str(out, " \xE2\x80\xA6 ");
    shown_money(out, currency, spread.p95);
    if (answer->range_straddles_zero[at] == 1) {
        text_str(out, " <strong>");
        put_words(answer, out, "It may go either way: too close to call.");
        text_str(out, "</strong>");
    }
    fact_close(out);
}

/* The three quantities that matter most, with the value at which the answer
   turns. */
/* 1 if the form, or the page written so far, has a control for the key. */
static int has_control(const struct text *form, const char *key)
{
    struct text id;
    int found;

    text_init(&id, PIECE_BYTE_MAX);
    text_str(&id, " id=\"");
    form_id(key, &id);
    text_char(&id, '"');
    found = form->at && id.at && strstr(form->at, id.at) != NULL;
    text_free(&id);
    return found;
}

/* What a swing comes from, leading to its control where the form has one. */
static void put_driver(const struct answer *answer,
                       const struct sensitivity_row *row, struct text *out)
{
    const struct field *field = &field_table[row->field];
    char key[80];

    snprintf(key, sizeof key, "%c.%s", 'a' + (row->option < 0 ? 0 : row->option),
             field->name);
    if (row->option < 0 || !has_control(out, key))
        memmove(key, key + 2, strlen(key + 2) + 1);
    if (has_control(out, key)) {
        text_str(out, "<a href=\"#");
        form_id(key, out);
        text_str(out, "\">");
        put_words(answer, out, field->label);
        text_str(out, "</a>");
    } else {
        put_words(answer, out, field->label);
    }
}

static void put_drivers(const struct answer *answer, struct text *out)
{
    const struct sensitivity *sens = &answer->sensitivity;

    if (!sens->count)
        return;
    fact_open(answer, out, "What matters most");
    text_str(out, "<ol>");
    for (int i = 0; i < sens->count && i < 3; i++) {
        const struct sensitivity_row *row = &sens->row[i];
        text_str(out, "<li>");
        if (row->option >= 0)
            put_letter(out, row->option);
        put_driver(answer, row, out);
        if (isfinite(row->flip)) {
            struct option at;
            at.value[row->field] = row->flip;
            text_str(out, " \xC2\xB7 ");
            put_words(answer, out, "the answer turns at");
            text_char(out, ' ');
            if (unit_table[field_table[row->field].unit].money)
                shown_price(out, answer->study.currency, row->flip);
            else
                shown_value(out, &at, row->field);
        }
        text_str(out, "</li>");
    }
    text_str(out, "</ol>");
    fact_close(out);
}

static void put_sure(const struct answer *answer, struct text *out)
{
    int at = deciding(answer);

    if (at < 0 || answer->uncertainty.samples == 0)
        return;
    text_str(out, "<section class=\"sure\" id=\"sure\"><h2>");
    put_words(answer, out, "How sure?");
    text_str(out, "</h2>\n<dl>\n");
    put_probability(answer, answer->uncertainty.probability_cheapest,
                    "Chance of being cheapest", out);
    put_probability(answer, answer->uncertainty.probability_greenest,
                    "Chance of least carbon", out);
    put_range(answer, at, out);
    put_drivers(answer, out);
    text_str(out, "</dl>\n<p class=\"hint\">");
    shown_number(out, answer->uncertainty.samples, 0);
    text_char(out, ' ');
    put_words(answer, out, "draws of all uncertain inputs at once, each from "
                           "its own range.");
    text_str(out, "</p></section>\n");
}

/* --- warnings ---------------------------------------------------------------------- */

static void put_warning(const struct answer *answer,
                        const struct warning *warning, struct text *out)
{
    int field = field_find(warning->field, strlen(warning->field));
    struct text words;

    text_init(&words, PIECE_BYTE_MAX);
    text_str(out, "<li>");
    if (warning->option) {
        put_letter(out, warning->option - 'a');
    }
    if (field >= 0)
        html_element(out, "b", NULL, tell(answer, field_table[field].label));
    if (field >= 0)
        text_str(out, ": ");
    report_warning(answer->study.zh, warning, &words);
    html_text_of(out, &words);
    text_free(&words);
    text_str(out, answer->study.zh ? "\xE3\x80\x82</li>\n" : ".</li>\n");
}

static void put_warnings(const struct answer *answer, struct text *out)
{
    if (!warning_count(answer))
        return;
    text_str(out, "<h2 id=\"warnings\">");
    put_words(answer, out, "Things to know");
    text_str(out, "</h2>\n<ul class=\"warnings\">\n");
    for (int i = 0; i < answer->warnings.count; i++)
        if (report_warns(&answer->warnings.warning[i]))
            put_warning(answer, &answer->warnings.warning[i], out);
    text_str(out, "</ul>\n");
}

/* --- inputs -------------------------------------------------------------------------- */

static void put_origin(const struct answer *answer, int i, int f,
                       struct text *out)
{
    const struct origin *origin = &answer->study.option[i].origin[f];
    int source = answer->source_of[i][f];
    char day[11];

    text_str(out, " <span class=\"from\">");
    put_words(answer, out, origin_name[origin->kind]);
    if (source) {
        text_str(out, " <a href=\"#s");
        shown_number(out, source, 0);
        text_str(out, "\">[");
        shown_number(out, source, 0);
        text_str(out, "]</a> ");
        html_text(out, cited_date(&answer->cited[source - 1], day));
    }
    if (isfinite(origin->rate_per_usd)) {
        text_str(out, ", ");
        put_words(answer, out, "converted at");
        text_char(out, ' ');
        shown_digits(out, origin->rate_per_usd, 6);
    }
    if (origin->estimate) {
        text_str(out, " <em>(");
        put_words(answer, out, "estimate");
        text_str(out, ")</em>");
    }
    text_str(out, "</span>");
}

static void put_input(const struct answer *answer, int i, int f,
                      struct text *out)
{
    const struct option *o = &answer->study.option[i];
    struct text value;

    if (field_table[f].type <= FIELD_WHOLE && !isfinite(o->value[f])) {
        put_words(answer, out, "no figure");
        return;
    }
    text_init(&value, PIECE_BYTE_MAX);
    shown_value(&value, o, f);
    text_str(out, o->typed[f] ? "<span class=\"value typed\">"
                              : "<span class=\"value\">");
    if (field_table[f].type == FIELD_CHOICE) {
        char word[64];
        say_word(answer->study.zh, value.at ? value.at : "", word,
                 sizeof word);
        html_text(out, word);
    } else {
        html_text_of(out, &value);
    }
    text_str(out, "</span>");
    text_free(&value);
    put_origin(answer, i, f, out);
}

static int any_has(const struct answer *answer, int f)
{
    for (int i = 0; i < answer->study.option_count; i++)
        if (option_has(i, answer->study.option[i].kind, f))
            return 1;
    return 0;
}

static void put_input_row(const struct answer *answer, int f,
                          struct text *out)
{
    int count = answer->study.option_count;
    struct text unit;
    char said[64];

    text_init(&unit, PIECE_BYTE_MAX);
    shown_unit(&unit, &answer->study, f);
    text_str(out, "<tr><th scope=\"row\">");
    put_words(answer, out, field_table[f].label);
    say_unit(answer->study.zh, unit.at ? unit.at : "", said, sizeof said);
    text_str(out, " ");
    if (*said)
        html_element(out, "span", "unit", said);
    text_str(out, " <code>");
    text_str(out, field_table[f].name);
    text_str(out, "</code></th>");
    text_free(&unit);
    if (field_table[f].applies == APPLIES_SHARED) {
        text_str(out, "<td colspan=\"");
        shown_number(out, count, 0);
        text_str(out, "\">");
        put_input(answer, 0, f, out);
        text_str(out, "</td></tr>\n");
        return;
    }
    for (int i = 0; i < count; i++) {
        if (!option_has(i, answer->study.option[i].kind, f)) {
            text_str(out, "<td class=\"none\">\xE2\x80\x93</td>");
            continue;
        }
        text_str(out, "<td>");
        put_input(answer, i, f, out);
        text_str(out, "</td>");
    }
    text_str(out, "</tr>\n");
}

static int input_count(const struct answer *answer)
{
    int count = 0;

    for (int f = 0; f < FIELD_COUNT; f++)
        count += any_has(answer, f);
    return count;
}

static void put_inputs(const struct answer *answer, struct text *out)
{
    text_str(out, "<details class=\"inputs\" id=\"inputs\">\n<summary><h2>");
    put_words(answer, out, "Assumptions");
    text_str(out, " (");
    shown_number(out, input_count(answer), 0);
    text_str(out, ")</h2></summary>\n");
    table_open(out, tell(answer, "Every input with its origin, source and date"));
    put_heads(answer, out);
    for (int f = 0; f < FIELD_COUNT; f++)
        if (any_has(answer, f))
            put_input_row(answer, f, out);
    table_close(out);
    text_str(out, "</details>\n");
}

/* --- sources and links ------------------------------------------------------------------ */

static int is_link(const char *address)
{
    return strncmp(address, "https://", 8) == 0 ||
           strncmp(address, "http://", 7) == 0;
}

static void put_source(const struct answer *answer, const struct cited *cited,
                       int id, struct text *out)
{
    const struct source *source = cited->source;
    char day[11];

    text_str(out, "<li id=\"s");
    shown_number(out, id, 0);
    text_str(out, "\">");
    if (is_link(source->address)) {
        text_str(out, "<a rel=\"noreferrer\"");
        html_attribute(out, "href", source->address);
        text_char(out, '>');
        put_words(answer, out, source->title);
        text_str(out, "</a>");
    } else {
        put_words(answer, out, source->title);
    }
    text_str(out, ", ");
    html_text(out, cited_date(cited, day));
    if (*source->licence) {
        text_str(out, " <span class=\"licence\">");
        put_words(answer, out, source->licence);
        text_str(out, "</span>");
    }
    text_str(out, "</li>\n");
}

static void put_sources(const struct answer *answer, struct text *out)
{
    text_str(out, "<details id=\"sources\">\n<summary><h2>");
    put_words(answer, out, "Sources");
    text_str(out, " (");
    shown_number(out, answer->cited_count, 0);
    text_str(out, ")</h2></summary>\n<ol class=\"sources\">\n");
    for (int i = 0; i < answer->cited_count; i++)
        put_source(answer, &answer->cited[i], i + 1, out);
    text_str(out, "</ol>\n</details>\n");
}

/* A button that works without script. */
static void put_save(const struct answer *answer, struct text *out)
{
    struct text query;

    text_init(&query, PIECE_BYTE_MAX);
    text_str(&query, "/studies?");
    answer_query(answer, &query);
    text_str(out, "<form class=\"save\" method=\"post\"");
    html_attribute(out, "action", query.at ? query.at : "/studies");
    text_str(out, "><button type=\"submit\">");
    put_words(answer, out, "Save this result");
    text_str(out, "</button> <span class=\"hint\">");
    put_words(answer, out, "A short link keeps these digits for ever, also "
              "when prices and formulas change; nothing about you is kept.");
    text_str(out, "</span></form>\n");
    text_free(&query);
}

/* The tables as markup to take elsewhere: a word processor or a site. */
static void put_copy(const struct answer *answer, struct text *out)
{
    struct text copy;

    text_init(&copy, COPY_BYTE_MAX);
    out_copy(answer, &copy);
    text_str(out, "<details class=\"copy\"><summary>");
    put_words(answer, out, "Tables as HTML, to copy");
    text_str(out, "</summary>\n<textarea readonly rows=\"8\"");
    html_attribute(out, "aria-label", tell(answer, "Tables as HTML, to copy"));
    text_char(out, '>');
    html_text_of(out, &copy);
    text_str(out, "</textarea></details>\n");
    text_free(&copy);
}

/* The same study as a funding request, by funder. */
static void put_grants(const struct answer *answer, struct text *out)
{
    struct text address;

    text_init(&address, PIECE_BYTE_MAX);
    text_str(out, "<p class=\"use\">");
    put_words(answer, out, "Funding request");
    text_char(out, ':');
    for (int i = 0; i < GRANT_FLAVOUR_COUNT; i++) {
        text_reset(&address);
        put_address(answer, "", &address);
        text_str(&address, "&grant=");
        text_str(&address, grant_flavour_table[i].id);
        text_str(out, " <a class=\"format\"");
        html_attribute(out, "href", address.at ? address.at : "");
        text_char(out, '>');
        put_words(answer, out, grant_flavour_table[i].name);
        text_str(out, "</a>");
    }
    text_str(out, "</p>\n");
    text_free(&address);
}

static void put_links(const struct answer *answer, struct text *out)
{
    struct text address;

    text_init(&address, PIECE_BYTE_MAX);
    put_address(answer, "", &address);
    text_str(out, "<h2 id=\"use\">");
    put_words(answer, out, "Use this");
    text_str(out, "</h2>\n<p class=\"use\"><a class=\"permalink\"");
    html_attribute(out, "href", address.at ? address.at : "");
    text_char(out, '>');
    put_words(answer, out, "Link to this result");
    text_str(out, "</a>");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char suffix[24] = ".";
        if (i == FORMAT_HTML || i == FORMAT_FRAGMENT ||
            !(compare_formats() >> i & 1))
            continue;
        strncat(suffix, formats[i].suffix, sizeof suffix - 2);
        text_reset(&address);
        put_address(answer, suffix, &address);
        text_str(out, " <a class=\"format\"");
        html_attribute(out, "href", address.at ? address.at : "");
        text_char(out, '>');
        html_text(out, formats[i].suffix);
        text_str(out, "</a>");
    }
    text_str(out, "</p>\n");
    put_grants(answer, out);
    put_copy(answer, out);
    text_str(out, "<p class=\"address\">");
    text_reset(&address);
    put_address(answer, "", &address);
    html_text_of(out, &address);
    text_str(out, "</p>\n<p class=\"hint\">");
    put_words(answer, out, "Model version");
    text_str(out, " " MODEL_VERSION ". ");
    put_words(answer, out, "The link holds inputs and day, and brings back "
                           "this result.");
    text_str(out, "</p>\n");
    put_save(answer, out);
    text_reset(&address);
    text_str(&address, "/embed?");
    answer_query(answer, &address);
    text_str(&address, "&width=600");
    text_str(out, "<p class=\"use\"><a");
    html_attribute(out, "href", address.at ? address.at : "/embed");
    text_char(out, '>');
    put_words(answer, out, "Embed this answer");
    text_str(out, "</a></p>\n");
    text_free(&address);
}

/* --- pages ---------------------------------------------------------------------------------- */

void out_html_title(const struct answer *answer, struct text *title)
{
    if (*answer->study.label)
        text_str(title, answer->study.label);
    else
        for (int i = 0; i < answer->study.option_count; i++) {
            text_str(title, i ? tell(answer, " or ") : "");
            text_str(title, answer_label(answer, i));
        }
    text_str(title, " \xE2\x80\x93 gputco");
}

/* The page's address in a language. */
static void put_language(const struct answer *answer, int zh, struct text *out)
{
    struct text query;
    size_t length;

    text_init(&query, PIECE_BYTE_MAX);
    put_address(answer, "", &query);
    length = query.byte;
    if (query.at && length > 8 && (strcmp(query.at + length - 8, "&lang=zh") == 0
        || strcmp(query.at + length - 8, "&lang=en") == 0))
        length -= 8;
    text_put(out, query.at ? query.at : "", length);
    if (zh || grant_asked(answer))
        text_str(out, zh ? "&lang=zh" : "&lang=en");
    text_free(&query);
}

static void head(const struct answer *answer, struct text *out)
{
    struct text title, english, chinese, words, more;

    text_init(&words, PIECE_BYTE_MAX);
    text_init(&more, 8 * PIECE_BYTE_MAX);
    text_init(&title, PIECE_BYTE_MAX);
    text_init(&english, PIECE_BYTE_MAX);
    text_init(&chinese, PIECE_BYTE_MAX);
    out_html_title(answer, &title);
    put_language(answer, 0, &english);
    put_language(answer, 1, &chinese);
    sentence(answer, &words);
    page_card(&more, answer->base_url,
              (answer->study.zh ? &chinese : &english)->at, title.at,
              words.at ? words.at : "");
    page_head_more(out, answer->study.zh, title.at ? title.at : "gputco",
                   grant_asked(answer) ? "table grant" : "result",
                   english.at ? english.at : "/",
                   chinese.at ? chinese.at : "/zh/", &more);
    text_free(&more);
    text_free(&words);
    text_free(&chinese);
    text_free(&english);
    text_free(&title);
}

/* is_part: for a page that has the form's lists already. */
static void put_result(const struct answer *answer, int is_part,
                       struct text *out)
{
    put_say(answer, out);
    if (is_part)
        form_write_short(answer, FORM_ANSWERED, out);
    else if (!answer->is_saved)
        form_write(answer, FORM_ANSWERED, out);
    text_str(out, "<section class=\"rest\">\n");
    put_sure(answer, out);
    text_str(out, "<div class=\"figures\">\n");
    for (int i = FIGURE_STACK; i < FIGURE_COUNT; i++)
        put_figure(answer, (enum figure)i, out);
    text_str(out, "</div>\n");
    put_options(answer, out);
    out_equivalent_html(answer, out);
    extras_html_explanation(answer, out);
    put_pairs(answer, out);
    extras_html_alternatives(answer, out);
    extras_html_ranges(answer, out);
    out_boundary_html(answer, out);
    put_warnings(answer, out);
    put_inputs(answer, out);
    put_sources(answer, out);
    if (!answer->is_saved)
        put_links(answer, out);
    text_str(out, "</section>\n");
}

static void put_saved(const struct answer *answer, struct text *out)
{
    out_html_title(answer, out);
    text_char(out, '\n');
    if (grant_asked(answer))
        out_grant_html(answer, out);
    else
        put_result(answer, 0, out);
}

void out_html(const struct answer *answer, struct text *out)
{
    if (answer->is_saved) {
        put_saved(answer, out);
        return;
    }
    head(answer, out);
    if (grant_asked(answer))
        out_grant_html(answer, out);
    else
        put_result(answer, 0, out);
    page_foot(out, answer->study.zh);
}

void out_html_fragment(const struct answer *answer, struct text *out)
{
    struct text piece;

    text_init(&piece, PIECE_BYTE_MAX);
    put_address(answer, "", &piece);
    text_str(out, "<div class=\"result\"");
    html_attribute(out, "data-address", piece.at ? piece.at : "");
    text_reset(&piece);
    out_html_title(answer, &piece);
    html_attribute(out, "data-title", piece.at ? piece.at : "");
    text_str(out, ">\n");
    put_result(answer, 1, out);
    text_str(out, "</div>\n");
    text_free(&piece);
}

static void put_problem(const struct answer *answer,
                        const struct problem *problem,
                        const struct text *form, struct text *out)
{
    char letter[2];
    const char *key = form_key(answer, problem->field, letter);
    struct text words;

    text_init(&words, PIECE_BYTE_MAX);
    problem_words(problem, answer->study.zh, &words);
    text_str(out, "<li><a href=\"#");
    if (has_control(form, key))
        form_id(key, out);
    else
        text_str(out, "form");
    text_str(out, "\">");
    html_text_of(out, &words);
    text_str(out, "</a></li>\n");
    text_free(&words);
}

static void put_summary(const struct answer *answer, const struct text *form,
                        struct text *out)
{
    const struct problems *problems = &answer->input->problems;

    text_str(out, "<section class=\"say\" id=\"answer\">\n"
                  "<div class=\"summary\" tabindex=\"-1\" autofocus>\n"
                  "<div role=\"alert\">\n<h1>");
    put_words(answer, out, "There is a problem");
    text_str(out, "</h1>\n<ul>\n");
    for (int i = 0; i < problems->count; i++)
        put_problem(answer, &problems->problem[i], form, out);
    text_str(out, "</ul>\n");
    if (problems->more) {
        text_str(out, "<p>+ ");
        shown_number(out, problems->more, 0);
        text_str(out, "</p>\n");
    }
    text_str(out, "</div>\n</div>\n");
    html_element(out, "p", NULL, tell(answer, "Change this and compare again "
                 "to see the answer. Nothing you typed is lost."));
    text_str(out, "\n</section>\n");
}

static void put_broken(const struct answer *answer, struct text *out)
{
    struct text form;

    text_init(&form, FORM_BYTE_MAX);
    form_write(answer, FORM_BROKEN, &form);
    put_summary(answer, &form, out);
    if (form.failed)
        out->failed = 1;
    text_put(out, form.at ? form.at : "", form.byte);
    text_free(&form);
}

void out_html_problems(const struct answer *answer, struct text *out)
{
    struct text title;

    text_init(&title, PIECE_BYTE_MAX);
    text_str(&title, tell(answer, "Error: There is a problem"));
    text_str(&title, " \xE2\x80\x93 gputco");
    page_head(out, answer->study.zh, title.at ? title.at : "gputco",
              "result broken", "/", "/zh/");
    put_broken(answer, out);
    page_foot(out, answer->study.zh);
    text_free(&title);
}

void out_html_problems_fragment(const struct answer *answer, struct text *out)
{
    text_str(out, "<div class=\"result broken\">\n");
    put_broken(answer, out);
    text_str(out, "</div>\n");
}
