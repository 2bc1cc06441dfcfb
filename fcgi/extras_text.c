/* extras_text.c: columns of the listings, and explanations by indent. */
#include "fcgi/extras_text.h"

#include <string.h>

#include "fcgi/listing.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"
#include "fcgi/wrap.h"

enum { GAP = 2, PIECE_BYTE_MAX = 64 * 1024, SWING_COUNT = 8, STEP_INDENT = 2 };

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* --- tables --------------------------------------------------------------- */

static size_t width_of_column(const struct listing *listing, int rows,
                              int column)
{
    size_t width = 0;

    for (int i = 0; i <= rows; i++)
        width = larger(width, wrap_width(listing_cell(listing, i, column)));
    return width;
}

/* Names that are long stand last, where a line may break. */
static void put_row(const struct listing *listing, int row,
                    const size_t *width, int name_last, struct text *out)
{
    size_t used = GAP;

    wrap_blanks(out, GAP);
    for (int k = 0; k < listing->columns; k++) {
        const char *cell = listing_cell(listing, row, k);
        size_t pad = width[k] - wrap_width(cell);
        if (k == 0 && name_last)
            continue;
        if (k > name_last)
            wrap_blanks(out, GAP);
        wrap_blanks(out, k == 0 ? 0 : pad);
        text_str(out, cell);
        wrap_blanks(out, k == 0 ? pad : 0);
        used += width[k] + (k > name_last ? GAP : 0);
    }
    if (!name_last) {
        text_char(out, '\n');
        return;
    }
    wrap_blanks(out, GAP);
    wrap_text(out, listing_cell(listing, row, 0), used + GAP);
}

static void put_listing(const struct answer *answer, enum listed listed,
                        int most, int name_last, struct text *out)
{
    struct listing listing;
    size_t width[LISTING_COLUMN_MAX];
    int rows;

    listing_make(answer, listed, 1, &listing);
    rows = listing.rows < most ? listing.rows : most;
    if (rows > 0) {
        text_char(out, '\n');
        text_str(out, listing.title);
        text_char(out, '\n');
        for (int k = 0; k < listing.columns; k++)
            width[k] = width_of_column(&listing, rows, k);
        for (int i = 0; i <= rows; i++)
            put_row(&listing, i, width, name_last, out);
    }
    listing_free(&listing);
}

void extras_text(const struct answer *answer, struct text *out)
{
    put_listing(answer, LISTED_CASES, CASE_COUNT, 0, out);
    put_listing(answer, LISTED_COSTS, OPTION_MAX, 0, out);
    put_listing(answer, LISTED_CARBON, OPTION_MAX, 0, out);
    put_listing(answer, LISTED_SWINGS, SWING_COUNT, 0, out);
    put_listing(answer, LISTED_GRID, LISTING_ROW_MAX, 0, out);
    put_listing(answer, LISTED_ALTERNATIVES, ALTERNATIVE_MAX, 1, out);
    put_listing(answer, LISTED_FRONT, ALTERNATIVE_FRONT_MAX, 1, out);
}

/* --- explanations --------------------------------------------------------- */

static void put_origin(const struct answer *answer,
                       const struct explain_node *node, struct text *out)
{
    const struct origin *origin =
        &answer->study.option[node->option].origin[node->field];
    int source = answer->source_of[node->option][node->field];

    text_str(out, "  (");
    text_str(out, origin_name[origin->kind]);
    if (origin->estimate)
        text_str(out, ", estimate");
    if (source) {
        text_str(out, " [");
        shown_number(out, source, 0);
        text_char(out, ']');
    }
    text_char(out, ')');
}

/* is_whole: the item whose line of one month comes next. */
static void put_node(const struct answer *answer,
                     const struct explain_node *node, int is_whole,
                     struct text *out)
{
    size_t indent = (size_t)node->depth * STEP_INDENT;
    struct text line;

    text_init(&line, PIECE_BYTE_MAX);
    wrap_blanks(out, indent);
    if (node->option >= 0) {
        text_char(&line, (char)('a' + node->option));
        text_char(&line, '.');
    }
    text_str(&line, node->name);
    text_str(&line, " = ");
    listing_node(answer, node, &line);
    if (node->kind == EXPLAIN_SUM)
        text_str(&line, "  (sum over the months)");
    else if (node->month >= 0) {
        text_str(&line, "  (month ");
        shown_number(&line, node->month, 0);
        text_char(&line, ')');
    }
    if (node->field >= 0)
        put_origin(answer, node, &line);
    if (*node->note) {
        text_str(&line, "  (");
        text_str(&line, node->note);
        text_char(&line, ')');
    }
    wrap_text(out, line.at ? line.at : "", indent);
    if (*node->formula && !node->again && !is_whole) {
        text_reset(&line);
        text_str(&line, "= ");
        text_str(&line, node->formula);
        wrap_blanks(out, indent + STEP_INDENT);
        wrap_text(out, line.at ? line.at : "", indent + STEP_INDENT);
    }
    text_free(&line);
}

/* 1 if the explanation cites the source. */
static int is_cited(const struct answer *answer, int source)
{
    const struct explanation *e = &answer->explanation;

    for (int i = 0; i < e->count; i++)
        if (e->node[i].field >= 0 &&
            answer->source_of[e->node[i].option][e->node[i].field] == source)
            return 1;
    return 0;
}

static void put_source(const struct answer *answer, int id, struct text *out)
{
    const struct cited *cited = &answer->cited[id - 1];
    struct text line;
    char day[11];

    text_init(&line, PIECE_BYTE_MAX);
    text_char(&line, '[');
    shown_number(&line, id, 0);
    text_str(&line, "] ");
    text_str(&line, cited->source->title);
    text_str(&line, ", ");
    text_str(&line, cited_date(cited, day));
    if (*cited->source->address) {
        text_char(&line, ' ');
        text_str(&line, cited->source->address);
    }
    text_str(out, "  ");
    wrap_text(out, line.at ? line.at : "", 6);
    text_free(&line);
}

void extras_text_explanation(const struct answer *answer, struct text *out)
{
    const struct explanation *e = &answer->explanation;
    int any = 0;

    for (int i = 0; i < e->count; i++)
        put_node(answer, &e->node[i], e->node[i].kind == EXPLAIN_SUM &&
                 i + 1 < e->count &&
                 strcmp(e->node[i].name, e->node[i + 1].name) == 0, out);
    for (int id = 1; id <= answer->cited_count; id++) {
        if (!is_cited(answer, id))
            continue;
        if (!any)
            text_title(answer->study.zh, "Sources", out);
        any = 1;
        put_source(answer, id, out);
    }
}

void text_title(int zh, const char *english, struct text *out)
{
    text_char(out, '\n');
    text_str(out, say(zh, english));
    text_char(out, '\n');
}
