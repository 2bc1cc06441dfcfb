/* extras_html.c: listings as tables, explanations as nested lists. */
#include "fcgi/extras_html.h"

#include <string.h>

#include "fcgi/html.h"
#include "fcgi/listing.h"
#include "fcgi/say.h"
#include "fcgi/shown.h"

enum { PIECE_BYTE_MAX = 64 * 1024 };

static const char *tell(const struct answer *answer, const char *english)
{
    return say(answer->study.zh, english);
}

/* --- tables --------------------------------------------------------------- */

static void put_name(const struct answer *answer,
                     const struct listing *listing, int row, struct text *out)
{
    int link = listing->link[row];
    struct text address;

    text_str(out, "<tr><th scope=\"row\">");
    if (link < 0) {
        html_text(out, listing_cell(listing, row, 0));
        text_str(out, "</th>");
        return;
    }
    text_init(&address, PIECE_BYTE_MAX);
    text_str(&address, answer->base_url);
    text_str(&address, "/compare?");
    answer_query_against(answer, &answer->alternatives.row[link], &address);
    text_str(out, "<a");
    html_attribute(out, "href", address.at ? address.at : "");
    text_char(out, '>');
    html_text(out, listing_cell(listing, row, 0));
    text_str(out, "</a></th>");
    text_free(&address);
}

static void put_heads(const struct listing *listing, struct text *out)
{
    text_str(out, "<thead>\n<tr>");
    for (int k = 0; k < listing->columns; k++) {
        const char *head = listing_cell(listing, 0, k);
        if (*head)
            text_str(out, "<th scope=\"col\">");
        else
            text_str(out, "<td>");
        html_text(out, head);
        text_str(out, *head ? "</th>" : "</td>");
    }
    text_str(out, "</tr>\n</thead>\n");
}

static void put_table(const struct answer *answer,
                      const struct listing *listing, struct text *out)
{
    text_str(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    html_attribute(out, "aria-label", listing->title);
    text_str(out, ">\n<table class=\"many\">\n<caption>");
    html_text(out, listing->title);
    text_str(out, "</caption>\n");
    put_heads(listing, out);
    text_str(out, "<tbody>\n");
    for (int i = 1; i <= listing->rows; i++) {
        put_name(answer, listing, i, out);
        for (int k = 1; k < listing->columns; k++)
            html_element(out, "td", NULL, listing_cell(listing, i, k));
        text_str(out, "</tr>\n");
    }
    text_str(out, "</tbody>\n</table>\n</div>\n");
    if (*listing->note)
        html_element(out, "p", "hint", listing->note);
    text_char(out, '\n');
}

/* 1 if there was something to put. */
static int put_listing(const struct answer *answer, enum listed listed,
                       struct text *out)
{
    struct listing listing;
    int rows;

    listing_make(answer, listed, 0, &listing);
    rows = listing.rows;
    if (rows > 0)
        put_table(answer, &listing, out);
    listing_free(&listing);
    return rows > 0;
}

void extras_html_ranges(const struct answer *answer, struct text *out)
{
    if (!answer->sensitivity.count && !answer->uncertainty.samples)
        return;
    text_str(out, answer->has_grid ? "<details open id=\"ranges\">\n"
                                   : "<details id=\"ranges\">\n");
    text_str(out, "<summary><h2>");
    html_text(out, tell(answer, "Cases, draws and ranges"));
    text_str(out, "</h2></summary>\n");
    put_listing(answer, LISTED_GRID, out);
    put_listing(answer, LISTED_CASES, out);
    put_listing(answer, LISTED_COSTS, out);
    put_listing(answer, LISTED_CARBON, out);
    put_listing(answer, LISTED_SWINGS, out);
    text_str(out, "</details>\n");
}

void extras_html_alternatives(const struct answer *answer, struct text *out)
{
    if (answer->alternatives.count == 0)
        return;
    text_str(out, "<h2 id=\"alternatives\">");
    html_text(out, tell(answer, "Other ways to do the same work"));
    text_str(out, " (");
    shown_number(out, (double)answer->alternatives.ranked_count, 0);
    text_str(out, ")</h2>\n");
    put_listing(answer, LISTED_ALTERNATIVES, out);
    if (answer->alternatives.front_count < 2)
        return;
    text_str(out, "<details id=\"front\">\n<summary><h2>");
    html_text(out, tell(answer, "From cheap to clean"));
    text_str(out, "</h2></summary>\n");
    put_listing(answer, LISTED_FRONT, out);
    text_str(out, "</details>\n");
}

/* --- explanations --------------------------------------------------------- */

static void put_source(const struct answer *answer,
                       const struct explain_node *node, struct text *out)
{
    int source = answer->source_of[node->option][node->field];
    const struct origin *origin =
        &answer->study.option[node->option].origin[node->field];

    text_str(out, " <span class=\"from\">");
    html_text(out, tell(answer, origin_name[origin->kind]));
    if (source) {
        text_str(out, " <a href=\"#s");
        shown_number(out, source, 0);
        text_str(out, "\">[");
        shown_number(out, source, 0);
        text_str(out, "]</a>");
    }
    text_str(out, "</span>");
}

static void put_when(const struct answer *answer,
                     const struct explain_node *node, struct text *out)
{
    if (node->kind == EXPLAIN_SUM) {
        text_str(out, " (");
        html_text(out, tell(answer, "sum over the months"));
        text_char(out, ')');
    } else if (node->month >= 0) {
        text_str(out, " (");
        html_text(out, tell(answer, "Month"));
        text_char(out, ' ');
        shown_number(out, node->month, 0);
        text_char(out, ')');
    }
}

static void put_node(const struct answer *answer,
                     const struct explain_node *node, struct text *out)
{
    struct text value;

    text_init(&value, PIECE_BYTE_MAX);
    listing_node(answer, node, &value);
    text_str(out, "<li><code>");
    if (node->option >= 0) {
        text_char(out, (char)('a' + node->option));
        text_char(out, '.');
    }
    html_text(out, node->name);
    text_str(out, "</code> ");
    html_text(out, tell(answer, node->label));
    text_str(out, ": ");
    html_element(out, "b", NULL, value.at ? value.at : "");
    put_when(answer, node, out);
    if (node->field >= 0)
        put_source(answer, node, out);
    if (*node->formula && !node->again) {
        text_str(out, "<br><code>= ");
        html_text(out, node->formula);
        text_str(out, "</code>");
    }
    text_free(&value);
}

void extras_html_explanation(const struct answer *answer, struct text *out)
{
    const struct explanation *e = &answer->explanation;

    if (!answer->has_explanation)
        return;
    text_str(out, "<h2 id=\"why\">");
    html_text(out, tell(answer, "How this figure comes about"));
    text_str(out, "</h2>\n<ul class=\"why\">\n");
    for (int i = 0; i < e->count; i++) {
        int depth = e->node[i].depth;
        int next = i + 1 < e->count ? e->node[i + 1].depth : 0;
        put_node(answer, &e->node[i], out);
        if (next > depth) {
            text_str(out, "\n<ul>\n");
            continue;
        }
        text_str(out, "</li>\n");
        for (; depth > next; depth--)
            text_str(out, "</ul></li>\n");
    }
    text_str(out, "</ul>\n");
}
