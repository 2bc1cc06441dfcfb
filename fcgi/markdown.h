/* markdown.h: text of outsiders into CommonMark with tables. */
#ifndef GPUTCO_FCGI_MARKDOWN_H
#define GPUTCO_FCGI_MARKDOWN_H

#include "fcgi/app.h"

/* Every mark stands for itself, wherever in a line the text begins. */
void markdown_text(struct text *out, const char *text);

/* <address>, or the address as text when it leads to no web page. */
void markdown_address(struct text *out, const char *address);

#endif
