/* raster.c: figures through librsvg. */
#include "fcgi/raster.h"

#include <librsvg/rsvg.h>
#include <stdlib.h>
#include <string.h>

enum { SVG_BYTE_MAX = 4 * 1024 * 1024 };

struct raster { RsvgHandle *svg; double width, height; };

/* A browser has a font of that name; here it would be any. */
static void name_fonts(struct text *svg)
{
    static const char browser[] = "font-family=\"system-ui, ";
    char *at = svg->at ? strstr(svg->at, browser) : NULL;

    if (at)
        memset(at + strlen("font-family=\""), ' ',
               sizeof browser - 1 - strlen("font-family=\""));
}

static RsvgHandle *read_svg(struct text *svg)
{
    RsvgHandle *handle;

    text_char(svg, '\0');
    if (svg->failed)
        return NULL;
    name_fonts(svg);
    handle = rsvg_handle_new_from_data((const guint8 *)svg->at, svg->byte - 1,
                                       NULL);
    if (handle)
        rsvg_handle_set_dpi(handle, 96);
    return handle;
}

struct raster *raster_open(const struct answer *answer, enum figure figure,
                           int width, enum theme theme)
{
    struct raster *raster = calloc(1, sizeof *raster);
    struct text svg;

    if (!raster)
        return NULL;
    text_init(&svg, SVG_BYTE_MAX);
    out_svg(answer, figure, width, theme, &svg);
    raster->svg = read_svg(&svg);
    text_free(&svg);
    if (!raster->svg ||
        !rsvg_handle_get_intrinsic_size_in_pixels(raster->svg, &raster->width,
                                                  &raster->height)) {
        raster_close(raster);
        return NULL;
    }
    return raster;
}

double raster_aspect(const struct raster *raster)
{
    return raster->height / raster->width;
}

int raster_draw(const struct raster *raster, cairo_t *cairo, double x,
                double y, double width)
{
    RsvgRectangle place = { 0, 0, raster->width, raster->height };
    double scale = width / raster->width;
    int good;

    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_scale(cairo, scale, scale);
    good = rsvg_handle_render_document(raster->svg, cairo, &place, NULL);
    cairo_restore(cairo);
    return good ? 0 : -1;
}

void raster_close(struct raster *raster)
{
    if (!raster)
        return;
    if (raster->svg)
        g_object_unref(raster->svg);
    free(raster);
}
