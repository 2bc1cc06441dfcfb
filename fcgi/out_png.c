/* out_png.c: pixels by cairo, and the chunk that says how large they are,
   which cairo does not write. */
#include "fcgi/out_png.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "fcgi/raster.h"

enum { SIGNATURE_BYTE = 8, IHDR_BYTE = 25,
       FIRST_BYTE = SIGNATURE_BYTE + IHDR_BYTE };

static void put_u32(unsigned char *at, unsigned long value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i) & 0xff);
}

/* Dots a metre, in a chunk right behind the first one. */
static void put_density(struct text *out, int scale)
{
    unsigned char chunk[21];

    put_u32(chunk, 9);
    memcpy(chunk + 4, "pHYs", 4);
    put_u32(chunk + 8, (unsigned long)lround(96 * scale / 0.0254));
    put_u32(chunk + 12, (unsigned long)lround(96 * scale / 0.0254));
    chunk[16] = 1;
    put_u32(chunk + 17, crc32(0, chunk + 4, 13));
    text_put(out, (const char *)chunk, sizeof chunk);
}

struct sink { struct text *out; int scale; };

static cairo_status_t take(void *to, const unsigned char *data,
                           unsigned int byte)
{
    struct sink *sink = to;
    struct text *out = sink->out;
    size_t before = out->byte, room = before < FIRST_BYTE
                                    ? FIRST_BYTE - before : 0;
    size_t first = byte < room ? byte : room;

    text_put(out, (const char *)data, first);
    if (room > 0 && out->byte == FIRST_BYTE)
        put_density(out, sink->scale);
    text_put(out, (const char *)data + first, byte - first);
    return out->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static int write_picture(const struct raster *raster, int width, int scale,
                         struct text *out)
{
    struct sink sink = { out, scale };
    int height = (int)ceil(width * raster_aspect(raster) - 1e-6);
    cairo_surface_t *surface = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, width * scale, height * scale);
    cairo_t *cairo = cairo_create(surface);
    int failed;

    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    failed = raster_draw(raster, cairo, 0, 0, width * scale) != 0 ||
             cairo_surface_write_to_png_stream(surface, take, &sink) !=
                 CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return failed ? -1 : 0;
}

int out_png(const struct answer *answer, struct text *out)
{
    const double *key = answer->input->key_value;
    int width = (int)key[K_width], scale = (int)key[K_scale], failed;
    struct raster *raster = raster_open(answer, (enum figure)key[K_figure],
                                        width, (enum theme)key[K_theme]);

    if (!raster)
        return -1;
    failed = write_picture(raster, width, scale, out);
    raster_close(raster);
    return failed;
}
