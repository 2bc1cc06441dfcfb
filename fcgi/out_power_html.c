/* out_power_html.c: the page with a log's answer, its mistakes, or the form
   alone. Works without script. */
#include "fcgi/out_power_html.h"

#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/page.h"
#include "fcgi/power_words.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/words.h"

enum { GAP_SHOWN_MAX = 32 };

/* --- form ----------------------------------------------------------------- */

static void put_head(int zh, struct text *out)
{
    page_head(out, zh, say(zh, "Measured power"), "power", "/power-log",
              "/power-log?lang=zh");
    html_element(out, "h1", NULL, say(zh, "What the GPUs really drew"));
}

static void put_field(struct text *out, int zh, const char *name,
                      const char *label, const char *typed)
{
    text_str(out, "<div class=\"field\"><label");
    html_attribute(out, "for", name);
    text_char(out, '>');
    html_text(out, say(zh, label));
    text_str(out, "</label><input");
    html_attribute(out, "name", name);
    html_attribute(out, "id", name);
    if (typed)
        html_attribute(out, "value", typed);
    text_str(out, "></div>\n");
}

/* What ran, as far as the model knows kinds: it is set beside the log. */
static void put_load(struct text *out, int zh, const char *typed)
{
    const struct field *field = &field_table[F_load];
    size_t length;
    char word[48], said[96];

    text_str(out, "<div class=\"field\"><label for=\"load\">");
    html_text(out, say(zh, field->label));
    text_str(out, "</label><select name=\"load\" id=\"load\">");
    for (int i = 0; ; i++) {
        const char *at = choice_word(field->choices, i, &length);
        if (length == 0 || length >= sizeof word)
            break;
        memcpy(word, at, length);
        word[length] = '\0';
        if (strcmp(word, "custom") == 0)
            continue; /* the log says it */
        text_str(out, "<option");
        html_attribute(out, "value", word);
        text_str(out, typed && strcmp(typed, word) == 0 ? " selected>" : ">");
        say_word(zh, word, said, sizeof said);
        html_text(out, said);
        text_str(out, "</option>");
    }
    text_str(out, "</select></div>\n");
}

/* The log stands behind everything else: what it needs comes before it. */
static void put_form(const struct power_answer *answer, int zh,
                     struct text *out)
{
    const struct input *input = answer ? answer->input : NULL;

    text_str(out, "<form method=\"post\" enctype=\"multipart/form-data\" "
             "action=\"/power-log\">\n");
    put_field(out, zh, "interval_second", "Seconds between readings, when the "
              "lines carry no time",
              input ? input_typed(input, "interval_second") : NULL);
    put_field(out, zh, "gpu", "GPU model, when the log does not name it",
              input ? input_typed(input, "gpu") : NULL);
    put_load(out, zh, input ? input_typed(input, "load") : NULL);
    put_field(out, zh, "zone", "Country or state",
              input ? input_typed(input, "zone") : NULL);
    put_field(out, zh, "currency", "Currency",
              input ? input_typed(input, "currency") : NULL);
    if (zh)
        text_str(out, "<input type=\"hidden\" name=\"lang\" value=\"zh\">");
    text_str(out, "<div class=\"field\"><label for=\"file\">");
    html_text(out, say(zh, "The log as a file, up to 16 MiB"));
    text_str(out, "</label><input type=\"file\" name=\"file\" id=\"file\">"
             "</div>\n<div class=\"field\"><label for=\"log\">");
    html_text(out, say(zh, "or pasted here"));
    text_str(out, "</label><textarea name=\"log\" id=\"log\" rows=\"12\" "
             "cols=\"80\" spellcheck=\"false\"></textarea></div>\n");
    html_element(out, "button", NULL, say(zh, "Evaluate"));
    text_str(out, "</form>\n");
}

static void put_help(int zh, struct text *out)
{
    static const char *const commands[] = {
        "nvidia-smi --query-gpu=timestamp,index,name,power.draw,"
        "utilization.gpu --format=csv -l 1 > log.csv",
        "nvidia-smi dmon -s pu -o DT > log.txt",
        "dcgmi dmon -e 155,203 -d 1000 > log.txt",
        "curl -s http://localhost:9400/metrics >> log.txt",
        "sacct -P -j <job> -o JobID,ConsumedEnergyRaw,ElapsedRaw,AllocNodes,"
        "AllocTRES",
    };

    html_element(out, "h2", NULL, say(zh, "How to get a log"));
    html_element(out, "p", NULL, say(zh, "Any of these can be read, columns in "
        "any order; what nvidia-smi prints without options fills in model, "
        "count, power limit and driver. Gaps are reported and never filled."));
    text_str(out, "<ul>");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        text_str(out, "<li><code>");
        html_text(out, commands[i]);
        text_str(out, "</code></li>");
    }
    text_str(out, "</ul>\n");
}

static void put_method(int zh, struct text *out)
{
    static const char *const rules[] = {
        "Between two readings power is taken to change evenly "
          "(trapezoid); half of an interval belongs to either "
          "reading.",
        "An interval longer than five times the median one is a "
          "gap: it is reported and adds neither energy nor time.",
        "95 % is by time: the largest reading of the step in which "
          "95 % of the time is reached.",
        "A missing reading is left out, and so is a second one of "
          "the same instant; a part that the log repeats is counted "
          "once; where the clock goes back a new stretch begins.",
        "In use means any utilization above 0 %. The share of TDP "
          "handed to the study is that of GPUs in use.",
    };

    html_element(out, "h2", NULL, say(zh, "How it is worked out"));
    text_str(out, "<ul>");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        html_element(out, "li", NULL, say(zh, rules[i]));
    text_str(out, "</ul>\n");
}

static void put_mistakes(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    const struct problems *typed = &answer->input->problems;
    struct text words;

    text_init(&words, 4096);
    text_str(out, "<div class=\"problems\" role=\"alert\" id=\"answer\"><ul>");
    for (int i = 0; i < typed->count + log->problem_count; i++) {
        if (i < typed->count)
            problem_words(&typed->problem[i], answer->zh, &words);
        else if (power_code_is_mistake(log->problem[i - typed->count].code))
            power_put_problem(&log->problem[i - typed->count], log->part > 1,
                        answer->zh, &words);
        else
            continue;
        text_str(out, "<li>");
        html_text_of(out, &words);
        text_str(out, "</li>");
        text_reset(&words);
    }
    text_free(&words);
    text_str(out, "</ul></div>\n");
}

void out_power_form(const struct power_answer *answer, int zh,
                    struct text *out)
{
    put_head(zh, out);
    if (answer && (answer->input->problems.count || answer->log.mistake_count))
        put_mistakes(answer, out);
    put_form(answer, zh, out);
    put_help(zh, out);
    put_method(zh, out);
    page_foot(out, zh);
}

/* --- answer --------------------------------------------------------------- */

/* Up to the rows of the head or body; what lies beyond the edge can be
   reached by keyboard. */
static void table_open(struct text *out, const char *label)
{
    text_str(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    html_attribute(out, "aria-label", label);
    text_str(out, "><table>");
}

static void html_cell(struct text *out, const struct text *cell)
{
    text_str(out, "<td>");
    html_text_of(out, cell);
    text_str(out, "</td>");
}

static void html_figures(const struct power_answer *answer, struct text *out)
{
    int zh = answer->zh;
    struct text cell;

    text_init(&cell, 256);
    table_open(out, say(zh, "Measured power"));
    text_str(out, "<tbody>\n");
    for (int i = 0; i < power_figure_count; i++) {
        double value = power_figure_of(&answer->total, i);
        if (power_figure_is_dull(i, value))
            continue;
        text_str(out, "<tr><th scope=\"row\">");
        html_text(out, say(zh, power_figure_table[i].label));
        text_str(out, "</th>");
        text_reset(&cell);
        power_put_figure(&power_figure_table[i], value, &cell);
        html_cell(out, &cell);
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody></table></div>\n");
    text_free(&cell);
}

static void html_link(const struct power_answer *answer, struct text *out)
{
    int zh = answer->zh;

    if (!*answer->query)
        return;
    text_str(out, "<p><a class=\"button\" href=\"/compare?");
    html_attr(out, answer->query);
    text_str(out, zh ? "&amp;lang=zh\">" : "\">");
    html_text(out, say(zh, "The study with these numbers"));
    text_str(out, "</a></p>\n<ul>");
    for (int i = 0; i < answer->key_count; i++) {
        text_str(out, "<li><code>");
        html_text(out, answer->key[i].name);
        text_str(out, "</code>: ");
        html_text(out, say(zh, answer->key[i].why));
        text_str(out, "</li>");
    }
    text_str(out, "</ul>\n");
}

static void html_rows(const struct power_answer *answer, struct text *out)
{
    int zh = answer->zh;
    struct text cell;

    if (!answer->row_count)
        return;
    html_element(out, "h2", NULL, say(zh, "Measured and modelled"));
    table_open(out, say(zh, "Measured and modelled"));
    text_str(out, "<thead><tr><td></td>");
    html_element(out, "th", NULL, say(zh, "Measured"));
    html_element(out, "th", NULL, say(zh, "Modelled"));
    text_str(out, "</tr></thead><tbody>\n");
    text_init(&cell, 256);
    for (int i = 0; i < answer->row_count; i++) {
        const struct power_row *row = &answer->row[i];
        text_str(out, "<tr><th scope=\"row\">");
        html_text(out, say(zh, row->label));
        text_str(out, "</th>");
        for (int k = 0; k < 2; k++) {
            text_reset(&cell);
            power_put_amount(answer, row, k ? row->modelled : row->measured,
                         &cell);
            html_cell(out, &cell);
        }
        text_str(out, "</tr>\n");
    }
    text_free(&cell);
    text_str(out, "</tbody></table></div>\n");
}

static void html_devices(const struct power_answer *answer, struct text *out)
{
    static const int shown[] = { 0, 1, 2, 4, 7, 8, 14 };
    const struct power_log *log = &answer->log;
    int zh = answer->zh;
    struct text cell;

    if (log->gpu_count < 2 || !power_has_energy(answer))
        return;
    html_element(out, "h2", NULL, say(zh, "By device"));
    table_open(out, say(zh, "By device"));
    text_str(out, "<thead><tr><td></td>");
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        html_element(out, "th", NULL,
                     say(zh, power_figure_table[shown[k]].label));
    text_str(out, "</tr></thead><tbody>\n");
    text_init(&cell, 256);
    for (int i = 0; i < log->gpu_count; i++) {
        text_str(out, "<tr><th scope=\"row\">");
        html_text(out, log->gpu[i].id);
        text_str(out, "</th>");
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
            text_reset(&cell);
            power_put_figure(&power_figure_table[shown[k]],
                      power_figure_of(&answer->device[i], shown[k]), &cell);
            html_cell(out, &cell);
        }
        text_str(out, "</tr>\n");
    }
    text_free(&cell);
    text_str(out, "</tbody></table></div>\n");
}

static void html_gaps(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    int zh = answer->zh, left = GAP_SHOWN_MAX;
    char words[24], line[96];

    if (!(answer->total.gap_count > 0))
        return;
    html_element(out, "h2", NULL, say(zh, "Gaps: longer than five median "
                                      "intervals, not counted"));
    text_str(out, "<ul>");
    for (int i = 0; i < log->gpu_count; i++)
        for (int k = 0; k < log->gpu[i].measure.gap_listed && left > 0; k++) {
            const struct power_gap *gap = &log->gpu[i].measure.gap[k];
            left--;
            power_instant_print(words, gap->from_us);
            text_str(out, "<li>");
            html_text(out, log->gpu[i].id);
            snprintf(line, sizeof line, ": %s, ", words);
            text_str(out, line);
            shown_digits(out, gap->second, 5);
            snprintf(line, sizeof line, " s, %s %ld</li>", say(zh, "line"),
                     gap->line);
            text_str(out, line);
        }
    text_str(out, "</ul>\n");
}

static void html_notes(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    struct text words;

    if (!log->problem_count)
        return;
    html_element(out, "h2", NULL, say(answer->zh, "Things to know"));
    text_init(&words, 512);
    text_str(out, "<ul>");
    for (int i = 0; i < log->problem_count; i++) {
        text_reset(&words);
        power_put_problem(&log->problem[i], log->part > 1, answer->zh, &words);
        text_str(out, "<li>");
        html_text_of(out, &words);
        text_str(out, "</li>");
    }
    text_str(out, "</ul>\n");
    text_free(&words);
}

static void html_lacks(const struct power_answer *answer, struct text *out)
{
    struct text words;

    if (!answer->lacking.count)
        return;
    text_init(&words, 1024);
    text_str(out, "<ul>");
    for (int i = 0; i < answer->lacking.count; i++) {
        text_reset(&words);
        problem_words(&answer->lacking.problem[i], answer->zh, &words);
        text_str(out, "<li>");
        html_text_of(out, &words);
        text_str(out, "</li>");
    }
    text_str(out, "</ul>\n");
    text_free(&words);
}

void out_power_html(const struct power_answer *answer, struct text *out)
{
    int zh = answer->zh;
    struct text words;

    put_head(zh, out);
    text_init(&words, 512);
    text_str(out, "<section id=\"answer\"><p>");
    power_put_what(answer, &words);
    html_text_of(out, &words);
    text_free(&words);
    text_str(out, "</p>\n");
    html_figures(answer, out);
    if (power_has_energy(answer))
        html_element(out, "p", NULL, say(zh, power_scope_words(&answer->log)));
    html_rows(answer, out);
    html_link(answer, out);
    if (answer->no_query) {
        text_str(out, "<p>");
        html_text(out, say(zh, "No study: "));
        html_text(out, say(zh, answer->no_query));
        text_str(out, "</p>\n");
        html_lacks(answer, out);
    }
    text_str(out, "</section>\n");
    html_devices(answer, out);
    html_gaps(answer, out);
    html_notes(answer, out);
    put_form(answer, zh, out);
    put_method(zh, out);
    page_foot(out, zh);
}
