/* out_power.c: the same figures for programs and for terminals. What is not
   known is left out for people and null for programs. */
#include "fcgi/out_power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/json.h"
#include "fcgi/power_words.h"
#include "fcgi/extras_text.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/wrap.h"
#include "fcgi/words.h"
#include "pricing/pricing.h"

/* What the sensors see; what no sum of them holds. */
static const char *scope_of(const struct power_log *log)
{
    return log->form == FORM_SLURM ? "node" : "gpu";
}

/* --- JSON ----------------------------------------------------------------- */

static void json_figures(const struct power_figures *of, struct text *out)
{
    for (int i = 0; i < power_figure_count; i++)
        json_pair_number(out, power_figure_table[i].name,
                         power_figure_of(of, i));
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
    json_pair_string(out, "power_scope_words", power_scope_words(log));
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
/* --- text ----------------------------------------------------------------- */

static void pad(struct text *out, const char *words, size_t width)
{
    const size_t used = wrap_width(words);

    text_str(out, words);
    wrap_blanks(out, used < width ? width - used : 0);
}

static void text_rows(const struct power_answer *answer, struct text *out)
{
    if (answer->row_count)
        text_title(answer->zh, "Measured and modelled", out);
    for (int i = 0; i < answer->row_count; i++) {
        const struct power_row *row = &answer->row[i];
        text_str(out, "  ");
        text_str(out, say(answer->zh, row->label));
        text_str(out, "\n    ");
        text_str(out, say(answer->zh, "measured "));
        power_put_amount(answer, row, row->measured, out);
        text_str(out, say(answer->zh, ", modelled "));
        power_put_amount(answer, row, row->modelled, out);
        text_char(out, '\n');
    }
    if (!*answer->query)
        return;
    text_title(answer->zh, "The study with these numbers", out);
    text_str(out, "  ");
    text_str(out, answer->base_url);
    text_str(out, "/compare?");
    text_str(out, answer->query);
    text_char(out, '\n');
    for (int i = 0; i < answer->key_count; i++) {
        text_str(out, "  ");
        text_str(out, answer->key[i].name);
        text_str(out, ": ");
        text_str(out, say(answer->zh, answer->key[i].why));
        text_char(out, '\n');
    }
}

static void text_devices(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;

    if (log->gpu_count < 2 || !power_has_energy(answer))
        return;
    text_title(answer->zh, "By device", out);
    for (int i = 0; i < log->gpu_count; i++) {
        const struct power_figures *f = &answer->device[i];
        text_str(out, "  ");
        text_str(out, log->gpu[i].id);
        if (answer->machine_count > 1) {
            text_str(out, say(answer->zh, ", machine "));
            shown_number(out, log->gpu[i].machine + 1, 0);
        }
        text_str(out, ": ");
        shown_digits(out, f->kwh, 5);
        text_str(out, say(answer->zh, " kWh, mean "));
        shown_digits(out, f->mean_watt, 4);
        text_str(out, say(answer->zh, " W, 95 % at most "));
        shown_digits(out, f->p95_watt, 4);
        text_str(out, say(answer->zh, " W, peak "));
        shown_digits(out, f->peak_watt, 4);
        text_str(out, say(answer->zh, " W, gaps "));
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
    text_title(answer->zh, "Gaps: longer than five median intervals, not counted", out);
    for (int i = 0; i < log->gpu_count; i++)
        for (int k = 0; k < log->gpu[i].measure.gap_listed; k++) {
            const struct power_gap *gap = &log->gpu[i].measure.gap[k];
            power_instant_print(words, gap->from_us);
            text_str(out, "  ");
            text_str(out, log->gpu[i].id);
            text_str(out, say(answer->zh, " from "));
            text_str(out, words);
            text_str(out, ": ");
            shown_digits(out, gap->second, 5);
            text_str(out, say(answer->zh, " s, before line "));
            shown_number(out, (double)gap->line, 0);
            text_char(out, '\n');
        }
}

static void text_notes(const struct power_log *log, int zh,
                       struct text *out)
{
    if (!log->problem_count)
        return;
    text_title(zh, "Things to know", out);
    for (int i = 0; i < log->problem_count; i++) {
        text_str(out, "  ");
        power_put_problem(&log->problem[i], log->part > 1, zh, out);
        text_char(out, '\n');
    }
    for (int i = 0; i < POWER_CODE_COUNT; i++)
        if (log->code_count[i] > 1) {
            text_str(out, "  ");
            shown_number(out, (double)log->code_count[i], 0);
            text_str(out, " \xC3\x97 ");
            text_str(out, say(zh, power_code_words((enum power_code)i)));
            text_char(out, '\n');
        }
}

void out_power_text(const struct power_answer *answer, struct text *out)
{
    const struct power_log *log = &answer->log;

    power_put_what(answer, out);
    text_str(out, "\n\n");
    for (int i = 0; i < power_figure_count; i++) {
        double value = power_figure_of(&answer->total, i);
        if (power_figure_is_dull(i, value))
            continue;
        text_str(out, "  ");
        pad(out, say(answer->zh, power_figure_table[i].label), 36);
        power_put_figure(&power_figure_table[i], value, out);
        text_char(out, '\n');
    }
    if (!isnan(answer->node_watt)) {
        text_str(out, "  ");
        pad(out, say(answer->zh, "Mean power of one node"), 36);
        shown_digits(out, answer->node_watt, 4);
        text_str(out, " W\n");
    }
    if (power_has_energy(answer)) {
        text_char(out, '\n');
        text_str(out, say(answer->zh, power_scope_words(log)));
        text_char(out, '\n');
    }
    text_devices(answer, out);
    text_gaps(answer, out);
    text_notes(log, answer->zh, out);
    text_rows(answer, out);
    if (answer->no_query) {
        text_char(out, '\n');
        text_str(out, say(answer->zh, "No study: "));
        text_str(out, say(answer->zh, answer->no_query));
        text_str(out, ".\n");
        for (int i = 0; i < answer->lacking.count; i++) {
            text_str(out, "  ");
            problem_words(&answer->lacking.problem[i], answer->zh, out);
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
        power_put_problem(&log->problem[i], log->part > 1, 0, out);
        text_str(out, " (");
        text_str(out, power_code_name(log->problem[i].code));
        text_str(out, ")\n");
    }
}
