/* out_xlsx_model.c: the sheet Model: one column an option, one row a step,
   each formula out of the text that the program itself is compiled from. */
#include "fcgi/out_xlsx_book.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/cells.h"

static const struct { const char *name; enum unit unit; const char *label; }
row_table[MODEL_ROW_COUNT] = {
#define ROW(name, unit, label) { #name, UNIT_##unit, label },
#include "fcgi/out_xlsx_rows.def"
};

enum { FORMULA_BYTE_MAX = 4096, PREFIX_ROW = 4, FIRST_ROW = 6 };

/* Where a formula of this sheet stands: the column of the option, or always
   that of option a. */
struct place { const struct book *book; int column; int fixed; };

/* --- names ---------------------------------------------------------------- */

static int is_name(const char *name, size_t length, const char *known)
{
    return strlen(known) == length && memcmp(name, known, length) == 0;
}

static int put_number(const void *from, double number, struct text *out)
{
    const struct place *place = from;
    int row = book_number_row(place->book, number);

    if (row < 0)
        return 0;
    text_str(out, "Constants!");
    cells_at(row, 2, 1, out);
    return 1;
}

/* Row of a name on this sheet, or -1. */
static int row_of_name(const struct book *book, const char *name,
                       size_t length)
{
    for (int i = 0; i < MODEL_ROW_COUNT; i++)
        if (is_name(name, length, row_table[i].name))
            return book->model_row[i];
    for (int i = 0; i < formula_count; i++)
        if (!formula_table[i].item &&
            formula_table[i].part != PART_MONTH &&
            formula_table[i].part != PART_CLOSING &&
            is_name(name, length, formula_table[i].name))
            return book->step_row[formula_table[i].index];
    return -1;
}

/* Writes sheet (unless it is `here`), column and row of what a name means for
   an option; all sheets hold their options in the same columns. */
static int put_place(const struct place *place, const char *here,
                     const char *name, size_t length, struct text *out)
{
    const struct book *book = place->book;
    int row = row_of_name(book, name, length), field;

    if (row >= 0) {
        text_str(out, strcmp(here, "Model") == 0 ? "" : "Model!");
        cells_at(row, place->column, place->fixed, out);
        return 1;
    }
    field = field_find(name, length);
    if (field >= 0 && book->input_row[field] >= 0) {
        text_str(out, "Inputs!");
        cells_at(book->input_row[field], place->column, place->fixed, out);
        return 1;
    }
    row = book_const_row(name, length);
    if (row < 0)
        return 0;
    text_str(out, "Constants!");
    cells_at(row, 2, 1, out);
    return 1;
}

static int put_name(const void *from, const char *name, size_t length,
                    int before, struct text *out)
{
    return !before && put_place(from, "Model", name, length, out);
}

int book_cell(const struct book *book, int option, const char *name,
              size_t length, struct text *out)
{
    struct place place = { book, COLUMN_OPTION + option, 1 };

    return put_place(&place, "", name, length, out);
}

int book_cell_number(const struct book *book, double number,
                     struct text *out)
{
    struct place place = { book, 0, 1 };

    return put_number(&place, number, out);
}

static int translate(const struct book *book, const char *text, int column,
                     int fixed, struct text *out)
{
    struct place place = { book, column, fixed };
    struct cells cells = { &place, put_name, put_number };

    return cells_formula(text, &cells, out);
}

/* --- formulas of the tables ----------------------------------------------- */

/* 1 if rows i and i + 1 of the table are the two ways of one step. */
static int is_each(int i)
{
    return i + 1 < formula_count && *formula_table[i].kind == 'O' &&
           *formula_table[i + 1].kind == 'R' &&
           formula_table[i].index == formula_table[i + 1].index &&
           formula_table[i].item == formula_table[i + 1].item &&
           formula_table[i].part == formula_table[i + 1].part;
}

static int has_kind(const struct book *book, enum kind kind)
{
    const struct study *study = &book->answer->study;

    for (int i = 0; i < study->option_count; i++)
        if (study->option[i].kind == kind)
            return 1;
    return 0;
}

/* A step that is had in two ways, with options of both kinds: one formula
   that chooses. */
static int put_choice(const struct book *book, int i, int column,
                      struct text *out)
{
    int good;

    text_str(out, "IF(");
    cells_at(book->model_row[ROW_own_count], column, 0, out);
    text_str(out, ">0,");
    good = translate(book, formula_table[i].text, column, 0, out);
    text_char(out, ',');
    good &= translate(book, formula_table[i + 1].text, column, 0, out);
    text_char(out, ')');
    return good;
}

static void put_step(struct book *book, int i, int option)
{
    const struct formula *formula = &formula_table[i];
    int column = COLUMN_OPTION + option, good;
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    if (is_each(i) && has_kind(book, KIND_OWN) && has_kind(book, KIND_RENT))
        good = put_choice(book, i, column, &out);
    else
        good = translate(book, formula_table[i + (is_each(i) &&
                         has_kind(book, KIND_RENT))].text, column, 0, &out);
    if (!good || out.failed)
        book->failed = 1;
    else
        book_formula(book, book->model, book->step_row[formula->index],
                     column, out.at,
                     book->answer->result[option].step[formula->index],
                     book_style(formula->unit));
    text_free(&out);
}

/* The text of the formula behind the options, for those who read. */
static void put_formula_text(struct book *book, int row, int i)
{
    char line[1600];

    if (is_each(i))
        snprintf(line, sizeof line, "%s: %s; %s: %s", book_say(book, "own"),
                 formula_table[i].text, book_say(book, "rent"),
                 formula_table[i + 1].text);
    else
        snprintf(line, sizeof line, "%s", formula_table[i].text);
    book_string(book, book->model, row,
                COLUMN_OPTION + book->answer->study.option_count, line,
                STYLE_NOTE);
}

static void put_step_row(struct book *book, int i)
{
    const struct formula *formula = &formula_table[i];
    const struct study *study = &book->answer->study;
    int row = book->step_row[formula->index];
    char unit[64];

    book_row_head(book, book->model, row, formula->label, formula->name,
                  book_unit(book, formula->unit, unit, sizeof unit));
    for (int k = 0; k < study->option_count; k++)
        if (is_each(i) || book_kind_has(formula->kind, study->option[k].kind))
            put_step(book, i, k);
        else
            book_string(book, book->model, row, COLUMN_OPTION + k,
                        "\xE2\x80\x93", STYLE_NONE);
    put_formula_text(book, row, i);
}

/* Each step of the tables once: i of the first row that holds it, or -1. */
static int is_model_step(int i)
{
    enum formula_part part = formula_table[i].part;

    return (part == PART_ENERGY || part == PART_STEP || part == PART_TOTAL) &&
           !(i > 0 && is_each(i - 1));
}

/* --- further rows --------------------------------------------------------- */

static void put_row_heads(struct book *book, enum model_row which)
{
    char unit[64];

    book_row_head(book, book->model, book->model_row[which],
                  row_table[which].label, row_table[which].name,
                  book_unit(book, row_table[which].unit, unit, sizeof unit));
}

static void put_row(struct book *book, enum model_row which, int option,
                    const char *formula, double value)
{
    book_formula(book, book->model, book->model_row[which],
                 COLUMN_OPTION + option, formula, value,
                 book_style(row_table[which].unit));
}

/* MATCH(word, words, 0) - 1, or what stands beside the word. */
static void put_code(struct book *book, enum model_row which, int option,
                     int field, int words, int beside, double value)
{
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    if (beside >= 0) {
        text_str(&out, "INDEX(");
        book_list(beside, &out);
        text_char(&out, ',');
    }
    text_str(&out, "MATCH(Inputs!");
    cells_at(book->input_row[field], COLUMN_OPTION + option, 0, &out);
    text_char(&out, ',');
    book_list(words, &out);
    text_str(&out, beside >= 0 ? ",0))" : ",0)-1");
    put_row(book, which, option, out.at ? out.at : "", value);
    text_free(&out);
}

static void put_translated(struct book *book, enum model_row which,
                           int option, const char *text, int fixed,
                           double value)
{
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    if (!translate(book, text, fixed ? COLUMN_OPTION : COLUMN_OPTION + option,
                   fixed, &out))
        book->failed = 1;
    else
        put_row(book, which, option, out.at, value);
    text_free(&out);
}

static void put_codes(struct book *book, int i)
{
    const struct option *o = &book->answer->study.option[i];
    const double *v = o->value;
    struct work work = work_of(book->answer->study.option[0].value);
    int term = o->kind == KIND_RENT ? term_month_of((int)v[F_term]) : 0;

    book_number_cell(book, book->model, book->model_row[ROW_own_count],
                     COLUMN_OPTION + i, o->kind == KIND_OWN, STYLE_NUMBER);
    if (o->kind == KIND_OWN) {
        put_code(book, ROW_depreciation, i, F_depreciation, LIST_DEPRECIATION,
                 -1, v[F_depreciation]);
    } else {
        put_code(book, ROW_prorate_term, i, F_prorate_term, LIST_PRORATE, -1,
                 v[F_prorate_term]);
        put_code(book, ROW_term_month, i, F_term, LIST_TERM, LIST_MONTH,
                 term);
        put_translated(book, ROW_commitment_count, i,
                       "IF(term_month > 0, 1, 0)", 0, term > 0);
    }
    put_translated(book, ROW_work_hour_per_month, i,
                   "busy_frac * hour_per_month * machine_count", 1,
                   work.machine_hour_per_month);
    put_translated(book, ROW_work_speed_hour_per_month, i,
                   "busy_frac * hour_per_month * machine_count * "
                   "machine_speed * (1 - rework_frac)", 1,
                   work.speed_hour_per_month);
}

/* The sum of a row of Months, found by the option's letter and the name. */
static void sum_of_months(struct book *book, int row, int option,
                          struct text *out)
{
    text_reset(out);
    text_str(out, "SUMIF(Months!$B$1:");
    cells_at(book->last_month_row, COLUMN_NAME, 1, out);
    text_str(out, ",CONCATENATE(");
    cells_at(PREFIX_ROW, COLUMN_OPTION + option, 0, out);
    text_str(out, ",$");
    cells_at(row, COLUMN_NAME, 0, out);
    text_str(out, "),Months!$D$1:");
    cells_at(book->last_month_row, COLUMN_SUM, 1, out);
    text_char(out, ')');
}

static void put_item_row(struct book *book, int item)
{
    const struct study *study = &book->answer->study;
    int row = book->item_row[item];
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    book_row_head(book, book->model, row, item_table[item].label,
                  item_table[item].name, study->currency);
    for (int i = 0; i < study->option_count; i++) {
        sum_of_months(book, row, i, &out);
        book_formula(book, book->model, row, COLUMN_OPTION + i,
                     out.at ? out.at : "", book->answer->result[i].item[item],
                     STYLE_MONEY);
    }
    text_free(&out);
}

/* The items make up the sum; the present value comes from the months. */
static void put_sums(struct book *book)
{
    int sum = book->model_row[ROW_total_cost], column = COLUMN_OPTION;
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    for (int i = 0; i < book->answer->study.option_count; i++, column++) {
        text_reset(&out);
        text_str(&out, "SUM(");
        cells_at(book->first_item_row, column, 0, &out);
        text_char(&out, ':');
        cells_at(sum - 1, column, 0, &out);
        text_char(&out, ')');
        put_row(book, ROW_total_cost, i, out.at ? out.at : "",
                book->answer->result[i].total_cost);
        sum_of_months(book, book->model_row[ROW_npv_cost], i, &out);
        put_row(book, ROW_npv_cost, i, out.at ? out.at : "",
                book->answer->result[i].npv_cost);
    }
    text_free(&out);
}

/* What cannot do the work is not ranked: it is left empty. */
static void put_ranked(struct book *book, int i)
{
    const struct result *result = &book->answer->result[i];
    int own = has_kind(book, KIND_OWN);
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    if (own) {
        text_str(&out, "IF(");
        cells_at(book->model_row[ROW_own_count], COLUMN_OPTION + i, 0, &out);
        text_str(&out, ">0,IF(");
        if (!translate(book, "fill_ratio - 1 > count_tolerance",
                       COLUMN_OPTION + i, 0, &out))
            book->failed = 1;
        text_str(&out, ",\"\",");
        cells_at(book->model_row[ROW_npv_cost], COLUMN_OPTION + i, 0, &out);
        text_str(&out, "),");
    }
    cells_at(book->model_row[ROW_npv_cost], COLUMN_OPTION + i, 0, &out);
    text_str(&out, own ? ")" : "");
    if (result->short_of_capacity)
        book_word_formula(book, book->model, book->model_row[ROW_ranked_cost],
                          COLUMN_OPTION + i, out.at ? out.at : "", "",
                          STYLE_WORD);
    else
        put_row(book, ROW_ranked_cost, i, out.at ? out.at : "",
                result->npv_cost);
    text_free(&out);
}

static void put_saving(struct book *book, int i)
{
    const struct result *result = book->answer->result;
    int row = book->model_row[ROW_npv_cost];
    struct text out;

    text_init(&out, FORMULA_BYTE_MAX);
    cells_at(row, COLUMN_OPTION + i, 0, &out);
    text_str(&out, "-$");
    cells_at(row, COLUMN_OPTION, 0, &out);
    put_row(book, ROW_saving_npv, i, out.at ? out.at : "",
            result[i].npv_cost - result[0].npv_cost);
    text_free(&out);
}

/* --- the sheet ------------------------------------------------------------ */

static int any_item(const struct book *book, int item)
{
    const struct study *study = &book->answer->study;

    for (int i = 0; i < study->option_count; i++)
        if (study->option[i].kind == KIND_OWN ? item_table[item].own
                                              : item_table[item].rent)
            return 1;
    return 0;
}

static int any_kind(const struct book *book, int i)
{
    const struct study *study = &book->answer->study;

    for (int k = 0; k < study->option_count; k++)
        if (is_each(i) || book_kind_has(formula_table[i].kind,
                                        study->option[k].kind))
            return 1;
    return 0;
}

static void plan_steps(struct book *book, int totals, int *row)
{
    for (int i = 0; i < formula_count; i++)
        if (is_model_step(i) && any_kind(book, i) &&
            (formula_table[i].part == PART_TOTAL) == totals)
            book->step_row[formula_table[i].index] = (*row)++;
}

void book_plan_model(struct book *book)
{
    int row = FIRST_ROW;

    for (int i = 0; i < STEP_COUNT; i++)
        book->step_row[i] = -1;
    for (int i = 0; i < ITEM_COUNT; i++)
        book->item_row[i] = -1;
    row++; /* a heading before each part */
    for (int i = ROW_own_count; i <= ROW_work_speed_hour_per_month; i++)
        book->model_row[i] = row++;
    row += 2;
    plan_steps(book, 0, &row);
    row += 2;
    book->first_item_row = row;
    for (int i = 0; i < ITEM_COUNT; i++)
        if (any_item(book, i))
            book->item_row[i] = row++;
    for (int i = ROW_total_cost; i < MODEL_ROW_COUNT; i++)
        book->model_row[i] = row++;
    row += 2;
    plan_steps(book, 1, &row);
}

static void put_group(struct book *book, int row, const char *title)
{
    book_string(book, book->model, row, 0, book_say(book, title), STYLE_GROUP);
}

static void put_all_rows(struct book *book)
{
    int count = book->answer->study.option_count;

    for (int i = 0; i < MODEL_ROW_COUNT; i++)
        put_row_heads(book, (enum model_row)i);
    for (int i = 0; i < count; i++)
        put_codes(book, i);
    for (int i = 0; i < formula_count; i++)
        if (is_model_step(i) && book->step_row[formula_table[i].index] >= 0)
            put_step_row(book, i);
    for (int i = 0; i < ITEM_COUNT; i++)
        if (book->item_row[i] >= 0)
            put_item_row(book, i);
    put_sums(book);
    for (int i = 0; i < count; i++) {
        put_ranked(book, i);
        put_saving(book, i);
    }
}

void book_model(struct book *book)
{
    int count = book->answer->study.option_count;
    lxw_col_t text = (lxw_col_t)(COLUMN_OPTION + count);

    book_option_heads(book, book->model, "Model",
        "One column an option, one row a step. Every formula is the one that "
        "gputco itself calculates with.");
    book_string(book, book->model, 3, (int)text, book_say(book, "Formula"),
                STYLE_HEAD);
    worksheet_set_column(book->model, text, text, 60, NULL);
    book_row_head(book, book->model, PREFIX_ROW,
                  "Names on sheet Months begin with", "", "");
    for (int i = 0; i < count; i++) {
        char prefix[3] = { (char)('a' + i), '.', '\0' };
        book_string(book, book->model, PREFIX_ROW, COLUMN_OPTION + i, prefix,
                    STYLE_WORD);
    }
    put_group(book, FIRST_ROW, "Work and terms");
    put_group(book, book->model_row[ROW_work_speed_hour_per_month] + 2,
              "Machines, energy and prices");
    put_group(book, book->first_item_row - 1, "Paid over the whole time");
    put_group(book, book->model_row[ROW_saving_npv] + 2, "Results");
    put_all_rows(book);
    worksheet_protect(book->model, NULL, NULL);
    worksheet_print_area(book->model, 0, 0,
        (lxw_row_t)book->step_row[S_npv_cost_with_carbon],
        (lxw_col_t)(text - 1));
    book_print_setup(book->model, 3, 1);
}
