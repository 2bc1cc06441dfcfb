/* fetch.h: one HTTP GET into a file. Only https to public addresses, no
   redirect followed, size and time bounded (reliability 7.6). */
#ifndef GPUTCO_PRICING_FETCH_H
#define GPUTCO_PRICING_FETCH_H

#include <stddef.h>
#include <stdio.h>

#include "pricing/status.h"

struct fetch;

struct fetch *fetch_open(void); /* NULL: no memory */
void fetch_close(struct fetch *fetch); /* accepts NULL */

struct fetch_request {
    const char *address;
    const char *etag, *last_modified; /* "" : ask for the body in any case */
    long long byte_cap;         /* of the decoded body */
    int insecure;               /* tests: plain http and private addresses */
    long timeout_ms;            /* 0: 30 s */
    const char *key_header, *key; /* sent along, never said; "" : none */
    FILE *body;                 /* empty; takes the body */
    void (*progress)(void *context, long long byte, long long whole);
    void *context;              /* whole: 0 unknown */
};

struct fetch_answer {
    long http;
    char etag[300], last_modified[100];
    long long byte;
    unsigned long long hash;    /* FNV-1a of the body */
    long retry_after;           /* seconds; 0: none */
};

/* GOOD: status 200, the body whole, with a length or chunks that prove it.
   FEED_UNCHANGED: 304 to a conditional request. FETCH_FAILED with a sentence
   in `why`; *answer then holds http and retry_after only. NO_MEMORY.
   WRITE_FAILED: the file took no more. */
enum status fetch_get(struct fetch *fetch, const struct fetch_request *request,
                      struct fetch_answer *answer, char *why,
                      size_t why_byte);

#endif
