/* multipart.h: a form with files (RFC 7578) as it arrives, in pieces of any
   size. Keeps nothing but the header of the part being read. */
#ifndef GPUTCO_FCGI_MULTIPART_H
#define GPUTCO_FCGI_MULTIPART_H

#include <stddef.h>

enum { MULTIPART_BOUNDARY_MAX = 70, /* RFC 2046 */
       MULTIPART_HEADER_BYTE = 1024, MULTIPART_NAME_BYTE = 64 };

/* What becomes of the parts. */
struct multipart_use {
    /* A part of that name begins (cut off when longer). */
    void (*part)(void *context, const char *name);
    /* Its bytes. */
    void (*bytes)(void *context, const char *at, size_t byte);
    void *context;
};

struct multipart {
    struct multipart_use use;
    char mark[MULTIPART_BOUNDARY_MAX + 5]; /* CR LF -- boundary */
    size_t mark_byte, matched;
    int state;
    char header[MULTIPART_HEADER_BYTE];
    size_t header_byte;
};

/* content_type: the request's. 1, or 0 when it names no boundary. */
int multipart_begin(struct multipart *form, const char *content_type,
                    const struct multipart_use *use);

/* 1, or 0 when it is no such form; then the rest is ignored. */
int multipart_bytes(struct multipart *form, const char *bytes, size_t count);

/* 1 when the form was whole. */
int multipart_end(const struct multipart *form);

#endif
