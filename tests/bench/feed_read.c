/* feed_read.c: reads files as the bodies of a feed and says how long it took
   and how much memory it held. usage: feed_read FEED FILE... */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>

#include "pricing/feed.h"

static long rows, refused;

static int count_row(void *context, const struct feed_row *row)
{
    (void)context;
    (void)row;
    rows++;
    return 0;
}

static int count_refused(void *context, enum refusal why,
                         const struct feed_row *row)
{
    (void)context;
    (void)why;
    (void)row;
    refused++;
    return 0;
}

static int count_rate(void *context, const struct rate *rate)
{
    (void)context;
    (void)rate;
    rows++;
    return 0;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The most this program ever held, in MiB. */
static long held_mib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    long kib = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return kib / 1024;
}

int main(int argc, char **argv)
{
    static char piece[256 * 1024]; /* as apply.c */
    const struct feed *feed = argc > 2 ? feed_find(argv[1]) : NULL;
    const struct feed_sink sink = { .row = count_row, .refused = count_refused,
                                    .rate = count_rate };
    struct feed_parse *parse = feed ? feed_begin(feed, &sink) : NULL;
    double start = now(), byte = 0;
    enum status status = parse ? GOOD : NOT_FOUND;

    for (int i = 2; i < argc && status == GOOD; i++) {
        FILE *file = fopen(argv[i], "r");
        size_t count;
        if (!file)
            return 1;
        while (status == GOOD && (count = fread(piece, 1, sizeof piece, file)) > 0) {
            byte += (double)count;
            status = feed_bytes(feed, parse, piece, count);
        }
        fclose(file);
        if (status == GOOD)
            status = feed_end(feed, parse);
    }
    printf("%s: %s, %ld rows, %ld refused, %.0f MB in %.3f s, %ld MiB\n",
           argc > 1 ? argv[1] : "", status == GOOD ? "good"
           : parse ? feed_why(parse) : "no such feed", rows, refused,
           byte / 1e6, now() - start, held_mib());
    if (feed)
        feed_close(feed, parse);
    return status != GOOD;
}
