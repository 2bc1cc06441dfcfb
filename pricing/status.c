/* status.c: the columns of status.def. */
#include "pricing/status.h"

static const struct { int http, exit; const char *words; } row[] = {
#define STATUS(id, http, exit, words) { http, exit, words },
#include "pricing/status.def"
};

int status_http(enum status status) { return row[status].http; }
int status_exit(enum status status) { return row[status].exit; }
const char *status_words(enum status status) { return row[status].words; }
