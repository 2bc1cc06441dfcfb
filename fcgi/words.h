/* words.h: mistakes in words for people. */
#ifndef GPUTCO_FCGI_WORDS_H
#define GPUTCO_FCGI_WORDS_H

#include "fcgi/app.h"
#include "pricing/study.h"

/* One or two sentences without a full stop at the very end: what to do about
   the mistake. Plain text, to be escaped for where it goes. */
void problem_words(const struct problem *problem, int zh, struct text *out);

/* What a key is called: "Price of one GPU of option b". */
void key_words(const char *key, int zh, struct text *out);

#endif
