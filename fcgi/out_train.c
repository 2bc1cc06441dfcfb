/* out_train.c: a run's answer as JSON, text and page. */
#include "fcgi/out_train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/extras_text.h"
#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/out_json.h"
#include "fcgi/page.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/wrap.h"
#include "fcgi/words.h"
#include "pricing/num.h"

static const char *const method_name[] = { "full", "lora", "qlora" };
static const char *const recompute_name[] = { "none", "selective", "full" };

/* --- JSON -------------------------------------------------------------------- */

static void put_memory(const struct run_option *o, struct text *out)
{
    json_name(out, "memory_gib");
    text_char(out, '{');
    json_pair_number(out, "states", o->memory.state_gib);
    json_pair_number(out, "activations", o->memory.activation_gib);
    json_pair_number(out, "logits", o->memory.logit_gib);
    json_pair_number(out, "context", o->memory.context_gib);
    json_pair_number(out, "fragmentation", o->memory.fragmentation_gib);
    text_char(out, '}');
}

static void put_training(const struct train_answer *answer,
                         const struct run_option *o, struct text *out)
{
    json_pair_number(out, "flop", o->flop);
    json_pair_number(out, "hardware_flop", o->hardware_flop);
    json_pair_number(out, "mfu_frac", o->mfu_frac);
    json_pair_string(out, "mfu_origin", o->mfu_typed ? "user" : "derived");
    json_pair_number(out, "goodput_frac", o->goodput_frac);
    json_pair_string(out, "goodput_origin",
                     isnan(answer->spec.goodput_frac) ? "preset" : "user");
    json_pair_number(out, "gpu_hour", o->gpu_hour);
    json_pair_number(out, "gpu_hour_low", o->gpu_hour_low);
    json_pair_number(out, "gpu_hour_high", o->gpu_hour_high);
    json_pair_number(out, "wall_hour", o->wall_hour);
    json_pair_number(out, "rework_frac", o->rework_frac);
    json_pair_number(out, "run_gpu_count", o->run_gpu_count);
    json_pair_number(out, "memory_gib_per_gpu", o->memory.total_gib);
    json_pair_string(out, "fits", train_fits_name[o->fits]);
    put_memory(o, out);
    json_pair_string(out, "recompute", recompute_name[o->train.recompute]);
    json_pair_string(out, "recompute_origin",
                     answer->spec.recompute_given ? "user" : "derived");
    json_pair_number(out, "shard_stage", o->train.shard_stage);
    json_pair_string(out, "shard_stage_origin",
                     answer->spec.stage_given ? "user" : "derived");
    json_name(out, "change");
    if (*o->advice.change)
        json_string(out, o->advice.change);
    else
        text_str(out, "null");
    json_pair_number(out, "smallest_gpu_count",
                     o->advice.gpu_count > 0 ? o->advice.gpu_count
                                             : (double)NAN);
    json_pair_number(out, "deadline_gpu_count", o->deadline_gpu_count);
}

static void put_inference(const struct run_option *o, struct text *out)
{
    const struct inference *i = &o->inference;

    json_pair_number(out, "run_gpu_count", o->run_gpu_count);
    json_pair_number(out, "tokens_per_s", i->tokens_per_s);
    json_pair_number(out, "bandwidth_tokens_per_s",
                     i->bandwidth_tokens_per_s);
    json_pair_number(out, "compute_tokens_per_s", i->compute_tokens_per_s);
    json_pair_number(out, "weight_gib", i->weight_gib);
    json_pair_number(out, "kv_gib", i->kv_gib);
    json_pair_number(out, "memory_gib_per_gpu", i->total_gib_per_gpu);
    json_pair_string(out, "fits", train_fits_name[o->fits]);
    json_pair_number(out, "largest_batch", i->largest_batch);
}

static void put_everywhere(const struct train_answer *answer,
                           struct text *out)
{
    json_name(out, "everywhere");
    text_char(out, '[');
    for (int i = 0; i < answer->everywhere.count; i++) {
        const struct everywhere_row *row = &answer->everywhere.row[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "kind", row->kind == KIND_OWN ? "own" : "rent");
        json_pair_string(out, "label", row->label);
        json_pair_string(out, "gpu", row->gpu->id);
        json_name(out, "provider");
        if (row->price)
            json_string(out, row->price->provider);
        else
            text_str(out, "null");
        json_pair_number(out, "run_gpu_count", row->run.run_gpu_count);
        json_pair_number(out, "gpu_hour", row->run.gpu_hour);
        json_pair_number(out, "wall_hour", row->run.wall_hour);
        json_pair_number(out, "cost_full", row->run.cost_full);
        json_pair_number(out, "cost_marginal", row->run.cost_marginal);
        json_pair_number(out, "kwh", row->run.kwh);
        json_pair_number(out, "kg", row->run.kg);
        json_pair_number(out, "memory_gib_per_gpu", row->run.memory.total_gib);
        json_pair_string(out, "fits", train_fits_name[row->run.fits]);
        json_pair_bool(out, "cheapest", row->cheapest);
        json_pair_bool(out, "fastest", row->fastest);
        json_pair_bool(out, "greenest", row->greenest);
        if (row->old)
            json_pair_bool(out, "old", 1);
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void put_run_root(const void *of, struct text *out)
{
    const struct train_answer *answer = of;
    const struct train_run *train = &answer->spec.train;

    json_name(out, "run");
    text_char(out, '{');
    json_pair_string(out, "phase", answer->spec.inference ? "inference"
                                                          : "training");
    json_name(out, "model");
    if (answer->model)
        json_string(out, answer->model->name);
    else
        text_str(out, "null");
    json_pair_number(out, "param_count", train->shape.param_count);
    json_pair_number(out, "active_param_count",
                     train->shape.active_param_count);
    json_pair_number(out, "token_count", train->token_count);
    json_pair_string(out, "method", method_name[train->method]);
    json_pair_number(out, "project_factor", answer->spec.project_factor);
    if (answer->spec.inference)
        put_inference(&answer->option[0], out);
    else
        put_training(answer, &answer->option[0], out);
    json_pair_string(out, "energy_scope", "facility");
    text_char(out, '}');
    put_everywhere(answer, out);
}

static void put_run_option(const void *of, int i, struct text *out)
{
    const struct train_answer *answer = of;
    const struct run_option *o = &answer->option[i];

    if (answer->spec.inference) {
        json_pair_number(out, "cost_per_million_tokens",
                         o->inference_cost_per_million_tokens);
        json_pair_number(out, "api_price_per_million_token",
                         answer->spec.api_price_per_million_token);
    } else {
        json_pair_number(out, "cost_full", o->cost_full);
        json_pair_number(out, "cost_marginal", o->cost_marginal);
        json_pair_number(out, "kwh", o->kwh);
        json_pair_string(out, "energy_scope", "facility");
        json_pair_number(out, "gpu_kwh", o->gpu_kwh);
        json_pair_number(out, "node_kwh", o->node_kwh);
        json_pair_number(out, "kg", o->kg);
        json_pair_number(out, "cost_per_million_tokens",
                         o->cost_per_million_tokens);
        json_pair_number(out, "cost_per_pflop_day", o->cost_per_pflop_day);
    }
    json_name(out, "run");
    text_char(out, '{');
    if (answer->spec.inference)
        put_inference(o, out);
    else
        put_training(answer, o, out);
    text_char(out, '}');
}

static void put_run_query(const void *of, struct text *out)
{
    train_query(of, out);
}

void out_train_json(const struct train_answer *answer, struct text *out)
{
    const struct json_more more = { answer, "/train", put_run_query,
                                    put_run_root, put_run_option };

    out_json_more(&answer->study, &more, out);
}

/* --- rows for people ------------------------------------------------------------ */

/* One figure of the run, a column an option. */
struct row { const char *label; void (*put)(const struct train_answer *answer,
                                           int i, struct text *out); };

static const struct run_option *at(const struct train_answer *a, int i)
{
    return &a->option[i];
}

static void put_unit(struct text *out, double value, int digits,
                     const char *unit)
{
    shown_digits(out, value, digits);
    if (!isnan(value) && *unit) {
        text_char(out, ' ');
        text_str(out, unit);
    }
}

static void put_money(const struct train_answer *answer, double value,
                      struct text *out)
{
    if (isnan(value))
        text_str(out, "\xE2\x80\x93");
    else
        shown_price(out, answer->study.study.currency, value);
}

static void put_device(const struct train_answer *a, int i, struct text *out)
{
    shown_number(out, at(a, i)->run_gpu_count, 0);
    text_str(out, " \xC3\x97 ");
    text_str(out, at(a, i)->gpu ? at(a, i)->gpu->name : "?");
}

static void put_hours(const struct train_answer *a, int i, struct text *out)
{
    put_unit(out, at(a, i)->gpu_hour, 4, "");
}

static void put_range(const struct train_answer *a, int i, struct text *out)
{
    shown_digits(out, at(a, i)->gpu_hour_low, 3);
    text_str(out, " \xE2\x80\x93 ");
    shown_digits(out, at(a, i)->gpu_hour_high, 3);
}

static void put_wall(const struct train_answer *a, int i, struct text *out)
{
    double hours = at(a, i)->wall_hour;

    if (hours > 72)
        put_unit(out, hours / 24, 3, say(a->study.study.zh, "days"));
    else
        put_unit(out, hours, 3, "h");
}

static void put_mfu(const struct train_answer *a, int i, struct text *out)
{
    shown_percent(out, at(a, i)->mfu_frac);
    text_str(out, say(a->study.study.zh, at(a, i)->mfu_typed
                                         ? " (typed)" : " (predicted)"));
}

static void put_fits(const struct train_answer *a, int i, struct text *out)
{
    static const char *const words[] = { "fits", "fits tightly",
                                         "does not fit", "not known" };

    if (at(a, i)->fits == FITS_UNKNOWN) {
        text_str(out, say(a->study.study.zh, words[FITS_UNKNOWN]));
        return;
    }
    put_unit(out, at(a, i)->memory.total_gib, 3, "GiB, ");
    text_str(out, say(a->study.study.zh, words[at(a, i)->fits]));
}

static void put_settled(const struct train_answer *a, int i, struct text *out)
{
    if (at(a, i)->fits == FITS_UNKNOWN) {
        text_str(out, "\xE2\x80\x93");
        return;
    }
    text_str(out, recompute_name[at(a, i)->train.recompute]);
    text_str(out, ", stage ");
    text_char(out, (char)('0' + at(a, i)->train.shard_stage));
}

static void put_change(const struct train_answer *a, int i, struct text *out)
{
    const struct run_option *o = at(a, i);

    if (o->fits != FITS_NOT) {
        text_str(out, "\xE2\x80\x93");
        return;
    }
    text_str(out, *o->advice.change ? o->advice.change : "");
    if (o->advice.gpu_count > 0) {
        text_str(out, *o->advice.change ? ", or " : "");
        shown_number(out, o->advice.gpu_count, 0);
        text_str(out, " GPUs");
    }
}

static void put_full(const struct train_answer *a, int i, struct text *out)
{
    put_money(a, at(a, i)->cost_full, out);
}

static void put_marginal(const struct train_answer *a, int i, struct text *out)
{
    put_money(a, at(a, i)->cost_marginal, out);
}

static void put_million(const struct train_answer *a, int i, struct text *out)
{
    put_money(a, a->spec.inference
                 ? at(a, i)->inference_cost_per_million_tokens
                 : at(a, i)->cost_per_million_tokens, out);
}

static void put_pflop_day(const struct train_answer *a, int i,
                          struct text *out)
{
    put_money(a, at(a, i)->cost_per_pflop_day, out);
}

static void put_kwh(const struct train_answer *a, int i, struct text *out)
{
    put_unit(out, at(a, i)->kwh, 4, "kWh");
}

static void put_kg(const struct train_answer *a, int i, struct text *out)
{
    put_unit(out, at(a, i)->kg, 4, "kg CO2e");
}

static void put_deadline(const struct train_answer *a, int i,
                         struct text *out)
{
    put_unit(out, at(a, i)->deadline_gpu_count, 7, "GPUs");
}

static void put_rate(const struct train_answer *a, int i, struct text *out)
{
    put_unit(out, at(a, i)->inference.tokens_per_s, 3, "tokens/s");
}

static void put_bound(const struct train_answer *a, int i, struct text *out)
{
    const struct inference *x = &at(a, i)->inference;

    text_str(out, say(a->study.study.zh, x->bandwidth_tokens_per_s <
                      x->compute_tokens_per_s ? "memory bandwidth"
                                              : "compute"));
}

static void put_serving(const struct train_answer *a, int i, struct text *out)
{
    static const char *const words[] = { "fits", "fits tightly",
                                         "does not fit", "not known" };

    put_unit(out, at(a, i)->inference.total_gib_per_gpu, 3, "GiB, ");
    text_str(out, say(a->study.study.zh, words[at(a, i)->fits]));
}

static void put_batch(const struct train_answer *a, int i, struct text *out)
{
    put_unit(out, at(a, i)->inference.largest_batch, 6, "");
}

static void put_api(const struct train_answer *a, int i, struct text *out)
{
    (void)i;
    put_money(a, a->spec.api_price_per_million_token, out);
}

static const struct row training_rows[] = {
    { "GPUs", put_device },
    { "Cost in full", put_full },
    { "Cost of one more run", put_marginal },
    { "Time", put_wall },
    { "GPU-hours", put_hours },
    { "GPU-hours, 80 % range", put_range },
    { "Utilisation while stepping", put_mfu },
    { "Memory a GPU", put_fits },
    { "Recomputation, sharding", put_settled },
    { "What would fit", put_change },
    { "GPUs for the deadline", put_deadline },
    { "Energy at the meter", put_kwh },
    { "Carbon, location-based", put_kg },
    { "A million tokens", put_million },
    { "A PFLOP-day", put_pflop_day },
};

static const struct row inference_rows[] = {
    { "GPUs", put_device },
    { "Cost of a million tokens", put_million },
    { "Bought by API, a million", put_api },
    { "Speed", put_rate },
    { "Bound by", put_bound },
    { "Memory a GPU", put_serving },
    { "Sequences at once, at most", put_batch },
};

static const struct row *rows_of(const struct train_answer *answer,
                                 size_t *count)
{
    if (answer->spec.inference) {
        *count = sizeof inference_rows / sizeof *inference_rows;
        return inference_rows;
    }
    *count = sizeof training_rows / sizeof *training_rows;
    return training_rows;
}

/* A row that says nothing about this question. */
static int is_idle(const struct train_answer *answer, const struct row *row)
{
    if (row->put == put_deadline)
        return isnan(answer->spec.deadline_hour);
    if (row->put == put_api)
        return isnan(answer->spec.api_price_per_million_token);
    if (row->put == put_million && !answer->spec.inference)
        return isnan(answer->spec.train.token_count);
    if (row->put == put_change) {
        for (int i = 0; i < answer->study.study.option_count; i++)
            if (answer->option[i].fits == FITS_NOT)
                return 0;
        return 1;
    }
    return 0;
}

/* What the run is, in one line. */
void out_train_what(const struct train_answer *answer, struct text *out)
{
    const struct train_run *train = &answer->spec.train;
    int zh = answer->study.study.zh;
    const double billion = zh ? 1e8 : 1e9; /* Chinese counts in yi */

    text_str(out, say(zh, answer->spec.inference ? "Serving " : "Training "));
    if (answer->model)
        text_str(out, answer->model->name);
    else if (isnan(train->shape.param_count))
        text_str(out, say(zh, "a model"));
    else
        put_unit(out, train->shape.param_count / billion, 4,
                 say(zh, "billion parameters"));
    if (!answer->spec.inference && !isnan(train->token_count)) {
        text_str(out, say(zh, " on "));
        put_unit(out, train->token_count / billion, 4,
                 say(zh, "billion tokens"));
    }
}

/* The cheapest, fastest and greenest option, -1 when there is none. */
static int least(const struct train_answer *answer, int what)
{
    int best = -1;
    double low = INFINITY;

    for (int i = 0; i < answer->study.study.option_count; i++) {
        const struct run_option *o = at(answer, i);
        double value = answer->spec.inference
                     ? o->inference_cost_per_million_tokens
                     : what == 0 ? o->cost_full
                     : what == 1 ? o->wall_hour : o->kg;
        if (o->fits != FITS_NOT && value < low) {
            low = value;
            best = i;
        }
    }
    return best;
}

void out_train_best(const struct train_answer *answer, struct text *out)
{
    static const char *const words[] = { "Cheapest", "Fastest", "Greenest" };
    int count = answer->spec.inference ? 1 : 3, any = 0;
    int zh = answer->study.study.zh;

    for (int what = 0; what < count; what++) {
        int best = least(answer, what);
        if (best < 0)
            continue;
        text_str(out, any ? "; " : "");
        any = 1;
        text_str(out, say(zh, words[what]));
        text_str(out, ": ");
        text_str(out, answer_label(&answer->study, best));
    }
    text_str(out, any ? "." : say(zh, "No option fits."));
}

/* --- text ----------------------------------------------------------------------------- */

static void put_padded(struct text *out, struct text *cell, size_t width)
{
    size_t n = cell->byte ? wrap_width(cell->at) : 0;

    text_put(out, cell->at, cell->byte);
    wrap_blanks(out, n < width ? width - n : 0);
}

void out_train_text(const struct train_answer *answer, struct text *out)
{
    size_t count;
    const struct row *rows = rows_of(answer, &count);
    int options = answer->study.study.option_count;
    const int zh = answer->study.study.zh;
    struct text cell;

    out_train_what(answer, out);
    text_char(out, '\n');
    out_train_best(answer, out);
    text_str(out, "\n\n");
    for (int i = 0; i < options; i++) {
        text_str(out, "  ");
        text_char(out, (char)('a' + i));
        text_str(out, "  ");
        text_str(out, answer_label(&answer->study, i));
        text_char(out, '\n');
    }
    text_char(out, '\n');
    text_init(&cell, 1024);
    for (size_t r = 0; r < count; r++) {
        if (is_idle(answer, &rows[r]))
            continue;
        text_reset(&cell);
        text_str(&cell, say(zh, rows[r].label));
        put_padded(out, &cell, 28);
        for (int i = 0; i < options; i++) {
            text_reset(&cell);
            rows[r].put(answer, i, &cell);
            text_str(out, "  ");
            put_padded(out, &cell, i + 1 < options ? 30 : 0);
        }
        text_char(out, '\n');
    }
    text_free(&cell);
    if (answer->everywhere.count)
        text_title(zh, "Elsewhere", out);
    for (int i = 0; i < answer->everywhere.count; i++) {
        const struct everywhere_row *row = &answer->everywhere.row[i];
        if (i >= 10 && !row->fastest && !row->greenest)
            continue;
        text_str(out, "  ");
        put_money(answer, row->run.cost_full, out);
        text_str(out, ", ");
        put_unit(out, row->run.wall_hour, 3, say(zh, "h on "));
        shown_number(out, row->run.run_gpu_count, 0);
        text_str(out, say(zh, " GPUs: "));
        text_str(out, row->label);
        text_str(out, row->cheapest ? say(zh, " (cheapest)") : "");
        text_str(out, row->fastest ? say(zh, " (fastest)") : "");
        text_str(out, row->greenest ? say(zh, " (greenest)") : "");
        text_str(out, row->old ? say(zh, " (old price)") : "");
        text_char(out, '\n');
    }
    text_title(zh, "Sibling runs of one team on one machine differ by 12 %; "
                   "no estimate is surer.", out);
    for (int i = 0; i < answer->study.warnings.count; i++) {
        const struct warning *w = &answer->study.warnings.warning[i];
        if (strcmp(w->code, "never") == 0 || strcmp(w->code, "no_work") == 0)
            continue;
        text_str(out, "  - ");
        if (w->option) {
            text_char(out, w->option);
            text_str(out, ": ");
        }
        report_warning(zh, w, out);
        text_char(out, '\n');
    }
    text_str(out, "\n");
    text_str(out, answer->study.base_url);
    text_str(out, "/train?");
    train_query(answer, out);
    text_char(out, '\n');
}

/* --- page ------------------------------------------------------------------------------- */

static void put_title(const struct train_answer *answer, struct text *out)
{
    int zh = answer->study.study.zh;

    page_head(out, zh, say(zh, "Training run"), "train", "/train",
              "/train?lang=zh");
    html_element(out, "h1", NULL, say(zh, "What will the run take?"));
}

static void put_choices(const struct run_field *field, const char *typed,
                        struct text *out)
{
    size_t length;
    const char *word;
    char text[NAME_BYTE_MAX];

    text_str(out, "<select");
    html_attribute(out, "name", field->name);
    html_attribute(out, "id", field->name);
    text_str(out, "><option value=\"\"></option>");
    for (int i = 0; ; i++) {
        word = choice_word(field->choices, i, &length);
        if (length == 0)
            break;
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        text_str(out, "<option");
        if (typed && strcmp(typed, text) == 0)
            text_str(out, " selected");
        text_char(out, '>');
        html_text(out, text);
        text_str(out, "</option>");
    }
    text_str(out, "</select>");
}

static void put_models(struct text *out)
{
    text_str(out, "<datalist id=\"models\">");
    for (size_t i = 0; i < model_count_all(); i++) {
        text_str(out, "<option");
        html_attribute(out, "value", model_at(i)->id);
        text_char(out, '>');
        html_text(out, model_at(i)->name);
        text_str(out, "</option>");
    }
    text_str(out, "</datalist>");
}

static void put_field_problem(const struct train_answer *answer,
                              const char *name, struct text *out)
{
    const struct problems *problems = &answer->study.input->problems;

    for (int i = 0; i < problems->count; i++) {
        struct text words;
        if (strcmp(problems->problem[i].field, name) != 0)
            continue;
        text_init(&words, 1024);
        problem_words(&problems->problem[i], answer->study.study.zh, &words);
        text_str(out, "<p class=\"problem\"");
        text_str(out, " id=\"");
        html_attr(out, name);
        text_str(out, "-problem\">");
        html_text_of(out, &words);
        text_str(out, "</p>");
        text_free(&words);
    }
}

static void put_control(const struct train_answer *answer,
                        const struct run_field *field, struct text *out)
{
    int zh = answer->study.study.zh;
    const char *typed = input_typed(answer->study.input, field->name);

    text_str(out, "<div class=\"field\"><label");
    html_attribute(out, "for", field->name);
    text_char(out, '>');
    html_text(out, say(zh, field->label));
    text_str(out, "</label>");
    if (field->type[0] == 'C') {
        put_choices(field, typed, out);
    } else {
        text_str(out, "<input");
        html_attribute(out, "name", field->name);
        html_attribute(out, "id", field->name);
        if (field->type[0] == 'T')
            html_attribute(out, "list", "models");
        else
            html_attribute(out, "inputmode", "decimal");
        if (typed)
            html_attribute(out, "value", typed);
        text_char(out, '>');
    }
    html_element(out, "small", NULL, say(zh, field->help));
    put_field_problem(answer, field->name, out);
    text_str(out, "</div>\n");
}

/* What was typed of the study itself is carried along unseen. */
static void put_carried(const struct train_answer *answer, struct text *out)
{
    const struct input *input = answer->study.input;

    for (int i = 0; i < input->entry_count; i++) {
        const struct entry *entry = &input->entry[i];
        int own = strncmp(entry->key, "config", 6) == 0;
        for (int k = 0; k < run_field_count; k++)
            own |= strcmp(run_field_table[k].name, entry->key) == 0;
        if (own || !entry->value_length || entry->code ||
            entry->type == ENTRY_WRONG_TYPE)
            continue;
        text_str(out, "<input type=\"hidden\"");
        html_attribute(out, "name", entry->key);
        html_attribute(out, "value", entry->value);
        text_str(out, ">\n");
    }
}

static void put_form(const struct train_answer *answer, struct text *out)
{
    int zh = answer->study.study.zh;

    text_str(out, "<form method=\"get\" action=\"/train\">\n");
    put_carried(answer, out);
    text_str(out, "<fieldset><legend>");
    html_text(out, say(zh, "The run"));
    text_str(out, "</legend>\n");
    for (int i = 0; i < 5; i++)
        put_control(answer, &run_field_table[i], out);
    text_str(out, "</fieldset>\n<details");
    text_str(out, answer->study.input->problems.count ? " open><summary>"
                                                      : "><summary>");
    html_text(out, say(zh, "Shape, memory, rate and other ways to say it"));
    text_str(out, "</summary>\n");
    for (int i = 5; i < run_field_count; i++)
        put_control(answer, &run_field_table[i], out);
    text_str(out, "<div class=\"field\"><label for=\"config\">config.json"
                  "</label><textarea name=\"config\" id=\"config\" rows=\"4\">"
                  "</textarea>");
    html_element(out, "small", NULL,
                 say(zh, "Of a model on Hugging Face: fills the shape."));
    put_field_problem(answer, "config", out);
    text_str(out, "</div>\n</details>\n");
    put_models(out);
    html_element(out, "button", NULL, say(zh, "Calculate"));
    text_str(out, "</form>\n");
}

static void put_problem_list(const struct train_answer *answer,
                             struct text *out)
{
    const struct problems *problems = &answer->study.input->problems;
    int zh = answer->study.study.zh;

    if (!problems->count)
        return;
    text_str(out, "<div class=\"problems\" role=\"alert\" id=\"answer\">");
    html_element(out, "h2", NULL, say(zh, "Please correct"));
    text_str(out, "<ul>");
    for (int i = 0; i < problems->count; i++) {
        struct text words;
        text_init(&words, 1024);
        problem_words(&problems->problem[i], zh, &words);
        text_str(out, "<li><a href=\"#");
        html_attr(out, problems->problem[i].field);
        text_str(out, "\">");
        html_text_of(out, &words);
        text_str(out, "</a></li>");
        text_free(&words);
    }
    text_str(out, "</ul></div>\n");
}

static void put_table(const struct train_answer *answer, struct text *out)
{
    size_t count;
    const struct row *rows = rows_of(answer, &count);
    int options = answer->study.study.option_count;
    int zh = answer->study.study.zh;
    struct text cell;

    text_str(out, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
                  "<td></td>");
    for (int i = 0; i < options; i++) {
        text_str(out, "<th scope=\"col\">");
        html_text(out, answer_label(&answer->study, i));
        text_str(out, "</th>");
    }
    text_str(out, "</tr></thead><tbody>\n");
    text_init(&cell, 1024);
    for (size_t r = 0; r < count; r++) {
        if (is_idle(answer, &rows[r]))
            continue;
        text_str(out, "<tr><th scope=\"row\">");
        html_text(out, say(zh, rows[r].label));
        text_str(out, "</th>");
        for (int i = 0; i < options; i++) {
            text_reset(&cell);
            rows[r].put(answer, i, &cell);
            text_str(out, "<td>");
            html_text_of(out, &cell);
            text_str(out, "</td>");
        }
        text_str(out, "</tr>\n");
    }
    text_free(&cell);
    text_str(out, "</tbody></table></div>\n");
}

/* The best first, then the next by cost. */
enum { EVERYWHERE_SHOWN = 40 };

static void put_marks(const struct everywhere_row *row, int zh,
                      struct text *out)
{
    static const char *const words[] = { "cheapest", "fastest", "greenest" };
    const int is[] = { row->cheapest, row->fastest, row->greenest };

    for (int k = 0; k < 3; k++)
        if (is[k]) {
            text_str(out, " <strong>");
            html_text(out, say(zh, words[k]));
            text_str(out, "</strong>");
        }
    if (row->old)
        html_text(out, say(zh, " (old price)"));
}

static void put_cell(struct text *out, struct text *cell)
{
    text_str(out, "<td>");
    html_text_of(out, cell);
    text_str(out, "</td>");
    text_reset(cell);
}

static void put_everywhere_row(const struct train_answer *answer,
                               const struct everywhere_row *row,
                               struct text *cell, struct text *out)
{
    const struct run_option *run = &row->run;

    text_str(out, "<tr><th scope=\"row\">");
    html_text(out, row->label);
    put_marks(row, answer->study.study.zh, out);
    text_str(out, "</th>");
    shown_number(cell, run->run_gpu_count, 0);
    put_cell(out, cell);
    put_money(answer, run->cost_full, cell);
    put_cell(out, cell);
    put_unit(cell, run->wall_hour, 3, "h");
    put_cell(out, cell);
    put_unit(cell, run->gpu_hour, 4, "");
    put_cell(out, cell);
    put_unit(cell, run->kwh, 4, "kWh");
    put_cell(out, cell);
    put_unit(cell, run->kg, 4, "kg");
    put_cell(out, cell);
    text_str(cell, say(answer->study.study.zh,
                       run->fits == FITS_NOT ? "does not fit"
                     : run->fits == FITS_TIGHT ? "fits tightly"
                     : run->fits == FITS ? "fits" : "not known"));
    put_cell(out, cell);
    text_str(out, "</tr>\n");
}

static void put_everywhere_table(const struct train_answer *answer,
                                 struct text *out)
{
    static const char *const heads[] = { "Where", "GPUs", "Cost in full",
        "Time", "GPU-hours", "Energy at the meter", "Carbon", "Memory" };
    int zh = answer->study.study.zh;
    struct text cell;

    if (!answer->everywhere.count)
        return;
    html_element(out, "h2", NULL, say(zh, "This run on every GPU and cloud"));
    text_str(out, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        html_element(out, "th", NULL, say(zh, heads[i]));
    text_str(out, "</tr></thead><tbody>\n");
    text_init(&cell, 1024);
    for (int i = 0; i < answer->everywhere.count; i++) {
        const struct everywhere_row *row = &answer->everywhere.row[i];
        if (i < EVERYWHERE_SHOWN || row->fastest || row->greenest)
            put_everywhere_row(answer, row, &cell, out);
    }
    text_free(&cell);
    text_str(out, "</tbody></table></div>\n");
}

static void put_page_warnings(const struct train_answer *answer,
                              struct text *out)
{
    int zh = answer->study.study.zh, any = 0;

    for (int i = 0; i < answer->study.warnings.count; i++) {
        const struct warning *w = &answer->study.warnings.warning[i];
        char letter[4] = { w->option, ':', ' ', '\0' };
        if (strcmp(w->code, "never") == 0 || strcmp(w->code, "no_work") == 0)
            continue;
        if (!any) {
            html_element(out, "h2", NULL, say(zh, "Things to know"));
            text_str(out, "<ul>");
        }
        any = 1;
        text_str(out, "<li>");
        html_text(out, w->option ? letter : "");
        html_text(out, w->message);
        text_str(out, "</li>\n");
    }
    text_str(out, any ? "</ul>\n" : "");
}

void out_train_html(const struct train_answer *answer, struct text *out)
{
    int zh = answer->study.study.zh;
    struct text words;

    put_title(answer, out);
    text_init(&words, 4096);
    text_str(out, "<section id=\"answer\"><h2>");
    out_train_what(answer, &words);
    html_text_of(out, &words);
    text_reset(&words);
    text_str(out, "</h2><p>");
    out_train_best(answer, &words);
    html_text_of(out, &words);
    text_free(&words);
    text_str(out, "</p>\n");
    put_table(answer, out);
    text_str(out, "<p>");
    html_text(out, say(zh, "Sibling runs of one team on one machine differ "
                           "by 12 %; no estimate is surer. Energy is at the "
                           "facility's meter."));
    text_str(out, " <a href=\"/methods/selfcheck\">");
    html_text(out, say(zh, "How well this predicts published runs"));
    text_str(out, "</a></p></section>\n");
    put_everywhere_table(answer, out);
    put_page_warnings(answer, out);
    put_form(answer, out);
    page_foot(out, zh);
}

void out_train_form(const struct train_answer *answer, struct text *out)
{
    put_title(answer, out);
    put_problem_list(answer, out);
    put_form(answer, out);
    page_foot(out, answer->study.study.zh);
}
