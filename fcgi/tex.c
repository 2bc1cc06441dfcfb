/* tex.c: one table of what may not stand in TeX as it is. */
#include "fcgi/tex.h"

#include <string.h>

#include "pricing/utf8.h"

/* Brackets and the star could be read as options of what stands before
   them. The last rows are characters pdflatex does not know by itself. */
static const struct { const char *from, *to; } table[] = {
    { "\\", "\\textbackslash{}" }, { "{", "\\textbraceleft{}" },
    { "}", "\\textbraceright{}" }, { "$", "\\$" }, { "&", "\\&" },
    { "#", "\\#" }, { "^", "\\textasciicircum{}" }, { "_", "\\_" },
    { "%", "\\%" }, { "~", "\\textasciitilde{}" }, { "<", "\\textless{}" },
    { ">", "\\textgreater{}" }, { "|", "\\textbar{}" }, { "\"", "{''}" },
    { "`", "\\textasciigrave{}" }, { "[", "{[}" }, { "]", "{]}" },
    { "*", "{*}" },
    { "\xC3\x97", "\\ensuremath{\\times}" },
    { "\xC2\xB7", "\\textperiodcentered{}" },
    { "\xE2\x80\x93", "--" }, { "\xE2\x88\x92", "\\ensuremath{-}" },
    { "\xE2\x89\xA4", "\\ensuremath{\\le}" },
    { "\xE2\x89\xA5", "\\ensuremath{\\ge}" },
    { "\xE2\x82\x82", "\\ensuremath{_2}" },
};

/* What stands for the character at `at`, or NULL. */
static const char *escape_of(const char *at, size_t byte)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].from) == byte &&
            memcmp(table[i].from, at, byte) == 0)
            return table[i].to;
    return NULL;
}

static void put(struct text *out, const char *text, int breaks)
{
    size_t rest = strlen(text);

    while (rest > 0) {
        size_t byte = utf8_length(text, rest);
        const char *escape;
        byte = byte ? byte : 1;
        escape = escape_of(text, byte);
        if (escape)
            text_str(out, escape);
        else
            text_put(out, text, byte);
        if ((*text == '-' || *text == '\'') && text[1] == *text)
            text_str(out, "{}"); /* else TeX makes one mark of both */
        if (breaks && strchr("/&=?-.", *text))
            text_str(out, "\\allowbreak{}");
        text += byte;
        rest -= byte;
    }
}

void tex_text(struct text *out, const char *text)
{
    put(out, text, 0);
}

void tex_address(struct text *out, const char *address)
{
    put(out, address, 1);
}

/* U+3000 to U+9FFF and U+FF00 to U+FFEF: three bytes, E3 ... E9 or EF. */
int tex_is_han(const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c >= 0xE3 && c <= 0xE9) || c == 0xEF || c >= 0xF0)
            return 1;
    }
    return 0;
}
