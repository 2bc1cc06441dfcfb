/* out_xlsx_pages.c: the sheets around the model: Cover, Sensitivity, Sources
   and Check. */
#include "fcgi/out_xlsx_book.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/cells.h"
#include "fcgi/report.h"
#include "fcgi/sentence.h"
#include "fcgi/shown.h"
#include "pricing/num.h"

enum { PIECE_BYTE_MAX = 64 * 1024, URL_BYTE_MAX = 2000 };

/* --- cover ---------------------------------------------------------------- */

static const int headline[] = { S_monthly_equivalent_cost, S_cost_per_gpu_hour,
                                S_meter_kwh, S_total_kg };

/* The formula table's words about a step. */
static const struct formula *formula_of(int step)
{
    for (int i = 0; i < formula_count; i++)
        if (!formula_table[i].item && formula_table[i].index == step &&
            (formula_table[i].part == PART_ENERGY ||
             formula_table[i].part == PART_STEP ||
             formula_table[i].part == PART_TOTAL))
            return &formula_table[i];
    return &formula_table[0];
}

static void put_said(struct book *book, int row, double height,
                     enum cell_style style,
                     void (*write)(const struct answer *, struct text *))
{
    struct text piece;

    text_init(&piece, PIECE_BYTE_MAX);
    write(book->answer, &piece);
    worksheet_merge_range(book->cover, (lxw_row_t)row, 0, (lxw_row_t)row,
                          (lxw_col_t)(COLUMN_OPTION +
                              book->answer->study.option_count - 1),
                          piece.at ? piece.at : "", book->style[style]);
    worksheet_set_row(book->cover, (lxw_row_t)row, height, NULL);
    text_free(&piece);
}

static void put_link(struct book *book, int row)
{
    const struct answer *answer = book->answer;
    struct text link;

    text_init(&link, PIECE_BYTE_MAX);
    text_str(&link, answer->base_url);
    text_str(&link, "/compare?");
    answer_query(answer, &link);
    if (*answer->base_url && link.byte < URL_BYTE_MAX)
        worksheet_write_url(book->cover, (lxw_row_t)row, 0, link.at, NULL);
    else
        book_string(book, book->cover, row, 0, link.at ? link.at : "",
                    STYLE_PLAIN);
    text_free(&link);
}

/* One figure of every option, out of Model. */
static void put_headline(struct book *book, int row, const char *label,
                         const char *name, enum unit unit, int model_row,
                         const double *value)
{
    char shown[64];
    struct text out;

    text_init(&out, 256);
    book_row_head(book, book->cover, row, label, name,
                  book_unit(book, unit, shown, sizeof shown));
    for (int i = 0; i < book->answer->study.option_count; i++) {
        text_reset(&out);
        text_str(&out, "Model!");
        cells_at(model_row, COLUMN_OPTION + i, 0, &out);
        book_formula(book, book->cover, row, COLUMN_OPTION + i,
                     out.at ? out.at : "", value[i], book_style(unit));
    }
    text_free(&out);
}

static int put_headlines(struct book *book, int row)
{
    const struct answer *answer = book->answer;
    double value[OPTION_MAX] = { 0 };
    int count = answer->study.option_count;

    for (int i = 0; i < count; i++)
        value[i] = answer->result[i].total_cost;
    put_headline(book, row++, "Sum", "total_cost", UNIT_MONEY,
                 book->model_row[ROW_total_cost], value);
    for (int i = 0; i < count; i++)
        value[i] = answer->result[i].npv_cost;
    put_headline(book, row++, "Present value", "npv_cost", UNIT_MONEY,
                 book->model_row[ROW_npv_cost], value);
    for (size_t k = 0; k < sizeof headline / sizeof *headline; k++) {
        const struct formula *f = formula_of(headline[k]);
        for (int i = 0; i < count; i++)
            value[i] = answer->result[i].step[headline[k]];
        put_headline(book, row++, f->label, f->name, f->unit,
                     book->step_row[headline[k]], value);
    }
    return row;
}

static void put_range(const struct book *book, int row, struct text *out)
{
    cells_at(row, COLUMN_OPTION, 1, out);
    text_char(out, ':');
    cells_at(row, COLUMN_OPTION + book->answer->study.option_count - 1, 1,
             out);
}

/* The option with the smallest present value, as the sheets stand. */
static void put_cheapest(struct book *book, int row)
{
    const struct answer *answer = book->answer;
    int best = -1;
    char label[LABEL_BYTE_MAX + 8] = "";
    struct text out;

    for (int i = 0; i < answer->study.option_count; i++)
        if (answer->result[i].rank == 1)
            best = i;
    if (best >= 0)
        snprintf(label, sizeof label, "%c: %s", 'a' + best,
                 answer_label(answer, best));
    text_init(&out, 512);
    text_str(&out, "INDEX(Model!");
    put_range(book, 3, &out);
    text_str(&out, ",MATCH(MIN(Model!");
    put_range(book, book->model_row[ROW_ranked_cost], &out);
    text_str(&out, "),Model!");
    put_range(book, book->model_row[ROW_ranked_cost], &out);
    text_str(&out, ",0))");
    book_row_head(book, book->cover, row, "Lowest present value", "", "");
    book_word_formula(book, book->cover, row, COLUMN_OPTION,
                      out.at ? out.at : "", best >= 0 ? label : "#N/A",
                      STYLE_WORD);
    text_free(&out);
}

static void put_chart(struct book *book, int row)
{
    const struct answer *answer = book->answer;
    int last = COLUMN_TIME + answer->result[0].month_count;
    lxw_chart *chart = workbook_add_chart(book->file, LXW_CHART_LINE);
    lxw_chart_options options = { .x_scale = 1.6, .y_scale = 1.2,
        .description = (char *)(uintptr_t)book_say(book,
            "Paid so far by month, one line an option") };

    if (!chart) {
        book->failed = 1;
        return;
    }
    for (int i = 0; i < answer->study.option_count; i++) {
        char head[LABEL_BYTE_MAX + 8];
        lxw_chart_series *series = chart_add_series(chart, NULL, NULL);
        int at = book->block[i].more[BLOCK_CUMULATIVE];
        if (!series)
            return;
        snprintf(head, sizeof head, "%c: %s", 'a' + i,
                 answer_label(answer, i));
        chart_series_set_categories(series, "Months",
            (lxw_row_t)book->time_row[TIME_MONTH], COLUMN_TIME,
            (lxw_row_t)book->time_row[TIME_MONTH], (lxw_col_t)last);
        chart_series_set_values(series, "Months", (lxw_row_t)at, COLUMN_TIME,
                                (lxw_row_t)at, (lxw_col_t)last);
        chart_series_set_name(series, head[0] == '=' ? "" : head);
    }
    chart_title_set_name(chart, book_say(book, "Paid so far"));
    chart_axis_set_name(chart->x_axis, book_say(book, "Month"));
    chart_axis_set_name(chart->y_axis, answer->study.currency);
    chart_axis_set_interval_tick(chart->x_axis, 12);
    chart_axis_set_interval_unit(chart->x_axis, 12);
    chart_axis_set_num_format(chart->y_axis, "#,##0");
    chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
    worksheet_insert_chart_opt(book->cover, (lxw_row_t)row, 0, chart,
                               &options);
}

static void put_versions(struct book *book, int row)
{
    char line[200], day[11], rate[11];
    const struct study *study = &book->answer->study;

    day_print(day, study->as_of_day);
    day_print(rate, study->rate_day ? study->rate_day : study->as_of_day);
    snprintf(line, sizeof line, "%s %s; %s %s; %s %s",
             book_say(book, "Prices of"), day,
             book_say(book, "exchange rates of"), rate,
             book_say(book, "model version"), MODEL_VERSION);
    book_string(book, book->cover, row, 0, line, STYLE_NOTE);
    book_string(book, book->cover, row + 1, 0,
                book_say(book, "An estimate, not a quotation."), STYLE_NOTE);
}

static void put_use(struct book *book, int row)
{
    static const char *const line[] = {
        "Change a yellow cell on sheet Inputs: every figure above, the sheets "
        "Model, Months and Years and the chart follow.",
        "Sheets Sensitivity and Sources, the two sentences above and the "
        "break-even figures hold what gputco computed; they do not follow.",
        "Sheet Check compares this workbook with what gputco computed; it is "
        "green as long as no input has been changed.",
    };

    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        book_string(book, book->cover, row + (int)i, 0,
                    book_say(book, line[i]), STYLE_NOTE);
}

void book_cover(struct book *book)
{
    const struct study *study = &book->answer->study;
    int row;

    book_option_heads(book, book->cover, "GPUs: own or rent", "");
    if (*study->label)
        book_string(book, book->cover, 1, 0, study->label, STYLE_GROUP);
    row = put_headlines(book, 4);
    put_cheapest(book, row++);
    row++;
    put_said(book, row++, 40, STYLE_LEAD, sentence_verdict);
    put_said(book, row++, 32, STYLE_WRAP, sentence_amounts);
    put_link(book, row++);
    put_versions(book, row);
    put_use(book, row + 3);
    put_chart(book, row + 7);
    worksheet_protect(book->cover, NULL, NULL);
    book_print_setup(book->cover, -1, 1);
    worksheet_fit_to_pages(book->cover, 1, 1);
    worksheet_activate(book->cover);
}

/* --- sensitivity ---------------------------------------------------------- */

static void put_heads(struct book *book, lxw_worksheet *sheet, int row,
                      const char *const *head, int count)
{
    worksheet_set_row(sheet, (lxw_row_t)row, 32, NULL);
    for (int i = 0; i < count; i++)
        book_string(book, sheet, row, i, *head[i] ? book_say(book, head[i])
                                                  : "", STYLE_HEAD);
}

/* A value, or an empty cell where there is none. */
static void put_maybe(struct book *book, lxw_worksheet *sheet, int row,
                      int column, double value, enum cell_style style)
{
    if (isfinite(value))
        book_number_cell(book, sheet, row, column, value, style);
}

static int put_tornado(struct book *book, int row)
{
    static const char *const head[] = { "Input", "Name", "Option", "Low",
        "High", "Saving at low", "Saving at high", "Same cost at" };
    const struct sensitivity *s = &book->answer->sensitivity;
    lxw_worksheet *sheet = book->sensitivity;
    char title[160];

    snprintf(title, sizeof title, "%s (%c, %c; %s)",
             book_say(book, "Saved by the first, in present value"),
             'a' + s->a, 'a' + s->b, book->answer->study.currency);
    book_string(book, sheet, row++, 0, title, STYLE_GROUP);
    put_heads(book, sheet, row++, head, 8);
    for (int i = 0; i < s->count; i++, row++) {
        const struct sensitivity_row *r = &s->row[i];
        const struct field *field = &field_table[r->field];
        char option[2] = { (char)('a' + r->option), '\0' };
        enum cell_style style = book_style(field->unit);
        book_string(book, sheet, row, 0, book_say(book, field->label),
                    STYLE_PLAIN);
        book_string(book, sheet, row, 1, field->name, STYLE_NOTE);
        book_string(book, sheet, row, 2, r->option < 0 ? "" : option,
                    STYLE_NOTE);
        put_maybe(book, sheet, row, 3, r->low, style);
        put_maybe(book, sheet, row, 4, r->high, style);
        put_maybe(book, sheet, row, 5, r->saving_low, STYLE_MONEY);
        put_maybe(book, sheet, row, 6, r->saving_high, STYLE_MONEY);
        put_maybe(book, sheet, row, 7, r->flip, style);
    }
    return row + 1;
}

static void put_spread(struct book *book, int row, const char *label,
                       const char *name, const struct spread *spread,
                       enum cell_style style)
{
    lxw_worksheet *sheet = book->sensitivity;

    book_string(book, sheet, row, 0, label, STYLE_PLAIN);
    book_string(book, sheet, row, 1, name, STYLE_NOTE);
    put_maybe(book, sheet, row, 3, spread->p5, style);
    put_maybe(book, sheet, row, 4, spread->p50, style);
    put_maybe(book, sheet, row, 5, spread->p95, style);
}

static int put_uncertainty(struct book *book, int row)
{
    static const char *const head[] = { "Option", "Name", "", "5 %", "50 %",
        "95 %", "Probability: cheapest", "Probability: least carbon" };
    const struct uncertainty *u = &book->answer->uncertainty;
    char line[160];

    if (!u->samples)
        return row;
    snprintf(line, sizeof line, "%s: %d; seed: %.0f",
             book_say(book, "Samples"), u->samples, (double)u->seed);
    book_string(book, book->sensitivity, row++, 0, line, STYLE_GROUP);
    put_heads(book, book->sensitivity, row++, head, 8);
    for (int i = 0; i < book->answer->study.option_count; i++) {
        char label[LABEL_BYTE_MAX + 8];
        snprintf(label, sizeof label, "%c: %s", 'a' + i,
                 answer_label(book->answer, i));
        put_spread(book, row, label, "npv_cost", &u->npv_cost[i], STYLE_MONEY);
        put_maybe(book, book->sensitivity, row, 6, u->probability_cheapest[i],
                  STYLE_PERCENT);
        put_maybe(book, book->sensitivity, row++, 7,
                  u->probability_greenest[i], STYLE_PERCENT);
        put_spread(book, row++, label, "total_kg", &u->total_kg[i],
                   STYLE_NUMBER);
    }
    return row + 1;
}

static enum cell_style style_of_report(enum shown_as as)
{
    switch (as) {
    case AS_PERCENT: return STYLE_PERCENT;
    case AS_MONEY: return STYLE_MONEY;
    case AS_PRICE: return STYLE_PRICE;
    default: return STYLE_NUMBER;
    }
}

static void put_break_even(struct book *book, int row)
{
    const struct verdict *verdict = &book->answer->verdict;
    lxw_worksheet *sheet = book->sensitivity;
    struct report report;

    if (!verdict->count)
        return;
    report_pairs(book->answer, &report);
    book_string(book, sheet, row, 0, book_say(book, "Break-even"),
                STYLE_GROUP);
    for (int k = 0; k < verdict->count; k++) {
        char pair[8];
        snprintf(pair, sizeof pair, "%c, %c", 'a' + verdict->pair[k].a,
                 'a' + verdict->pair[k].b);
        book_string(book, sheet, row, 3 + k, pair, STYLE_HEAD);
    }
    for (int i = 0; i < report.count; i++) {
        const struct report_row *r = &report.row[i];
        row++;
        book_string(book, sheet, row, 0, book_say(book, r->label),
                    STYLE_PLAIN);
        book_string(book, sheet, row, 1, r->name, STYLE_NOTE);
        for (int k = 0; k < verdict->count; k++) {
            struct text value;
            if (isfinite(r->value[k]) && r->as != AS_LETTER) {
                book_number_cell(book, sheet, row, 3 + k, r->value[k],
                                 style_of_report(r->as));
                continue;
            }
            text_init(&value, 256);
            report_value(book->answer, r, k, &value);
            book_string(book, sheet, row, 3 + k, value.at ? value.at : "",
                        STYLE_WORD);
            text_free(&value);
        }
    }
}

void book_sensitivity(struct book *book)
{
    lxw_worksheet *sheet = book->sensitivity;
    int row = 3;

    worksheet_set_column(sheet, 0, 0, 44, NULL);
    worksheet_set_column(sheet, 1, 1, 32, NULL);
    worksheet_set_column(sheet, 2, 2, 8, NULL);
    worksheet_set_column(sheet, 3, 8, 18, NULL);
    book_string(book, sheet, 0, 0, book_say(book, "Sensitivity"), STYLE_TITLE);
    book_string(book, sheet, 1, 0,
                book_say(book, "Values computed by gputco; they do not follow "
                         "the yellow cells."), STYLE_NOTE);
    if (book->answer->sensitivity.count)
        row = put_tornado(book, row);
    row = put_uncertainty(book, row);
    put_break_even(book, row);
    worksheet_protect(sheet, NULL, NULL);
    book_print_setup(sheet, -1, 1);
}

/* --- sources -------------------------------------------------------------- */

void book_sources(struct book *book)
{
    static const char *const head[] = { "Number", "Source", "Address", "Date",
                                        "Licence" };
    static const double width[] = { 8, 60, 60, 12, 24 };
    const struct answer *answer = book->answer;
    lxw_worksheet *sheet = book->sources;

    for (int i = 0; i < 5; i++)
        worksheet_set_column(sheet, (lxw_col_t)i, (lxw_col_t)i, width[i],
                             NULL);
    book_string(book, sheet, 0, 0, book_say(book, "Sources"), STYLE_TITLE);
    put_heads(book, sheet, 2, head, 5);
    for (int i = 0; i < answer->cited_count; i++) {
        const struct cited *c = &answer->cited[i];
        char day[11];
        int row = 3 + i;
        book_number_cell(book, sheet, row, 0, i + 1, STYLE_NUMBER);
        book_string(book, sheet, row, 1, c->source->title, STYLE_WRAP);
        book_string(book, sheet, row, 2, c->source->address, STYLE_WRAP);
        book_string(book, sheet, row, 3, cited_date(c, day), STYLE_PLAIN);
        book_string(book, sheet, row, 4, c->source->licence, STYLE_WRAP);
    }
    worksheet_freeze_panes(sheet, 3, 0);
    worksheet_protect(sheet, NULL, NULL);
    book_print_setup(sheet, 2, 1);
}

/* --- check ---------------------------------------------------------------- */

enum { CHECK_FIRST_ROW = 5, CHECK_OPTION = 0, CHECK_LABEL, CHECK_NAME,
       CHECK_LIVE, CHECK_PRINTED, CHECK_DIFFERENCE, CHECK_SHARE, CHECK_WORD };

/* Our figure beside the workbook's own, and whether they are the same. */
static void check_row(struct book *book, int row, int option,
                      const char *label, const char *name, const char *live,
                      double value)
{
    lxw_worksheet *sheet = book->check;
    char letter[2] = { (char)('a' + option), '\0' }, formula[128];
    int at = row + 1;
    struct text limit;

    text_init(&limit, 64);
    book_cell_number(book, 1e-9, &limit);
    book_string(book, sheet, row, CHECK_OPTION, letter, STYLE_PLAIN);
    book_string(book, sheet, row, CHECK_LABEL, book_say(book, label),
                STYLE_PLAIN);
    book_string(book, sheet, row, CHECK_NAME, name, STYLE_NOTE);
    book_formula(book, sheet, row, CHECK_LIVE, live, value, STYLE_NUMBER);
    book_number_cell(book, sheet, row, CHECK_PRINTED, value, STYLE_NUMBER);
    snprintf(formula, sizeof formula, "D%d-E%d", at, at);
    book_formula(book, sheet, row, CHECK_DIFFERENCE, formula, 0, STYLE_NUMBER);
    snprintf(formula, sizeof formula, "ABS(F%d)/MAX(1,ABS(E%d))", at, at);
    book_formula(book, sheet, row, CHECK_SHARE, formula, 0, STYLE_NUMBER);
    snprintf(formula, sizeof formula, "IF(G%d<=%s,\"same\",\"differs\")", at,
             limit.at ? limit.at : "");
    book_word_formula(book, sheet, row, CHECK_WORD, formula, "same",
                      STYLE_WORD);
    text_free(&limit);
}

static void check_model(struct book *book, int *row, int option,
                        const char *label, const char *name, int model_row,
                        double value)
{
    struct text live;

    if (model_row < 0 || !isfinite(value))
        return;
    text_init(&live, 64);
    text_str(&live, "Model!");
    cells_at(model_row, COLUMN_OPTION + option, 0, &live);
    check_row(book, (*row)++, option, label, name, live.at ? live.at : "",
              value);
    text_free(&live);
}

static void check_option(struct book *book, int *row, int i)
{
    const struct result *result = &book->answer->result[i];
    enum kind kind = book->answer->study.option[i].kind;
    struct text live;

    for (int k = 0; k < ITEM_COUNT; k++)
        if (kind == KIND_OWN ? item_table[k].own : item_table[k].rent)
            check_model(book, row, i, item_table[k].label, item_table[k].name,
                        book->item_row[k], result->item[k]);
    check_model(book, row, i, "Sum", "total_cost",
                book->model_row[ROW_total_cost], result->total_cost);
    check_model(book, row, i, "Present value", "npv_cost",
                book->model_row[ROW_npv_cost], result->npv_cost);
    text_init(&live, 64);
    text_str(&live, "Years!");
    cells_at(book->last_year_flow_row[i], COLUMN_SUM, 0, &live);
    check_row(book, (*row)++, i, "Sum over the years", "total_cost",
              live.at ? live.at : "", result->total_cost);
    text_free(&live);
    for (int k = 0; k < STEP_COUNT; k++)
        check_model(book, row, i, formula_of(k)->label, formula_of(k)->name,
                    book->step_row[k], result->step[k]);
}

static void colour_check(struct book *book, int first, int last)
{
    lxw_conditional_format rule = { 0 };
    char same[] = "\"same\"", differs[] = "\"differs\"";

    rule.type = LXW_CONDITIONAL_TYPE_CELL;
    rule.criteria = LXW_CONDITIONAL_CRITERIA_EQUAL_TO;
    rule.value_string = same;
    rule.format = book->style[STYLE_GOOD];
    worksheet_conditional_format_range(book->check, (lxw_row_t)first,
        CHECK_WORD, (lxw_row_t)last, CHECK_WORD, &rule);
    rule.value_string = differs;
    rule.format = book->style[STYLE_BAD];
    worksheet_conditional_format_range(book->check, (lxw_row_t)first,
        CHECK_WORD, (lxw_row_t)last, CHECK_WORD, &rule);
}

void book_check(struct book *book)
{
    static const char *const head[] = { "Option", "Figure", "Name",
        "This workbook", "gputco", "Difference", "Relative", "Verdict" };
    static const double width[] = { 8, 44, 32, 22, 22, 16, 16, 12 };
    lxw_worksheet *sheet = book->check;
    int row = CHECK_FIRST_ROW;
    char formula[96];

    for (int i = 0; i < 8; i++)
        worksheet_set_column(sheet, (lxw_col_t)i, (lxw_col_t)i, width[i],
                             NULL);
    book_string(book, sheet, 0, 0, book_say(book, "Check"), STYLE_TITLE);
    book_string(book, sheet, 1, 0,
                book_say(book, "What this workbook makes of its inputs against "
                         "what gputco computed when it was written."),
                STYLE_NOTE);
    put_heads(book, sheet, 4, head, 8);
    for (int i = 0; i < book->answer->study.option_count; i++)
        check_option(book, &row, i);
    snprintf(formula, sizeof formula,
             "IF(COUNTIF(H%d:H%d,\"same\")<ROWS(H%d:H%d),\"differs\",\"same\")",
             CHECK_FIRST_ROW + 1, row, CHECK_FIRST_ROW + 1, row);
    book_string(book, sheet, 2, CHECK_SHARE, book_say(book, "All"),
                STYLE_GROUP);
    book_word_formula(book, sheet, 2, CHECK_WORD, formula, "same", STYLE_WORD);
    colour_check(book, 2, row);
    worksheet_freeze_panes(sheet, CHECK_FIRST_ROW, 0);
    worksheet_protect(sheet, NULL, NULL);
    book_print_setup(sheet, 4, 1);
}
