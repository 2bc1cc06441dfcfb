/* out_xlsx_inputs.c: the sheets that hold what is put in: Inputs, one row a
   field with yellow cells, and Constants. */
#include "fcgi/out_xlsx_book.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/cells.h"
#include "fcgi/form.h"
#include "fcgi/shown.h"
#include "pricing/resolve.h"

/* --- constants ------------------------------------------------------------ */

static const struct { const char *name, *dimension; double value;
                      const char *source; } const_table[] = {
#define CONST(name, dimension, value, source) \
    { #name, dimension, value, source },
#include "energy/consts.def"
};

enum { CONST_COUNT = sizeof const_table / sizeof *const_table,
       CONST_FIRST_ROW = 4, COLUMN_LIST = 5 };

int book_const_row(const char *name, size_t length)
{
    for (int i = 0; i < CONST_COUNT; i++)
        if (strlen(const_table[i].name) == length &&
            memcmp(const_table[i].name, name, length) == 0)
            return CONST_FIRST_ROW + i;
    return -1;
}

int book_number_row(const struct book *book, double number)
{
    for (int i = 0; i < book->number_count; i++)
        if (!(book->number[i].number < number) &&
            !(book->number[i].number > number))
            return book->number[i].row;
    return -1;
}

struct finding { struct book *book; const char *label; };

static void number_found(void *to, double number)
{
    struct finding *finding = to;
    struct book *book = finding->book;

    if (book_number_row(book, number) >= 0)
        return;
    if (book->number_count == NUMBER_MAX) {
        book->failed = 1;
        return;
    }
    book->number[book->number_count] = (struct book_number){
        number, finding->label,
        CONST_FIRST_ROW + CONST_COUNT + book->number_count };
    book->number_count++;
}

/* Lists of words: a field, or the months of the terms. */
static const int list_field[LIST_COUNT] = {
    F_depreciation, F_prorate_term, F_term, F_term };

static int list_length(int list)
{
    int count = 1;

    for (const char *at = field_table[list_field[list]].choices; *at; at++)
        count += *at == ' ';
    return count;
}

void book_list(int list, struct text *out)
{
    text_str(out, "Constants!");
    cells_at(CONST_FIRST_ROW, COLUMN_LIST + list, 1, out);
    text_char(out, ':');
    cells_at(CONST_FIRST_ROW + list_length(list) - 1, COLUMN_LIST + list, 1,
             out);
}

void book_list_word(int list, int word, struct text *out)
{
    text_str(out, "Constants!");
    cells_at(CONST_FIRST_ROW + word, COLUMN_LIST + list, 1, out);
}

static void put_list(struct book *book, int list)
{
    const struct field *field = &field_table[list_field[list]];
    lxw_worksheet *sheet = book->constants;

    book_string(book, sheet, CONST_FIRST_ROW - 1, COLUMN_LIST + list,
                list == LIST_MONTH ? "term_month" : field->name, STYLE_HEAD);
    for (int i = 0; i < list_length(list); i++) {
        char word[NAME_BYTE_MAX];
        size_t length;
        const char *at = choice_word(field->choices, i, &length);
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (list == LIST_MONTH)
            book_number_cell(book, sheet, CONST_FIRST_ROW + i,
                             COLUMN_LIST + list, term_month_of(i),
                             STYLE_NUMBER);
        else
            book_string(book, sheet, CONST_FIRST_ROW + i, COLUMN_LIST + list,
                        word, STYLE_WORD);
    }
}

void book_constants(struct book *book)
{
    lxw_worksheet *sheet = book->constants;
    struct finding check = { book, "difference that Check calls none" };
    struct finding follow = { book, "rule by which an input is filled in" };
    int row = CONST_FIRST_ROW;

    for (int i = 0; i < formula_count; i++) {
        struct finding finding = { book, formula_table[i].label };
        cells_numbers(formula_table[i].text, number_found, &finding);
    }
    number_found(&check, 1e-9);
    book_follow_numbers(book, number_found, &follow);
    worksheet_set_column(sheet, 0, 0, 40, NULL);
    worksheet_set_column(sheet, 1, 1, 29, NULL);
    worksheet_set_column(sheet, 2, COLUMN_LIST + LIST_COUNT - 1, 16, NULL);
    book_string(book, sheet, 0, 0, book_say(book, "Constants"), STYLE_TITLE);
    book_string(book, sheet, 1, 0,
                book_say(book, "Numbers that formulas use; not inputs."),
                STYLE_NOTE);
    for (int i = 0; i < CONST_COUNT; i++, row++) {
        book_string(book, sheet, row, 0, const_table[i].source, STYLE_PLAIN);
        book_string(book, sheet, row, 1, const_table[i].name, STYLE_NOTE);
        book_number_cell(book, sheet, row, 2, const_table[i].value,
                         STYLE_NUMBER);
        book_string(book, sheet, row, 3, const_table[i].dimension,
                    STYLE_NOTE);
    }
    for (int i = 0; i < book->number_count; i++) {
        book_string(book, sheet, book->number[i].row, 0,
                    book_say(book, book->number[i].label), STYLE_PLAIN);
        book_number_cell(book, sheet, book->number[i].row, 2,
                         book->number[i].number, STYLE_NUMBER);
    }
    for (int i = 0; i < LIST_COUNT; i++)
        put_list(book, i);
    worksheet_protect(sheet, NULL, NULL);
    book_print_setup(sheet, -1, 1);
}

/* --- inputs --------------------------------------------------------------- */

static int is_number(int field)
{
    return field_table[field].type <= FIELD_WHOLE;
}

static int list_of(int field)
{
    for (int i = 0; i < LIST_MONTH; i++)
        if (list_field[i] == field)
            return i;
    return -1;
}

/* Whether a formula reads the cell, so that it may be changed. What an
   instance decides is shown only. */
static int is_yellow(const struct book *book, int option, int field)
{
    enum kind kind = book->answer->study.option[option].kind;

    if (field == F_gpu_count && kind == KIND_RENT)
        return 0;
    return is_number(field) || list_of(field) >= 0;
}

static enum cell_style yellow_of(enum cell_style style)
{
    switch (style) {
    case STYLE_MONEY: return STYLE_YELLOW_MONEY;
    case STYLE_PRICE: return STYLE_YELLOW_PRICE;
    case STYLE_PERCENT: return STYLE_YELLOW_PERCENT;
    default: return STYLE_YELLOW;
    }
}

static int column_min(const struct book *book)
{
    return COLUMN_OPTION + 2 * book->answer->study.option_count;
}

/* What may be typed: between the cells in which the limits stand. */
static void validate_number(struct book *book, int row, int column, int field)
{
    char low[16], high[16], message[160], least[32], most[32];
    lxw_data_validation rule = { 0 };
    struct text at;

    text_init(&at, 64);
    cells_at(row, column_min(book), 1, &at);
    snprintf(low, sizeof low, "=%s", at.at ? at.at : "");
    text_reset(&at);
    cells_at(row, column_min(book) + 1, 1, &at);
    snprintf(high, sizeof high, "=%s", at.at ? at.at : "");
    text_reset(&at);
    text_free(&at);
    snprintf(least, sizeof least, "%.6g", field_table[field].min);
    snprintf(most, sizeof most, "%.6g", field_table[field].max);
    snprintf(message, sizeof message, "%s: %s %s \xE2\x80\xA6 %s%s",
             field_table[field].name,
             field_table[field].type == FIELD_WHOLE ? "whole number" : "number",
             least, most, unit_table[field_table[field].unit].money
             ? " USD" : "");
    rule.validate = field_table[field].type == FIELD_WHOLE
                  ? LXW_VALIDATION_TYPE_INTEGER_FORMULA
                  : LXW_VALIDATION_TYPE_DECIMAL_FORMULA;
    rule.criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
    rule.minimum_formula = low;
    rule.maximum_formula = high;
    rule.error_title = (char *)(uintptr_t)"gputco";
    rule.error_message = message;
    worksheet_data_validation_cell(book->inputs, (lxw_row_t)row,
                                   (lxw_col_t)column, &rule);
}

static void validate_word(struct book *book, int row, int column, int list)
{
    lxw_data_validation rule = { 0 };
    struct text range;

    text_init(&range, 128);
    text_char(&range, '=');
    book_list(list, &range);
    rule.validate = LXW_VALIDATION_TYPE_LIST_FORMULA;
    rule.value_formula = range.at;
    rule.error_title = (char *)(uintptr_t)"gputco";
    rule.error_message = (char *)(uintptr_t)"one of the list";
    if (!range.failed)
        worksheet_data_validation_cell(book->inputs, (lxw_row_t)row,
                                       (lxw_col_t)column, &rule);
    text_free(&range);
}

/* Where a value comes from: "price [3] 2026-11-20, estimate". */
static void put_origin(struct book *book, int row, int option, int field)
{
    const struct answer *answer = book->answer;
    const struct origin *origin = &answer->study.option[option].origin[field];
    int source = answer->source_of[option][field];
    char line[160], day[11], cited[32] = "";

    if (source)
        snprintf(cited, sizeof cited, " [%d] %s", source,
                 cited_date(&answer->cited[source - 1], day));
    snprintf(line, sizeof line, "%s%s%s%s",
             book_say(book, origin_name[origin->kind]), cited,
             origin->estimate ? ", " : "",
             origin->estimate ? book_say(book, "estimate") : "");
    book_string(book, book->inputs, row,
                COLUMN_OPTION + answer->study.option_count + option, line,
                STYLE_NOTE);
}

static void put_word(struct book *book, int row, int option, int field)
{
    int column = COLUMN_OPTION + option, list = list_of(field);
    struct text word, rule;

    text_init(&word, 1024);
    text_init(&rule, 1024);
    shown_value(&word, &book->answer->study.option[option], field);
    if (field == F_depreciation &&
        book_follow_depreciation(book, option, &rule))
        book_word_formula(book, book->inputs, row, column, rule.at,
                          word.at ? word.at : "", STYLE_YELLOW_WORD);
    else
        book_string(book, book->inputs, row, column, word.at ? word.at : "",
                    list >= 0 ? STYLE_YELLOW_WORD : STYLE_WORD);
    text_free(&rule);
    text_free(&word);
    if (list >= 0)
        validate_word(book, row, column, list);
}

/* Shared values stand once; the other options repeat the cell beside. */
static void put_repeated(struct book *book, int row, int option, int field)
{
    struct text left;

    text_init(&left, 64);
    cells_at(row, COLUMN_OPTION + option - 1, 0, &left);
    book_formula(book, book->inputs, row, COLUMN_OPTION + option,
                 left.at ? left.at : "",
                 book->answer->study.option[option].value[field],
                 book_style(field_table[field].unit));
    text_free(&left);
}

static void put_number_cell(struct book *book, int row, int option, int field,
                            double value)
{
    int yellow = is_yellow(book, option, field);
    int column = COLUMN_OPTION + option;
    enum cell_style style = book_style(field_table[field].unit);
    struct text rule;

    if (yellow) {
        style = yellow_of(style);
        validate_number(book, row, column, field);
    }
    text_init(&rule, 1024);
    if (yellow && book_follow(book, option, field, &rule))
        book_formula(book, book->inputs, row, column, rule.at ? rule.at : "",
                     value, style);
    else
        book_number_cell(book, book->inputs, row, column, value, style);
    text_free(&rule);
}

static void put_value(struct book *book, int row, int option, int field)
{
    double value = book->answer->study.option[option].value[field];

    if (!is_number(field)) {
        put_word(book, row, option, field);
    } else if (option > 0 && field_table[field].applies == APPLIES_SHARED) {
        put_repeated(book, row, option, field);
        return;
    } else {
        put_number_cell(book, row, option, field, value);
    }
    put_origin(book, row, option, field);
}

static void put_limits(struct book *book, int row, int field)
{
    const struct field *f = &field_table[field];
    double rate = unit_table[f->unit].money
                ? book->answer->study.currency_per_usd : 1;
    enum cell_style style = book_style(f->unit);

    if (!is_number(field))
        return;
    book_number_cell(book, book->inputs, row, column_min(book), f->min * rate,
                     style);
    book_number_cell(book, book->inputs, row, column_min(book) + 1,
                     f->max * rate, style);
}

static int any_has(const struct book *book, int field)
{
    const struct study *study = &book->answer->study;

    for (int i = 0; i < study->option_count; i++)
        if (option_has(i, study->option[i].kind, field))
            return 1;
    return 0;
}

static void put_field(struct book *book, int row, int field)
{
    const struct study *study = &book->answer->study;
    char unit[64];

    book_row_head(book, book->inputs, row, field_table[field].label,
                  field_table[field].name,
                  is_number(field) ? book_unit(book, field_table[field].unit,
                                               unit, sizeof unit) : "");
    put_limits(book, row, field);
    for (int i = 0; i < study->option_count; i++)
        if (option_has(i, study->option[i].kind, field))
            put_value(book, row, i, field);
        else
            book_string(book, book->inputs, row, COLUMN_OPTION + i,
                        "\xE2\x80\x93", STYLE_NONE);
}

static void put_more_heads(struct book *book)
{
    int count = book->answer->study.option_count;
    int from = COLUMN_OPTION + count, min = column_min(book);

    for (int i = 0; i < count; i++) {
        char head[64];
        snprintf(head, sizeof head, "%c: %s", 'a' + i,
                 book_say(book, "where it comes from"));
        book_string(book, book->inputs, 3, from + i, head, STYLE_HEAD);
    }
    book_string(book, book->inputs, 3, min, book_say(book, "at least"),
                STYLE_HEAD);
    book_string(book, book->inputs, 3, min + 1, book_say(book, "at most"),
                STYLE_HEAD);
    worksheet_set_column(book->inputs, (lxw_col_t)from,
                         (lxw_col_t)(from + count - 1), 34, NULL);
    worksheet_set_column(book->inputs, (lxw_col_t)min, (lxw_col_t)(min + 1),
                         18, NULL);
}

void book_inputs(struct book *book)
{
    int row = book_option_heads(book, book->inputs, "Inputs",
        "Yellow cells may be changed; everything else follows. A yellow cell "
        "with a formula follows other inputs until it is overwritten.");

    put_more_heads(book);
    for (int f = 0; f < FIELD_COUNT; f++)
        book->input_row[f] = -1;
    for (int group = 0; group < GROUP_COUNT; group++) {
        book_string(book, book->inputs, row++, 0,
                    book_say(book, group_title[group]), STYLE_GROUP);
        for (int f = 0; f < FIELD_COUNT; f++)
            if ((int)field_table[f].group == group && any_has(book, f))
                book->input_row[f] = row++;
    }
    for (int f = 0; f < FIELD_COUNT; f++)
        if (book->input_row[f] >= 0)
            put_field(book, book->input_row[f], f);
    worksheet_protect(book->inputs, NULL, NULL);
    book_print_setup(book->inputs, 3, 1);
}
