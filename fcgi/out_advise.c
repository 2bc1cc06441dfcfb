/* out_advise.c: a tier, its builds and what rules of thumb get wrong. */
#include "fcgi/out_advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "energy/zone.h"
#include "fcgi/extras_text.h"
#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/page.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/words.h"
#include "pricing/num.h"

static const char *tier_id(int tier)
{
    return tier < 0 ? "" : tier_at((size_t)tier)->id;
}

static const char *tier_name(int tier)
{
    return tier < 0 ? "none" : tier_at((size_t)tier)->name;
}

/* 1 when the correction is about nothing in particular or about a build. */
static int is_relevant(const struct advice *advice,
                       const struct correction *c)
{
    if (!*c->gpu)
        return 1;
    for (int i = 0; i < advice->build_count; i++)
        if (strcmp(advice->build[i].gpu->id, c->gpu) == 0)
            return 1;
    return 0;
}

/* --- JSON ----------------------------------------------------------------------- */

static void pair_or_null(struct text *out, const char *name, const char *text)
{
    json_name(out, name);
    if (text && *text)
        json_string(out, text);
    else
        text_str(out, "null");
}

static void pair_tristate(struct text *out, const char *name, int value)
{
    json_name(out, name);
    text_str(out, value < 0 ? "null" : value ? "true" : "false");
}

static void json_source(const struct source *source, struct text *out)
{
    json_name(out, "source");
    text_char(out, '{');
    json_pair_string(out, "title", source->title);
    json_pair_string(out, "address", source->address);
    json_pair_string(out, "date", source->date);
    json_pair_string(out, "licence", source->licence);
    text_char(out, '}');
}

static void json_rent(const struct advised_build *b, struct text *out)
{
    json_name(out, "rent");
    if (!b->rent) {
        text_str(out, "null");
        return;
    }
    text_char(out, '{');
    json_pair_string(out, "provider", b->rent->provider);
    json_pair_string(out, "instance", b->rent->instance);
    json_pair_string(out, "region", b->rent->region);
    json_pair_string(out, "gpu", b->rent->gpu);
    json_pair_number(out, "gpu_count", b->rent->gpu_count);
    json_pair_number(out, "rent_price_per_hour", b->rent_price_per_hour);
    json_pair_number(out, "cost_per_gpu_hour", b->rent_cost_per_gpu_hour);
    if (b->rent_old)
        json_pair_bool(out, "old", 1);
    text_char(out, '}');
}

static void json_build(const struct advice *advice,
                       const struct advised_build *b, struct text *out)
{
    json_next(out);
    text_char(out, '{');
    json_pair_string(out, "gpu", b->gpu->id);
    json_pair_string(out, "name", b->gpu->name);
    json_pair_number(out, "gpu_count", b->build->gpu_count);
    json_pair_number(out, "memory_gib", b->gpu->memory_gib.value);
    json_pair_number(out, "memory_gib_per_gpu", b->total_gib_per_gpu);
    json_pair_string(out, "fits", train_fits_name[b->fits]);
    json_pair_bool(out, "has_precision", b->has_precision);
    json_pair_number(out, "card_cost", b->card_cost);
    json_pair_number(out, "capex", b->capex_cost);
    pair_tristate(out, "within_budget", b->within_budget);
    json_pair_number(out, "cost_per_gpu_hour", b->cost_per_gpu_hour);
    json_rent(b, out);
    json_pair_string(out, "tier", b->build->tier);
    json_pair_string(out, "reason", b->build->reason);
    pair_or_null(out, "driver_needed", b->driver_needed);
    pair_tristate(out, "driver_good", b->driver_good);
    json_name(out, "compare");
    text_char(out, '"');
    text_str(out, advice->base_url);
    text_str(out, "/compare?");
    text_str(out, b->query);
    text_str(out, "\"}");
}

static void json_driver(const struct advice *advice, struct text *out)
{
    json_name(out, "driver");
    if (!*advice->driver) {
        text_str(out, "null");
        return;
    }
    text_char(out, '{');
    json_pair_string(out, "version", advice->driver);
    pair_or_null(out, "cuda", driver_cuda(advice->driver));
    json_pair_bool(out, "runs_cuda_12",
                   driver_compare(advice->driver, driver_of_cuda("12")) >= 0);
    json_pair_bool(out, "runs_cuda_13",
                   driver_compare(advice->driver, driver_of_cuda("13")) >= 0);
    text_char(out, '}');
}

static void json_warnings(const struct warnings *warnings, struct text *out)
{
    json_name(out, "warnings");
    text_char(out, '[');
    for (int i = 0; i < warnings->count; i++) {
        const struct warning *w = &warnings->warning[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "code", w->code);
        text_str(out, ",\"option\":null");
        pair_or_null(out, "field", w->field);
        json_pair_string(out, "message", w->message);
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void json_corrections(const struct advice *advice, struct text *out)
{
    json_name(out, "corrections");
    text_char(out, '[');
    for (size_t i = 0; i < correction_count_all(); i++) {
        const struct correction *c = correction_at(i);
        if (!is_relevant(advice, c))
            continue;
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "id", c->id);
        json_pair_string(out, "claim", c->claim);
        json_pair_string(out, "correction", c->correction);
        json_source(&c->source, out);
        text_char(out, '}');
    }
    text_char(out, ']');
}

void out_advise_json(const struct advice *advice, struct text *out)
{
    char day[11];

    text_char(out, '{');
    json_pair_string(out, "model_version", MODEL_VERSION);
    day_print(day, advice->study.as_of_day);
    json_pair_string(out, "as_of", day);
    json_pair_string(out, "currency", advice->study.currency);
    json_warnings(&advice->warnings, out);
    json_pair_number(out, "budget", advice->budget);
    json_pair_number(out, "param_count", advice->param_count);
    json_pair_number(out, "dataset_sample_count", advice->sample_count);
    pair_or_null(out, "tier", tier_id(advice->tier));
    pair_or_null(out, "tier_by_budget", tier_id(advice->tier_by_budget));
    pair_or_null(out, "tier_by_size", tier_id(advice->tier_by_size));
    json_name(out, "need");
    text_char(out, '{');
    json_pair_number(out, "state_gib", advice->state_gib);
    json_pair_number(out, "weight_gib", advice->weight_gib);
    text_char(out, '}');
    json_name(out, "builds");
    text_char(out, '[');
    for (int i = 0; i < advice->build_count; i++)
        json_build(advice, &advice->build[i], out);
    text_char(out, ']');
    json_driver(advice, out);
    json_corrections(advice, out);
    text_str(out, "}\n");
}

/* --- in words ----------------------------------------------------------------------- */

static const char *const fits_words[] = { "fits", "fits tightly",
                                          "does not fit",
                                          "say param_count to know" };

static void put_tier(const struct advice *advice, struct text *out)
{
    const int zh = advice->study.zh;

    text_str(out, say(zh, "Tier: "));
    text_str(out, say(zh, tier_name(advice->tier)));
    if (advice->tier >= 0) {
        text_str(out, " (");
        text_str(out, say(zh, tier_at((size_t)advice->tier)->note));
        text_char(out, ')');
    }
    text_str(out, zh ? "\xE3\x80\x82" : ".");
}

static void put_need(const struct advice *advice, struct text *out)
{
    const int zh = advice->study.zh;

    if (isnan(advice->param_count))
        return;
    text_str(out, say(zh, "The model needs "));
    shown_digits(out, advice->state_gib, 3);
    text_str(out, say(zh, advice->task == TASK_INFERENCE
                  ? " GiB for its weights, and room for its cache."
                  : " GiB for weights, gradients and optimizer, and "
                    "activations on top."));
}

static void put_money(const struct advice *advice, double value, int price,
                      struct text *out)
{
    if (isnan(value))
        text_str(out, "\xE2\x80\x93");
    else if (price)
        shown_price(out, advice->study.currency, value);
    else
        shown_money(out, advice->study.currency, value);
}

static void put_rent(const struct advice *advice,
                     const struct advised_build *b, struct text *out)
{
    if (!b->rent) {
        text_str(out, "\xE2\x80\x93");
        return;
    }
    text_str(out, b->rent->provider);
    text_char(out, ' ');
    text_str(out, b->rent->instance);
    text_str(out, ", ");
    text_str(out, b->rent->region);
    text_str(out, ": ");
    put_money(advice, b->rent_cost_per_gpu_hour, 1, out);
    text_str(out, b->rent_old ? say(advice->study.zh, " (old price)") : "");
}

static void put_name(const struct advised_build *b, struct text *out)
{
    shown_number(out, b->build->gpu_count, 0);
    text_str(out, " \xC3\x97 ");
    text_str(out, b->gpu->name);
}

static void put_driver(const struct advice *advice, struct text *out)
{
    const char *cuda = driver_cuda(advice->driver);

    const int zh = advice->study.zh;

    text_str(out, say(zh, "Driver "));
    text_str(out, advice->driver);
    text_str(out, say(zh, cuda ? " was made for CUDA "
                               : " is older than CUDA 10"));
    text_str(out, cuda ? cuda : "");
    text_str(out, say(zh,
                  driver_compare(advice->driver, driver_of_cuda("13")) >= 0
                  ? "; it runs CUDA 12 and 13."
                  : driver_compare(advice->driver, driver_of_cuda("12")) >= 0
                  ? "; it runs CUDA 12, not 13."
                  : "; CUDA 12 needs 525.60 or later."));
}

void out_advise_text(const struct advice *advice, struct text *out)
{
    const int zh = advice->study.zh;

    put_tier(advice, out);
    text_char(out, '\n');
    put_need(advice, out);
    text_str(out, "\n\n");
    for (int i = 0; i < advice->build_count; i++) {
        const struct advised_build *b = &advice->build[i];
        put_name(b, out);
        text_str(out, "\n    ");
        text_str(out, say(zh, b->build->reason));
        text_str(out, "\n    ");
        text_str(out, say(zh, "memory: "));
        text_str(out, say(zh, fits_words[b->fits]));
        text_str(out, "\n    ");
        text_str(out, say(zh, "price today: GPUs alone "));
        put_money(advice, b->card_cost, 0, out);
        text_str(out, say(zh, ", with host "));
        put_money(advice, b->capex_cost, 0, out);
        text_str(out, b->within_budget == 0 ? say(zh, " (above the budget)")
                                            : "");
        text_str(out, "\n    ");
        text_str(out, say(zh, "a GPU-hour: owned "));
        put_money(advice, b->cost_per_gpu_hour, 1, out);
        text_str(out, say(zh, ", rented "));
        put_rent(advice, b, out);
        text_char(out, '\n');
    }
    if (*advice->driver) {
        text_char(out, '\n');
        put_driver(advice, out);
        text_char(out, '\n');
    }
    if (advice->warnings.count)
        text_title(zh, "Things to know", out);
    for (int i = 0; i < advice->warnings.count; i++) {
        text_str(out, "  - ");
        report_warning(zh, &advice->warnings.warning[i], out);
        text_char(out, '\n');
    }
    text_title(zh, "What rules of thumb get wrong", out);
    for (size_t i = 0; i < correction_count_all(); i++) {
        const struct correction *c = correction_at(i);
        if (!is_relevant(advice, c))
            continue;
        text_str(out, "  - ");
        text_str(out, say(zh, c->claim));
        text_str(out, zh ? "\xEF\xBC\x9F" : "? ");
        text_str(out, say(zh, c->correction));
        text_str(out, zh ? "\xE3\x80\x82(" : ". (");
        text_str(out, c->source.title);
        text_str(out, ")\n");
    }
}

/* --- page ------------------------------------------------------------------------------- */

static void put_control(const struct advice *advice, const char *name,
                        const char *label, const char *choices,
                        struct text *out)
{
    int zh = advice->study.zh;
    const char *typed = input_typed(advice->input, name);
    size_t length;

    text_str(out, "<div class=\"field\"><label");
    html_attribute(out, "for", name);
    text_char(out, '>');
    html_text(out, say(zh, label));
    text_str(out, "</label>");
    if (choices) {
        text_str(out, "<select");
        html_attribute(out, "name", name);
        html_attribute(out, "id", name);
        text_char(out, '>');
        for (int i = 0; ; i++) {
            const char *word = choice_word(choices, i, &length);
            if (length == 0)
                break;
            text_str(out, typed && strlen(typed) == length &&
                          memcmp(typed, word, length) == 0
                          ? "<option selected>" : "<option>");
            text_put(out, word, length);
            text_str(out, "</option>");
        }
        text_str(out, "</select></div>\n");
        return;
    }
    text_str(out, "<input");
    html_attribute(out, "name", name);
    html_attribute(out, "id", name);
    if (typed)
        html_attribute(out, "value", typed);
    text_str(out, "></div>\n");
}

static void put_form(const struct advice *advice, struct text *out)
{
    int zh = advice->study.zh;

    text_str(out, "<form method=\"get\" action=\"/advise\">\n");
    put_control(advice, "budget", "Budget", NULL, out);
    put_control(advice, "currency", "Currency", NULL, out);
    put_control(advice, "param_count", "Parameters of the model", NULL, out);
    put_control(advice, "dataset_sample_count", "Samples of the data", NULL,
                out);
    put_control(advice, "task", "Task",
                "training finetuning lora qlora inference", out);
    put_control(advice, "precision", "Precision",
                "bf16 fp32 tf32 fp16 fp8 int8", out);
    put_control(advice, "driver", "Driver version, or what nvidia-smi prints",
                NULL, out);
    if (zh)
        text_str(out, "<input type=\"hidden\" name=\"lang\" value=\"zh\">");
    html_element(out, "button", NULL, say(zh, "Advise"));
    text_str(out, "</form>\n");
}

static void put_head(const struct advice *advice, struct text *out)
{
    int zh = advice->study.zh;

    page_head(out, zh, say(zh, "Advice"), "advise", "/advise",
              "/advise?lang=zh");
    html_element(out, "h1", NULL, say(zh, "Which machine to buy"));
}

static void put_cell(struct text *out, struct text *cell)
{
    text_str(out, "<td>");
    html_text_of(out, cell);
    text_str(out, "</td>");
    text_reset(cell);
}

/* A value over words that may take several lines. */
static void put_cell_over(struct text *out, struct text *cell,
                          const char *words)
{
    text_str(out, "<td>");
    html_text_of(out, cell);
    text_reset(cell);
    if (*words) {
        text_str(out, "<br><small>");
        html_text(out, words + (*words == ' '));
        text_str(out, "</small>");
    }
    text_str(out, "</td>");
}

static void put_build(const struct advice *advice,
                      const struct advised_build *b, struct text *cell,
                      struct text *out)
{
    int zh = advice->study.zh;
    char rented[200];

    text_str(out, "<tr><th scope=\"row\"><a href=\"/compare?");
    html_attr(out, b->query);
    text_str(out, "\">");
    put_name(b, cell);
    html_text_of(out, cell);
    text_reset(cell);
    text_str(out, "</a><br><small>");
    html_text(out, say(zh, b->build->reason));
    text_str(out, "</small></th>");
    text_str(cell, say(zh, fits_words[b->fits]));
    put_cell(out, cell);
    put_money(advice, b->card_cost, 0, cell);
    put_cell(out, cell);
    put_money(advice, b->capex_cost, 0, cell);
    put_cell_over(out, cell, b->within_budget == 0
                  ? say(zh, " (above the budget)") : "");
    put_money(advice, b->cost_per_gpu_hour, 1, cell);
    put_cell(out, cell);
    put_money(advice, b->rent ? b->rent_cost_per_gpu_hour : (double)NAN, 1,
              cell);
    rented[0] = '\0';
    if (b->rent)
        snprintf(rented, sizeof rented, "%s %s, %s%s",
                 provider_name(b->rent->provider), b->rent->instance,
                 b->rent->region,
                 b->rent_old ? say(zh, " (old price)") : "");
    put_cell_over(out, cell, rented);
    text_str(cell, b->driver_needed ? b->driver_needed : "\xE2\x80\x93");
    put_cell(out, cell);
    text_str(out, "</tr>\n");
}

static void put_builds(const struct advice *advice, struct text *out)
{
    static const char *const heads[] = { "Build", "Memory",
        "GPUs alone, today", "With the host", "A GPU-hour owned", "A GPU-hour rented",
        "Driver from" };
    int zh = advice->study.zh;
    struct text cell;

    text_str(out, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        html_element(out, "th", NULL, say(zh, heads[i]));
    text_str(out, "</tr></thead><tbody>\n");
    text_init(&cell, 2048);
    for (int i = 0; i < advice->build_count; i++)
        put_build(advice, &advice->build[i], &cell, out);
    text_free(&cell);
    text_str(out, "</tbody></table></div>\n");
}

static void put_notes(const struct advice *advice, struct text *out)
{
    int zh = advice->study.zh;
    struct text words;

    if (advice->warnings.count) {
        html_element(out, "h2", NULL, say(zh, "Things to know"));
        text_str(out, "<ul>");
        text_init(&words, 2048);
        for (int i = 0; i < advice->warnings.count; i++) {
            text_reset(&words);
            report_warning(zh, &advice->warnings.warning[i], &words);
            text_str(out, "<li>");
            html_text_of(out, &words);
            text_str(out, "</li>");
        }
        text_free(&words);
        text_str(out, "</ul>\n");
    }
    html_element(out, "h2", NULL, say(zh, "What rules of thumb get wrong"));
    text_str(out, "<dl>");
    for (size_t i = 0; i < correction_count_all(); i++) {
        const struct correction *c = correction_at(i);
        if (!is_relevant(advice, c))
            continue;
        html_element(out, "dt", NULL, say(zh, c->claim));
        text_str(out, "<dd>");
        html_text(out, say(zh, c->correction));
        text_str(out, ". <cite>");
        if (*c->source.address) {
            text_str(out, "<a");
            html_attribute(out, "href", c->source.address);
            text_char(out, '>');
        }
        html_text(out, c->source.title);
        text_str(out, *c->source.address ? "</a></cite></dd>\n"
                                         : "</cite></dd>\n");
    }
    text_str(out, "</dl>\n");
}

void out_advise_html(const struct advice *advice, struct text *out)
{
    struct text words;

    put_head(advice, out);
    text_init(&words, 4096);
    text_str(out, "<section id=\"answer\"><p>");
    put_tier(advice, &words);
    text_char(&words, ' ');
    put_need(advice, &words);
    if (*advice->driver) {
        text_char(&words, ' ');
        put_driver(advice, &words);
    }
    html_text_of(out, &words);
    text_free(&words);
    text_str(out, "</p>\n");
    put_builds(advice, out);
    text_str(out, "</section>\n");
    put_form(advice, out);
    put_notes(advice, out);
    page_foot(out, advice->study.zh);
}

void out_advise_form(const struct advice *advice, struct text *out)
{
    const struct problems *problems = &advice->input->problems;
    struct text words;

    put_head(advice, out);
    text_init(&words, 4096);
    text_str(out, "<div class=\"problems\" role=\"alert\" id=\"answer\"><ul>");
    for (int i = 0; i < problems->count; i++) {
        text_reset(&words);
        problem_words(&problems->problem[i], advice->study.zh, &words);
        text_str(out, "<li>");
        html_text_of(out, &words);
        text_str(out, "</li>");
    }
    text_free(&words);
    text_str(out, "</ul></div>\n");
    put_form(advice, out);
    page_foot(out, advice->study.zh);
}
