/* say.h: words of the page in the reader's language. English is written in
   the code and is the key; the others come from fcgi/po/. */
#ifndef GPUTCO_FCGI_SAY_H
#define GPUTCO_FCGI_SAY_H

#include <stddef.h>

/* `english` itself, or what it is called in Chinese when zh is 1. A text
   without translation stays English. */
const char *say(int zh, const char *english);

/* How many texts the translation holds, and each one. */
size_t say_count(void);
const char *say_english(size_t i);

#endif
