/* feed_json.c: bodies and members of JSON feeds. */
#include "pricing/feed_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/num.h"
#include "pricing/utf8.h"

enum status feed_page_add(struct feed_page *page, const char *bytes,
                          size_t count, struct feed_parse *parse)
{
    if (page->byte + count > FEED_PAGE_BYTE)
        return feed_refuse(parse, "too_long: a page of more than %d MiB",
                           FEED_PAGE_BYTE >> 20);
    if (page->byte + count + 1 > page->room) {
        size_t room = (page->byte + count + 1) * 2;
        char *more = realloc(page->text, room);
        if (!more)
            return NO_MEMORY;
        page->text = more;
        page->room = room;
    }
    memcpy(page->text + page->byte, bytes, count);
    page->byte += count;
    page->text[page->byte] = '\0';
    return GOOD;
}

/* Sentence in parse->why unless the text is UTF-8 without NUL that nests no
   deeper than FEED_DEPTH_MAX and holds no more than FEED_VALUE_MAX values.
   cJSON would take such text, or go down with it. */
static int page_fits(const char *text, size_t byte, struct feed_parse *parse)
{
    const char *fault = utf8_check(text, byte);
    int depth = 0, in_text = 0;
    long values = 0;

    if (memchr(text, '\0', byte) || (fault && !strcmp(fault, "bad_utf8"))) {
        feed_refuse(parse, "encoding: the text is not UTF-8");
        return 0;
    }
    for (size_t i = 0; i < byte; i++) {
        if (text[i] == '"')
            in_text = !in_text;
        else if (in_text)
            i += text[i] == '\\';
        else if (text[i] == ',')
            values++;
        else if (text[i] == '{' || text[i] == '[')
            depth++, values++;
        else if (text[i] == '}' || text[i] == ']')
            depth--;
        if (values > FEED_VALUE_MAX) {
            feed_refuse(parse, "too_long: more than %d values",
                        FEED_VALUE_MAX);
            return 0;
        }
        if (depth > FEED_DEPTH_MAX) {
            feed_refuse(parse, "too_deep: more than %d levels", FEED_DEPTH_MAX);
            return 0;
        }
    }
    return 1;
}

cJSON *feed_page_read(struct feed_page *page, struct feed_parse *parse)
{
    const char *end = NULL;
    const char *text = page->text ? page->text : "";
    size_t byte = page->byte;
    cJSON *tree;

    page->byte = 0;
    if (byte >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        byte -= 3;
    }
    if (!page_fits(text, byte, parse))
        return NULL;
    tree = cJSON_ParseWithLengthOpts(text, byte, &end, 0);
    while (tree && end < text + byte && *end && strchr(" \t\r\n", *end))
        end++;
    if (tree && end == text + byte && !feed_json_twice(tree))
        return tree;
    if (!tree)
        feed_refuse(parse, "json: it is not JSON, or not whole (%zu bytes)",
                    byte);
    else if (end != text + byte)
        feed_refuse(parse, "trailing: something follows the JSON");
    else
        feed_refuse(parse, "duplicate_key: a member stands twice");
    cJSON_Delete(tree);
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, as a page made to that end may hold a great many. */
static int twice_of_many(const cJSON *object, size_t count)
{
    const char **name = malloc(count * sizeof *name);
    const cJSON *member;
    size_t i = 0;
    int twice = 0;

    if (!name)
        return 1;
    cJSON_ArrayForEach(member, object)
        name[i++] = member->string;
    qsort(name, count, sizeof *name, compare_names);
    for (i = 1; i < count; i++)
        twice |= !strcmp(name[i - 1], name[i]);
    free(name);
    return twice;
}

int feed_json_twice(const cJSON *object)
{
    enum { FEW = 20 };
    const int count = cJSON_IsObject(object) ? cJSON_GetArraySize(object) : 0;
    const cJSON *member;

    if (count > FEW)
        return twice_of_many(object, (size_t)count);
    if (count)
        cJSON_ArrayForEach(member, object)
            for (const cJSON *other = member->next; other; other = other->next)
                if (!strcmp(member->string, other->string))
                    return 1;
    return 0;
}

void feed_page_close(struct feed_page *page)
{
    free(page->text);
    *page = (struct feed_page){ NULL, 0, 0 };
}

const char *feed_json_text(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(member) ? member->valuestring : "";
}

int feed_json_price(const cJSON *object, const char *name, double *out)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!member || cJSON_IsNull(member))
        return REFUSED_missing;
    if (!cJSON_IsNumber(member))
        return REFUSED_not_a_number;
    if (!isfinite(member->valuedouble))
        return REFUSED_not_finite;
    if (member->valuedouble <= 0)
        return member->valuedouble < 0 ? REFUSED_negative_price
                                       : REFUSED_zero_price;
    *out = member->valuedouble;
    return -1;
}

int feed_json_value(const cJSON *member, double *out)
{
    if (!member || cJSON_IsNull(member))
        return REFUSED_missing;
    if (cJSON_IsString(member))
        return feed_value(member->valuestring, out);
    if (!cJSON_IsNumber(member))
        return REFUSED_not_a_number;
    if (!isfinite(member->valuedouble))
        return REFUSED_not_finite;
    *out = member->valuedouble;
    return -1;
}

int feed_json_day(const cJSON *object, const char *name)
{
    const char *text = feed_json_text(object, name);

    return strlen(text) < 10 ? 0 : day_read(text, 10);
}
