/* paper.c: the four ways to write a heading, a paragraph, an item, a link
   and a table. Tables are kept until their end, as plain text needs widths. */
#include "fcgi/paper.h"

#include <string.h>

#include "fcgi/html.h"
#include "fcgi/markdown.h"
#include "fcgi/tex.h"
#include "fcgi/wrap.h"

enum { CELLS_BYTE_MAX = 256 * 1024, GAP = 2 };

static void put_escaped(struct paper *p, const char *text)
{
    switch (p->form) {
    case PAPER_MARKDOWN: markdown_text(p->out, text); break;
    case PAPER_TEX: tex_text(p->out, text); break;
    case PAPER_HTML: html_text(p->out, text); break;
    case PAPER_TEXT: case PAPER_FORM_COUNT: text_str(p->out, text); break;
    }
}

static void end_list(struct paper *p)
{
    static const char *const end[PAPER_FORM_COUNT] = {
        "", "\n", "\\end{itemize}\n", "</ul>\n" };

    if (p->in_list)
        text_str(p->out, end[p->form]);
    p->in_list = 0;
}

void paper_open(struct paper *p, struct text *out, enum paper_form form,
                int zh)
{
    *p = (struct paper){ .out = out, .form = form, .zh = zh, .caption = "" };
    text_init(&p->cells, CELLS_BYTE_MAX);
}

void paper_close(struct paper *p)
{
    end_list(p);
    p->out->failed |= p->cells.failed;
    text_free(&p->cells);
}

void paper_heading(struct paper *p, int level, const char *text)
{
    static const char *const before[PAPER_FORM_COUNT][3] = {
        { "", "\n", "\n" }, { "# ", "\n## ", "\n### " },
        { "\\section*{", "\n\\subsection*{", "\n\\subsubsection*{" },
        { "<h1>", "<h2>", "<h3>" } };
    static const char *const after[PAPER_FORM_COUNT][3] = {
        { "", "", "" }, { "\n\n", "\n\n", "\n\n" },
        { "}\n", "}\n", "}\n" }, { "</h1>\n", "</h2>\n", "</h3>\n" } };

    end_list(p);
    text_str(p->out, before[p->form][level - 1]);
    if (p->form == PAPER_TEXT)
        wrap_text(p->out, text, 0);
    else
        put_escaped(p, text);
    text_str(p->out, after[p->form][level - 1]);
}

void paper_paragraph(struct paper *p, const char *text)
{
    end_list(p);
    if (p->form == PAPER_TEXT) {
        wrap_text(p->out, text, 0);
        return;
    }
    text_str(p->out, p->form == PAPER_HTML ? "<p>" : "");
    put_escaped(p, text);
    text_str(p->out, p->form == PAPER_HTML ? "</p>\n" : "\n\n");
}

/* Nothing else than a web page or an address of ours is led to. */
static int leads(const char *address)
{
    return strncmp(address, "https://", 8) == 0 ||
           strncmp(address, "http://", 7) == 0 ||
           (address[0] == '/' && address[1] != '/');
}

static void link_html(struct paper *p, const char *address)
{
    if (!leads(address)) {
        html_text(p->out, address);
        return;
    }
    text_str(p->out, "<a");
    html_attribute(p->out, "href", address);
    text_char(p->out, '>');
    html_text(p->out, address);
    text_str(p->out, "</a>");
}

static void put_address(struct paper *p, const char *address)
{
    switch (p->form) {
    case PAPER_MARKDOWN: markdown_address(p->out, address); break;
    case PAPER_HTML: link_html(p, address); break;
    case PAPER_TEXT: case PAPER_FORM_COUNT: text_str(p->out, address); break;
    case PAPER_TEX:
        text_str(p->out, "{\\ttfamily ");
        tex_address(p->out, address);
        text_char(p->out, '}');
        break;
    }
}

/* Plain text keeps an address whole on a line of its own. */
static void item_text(struct paper *p, const char *text, const char *address)
{
    text_str(p->out, "  - ");
    wrap_text(p->out, text, 4);
    if (!*address)
        return;
    wrap_blanks(p->out, 4);
    text_str(p->out, address);
    text_char(p->out, '\n');
}

void paper_item(struct paper *p, const char *text, const char *address)
{
    static const char *const start[PAPER_FORM_COUNT] = {
        "", "", "\\begin{itemize}\\sloppy\n", "<ul>\n" };
    static const char *const before[PAPER_FORM_COUNT] = {
        "", "- ", "\\item ", "<li>" };

    if (!p->in_list)
        text_str(p->out, start[p->form]);
    p->in_list = 1;
    if (p->form == PAPER_TEXT) {
        item_text(p, text, address);
        return;
    }
    text_str(p->out, before[p->form]);
    put_escaped(p, text);
    if (*address) {
        text_char(p->out, ' ');
        put_address(p, address);
    }
    text_str(p->out, p->form == PAPER_HTML ? "</li>\n" : "\n");
}

void paper_link(struct paper *p, const char *label, const char *address)
{
    end_list(p);
    text_str(p->out, p->form == PAPER_HTML ? "<p class=\"address\">" : "");
    put_escaped(p, label);
    text_str(p->out, p->form == PAPER_TEXT ? ":\n" : ": ");
    put_address(p, address);
    text_str(p->out, p->form == PAPER_HTML ? "</p>\n"
                   : p->form == PAPER_TEXT ? "\n" : "\n\n");
}

/* --- tables --------------------------------------------------------------- */

void paper_table(struct paper *p, const char *caption, int columns)
{
    end_list(p);
    text_reset(&p->cells);
    p->caption = caption;
    p->columns = columns;
    p->cell_count = 0;
}

void paper_cell(struct paper *p, const char *text)
{
    text_put(&p->cells, text, strlen(text) + 1);
    p->cell_count += !p->cells.failed;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void table_text(struct paper *p)
{
    size_t width[PAPER_COLUMN_MAX] = { 0 };
    const char *at = p->cells.at;

    for (int i = 0; i < p->cell_count; i++, at += strlen(at) + 1)
        width[i % p->columns] = larger(width[i % p->columns], wrap_width(at));
    text_char(p->out, '\n');
    if (*p->caption)
        wrap_text(p->out, p->caption, 0);
    at = p->cells.at;
    for (int i = 0; i < p->cell_count; i++, at += strlen(at) + 1) {
        int k = i % p->columns;
        size_t pad = width[k] - wrap_width(at);
        wrap_blanks(p->out, GAP + (k ? pad : 0));
        text_str(p->out, at);
        wrap_blanks(p->out, k ? 0 : pad);
        text_str(p->out, k + 1 == p->columns ? "\n" : "");
    }
    text_char(p->out, '\n');
}

static void table_markdown(struct paper *p)
{
    const char *at = p->cells.at;

    if (*p->caption)
        paper_paragraph(p, p->caption);
    for (int i = 0; i < p->cell_count; i++, at += strlen(at) + 1) {
        text_str(p->out, "| ");
        markdown_text(p->out, at);
        text_char(p->out, ' ');
        if ((i + 1) % p->columns)
            continue;
        text_str(p->out, "|\n");
        if (i + 1 != p->columns)
            continue;
        for (int k = 0; k < p->columns; k++)
            text_str(p->out, k ? " ---: |" : "| --- |");
        text_char(p->out, '\n');
    }
    text_char(p->out, '\n');
}

static void table_tex(struct paper *p)
{
    const char *at = p->cells.at;

    text_str(p->out, "\\begin{center}\n\\footnotesize\n"
                     "\\setlength{\\tabcolsep}{3pt}\n");
    if (*p->caption) {
        put_escaped(p, p->caption);
        text_str(p->out, "\\par\\smallskip\n");
    }
    text_str(p->out, "\\begin{tabular}{l");
    for (int k = 1; k < p->columns; k++)
        text_char(p->out, 'r');
    text_str(p->out, "}\n\\toprule\n");
    for (int i = 0; i < p->cell_count; i++, at += strlen(at) + 1) {
        tex_text(p->out, at);
        text_str(p->out, (i + 1) % p->columns ? " & " : " \\\\\n");
        if (i + 1 == p->columns)
            text_str(p->out, "\\midrule\n");
    }
    text_str(p->out, "\\bottomrule\n\\end{tabular}\n\\end{center}\n\n");
}

static void table_html(struct paper *p)
{
    const char *at = p->cells.at;

    text_str(p->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\"");
    html_attribute(p->out, "aria-label", p->caption);
    text_str(p->out, ">\n<table class=\"sheet\">\n<caption>");
    html_text(p->out, p->caption);
    text_str(p->out, "</caption>\n<thead>\n");
    for (int i = 0; i < p->cell_count; i++, at += strlen(at) + 1) {
        int k = i % p->columns, head = i < p->columns;
        text_str(p->out, k ? "" : "<tr>");
        text_str(p->out, head ? k ? "<th scope=\"col\" class=\"number\">"
                                  : "<th scope=\"col\">"
                              : k ? "<td class=\"number\">"
                                  : "<th scope=\"row\">");
        html_text(p->out, at);
        text_str(p->out, head || !k ? "</th>" : "</td>");
        text_str(p->out, k + 1 < p->columns ? "" : "</tr>\n");
        text_str(p->out, i + 1 == p->columns ? "</thead>\n<tbody>\n" : "");
    }
    text_str(p->out, "</tbody>\n</table>\n</div>\n");
}

void paper_table_end(struct paper *p)
{
    if (p->cells.failed || !p->cells.at) {
        p->out->failed |= p->cells.failed;
        return;
    }
    switch (p->form) {
    case PAPER_TEXT: case PAPER_FORM_COUNT: table_text(p); break;
    case PAPER_MARKDOWN: table_markdown(p); break;
    case PAPER_TEX: table_tex(p); break;
    case PAPER_HTML: table_html(p); break;
    }
}

/* --- sentences ------------------------------------------------------------ */

void paper_fill(struct text *out, const char *pattern,
                const char *const *word, int count)
{
    for (; *pattern; pattern++) {
        int at = pattern[0] == '{' && pattern[1] && pattern[2] == '}'
               ? pattern[1] - 'a' : -1;
        if (at < 0 || at >= count) {
            text_char(out, *pattern);
            continue;
        }
        text_str(out, word[at]);
        pattern += 2;
    }
}
