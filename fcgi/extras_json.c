/* extras_json.c: what an answer says beyond its options, in JSON. */
#include "fcgi/extras_json.h"

#include <math.h>
#include <stdio.h>

#include "fcgi/extras.h"
#include "fcgi/json.h"
#include "pricing/num.h"

static void put_text(struct text *out, const char *name, const char *text)
{
    if (text && *text) {
        json_pair_string(out, name, text);
        return;
    }
    json_name(out, name);
    text_str(out, "null");
}

static void put_letter(struct text *out, const char *name, int option)
{
    char letter[2] = { (char)('a' + option), '\0' };

    put_text(out, name, option < 0 ? NULL : letter);
}

static void put_count(struct text *out, const char *name, int count)
{
    json_pair_number(out, name, count ? count : (double)NAN);
}

/* --- cases ---------------------------------------------------------------- */

static void put_case(const struct answer *answer, const char *name,
                     const struct case_row *row, struct text *out)
{
    int a = answer->sensitivity.a, b = answer->sensitivity.b;

    json_name(out, name);
    text_str(out, "{\"options\":{");
    for (int i = 0; i < answer->study.option_count; i++) {
        char letter[2] = { (char)('a' + i), '\0' };
        json_name(out, letter);
        text_char(out, '{');
        json_pair_number(out, "npv_cost", row->npv_cost[i]);
        json_pair_number(out, "total_kg", row->total_kg[i]);
        text_char(out, '}');
    }
    text_char(out, '}');
    json_pair_number(out, "saving_npv", row->npv_cost[b] - row->npv_cost[a]);
    text_char(out, '}');
}

static void put_cases(const struct answer *answer, struct text *out)
{
    json_name(out, "cases");
    if (!answer->sensitivity.count) {
        text_str(out, "null");
        return;
    }
    text_char(out, '{');
    put_case(answer, "low", &answer->cases[CASE_LOW], out);
    put_case(answer, "base", &answer->cases[CASE_BASE], out);
    put_case(answer, "high", &answer->cases[CASE_HIGH], out);
    text_char(out, '}');
}

/* --- grid ----------------------------------------------------------------- */

static void put_axis(const char *name, const struct range *range,
                     struct text *out)
{
    json_name(out, name);
    text_char(out, '{');
    json_pair_string(out, "field", field_table[range->field].name);
    put_letter(out, "option", range->option);
    json_pair_number(out, "value", range->value);
    json_name(out, "values");
    text_char(out, '[');
    for (int i = 0; i < GRID_COUNT; i++) {
        json_next(out);
        json_number(out, grid_at(range, i));
    }
    text_str(out, "]}");
}

static void put_grid(const struct answer *answer, struct text *out)
{
    const struct grid *grid = &answer->grid;
    char pair[3] = { (char)('a' + grid->a), (char)('a' + grid->b), '\0' };

    json_name(out, "grid");
    if (!answer->has_grid) {
        text_str(out, "null");
        return;
    }
    text_char(out, '{');
    json_pair_string(out, "pair", pair);
    put_axis("x", &grid->x, out);
    put_axis("y", &grid->y, out);
    json_name(out, "saving_npv");
    text_char(out, '[');
    for (int j = 0; j < GRID_COUNT; j++) {
        json_next(out);
        text_char(out, '[');
        for (int i = 0; i < GRID_COUNT; i++) {
            json_next(out);
            json_number(out, grid->saving[j][i]);
        }
        text_char(out, ']');
    }
    text_char(out, ']');
    json_name(out, "indifference_y");
    text_char(out, '[');
    for (int i = 0; i < GRID_COUNT; i++) {
        json_next(out);
        json_number(out, grid->even_y[i]);
    }
    text_str(out, "]}");
}

/* --- alternatives --------------------------------------------------------- */

static void put_offer(const struct alternative *row, struct text *out)
{
    const struct price *p = row->price;
    int commitment = p && term_month_of(p->term) > 0;

    put_text(out, "provider", p ? p->provider : NULL);
    put_text(out, "instance", p ? p->instance : NULL);
    put_text(out, "region", p ? p->region : NULL);
    put_text(out, "term", p ? term_name[p->term] : NULL);
    put_text(out, "payment", commitment ? payment_name[p->payment] : NULL);
    put_text(out, "server", row->server ? row->server->id : NULL);
    put_text(out, "gpu", row->gpu ? row->gpu->id : NULL);
    json_pair_number(out, "gpu_count", row->gpu_count);
}

static void put_source(const struct answer *answer, int at, struct text *out)
{
    const struct alternative *row = &answer->alternatives.row[at];
    const struct origin *origin = &row->origin;
    int source = answer->source_of_alternative[at];
    char day[11] = "";

    if (origin->day)
        day_print(day, origin->day);
    put_text(out, "price_date", origin->day ? day : origin->source.date);
    if (row->price && row->price->undated)
        json_pair_bool(out, "undated", 1);
    if (row->old)
        json_pair_bool(out, "old", 1);
    if (origin->estimate)
        json_pair_bool(out, "estimate", 1);
    put_count(out, "source", source);
}

static void put_alternative(const struct answer *answer, int at,
                            struct text *out)
{
    const struct alternative *row = &answer->alternatives.row[at];
    struct text word;

    text_init(&word, 1024);
    extras_declaration(row, &word);
    json_next(out);
    text_char(out, '{');
    put_count(out, "rank", row->rank);
    put_count(out, "rank_with_carbon", row->rank_with_carbon);
    json_pair_bool(out, "pareto", row->pareto);
    json_pair_string(out, "kind", row->kind == KIND_OWN ? "own" : "rent");
    json_pair_string(out, "label", row->label);
    put_text(out, "declaration", word.at);
    put_offer(row, out);
    json_pair_number(out, "machine_count", row->machine_count);
    json_pair_number(out, "running_machine_count", row->running_machine_count);
    json_pair_number(out, "npv_cost", row->npv_cost);
    json_pair_number(out, "monthly_equivalent_cost",
                     row->monthly_equivalent_cost);
    json_pair_number(out, "cost_per_gpu_hour", row->cost_per_gpu_hour);
    json_pair_number(out, "npv_cost_with_carbon", row->npv_cost_with_carbon);
    json_pair_number(out, "meter_kwh", row->meter_kwh);
    json_pair_number(out, "operational_kg", row->operational_kg);
    json_pair_number(out, "total_kg", row->total_kg);
    json_pair_number(out, "capex", row->capex_cost);
    json_pair_number(out, "price_per_hour", row->price_per_hour);
    json_pair_number(out, "upfront_price", row->upfront_price);
    put_source(answer, at, out);
    text_char(out, '}');
    text_free(&word);
}

static void put_alternatives(const struct answer *answer, struct text *out)
{
    const struct alternatives *found = &answer->alternatives;

    json_name(out, "alternatives");
    text_char(out, '[');
    for (int i = 0; i < found->count; i++)
        put_alternative(answer, i, out);
    text_char(out, ']');
    json_pair_number(out, "alternative_count", found->ranked_count < 0 ?
                     (double)NAN : (double)found->ranked_count);
    json_name(out, "pareto_front");
    text_char(out, '[');
    for (int i = 0; i < found->front_count; i++)
        put_alternative(answer, found->front[i], out);
    text_char(out, ']');
}

/* --- explanation ---------------------------------------------------------- */

static void put_unit(const struct answer *answer, enum unit unit,
                     struct text *out)
{
    char shown[48];

    snprintf(shown, sizeof shown, "%s%s",
             unit_table[unit].money ? answer->study.currency : "",
             unit_table[unit].shown);
    json_pair_string(out, "unit", shown);
}

static void put_node_value(const struct answer *answer,
                           const struct explain_node *node, struct text *out)
{
    const struct option *o;
    const char *word;
    char text[NAME_BYTE_MAX];
    size_t length;

    if (node->field < 0 || field_table[node->field].type <= FIELD_WHOLE) {
        json_pair_number(out, "value", node->value);
        return;
    }
    o = &answer->study.option[node->option];
    if (field_table[node->field].type == FIELD_NAME) {
        json_pair_string(out, "value", o->name[node->field]);
        return;
    }
    word = choice_word(field_table[node->field].choices, (int)node->value,
                       &length);
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    json_pair_string(out, "value", text);
}

static void put_origin(const struct answer *answer,
                       const struct explain_node *node, struct text *out)
{
    const struct origin *origin =
        &answer->study.option[node->option].origin[node->field];

    json_pair_string(out, "origin", origin_name[origin->kind]);
    if (origin->estimate)
        json_pair_bool(out, "estimate", 1);
    put_count(out, "source", answer->source_of[node->option][node->field]);
}

static void put_node(const struct answer *answer,
                     const struct explain_node *node, struct text *out)
{
    text_char(out, '{');
    json_pair_string(out, "name", node->name);
    put_letter(out, "option", node->option);
    json_pair_string(out, "label", node->label);
    put_node_value(answer, node, out);
    put_unit(answer, node->unit, out);
    if (node->month >= 0)
        json_pair_number(out, "month", node->month);
    if (node->kind == EXPLAIN_SUM)
        json_pair_bool(out, "sum_over_months", 1);
    if (node->field >= 0)
        put_origin(answer, node, out);
    if (*node->note)
        json_pair_string(out, "note", node->note);
    if (*node->formula)
        json_pair_string(out, "formula", node->formula);
    if (node->again)
        json_pair_bool(out, "explained_before", 1);
}

/* Nodes are listed with their depth: brackets follow from it. */
static void put_explanation(const struct answer *answer, struct text *out)
{
    const struct explanation *e = &answer->explanation;

    json_name(out, "explain");
    if (!answer->has_explanation) {
        text_str(out, "null");
        return;
    }
    for (int i = 0; i < e->count; i++) {
        int next = i + 1 < e->count ? e->node[i + 1].depth : 0;
        if (i > 0)
            json_next(out);
        put_node(answer, &e->node[i], out);
        if (next > e->node[i].depth) {
            json_name(out, "inputs");
            text_char(out, '[');
            continue;
        }
        text_char(out, '}');
        for (int depth = e->node[i].depth; depth > next; depth--)
            text_str(out, "]}");
    }
}

void extras_json(const struct answer *answer, struct text *out)
{
    put_cases(answer, out);
    put_grid(answer, out);
    put_alternatives(answer, out);
    put_explanation(answer, out);
}
