/* out_text.c: columns of text. Widths count columns, not bytes. */
#include "fcgi/out_text.h"

#include <string.h>

#include "fcgi/extras_text.h"
#include "fcgi/out_boundary.h"
#include "fcgi/out_equivalent.h"
#include "fcgi/out_grant.h"
#include "fcgi/report.h"
#include "fcgi/say.h"
#include "fcgi/sentence.h"
#include "fcgi/wrap.h"
#include "pricing/num.h"

enum { PIECE_BYTE_MAX = 64 * 1024, GAP = 2 };

static void put_said(const struct answer *answer, struct text *out,
                     void (*write)(const struct answer *, struct text *))
{
    struct text piece;

    text_init(&piece, PIECE_BYTE_MAX);
    write(answer, &piece);
    wrap_text(out, piece.at ? piece.at : "", 0);
    text_free(&piece);
}

/* --- columns ----------------------------------------------------------------- */

static void cell_text(const struct answer *answer,
                      const struct report_row *row, int column,
                      struct text *cell)
{
    text_reset(cell);
    report_value(answer, row, column, cell);
    if (*row->unit == '/' && report_has(row, column))
        text_str(cell, row->unit);
}

static void label_text(const struct answer *answer,
                       const struct report_row *row, struct text *cell)
{
    text_reset(cell);
    text_str(cell, say(answer->study.zh, row->label));
    if (*row->unit && *row->unit != '/') {
        text_str(cell, ", ");
        text_str(cell, row->unit);
    }
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static const char *held(const struct text *text)
{
    return text->at ? text->at : "";
}

/* Widths of the labels and of each column. */
static void measure(const struct answer *answer, const struct report *report,
                    int columns, size_t *label, size_t *width)
{
    struct text cell;

    text_init(&cell, PIECE_BYTE_MAX);
    for (int i = 0; i < report->count; i++) {
        label_text(answer, &report->row[i], &cell);
        *label = larger(*label, wrap_width(held(&cell)));
        for (int k = 0; k < columns; k++) {
            cell_text(answer, &report->row[i], k, &cell);
            width[k] = larger(width[k], wrap_width(held(&cell)));
        }
    }
    text_free(&cell);
}

static void put_row(const struct answer *answer, const struct report_row *row,
                    int columns, size_t label, const size_t *width,
                    struct text *out)
{
    struct text cell;

    text_init(&cell, PIECE_BYTE_MAX);
    label_text(answer, row, &cell);
    text_str(out, "  ");
    text_str(out, held(&cell));
    wrap_blanks(out, label - wrap_width(held(&cell)));
    for (int k = 0; k < columns; k++) {
        cell_text(answer, row, k, &cell);
        wrap_blanks(out, GAP + width[k] - wrap_width(held(&cell)));
        text_str(out, held(&cell));
    }
    text_char(out, '\n');
    text_free(&cell);
}

static void put_head(char head[][8], int columns, size_t label,
                     const size_t *width, struct text *out)
{
    wrap_blanks(out, label + 2);
    for (int k = 0; k < columns; k++) {
        wrap_blanks(out, GAP + width[k] - strlen(head[k]));
        text_str(out, head[k]);
    }
    text_char(out, '\n');
}

static void put_report(const struct answer *answer,
                       const struct report *report, char head[][8],
                       int columns, int with_sections, struct text *out)
{
    size_t label = 0, width[OPTION_MAX] = { 0 };
    int section = -1;

    measure(answer, report, columns, &label, width);
    for (int k = 0; k < columns; k++)
        width[k] = larger(width[k], strlen(head[k]));
    put_head(head, columns, label, width, out);
    for (int i = 0; i < report->count; i++) {
        if (with_sections && (int)report->row[i].section != section) {
            section = (int)report->row[i].section;
            text_str(out, say(answer->study.zh, section_title[section]));
            text_char(out, '\n');
        }
        put_row(answer, &report->row[i], columns, label, width, out);
    }
}

/* --- parts --------------------------------------------------------------------- */

static void put_labels(const struct answer *answer, struct text *out)
{
    for (int i = 0; i < answer->study.option_count; i++) {
        text_str(out, "  ");
        text_char(out, (char)('a' + i));
        text_str(out, "  ");
        text_str(out, say(answer->study.zh,
                          answer->study.option[i].kind == KIND_OWN
                          ? "own " : "rent"));
        text_str(out, "  ");
        text_str(out, answer_label(answer, i));
        text_char(out, '\n');
    }
    text_char(out, '\n');
}

static void put_pairs(const struct answer *answer, struct text *out)
{
    struct report report;
    char head[OPTION_MAX][8];

    if (!answer->verdict.count)
        return;
    report_pairs(answer, &report);
    for (int i = 0; i < answer->verdict.count; i++) {
        memcpy(head[i], "a, b", 5);
        head[i][0] = (char)('a' + answer->verdict.pair[i].a);
        head[i][3] = (char)('a' + answer->verdict.pair[i].b);
    }
    text_title(answer->study.zh, "Break-even", out);
    put_report(answer, &report, head, answer->verdict.count, 0, out);
}

static void put_warnings(const struct answer *answer, struct text *out)
{
    struct text line;
    int any = 0;

    text_init(&line, PIECE_BYTE_MAX);
    for (int i = 0; i < answer->warnings.count; i++) {
        const struct warning *each = &answer->warnings.warning[i];
        if (!report_warns(each))
            continue;
        if (!any)
            text_title(answer->study.zh, "Things to know", out);
        any = 1;
        text_reset(&line);
        if (each->option) {
            text_char(&line, each->option);
            text_char(&line, *each->field ? '.' : ' ');
        }
        text_str(&line, each->field);
        text_str(&line, *each->field ? ": " : "");
        report_warning(answer->study.zh, each, &line);
        text_str(out, "  - ");
        wrap_text(out, held(&line), 4);
    }
    text_free(&line);
}

static void put_end(const struct answer *answer, struct text *out)
{
    char day[11];

    const int zh = answer->study.zh;

    day_print(day, answer->study.as_of_day);
    text_char(out, '\n');
    text_str(out, say(zh, "Prices of "));
    text_str(out, day);
    text_str(out, say(zh, ", model version "));
    text_str(out, MODEL_VERSION);
    text_str(out, say(zh, ". Inputs and sources: format json."));
    text_char(out, '\n');
    text_str(out, answer->base_url);
    text_str(out, "/compare?");
    answer_query(answer, out);
    text_char(out, '\n');
}

void out_text(const struct answer *answer, struct text *out)
{
    struct report report;
    char head[OPTION_MAX][8];

    if (answer->has_explanation) {
        extras_text_explanation(answer, out);
        put_end(answer, out);
        return;
    }
    if (grant_asked(answer)) {
        out_grant_text(answer, out);
        return;
    }
    if (*answer->study.label)
        wrap_text(out, answer->study.label, 0);
    put_said(answer, out, sentence_verdict);
    put_said(answer, out, sentence_amounts);
    text_char(out, '\n');
    put_labels(answer, out);
    for (int i = 0; i < answer->study.option_count; i++) {
        head[i][0] = (char)('a' + i);
        head[i][1] = '\0';
    }
    report_options(answer, &report);
    put_report(answer, &report, head, answer->study.option_count, 1, out);
    out_equivalent_text(answer, out);
    out_boundary_text(answer, out);
    put_pairs(answer, out);
    extras_text(answer, out);
    put_warnings(answer, out);
    put_end(answer, out);
}
