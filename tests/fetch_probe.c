/* fetch_probe.c: one fetch by fetch.c, of a feed whose hosts and key the test
   says; the body to stdout, one line of what came of it to stderr.
   usage: fetch_probe CA ORIGIN ADDRESS HOSTS KEY ETAG */
#include <stdio.h>

#include "pricing/fetch.h"

int main(int argc, char **argv)
{
    struct feed feed = { .id = "probe" };
    struct fetch_request request = { .feed = &feed, .loopback = 1,
                                     .byte_cap = 1000, .timeout_ms = 6000,
                                     .key_header = "X-Key",
                                     .last_modified = "", .body = stdout };
    struct fetch *fetch = fetch_open();
    struct fetch_answer answer;
    char why[200] = "";
    enum status status;

    if (!fetch || argc != 7)
        return 2;
    request.test_ca = argv[1];
    request.origin = argv[2];
    request.address = argv[3];
    feed.hosts = argv[4];
    request.key = argv[5];
    request.etag = argv[6];
    status = fetch_get(fetch, &request, &answer, why, sizeof why);
    fprintf(stderr, "%s http=%ld byte=%lld etag=%s modified=%s "
            "retry=%ld: %s\n",
            status == GOOD ? "good" : status == FEED_UNCHANGED ? "unchanged"
            : "failed", answer.http, answer.byte, answer.etag,
            answer.last_modified, answer.retry_after, why);
    fetch_close(fetch);
    return status != GOOD && status != FEED_UNCHANGED;
}
