/* out_xlsx.c: opens and closes the workbook, its cell formats and the cells
   that all sheets write alike. The library writes files only, so the file is
   one in memory. */
#define _GNU_SOURCE /* memfd_create */
#include "fcgi/out_xlsx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fcgi/out_xlsx_book.h"
#include "fcgi/say.h"
#include "pricing/num.h"

/* --- cell formats -------------------------------------------------------- */

enum { INK = 0x1F2933, PALE = 0x6B7785, YELLOW = 0xFFF5B8, LINE = 0xC9CFD6,
       HEAD_GROUND = 0xE6EBF0, GREEN = 0xD5EFDA, RED = 0xF8D4D0 };

static const struct {
    const char *number;   /* NULL: as it is */
    int bold, size, yellow, wrap, right, ground, ink;
} style_table[STYLE_COUNT] = {
    [STYLE_PLAIN] = { 0 },
    [STYLE_TITLE] = { .bold = 1, .size = 16 },
    [STYLE_HEAD] = { .bold = 1, .wrap = 1, .right = 1, .ground = HEAD_GROUND },
    [STYLE_GROUP] = { .bold = 1, .size = 12 },
    [STYLE_NOTE] = { .ink = PALE },
    [STYLE_WRAP] = { .wrap = 1 },
    [STYLE_LEAD] = { .wrap = 1, .size = 14 },
    [STYLE_NUMBER] = { .number = "General" },
    [STYLE_WHOLE] = { .number = "#,##0" },
    [STYLE_MONEY] = { .number = "#,##0.00" },
    [STYLE_PRICE] = { .number = "#,##0.0000" },
    [STYLE_PERCENT] = { .number = "0.0###%" },
    [STYLE_WORD] = { .right = 1 },
    [STYLE_YELLOW] = { .number = "General", .yellow = 1 },
    [STYLE_YELLOW_MONEY] = { .number = "#,##0.00", .yellow = 1 },
    [STYLE_YELLOW_PRICE] = { .number = "#,##0.0000", .yellow = 1 },
    [STYLE_YELLOW_PERCENT] = { .number = "0.0###%", .yellow = 1 },
    [STYLE_YELLOW_WORD] = { .yellow = 1, .right = 1 },
    [STYLE_NONE] = { .ink = LINE, .right = 1 },
    [STYLE_GOOD] = { .ground = GREEN },
    [STYLE_BAD] = { .ground = RED },
};

static void make_style(struct book *book, int i)
{
    lxw_format *style = workbook_add_format(book->file);

    book->style[i] = style;
    if (!style) {
        book->failed = 1;
        return;
    }
    format_set_font_color(style, (lxw_color_t)(style_table[i].ink
                                 ? style_table[i].ink : INK));
    if (style_table[i].number)
        format_set_num_format(style, style_table[i].number);
    if (style_table[i].bold)
        format_set_bold(style);
    if (style_table[i].size)
        format_set_font_size(style, style_table[i].size);
    if (style_table[i].wrap)
        format_set_text_wrap(style);
    if (style_table[i].wrap)
        format_set_align(style, LXW_ALIGN_VERTICAL_TOP);
    if (style_table[i].right)
        format_set_align(style, LXW_ALIGN_RIGHT);
    if (style_table[i].ground)
        format_set_bg_color(style, (lxw_color_t)style_table[i].ground);
    if (!style_table[i].yellow)
        return;
    format_set_bg_color(style, YELLOW);
    format_set_border(style, LXW_BORDER_THIN);
    format_set_border_color(style, LINE);
    format_set_unlocked(style);
}

/* --- cells ---------------------------------------------------------------- */

static lxw_row_t row_of(int row) { return (lxw_row_t)row; }
static lxw_col_t column_of(int column) { return (lxw_col_t)column; }

const char *book_say(const struct book *book, const char *english)
{
    return say(book->answer->study.zh, english);
}

void book_string(struct book *book, lxw_worksheet *sheet, int row, int column,
                 const char *text, enum cell_style style)
{
    worksheet_write_string(sheet, row_of(row), column_of(column), text,
                           book->style[style]);
}

void book_formula(struct book *book, lxw_worksheet *sheet, int row,
                  int column, const char *formula, double value,
                  enum cell_style style)
{
    char whole[4096];
    int length = snprintf(whole, sizeof whole, "=%s", formula);

    if (length < 0 || (size_t)length >= sizeof whole)
        book->failed = 1;
    else if (isfinite(value))
        worksheet_write_formula_num(sheet, row_of(row), column_of(column),
                                    whole, book->style[style], value);
    else
        worksheet_write_formula_str(sheet, row_of(row), column_of(column),
                                    whole, book->style[style], "#N/A");
}

void book_word_formula(struct book *book, lxw_worksheet *sheet, int row,
                       int column, const char *formula, const char *value,
                       enum cell_style style)
{
    char whole[512];

    snprintf(whole, sizeof whole, "=%s", formula);
    worksheet_write_formula_str(sheet, row_of(row), column_of(column), whole,
                                book->style[style], value);
}

void book_number_cell(struct book *book, lxw_worksheet *sheet, int row,
                      int column, double value, enum cell_style style)
{
    if (isfinite(value))
        worksheet_write_number(sheet, row_of(row), column_of(column), value,
                               book->style[style]);
    else
        book_formula(book, sheet, row, column, "NA()", value, style);
}

void book_row_head(struct book *book, lxw_worksheet *sheet, int row,
                   const char *label, const char *name, const char *unit)
{
    book_string(book, sheet, row, COLUMN_LABEL, book_say(book, label),
                STYLE_PLAIN);
    book_string(book, sheet, row, COLUMN_NAME, name, STYLE_NOTE);
    book_string(book, sheet, row, COLUMN_UNIT, unit, STYLE_NOTE);
}

const char *book_unit(const struct book *book, enum unit unit, char *room,
                      size_t size)
{
    const struct unit_row *row = &unit_table[unit];
    char whole[64];

    snprintf(whole, sizeof whole, "%s%s",
             row->money ? book->answer->study.currency : "", row->shown);
    say_unit(book->answer->study.zh, whole, room, size);
    return room;
}

enum cell_style book_style(enum unit unit)
{
    if (unit == UNIT_FRAC || unit == UNIT_FRAC_PER_YEAR)
        return STYLE_PERCENT;
    if (unit == UNIT_KWH || unit == UNIT_KG || unit == UNIT_LITRE)
        return STYLE_WHOLE;
    if (!unit_table[unit].money)
        return STYLE_NUMBER;
    return unit == UNIT_MONEY || unit == UNIT_PRICE ||
           unit == UNIT_COST_PER_MONTH || unit == UNIT_COST_PER_YEAR
           ? STYLE_MONEY : STYLE_PRICE;
}

int book_kind_has(const char *kind, enum kind of)
{
    return *kind == 'B' || (*kind == 'O') == (of == KIND_OWN);
}

int book_option_heads(struct book *book, lxw_worksheet *sheet,
                      const char *title, const char *note)
{
    const struct study *study = &book->answer->study;

    worksheet_set_column(sheet, COLUMN_LABEL, COLUMN_LABEL, 40, NULL);
    worksheet_set_column(sheet, COLUMN_NAME, COLUMN_NAME, 29, NULL);
    worksheet_set_column(sheet, COLUMN_UNIT, COLUMN_UNIT, 14, NULL);
    worksheet_set_column(sheet, COLUMN_OPTION,
                         column_of(COLUMN_OPTION + study->option_count - 1),
                         22, NULL);
    book_string(book, sheet, 0, 0, book_say(book, title), STYLE_TITLE);
    book_string(book, sheet, 1, 0, book_say(book, note), STYLE_NOTE);
    worksheet_set_row(sheet, 3, 32, NULL);
    for (int i = 0; i < COLUMN_OPTION; i++)
        book_string(book, sheet, 3, i, "", STYLE_HEAD);
    for (int i = 0; i < study->option_count; i++) {
        char head[LABEL_BYTE_MAX + 8];
        snprintf(head, sizeof head, "%c: %s", 'a' + i,
                 answer_label(book->answer, i));
        book_string(book, sheet, 3, COLUMN_OPTION + i, head, STYLE_HEAD);
    }
    worksheet_freeze_panes(sheet, 4, COLUMN_OPTION);
    return 4;
}

void book_print_setup(lxw_worksheet *sheet, int head_row, int one_page_wide)
{
    enum { A4 = 9 };

    worksheet_set_landscape(sheet);
    worksheet_set_paper(sheet, A4);
    worksheet_set_margins(sheet, 0.5, 0.5, 0.6, 0.6);
    worksheet_set_footer(sheet, "&L&A&R&P / &N");
    if (head_row >= 0)
        worksheet_repeat_rows(sheet, 0, row_of(head_row));
    if (one_page_wide)
        worksheet_fit_to_pages(sheet, 1, 0);
    else
        worksheet_set_print_scale(sheet, 55);
    if (!one_page_wide)
        worksheet_repeat_columns(sheet, 0, COLUMN_SUM);
}

/* --- the file ------------------------------------------------------------- */

/* Midnight UTC of a day, as the library wants it: days since 1970 by the
   calendar's own count (proleptic, March first). */
static time_t day_time(int day)
{
    long year = day / 10000, month = day / 100 % 100, at = day % 100;
    long days;

    if (month < 3) {
        year--;
        month += 12;
    }
    days = 365 * year + year / 4 - year / 100 + year / 400 +
           (153 * (month - 3) + 2) / 5 + at - 719469;
    return (time_t)days * 86400;
}

static void set_properties(struct book *book)
{
    const struct answer *answer = book->answer;
    lxw_doc_properties properties = {
        .title = (char *)(uintptr_t)(*answer->study.label
                 ? answer->study.label : "GPUs: own or rent"),
        .author = (char *)(uintptr_t)"gputco",
        .comments = (char *)(uintptr_t)"gputco, model version " MODEL_VERSION,
        .created = day_time(answer->study.as_of_day),
    };

    workbook_set_properties(book->file, &properties);
}

static lxw_worksheet *add_sheet(struct book *book, const char *name)
{
    lxw_worksheet *sheet = workbook_add_worksheet(book->file, name);

    if (!sheet)
        book->failed = 1;
    else
        worksheet_gridlines(sheet, LXW_HIDE_ALL_GRIDLINES);
    return sheet;
}

static int run_months(struct book *book)
{
    const struct study *study = &book->answer->study;
    struct work work = work_of(study->option[0].value);

    for (int i = 0; i < study->option_count; i++) {
        struct result result;
        book->month[i] = calloc(MONTH_MAX + 1, sizeof *book->month[i]);
        if (!book->month[i])
            return -1;
        model_run(study->option[i].kind, study->option[i].value, &work,
                  &result, book->month[i]);
    }
    return 0;
}

static void write_sheets(struct book *book)
{
    for (int i = 0; i < STYLE_COUNT; i++)
        make_style(book, i);
    book->cover = add_sheet(book, "Cover");
    book->inputs = add_sheet(book, "Inputs");
    book->model = add_sheet(book, "Model");
    book->months = add_sheet(book, "Months");
    book->years = add_sheet(book, "Years");
    book->sensitivity = add_sheet(book, "Sensitivity");
    book->sources = add_sheet(book, "Sources");
    book->check = add_sheet(book, "Check");
    book->constants = add_sheet(book, "Constants");
    if (book->failed)
        return;
    set_properties(book);
    book_plan_model(book);
    book_plan_months(book);
    book_constants(book);
    book_inputs(book);
    book_model(book);
    book_months(book);
    book_years(book);
    book_cover(book);
    book_sensitivity(book);
    book_sources(book);
    book_check(book);
}

/* Everything that is in the file goes into `out`. */
static int take_file(int fd, struct text *out)
{
    char piece[16384];
    ssize_t got;

    if (lseek(fd, 0, SEEK_SET) != 0)
        return -1;
    while ((got = read(fd, piece, sizeof piece)) > 0)
        text_put(out, piece, (size_t)got);
    return got < 0 || out->failed ? -1 : 0;
}

static int write_file(struct book *book, int fd, struct text *out)
{
    char path[64];
    lxw_workbook_options options = { .tmpdir = NULL };
    static char shared_memory[] = "/dev/shm";

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (access(shared_memory, W_OK) == 0)
        options.tmpdir = shared_memory;
    book->file = workbook_new_opt(path, &options);
    if (!book->file)
        return -1;
    write_sheets(book);
    if (workbook_close(book->file) != LXW_NO_ERROR || book->failed)
        return -1;
    return take_file(fd, out);
}

int out_xlsx(const struct answer *answer, struct text *out)
{
    struct book *book = calloc(1, sizeof *book);
    int fd = memfd_create("workbook", MFD_CLOEXEC), failed = -1;

    if (book && fd >= 0) {
        book->answer = answer;
        if (run_months(book) == 0)
            failed = write_file(book, fd, out);
        for (int i = 0; i < OPTION_MAX; i++)
            free(book->month[i]);
    }
    if (fd >= 0)
        close(fd);
    free(book);
    return failed;
}
