/* say.c: looks texts up in the table that fcgi/po2c.c made of zh.po. */
#include "fcgi/say.h"

#include <stdio.h>
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

void say_unit(int zh, const char *unit, char *out, size_t room)
{
    const char *per = strchr(unit, '/');

    if (per && per - unit == 3 && say(zh, per) != per)
        snprintf(out, room, "%.3s%s", unit, say(zh, per));
    else
        snprintf(out, room, "%s", say(zh, unit));
}

void say_word(int zh, const char *word, char *out, size_t room)
{
    char plain[64];
    const char *said;

    snprintf(plain, sizeof plain, "%s", word);
    for (char *at = plain; *at; at++)
        if (*at == '_')
            *at = ' ';
    said = say(zh, plain);
    snprintf(out, room, "%s", said);
}

size_t say_count(void)
{
    return SAID_COUNT;
}

const char *say_english(size_t i)
{
    return table[i].english;
}
