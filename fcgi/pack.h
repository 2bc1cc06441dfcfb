/* pack.h: documents made small for the store and whole again. */
#ifndef GPUTCO_FCGI_PACK_H
#define GPUTCO_FCGI_PACK_H

#include "fcgi/app.h"

/* Bounds of one document: what is larger is not packed. */
enum { PACK_WHOLE_BYTE_MAX = 8 * 1024 * 1024 };

/* Appends the packed bytes to `out`. 1, or 0 when there is no memory or the
   document is too large. The same bytes give the same bytes. */
int pack(const char *at, size_t byte, struct text *out);

/* Appends what was packed, which must come to `whole` bytes. 1, or 0 when it
   is damaged or there is no memory. */
int unpack(const void *at, size_t byte, size_t whole, struct text *out);

#endif
