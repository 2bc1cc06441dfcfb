/* wire.h: what CGI and FastCGI share: variables into a request, a response
   into the header block in front of its body. No sockets, no library. */
#ifndef GPUTCO_FCGI_WIRE_H
#define GPUTCO_FCGI_WIRE_H

#include "fcgi/app.h"

/* Reads and drops this much of a body that is too large; beyond it the
   connection is given up. */
enum { WIRE_BODY_BYTE_MAX = 17 * 1024 * 1024 };

/* Value of one CGI variable, NULL when absent. Valid as long as `from`. */
typedef const char *wire_variable(const void *from, const char *name);

/* Reads up to `byte` bytes; fewer only at the end of the body. */
typedef size_t wire_read(void *from, char *at, size_t byte);

/* Room for what a request keeps while it is answered; one per thread. */
struct wire {
    struct request request;
    struct response response;
    struct text head;
    wire_read *read;             /* of a body that is read as it comes */
    void *from;
    size_t body_byte;            /* read so far */
    int body_ended;
    char path[APP_TARGET_BYTE_MAX + 1];
    char body[APP_BODY_BYTE_MAX + 1];
};

void wire_init(struct wire *wire);
void wire_free(struct wire *wire);

/* Fills wire->request but for its body. Returns 0, or the HTTP status to
   refuse the request with (400, 414). */
int wire_fill(struct wire *wire, wire_variable *variable, const void *from,
              const char *base_url);

/* Reads the body to its end, keeping APP_BODY_BYTE_MAX; of a power log only
   so much, the rest can be read through wire->request. Returns 1, or 0 when
   it goes on past WIRE_BODY_BYTE_MAX and was left there. */
int wire_body(struct wire *wire, wire_read *read, void *from);

/* 1 while a part of the body may still be unread. */
int wire_pending(const struct wire *wire);

/* Reads and drops what is left of it. As wire_body. */
int wire_rest(struct wire *wire);

/* Makes wire->response a short problem of the edge's own. */
void wire_refuse(struct wire *wire, int status);

/* Writes the header block into wire->head and drops a body that must not be
   sent (HEAD, 204, 304). A response that failed is replaced by a 500.
   wire->head.failed can then only mean that memory ran out. */
void wire_close(struct wire *wire);

#endif
