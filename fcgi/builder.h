/* builder.h: the page that gives code to show an answer elsewhere: in other
   pages, in WordPress, Markdown, LaTeX and Word. Works without script. */
#ifndef GPUTCO_FCGI_BUILDER_H
#define GPUTCO_FCGI_BUILDER_H

#include "fcgi/answer.h"

/* The page for a complete answer. figure, width and theme as asked for. */
void out_builder(const struct answer *answer, struct text *out);

#endif
