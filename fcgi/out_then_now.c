/* out_then_now.c: the saved digits, today's beside them, and the difference by
   cause. Each row adds up: then, the four causes, now. */
#include "fcgi/out_then_now.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/out_json.h"
#include "fcgi/out_saved.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "fcgi/words.h"
#include "pricing/num.h"

enum { PIECE_BYTE_MAX = 64 * 1024 };

static const char *const cause_label[CAUSE_COUNT] = {
    "Formula", "Prices", "Exchange rate", "Factors" };
static const char *const quantity_unit[QUANTITY_COUNT] = { "", "", "kWh",
                                                           "kg" };

static void put_words(const struct then_now *both, struct text *out,
                      const char *english)
{
    html_text(out, say(both->answer.study.zh, english));
}

/* A difference shows its sign; nothing is 0. */
static void put_difference(struct text *out, double value)
{
    if (fabs(value) < 0.5)
        value = 0;
    if (value > 0)
        text_char(out, '+');
    shown_number(out, value, 0);
}

/* --- page -------------------------------------------------------------------- */

static void put_column_heads(const struct then_now *both,
                             const struct saved *saved, struct text *out)
{
    char day[11];

    text_str(out, "<thead>\n<tr><td></td><th scope=\"col\">");
    put_words(both, out, "Then");
    text_str(out, "<br>");
    day_print(day, saved->head.as_of_day);
    text_str(out, day);
    for (int c = 0; c < CAUSE_COUNT; c++) {
        text_str(out, "</th><th scope=\"col\">");
        put_words(both, out, cause_label[c]);
    }
    text_str(out, "</th><th scope=\"col\">");
    put_words(both, out, "Now");
    text_str(out, "<br>");
    day_print(day, both->answer.study.as_of_day);
    text_str(out, day);
    text_str(out, "</th></tr>\n</thead>\n<tbody>\n");
}

static void put_quantity(const struct then_now *both, int i, int q,
                         struct text *out)
{
    text_str(out, "<tr><th scope=\"row\">");
    put_words(both, out, quantity_table[q].label);
    text_str(out, " <span class=\"unit\">");
    text_str(out, quantity_table[q].money ? both->answer.study.currency
                                          : quantity_unit[q]);
    text_str(out, "</span></th><td>");
    shown_number(out, both->then[i][q], 0);
    for (int c = 0; c < CAUSE_COUNT; c++) {
        text_str(out, "</td><td>");
        put_difference(out, both->effect[i][q][c]);
    }
    text_str(out, "</td><td>");
    shown_number(out, both->now[i][q], 0);
    text_str(out, "</td></tr>\n");
}

static void table_open(struct text *out, const char *caption)
{
    text_str(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    html_attribute(out, "aria-label", caption);
    text_str(out, ">\n<table>\n<caption>");
    html_text(out, caption);
    text_str(out, "</caption>\n");
}

static void put_option_table(const struct then_now *both,
                             const struct saved *saved, int i,
                             struct text *out)
{
    char caption[LABEL_BYTE_MAX + 8];

    snprintf(caption, sizeof caption, "%c: %s", 'a' + i,
             answer_label(&both->answer, i));
    table_open(out, caption);
    put_column_heads(both, saved, out);
    for (int q = 0; q < QUANTITY_COUNT; q++)
        put_quantity(both, i, q, out);
    text_str(out, "</tbody>\n</table>\n</div>\n");
}

static void put_input_value(const struct changed_input *changed, double value,
                            const char *text, struct text *out)
{
    enum field_type type = field_table[changed->field].type;

    if (type == FIELD_NAME || type == FIELD_CHOICE)
        html_text(out, *text ? text : "\xE2\x80\x93");
    else
        shown_digits(out, value, 6);
}

static void put_changed(const struct then_now *both,
                        const struct changed_input *changed, struct text *out)
{
    const struct field *field = &field_table[changed->field];
    char letter[2] = { (char)('a' + changed->option), '\0' }, said[64];
    struct text unit;

    text_str(out, "<tr><th scope=\"row\">");
    html_element(out, "span", "letter", letter);
    put_words(both, out, field->label);
    text_init(&unit, 64);
    shown_unit(&unit, &both->answer.study, changed->field);
    say_unit(both->answer.study.zh, unit.at ? unit.at : "", said, sizeof said);
    text_free(&unit);
    text_str(out, " ");
    html_element(out, "span", "unit", said);
    text_str(out, "</th><td>");
    put_input_value(changed, changed->then, changed->then_text, out);
    text_str(out, "</td><td>");
    put_input_value(changed, changed->now, changed->now_text, out);
    text_str(out, "</td><td>");
    put_words(both, out, cause_label[changed->cause]);
    text_str(out, "</td></tr>\n");
}

static void put_inputs(const struct then_now *both, struct text *out)
{
    int zh = both->answer.study.zh;

    if (!both->changed_count) {
        html_element(out, "p", NULL, say(zh, "No input has changed since."));
        return;
    }
    table_open(out, say(zh, "Inputs that have changed"));
    text_str(out, "<thead>\n<tr><td></td><th scope=\"col\">");
    put_words(both, out, "Then");
    text_str(out, "</th><th scope=\"col\">");
    put_words(both, out, "Now");
    text_str(out, "</th><th scope=\"col\">");
    put_words(both, out, "Cause");
    text_str(out, "</th></tr>\n</thead>\n<tbody>\n");
    for (int i = 0; i < both->changed_count; i++)
        put_changed(both, &both->changed[i], out);
    text_str(out, "</tbody>\n</table>\n</div>\n");
}

static void put_problems(const struct then_now *both, struct text *out)
{
    int zh = both->answer.study.zh;

    html_element(out, "p", NULL, say(zh, "This question has no answer with "
                                         "today's data:"));
    text_str(out, "\n<ul>\n");
    for (int i = 0; i < both->input.problems.count; i++) {
        struct text words;
        text_init(&words, PIECE_BYTE_MAX);
        problem_words(&both->input.problems.problem[i], zh, &words);
        text_str(out, "<li>");
        html_text_of(out, &words);
        text_str(out, "</li>\n");
        text_free(&words);
    }
    text_str(out, "</ul>\n");
}

static void put_sentence(const struct then_now *both, struct text *out)
{
    struct text piece;

    text_init(&piece, PIECE_BYTE_MAX);
    sentence(&both->answer, &piece);
    text_str(out, "<p><strong>");
    put_words(both, out, "Now");
    text_str(out, ":</strong> ");
    html_text_of(out, &piece);
    text_reset(&piece);
    answer_query(&both->answer, &piece);
    text_str(out, " <a href=\"/compare?");
    html_attr(out, piece.at ? piece.at : "");
    text_str(out, "\">");
    put_words(both, out, "The whole answer of today");
    text_str(out, "</a></p>\n");
    text_free(&piece);
}

void out_then_now_html(const struct then_now *both, const struct saved *saved,
                       struct text *out)
{
    text_str(out, "<section class=\"rest then\" id=\"then\">\n<h2>");
    put_words(both, out, "Then and now");
    text_str(out, "</h2>\n");
    if (!both->has_now) {
        put_problems(both, out);
    } else {
        put_sentence(both, out);
        for (int i = 0; i < both->option_count; i++)
            put_option_table(both, saved, i, out);
        html_element(out, "p", "hint", say(both->answer.study.zh,
            "From left to right: the saved figure, what a newer formula makes "
            "of the saved inputs, then today's prices at the saved exchange "
            "rate, today's rate, all other inputs of today, and the figure of "
            "today."));
        put_inputs(both, out);
    }
    text_str(out, "</section>\n");
}

/* --- JSON -------------------------------------------------------------------- */

static void json_quantity(const struct then_now *both, int i, int q,
                          struct text *out)
{
    json_name(out, quantity_table[q].name);
    text_char(out, '{');
    json_pair_number(out, "then", both->then[i][q]);
    for (int c = 0; c < CAUSE_COUNT; c++)
        json_pair_number(out, cause_name[c], both->effect[i][q][c]);
    json_pair_number(out, "now", both->now[i][q]);
    text_char(out, '}');
}

static void json_changed(const struct changed_input *changed, struct text *out)
{
    const struct field *field = &field_table[changed->field];
    char letter[2] = { (char)('a' + changed->option), '\0' };

    json_next(out);
    text_char(out, '{');
    json_pair_string(out, "option", letter);
    json_pair_string(out, "field", field->name);
    if (field->type == FIELD_NAME || field->type == FIELD_CHOICE) {
        json_pair_string(out, "then", changed->then_text);
        json_pair_string(out, "now", changed->now_text);
    } else {
        json_pair_number(out, "then", changed->then);
        json_pair_number(out, "now", changed->now);
    }
    json_pair_string(out, "cause", cause_name[changed->cause]);
    text_char(out, '}');
}

static void json_differences(const struct then_now *both, struct text *out)
{
    text_str(out, "{\"options\":{");
    for (int i = 0; i < both->option_count; i++) {
        char letter[2] = { (char)('a' + i), '\0' };
        json_name(out, letter);
        text_char(out, '{');
        for (int q = 0; q < QUANTITY_COUNT; q++)
            json_quantity(both, i, q, out);
        text_char(out, '}');
    }
    text_str(out, "},\"inputs\":[");
    for (int i = 0; i < both->changed_count; i++)
        json_changed(&both->changed[i], out);
    text_str(out, "]}");
}

/* A document without its last line end, as a member. */
static void put_document(struct text *out, const struct text *document)
{
    size_t byte = document->byte;

    while (byte && document->at[byte - 1] == '\n')
        byte--;
    text_put(out, document->at ? document->at : "", byte);
}

void out_then_now_json(const struct then_now *both, const struct saved *saved,
                       const char *base_url, struct text *out)
{
    struct text piece;

    text_init(&piece, 32 * 1024 * 1024);
    out_saved_json(saved, base_url, &piece);
    text_str(out, "{\"then\":");
    put_document(out, &piece);
    text_reset(&piece);
    if (both->has_now)
        out_json(&both->answer, &piece);
    else
        out_problem(400, "This question has no answer with today's data",
                    &both->input.problems, &piece);
    text_str(out, both->has_now ? ",\"now\":" : ",\"now\":null,\"problem\":");
    put_document(out, &piece);
    text_str(out, ",\"differences\":");
    if (both->has_now)
        json_differences(both, out);
    else
        text_str(out, "null");
    text_str(out, "}\n");
    out->failed |= piece.failed;
    text_free(&piece);
}

/* --- text -------------------------------------------------------------------- */

static void text_line(const struct then_now *both, int i, int q,
                      struct text *out)
{
    text_str(out, "  ");
    text_char(out, (char)('a' + i));
    text_str(out, ".");
    text_str(out, quantity_table[q].name);
    text_str(out, ": ");
    shown_number(out, both->then[i][q], 0);
    for (int c = 0; c < CAUSE_COUNT; c++) {
        text_str(out, ", ");
        text_str(out, cause_name[c]);
        text_char(out, ' ');
        put_difference(out, both->effect[i][q][c]);
    }
    text_str(out, ", now ");
    shown_number(out, both->now[i][q], 0);
    text_char(out, '\n');
}

void out_then_now_text(const struct then_now *both, const struct saved *saved,
                       struct text *out)
{
    char day[11];

    (void)saved;
    text_str(out, "\nThen and now\n");
    if (!both->has_now) {
        text_str(out, "  This question has no answer with today's data.\n");
        return;
    }
    day_print(day, both->answer.study.as_of_day);
    text_str(out, "  Now is ");
    text_str(out, day);
    text_str(out, ". ");
    sentence(&both->answer, out);
    text_char(out, '\n');
    for (int i = 0; i < both->option_count; i++)
        for (int q = 0; q < QUANTITY_COUNT; q++)
            text_line(both, i, q, out);
}
