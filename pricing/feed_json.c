/* feed_json.c: bodies and members of JSON feeds. */
#include "pricing/feed_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pricing/num.h"

enum status feed_page_add(struct feed_page *page, const char *bytes,
                          size_t count, struct feed_parse *parse)
{
    if (page->byte + count > FEED_PAGE_BYTE) {
        snprintf(parse->why, sizeof parse->why,
                 "a page is larger than %d MiB", FEED_PAGE_BYTE >> 20);
        return FEED_REFUSED;
    }
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

cJSON *feed_page_read(struct feed_page *page, struct feed_parse *parse)
{
    const char *end = NULL;
    const char *text = page->text ? page->text : "";
    size_t byte = page->byte;
    cJSON *tree;

    if (byte >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        byte -= 3;
    }
    tree = cJSON_ParseWithLengthOpts(text, byte, &end, 0);
    page->byte = 0;
    while (tree && end < text + byte && *end && strchr(" \t\r\n", *end))
        end++;
    if (!tree || end != text + byte) {
        snprintf(parse->why, sizeof parse->why,
                 "it is not JSON, or not whole (%zu bytes)", byte);
        cJSON_Delete(tree);
        return NULL;
    }
    return tree;
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

int feed_json_day(const cJSON *object, const char *name)
{
    const char *text = feed_json_text(object, name);

    return strlen(text) < 10 ? 0 : day_read(text, 10);
}
