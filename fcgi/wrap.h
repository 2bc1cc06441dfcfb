/* wrap.h: plain text in lines and columns. Widths count columns: characters,
   those of East Asia that are twice as wide (Unicode annex 11) for two. */
#ifndef GPUTCO_FCGI_WRAP_H
#define GPUTCO_FCGI_WRAP_H

#include "fcgi/app.h"

enum { WRAP_WIDTH = 96 };

size_t wrap_width(const char *text);
void wrap_blanks(struct text *out, size_t count);

/* Text that begins in column `indent`, broken at blanks; further lines begin
   there too. Ends the line. */
void wrap_text(struct text *out, const char *text, size_t indent);

#endif
