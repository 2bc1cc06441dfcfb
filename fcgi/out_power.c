/* out_power.c: the same figures in three shapes. What is not known is left
   out for people and null for programs. */
#include "fcgi/out_power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/page.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/words.h"
#include "pricing/num.h"

static const struct figure {
    const char *name, *unit, *label;
    int digits;
    size_t at;                   /* in struct power_figures */
} figures[] = {
#define FIGURE(name, unit, digits, label) \
    { #name, unit, label, digits, offsetof(struct power_figures, name) },
#include "fcgi/power_figures.def"
};

enum { FIGURE_COUNT = sizeof figures / sizeof *figures, DEVICE_SHOWN_MAX = 16 };

static double value_of(const struct power_figures *of, int figure)
{
    double value;

    memcpy(&value, (const char *)of + figures[figure].at, sizeof value);
    return value;
}

/* What the sensors see; what no sum of them holds. */
static const char *scope_of(const struct power_log *log)
{
    return log->form == FORM_SLURM ? "node" : "gpu";
}

static const char *scope_words(const struct power_log *log)
{
    return log->form == FORM_SLURM
        ? "Slurm's energy is that of whole nodes: GPUs, host and fans, without "
          "cooling of the building."
        : "The sensors see the GPU boards only: host, fans, power supplies "
          "and cooling come on top and are the study's. On A100 and H100 they "
          "see about a quarter of the run (arXiv 2312.02741).";
}

/* Devices worth a line: those with readings, or all of a plain table. */
static int has_energy(const struct power_answer *answer)
{
    return answer->total.kwh >= 0;
}

/* --- JSON ----------------------------------------------------------------- */

static void json_figures(const struct power_figures *of, struct text *out)
{
    for (int i = 0; i < FIGURE_COUNT; i++)
        json_pair_number(out, figures[i].name, value_of(of, i));
}

static void json_text_or_null(struct text *out, const char *name,
                              const char *text)
{
    json_name(out, name);
    if (text && *text)
        json_string(out, text);
    else
        text_str(out, "null");
}

static void json_instant(struct text *out, const char *name, int64_t us)
{
    char words[24];

    power_instant_print(words, us);
    json_pair_string(out, name, words);
}

static void json_device(const struct power_answer *answer, int i,
                        struct text *out)
{
    const struct power_gpu *gpu = &answer->log.gpu[i];
    const struct power_measure *m = &gpu->measure;

    json_next(out);
    text_char(out, '{');
    json_pair_string(out, "id", gpu->id);
    json_text_or_null(out, "name", gpu->name);
    json_text_or_null(out, "gpu",
                      answer->model[i] ? answer->model[i]->id : "");
    json_text_or_null(out, "driver", gpu->driver);
    json_pair_number(out, "machine", gpu->machine);
    json_figures(&answer->device[i], out);
    if (m->sample_count) {
        json_instant(out, "start", m->first_us);
        json_instant(out, "end", m->latest_us);
    }
    json_name(out, "gaps");
    text_char(out, '[');
    for (int k = 0; k < m->gap_listed; k++) {
        json_next(out);
        text_char(out, '{');
        json_pair_number(out, "line", (double)m->gap[k].line);
        json_instant(out, "start", m->gap[k].from_us);
        json_pair_number(out, "gap_second", m->gap[k].second);
        text_char(out, '}');
    }
    text_str(out, "]}");
}

static void json_note(const struct power_problem *p, struct text *out)
{
    json_next(out);
    text_char(out, '{');
    json_pair_string(out, "field", p->field);
    json_pair_string(out, "code", power_code_name(p->code));
    json_pair_string(out, "message", power_code_words(p->code));
    if (*p->limit)
        json_pair_string(out, "limit", p->limit);
    json_pair_number(out, "file", p->part);
    json_pair_number(out, "line", (double)p->line);
    text_char(out, '}');
}

static void json_notes(const struct power_log *log, struct text *out)
{
    json_name(out, "notes");
    text_char(out, '[');
    for (int i = 0; i < log->problem_count; i++)
        json_note(&log->problem[i], out);
    text_char(out, ']');
    json_name(out, "note_counts");
    text_char(out, '{');
    for (int i = 0; i < POWER_CODE_COUNT; i++)
        if (log->code_count[i])
            json_pair_number(out, power_code_name((enum power_code)i),
                             (double)log->code_count[i]);
    text_char(out, '}');
}

/* Elements of an array. */
static void json_typed(const struct problems *problems, struct text *out)
{
    for (int i = 0; i < problems->count; i++) {
        const struct problem *p = &problems->problem[i];
        struct text words;
        text_init(&words, 1024);
        problem_words(p, 0, &words);
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "field", p->field);
        json_pair_string(out, "code", p->code);
        json_pair_string(out, "message", words.at ? words.at : "");
        if (*p->limit)
            json_pair_string(out, "limit", p->limit);
        if (*p->hint)
            json_pair_string(out, "hint", p->hint);
        text_char(out, '}');
        text_free(&words);
    }
}

static void json_problems(const char *name, const struct problems *problems,
                          struct text *out)
{
    json_name(out, name);
    text_char(out, '[');
    json_typed(problems, out);
    text_char(out, ']');
}

static void json_keys(const struct power_answer *answer, struct text *out)
{
    json_name(out, "keys");
    text_char(out, '{');
    if (*answer->declared)
        json_pair_string(out, "a", answer->declared);
    for (int i = 0; i < answer->key_count; i++)
        json_pair_number(out, answer->key[i].name, answer->key[i].value);
    text_char(out, '}');
    json_name(out, "key_origins");
    text_char(out, '{');
    for (int i = 0; i < answer->key_count; i++)
        json_pair_string(out, answer->key[i].name, answer->key[i].why);
    text_char(out, '}');
    json_name(out, "compare");
    if (*answer->query) {
        text_char(out, '"');
        text_str(out, answer->base_url);
        text_str(out, "/compare?");
        text_str(out, answer->query); /* percent-encoded: nothing to escape */
        text_char(out, '"');
    } else {
        text_str(out, "null");
    }
    json_text_or_null(out, "compare_reason", answer->no_query);
    json_problems("compare_lacks", &answer->lacking, out);
}

static void json_rows(const struct power_answer *answer, struct text *out)
{
    json_name(out, "measured_and_modelled");
    text_char(out, '[');
    for (int i = 0; i < answer->row_count; i++) {
        const struct power_row *row = &answer->row[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "name", row->name);
        json_pair_string(out, "label", row->label);
        json_pair_string(out, "unit",
                         row->is_money ? answer->currency : row->unit);
        json_pair_number(out, "measured", row->measured);
        json_pair_number(out, "modelled", row->modelled);
        text_char(out, '}');
    }
    text_char(out, ']');
}

void out_power_json(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;

    text_char(out, '{');
    json_pair_string(out, "model_version", MODEL_VERSION);
    json_pair_string(out, "form", power_form_name[log->form]);
    json_pair_string(out, "scope", scope_of(log));
    json_pair_string(out, "scope_words", scope_words(log));
    json_pair_number(out, "gpu_count", log->gpu_count);
    json_pair_number(out, "machine_count", answer->machine_count);
    json_text_or_null(out, "gpu", answer->gpu ? answer->gpu->id : "");
    json_text_or_null(out, "driver", answer->driver);
    json_text_or_null(out, "cuda", answer->cuda);
    json_name(out, "total");
    text_char(out, '{');
    json_figures(&answer->total, out);
    text_char(out, '}');
    if (log->form == FORM_SLURM) {
        json_pair_number(out, "job_count", (double)log->jobs.job_count);
        json_pair_number(out, "node_watt", answer->node_watt);
        json_pair_number(out, "node_watt_per_gpu", answer->watt_per_gpu);
    }
    json_name(out, "devices");
    text_char(out, '[');
    for (int i = 0; i < log->gpu_count; i++)
        json_device(answer, i, out);
    text_char(out, ']');
    json_notes(log, out);
    json_keys(answer, out);
    json_rows(answer, out);
    text_str(out, "}\n");
}

void out_power_problem(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    const struct problems *typed = &answer->input->problems;

    text_str(out, "{\"type\":\"about:blank\",\"title\":\"The log has "
             "mistakes\",\"status\":400,\"errors\":[");
    json_typed(typed, out);
    for (int i = 0; i < log->problem_count; i++)
        if (power_code_is_mistake(log->problem[i].code))
            json_note(&log->problem[i], out);
    text_char(out, ']');
    json_pair_number(out, "mistakes", log->mistake_count + typed->count);
    text_str(out, "}\n");
}

/* --- in words ------------------------------------------------------------- */

static void put_value(const struct figure *figure, double value,
                      struct text *out)
{
    int share = *figure->unit == '%';

    shown_digits(out, share ? value * 100 : value, figure->digits);
    if (*figure->unit && !isnan(value)) {
        text_char(out, ' ');
        text_str(out, figure->unit);
    }
}

/* Nothing to tell: not known, or none of something that may be absent. */
static int is_dull(int figure, double value)
{
    return isnan(value) || (value == 0 &&
           (strcmp(figures[figure].name, "missing_count") == 0 ||
            strcmp(figures[figure].name, "again_count") == 0));
}

/* Notes about a device name it where others name a column. */
static int names_device(enum power_code code)
{
    return code == POWER_MISSING_READING || code == POWER_SAME_INSTANT ||
           code == POWER_CLOCK_BACK || code == POWER_COPY ||
           code == POWER_MANY_GAPS;
}

static void put_problem(const struct power_problem *p, int files, int zh,
                        struct text *out)
{
    char line[64];

    if (files && p->line) {
        snprintf(line, sizeof line, "%s %d, ", say(zh, "file"), p->part);
        text_str(out, line);
    }
    if (p->line) {
        snprintf(line, sizeof line, "%s %ld: ", say(zh, "line"), p->line);
        text_str(out, line);
    }
    text_str(out, say(zh, power_code_words(p->code)));
    if (*p->field || *p->limit) {
        text_str(out, names_device(p->code) ? " (GPU " : " (");
        text_str(out, p->field);
        text_str(out, *p->field && *p->limit ? ": " : "");
        text_str(out, p->limit);
        text_char(out, ')');
    }
}

/* "8 × H100 SXM5 80GB, driver 550.54.14". */
static void put_what(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    int zh = answer->zh;

    if (log->form == FORM_SLURM) {
        shown_number(out, (double)log->jobs.job_count, 0);
        text_str(out, say(zh, log->jobs.job_count == 1 ? " job" : " jobs"));
        return;
    }
    shown_number(out, log->gpu_count, 0);
    text_str(out, " \xC3\x97 ");
    text_str(out, answer->gpu ? answer->gpu->name
                  : log->gpu[0].name[0] ? log->gpu[0].name
                  : say(zh, "GPU that is not named"));
    if (*answer->driver) {
        text_str(out, say(zh, ", driver "));
        text_str(out, answer->driver);
        text_str(out, answer->cuda ? " (CUDA " : "");
        text_str(out, answer->cuda ? answer->cuda : "");
        text_str(out, answer->cuda ? ")" : "");
    }
}

static void pad(struct text *out, const char *words, int width)
{
    size_t byte = strlen(words);

    text_str(out, words);
    for (size_t i = byte; i < (size_t)width; i++)
        text_char(out, ' ');
}

static void put_money_or(const struct power_answer *answer,
                         const struct power_row *row, double value,
                         struct text *out)
{
    if (row->is_money) {
        shown_money(out, answer->currency, value);
        return;
    }
    shown_digits(out, value, 4);
    if (!isnan(value)) {
        text_char(out, ' ');
        text_str(out, say(answer->zh, row->unit));
    }
}

static void text_rows(const struct power_answer *answer, struct text *out)
{
    if (answer->row_count)
        text_str(out, "\nMeasured and modelled\n");
    for (int i = 0; i < answer->row_count; i++) {
        const struct power_row *row = &answer->row[i];
        text_str(out, "  ");
        text_str(out, row->label);
        text_str(out, "\n    measured ");
        put_money_or(answer, row, row->measured, out);
        text_str(out, ", modelled ");
        put_money_or(answer, row, row->modelled, out);
        text_char(out, '\n');
    }
    if (!*answer->query)
        return;
    text_str(out, "\nThe study with these numbers\n  ");
    text_str(out, answer->base_url);
    text_str(out, "/compare?");
    text_str(out, answer->query);
    text_char(out, '\n');
    for (int i = 0; i < answer->key_count; i++) {
        text_str(out, "  ");
        text_str(out, answer->key[i].name);
        text_str(out, ": ");
        text_str(out, answer->key[i].why);
        text_char(out, '\n');
    }
}

static void text_devices(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;

    if (log->gpu_count < 2 || !has_energy(answer))
        return;
    text_str(out, "\nBy device\n");
    for (int i = 0; i < log->gpu_count; i++) {
        const struct power_figures *f = &answer->device[i];
        text_str(out, "  ");
        text_str(out, log->gpu[i].id);
        if (answer->machine_count > 1) {
            text_str(out, ", machine ");
            shown_number(out, log->gpu[i].machine + 1, 0);
        }
        text_str(out, ": ");
        shown_digits(out, f->kwh, 5);
        text_str(out, " kWh, mean ");
        shown_digits(out, f->mean_watt, 4);
        text_str(out, " W, 95 % at most ");
        shown_digits(out, f->p95_watt, 4);
        text_str(out, " W, peak ");
        shown_digits(out, f->peak_watt, 4);
        text_str(out, " W, gaps ");
        shown_number(out, f->gap_count, 0);
        text_char(out, '\n');
    }
}

static void text_gaps(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    char words[24];

    if (!(answer->total.gap_count > 0))
        return;
    text_str(out, "\nGaps: longer than five median intervals, not counted\n");
    for (int i = 0; i < log->gpu_count; i++)
        for (int k = 0; k < log->gpu[i].measure.gap_listed; k++) {
            const struct power_gap *gap = &log->gpu[i].measure.gap[k];
            power_instant_print(words, gap->from_us);
            text_str(out, "  ");
            text_str(out, log->gpu[i].id);
            text_str(out, " from ");
            text_str(out, words);
            text_str(out, ": ");
            shown_digits(out, gap->second, 5);
            text_str(out, " s, before line ");
            shown_number(out, (double)gap->line, 0);
            text_char(out, '\n');
        }
}

static void text_notes(const struct power_log *log, struct text *out)
{
    if (!log->problem_count)
        return;
    text_str(out, "\nThings to know\n");
    for (int i = 0; i < log->problem_count; i++) {
        text_str(out, "  ");
        put_problem(&log->problem[i], log->part > 1, 0, out);
        text_char(out, '\n');
    }
    for (int i = 0; i < POWER_CODE_COUNT; i++)
        if (log->code_count[i] > 1) {
            text_str(out, "  ");
            shown_number(out, (double)log->code_count[i], 0);
            text_str(out, " \xC3\x97 ");
            text_str(out, power_code_words((enum power_code)i));
            text_char(out, '\n');
        }
}

void out_power_text(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;

    put_what(answer, out);
    text_str(out, "\n\n");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        double value = value_of(&answer->total, i);
        if (is_dull(i, value))
            continue;
        text_str(out, "  ");
        pad(out, figures[i].label, 36);
        put_value(&figures[i], value, out);
        text_char(out, '\n');
    }
    if (!isnan(answer->node_watt)) {
        text_str(out, "  Mean power of one node              ");
        shown_digits(out, answer->node_watt, 4);
        text_str(out, " W\n");
    }
    if (has_energy(answer)) {
        text_char(out, '\n');
        text_str(out, scope_words(log));
        text_char(out, '\n');
    }
    text_devices(answer, out);
    text_gaps(answer, out);
    text_notes(log, out);
    text_rows(answer, out);
    if (answer->no_query) {
        text_str(out, "\nNo study: ");
        text_str(out, answer->no_query);
        text_str(out, ".\n");
        for (int i = 0; i < answer->lacking.count; i++) {
            text_str(out, "  ");
            problem_words(&answer->lacking.problem[i], 0, out);
            text_char(out, '\n');
        }
    }
}

void out_power_complaint(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;
    const struct problems *typed = &answer->input->problems;

    for (int i = 0; i < typed->count; i++) {
        text_str(out, "gputco: ");
        text_str(out, typed->problem[i].field);
        text_str(out, ": ");
        problem_words(&typed->problem[i], 0, out);
        text_str(out, " (");
        text_str(out, typed->problem[i].code);
        text_str(out, ")\n");
    }
    for (int i = 0; i < log->problem_count; i++) {
        if (!power_code_is_mistake(log->problem[i].code))
            continue;
        text_str(out, "gputco: ");
        put_problem(&log->problem[i], log->part > 1, 0, out);
        text_str(out, " (");
        text_str(out, power_code_name(log->problem[i].code));
        text_str(out, ")\n");
    }
}

/* --- page ----------------------------------------------------------------- */

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
            put_problem(&log->problem[i - typed->count], log->part > 1,
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
    for (int i = 0; i < FIGURE_COUNT; i++) {
        double value = value_of(&answer->total, i);
        if (is_dull(i, value))
            continue;
        text_str(out, "<tr><th scope=\"row\">");
        html_text(out, say(zh, figures[i].label));
        text_str(out, "</th>");
        text_reset(&cell);
        put_value(&figures[i], value, &cell);
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
            put_money_or(answer, row, k ? row->modelled : row->measured,
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

    if (log->gpu_count < 2 || !has_energy(answer))
        return;
    html_element(out, "h2", NULL, say(zh, "By device"));
    table_open(out, say(zh, "By device"));
    text_str(out, "<thead><tr><td></td>");
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
        html_element(out, "th", NULL, say(zh, figures[shown[k]].label));
    text_str(out, "</tr></thead><tbody>\n");
    text_init(&cell, 256);
    for (int i = 0; i < log->gpu_count; i++) {
        text_str(out, "<tr><th scope=\"row\">");
        html_text(out, log->gpu[i].id);
        text_str(out, "</th>");
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
            text_reset(&cell);
            put_value(&figures[shown[k]],
                      value_of(&answer->device[i], shown[k]), &cell);
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
    int zh = answer->zh, left = DEVICE_SHOWN_MAX * 2;
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
        put_problem(&log->problem[i], log->part > 1, answer->zh, &words);
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
    put_what(answer, &words);
    html_text_of(out, &words);
    text_free(&words);
    text_str(out, "</p>\n");
    html_figures(answer, out);
    if (has_energy(answer))
        html_element(out, "p", NULL, say(zh, scope_words(&answer->log)));
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
