/* out_html.c: the answer as a page: sentence, cards, tables, inputs with
   their sources. Works without script and without styles. */
#include "fcgi/out_html.h"

#include <math.h>
#include <string.h>

#include "fcgi/form.h"
#include "fcgi/html.h"
#include "fcgi/page.h"
#include "fcgi/report.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "fcgi/words.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

enum { PIECE_BYTE_MAX = 64 * 1024, FORM_BYTE_MAX = 1024 * 1024 };

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

static void put_count(struct text *out, int count, const char *one,
                      const char *many)
{
    shown_number(out, count, 0);
    text_char(out, ' ');
    text_str(out, count == 1 ? one : many);
}

/* --- the sentence and the cards ---------------------------------------------- */

static int warning_count(const struct answer *answer)
{
    int count = 0;

    for (int i = 0; i < answer->warnings.count; i++)
        count += report_warns(&answer->warnings.warning[i]);
    return count;
}

static void put_basis(const struct answer *answer, struct text *out)
{
    char day[11];

    day_print(day, answer->study.as_of_day);
    text_str(out, "<p class=\"basis\">Prices of <time>");
    text_str(out, day);
    text_str(out, "</time>, <a href=\"#sources\">");
    put_count(out, answer->cited_count, "source", "sources");
    text_str(out, "</a>");
    if (warning_count(answer)) {
        text_str(out, ", <a href=\"#warnings\">");
        put_count(out, warning_count(answer), "thing to know",
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
    text_str(out, " machines");
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
    text_str(out, " a month");
    if (isfinite(kg)) {
        text_str(out, " \xC2\xB7 ");
        shown_digits(out, kg / 1000, 3);
        text_str(out, " t CO<sub>2</sub>e");
    }
    put_machines(answer, i, out);
    text_str(out, "</p>\n");
    if (r->rank == 1)
        text_str(out, "<p class=\"tag\">cheapest</p>\n");
    if (is_cleanest(answer, i))
        text_str(out, "<p class=\"tag green\">least carbon</p>\n");
    if (r->short_of_capacity)
        text_str(out, "<p class=\"tag short\">cannot do the work</p>\n");
    text_str(out, "</li>\n");
}

static void put_say(const struct answer *answer, struct text *out)
{
    text_str(out, "<section class=\"say\" id=\"answer\">\n");
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
    put_basis(answer, out);
    text_str(out, "</section>\n");
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

static void put_cell(const struct answer *answer,
                     const struct report_row *row, int column,
                     struct text *out)
{
    struct text value;
    int bare = !row->applies[column] || !isfinite(row->value[column]);

    text_init(&value, PIECE_BYTE_MAX);
    report_value(answer, row, column, &value);
    text_str(out, bare ? "<td class=\"none\">" : "<td>");
    html_text_of(out, &value);
    if (*row->unit == '/' && !bare)
        html_text(out, row->unit);
    text_str(out, "</td>");
    text_free(&value);
}

static void put_row(const struct answer *answer, const struct report_row *row,
                    int columns, struct text *out)
{
    int strong = strcmp(row->name, "total_cost") == 0 ||
                 strcmp(row->name, "npv_cost") == 0;

    text_str(out, strong ? "<tr class=\"sum\"><th scope=\"row\">"
                         : "<tr><th scope=\"row\">");
    html_text(out, row->label);
    if (*row->unit && *row->unit != '/') {
        text_str(out, " <span class=\"unit\">");
        html_text(out, row->unit);
        text_str(out, "</span>");
    }
    text_str(out, "</th>");
    for (int i = 0; i < columns; i++)
        put_cell(answer, row, i, out);
    text_str(out, "</tr>\n");
}

static void put_section(struct text *out, const char *title, int columns)
{
    text_str(out, "</tbody>\n<tbody>\n<tr class=\"section\"><th scope=\"rowgroup\" colspan=\"");
    shown_number(out, columns + 1, 0);
    text_str(out, "\">");
    html_text(out, title);
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
    int section = -1, columns = answer->study.option_count;

    report_options(answer, &report);
    text_str(out, "<h2 id=\"costs\">In figures</h2>\n");
    table_open(out, "Options, over the whole comparison");
    put_heads(answer, out);
    for (int i = 0; i < report.count; i++) {
        if ((int)report.row[i].section != section) {
            section = (int)report.row[i].section;
            put_section(out, section_title[section], columns);
        }
        put_row(answer, &report.row[i], columns, out);
    }
    table_close(out);
    text_str(out, "<p class=\"hint\">Lines that are 0 for all options are left "
                  "out. A dash: has no meaning here.</p>\n");
}

static void put_pair_head(const struct answer *answer,
                          const struct pair *pair, struct text *out)
{
    text_str(out, "<th scope=\"col\">");
    put_letter(out, pair->a);
    html_text(out, answer_label(answer, pair->a));
    text_str(out, "<br>against ");
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
    text_str(out, "<h2 id=\"breakeven\">Break-even</h2>\n");
    table_open(out, "Two options against each other");
    for (int i = 0; i < answer->verdict.count; i++)
        put_pair_head(answer, &answer->verdict.pair[i], out);
    text_str(out, "</tr>\n</thead>\n<tbody>\n");
    for (int i = 0; i < report.count; i++)
        put_row(answer, &report.row[i], answer->verdict.count, out);
    table_close(out);
}

/* --- warnings ---------------------------------------------------------------------- */

static void put_warning(const struct warning *warning, struct text *out)
{
    int field = field_find(warning->field, strlen(warning->field));

    text_str(out, "<li>");
    if (warning->option) {
        put_letter(out, warning->option - 'a');
    }
    if (field >= 0)
        html_element(out, "b", NULL, field_table[field].label);
    if (field >= 0)
        text_str(out, ": ");
    html_text(out, warning->message);
    text_str(out, ".</li>\n");
}

static void put_warnings(const struct answer *answer, struct text *out)
{
    if (!warning_count(answer))
        return;
    text_str(out, "<h2 id=\"warnings\">Things to know</h2>\n"
                  "<ul class=\"warnings\">\n");
    for (int i = 0; i < answer->warnings.count; i++)
        if (report_warns(&answer->warnings.warning[i]))
            put_warning(&answer->warnings.warning[i], out);
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
    text_str(out, origin_name[origin->kind]);
    if (source) {
        text_str(out, " <a href=\"#s");
        shown_number(out, source, 0);
        text_str(out, "\">[");
        shown_number(out, source, 0);
        text_str(out, "]</a> ");
        html_text(out, cited_date(&answer->cited[source - 1], day));
    }
    if (isfinite(origin->rate_per_usd)) {
        text_str(out, ", converted at ");
        shown_digits(out, origin->rate_per_usd, 6);
    }
    if (origin->estimate)
        text_str(out, " <em>(estimate)</em>");
    text_str(out, "</span>");
}

static void put_input(const struct answer *answer, int i, int f,
                      struct text *out)
{
    const struct option *o = &answer->study.option[i];
    struct text value;

    if (field_table[f].type <= FIELD_WHOLE && !isfinite(o->value[f])) {
        text_str(out, "no figure");
        return;
    }
    text_init(&value, PIECE_BYTE_MAX);
    shown_value(&value, o, f);
    text_str(out, o->typed[f] ? "<span class=\"value typed\">"
                              : "<span class=\"value\">");
    html_text_of(out, &value);
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

    text_init(&unit, PIECE_BYTE_MAX);
    shown_unit(&unit, &answer->study, f);
    text_str(out, "<tr><th scope=\"row\">");
    html_text(out, field_table[f].label);
    text_str(out, " <span class=\"unit\">");
    html_text_of(out, &unit);
    text_str(out, "</span> <code>");
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
    text_str(out, "<details class=\"inputs\" id=\"inputs\">\n<summary><h2>"
                  "Assumptions (");
    shown_number(out, input_count(answer), 0);
    text_str(out, ")</h2></summary>\n");
    table_open(out, "Every input with its origin, source and date");
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

static void put_source(const struct cited *cited, int id, struct text *out)
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
        html_text(out, source->title);
        text_str(out, "</a>");
    } else {
        html_text(out, source->title);
    }
    text_str(out, ", ");
    html_text(out, cited_date(cited, day));
    if (*source->licence) {
        text_str(out, " <span class=\"licence\">");
        html_text(out, source->licence);
        text_str(out, "</span>");
    }
    text_str(out, "</li>\n");
}

static void put_sources(const struct answer *answer, struct text *out)
{
    text_str(out, "<details id=\"sources\">\n<summary><h2>Sources (");
    shown_number(out, answer->cited_count, 0);
    text_str(out, ")</h2></summary>\n<ol class=\"sources\">\n");
    for (int i = 0; i < answer->cited_count; i++)
        put_source(&answer->cited[i], i + 1, out);
    text_str(out, "</ol>\n</details>\n");
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

static void put_links(const struct answer *answer, struct text *out)
{
    struct text address;

    text_init(&address, PIECE_BYTE_MAX);
    put_address(answer, "", &address);
    text_str(out, "<h2 id=\"use\">Use this</h2>\n<p class=\"use\"><a class=\"permalink\"");
    html_attribute(out, "href", address.at ? address.at : "");
    text_str(out, ">Link to this result</a>");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char suffix[24] = ".";
        if (strcmp(formats[i].suffix, "html") == 0)
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
    text_str(out, "</p>\n<p class=\"address\">");
    text_reset(&address);
    put_address(answer, "", &address);
    html_text_of(out, &address);
    text_str(out, "</p>\n<p class=\"hint\">Model version " MODEL_VERSION
                  ". The link holds inputs and day, and brings back this "
                  "result.</p>\n");
    text_free(&address);
}

/* --- pages ---------------------------------------------------------------------------------- */

static void page_title(const struct answer *answer, struct text *title)
{
    if (*answer->study.label)
        text_str(title, answer->study.label);
    else
        for (int i = 0; i < answer->study.option_count; i++) {
            text_str(title, i ? " or " : "");
            text_str(title, answer_label(answer, i));
        }
    text_str(title, " \xE2\x80\x93 gputco");
}

void out_html(const struct answer *answer, struct text *out)
{
    struct text title;

    text_init(&title, PIECE_BYTE_MAX);
    page_title(answer, &title);
    page_head(out, title.at ? title.at : "gputco", "result");
    text_free(&title);
    put_say(answer, out);
    form_write(answer, FORM_ANSWERED, out);
    text_str(out, "<section class=\"rest\">\n");
    put_options(answer, out);
    put_pairs(answer, out);
    put_warnings(answer, out);
    put_inputs(answer, out);
    put_sources(answer, out);
    put_links(answer, out);
    text_str(out, "</section>\n");
    page_foot(out);
}

/* 1 if the form has a control for the key. */
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

static void put_problem(const struct answer *answer,
                        const struct problem *problem,
                        const struct text *form, struct text *out)
{
    char letter[2];
    const char *key = form_key(answer, problem->field, letter);
    struct text words;

    text_init(&words, PIECE_BYTE_MAX);
    problem_words(problem, &words);
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
                  "<div role=\"alert\">\n<h1>There is a problem</h1>\n<ul>\n");
    for (int i = 0; i < problems->count; i++)
        put_problem(answer, &problems->problem[i], form, out);
    text_str(out, "</ul>\n");
    if (problems->more) {
        text_str(out, "<p>And ");
        shown_number(out, problems->more, 0);
        text_str(out, " more.</p>\n");
    }
    text_str(out, "</div>\n</div>\n<p>Change ");
    text_str(out, problems->count == 1 ? "this" : "these");
    text_str(out, " and compare again to see the answer. Nothing you typed "
                  "is lost.</p>\n</section>\n");
}

void out_html_problems(const struct answer *answer, struct text *out)
{
    struct text form;

    text_init(&form, FORM_BYTE_MAX);
    form_write(answer, FORM_BROKEN, &form);
    page_head(out, "Error: There is a problem \xE2\x80\x93 gputco",
              "result broken");
    put_summary(answer, &form, out);
    if (form.failed)
        out->failed = 1;
    text_put(out, form.at ? form.at : "", form.byte);
    page_foot(out);
    text_free(&form);
}
