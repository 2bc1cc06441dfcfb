/* out_xlsx_months.c: the sheets that run through time: Months, a block of
   rows an option, and Years, the same summed up. One formula a row, the same
   in every column; months past the end count nothing. */
#include "fcgi/out_xlsx_book.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/cells.h"

enum { FORMULA_BYTE_MAX = 4096, TIME_FIRST_ROW = 2, BLOCK_FIRST_ROW = 7,
       COLUMN_LAST = COLUMN_TIME + MONTH_MAX };

static const struct { const char *name, *label; enum unit unit; }
time_table[TIME_COUNT] = {
    { "at_month", "Month", UNIT_MONTH },
    { "in_study_count", "1 within the comparison", UNIT_COUNT },
    { "at_year", "Year, from 1; 0 before", UNIT_YEAR },
    { "discount_ratio", "Discount factor", UNIT_RATIO },
};

static const struct { const char *name, *label; } more_table[] = {
    { "capital_cost", "Outlay of the month" },
    { "taxed_cost", "Of the running costs: bearing VAT" },
    { "running_cost", "Running costs" },
    { "npv_cost", "Flow, discounted" },
    { "cumulative_cost", "Paid so far" },
};

/* Whose formula it is. */
struct place { const struct book *book; int option; };

/* What stands for the letters of a formula's own column, and of the one
   before, until they are filled in: a row has one formula. */
enum { MARK_HERE = 1, MARK_BEFORE = 2 };

/* --- names ---------------------------------------------------------------- */

static int is_name(const char *name, size_t length, const char *known)
{
    return strlen(known) == length && memcmp(name, known, length) == 0;
}

static int is_monthly(const struct formula *formula)
{
    return formula->part == PART_MONTH || formula->part == PART_COST ||
           formula->part == PART_CLOSING;
}

/* Row of a name in the option's block, or of the months, or -1. */
static int row_of_name(const struct book *book, int option, const char *name,
                       size_t length)
{
    const struct block *block = &book->block[option];

    for (int i = 0; i < TIME_COUNT; i++)
        if (is_name(name, length, time_table[i].name))
            return book->time_row[i];
    for (int i = 0; i < BLOCK_ROW_COUNT; i++)
        if (i != BLOCK_DISCOUNTED && is_name(name, length, more_table[i].name))
            return block->more[i];
    for (int i = 0; i < formula_count; i++)
        if (is_monthly(&formula_table[i]) &&
            is_name(name, length, formula_table[i].name))
            return formula_table[i].item ? block->item[formula_table[i].index]
                                         : block->step[formula_table[i].index];
    return -1;
}

static int put_name(const void *from, const char *name, size_t length,
                    int before, struct text *out)
{
    const struct place *place = from;
    int row = row_of_name(place->book, place->option, name, length);

    if (row >= 0) {
        char number[16];
        text_char(out, before ? MARK_BEFORE : MARK_HERE);
        snprintf(number, sizeof number, "%d", row + 1);
        text_str(out, number);
        return 1;
    }
    return !before &&
           book_cell(place->book, place->option, name, length, out);
}

static int put_number(const void *from, double number, struct text *out)
{
    const struct place *place = from;

    return book_cell_number(place->book, number, out);
}

/* The formula of a row, with marks. */
static int translate(const struct place *place, const char *text,
                     struct text *out)
{
    struct cells cells = { place, put_name, put_number };

    return cells_formula(text, &cells, out);
}

static void column_letters(int column, char letters[8])
{
    struct text at;

    text_init(&at, 64);
    cells_at(0, column, 0, &at);
    snprintf(letters, 8, "%.*s", (int)at.byte - 1, at.at ? at.at : "");
    text_free(&at);
}

/* The formula of a row in one of its columns. */
static void fill_in(const struct text *row, int column, struct text *out)
{
    char here[8], before[8];

    column_letters(column, here);
    column_letters(column - 1, before);
    text_reset(out);
    for (size_t i = 0; i < row->byte; i++) {
        if (row->at[i] == MARK_HERE)
            text_str(out, here);
        else if (row->at[i] == MARK_BEFORE)
            text_str(out, before);
        else
            text_char(out, row->at[i]);
    }
    text_char(out, '\0');
}

/* --- the months ----------------------------------------------------------- */

static int last_month(const struct book *book)
{
    return book->answer->result[0].month_count;
}

/* One formula along a row, with the value of each month. */
static void put_months(struct book *book, int row, const struct text *formula,
                       const double *value, enum cell_style style)
{
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    for (int m = 0; m <= MONTH_MAX; m++) {
        fill_in(formula, COLUMN_TIME + m, &out);
        book_formula(book, book->months, row, COLUMN_TIME + m,
                     out.at ? out.at : "", value[m], style);
    }
    book->failed |= out.failed | formula->failed;
    text_free(&out);
}

static void put_time_row(struct book *book, int i, const char *text,
                         const double *value)
{
    struct place place = { book, 0 };
    struct text out;
    char unit[64];

    text_init(&out, FORMULA_BYTE_MAX);
    book_row_head(book, book->months, book->time_row[i], time_table[i].label,
                  time_table[i].name,
                  book_unit(book, time_table[i].unit, unit, sizeof unit));
    if (!translate(&place, text, &out))
        book->failed = 1;
    put_months(book, book->time_row[i], &out, value, STYLE_NUMBER);
    text_free(&out);
}

static void put_timeline(struct book *book)
{
    double value[MONTH_MAX + 1];
    double rate = 1 + book->answer->study.option[0].value[F_discount_frac];

    book_number_cell(book, book->months, book->time_row[TIME_MONTH],
                     COLUMN_BEFORE, -1, STYLE_NONE);
    for (int m = 0; m <= MONTH_MAX; m++)
        value[m] = m;
    put_time_row(book, TIME_MONTH, "PREV(at_month) + one_month", value);
    for (int m = 0; m <= MONTH_MAX; m++)
        value[m] = m <= last_month(book);
    put_time_row(book, TIME_IN_STUDY, "IF(at_month <= horizon_month, 1, 0)",
                 value);
    for (int m = 0; m <= MONTH_MAX; m++)
        value[m] = m <= last_month(book) && m > 0 ? (m - 1) / 12 + 1 : 0;
    put_time_row(book, TIME_YEAR, "IF(in_study_count > 0, IF(at_month > 0, "
                 "ROUNDDOWN((at_month - one_month) / month_per_year) + 1, "
                 "0), 0)",
                 value);
    for (int m = 0; m <= MONTH_MAX; m++)
        value[m] = m <= last_month(book) ? pow(rate, -m / 12.0) : 0;
    put_time_row(book, TIME_FACTOR, "IF(in_study_count > 0, "
                 "POWER(1 + discount_frac, 0 - at_month / month_per_year), 0)",
                 value);
}

/* Label, "a.name", unit, and the sum of money that is no running balance. */
static void put_block_head(struct book *book, int option, int row,
                           const char *label, const char *name,
                           enum unit unit, int has_sum, double sum)
{
    char whole[96], shown[64];

    snprintf(whole, sizeof whole, "%c.%s", 'a' + option, name);
    book_row_head(book, book->months, row, label, whole,
                  book_unit(book, unit, shown, sizeof shown));
    if (has_sum) {
        struct text out;
        text_init(&out, FORMULA_BYTE_MAX);
        text_str(&out, "SUM(");
        cells_at(row, COLUMN_TIME, 0, &out);
        text_char(&out, ':');
        cells_at(row, COLUMN_LAST, 0, &out);
        text_char(&out, ')');
        book_formula(book, book->months, row, COLUMN_SUM,
                     out.at ? out.at : "", sum, STYLE_MONEY);
        text_free(&out);
    }
}

/* 1 for what is left of the month before, which cannot be summed up. */
static int is_balance(const char *text, const char *name)
{
    char before[64];

    snprintf(before, sizeof before, "PREV(%s)", name);
    return strstr(text, before) != NULL;
}

/* One row of a block: text of its formula, value by month. Months past the
   end hold 0. */
static void put_block_row(struct book *book, int option, int row,
                          const char *label, const char *name, enum unit unit,
                          const char *text, const double *value)
{
    int has_sum = unit == UNIT_MONEY && !is_balance(text, name);
    struct place place = { book, option };
    double sum = 0;
    struct text out;

    for (int m = 0; m <= MONTH_MAX; m++)
        sum += value[m];
    put_block_head(book, option, row, label, name, unit, has_sum, sum);
    text_init(&out, FORMULA_BYTE_MAX);
    text_str(&out, "IF(");
    put_name(&place, "in_study_count", 14, 0, &out);
    text_str(&out, ">0,");
    if (!translate(&place, text, &out))
        book->failed = 1;
    text_str(&out, ",0)");
    put_months(book, row, &out, value, book_style(unit));
    text_free(&out);
}

static void put_formula_row(struct book *book, int option,
                            const struct formula *formula)
{
    const struct block *block = &book->block[option];
    int i = formula->index;
    int row = formula->item ? block->item[i] : block->step[i];
    double value[MONTH_MAX + 1] = { 0 };

    for (int m = 0; m <= last_month(book); m++)
        value[m] = formula->item ? book->month[option][m].item[i]
                                 : book->month[option][m].step[i];
    put_block_row(book, option, row, formula->label, formula->name,
                  formula->unit, formula->text, value);
}

/* --- sums over cost lines ------------------------------------------------- */

static int in_class(int which, const char *class)
{
    switch (which) {
    case BLOCK_CAPITAL: return strcmp(class, "CAPITAL") == 0;
    case BLOCK_TAXED: return strcmp(class, "TAXED") == 0;
    default: return strcmp(class, "CAPITAL") != 0;
    }
}

static void put_class_row(struct book *book, int option, int which)
{
    enum kind kind = book->answer->study.option[option].kind;
    double value[MONTH_MAX + 1] = { 0 };
    struct text text;

    text_init(&text, FORMULA_BYTE_MAX);
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        if (f->part != PART_COST || !book_kind_has(f->kind, kind) ||
            !in_class(which, f->class))
            continue;
        text_str(&text, text.byte ? " + " : "");
        text_str(&text, f->name);
        for (int m = 0; m <= last_month(book); m++)
            value[m] += book->month[option][m].item[f->index];
    }
    put_block_row(book, option, book->block[option].more[which],
                  more_table[which].label, more_table[which].name, UNIT_MONEY,
                  text.at ? text.at : "0", value);
    text_free(&text);
}

static void put_flow_rows(struct book *book, int option)
{
    const struct block *block = &book->block[option];
    const struct month *month = book->month[option];
    double rate = 1 + book->answer->study.option[0].value[F_discount_frac];
    double value[MONTH_MAX + 1] = { 0 }, so_far = 0;
    struct place place = { book, option };
    int row = block->more[BLOCK_CUMULATIVE];
    struct text out;

    for (int m = 0; m <= last_month(book); m++)
        value[m] = month[m].step[M_flow_cost] * pow(rate, -m / 12.0);
    put_block_row(book, option, block->more[BLOCK_DISCOUNTED],
                  more_table[BLOCK_DISCOUNTED].label,
                  more_table[BLOCK_DISCOUNTED].name, UNIT_MONEY,
                  "flow_cost * discount_ratio", value);
    put_block_head(book, option, row, more_table[BLOCK_CUMULATIVE].label,
                   more_table[BLOCK_CUMULATIVE].name, UNIT_MONEY, 0, 0);
    text_init(&out, FORMULA_BYTE_MAX);
    for (int m = 0; m <= MONTH_MAX; m++) { /* flat past the end */
        so_far += m <= last_month(book) ? month[m].step[M_flow_cost] : 0;
        value[m] = so_far;
    }
    if (!translate(&place, "PREV(cumulative_cost) + flow_cost", &out))
        book->failed = 1;
    put_months(book, row, &out, value, STYLE_MONEY);
    text_free(&out);
}

/* --- places --------------------------------------------------------------- */

/* The rows of a block in the order in which they are worked out. */
static int plan_block(struct book *book, int option, int row)
{
    struct block *block = &book->block[option];
    enum kind kind = book->answer->study.option[option].kind;
    int closed = 0;

    row++; /* the option's label */
    for (int i = 0; i < MONTH_STEP_COUNT; i++)
        block->step[i] = -1;
    for (int i = 0; i < ITEM_COUNT; i++)
        block->item[i] = -1;
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        if (!is_monthly(f))
            continue;
        if (f->part == PART_CLOSING && !closed) {
            closed = 1;
            for (int k = BLOCK_CAPITAL; k <= BLOCK_RUNNING; k++)
                block->more[k] = row++;
        }
        if (!book_kind_has(f->kind, kind))
            continue;
        if (f->item)
            block->item[f->index] = row++;
        else
            block->step[f->index] = row++;
    }
    block->more[BLOCK_DISCOUNTED] = row++;
    block->more[BLOCK_CUMULATIVE] = row++;
    return row + 1;
}

void book_plan_months(struct book *book)
{
    int row = BLOCK_FIRST_ROW;

    for (int i = 0; i < TIME_COUNT; i++)
        book->time_row[i] = TIME_FIRST_ROW + i;
    for (int i = 0; i < book->answer->study.option_count; i++)
        row = plan_block(book, i, row);
    book->last_month_row = row;
}

/* --- the sheet ------------------------------------------------------------ */

static void put_columns(lxw_worksheet *sheet, int last)
{
    worksheet_set_column(sheet, COLUMN_LABEL, COLUMN_LABEL, 32, NULL);
    worksheet_set_column(sheet, COLUMN_NAME, COLUMN_NAME, 28, NULL);
    worksheet_set_column(sheet, COLUMN_UNIT, COLUMN_UNIT, 10, NULL);
    worksheet_set_column(sheet, COLUMN_SUM, COLUMN_SUM, 18, NULL);
    worksheet_set_column(sheet, COLUMN_BEFORE, COLUMN_BEFORE, 7, NULL);
    worksheet_set_column(sheet, COLUMN_TIME, (lxw_col_t)last, 15, NULL);
}

static void put_option_label(struct book *book, lxw_worksheet *sheet, int row,
                             int option)
{
    char line[LABEL_BYTE_MAX + 8];

    snprintf(line, sizeof line, "%c: %s", 'a' + option,
             answer_label(book->answer, option));
    book_string(book, sheet, row, 0, line, STYLE_GROUP);
}

static void put_block(struct book *book, int option)
{
    enum kind kind = book->answer->study.option[option].kind;
    int first = option == 0 ? BLOCK_FIRST_ROW
              : book->block[option - 1].more[BLOCK_CUMULATIVE] + 2;

    put_option_label(book, book->months, first, option);
    for (int i = 0; i < formula_count; i++)
        if (is_monthly(&formula_table[i]) &&
            book_kind_has(formula_table[i].kind, kind))
            put_formula_row(book, option, &formula_table[i]);
    for (int i = BLOCK_CAPITAL; i <= BLOCK_RUNNING; i++)
        put_class_row(book, option, i);
    put_flow_rows(book, option);
}

/* Beyond the end there is only grey. */
static void dim_unused(struct book *book)
{
    lxw_conditional_format rule = { 0 };
    char formula[32];

    snprintf(formula, sizeof formula, "=%c$%d<1", 'A' + COLUMN_TIME,
             book->time_row[TIME_IN_STUDY] + 1);
    rule.type = LXW_CONDITIONAL_TYPE_FORMULA;
    rule.value_string = formula;
    rule.format = book->style[STYLE_NONE];
    worksheet_conditional_format_range(book->months, TIME_FIRST_ROW,
        COLUMN_TIME, (lxw_row_t)book->last_month_row, COLUMN_LAST, &rule);
}

void book_months(struct book *book)
{
    lxw_worksheet *sheet = book->months;

    put_columns(sheet, COLUMN_LAST);
    book_string(book, sheet, 0, 0, book_say(book, "Months"), STYLE_TITLE);
    book_string(book, sheet, 0, COLUMN_SUM, book_say(book, "Sum"), STYLE_HEAD);
    put_timeline(book);
    for (int i = 0; i < book->answer->study.option_count; i++)
        put_block(book, i);
    dim_unused(book);
    worksheet_freeze_panes(sheet, BLOCK_FIRST_ROW - 1, COLUMN_TIME);
    worksheet_protect(sheet, NULL, NULL);
    worksheet_print_area(sheet, 0, 0, (lxw_row_t)book->last_month_row,
                         (lxw_col_t)(COLUMN_TIME + last_month(book)));
    book_print_setup(sheet, BLOCK_FIRST_ROW - 2, 0);
}

/* --- years ---------------------------------------------------------------- */

enum { YEAR_ROW = 2, YEAR_END_ROW = 3, YEAR_FIRST_ROW = 5,
       YEAR_COLUMN_LAST = COLUMN_TIME + YEAR_MAX };

static void put_month_range(int row, struct text *out)
{
    text_str(out, "Months!$");
    cells_at(row, COLUMN_TIME, 0, out);
    text_str(out, ":$");
    cells_at(row, COLUMN_LAST, 0, out);
}

/* The months of one row that are of this year; or, for a balance, the month
   that ends it. */
static void put_year_row(struct book *book, int option, int row, int from,
                         const char *label, const char *name, int balance,
                         const double *month)
{
    lxw_worksheet *sheet = book->years;
    double sum = 0;
    char whole[96];
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    snprintf(whole, sizeof whole, "%c.%s", 'a' + option, name);
    book_row_head(book, sheet, row, label, whole,
                  book->answer->study.currency);
    for (int y = 0; y <= YEAR_MAX; y++) {
        int column = COLUMN_TIME + y, last = last_month(book);
        int end = y * 12 < last ? y * 12 : last;
        double value = 0;
        for (int m = y * 12 - 11; m <= y * 12; m++)
            value += m >= 0 && m <= last && (y > 0 || m == 0) ? month[m] : 0;
        value = balance ? month[end] : value;
        sum += value;
        text_reset(&out);
        text_str(&out, "SUMIF(");
        put_month_range(book->time_row[balance ? TIME_MONTH : TIME_YEAR],
                        &out);
        text_char(&out, ',');
        cells_at(balance ? YEAR_END_ROW : YEAR_ROW, column, 0, &out);
        text_char(&out, ',');
        put_month_range(from, &out);
        text_char(&out, ')');
        book_formula(book, sheet, row, column, out.at ? out.at : "", value,
                     STYLE_MONEY);
    }
    if (!balance) {
        text_reset(&out);
        text_str(&out, "SUM(");
        cells_at(row, COLUMN_TIME, 0, &out);
        text_char(&out, ':');
        cells_at(row, YEAR_COLUMN_LAST, 0, &out);
        text_char(&out, ')');
        book_formula(book, sheet, row, COLUMN_SUM, out.at ? out.at : "", sum,
                     STYLE_MONEY);
    }
    text_free(&out);
}

static void put_years_head(struct book *book)
{
    lxw_worksheet *sheet = book->years;
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    book_row_head(book, sheet, YEAR_ROW, "Year, from 1; 0 before", "at_year",
                  "");
    book_row_head(book, sheet, YEAR_END_ROW, "Last month of the year",
                  "at_month", "");
    book_number_cell(book, sheet, YEAR_ROW, COLUMN_BEFORE, -1, STYLE_NONE);
    for (int y = 0; y <= YEAR_MAX; y++) {
        struct place place = { book, 0 };
        int column = COLUMN_TIME + y, last = last_month(book);
        text_reset(&out);
        cells_at(YEAR_ROW, column - 1, 0, &out);
        text_char(&out, '+');
        put_name(&place, "one_year", 8, 0, &out);
        book_formula(book, sheet, YEAR_ROW, column, out.at ? out.at : "", y,
                     STYLE_NUMBER);
        text_reset(&out);
        text_str(&out, "MIN(");
        cells_at(YEAR_ROW, column, 0, &out);
        text_char(&out, '*');
        put_name(&place, "month_per_year", 14, 0, &out);
        text_char(&out, ',');
        put_name(&place, "horizon_month", 13, 0, &out);
        text_char(&out, ')');
        book_formula(book, sheet, YEAR_END_ROW, column, out.at ? out.at : "",
                     y * 12 < last ? y * 12 : last, STYLE_NUMBER);
    }
    text_free(&out);
}

static void month_values(const struct book *book, int option,
                         const struct formula *f, double *value)
{
    for (int m = 0; m <= MONTH_MAX; m++)
        value[m] = m > last_month(book) ? 0
                 : f->item ? book->month[option][m].item[f->index]
                           : book->month[option][m].step[f->index];
}

static int put_year_block(struct book *book, int option, int row)
{
    enum kind kind = book->answer->study.option[option].kind;
    const struct block *block = &book->block[option];
    double value[MONTH_MAX + 1];
    double rate = 1 + book->answer->study.option[0].value[F_discount_frac];

    put_option_label(book, book->years, row++, option);
    for (int i = 0; i < formula_count; i++) {
        const struct formula *f = &formula_table[i];
        if (!is_monthly(f) || f->unit != UNIT_MONEY ||
            !book_kind_has(f->kind, kind))
            continue;
        month_values(book, option, f, value);
        put_year_row(book, option, row++, f->item ? block->item[f->index]
                     : block->step[f->index], f->label, f->name,
                     is_balance(f->text, f->name), value);
        if (!f->item && f->index == M_flow_cost)
            book->last_year_flow_row[option] = row - 1;
    }
    for (int m = 0; m <= MONTH_MAX; m++)
        value[m] = m > last_month(book) ? 0 : pow(rate, -m / 12.0) *
                   book->month[option][m].step[M_flow_cost];
    put_year_row(book, option, row++, block->more[BLOCK_DISCOUNTED],
                 more_table[BLOCK_DISCOUNTED].label,
                 more_table[BLOCK_DISCOUNTED].name, 0, value);
    return row + 1;
}

void book_years(struct book *book)
{
    int row = YEAR_FIRST_ROW;

    put_columns(book->years, YEAR_COLUMN_LAST);
    book_string(book, book->years, 0, 0, book_say(book, "Years"), STYLE_TITLE);
    book_string(book, book->years, 0, COLUMN_SUM, book_say(book, "Sum"),
                STYLE_HEAD);
    put_years_head(book);
    for (int i = 0; i < book->answer->study.option_count; i++)
        row = put_year_block(book, i, row);
    worksheet_freeze_panes(book->years, YEAR_FIRST_ROW - 1, COLUMN_TIME);
    worksheet_print_area(book->years, 0, 0, (lxw_row_t)row,
                         (lxw_col_t)(COLUMN_TIME +
                                     (last_month(book) + 11) / 12));
    worksheet_protect(book->years, NULL, NULL);
    book_print_setup(book->years, YEAR_FIRST_ROW - 2, 0);
}
