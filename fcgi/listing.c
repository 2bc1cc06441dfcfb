/* listing.c: picks and words the cells. */
#include "fcgi/listing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "pricing/num.h"

enum { STORE_BYTE_MAX = 1024 * 1024 };

const char *listing_cell(const struct listing *listing, int row, int column)
{
    return listing->store.at ? listing->store.at + listing->at[row][column]
                             : "";
}

void listing_free(struct listing *listing)
{
    text_free(&listing->store);
}

static const struct { const char *title, *note; } kinds[LISTED_COUNT] = {
    [LISTED_CASES] = { "Worst and best case",
        "Every uncertain input at the end of its range that is worst, or "
        "best, for option a." },
    [LISTED_COSTS] = { "Cost over all draws", "" },
    [LISTED_CARBON] = { "Carbon over all draws", "" },
    [LISTED_SWINGS] = { "One uncertain input at a time",
        "What the first option saves when one input moves and the others "
        "stay, and the value at which the answer turns." },
    [LISTED_GRID] = { "Saving by two inputs", "" },
    [LISTED_ALTERNATIVES] = { "Other ways to do the same work",
        "Offers and machines of the catalogue, each as many as the work "
        "needs, cheapest first. A dot: nothing is both cheaper and cleaner." },
    [LISTED_FRONT] = { "From cheap to clean",
        "Nothing costs less with as little carbon." },
};

/* --- filling -------------------------------------------------------------- */

struct maker {
    const struct answer *answer;
    struct listing *out;
    int row, column, brief;
};

static const char *tell(const struct maker *m, const char *english)
{
    return say(m->answer->study.zh, english);
}

static void row_begin(struct maker *m, int link)
{
    m->out->link[m->row] = link;
    m->column = 0;
    for (int i = 0; i < LISTING_COLUMN_MAX; i++)
        m->out->at[m->row][i] = 0;
}

/* Ends the row; the heads are row 0. */
static void row_end(struct maker *m)
{
    if (m->row == 0)
        m->out->columns = m->column;
    m->out->rows = m->row;
    if (m->row < LISTING_ROW_MAX)
        m->row++;
}

/* What follows until cell_end is the next cell. */
static struct text *cell(struct maker *m)
{
    if (m->column < LISTING_COLUMN_MAX)
        m->out->at[m->row][m->column++] = m->out->store.byte;
    return &m->out->store;
}

static void cell_end(struct maker *m)
{
    text_put(&m->out->store, "", 1);
}

static void word_cell(struct maker *m, const char *words)
{
    text_str(cell(m), words);
    cell_end(m);
}

static void heads(struct maker *m, const char *const *head, int count)
{
    row_begin(m, -1);
    for (int i = 0; i < count; i++)
        word_cell(m, tell(m, head[i]));
    row_end(m);
}

static void money_cell(struct maker *m, double value)
{
    struct text *out = cell(m);

    if (!isfinite(value))
        text_str(out, "\xE2\x80\x93");
    else if (m->brief && fabs(value) >= 1e7)
        shown_rounded(out, m->answer->study.currency, value);
    else
        shown_money(out, m->answer->study.currency, value);
    cell_end(m);
}

/* The same; in brief rounded and without currency, where many stand. */
static void saving_cell(struct maker *m, double value)
{
    if (!m->brief || !isfinite(value)) {
        money_cell(m, value);
        return;
    }
    shown_rounded(cell(m), "", value);
    cell_end(m);
}

static void number_cell(struct maker *m, double value, int decimals)
{
    shown_number(cell(m), value, decimals);
    cell_end(m);
}

static void digits_cell(struct maker *m, double value, int digits)
{
    shown_digits(cell(m), value, digits);
    cell_end(m);
}

/* A value of a field with its unit; brief: money without its currency. */
static void put_value(const struct answer *answer, int field, double value,
                      int brief, struct text *out)
{
    const struct unit_row *unit = &unit_table[field_table[field].unit];
    const char *shown = say(answer->study.zh, unit->shown);

    if (field == F_machine_speed &&
        answer->study.option[0].value[F_speed_basis] > 0)
        shown = "GPUs";
    if (!isfinite(value)) {
        text_str(out, "\xE2\x80\x93");
    } else if (unit->money && brief) {
        shown_digits(out, value, 4);
        text_str(out, shown);
    } else if (unit->money) {
        shown_price(out, answer->study.currency, value);
        text_str(out, shown);
    } else if (field_table[field].unit == UNIT_FRAC ||
               field_table[field].unit == UNIT_FRAC_PER_YEAR) {
        shown_percent(out, value);
        text_str(out, shown);
    } else {
        shown_digits(out, value, 4);
        text_str(out, *shown ? " " : "");
        text_str(out, shown);
    }
}

static void value_cell(struct maker *m, int field, double value)
{
    put_value(m->answer, field, value, m->brief, cell(m));
    cell_end(m);
}

static void option_cell(struct maker *m, int option)
{
    struct text *out = cell(m);

    text_char(out, (char)('a' + option));
    if (!m->brief) {
        text_char(out, ' ');
        text_str(out, answer_label(m->answer, option));
    }
    cell_end(m);
}

/* --- cases ---------------------------------------------------------------- */

static void make_cases(struct maker *m)
{
    static const char *const name[CASE_COUNT] = {
        "Worst for option a", "As it is", "Best for option a" };
    const struct answer *answer = m->answer;
    int count = answer->study.option_count;

    if (!answer->sensitivity.count)
        return;
    row_begin(m, -1);
    word_cell(m, "");
    for (int i = 0; i < count; i++)
        option_cell(m, i);
    word_cell(m, tell(m, "Saving"));
    row_end(m);
    for (int k = 0; k < CASE_COUNT; k++) {
        const double *npv = answer->cases[k].npv_cost;
        row_begin(m, -1);
        word_cell(m, tell(m, name[k]));
        for (int i = 0; i < count; i++)
            money_cell(m, npv[i]);
        money_cell(m, npv[answer->sensitivity.b] - npv[answer->sensitivity.a]);
        row_end(m);
    }
}

/* --- draws ---------------------------------------------------------------- */

static void percent_cell(struct maker *m, double share)
{
    struct text *out = cell(m);

    shown_number(out, share * 100, share > 0 && share < 0.01 ? 1 : 0);
    text_str(out, " %");
    cell_end(m);
}

/* Money, or kilograms as tonnes. */
static void spread_cells(struct maker *m, const struct spread *spread,
                         int money)
{
    const double value[] = { spread->p5, spread->p50, spread->p95 };

    for (int i = 0; i < 3; i++)
        if (money)
            money_cell(m, value[i]);
        else
            digits_cell(m, value[i] / 1000, 3);
}

static void make_spread(struct maker *m, int money)
{
    static const char *const head[][5] = {
        { "", "t CO2e, 5 %", "50 %", "95 %", "Chance of least carbon" },
        { "", "Cost, 5 %", "50 %", "95 %", "Chance of being cheapest" } };
    const struct uncertainty *u = &m->answer->uncertainty;

    if (!u->samples)
        return;
    heads(m, head[money], 5);
    for (int i = 0; i < m->answer->study.option_count; i++) {
        row_begin(m, -1);
        option_cell(m, i);
        spread_cells(m, money ? &u->npv_cost[i] : &u->total_kg[i], money);
        percent_cell(m, money ? u->probability_cheapest[i]
                              : u->probability_greenest[i]);
        row_end(m);
    }
}

/* --- one input at a time -------------------------------------------------- */

static void make_swings(struct maker *m)
{
    static const char *const head[] = { "", "Low", "High", "Saving at low",
                                        "at high", "Turns at" };
    const struct sensitivity *s = &m->answer->sensitivity;

    if (!s->count)
        return;
    if (m->brief)
        snprintf(m->out->title, sizeof m->out->title, "%s (%s)",
                 tell(m, kinds[LISTED_SWINGS].title),
                 m->answer->study.currency);
    heads(m, head, sizeof head / sizeof *head);
    for (int i = 0; i < s->count; i++) {
        const struct sensitivity_row *row = &s->row[i];
        struct text *out;
        row_begin(m, -1);
        out = cell(m);
        if (row->option >= 0) {
            text_char(out, (char)('a' + row->option));
            text_char(out, ' ');
        }
        text_str(out, tell(m, field_table[row->field].label));
        cell_end(m);
        value_cell(m, row->field, row->low);
        value_cell(m, row->field, row->high);
        saving_cell(m, row->saving_low);
        saving_cell(m, row->saving_high);
        value_cell(m, row->field, row->flip);
        row_end(m);
    }
}

/* --- two inputs at a time ------------------------------------------------- */

/* The letter and the label of an axis, into the title. */
static void axis_name(const struct maker *m, const struct range *range,
                      char *out, size_t room)
{
    char letter[3] = { (char)('a' + range->option), ' ', '\0' };

    snprintf(out, room, "%s%s", range->option < 0 ? "" : letter,
             tell(m, field_table[range->field].label));
}

static void make_grid(struct maker *m)
{
    const struct grid *grid = &m->answer->grid;
    char x[80], y[80];

    if (!m->answer->has_grid)
        return;
    axis_name(m, &grid->x, x, sizeof x);
    axis_name(m, &grid->y, y, sizeof y);
    snprintf(m->out->title, sizeof m->out->title, "%s: %s \xE2\x86\x92, %s "
             "\xE2\x86\x93", tell(m, "Saving by two inputs"), x, y);
    row_begin(m, -1);
    word_cell(m, "");
    for (int i = 0; i < GRID_COUNT; i++)
        value_cell(m, grid->x.field, grid_at(&grid->x, i));
    row_end(m);
    for (int j = 0; j < GRID_COUNT; j++) {
        row_begin(m, -1);
        value_cell(m, grid->y.field, grid_at(&grid->y, j));
        for (int i = 0; i < GRID_COUNT; i++)
            number_cell(m, grid->saving[j][i], 0);
        row_end(m);
    }
    row_begin(m, -1);
    word_cell(m, tell(m, "No saving at"));
    for (int i = 0; i < GRID_COUNT; i++)
        value_cell(m, grid->y.field, grid->even_y[i]);
    row_end(m);
}

/* --- alternatives --------------------------------------------------------- */

static void price_day_cell(struct maker *m, const struct alternative *row)
{
    struct text *out = cell(m);
    char day[11];

    if (row->price && row->price->undated) {
        text_str(out, tell(m, "no date"));
    } else if (row->origin.day) {
        day_print(day, row->origin.day);
        text_str(out, day);
    } else {
        text_str(out, row->origin.source.date);
    }
    if (row->price && row->origin.estimate) {
        text_str(out, ", ");
        text_str(out, tell(m, "derived"));
    }
    if (row->old) {
        text_str(out, ", ");
        text_str(out, tell(m, "old price"));
    }
    cell_end(m);
}

static void label_cell(struct maker *m, const struct alternative *row)
{
    struct text *out = cell(m);
    char label[LABEL_BYTE_MAX + 1];

    if (row->kind == KIND_OWN && row->machine_count > 1) {
        shown_number(out, row->machine_count, 0);
        text_str(out, " \xC3\x97 (");
        text_str(out, row->label);
        text_char(out, ')');
    } else {
        memcpy(label, row->label, sizeof label);
        if (row->price)
            answer_say_term(m->answer->study.zh, row->price->term, label,
                            sizeof label);
        text_str(out, label);
    }
    cell_end(m);
}

static int is_priced(const struct maker *m)
{
    return m->answer->study.option[0].value[F_carbon_price_per_tonne] > 0;
}

static void add_alternative(struct maker *m, int at)
{
    const struct alternative *row = &m->answer->alternatives.row[at];

    row_begin(m, at);
    label_cell(m, row);
    number_cell(m, row->rank, 0);
    if (is_priced(m))
        number_cell(m, row->rank_with_carbon ? row->rank_with_carbon
                                             : (double)NAN, 0);
    money_cell(m, row->npv_cost);
    number_cell(m, row->meter_kwh, 0);
    digits_cell(m, row->total_kg / 1000, 3);
    word_cell(m, row->pareto ? "\xE2\x97\x8F" : "");
    if (!m->brief) {
        shown_price(cell(m), m->answer->study.currency,
                    row->cost_per_gpu_hour);
        cell_end(m);
        price_day_cell(m, row);
    }
    row_end(m);
}

static void head_alternatives(struct maker *m)
{
    static const char *const more[] = { "Present value", "kWh", "t CO2e",
                                        "Front", "A GPU-hour", "Price of" };

    row_begin(m, -1);
    word_cell(m, "");
    word_cell(m, tell(m, "Rank"));
    if (is_priced(m))
        word_cell(m, tell(m, "With carbon"));
    for (int i = 0; i < (m->brief ? 4 : 6); i++)
        word_cell(m, tell(m, more[i]));
    row_end(m);
}

static void make_alternatives(struct maker *m, int front)
{
    const struct alternatives *found = &m->answer->alternatives;
    int count = front ? found->front_count : found->count;

    if (!count)
        return;
    head_alternatives(m);
    for (int i = 0; i < count; i++)
        add_alternative(m, front ? found->front[i] : i);
}

/* --- the whole ------------------------------------------------------------ */

void listing_make(const struct answer *answer, enum listed listed, int brief,
                  struct listing *out)
{
    struct maker m = { answer, out, 0, 0, brief };

    text_init(&out->store, STORE_BYTE_MAX);
    out->columns = out->rows = 0;
    snprintf(out->title, sizeof out->title, "%s",
             tell(&m, kinds[listed].title));
    out->note = tell(&m, kinds[listed].note);
    switch (listed) {
    case LISTED_CASES: make_cases(&m); break;
    case LISTED_COSTS: make_spread(&m, 1); break;
    case LISTED_CARBON: make_spread(&m, 0); break;
    case LISTED_SWINGS: make_swings(&m); break;
    case LISTED_GRID: make_grid(&m); break;
    case LISTED_ALTERNATIVES: make_alternatives(&m, 0); break;
    case LISTED_FRONT: make_alternatives(&m, 1); break;
    case LISTED_COUNT: break;
    }
}

/* --- explained figures ---------------------------------------------------- */

void listing_node(const struct answer *answer, const struct explain_node *node,
                  struct text *out)
{
    const struct unit_row *unit = &unit_table[node->unit];

    if (node->field >= 0 && field_table[node->field].type > FIELD_WHOLE) {
        shown_value(out, &answer->study.option[node->option], node->field);
    } else if (node->field >= 0) {
        put_value(answer, node->field, node->value, 0, out);
    } else if (unit->money) {
        shown_price(out, answer->study.currency, node->value);
        text_str(out, say(answer->study.zh, unit->shown));
    } else {
        shown_digits(out, node->value, 6);
        if (*unit->shown)
            text_char(out, ' ');
        text_str(out, say(answer->study.zh, unit->shown));
    }
}
