/* store_fill.c: how long 200,000 prices take into an empty store, judged and
   in one transaction, and back into memory. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pricing/apply.h"

enum { ROWS = 200000, NAME_BYTE = 24 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
    static char name[] = "/tmp/gputco-fill-XXXXXX", side[64];
    struct feed_row *row = calloc(ROWS, sizeof *row);
    char (*text)[NAME_BYTE] = calloc(ROWS, sizeof *text);
    struct store *store = NULL;
    struct apply_outcome done;
    struct store_tables tables;
    char why[300] = "";
    double start, filled;
    int fd = mkstemp(name);
    enum status status;

    if (!row || !text || fd < 0)
        return 1;
    close(fd);
    unlink(name);
    for (int i = 0; i < ROWS; i++) {
        snprintf(text[i], NAME_BYTE, "machine-%d", i / 40);
        row[i] = (struct feed_row){
            .provider = "acme", .instance = text[i], .currency = "USD",
            .gpu = "h100-sxm5-80gb", .gpu_name = "H100", .zone = "",
            .source = "", .price_per_hour = 1 + i % 97, .gpu_count = 8,
            .gpu_memory_gib = 80, .vcpu_count = NAN, .memory_gib = NAN,
            .term = (enum term)(i % 2), .effective_day = 20260701 };
    }
    for (int i = 0; i < ROWS; i++) {
        static char region[20][NAME_BYTE];
        snprintf(region[i / 2 % 20], NAME_BYTE, "region-%d", i / 2 % 20);
        row[i].region = region[i / 2 % 20];
    }
    status = store_open(name, STORE_WRITE, &store, why, sizeof why);
    start = now();
    if (status == GOOD)
        status = apply_book(store, "bench", 0, 1764547200, 20261201, row, ROWS,
                            NULL, 0, &done);
    filled = now();
    if (status == GOOD)
        status = store_load(store, &tables);
    printf("%s: %ld offers in %.2f s, read back in %.2f s\n",
           status == GOOD ? "good" : why, status == GOOD ? done.offer_count : 0,
           filled - start, now() - filled);
    if (status == GOOD)
        store_tables_free(&tables);
    store_close(store);
    unlink(name);
    snprintf(side, sizeof side, "%s-wal", name);
    unlink(side);
    snprintf(side, sizeof side, "%s-shm", name);
    unlink(side);
    free(row);
    free(text);
    return status != GOOD;
}
