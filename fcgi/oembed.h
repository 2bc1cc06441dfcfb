/* oembed.h: what an address of ours is as a card, for programs that embed
   (oembed.com, version 1.0, type rich). */
#ifndef GPUTCO_FCGI_OEMBED_H
#define GPUTCO_FCGI_OEMBED_H

#include "fcgi/answer.h"

/* What is asked; sizes 0 when there is no limit. */
struct oembed_ask {
    const char *url;            /* absolute, as typed */
    const char *base_url;       /* ours, not "" */
    int max_width, max_height;
    int xml;
};

/* 1, or 0 when the address is not one of ours that has an answer. */
int oembed_write(const struct oembed_ask *ask, const struct world *world,
                 struct text *out);

#endif
