/* utf8.c: UTF-8 as RFC 3629 has it. */
#include "pricing/utf8.h"

static int is_tail(unsigned char c) { return (c & 0xC0) == 0x80; }

size_t utf8_length(const char *at, size_t byte)
{
    const unsigned char *c = (const unsigned char *)at;

    if (byte == 0)
        return 0;
    if (c[0] < 0x80)
        return 1;
    if (c[0] >= 0xC2 && c[0] <= 0xDF)
        return byte >= 2 && is_tail(c[1]) ? 2 : 0;
    if (c[0] >= 0xE0 && c[0] <= 0xEF) {
        if (byte < 3 || !is_tail(c[1]) || !is_tail(c[2]))
            return 0;
        if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F))
            return 0;
        return 3;
    }
    if (c[0] >= 0xF0 && c[0] <= 0xF4) {
        if (byte < 4 || !is_tail(c[1]) || !is_tail(c[2]) || !is_tail(c[3]))
            return 0;
        if ((c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
            return 0;
        return 4;
    }
    return 0;
}

/* Characters that do nothing but change how text around them looks. */
static int is_control(const unsigned char *c, size_t length)
{
    if (length == 1)
        return c[0] < 0x20 || c[0] == 0x7F;
    if (length == 2)
        return c[0] == 0xC2 && c[1] < 0xA0;
    if (length == 3 && c[0] == 0xE2 && c[1] == 0x80)
        return c[2] == 0xA8 || c[2] == 0xA9 || (c[2] >= 0xAA && c[2] <= 0xAE);
    return length == 3 && c[0] == 0xE2 && c[1] == 0x81 &&
           c[2] >= 0xA6 && c[2] <= 0xA9;
}

const char *utf8_check(const char *text, size_t byte)
{
    const char *code = NULL;

    for (size_t at = 0; at < byte; ) {
        size_t length = utf8_length(text + at, byte - at);
        if (length == 0)
            return "bad_utf8";
        if (is_control((const unsigned char *)text + at, length))
            code = "control_char";
        at += length;
    }
    return code;
}

size_t utf8_count(const char *text, size_t byte)
{
    size_t count = 0;

    for (size_t at = 0; at < byte; at++)
        count += !is_tail((unsigned char)text[at]);
    return count;
}
