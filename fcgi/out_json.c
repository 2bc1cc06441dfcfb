/* out_json.c: JSON of answers, mistakes and the field table. */
#include "fcgi/out_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/extras_json.h"
#include "fcgi/json.h"
#include "fcgi/out_boundary.h"
#include "fcgi/out_equivalent.h"
#include "fcgi/out_grant.h"
#include "fcgi/words.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

static void put_letter(struct text *out, const char *name, int option)
{
    char letter[2] = { (char)('a' + option), '\0' };

    json_pair_string(out, name, letter);
}

static void put_unit(struct text *out, const struct study *study,
                     const struct field *field)
{
    const struct unit_row *unit = &unit_table[field->unit];
    char shown[48];

    snprintf(shown, sizeof shown, "%s%s", unit->money ? study->currency : "",
             unit->shown);
    json_pair_string(out, "unit", shown);
}

static void put_value(struct text *out, const struct option *o, int f)
{
    const struct field *field = &field_table[f];
    const char *word;
    size_t length;
    char text[NAME_BYTE_MAX];

    json_name(out, "value");
    if (field->type == FIELD_NAME) {
        json_string(out, o->name[f]);
    } else if (field->type == FIELD_CHOICE) {
        word = choice_word(field->choices, (int)o->value[f], &length);
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        json_string(out, text);
    } else {
        json_number(out, o->value[f]);
    }
}

static void put_inputs(const struct answer *answer, int i, struct text *out)
{
    const struct option *o = &answer->study.option[i];

    json_name(out, "inputs");
    text_char(out, '{');
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct origin *origin = &o->origin[f];
        if (!option_has(i, o->kind, f))
            continue;
        json_name(out, field_table[f].name);
        text_char(out, '{');
        put_value(out, o, f);
        put_unit(out, &answer->study, &field_table[f]);
        json_pair_string(out, "origin", origin_name[origin->kind]);
        if (origin->estimate)
            json_pair_bool(out, "estimate", 1);
        if (!isnan(origin->rate_per_usd) && !o->typed[f])
            json_pair_number(out, "rate", origin->rate_per_usd);
        json_name(out, "source");
        if (answer->source_of[i][f])
            json_number(out, answer->source_of[i][f]);
        else
            text_str(out, "null");
        text_char(out, '}');
    }
    text_char(out, '}');
}

static void put_items(const struct answer *answer, int i, struct text *out)
{
    int own = answer->study.option[i].kind == KIND_OWN;

    json_name(out, "items");
    text_char(out, '{');
    for (int k = 0; k < ITEM_COUNT; k++)
        if (own ? item_table[k].own : item_table[k].rent)
            json_pair_number(out, item_table[k].name,
                             answer->result[i].item[k]);
    text_char(out, '}');
}

static void put_rank(struct text *out, const char *name, int rank)
{
    json_pair_number(out, name, rank ? rank : (double)NAN);
}

static void put_option(const struct answer *answer, int i,
                       const struct json_more *more, struct text *out)
{
    const struct option *o = &answer->study.option[i];
    const struct result *r = &answer->result[i];
    const double *step = r->step;
    int own = o->kind == KIND_OWN, k = step[S_machine_used_count] > 0;

    text_char(out, '{');
    json_pair_string(out, "kind", own ? "own" : "rent");
    json_pair_string(out, "label", answer_label(answer, i));
    json_pair_bool(out, "short_of_capacity", r->short_of_capacity);
    put_rank(out, "rank", r->rank);
    put_rank(out, "rank_with_carbon", r->rank_with_carbon);
    put_inputs(answer, i, out);
    json_pair_number(out, "machine_count",
                     own || k || term_month_of((int)o->value[F_term]) > 0 ?
                     step[S_machine_used_count] : (double)NAN);
    json_pair_number(out, "use_frac", step[S_use_frac]);
    json_pair_number(out, "capex", step[S_capex_cost]);
    json_pair_number(out, "need_machine_hour_per_month",
                     step[S_need_machine_hour_per_month]);
    json_pair_number(out, "billed_machine_hour_per_month",
                     step[S_billed_machine_hour_per_month]);
    put_items(answer, i, out);
    json_pair_number(out, "total_cost", r->total_cost);
    json_pair_number(out, "npv_cost", r->npv_cost);
    json_pair_number(out, "monthly_equivalent_cost",
                     step[S_monthly_equivalent_cost]);
    json_pair_number(out, "cost_per_work_hour", step[S_cost_per_work_hour]);
    json_pair_number(out, "cost_per_gpu_hour", step[S_cost_per_gpu_hour]);
    json_pair_number(out, "carbon_cost", step[S_carbon_cost]);
    json_pair_number(out, "npv_cost_with_carbon",
                     step[S_npv_cost_with_carbon]);
    json_pair_number(out, "it_kwh", step[S_it_kwh]);
    json_pair_number(out, "meter_kwh", step[S_meter_kwh]);
    json_pair_number(out, "operational_kg", step[S_operational_kg]);
    json_pair_number(out, "operational_market_kg",
                     step[S_operational_market_kg]);
    json_pair_number(out, "embodied_kg", step[S_embodied_kg]);
    json_pair_number(out, "total_kg", step[S_total_kg]);
    json_pair_number(out, "water_l", step[S_water_l]);
    out_boundary_json(answer, i, out);
    if (more)
        more->option(more->of, i, out);
    json_name(out, "flows");
    text_char(out, '[');
    for (int m = 0; m <= r->month_count; m++) {
        json_next(out);
        json_number(out, r->flow[m]);
    }
    text_str(out, "]}");
}

static void put_pair(const struct pair *pair, int straddles,
                     struct text *out)
{
    json_next(out);
    text_char(out, '{');
    put_letter(out, "a", pair->a);
    put_letter(out, "b", pair->b);
    json_pair_number(out, "saving_npv", pair->saving_npv);
    json_pair_number(out, "saving_frac", pair->saving_frac);
    json_pair_bool(out, "close_call", pair->close_call);
    if (straddles < 0) {
        json_name(out, "range_straddles_zero");
        text_str(out, "null");
    } else {
        json_pair_bool(out, "range_straddles_zero", straddles);
    }
    json_pair_number(out, "break_even_month", pair->break_even_month);
    json_pair_number(out, "break_even_month_discounted",
                     pair->break_even_month_discounted);
    json_pair_number(out, "break_even_busy_frac", pair->break_even_busy_frac);
    json_pair_number(out, "carbon_break_even_busy_frac",
                     pair->carbon_break_even_busy_frac);
    json_pair_number(out, "break_even_rent_price_per_hour",
                     pair->break_even_rent_price_per_hour);
    json_pair_number(out, "break_even_energy_price_per_kwh",
                     pair->break_even_energy_price_per_kwh);
    json_pair_number(out, "irr", pair->irr);
    text_char(out, '}');
}

static void put_warnings(const struct warnings *warnings, struct text *out)
{
    json_name(out, "warnings");
    text_char(out, '[');
    for (int i = 0; i < warnings->count; i++) {
        const struct warning *w = &warnings->warning[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "code", w->code);
        if (w->option)
            put_letter(out, "option", w->option - 'a');
        else
            text_str(out, ",\"option\":null");
        if (*w->field)
            json_pair_string(out, "field", w->field);
        else
            text_str(out, ",\"field\":null");
        json_pair_string(out, "message", w->message);
        text_char(out, '}');
    }
    text_char(out, ']');
}

static void put_sources(const struct answer *answer, struct text *out)
{
    char day[11];

    json_name(out, "sources");
    text_char(out, '[');
    for (int i = 0; i < answer->cited_count; i++) {
        const struct cited *c = &answer->cited[i];
        json_next(out);
        text_char(out, '{');
        json_pair_number(out, "id", i + 1);
        json_pair_string(out, "title", c->source->title);
        json_pair_string(out, "address", c->source->address);
        json_pair_string(out, "date", cited_date(c, day));
        json_pair_string(out, "licence", c->source->licence);
        text_char(out, '}');
    }
    text_char(out, ']');
}

/* Percent-encoded already, so it needs no escaping of JSON's. */
static void put_permalink(const struct answer *answer,
                          const struct json_more *more, struct text *out)
{
    json_name(out, "permalink");
    text_char(out, '"');
    text_str(out, answer->base_url);
    text_str(out, more ? more->path : "/compare");
    text_char(out, '?');
    if (more)
        more->query(more->of, out);
    else
        answer_query(answer, out);
    text_char(out, '"');
}

/* --- how sure -------------------------------------------------------------- */

static void put_sensitivity(const struct answer *answer, struct text *out)
{
    const struct sensitivity *s = &answer->sensitivity;
    char pair[3] = { (char)('a' + s->a), (char)('a' + s->b), '\0' };

    json_name(out, "sensitivity");
    if (!s->count) {
        text_str(out, "null");
        return;
    }
    text_char(out, '{');
    json_pair_string(out, "pair", pair);
    json_name(out, "rows");
    text_char(out, '[');
    for (int i = 0; i < s->count; i++) {
        const struct sensitivity_row *row = &s->row[i];
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "field", field_table[row->field].name);
        if (row->option < 0)
            text_str(out, ",\"option\":null");
        else
            put_letter(out, "option", row->option);
        json_pair_number(out, "low", row->low);
        json_pair_number(out, "high", row->high);
        json_pair_number(out, "saving_low", row->saving_low);
        json_pair_number(out, "saving_high", row->saving_high);
        json_pair_number(out, "flip", row->flip);
        text_char(out, '}');
    }
    text_str(out, "]}");
}

static void put_spread(const char *name, const struct spread *spread,
                       const struct histogram *histogram, struct text *out)
{
    json_name(out, name);
    text_char(out, '{');
    json_pair_number(out, "p5", spread->p5);
    json_pair_number(out, "p50", spread->p50);
    json_pair_number(out, "p95", spread->p95);
    if (histogram) {
        json_name(out, "histogram");
        text_char(out, '{');
        json_pair_number(out, "low", histogram->low);
        json_pair_number(out, "high", histogram->high);
        json_name(out, "count");
        text_char(out, '[');
        for (int i = 0; i < BIN_COUNT; i++) {
            json_next(out);
            json_number(out, histogram->count[i]);
        }
        text_str(out, "]}");
    }
    text_char(out, '}');
}

static void put_uncertainty(const struct answer *answer, struct text *out)
{
    const struct uncertainty *u = &answer->uncertainty;

    json_name(out, "uncertainty");
    if (!u->samples) {
        text_str(out, "null");
        return;
    }
    text_char(out, '{');
    json_pair_number(out, "samples", u->samples);
    json_pair_number(out, "seed", (double)u->seed);
    json_name(out, "options");
    text_char(out, '{');
    for (int i = 0; i < answer->study.option_count; i++) {
        char letter[2] = { (char)('a' + i), '\0' };
        json_name(out, letter);
        text_char(out, '{');
        put_spread("npv_cost", &u->npv_cost[i], &u->npv_histogram[i], out);
        put_spread("total_kg", &u->total_kg[i], &u->kg_histogram[i], out);
        json_pair_number(out, "probability_cheapest",
                         u->probability_cheapest[i]);
        json_pair_number(out, "probability_greenest",
                         u->probability_greenest[i]);
        text_char(out, '}');
    }
    text_str(out, "},\"pairs\":[");
    for (int i = 0; i < u->pair_count; i++) {
        json_next(out);
        text_char(out, '{');
        put_letter(out, "a", answer->verdict.pair[i].a);
        put_letter(out, "b", answer->verdict.pair[i].b);
        put_spread("saving_npv", &u->pair_saving[i], NULL, out);
        text_char(out, '}');
    }
    text_str(out, "]}");
}

void out_json(const struct answer *answer, struct text *out)
{
    out_json_more(answer, NULL, out);
}

void out_json_more(const struct answer *answer, const struct json_more *more,
                   struct text *out)
{
    const struct study *study = &answer->study;
    char day[11];

    text_char(out, '{');
    json_pair_string(out, "model_version", MODEL_VERSION);
    day_print(day, study->as_of_day);
    json_pair_string(out, "as_of", day);
    json_pair_string(out, "currency", study->currency);
    if (answer->input->key_value[K_case] > 0)
        json_pair_string(out, "case", answer->input->key_value[K_case] > 1
                                      ? "high" : "low");
    if (*study->label)
        json_pair_string(out, "label", study->label);
    put_permalink(answer, more, out);
    if (more)
        more->root(more->of, out);
    put_warnings(&answer->warnings, out);
    json_name(out, "options");
    text_char(out, '{');
    for (int i = 0; i < study->option_count; i++) {
        char letter[2] = { (char)('a' + i), '\0' };
        json_name(out, letter);
        put_option(answer, i, more, out);
    }
    text_char(out, '}');
    json_name(out, "pairs");
    text_char(out, '[');
    for (int i = 0; i < answer->verdict.count; i++)
        put_pair(&answer->verdict.pair[i], answer->range_straddles_zero[i],
                 out);
    text_char(out, ']');
    put_sensitivity(answer, out);
    put_uncertainty(answer, out);
    extras_json(answer, out);
    out_equivalent_json(answer, out);
    out_grant_json(answer, out);
    put_sources(answer, out);
    text_str(out, "}\n");
}

void out_problem(int status, const char *title,
                 const struct problems *problems, struct text *out)
{
    text_char(out, '{');
    json_pair_string(out, "type", "about:blank");
    json_pair_string(out, "title", title);
    json_pair_number(out, "status", status);
    json_name(out, "errors");
    text_char(out, '[');
    for (int i = 0; i < problems->count; i++) {
        const struct problem *p = &problems->problem[i];
        struct text words;
        text_init(&words, 1024);
        problem_words(p, 0, &words);
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "field", p->field);
        json_pair_string(out, "code", p->code);
        json_pair_string(out, "message", words.at ? words.at : p->code);
        if (*p->limit)
            json_pair_string(out, "limit", p->limit);
        if (*p->hint)
            json_pair_string(out, "hint", p->hint);
        text_char(out, '}');
        text_free(&words);
    }
    text_char(out, ']');
    if (problems->more)
        json_pair_number(out, "more", problems->more);
    text_str(out, "}\n");
}

void out_fields(struct text *out)
{
    static const char *const applies[] = { "shared", "both", "own", "rent" };
    static const char *const type[] = { "number", "whole", "choice", "name" };

    text_str(out, "{\"fields\":[");
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct field *field = &field_table[f];
        int numeric = field->type == FIELD_NUMBER || field->type == FIELD_WHOLE;
        json_next(out);
        text_char(out, '{');
        json_pair_string(out, "name", field->name);
        json_pair_string(out, "type", type[field->type]);
        json_pair_string(out, "applies", applies[field->applies]);
        json_pair_string(out, "unit", unit_table[field->unit].shown);
        json_pair_bool(out, "money", unit_table[field->unit].money);
        if (numeric) {
            json_pair_number(out, "preset", field->preset);
            json_pair_number(out, "min", field->min);
            json_pair_number(out, "max", field->max);
        } else {
            json_pair_string(out, "preset", field->text);
            json_pair_string(out, "choices", field->choices);
        }
        json_pair_string(out, "label", field->label);
        json_pair_string(out, "help", field->help);
        text_char(out, '}');
    }
    text_str(out, "]}\n");
}
