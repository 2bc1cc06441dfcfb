/* accept.c: the Accept header. */
#include "fcgi/accept.h"

#include <stddef.h>
#include <string.h>

/* One range of the header and its weight in thousandths. */
struct range { const char *at; size_t length; int weight; };

static int is_blank(char c) { return c == ' ' || c == '\t'; }

static int weight_of(const char *at, const char *end)
{
    int weight = 1000, scale = 100;

    for (; at < end; at++) {
        if (*at != ';')
            continue;
        for (at++; at < end && is_blank(*at); at++)
            ;
        if (end - at < 3 || (*at | 32) != 'q' || at[1] != '=')
            continue;
        at += 2;
        weight = *at == '1' ? 1000 : 0;
        for (at += 2; at < end && scale > 0 && *at >= '0' && *at <= '9'; at++) {
            if (weight < 1000)
                weight += (*at - '0') * scale;
            scale /= 10;
        }
        return weight;
    }
    return weight;
}

static const char *next_range(const char *at, struct range *range)
{
    size_t length = strcspn(at, ",");
    const char *end = at + length;

    range->weight = weight_of(at, end);
    for (; at < end && is_blank(*at); at++)
        ;
    range->at = at;
    range->length = strcspn(at, ";, \t");
    if (range->length > (size_t)(end - at))
        range->length = (size_t)(end - at);
    return *end ? end + 1 : end;
}

/* How closely a range names a type: 3 exactly, 2 type/ *, 1 anything. */
static int closeness(const struct range *range, const char *media)
{
    size_t whole = strcspn(media, ";"), major = strcspn(media, "/") + 1;

    if (range->length == 3 && memcmp(range->at, "*/*", 3) == 0)
        return 1;
    if (range->length == major + 1 && range->at[major] == '*' &&
        memcmp(range->at, media, major) == 0)
        return 2;
    return range->length == whole && memcmp(range->at, media, whole) == 0
           ? 3 : 0;
}

int accept_best(const char *header, const char *const *media, int count)
{
    int best = -1, best_weight = 0;

    for (int i = 0; i < count; i++) {
        int closest = 0, weight = 0;
        const char *at = header;
        struct range range;
        if (!media[i])
            continue;
        if (!*header)
            return i;
        while (*at) {
            int close;
            at = next_range(at, &range);
            close = closeness(&range, media[i]);
            if (close > closest) {
                closest = close;
                weight = range.weight;
            }
        }
        if (weight > best_weight) {
            best = i;
            best_weight = weight;
        }
    }
    return best;
}
