/* markdown.c: a backslash in front of whatever could be a mark. */
#include "fcgi/markdown.h"

#include <string.h>

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Length of "12. " or "3) " at the start of a text: it would be a list.
   The blank is not counted. */
static size_t list_number(const char *text)
{
    size_t digits = 0;

    while (is_digit(text[digits]))
        digits++;
    if (!digits || (text[digits] != '.' && text[digits] != ')') ||
        (text[digits + 1] != ' ' && text[digits + 1] != '\0'))
        return 0;
    return digits + 1;
}

void markdown_text(struct text *out, const char *text)
{
    size_t number = list_number(text);
    const char *start = text;

    for (; *text; text++) {
        int first = text == start && strchr("-+=", *text) != NULL;
        int last = number && text == start + number - 1;
        int link = strncmp(text, "://", 3) == 0;
        if (first || last || link || strchr("\\`*_{}[]<>#|&~!$^@", *text))
            text_char(out, '\\');
        text_char(out, *text);
    }
}

void markdown_address(struct text *out, const char *address)
{
    if ((strncmp(address, "https://", 8) != 0 &&
         strncmp(address, "http://", 7) != 0) ||
        strpbrk(address, "<> \t\r\n|")) {
        markdown_text(out, address);
        return;
    }
    text_char(out, '<');
    text_str(out, address);
    text_char(out, '>');
}
