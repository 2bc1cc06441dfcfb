/* out_paper.h: a study's answer as Markdown and as LaTeX: sentence, tables,
   sources and link, the same rows as on the page. */
#ifndef GPUTCO_FCGI_OUT_PAPER_H
#define GPUTCO_FCGI_OUT_PAPER_H

#include "fcgi/answer.h"
#include "fcgi/paper.h"

void out_markdown(const struct answer *answer, struct text *out);

/* Compiles alone and, put in with \input, inside a document. */
void out_tex(const struct answer *answer, struct text *out);

/* The tables alone as bare HTML, to be copied elsewhere. */
void out_copy(const struct answer *answer, struct text *out);

/* Parts that other papers share: the rows of options and pairs; what to
   know; the sources; the closing lines with versions and link. */
void paper_rows(const struct answer *answer, struct paper *paper);
void paper_warnings(const struct answer *answer, struct paper *paper);
void paper_sources(const struct answer *answer, struct paper *paper);
void paper_end(const struct answer *answer, struct paper *paper);

#endif
