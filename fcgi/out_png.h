/* out_png.h: one figure of an answer as a PNG. */
#ifndef GPUTCO_FCGI_OUT_PNG_H
#define GPUTCO_FCGI_OUT_PNG_H

#include "fcgi/answer.h"

/* The figure of key `figure`, `width` times `scale` pixels wide, with the
   density that keeps it as large as its SVG: 96 dots an inch times scale. 0,
   or -1 when memory failed. */
int out_png(const struct answer *answer, struct text *out);

#endif
