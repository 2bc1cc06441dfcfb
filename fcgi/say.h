/* say.h: words of the page in the reader's language. English is written in
   the code and is the key; the others come from fcgi/po/. */
#ifndef GPUTCO_FCGI_SAY_H
#define GPUTCO_FCGI_SAY_H

#include <stddef.h>

/* `english` itself, or what it is called in Chinese when zh is 1. A text
   without translation stays English. */
const char *say(int zh, const char *english);

/* A unit behind money, "CNY/hour": the currency stays, "/hour" is said. */
void say_unit(int zh, const char *unit, char *out, size_t room);

/* A word of a choice, "server_room": blanks for underscores, then said. */
void say_word(int zh, const char *word, char *out, size_t room);

/* How many texts the translation holds, and each one. */
size_t say_count(void);
const char *say_english(size_t i);

#endif
