/* out_pdf_pages.c: the pages of a report with cairo and pango. Untagged:
   structure tags crash cairo 1.16; the page itself is the accessible form. */
#include "fcgi/out_pdf_pages.h"

#include <cairo-pdf.h>
#include <pango/pangocairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_WIDTH = 595, PAGE_HEIGHT = 842, LEFT = 50, TOP = 48,
       BOTTOM = 790, FOOT = 806, LINE = PAGE_WIDTH - 2 * LEFT, GAP = 6,
       FLOW_GAP = 16 };

struct pages {
    const struct pages_setup *setup;
    struct text *out;
    cairo_surface_t *surface;
    cairo_t *cairo;
    PangoContext *context;
    double y;
    int flows, flow;             /* columns of text, and the one at work */
    double flow_top, flow_bottom;
    int page;
    int failed;
    int columns;                 /* of the open table, else 0 */
    double share[PAGES_COLUMN_MAX];
    unsigned right;
    enum pages_style style;
    const char *head[PAGES_COLUMN_MAX];
};

static const struct {
    double size, grey, above;
    int bold;
} style_table[PAGES_STYLE_COUNT] = {
    [PAGES_TITLE] = { 19, 0.08, 0, 1 },
    [PAGES_LEAD] = { 12.5, 0.08, 4, 0 },
    [PAGES_HEADING] = { 12, 0.08, 9, 1 },
    [PAGES_BODY] = { 9.5, 0.12, 3, 0 },
    [PAGES_NOTE] = { 8, 0.35, 2, 0 },
    [PAGES_CELL] = { 8.5, 0.12, 1.5, 0 },
    [PAGES_STRONG] = { 8.5, 0.08, 1.5, 1 },
    [PAGES_SMALL] = { 6.6, 0.12, 0.55, 0 },
    [PAGES_TINY] = { 5.9, 0.15, 0.9, 0 },
    [PAGES_FORMULA] = { 5.2, 0.15, 0.5, 0 },
};

/* --- columns -------------------------------------------------------------- */

static double width_of(const struct pages *pages)
{
    return (LINE - FLOW_GAP * (pages->flows - 1)) / (double)pages->flows;
}

static double left_of(const struct pages *pages)
{
    return LEFT + pages->flow * (width_of(pages) + FLOW_GAP);
}

void pages_flow(struct pages *pages, int columns)
{
    if (pages->flows > 1 && pages->flow_bottom > pages->y)
        pages->y = pages->flow_bottom;
    pages->flows = columns;
    pages->flow = 0;
    pages->flow_top = pages->flow_bottom = pages->y;
}

void pages_next_column(struct pages *pages)
{
    if (pages->y > pages->flow_bottom)
        pages->flow_bottom = pages->y;
    if (pages->flow + 1 >= pages->flows) {
        pages_new_page(pages);
        return;
    }
    pages->flow++;
    pages->y = pages->flow_top;
}

/* --- text ----------------------------------------------------------------- */

static PangoLayout *layout_of(struct pages *pages, enum pages_style style,
                              const char *text, double width, int right,
                              int strong)
{
    PangoLayout *layout = pango_layout_new(pages->context);
    PangoFontDescription *font = pango_font_description_new();

    pango_font_description_set_family(font, "Noto Sans CJK SC, sans-serif");
    pango_font_description_set_absolute_size(
        font, style_table[style].size * PANGO_SCALE);
    pango_font_description_set_weight(font, style_table[style].bold || strong
                                      ? PANGO_WEIGHT_BOLD
                                      : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_layout_set_text(layout, text, -1);
    pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_line_spacing(layout, style >= PAGES_TINY ? 0.76F
                                         : style >= PAGES_CELL ? 0.82F : 0.9F);
    pango_layout_set_alignment(layout, right ? PANGO_ALIGN_RIGHT
                                             : PANGO_ALIGN_LEFT);
    return layout;
}

static double height_of(PangoLayout *layout)
{
    PangoRectangle logical;

    pango_layout_get_extents(layout, NULL, &logical);
    return (double)logical.height / PANGO_SCALE;
}

static void show(struct pages *pages, PangoLayout *layout, double x, double y,
                 double grey)
{
    cairo_set_source_rgb(pages->cairo, grey, grey, grey);
    cairo_move_to(pages->cairo, x, y);
    pango_cairo_show_layout(pages->cairo, layout);
}

/* --- pages ---------------------------------------------------------------- */

static void rule(struct pages *pages, double left, double width, double y,
                 double grey)
{
    cairo_set_source_rgb(pages->cairo, grey, grey, grey);
    cairo_set_line_width(pages->cairo, 0.5);
    cairo_move_to(pages->cairo, left, y);
    cairo_line_to(pages->cairo, left + width, y);
    cairo_stroke(pages->cairo);
}

static void put_link(struct pages *pages, double y)
{
    char attributes[4200];
    const char *link = pages->setup->link;
    PangoLayout *layout = layout_of(pages, PAGES_SMALL, pages->setup->footer,
                                    LINE - 90, 0, 0);
    int opens = *link && !strpbrk(link, "'\\") &&
                strlen(link) < sizeof attributes - 16;

    pango_layout_set_height(layout, -1);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    if (opens) {
        snprintf(attributes, sizeof attributes, "uri='%s'", link);
        cairo_tag_begin(pages->cairo, CAIRO_TAG_LINK, attributes);
    }
    show(pages, layout, LEFT, y, 0.35);
    if (opens)
        cairo_tag_end(pages->cairo, CAIRO_TAG_LINK);
    g_object_unref(layout);
}

static void put_foot(struct pages *pages)
{
    char line[64];
    PangoLayout *layout;

    rule(pages, LEFT, LINE, FOOT - 4, 0.8);
    put_link(pages, FOOT);
    snprintf(line, sizeof line, "%s %d %s %d", pages->setup->page_words,
             pages->page, pages->setup->of_words, pages->setup->page_count);
    layout = layout_of(pages, PAGES_SMALL, line, 80, 1, 0);
    show(pages, layout, PAGE_WIDTH - LEFT - 80, FOOT, 0.35);
    g_object_unref(layout);
}

void pages_new_page(struct pages *pages)
{
    put_foot(pages);
    cairo_show_page(pages->cairo);
    pages->page++;
    pages->y = pages->flow_top = pages->flow_bottom = TOP;
    pages->flow = 0;
}

void pages_need(struct pages *pages, double points)
{
    if (pages->y > pages->flow_top && pages->y + points > BOTTOM)
        pages_next_column(pages);
    else if (pages->y > TOP && pages->y + points > BOTTOM)
        pages_new_page(pages);
}

void pages_space(struct pages *pages, double points)
{
    pages->y += points;
}

/* --- paragraphs ----------------------------------------------------------- */

/* Line by line, so that a long one goes on on the next page. */
static void show_lines(struct pages *pages, PangoLayout *layout, double grey)
{
    PangoLayoutIter *iter = pango_layout_get_iter(layout);

    do {
        PangoRectangle line;
        double height;
        pango_layout_iter_get_line_extents(iter, NULL, &line);
        height = (double)line.height / PANGO_SCALE;
        if (pages->y + height > BOTTOM)
            pages_next_column(pages);
        cairo_set_source_rgb(pages->cairo, grey, grey, grey);
        cairo_move_to(pages->cairo,
                      left_of(pages) + (double)line.x / PANGO_SCALE,
                      pages->y + (double)(pango_layout_iter_get_baseline(iter)
                                          - line.y) / PANGO_SCALE);
        pango_cairo_show_layout_line(pages->cairo,
            pango_layout_iter_get_line_readonly(iter));
        pages->y += height;
    } while (pango_layout_iter_next_line(iter));
    pango_layout_iter_free(iter);
}

void pages_say(struct pages *pages, enum pages_style style, const char *text)
{
    PangoLayout *layout = layout_of(pages, style, text, width_of(pages), 0,
                                    0);

    pages->y += pages->y > TOP ? style_table[style].above : 0;
    show_lines(pages, layout, style_table[style].grey);
    g_object_unref(layout);
}

void pages_heading(struct pages *pages, const char *text)
{
    char place[64];

    pages_need(pages, 96);
    snprintf(place, sizeof place, "page=%d pos=[%d %d]", pages->page, LEFT,
             (int)pages->y);
    if (pages->setup->page_count > 0)
        cairo_pdf_surface_add_outline(pages->surface, CAIRO_PDF_OUTLINE_ROOT,
                                      text, place,
                                      (cairo_pdf_outline_flags_t)0);
    pages_say(pages, PAGES_HEADING, text);
    pages_space(pages, 3);
}

void pages_need_figure(struct pages *pages, const struct raster *raster,
                       double share)
{
    pages_need(pages, width_of(pages) * share * raster_aspect(raster) + 50);
}

void pages_figure(struct pages *pages, const struct raster *raster,
                  double share)
{
    double width = width_of(pages) * share;
    double height = width * raster_aspect(raster);

    pages_need(pages, height + 8);
    if (raster_draw(raster, pages->cairo, left_of(pages) +
                    (width_of(pages) - width) / 2, pages->y + 4, width) != 0)
        pages->failed = 1;
    pages->y += height + 8;
}

/* --- tables --------------------------------------------------------------- */

static void row(struct pages *pages, const char *const *cell, int strong,
                int is_head)
{
    PangoLayout *layout[PAGES_COLUMN_MAX];
    double above = style_table[pages->style].above;
    double height = 0, line = width_of(pages), x;

    for (int i = 0; i < pages->columns; i++) {
        layout[i] = layout_of(pages, pages->style, cell[i],
                              line * pages->share[i] -
                              (i + 1 < pages->columns ? GAP : 0),
                              (int)(pages->right >> i & 1), strong);
        if (height_of(layout[i]) > height)
            height = height_of(layout[i]);
    }
    if (!is_head && pages->y + height + 2 * above > BOTTOM) {
        pages_next_column(pages);
        row(pages, pages->head, 1, 1);
    }
    x = left_of(pages);
    for (int i = 0; i < pages->columns; i++) {
        show(pages, layout[i], x, pages->y + above,
             style_table[pages->style].grey);
        x += line * pages->share[i];
        g_object_unref(layout[i]);
    }
    pages->y += height + 2 * above;
    rule(pages, left_of(pages), line, pages->y, is_head ? 0.4 : 0.88);
}

void pages_table(struct pages *pages, int columns, const double *share,
                 unsigned right, enum pages_style style,
                 const char *const *head)
{
    pages->columns = columns;
    pages->right = right;
    pages->style = style;
    for (int i = 0; i < columns; i++) {
        pages->share[i] = share[i];
        pages->head[i] = head[i];
    }
    pages_need(pages, 60);
    row(pages, pages->head, 1, 1);
}

void pages_row(struct pages *pages, const char *const *cell, int strong)
{
    row(pages, cell, strong, 0);
}

void pages_table_end(struct pages *pages)
{
    pages->columns = 0;
    pages->y += 6;
}

/* --- the file ------------------------------------------------------------- */

static cairo_status_t take(void *to, const unsigned char *data,
                           unsigned int byte)
{
    struct text *out = to;

    text_put(out, (const char *)data, byte);
    return out->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* The day of the prices, not of the clock: same answer, same bytes. */
static void set_metadata(struct pages *pages)
{
    char moment[32];

    snprintf(moment, sizeof moment, "%sT00:00:00Z", pages->setup->day);
    cairo_pdf_surface_set_metadata(pages->surface, CAIRO_PDF_METADATA_TITLE,
                                   pages->setup->title);
    cairo_pdf_surface_set_metadata(pages->surface, CAIRO_PDF_METADATA_AUTHOR,
                                   "gputco");
    cairo_pdf_surface_set_metadata(pages->surface, CAIRO_PDF_METADATA_CREATOR,
                                   "gputco");
    cairo_pdf_surface_set_metadata(pages->surface,
                                   CAIRO_PDF_METADATA_CREATE_DATE, moment);
    cairo_pdf_surface_set_metadata(pages->surface,
                                   CAIRO_PDF_METADATA_MOD_DATE, moment);
}

/* Distances of letters as they print, whatever the screen. */
static void make_context(struct pages *pages)
{
    cairo_font_options_t *options = cairo_font_options_create();

    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pages->context = pango_cairo_create_context(pages->cairo);
    pango_cairo_context_set_font_options(pages->context, options);
    pango_cairo_context_set_resolution(pages->context, 72);
    pango_context_set_language(pages->context, pango_language_from_string(
                               pages->setup->zh ? "zh-cn" : "en"));
    pango_context_set_round_glyph_positions(pages->context, FALSE);
    cairo_font_options_destroy(options);
}

struct pages *pages_open(const struct pages_setup *setup, struct text *out)
{
    const cairo_rectangle_t sheet = { 0, 0, PAGE_WIDTH, PAGE_HEIGHT };
    struct pages *pages = calloc(1, sizeof *pages);

    if (!pages)
        return NULL;
    pages->setup = setup;
    pages->out = out;
    pages->y = pages->flow_top = TOP;
    pages->flows = 1;
    pages->page = 1;
    if (setup->page_count > 0)
        pages->surface = cairo_pdf_surface_create_for_stream(
            take, out, PAGE_WIDTH, PAGE_HEIGHT);
    else
        pages->surface = cairo_recording_surface_create(
            CAIRO_CONTENT_COLOR_ALPHA, &sheet);
    pages->cairo = cairo_create(pages->surface);
    if (setup->page_count > 0)
        set_metadata(pages);
    make_context(pages);
    return pages;
}

/* Where the table of objects begins: the number behind the last startxref. */
static size_t table_at(const struct text *out)
{
    static const char word[] = "startxref";
    size_t length = sizeof word - 1, at = out->byte;

    while (at-- > length)
        if (memcmp(out->at + at - length, word, length) == 0)
            return (size_t)strtoul(out->at + at, NULL, 10);
    return 0;
}

/* cairo 1.16 numbers an object for the structure of links and then does not
   write it, but leaves it in the table of objects with a place where another
   one stands. Such entries are marked as free. */
static void free_unwritten(struct text *out)
{
    enum { ENTRY_BYTE = 20 };
    unsigned long count = 0;
    size_t at;
    int length = 0;
    char *entry, name[32];

    text_char(out, '\0');
    if (out->failed)
        return;
    out->byte--;
    at = table_at(out);
    if (at == 0 || at >= out->byte ||
        sscanf(out->at + at, "xref\n0 %lu\n%n", &count, &length) != 1 ||
        length == 0 || count > (out->byte - at) / ENTRY_BYTE)
        return;
    for (unsigned long i = 1; i < count; i++) {
        size_t place;
        entry = out->at + at + (size_t)length + i * ENTRY_BYTE;
        place = (size_t)strtoul(entry, NULL, 10);
        snprintf(name, sizeof name, "%lu 0 obj", i);
        if (place >= out->byte ||
            strncmp(out->at + place, name, strlen(name)) != 0)
            memcpy(entry, "0000000000 65535 f", 18);
    }
}

int pages_close(struct pages *pages)
{
    int count = pages->page, failed;

    put_foot(pages);
    cairo_show_page(pages->cairo);
    g_object_unref(pages->context);
    cairo_destroy(pages->cairo);
    cairo_surface_finish(pages->surface);
    if (pages->setup->page_count > 0)
        free_unwritten(pages->out);
    failed = pages->failed || pages->out->failed ||
             cairo_surface_status(pages->surface) != CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(pages->surface);
    free(pages);
    return failed ? -1 : count;
}
