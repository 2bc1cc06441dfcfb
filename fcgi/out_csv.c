/* out_csv.c: every input, figure and source as a row of the same columns. */
#include "fcgi/out_csv.h"

#include <math.h>
#include <string.h>

#include "fcgi/csv_body.h"
#include "fcgi/out_grant.h"
#include "fcgi/say.h"
#include "fcgi/sheet.h"
#include "fcgi/shown.h"
#include "pricing/boundary.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

enum { PIECE_BYTE_MAX = 64 * 1024 };

/* A cell is text, or a number when text is NULL. */
struct row {
    int option;                 /* -1: the study */
    const char *section, *name, *label, *text;
    double value;
    const char *unit;
    double low, high;
    const char *origin;
    int source;                 /* 0 none */
    const char *observed;
};

static const struct row empty = { .option = -1, .section = "", .name = "",
    .label = "", .value = (double)NAN, .unit = "", .low = (double)NAN,
    .high = (double)NAN, .origin = "", .observed = "" };

static void put_number(struct text *out, double value)
{
    char digits[NUM_TEXT_BYTE];

    text_char(out, ',');
    if (!isfinite(value))
        return;
    num_print(digits, value);
    text_str(out, digits);
}

static void put_cell(struct text *out, const char *text)
{
    text_char(out, ',');
    csv_cell(out, text);
}

static void put_row(struct text *out, const struct row *row)
{
    if (row->option >= 0)
        text_char(out, (char)('a' + row->option));
    put_cell(out, row->section);
    put_cell(out, row->name);
    put_cell(out, row->label);
    if (row->text)
        put_cell(out, row->text);
    else
        put_number(out, row->value);
    put_cell(out, row->unit);
    put_number(out, row->low);
    put_number(out, row->high);
    put_cell(out, row->origin);
    put_number(out, row->source ? row->source : (double)NAN);
    put_cell(out, row->observed);
    text_str(out, "\r\n");
}

static void put_text(struct text *out, const char *section, const char *name,
                     const char *text)
{
    struct row row = empty;

    row.section = section;
    row.name = name;
    row.text = text;
    put_row(out, &row);
}

/* --- the question --------------------------------------------------- */

static void put_study(const struct answer *answer, struct text *out)
{
    struct text link;
    char day[11];

    day_print(day, answer->study.as_of_day);
    put_text(out, "study", "model_version", MODEL_VERSION);
    put_text(out, "study", "as_of", day);
    put_text(out, "study", "currency", answer->study.currency);
    text_init(&link, PIECE_BYTE_MAX);
    text_str(&link, answer->base_url);
    text_str(&link, "/compare?");
    answer_query(answer, &link);
    put_text(out, "study", "permalink", link.at ? link.at : "");
    put_text(out, "study", "note",
             say(answer->study.zh, "An estimate, not a quotation"));
    text_free(&link);
}

/* The canonical query, decoded again: what is posted back. */
static void put_asked(const struct answer *answer, struct text *out)
{
    struct text query;
    struct query_pair pair;
    const char *at;

    text_init(&query, PIECE_BYTE_MAX);
    answer_query(answer, &query);
    at = query.at ? query.at : "";
    while (query_pair_next(&at, &pair))
        put_text(out, CSV_ASKED, pair.key, pair.value);
    text_free(&query);
}

/* --- inputs --------------------------------------------------------- */

static void put_input(const struct answer *answer, int i, int f,
                      struct text *out)
{
    const struct option *o = &answer->study.option[i];
    const struct origin *origin = &o->origin[f];
    const struct field *field = &field_table[f];
    int source = answer->source_of[i][f];
    struct row row = empty;
    struct text value, unit;
    char day[11];

    text_init(&value, PIECE_BYTE_MAX);
    text_init(&unit, PIECE_BYTE_MAX);
    row.option = i;
    row.section = "input";
    row.name = field->name;
    row.label = say(answer->study.zh, field->label);
    row.value = o->value[f];
    if (field->type == FIELD_NAME || field->type == FIELD_CHOICE) {
        shown_value(&value, o, f);
        row.text = value.at ? value.at : "";
    }
    shown_unit(&unit, &answer->study, f);
    row.unit = unit.at ? unit.at : "";
    row.origin = origin->estimate ? "estimate" : origin_name[origin->kind];
    row.source = source;
    if (source)
        row.observed = cited_date(&answer->cited[source - 1], day);
    put_row(out, &row);
    text_free(&value);
    text_free(&unit);
}

/* --- figures -------------------------------------------------------- */

static const struct { int step, money; const char *name, *unit, *label; }
steps[] = {
#define ROW(name, money, unit, label) { S_##name, money, #name, unit, label }
    { S_machine_used_count, 0, "machine_count", "", "Number" },
    ROW(use_frac, 0, "", "Share of time busy"),
    { S_capex_cost, 1, "capex", "", "Outlay" },
    ROW(need_machine_hour_per_month, 0, "h/month", "Machine-hours needed"),
    ROW(billed_machine_hour_per_month, 0, "h/month", "Machine-hours billed"),
    ROW(monthly_equivalent_cost, 1, "/month",
        "The same as a level cost a month"),
    ROW(cost_per_work_hour, 1, "/hour", "An hour of this work"),
    ROW(cost_per_gpu_hour, 1, "/hour", "A GPU-hour used or billed"),
    ROW(carbon_cost, 1, "", "Shadow cost of carbon"),
    ROW(npv_cost_with_carbon, 1, "", "Present value with shadow cost"),
    ROW(it_kwh, 0, "kWh", "Energy of the machines"),
    ROW(meter_kwh, 0, "kWh", "Energy with cooling and losses"),
    ROW(operational_kg, 0, "kg CO2e", "Electricity, location-based"),
    ROW(operational_market_kg, 0, "kg CO2e", "Electricity, market-based"),
    ROW(embodied_kg, 0, "kg CO2e", "Making the machines"),
    ROW(total_kg, 0, "kg CO2e", "Location-based and making"),
    ROW(water_l, 0, "L", "Water"),
#undef ROW
};

/* The number of machines of what is billed by the hour is not known. */
static int has_step(const struct answer *answer, int i, int step)
{
    const struct option *o = &answer->study.option[i];

    return step != S_machine_used_count || o->kind == KIND_OWN ||
           answer->result[i].step[step] > 0 ||
           term_month_of((int)o->value[F_term]) > 0;
}

static void put_figure(const struct answer *answer, int i, const char *section,
                       const char *name, const char *label, double value,
                       int money, const char *unit, struct text *out)
{
    struct row row = empty;
    char shown[48] = "";

    strncat(shown, money ? answer->study.currency : "", 8);
    strncat(shown, unit, 32);
    row.option = i;
    row.section = section;
    row.name = name;
    row.label = say(answer->study.zh, label);
    row.value = value;
    row.unit = shown;
    put_row(out, &row);
}

/* Carbon by scope (market-based in a section of its own), the parts of
   ISO/IEC 21031 and the band of manufacture. */
static void put_boundary(const struct answer *answer, int i, struct text *out)
{
    static const char kg[] = "kg CO2e", sci[] = "sci";
    struct boundary b;
    struct row band = empty;

    boundary_of(&answer->study.option[i], &answer->result[i], &b);
    for (int k = 0; k < b.line_count; k++) {
        put_figure(answer, i, "scope location_kg", b.line[k].scope,
                   b.line[k].label, b.line[k].location_kg, 0, kg, out);
        put_figure(answer, i, "scope market_kg", b.line[k].scope,
                   b.line[k].label, b.line[k].market_kg, 0, kg, out);
    }
    put_figure(answer, i, sci, "e_kwh", "", b.sci.e_kwh, 0, "kWh", out);
    put_figure(answer, i, sci, "i_g_per_kwh", "", b.sci.i_g_per_kwh, 0,
               "g CO2e/kWh", out);
    put_figure(answer, i, sci, "o_kg", "", b.sci.o_kg, 0, kg, out);
    put_figure(answer, i, sci, "m_kg", "", b.sci.m_kg, 0, kg, out);
    put_figure(answer, i, sci, "r_gpu_hour", "", b.sci.r_gpu_hour, 0, "h",
               out);
    put_figure(answer, i, sci, "g_per_gpu_hour", "", b.sci.g_per_gpu_hour, 0,
               "g CO2e/h", out);
    band.option = i;
    band.section = "embodied_band";
    band.name = "embodied_kg";
    band.label = b.band.study;
    band.value = b.band.value_kg;
    band.low = b.band.low_kg;
    band.high = b.band.high_kg;
    band.unit = kg;
    put_row(out, &band);
}

static void put_results(const struct answer *answer, int i, struct text *out)
{
    const struct result *r = &answer->result[i];
    int own = answer->study.option[i].kind == KIND_OWN;

    put_figure(answer, i, "result", "rank", "Rank",
               r->rank ? r->rank : (double)NAN, 0, "", out);
    put_figure(answer, i, "result", "total_cost", "Sum", r->total_cost, 1, "",
               out);
    put_figure(answer, i, "result", "npv_cost", "Present value", r->npv_cost,
               1, "", out);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        put_figure(answer, i, "result", steps[k].name, steps[k].label,
                   has_step(answer, i, steps[k].step)
                   ? r->step[steps[k].step] : (double)NAN,
                   steps[k].money, steps[k].unit, out);
    for (int k = 0; k < ITEM_COUNT; k++)
        if (own ? item_table[k].own : item_table[k].rent)
            put_figure(answer, i, "item", item_table[k].name,
                       item_table[k].label, r->item[k], 1, "", out);
    put_boundary(answer, i, out);
    for (int m = 0; m <= r->month_count; m++) {
        char month[NUM_TEXT_BYTE];
        num_print(month, m);
        put_figure(answer, i, "flow", month, "", r->flow[m], 1, "", out);
    }
}

static const struct { size_t offset; int money; const char *name, *unit, *label; }
pair_rows[] = {
#define ROW(name, money, unit, label) \
    { offsetof(struct pair, name), money, #name, unit, label }
    ROW(saving_npv, 1, "", "Saved by the first, in present value"),
    ROW(saving_frac, 0, "", "Of the smaller cost"),
    ROW(break_even_month, 0, "", "Larger outlay paid back from"),
    ROW(break_even_month_discounted, 0, "", "The same, discounted"),
    ROW(break_even_busy_frac, 0, "", "Pays from a time in use of"),
    ROW(carbon_break_even_busy_frac, 0, "",
        "Less carbon from a time in use of"),
    ROW(break_even_rent_price_per_hour, 1, "/hour", "Same cost at a rent of"),
    ROW(break_even_energy_price_per_kwh, 1, "/kWh",
        "Same cost at an electricity price of"),
    ROW(irr, 0, "/year", "Return on the larger outlay"),
#undef ROW
};

/* The section names the pair: "pair ab". */
static void put_pair(const struct answer *answer, const struct pair *pair,
                     struct text *out)
{
    char section[] = "pair ab";

    section[5] = (char)('a' + pair->a);
    section[6] = (char)('a' + pair->b);
    for (size_t k = 0; k < sizeof pair_rows / sizeof *pair_rows; k++) {
        double value;
        memcpy(&value, (const char *)pair + pair_rows[k].offset, sizeof value);
        put_figure(answer, -1, section, pair_rows[k].name, pair_rows[k].label,
                   value, pair_rows[k].money, pair_rows[k].unit, out);
    }
}

static void put_sensitivity(const struct answer *answer, struct text *out)
{
    const struct sensitivity *s = &answer->sensitivity;

    for (int i = 0; i < s->count; i++) {
        const struct sensitivity_row *each = &s->row[i];
        struct row row = empty;
        row.option = each->option;
        row.section = "sensitivity saving_npv";
        row.name = field_table[each->field].name;
        row.label = say(answer->study.zh, field_table[each->field].label);
        row.unit = answer->study.currency;
        row.low = each->saving_low;
        row.high = each->saving_high;
        put_row(out, &row);
    }
}

/* value is the median, low and high the 5 and 95 % percentiles. */
static void put_spread(int option, const char *name, const char *unit,
                       const struct spread *spread, struct text *out)
{
    struct row row = empty;

    row.option = option;
    row.section = "uncertainty";
    row.name = name;
    row.value = spread->p50;
    row.unit = unit;
    row.low = spread->p5;
    row.high = spread->p95;
    put_row(out, &row);
}

static void put_uncertainty(const struct answer *answer, struct text *out)
{
    const struct uncertainty *u = &answer->uncertainty;

    if (!u->samples)
        return;
    for (int i = 0; i < answer->study.option_count; i++) {
        put_spread(i, "npv_cost", answer->study.currency, &u->npv_cost[i],
                   out);
        put_spread(i, "total_kg", "kg CO2e", &u->total_kg[i], out);
    }
}

/* --- remarks and sources ---------------------------------------------- */

static void put_warnings(const struct answer *answer, struct text *out)
{
    for (int i = 0; i < answer->warnings.count; i++) {
        const struct warning *each = &answer->warnings.warning[i];
        struct row row = empty;
        row.option = each->option ? each->option - 'a' : -1;
        row.section = "warning";
        row.name = each->code;
        row.label = each->field;
        row.text = each->message;
        put_row(out, &row);
    }
}

static void put_sources(const struct answer *answer, struct text *out)
{
    char day[11];

    for (int i = 0; i < answer->cited_count; i++) {
        const struct cited *c = &answer->cited[i];
        struct row row = empty;
        row.section = "source";
        row.name = c->source->licence;
        row.label = c->source->title;
        row.text = c->source->address;
        row.source = i + 1;
        row.observed = cited_date(c, day);
        put_row(out, &row);
    }
}

void out_csv(const struct answer *answer, struct text *out)
{
    if (answer->input->key_value[K_bom] > 0)
        text_str(out, "\xEF\xBB\xBF");
    text_str(out, "option,section,name,label,value,unit,low,high,origin,"
                  "source,observed\r\n");
    put_study(answer, out);
    put_asked(answer, out);
    for (int i = 0; i < answer->study.option_count; i++)
        for (int f = 0; f < FIELD_COUNT; f++)
            if (option_has(i, answer->study.option[i].kind, f))
                put_input(answer, i, f, out);
    for (int i = 0; i < answer->study.option_count; i++)
        put_results(answer, i, out);
    for (int i = 0; i < answer->verdict.count; i++)
        put_pair(answer, &answer->verdict.pair[i], out);
    put_sensitivity(answer, out);
    put_uncertainty(answer, out);
    if (grant_asked(answer))
        out_grant_csv(answer, out);
    put_warnings(answer, out);
    put_sources(answer, out);
}
