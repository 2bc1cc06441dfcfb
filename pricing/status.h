/* status.h: outcomes. GOOD is zero. */
#ifndef GPUTCO_PRICING_STATUS_H
#define GPUTCO_PRICING_STATUS_H

enum status {
#define STATUS(id, http, exit, words) id,
#include "pricing/status.def"
    STATUS_COUNT
};

int status_http(enum status status);
int status_exit(enum status status);
const char *status_words(enum status status);

#endif
