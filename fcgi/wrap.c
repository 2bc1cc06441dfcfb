/* wrap.c: lines of at most WRAP_WIDTH characters. */
#include "fcgi/wrap.h"

#include <string.h>

#include "pricing/utf8.h"

size_t wrap_width(const char *text)
{
    return utf8_count(text, strlen(text));
}

void wrap_blanks(struct text *out, size_t count)
{
    while (count--)
        text_char(out, ' ');
}

void wrap_text(struct text *out, const char *text, size_t indent)
{
    size_t column = indent;

    while (*text) {
        size_t byte = strcspn(text, " "), width = utf8_count(text, byte);
        if (column > indent && column + 1 + width > WRAP_WIDTH) {
            text_char(out, '\n');
            wrap_blanks(out, indent);
            column = indent;
        } else if (column > indent) {
            text_char(out, ' ');
            column++;
        }
        text_put(out, text, byte);
        column += width;
        text += byte + (text[byte] == ' ');
    }
    text_char(out, '\n');
}
