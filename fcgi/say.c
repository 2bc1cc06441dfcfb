/* say.c: looks texts up in the table that fcgi/po2c.c made of zh.po. */
#include "fcgi/say.h"

#include <stdlib.h>
#include <string.h>

static const struct said { const char *english, *chinese; } table[] = {
#define SAID(english, chinese) { english, chinese },
#include "fcgi/po/zh.inc"
};

enum { SAID_COUNT = sizeof table / sizeof *table };

static int by_english(const void *key, const void *row)
{
    return strcmp(key, ((const struct said *)row)->english);
}

const char *say(int zh, const char *english)
{
    const struct said *found;

    if (!zh)
        return english;
    found = bsearch(english, table, SAID_COUNT, sizeof *table, by_english);
    return found ? found->chinese : english;
}

size_t say_count(void)
{
    return SAID_COUNT;
}

const char *say_english(size_t i)
{
    return table[i].english;
}
