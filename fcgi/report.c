/* report.c: which figures are shown, in which order. */
#include "fcgi/report.h"

#include <math.h>
#include <string.h>

#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "pricing/num.h"

const char *const section_title[SECTION_COUNT] = {
    "Machines", "Paid over the whole time", "Cost", "Energy and water",
    "Carbon"
};

#define NO_FIGURE "no figure"

static struct report_row *row_add(struct report *report, const char *name,
                                  const char *label, const char *unit,
                                  const char *none, enum section section,
                                  enum shown_as as)
{
    struct report_row *row = &report->row[report->count];

    if (report->count < REPORT_ROW_MAX - 1)
        report->count++;
    memset(row, 0, sizeof *row);
    row->name = name;
    row->label = label;
    row->unit = unit;
    row->none = none;
    row->section = section;
    row->as = as;
    return row;
}

/* --- options -------------------------------------------------------------- */

/* Steps that are shown. own, rent: where they have a meaning. */
static const struct shown_step {
    int step;
    enum section section;
    enum shown_as as;
    int own, rent;
    const char *name, *label, *unit, *none;
} steps[] = {
#define ROW(name, section, as, own, rent, label, unit, none)                \
    { S_##name, SECTION_##section, AS_##as, own, rent, #name, label, unit, none }
    ROW(machine_used_count, MACHINES, NUMBER, 1, 2, "Number", "", NO_FIGURE),
    ROW(use_frac, MACHINES, PERCENT, 1, 0, "Share of time busy", "", NO_FIGURE),
    ROW(need_machine_hour_per_month, MACHINES, NUMBER, 1, 1,
        "Machine-hours needed", "h/month", NO_FIGURE),
    ROW(billed_machine_hour_per_month, MACHINES, NUMBER, 0, 1,
        "Machine-hours billed", "h/month", NO_FIGURE),
    ROW(monthly_equivalent_cost, COST, MONEY, 1, 1,
        "The same as a level cost a month", "", NO_FIGURE),
    ROW(cost_per_work_hour, COST, PRICE, 1, 1, "An hour of this work", "",
        "no work"),
    ROW(cost_per_gpu_hour, COST, PRICE, 1, 1, "A GPU-hour used or billed", "",
        "no work"),
    ROW(it_kwh, ENERGY, NUMBER, 1, 1, "Energy of the machines", "kWh",
        NO_FIGURE),
    ROW(meter_kwh, ENERGY, NUMBER, 1, 1, "Energy with cooling and losses",
        "kWh", NO_FIGURE),
    ROW(water_l, ENERGY, NUMBER, 1, 1, "Water", "L", NO_FIGURE),
    ROW(operational_kg, CARBON, NUMBER, 1, 1, "Electricity, location-based",
        "kg CO2e", NO_FIGURE),
    ROW(operational_market_kg, CARBON, NUMBER, 1, 1,
        "Electricity, market-based", "kg CO2e", NO_FIGURE),
    ROW(embodied_kg, CARBON, NUMBER, 1, 1, "Making the machines", "kg CO2e",
        NO_FIGURE),
    ROW(total_kg, CARBON, NUMBER, 1, 1, "Location-based and making",
        "kg CO2e", NO_FIGURE),
    ROW(carbon_cost, CARBON, MONEY, 1, 1, "Shadow cost of carbon", "",
        NO_FIGURE),
    ROW(npv_cost_with_carbon, CARBON, MONEY, 1, 1,
        "Present value with shadow cost", "", NO_FIGURE),
};
#undef ROW

static int step_applies(const struct answer *answer, int option,
                        const struct shown_step *step)
{
    const struct option *o = &answer->study.option[option];

    if (o->kind == KIND_OWN)
        return step->own;
    return step->rent == 1 ||
           (step->rent == 2 && term_month_of((int)o->value[F_term]) > 0);
}

static void add_steps(const struct answer *answer, struct report *report,
                      enum section section)
{
    int priced = answer->study.option[0].value[F_carbon_price_per_tonne] > 0;

    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        const struct shown_step *step = &steps[k];
        struct report_row *row;
        if (step->section != section ||
            (section == SECTION_CARBON && step->as == AS_MONEY && !priced))
            continue;
        row = row_add(report, step->name, step->label, step->unit, step->none,
                      section, step->as);
        for (int i = 0; i < answer->study.option_count; i++) {
            row->value[i] = answer->result[i].step[step->step];
            row->applies[i] = (unsigned char)step_applies(answer, i, step);
        }
    }
}

static int is_shown(const struct answer *answer, int item)
{
    for (int i = 0; i < answer->study.option_count; i++)
        if (fabs(answer->result[i].item[item]) > 0)
            return 1;
    return 0;
}

static void add_items(const struct answer *answer, struct report *report)
{
    for (int k = 0; k < ITEM_COUNT; k++) {
        struct report_row *row;
        if (!is_shown(answer, k))
            continue;
        row = row_add(report, item_table[k].name, item_table[k].label, "",
                      NO_FIGURE, SECTION_ITEMS, AS_MONEY);
        for (int i = 0; i < answer->study.option_count; i++) {
            row->value[i] = answer->result[i].item[k];
            row->applies[i] = answer->study.option[i].kind == KIND_OWN
                            ? item_table[k].own != 0
                            : item_table[k].rent != 0;
        }
    }
}

static void add_costs(const struct answer *answer, struct report *report)
{
    int count = answer->study.option_count;
    struct report_row *row;

    row = row_add(report, "total_cost", "Sum", "", NO_FIGURE, SECTION_ITEMS,
                  AS_MONEY);
    for (int i = 0; i < count; i++) {
        row->value[i] = answer->result[i].total_cost;
        row->applies[i] = 1;
    }
    row = row_add(report, "npv_cost", "Present value", "", NO_FIGURE,
                  SECTION_COST, AS_MONEY);
    for (int i = 0; i < count; i++) {
        row->value[i] = answer->result[i].npv_cost;
        row->applies[i] = 1;
    }
    row = row_add(report, "rank", "Rank", "", "not ranked", SECTION_COST,
                  AS_NUMBER);
    for (int i = 0; i < count; i++) {
        int rank = answer->result[i].rank;
        row->value[i] = rank ? rank : (double)NAN;
        row->applies[i] = 1;
    }
    add_steps(answer, report, SECTION_COST);
}

void report_options(const struct answer *answer, struct report *report)
{
    report->count = 0;
    add_steps(answer, report, SECTION_MACHINES);
    add_items(answer, report);
    add_costs(answer, report);
    add_steps(answer, report, SECTION_ENERGY);
    add_steps(answer, report, SECTION_CARBON);
}

/* --- pairs ------------------------------------------------------------------ */

static const struct shown_pair {
    size_t offset;
    enum shown_as as;
    const char *name, *label, *unit, *none;
} pair_rows[] = {
#define ROW(name, as, label, unit, none) \
    { offsetof(struct pair, name), AS_##as, #name, label, unit, none }
    ROW(saving_npv, MONEY, "Saved by the first, in present value", "",
        NO_FIGURE),
    ROW(saving_frac, PERCENT, "Of the smaller cost", "", "none"),
    ROW(break_even_month, MONTH, "Larger outlay paid back from", "", "never"),
    ROW(break_even_month_discounted, MONTH, "The same, discounted", "",
        "never"),
    ROW(break_even_busy_frac, PERCENT, "Pays from a time in use of", "",
        "never"),
    ROW(carbon_break_even_busy_frac, PERCENT,
        "Less carbon from a time in use of", "", "never"),
    ROW(break_even_rent_price_per_hour, PRICE, "Same cost at a rent of",
        "/hour", "at no rent"),
    ROW(break_even_energy_price_per_kwh, PRICE,
        "Same cost at an electricity price of", "/kWh", "at no price"),
    ROW(irr, PERCENT, "Return on the larger outlay", "/year", "none"),
};
#undef ROW

void report_pairs(const struct answer *answer, struct report *report)
{
    const struct verdict *verdict = &answer->verdict;
    struct report_row *row;

    report->count = 0;
    row = row_add(report, "heavy", "Larger outlay", "", "the same",
                  SECTION_COST, AS_LETTER);
    for (int i = 0; i < verdict->count; i++) {
        int heavy = verdict->pair[i].heavy;
        row->value[i] = heavy < 0 ? (double)NAN : heavy;
        row->applies[i] = 1;
    }
    for (size_t k = 0; k < sizeof pair_rows / sizeof *pair_rows; k++) {
        const struct shown_pair *each = &pair_rows[k];
        row = row_add(report, each->name, each->label, each->unit, each->none,
                      SECTION_COST, each->as);
        for (int i = 0; i < verdict->count; i++) {
            memcpy(&row->value[i], (const char *)&verdict->pair[i] +
                   each->offset, sizeof row->value[i]);
            row->applies[i] = 1;
        }
    }
}

/* --- values --------------------------------------------------------------------- */

int report_has(const struct report_row *row, int column)
{
    return row->applies[column] && isfinite(row->value[column]);
}

void report_value(const struct answer *answer, const struct report_row *row,
                  int column, struct text *out)
{
    const char *currency = answer->study.currency;
    double value = row->value[column];

    if (!row->applies[column]) {
        text_str(out, "\xE2\x80\x93");
        return;
    }
    if (!isfinite(value)) {
        text_str(out, say(answer->study.zh, row->none));
        return;
    }
    switch (row->as) {
    case AS_NUMBER:
        if (fabs(value) >= 100)
            shown_number(out, value, 0);
        else
            shown_digits(out, value, 3);
        break;
    case AS_PERCENT: shown_percent(out, value); break;
    case AS_MONEY: shown_money(out, currency, value); break;
    case AS_PRICE: shown_price(out, currency, value); break;
    case AS_MONTH:
        text_str(out, answer->study.zh ? "\xE7\xAC\xAC " : "month ");
        shown_number(out, value, 0);
        text_str(out, answer->study.zh ? " \xE4\xB8\xAA\xE6\x9C\x88" : "");
        break;
    case AS_LETTER: text_char(out, (char)('a' + (int)value)); break;
    }
}

int report_warns(const struct warning *warning)
{
    return strcmp(warning->code, "never") != 0 &&
           strcmp(warning->code, "no_work") != 0;
}

/* Messages hold names and days in English; other languages have a sentence
   a code, and the day when the message ends in one. */
void report_warning(int zh, const struct warning *warning, struct text *out)
{
    const char *said = say(zh, warning->code);
    size_t length = strlen(warning->message);
    const char *day = warning->message + (length < 10 ? 0 : length - 10);

    if (said == warning->code) {
        text_str(out, warning->message);
        return;
    }
    text_str(out, said);
    if (length >= 10 && day_read(day, 10)) {
        text_str(out, " (");
        text_str(out, day);
        text_char(out, ')');
    }
}
