/* out_svg.h: the figures of an answer as SVG, for the page, for files and
   for other people's pages. */
#ifndef GPUTCO_FCGI_OUT_SVG_H
#define GPUTCO_FCGI_OUT_SVG_H

#include "fcgi/answer.h"

/* In the order of the choices of key `figure`. */
enum figure { FIGURE_CUMULATIVE, FIGURE_STACK, FIGURE_TORNADO, FIGURE_MAP,
              FIGURE_HISTORY, FIGURE_CARBON, FIGURE_COUNT };

/* In the order of the choices of key `theme`. */
enum theme { THEME_LIGHT, THEME_DARK, THEME_PRINT };

enum { FIGURE_WIDTH_MIN = 320, FIGURE_WIDTH_MAX = 4096, FIGURE_WIDTH = 760 };

extern const char *const figure_name[FIGURE_COUNT];

/* 1 if the answer has something to draw there. */
int figure_exists(const struct answer *answer, enum figure figure);

/* What it is called, for captions: English, to be said. */
const char *figure_title(enum figure figure);

/* One <svg> element that stands alone: text as text, colours as attributes,
   and classes by which a page may set other colours. A figure that does not
   exist is drawn as a frame that says so. */
void out_svg(const struct answer *answer, enum figure figure, int width,
             enum theme theme, struct text *out);

/* The same for several widths; more than one stand in <div class="at-wide">
   and <div class="at-narrow">. */
void out_svg_widths(const struct answer *answer, enum figure figure,
                    const int *width, int count, enum theme theme,
                    struct text *out);

/* The figure's numbers as the rows of an HTML table, head included. */
void out_svg_table(const struct answer *answer, enum figure figure,
                   struct text *out);

/* A line of 96 by 20 through observed prices; "" for fewer than two. */
void out_sparkline(const double *value, int count, struct text *out);

#endif
