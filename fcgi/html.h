/* html.h: text of outsiders into HTML, escaped for where it goes. */
#ifndef GPUTCO_FCGI_HTML_H
#define GPUTCO_FCGI_HTML_H

#include "fcgi/app.h"

/* Between tags. */
void html_text(struct text *out, const char *text);

/* Inside a double-quoted attribute. */
void html_attr(struct text *out, const char *text);

/* ' name="text"'; name is a constant. */
void html_attribute(struct text *out, const char *name, const char *text);

/* '<tag class="class">' (no class when NULL), escaped text, '</tag>'; tag and
   class are constants. */
void html_element(struct text *out, const char *tag, const char *class,
                  const char *text);

/* What `from` holds, escaped as between tags. */
void html_text_of(struct text *out, const struct text *from);

#endif
