/* out_xlsx_book.h: what the sheets of a workbook share: the file, its cell
   formats and the places of everything a formula may name. Columns: A label,
   B name, C unit, then one an option, or on Months and Years D the sum, E
   what was before, then one a month or year. */
#ifndef GPUTCO_FCGI_OUT_XLSX_BOOK_H
#define GPUTCO_FCGI_OUT_XLSX_BOOK_H

#include <xlsxwriter.h>

#include "fcgi/answer.h"

enum { COLUMN_LABEL, COLUMN_NAME, COLUMN_UNIT, COLUMN_OPTION,
       COLUMN_SUM = COLUMN_OPTION, COLUMN_BEFORE, COLUMN_TIME };
enum { NUMBER_MAX = 48, YEAR_MAX = MONTH_MAX / 12 };

enum cell_style { STYLE_PLAIN, STYLE_TITLE, STYLE_HEAD, STYLE_GROUP,
                  STYLE_NOTE, STYLE_WRAP, STYLE_LEAD, STYLE_NUMBER,
                  STYLE_WHOLE, STYLE_MONEY,
                  STYLE_PRICE,
                  STYLE_PERCENT, STYLE_WORD, STYLE_YELLOW, STYLE_YELLOW_MONEY,
                  STYLE_YELLOW_PRICE, STYLE_YELLOW_PERCENT, STYLE_YELLOW_WORD,
                  STYLE_NONE, STYLE_GOOD, STYLE_BAD, STYLE_COUNT };

/* Rows of the sheet Model that no table holds. */
enum model_row {
#define ROW(name, unit, label) ROW_##name,
#include "fcgi/out_xlsx_rows.def"
    MODEL_ROW_COUNT
};

/* Rows of a block of Months that no table holds. */
enum block_row { BLOCK_CAPITAL, BLOCK_TAXED, BLOCK_RUNNING, BLOCK_DISCOUNTED,
                 BLOCK_CUMULATIVE, BLOCK_ROW_COUNT };

enum timeline { TIME_MONTH, TIME_IN_STUDY, TIME_YEAR, TIME_FACTOR,
                TIME_COUNT };

struct book_number { double number; const char *label; int row; };

struct block { /* one option on Months; rows, -1 where there is none */
    int step[MONTH_STEP_COUNT], item[ITEM_COUNT], more[BLOCK_ROW_COUNT];
};

struct book {
    const struct answer *answer;
    lxw_workbook *file;
    lxw_worksheet *cover, *inputs, *model, *months, *years, *sensitivity,
                  *sources, *check, *constants;
    lxw_format *style[STYLE_COUNT];
    struct month *month[OPTION_MAX];   /* MONTH_MAX + 1 each */
    int input_row[FIELD_COUNT];        /* -1: not there */
    int step_row[STEP_COUNT], item_row[ITEM_COUNT];
    int model_row[MODEL_ROW_COUNT];
    int time_row[TIME_COUNT];
    int first_item_row, last_month_row, last_year_flow_row[OPTION_MAX];
    struct block block[OPTION_MAX];
    struct book_number number[NUMBER_MAX];
    int number_count;
    int failed;                        /* a formula without a cell */
};

/* Rows of the sheet Constants. */
int book_const_row(const char *name, size_t length); /* -1: no such one */
int book_number_row(const struct book *book, double number);
/* Where the words of a choice stand there: column and first row. */
enum { LIST_DEPRECIATION, LIST_PRORATE, LIST_TERM, LIST_MONTH, LIST_COUNT };
void book_list(int list, struct text *out); /* "Constants!$F$5:$F$8" */
void book_list_word(int list, int word, struct text *out);
/* Inputs that follow others: the formula of a cell, 0 when it holds a value;
   and the numbers that these formulas use. */
int book_follow(struct book *book, int option, int field, struct text *out);
int book_follow_depreciation(const struct book *book, int option,
                             struct text *out);
void book_follow_numbers(struct book *book,
                         void (*found)(void *to, double number), void *to);

/* Columns are said in the reader's language. */
const char *book_say(const struct book *book, const char *english);
void book_string(struct book *book, lxw_worksheet *sheet, int row, int column,
                 const char *text, enum cell_style style);
void book_number_cell(struct book *book, lxw_worksheet *sheet, int row,
                      int column, double value, enum cell_style style);
/* `formula` without '='; what is no number is cached as #N/A. */
void book_formula(struct book *book, lxw_worksheet *sheet, int row,
                  int column, const char *formula, double value,
                  enum cell_style style);
/* The same for a formula whose value is a word. */
void book_word_formula(struct book *book, lxw_worksheet *sheet, int row,
                       int column, const char *formula, const char *value,
                       enum cell_style style);
/* Label, name and unit of a row. */
void book_row_head(struct book *book, lxw_worksheet *sheet, int row,
                   const char *label, const char *name, const char *unit);
/* The unit of a quantity as it is shown: "USD/hour". Static for ever or in
   `room`. */
const char *book_unit(const struct book *book, enum unit unit, char *room,
                      size_t size);
enum cell_style book_style(enum unit unit);
/* 1 if rows of that kind ("OWN", "RENT", "BOTH") have a cell for it. */
int book_kind_has(const char *kind, enum kind of);
/* Writes the fixed cell of a name of Model, Inputs or Constants for an
   option; 0 when it has none. */
int book_cell(const struct book *book, int option, const char *name,
              size_t length, struct text *out);
int book_cell_number(const struct book *book, double number,
                     struct text *out);
/* Title, note and heads of a sheet with a column an option; the row below. */
int book_option_heads(struct book *book, lxw_worksheet *sheet,
                      const char *title, const char *note);
void book_print_setup(lxw_worksheet *sheet, int head_row, int one_page_wide);

/* The sheets, in the order in which they have to be written. */
void book_constants(struct book *book);
void book_inputs(struct book *book);
void book_plan_model(struct book *book);  /* only finds the places */
void book_plan_months(struct book *book);
void book_model(struct book *book);
void book_months(struct book *book);
void book_years(struct book *book);
void book_cover(struct book *book);
void book_sensitivity(struct book *book);
void book_sources(struct book *book);
void book_check(struct book *book);

#endif
