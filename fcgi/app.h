/* app.h: the seam. A request goes in, a response comes out; nothing below
   knows whether it came from FastCGI, CGI, the command line or a test. */
#ifndef GPUTCO_FCGI_APP_H
#define GPUTCO_FCGI_APP_H

#include <stddef.h>

#include "pricing/world.h"

/* Largest body the application reads; nginx refuses larger ones first. */
enum { APP_BODY_BYTE_MAX = 64 * 1024, APP_TARGET_BYTE_MAX = 32 * 1024 };

/* Everything the application may know of a request. Strings are NUL
   terminated, never NULL ("" when absent) and outlive the call. */
struct request {
    const char *method;           /* "GET" */
    const char *path;             /* as sent, still percent-encoded, no query: "/compare.json" */
    const char *query;            /* raw text after '?', "" if none */
    const char *body;             /* body_byte bytes, also NUL terminated */
    size_t body_byte;
    int body_too_large;           /* the edge read and dropped a larger body */
    const char *content_type;
    const char *content_encoding;
    const char *accept;
    const char *accept_language;
    const char *if_none_match;
    const char *sec_fetch_site;
    const char *base_url;         /* GPUTCO_URL without trailing '/', "" if unset */
    /* For a power log: reads what comes behind `body`, up to `byte` bytes,
       fewer only at its end; NULL: there is no more. */
    size_t (*read_more)(void *more, char *at, size_t byte);
    void *more;
};

/* A growing text with a ceiling. When full or out of memory `failed` is set
   and later writes do nothing. text_free gives the memory back. */
struct text {
    char *at;
    size_t byte;
    size_t room;
    size_t ceiling;
    int failed;
};

void text_init(struct text *text, size_t ceiling);
void text_reset(struct text *text); /* keeps the memory for the next answer */
void text_put(struct text *text, const char *from, size_t byte);
void text_str(struct text *text, const char *from);
void text_char(struct text *text, char c);
void text_free(struct text *text);

/* The answer. status 200 etc.; content_type is a constant; header holds
   further complete lines "Name: value\r\n" made of constants and checked
   values only; body may be empty. For HEAD the caller drops the body. */
struct response {
    int status;
    const char *content_type;
    struct text header;
    struct text body;
};

void response_init(struct response *response);
void response_reset(struct response *response);
void response_free(struct response *response);

/* Answers one request. Pure but for memory of the response: reads only
   `request` and the immutable `world`, takes its date from world->today.
   Always leaves a complete response (500 when memory ran out). Safe to call
   from several threads on different responses. */
void app_handle(const struct world *world, const struct request *request,
                struct response *response);

#endif
