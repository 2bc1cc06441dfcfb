/* fetch.h: one HTTP GET into a file. Only https to public addresses, at most
   two redirects within the feed's hosts, size and time bounded over all of
   it. */
#ifndef GPUTCO_PRICING_FETCH_H
#define GPUTCO_PRICING_FETCH_H

#include <stddef.h>
#include <stdio.h>

#include "pricing/feed.h"
#include "pricing/status.h"

struct fetch;

struct fetch *fetch_open(void); /* NULL: no memory */
void fetch_close(struct fetch *fetch); /* accepts NULL */

struct fetch_request {
    const struct feed *feed;    /* whose hosts a redirect may lead to */
    const char *origin;         /* where the feed begins: the key is for this
                                   host alone */
    const char *address;        /* asked now: that, or a further body's */
    const char *etag, *last_modified; /* "" : ask for the body in any case */
    long long byte_cap;         /* of the decoded body */
    int loopback;               /* tests: 127.0.0.1 is asked, and it alone */
    const char *test_ca;        /* trusted alone, with loopback; NULL: none */
    long timeout_ms;            /* of all hops; 0: 30 s */
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

/* GOOD: status 200, the body whole, with a length or chunks that prove it;
   after a redirect without validators, as they would belong to the address
   it led to.
   FEED_UNCHANGED: 304 to a conditional request. FETCH_FAILED with a sentence
   in `why`; *answer then holds http and retry_after only. NO_MEMORY.
   WRITE_FAILED: the file took no more. */
enum status fetch_get(struct fetch *fetch, const struct fetch_request *request,
                      struct fetch_answer *answer, char *why,
                      size_t why_byte);

#endif
