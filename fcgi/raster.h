/* raster.h: draws an SVG of out_svg.c with cairo; the only file that knows
   librsvg. */
#ifndef GPUTCO_FCGI_RASTER_H
#define GPUTCO_FCGI_RASTER_H

#include <cairo.h>

#include "fcgi/out_svg.h"

struct raster;

/* The figure of an answer, `width` CSS pixels wide. NULL: no memory. */
struct raster *raster_open(const struct answer *answer, enum figure figure,
                           int width, enum theme theme);

/* Height over width. */
double raster_aspect(const struct raster *raster);

/* Draws it with its upper left corner at x, y. 0, or -1 when that failed. */
int raster_draw(const struct raster *raster, cairo_t *cairo, double x,
                double y, double width);

/* Accepts NULL. */
void raster_close(struct raster *raster);

#endif
