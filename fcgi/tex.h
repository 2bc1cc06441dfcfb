/* tex.h: text of outsiders into LaTeX and BibTeX, where it is only text. */
#ifndef GPUTCO_FCGI_TEX_H
#define GPUTCO_FCGI_TEX_H

#include "fcgi/app.h"

/* Everything that means something to TeX stands for itself; braces stay
   balanced, as BibTeX counts them. Needs no package. */
void tex_text(struct text *out, const char *text);

/* The same for an address, which may break behind its marks. */
void tex_address(struct text *out, const char *address);

/* 1 when it holds Chinese characters, 0 when pdflatex can set it. */
int tex_is_han(const char *text);

#endif
