/* serve_probe.c: an application and a store of the test's own behind the
   real edge (main, serve, live, wire, text), so that slow answers, huge
   answers and price generations can be made at will. tests/serve.py asks. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fcgi/app.h"
#include "fcgi/cli.h"
#include "pricing/store.h"

/* ---- a store: a file that holds one number, the generation ------------- */

enum { ROWS = 20000, POISON = 0xdd };

struct store { char where[200]; };

static enum status number_in(const char *where, long *number)
{
    FILE *file = fopen(where, "r");
    int got;

    if (!file)
        return errno == ENOENT ? STORE_MISSING : STORE_FAILED;
    got = fscanf(file, "%ld", number);
    fclose(file);
    return got == 1 ? GOOD : STORE_FAILED;
}

enum status store_open(const char *where, enum store_mode mode,
                       struct store **out, char *why, size_t why_byte)
{
    struct store *store;
    long number;
    enum status status = number_in(where, &number);

    (void)mode;
    if (status != GOOD) {
        snprintf(why, why_byte, "no probe store");
        return status;
    }
    store = calloc(1, sizeof *store);
    if (!store)
        return NO_MEMORY;
    snprintf(store->where, sizeof store->where, "%s", where);
    *out = store;
    return GOOD;
}

void store_close(struct store *store)
{
    free(store);
}

enum status store_version(struct store *store, long *version)
{
    return number_in(store->where, version);
}

enum status store_load(struct store *store, struct store_tables *out)
{
    long number;
    enum status status = number_in(store->where, &number);
    struct price *row;

    if (status != GOOD)
        return status;
    row = calloc(ROWS, sizeof *row);
    if (!row)
        return NO_MEMORY;
    for (size_t i = 0; i < ROWS; i++)
        row[i].price_per_hour = (double)number;
    *out = (struct store_tables){
        .prices = { .price = row, .count = ROWS, .generation = number },
        .memory = row,
    };
    return GOOD;
}

/* Leaves the memory readable but wrong for anyone who still looks. */
void store_tables_free(struct store_tables *tables)
{
    memset(tables->memory, POISON, ROWS * sizeof(struct price));
    free(tables->memory);
}

const struct price_table *seed_prices(void)
{
    static const struct price_table table = { .generation = 0 };
    return &table;
}

const struct rate_table *seed_rates(void)
{
    static const struct rate_table table = { .title = "none" };
    return &table;
}

/* ---- an application ----------------------------------------------------- */

static long query_number(const struct request *request)
{
    return atol(request->query);
}

static void put_line(struct text *text, const char *name, const char *value)
{
    text_str(text, name);
    text_char(text, '=');
    text_str(text, value);
    text_char(text, '\n');
}

static void put_number(struct text *text, const char *name, long value)
{
    char line[40];

    snprintf(line, sizeof line, "%ld", value);
    put_line(text, name, line);
}

/* What comes behind the kept part of a power log; all of it, or a little
   when the query says so. */
static unsigned long read_rest(const struct request *request, long *byte)
{
    char piece[1000];
    unsigned long sum = 0;
    size_t got = sizeof piece;

    *byte = 0;
    while (request->read_more && got == sizeof piece) {
        got = request->read_more(request->more, piece, sizeof piece);
        *byte += (long)got;
        for (size_t i = 0; i < got; i++)
            sum += (unsigned char)piece[i];
        if (strcmp(request->query, "leave") == 0)
            break;
    }
    return sum;
}

static void echo(const struct world *world, const struct request *request,
                 struct response *response)
{
    struct text *body = &response->body;
    long more;
    unsigned long sum = read_rest(request, &more);

    for (size_t i = 0; i < request->body_byte; i++)
        sum += (unsigned char)request->body[i];
    put_number(body, "more_byte", more);
    put_line(body, "method", request->method);
    put_line(body, "path", request->path);
    put_line(body, "query", request->query);
    put_line(body, "type", request->content_type);
    put_line(body, "encoding", request->content_encoding);
    put_line(body, "accept", request->accept);
    put_line(body, "language", request->accept_language);
    put_line(body, "none_match", request->if_none_match);
    put_line(body, "site", request->sec_fetch_site);
    put_line(body, "base", request->base_url);
    put_number(body, "body_byte", (long)request->body_byte);
    put_number(body, "body_sum", (long)sum);
    put_number(body, "too_large", request->body_too_large);
    put_number(body, "today", world->today);
    put_number(body, "degraded", world->degraded);
    put_line(body, "reason", world->degraded_reason);
}

static void wait_ms(long ms)
{
    struct timespec rest = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&rest, NULL);
}

/* Every row of a generation says its number, before and after a while. */
static void generation(const struct world *world,
                       const struct request *request,
                       struct response *response)
{
    const struct price_table *prices = world->prices;
    long bad = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < prices->count; i += 97)
            bad += (long)prices->price[i].price_per_hour != prices->generation;
        if (pass == 0)
            wait_ms(query_number(request));
    }
    put_number(&response->body, "generation", prices->generation);
    put_number(&response->body, "bad", bad);
}

static void big(const struct request *request, struct response *response)
{
    static const char line[] = "0123456789abcdef0123456789abcdef"
                               "0123456789abcdef0123456789abcde\n";

    for (long left = query_number(request); left > 0; left -= 64)
        text_put(&response->body, line, left < 64 ? (size_t)left : 64);
}

/* Leaves a mark that survives whichever worker was asked. */
static void mark(const struct request *request, struct response *response)
{
    const char *folder = getenv("PROBE_FOLDER");
    char name[300];
    FILE *file;

    snprintf(name, sizeof name, "%s/mark%.40s", folder ? folder : "/nowhere",
             strrchr(request->path, '/') + 1);
    file = fopen(name, "a");
    if (file) {
        fputs("x", file);
        fclose(file);
    }
    put_line(&response->body, "marked", request->path);
}

void app_handle(const struct world *world, const struct request *request,
                struct response *response)
{
    const char *path = request->path;

    response_reset(response);
    if (strcmp(path, "/sleep") == 0) {
        wait_ms(query_number(request));
        put_number(&response->body, "pid", (long)getpid());
    } else if (strcmp(path, "/pid") == 0) {
        put_number(&response->body, "pid", (long)getpid());
    } else if (strcmp(path, "/generation") == 0) {
        generation(world, request, response);
    } else if (strcmp(path, "/big") == 0) {
        big(request, response);
    } else if (strncmp(path, "/mark/", 6) == 0) {
        mark(request, response);
    } else if (strcmp(path, "/fail") == 0) {
        response->body.failed = 1;
    } else if (strcmp(path, "/same") == 0) {
        response->status = 304;
    } else {
        text_str(&response->header, "X-Probe: yes\r\n");
        echo(world, request, response);
    }
}

int cli_main(int argc, char **argv, const struct world *(*world_of)(void),
             const char *base_url)
{
    (void)world_of;
    (void)base_url;
    printf("cli %d %s\n", argc, argc > 1 ? argv[1] : "");
    return 0;
}
