/* json.c: the JSON writer. */
#include "fcgi/json.h"

#include <math.h>
#include <string.h>

#include "pricing/num.h"

void json_string(struct text *out, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    const char *start = text;

    text_char(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        char escape[] = "\\u00xx";
        if (c >= ' ' && !strchr("\"\\<>&", c))
            continue;
        text_put(out, start, (size_t)(text - start));
        start = text + 1;
        if (c == '"' || c == '\\') {
            text_char(out, '\\');
            text_char(out, (char)c);
            continue;
        }
        escape[4] = hex[c >> 4];
        escape[5] = hex[c & 15];
        text_put(out, escape, 6);
    }
    text_put(out, start, (size_t)(text - start));
    text_char(out, '"');
}

void json_number(struct text *out, double value)
{
    char digits[NUM_TEXT_BYTE];

    if (isfinite(value))
        text_put(out, digits, num_print(digits, value));
    else
        text_put(out, "null", 4);
}

void json_next(struct text *out)
{
    if (out->byte > 0 && !strchr("{[", out->at[out->byte - 1]))
        text_char(out, ',');
}

void json_name(struct text *out, const char *name)
{
    json_next(out);
    text_char(out, '"');
    text_str(out, name);
    text_put(out, "\":", 2);
}

void json_pair_number(struct text *out, const char *name, double value)
{
    json_name(out, name);
    json_number(out, value);
}

void json_pair_string(struct text *out, const char *name, const char *text)
{
    json_name(out, name);
    json_string(out, text);
}

void json_pair_bool(struct text *out, const char *name, int value)
{
    json_name(out, name);
    text_str(out, value ? "true" : "false");
}
