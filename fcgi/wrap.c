/* wrap.c: lines of at most WRAP_WIDTH characters. */
#include "fcgi/wrap.h"

#include <string.h>

#include "pricing/utf8.h"

/* Three bytes of UTF-8 as a character. */
static unsigned character(const char *at)
{
    const unsigned char *c = (const unsigned char *)at;

    return (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
}

static int is_wide(const char *at, size_t length)
{
    const unsigned c = length == 3 ? character(at) : 0;

    return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf)
           || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff)
           || (c >= 0xfe30 && c <= 0xfe4f) || (c >= 0xff00 && c <= 0xff60)
           || (c >= 0xffe0 && c <= 0xffe6);
}

static size_t width_of(const char *text, size_t byte)
{
    size_t width = 0, length;

    for (size_t at = 0; at < byte; at += length) {
        length = utf8_length(text + at, byte - at);
        width += is_wide(text + at, length) ? 2 : 1;
        length = length ? length : 1;
    }
    return width;
}

size_t wrap_width(const char *text)
{
    return width_of(text, strlen(text));
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
        size_t byte = strcspn(text, " "), width = width_of(text, byte);
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
