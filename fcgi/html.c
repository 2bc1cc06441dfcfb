/* html.c: escaping, and the few shapes of markup that repeat. */
#include "fcgi/html.h"

#include <string.h>

#include "pricing/utf8.h"

static const char *entity_of(char c, int quotes)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return quotes ? "&quot;" : NULL;
    case '\'': return quotes ? "&#39;" : NULL;
    default: break;
    }
    return NULL;
}

/* What is no UTF-8, and control characters, become U+FFFD, so that a page is
   well-formed whatever was sent. */
static void escape(struct text *out, const char *text, size_t byte, int quotes)
{
    size_t from = 0, length;

    for (size_t at = 0; at < byte; at += length ? length : 1) {
        const char *entity = entity_of(text[at], quotes);
        length = utf8_length(text + at, byte - at);
        if (length == 0 || (length == 1 && text[at] < ' ' && text[at] != '\n'))
            entity = "\xEF\xBF\xBD";
        if (!entity)
            continue;
        text_put(out, text + from, at - from);
        text_str(out, entity);
        from = at + 1;
    }
    text_put(out, text + from, byte - from);
}

void html_text(struct text *out, const char *text)
{
    escape(out, text, strlen(text), 0);
}

void html_attr(struct text *out, const char *text)
{
    escape(out, text, strlen(text), 1);
}

void html_attribute(struct text *out, const char *name, const char *text)
{
    text_char(out, ' ');
    text_str(out, name);
    text_str(out, "=\"");
    html_attr(out, text);
    text_char(out, '"');
}

void html_element(struct text *out, const char *tag, const char *class,
                  const char *text)
{
    text_char(out, '<');
    text_str(out, tag);
    if (class)
        html_attribute(out, "class", class);
    text_char(out, '>');
    html_text(out, text);
    text_str(out, "</");
    text_str(out, tag);
    text_char(out, '>');
}

void html_text_of(struct text *out, const struct text *from)
{
    if (from->failed)
        out->failed = 1;
    escape(out, from->at ? from->at : "", from->byte, 0);
}
