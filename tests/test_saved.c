/* test_saved.c: saved studies: links nobody guesses, digits that stay, nothing
   lost, nothing twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fcgi/app.h"
#include "fcgi/link_id.h"
#include "fcgi/pack.h"
#include "pricing/store.h"
#include "tests/old_store.h"
#include "tests/near.h"

#define STUDY "a=own/rtx-4090/4&b=rent/aws/p4d.24xlarge/us-east-1/on_demand"
#define OTHER_WAY "b=rent/aws/p4d.24xlarge/us-east-1/on_demand" \
                  "&a=own/rtx-4090/4"

static char folder[] = "/tmp/gputco-saved-XXXXXX";
static char store_path[64];
static struct world world;
static struct response response;

static const char *body(void) { return response.body.at ? response.body.at : ""; }
static const char *header(void) { return response.header.at ? response.header.at : ""; }

static int ask_as(const char *method, const char *path, const char *query,
                  const char *accept, const char *site)
{
    struct request r = { .method = method, .path = path, .query = query,
                         .body = "", .content_type = "",
                         .content_encoding = "", .accept = accept,
                         .accept_language = "", .if_none_match = "",
                         .sec_fetch_site = site,
                         .base_url = "https://gputco.example" };

    response_reset(&response);
    app_handle(&world, &r, &response);
    assert_false(response.body.failed || response.header.failed);
    return response.status;
}

static int ask(const char *method, const char *path, const char *query)
{
    return ask_as(method, path, query, "", "");
}

/* Saves; `id` is what Location ends in. */
static int save(const char *query, char id[23])
{
    static const char want[] = "Location: https://gputco.example/s/";
    int status = ask_as("POST", "/studies", query, "application/json", "");
    const char *at = strstr(header(), want);

    id[0] = '\0';
    if (status == 201) {
        assert_non_null(at);
        snprintf(id, 23, "%s", at + strlen(want));
        assert_true(link_id_is(id));
    } else {
        assert_null(at);
    }
    return status;
}

static int look(const char *id, const char *suffix, const char *query)
{
    char path[64];

    snprintf(path, sizeof path, "/s/%s%s", id, suffix);
    return ask("GET", path, query);
}

/* A copy of the last body, to be freed. */
static char *kept_body(void)
{
    char *copy = malloc(response.body.byte + 1);

    assert_non_null(copy);
    memcpy(copy, body(), response.body.byte + 1);
    return copy;
}

static void sql(const char *text)
{
    sqlite3 *db;
    char *why = NULL;

    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
    sqlite3_close(db);
}

static int count_of(const char *text)
{
    sqlite3 *db;
    sqlite3_stmt *query;
    int count;

    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &query, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(query), SQLITE_ROW);
    count = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(db);
    return count;
}

static int fresh(void **state)
{
    static const char *const tail[] = { "", "-wal", "-shm" };

    (void)state;
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", store_path, tail[i]);
        unlink(name);
    }
    world = (struct world){ .prices = seed_prices(), .rates = seed_rates(),
                            .today = 20261201, .degraded_reason = "",
                            .store = store_path };
    return 0;
}

/* -- links ------------------------------------------------------------------ */

static void ids_are_random(void **state)
{
    enum { COUNT = 2000 };
    static char id[COUNT][STUDY_ID_LENGTH + 1];
    int seen[256] = { 0 }, digits = 0;

    (void)state;
    for (int i = 0; i < COUNT; i++) {
        assert_true(link_id_new(id[i]));
        assert_int_equal(strlen(id[i]), 22);
        assert_true(link_id_is(id[i]));
        for (int k = 0; k < 21; k++)
            seen[(unsigned char)id[i][k]]++;
    }
    qsort(id, COUNT, sizeof *id, (int (*)(const void *, const void *))strcmp);
    for (int i = 1; i < COUNT; i++)
        assert_string_not_equal(id[i - 1], id[i]);
    /* 42,000 digits of 64: each about 656 times; ten deviations either way */
    for (int i = 0; i < 256; i++)
        if (seen[i]) {
            digits++;
            assert_in_range(seen[i], 400, 912);
        }
    assert_int_equal(digits, 64);
}

static void hostile_ids(void **state)
{
    static const char *const path[] = {
        "/s/", "/s/A", "/s/AAAAAAAAAAAAAAAAAAAAA", "/s/AAAAAAAAAAAAAAAAAAAAAAA",
        "/s/AAAAAAAAAAAAAAAAAAAAAA", /* well-formed, not there */
        "/s/AAAAAAAAAAAAAAAAAAAAAB", /* bits that no 128 bits give */
        "/s/AAAAAAAAAAAAAAAAAAAA==", "/s/AAAAAAAAAAAAAAAAAAAA+/",
        "/s/../../etc/passwd", "/s/..%2f..%2fetc%2fpasswd",
        "/s/AAAAAAAAAAAAAAAAAAAAAA/", "/s/AAAAAAAAAAAAAAAAAAAAAA/x",
        "/s/'%20OR%201=1--AAAAAAA", "/s/AAAAAAAAAAAAAAAAAAAAAA%00",
        "/s/AAAAAAAAAAAAAAAAAAAAAA.json", "/s/AAAAAAAAAAAAAAAAAAAAAA.exe",
        "/s/.json", "/s/AAAAAAAAAAAAAAAAAAAAAA.json.json",
        "/s/%41AAAAAAAAAAAAAAAAAAAAA", "/s/ÄAAAAAAAAAAAAAAAAAAAA",
        "/s/studies", "/s" };
    char id[23];

    (void)state;
    for (int stored = 0; stored < 2; stored++) { /* without a store, with one */
        for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
            if (ask("GET", path[i], "") != 404)
                fail_msg("%s: %d", path[i], response.status);
            assert_null(strstr(body(), "passwd"));
            assert_null(strstr(header(), "immutable"));
        }
        assert_int_equal(save(STUDY, id), 201);
    }
}

/* -- the same for ever ------------------------------------------------------ */

/* Prices half as high again, of the same day. */
static void prices_change(void)
{
    static struct price_table table;
    static struct price *price;

    table = *seed_prices();
    free(price);
    price = malloc(table.count * sizeof *price);
    assert_non_null(price);
    memcpy(price, table.price, table.count * sizeof *price);
    for (size_t i = 0; i < table.count; i++)
        price[i].price_per_hour *= 1.5;
    table.price = price;
    table.generation++;
    world.prices = &table;
}

static const char *const suffixes[] = { "", ".html", ".json", ".txt", ".svg" };
enum { SUFFIX_COUNT = sizeof suffixes / sizeof *suffixes };

static void digits_stay(void **state)
{
    char *before[SUFFIX_COUNT][2], *live, id[23];

    (void)state;
    assert_int_equal(save(STUDY "&label=Ours", id), 201);
    assert_int_equal(ask("GET", "/compare.json", STUDY), 200);
    live = kept_body();
    for (int i = 0; i < SUFFIX_COUNT; i++)
        for (int zh = 0; zh < 2; zh++) {
            assert_int_equal(look(id, suffixes[i], zh ? "lang=zh" : ""), 200);
            assert_non_null(strstr(header(), "Cache-Control: public, "
                                   "max-age=31536000, immutable"));
            assert_non_null(strstr(header(), "X-Robots-Tag: noindex"));
            before[i][zh] = kept_body();
        }
    prices_change();
    world.today = 20270401;
    assert_int_equal(ask("GET", "/compare.json", STUDY), 200);
    assert_string_not_equal(body(), live); /* the change is one */
    for (int i = 0; i < SUFFIX_COUNT; i++)
        for (int zh = 0; zh < 2; zh++) {
            assert_int_equal(look(id, suffixes[i], zh ? "lang=zh" : ""), 200);
            assert_string_equal(body(), before[i][zh]);
            free(before[i][zh]);
        }
    free(live);
}

/* The saved document is that of /compare.json, but for one member. */
static void document_is_the_answer(void **state)
{
    char id[23], *live;
    const char *at;

    (void)state;
    assert_int_equal(save(STUDY "&currency=EUR&samples=500", id), 201);
    assert_int_equal(ask("GET", "/compare.json",
                         STUDY "&currency=EUR&samples=500"), 200);
    live = kept_body();
    assert_int_equal(look(id, ".json", ""), 200);
    at = strstr(body(), "},\"model_version\"");
    assert_non_null(at);
    assert_string_equal(at + 2, live + 1);
    assert_non_null(strstr(body(), id));
    free(live);
}

static void languages(void **state)
{
    char id[23];

    (void)state;
    assert_int_equal(save(STUDY "&lang=zh", id), 201);
    assert_int_equal(look(id, "", ""), 200);
    assert_non_null(strstr(body(), "<html lang=\"zh-CN\">"));
    assert_non_null(strstr(body(), "<h1>"));
    assert_int_equal(look(id, "", "lang=en"), 200);
    assert_non_null(strstr(body(), "<html lang=\"en\">"));
    assert_non_null(strstr(body(), "A saved result"));
}

/* Nothing in a saved page is computed anew but what says so. */
static void page_of_a_saved_study(void **state)
{
    char id[23];

    (void)state;
    assert_int_equal(save(STUDY "&label=%3Cscript%3Ealert(1)%3C/script%3E", id),
                     201);
    assert_int_equal(look(id, "", ""), 200);
    assert_null(strstr(body(), "<script>alert"));
    assert_non_null(strstr(body(), "&lt;script&gt;alert"));
    assert_null(strstr(body(), "id=\"form\""));
    assert_null(strstr(body(), "explain="));
    assert_non_null(strstr(body(), ">Change the inputs<"));
    assert_int_equal(ask("GET", "/compare", STUDY), 200);
    assert_non_null(strstr(body(), "method=\"post\" action=\"/studies?"));
}

/* -- then and now ----------------------------------------------------------- */

static double figure(const cJSON *differences, const char *option,
                     const char *quantity, const char *member)
{
    const cJSON *at = cJSON_GetObjectItem(differences, "options");

    at = cJSON_GetObjectItem(cJSON_GetObjectItem(at, option), quantity);
    at = cJSON_GetObjectItem(at, member);
    assert_true(cJSON_IsNumber(at));
    return at->valuedouble;
}

static cJSON *then_and_now(const char *id)
{
    cJSON *tree;

    assert_int_equal(look(id, ".json", "now=1"), 200);
    assert_null(strstr(header(), "immutable"));
    tree = cJSON_Parse(body());
    assert_non_null(tree);
    return tree;
}

static double total_of(const cJSON *document, const char *option)
{
    const cJSON *at = cJSON_GetObjectItem(document, "options");

    at = cJSON_GetObjectItem(cJSON_GetObjectItem(at, option), "total_cost");
    return at->valuedouble;
}

/* Every row adds up, and its ends are the two documents' own figures. */
static void check_sums(const cJSON *tree)
{
    static const char *const quantity[] = { "total_cost", "npv_cost",
                                            "meter_kwh", "total_kg" };
    static const char *const cause[] = { "formula", "price", "rate", "factor" };
    const cJSON *differences = cJSON_GetObjectItem(tree, "differences");

    for (int i = 0; i < 2; i++) {
        const char *option = i ? "b" : "a";
        for (int q = 0; q < 4; q++) {
            double sum = figure(differences, option, quantity[q], "then"),
                   now = figure(differences, option, quantity[q], "now");
            for (int c = 0; c < 4; c++)
                sum += figure(differences, option, quantity[q], cause[c]);
            assert_near(sum, now, 1e-9);
            /* the same model: pinned inputs give the saved figure again */
            assert_near(figure(differences, option, quantity[q], "formula"),
                        0, 1e-6);
        }
        assert_near(figure(differences, option, "total_cost", "then"),
                    total_of(cJSON_GetObjectItem(tree, "then"), option), 0);
        assert_near(figure(differences, option, "total_cost", "now"),
                    total_of(cJSON_GetObjectItem(tree, "now"), option),
                    1e-9);
    }
}

static const char *cause_of(const cJSON *tree, const char *option,
                            const char *field)
{
    const cJSON *differences = cJSON_GetObjectItem(tree, "differences"), *each;

    cJSON_ArrayForEach(each, cJSON_GetObjectItem(differences, "inputs"))
        if (strcmp(cJSON_GetObjectItem(each, "option")->valuestring, option)
                == 0 &&
            strcmp(cJSON_GetObjectItem(each, "field")->valuestring, field) == 0)
            return cJSON_GetObjectItem(each, "cause")->valuestring;
    return "";
}

/* All rents half as high again: the rental's compute costs, and they alone,
   rise by half, whatever else the rental costs. */
static void price_is_a_cause(void **state)
{
    char id[23];
    cJSON *tree;
    const cJSON *differences, *item;
    double compute;

    (void)state;
    assert_int_equal(save(STUDY, id), 201);
    prices_change();
    tree = then_and_now(id);
    differences = cJSON_GetObjectItem(tree, "differences");
    check_sums(tree);
    item = cJSON_GetObjectItem(cJSON_GetObjectItem(tree, "then"), "options");
    item = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "b"), "items");
    compute = cJSON_GetObjectItem(item, "compute")->valuedouble;
    assert_true(compute > 1000);
    assert_near(figure(differences, "b", "total_cost", "price"), compute / 2,
                1e-9);
    assert_near(figure(differences, "b", "total_cost", "rate"), 0, 1e-6);
    assert_near(figure(differences, "b", "total_kg", "price"), 0, 1e-6);
    assert_near(figure(differences, "a", "total_cost", "price"), 0, 1e-6);
    assert_string_equal(cause_of(tree, "b", "rent_price_per_hour"), "price");
    cJSON_Delete(tree);
    assert_int_equal(look(id, "", "now=1"), 200);
    assert_non_null(strstr(body(), "id=\"then\""));
    assert_int_equal(look(id, "", "now=1&lang=zh"), 200);
    assert_null(strstr(body(), ">Then and now</h2>"));
    assert_int_equal(look(id, ".txt", "now=1"), 200);
    assert_non_null(strstr(body(), "Then and now"));
    assert_int_equal(look(id, ".svg", "now=1"), 400);
}

/* The euro at other rates, the prices the same: all of it is the rate's, and
   every dated amount moves in proportion to it. */
static void rate_is_a_cause(void **state)
{
    static struct rate_table table;
    struct rate *rate;
    char id[23];
    cJSON *tree;
    const cJSON *differences;
    double then;

    (void)state;
    assert_int_equal(save(STUDY "&currency=EUR&staff_cost_per_year=0"
                          "&a.gpu_price=2000&host_price=4000", id), 201);
    table = *seed_rates();
    rate = malloc(table.count * sizeof *rate);
    assert_non_null(rate);
    memcpy(rate, table.rate, table.count * sizeof *rate);
    for (size_t i = 0; i < table.count; i++)
        if (strcmp(rate[i].currency, "USD") == 0)
            rate[i].per_eur *= 1.25; /* a dollar is 0.8 of what it was */
    table.rate = rate;
    world.rates = &table;
    tree = then_and_now(id);
    differences = cJSON_GetObjectItem(tree, "differences");
    check_sums(tree);
    then = figure(differences, "b", "total_cost", "then");
    assert_near(figure(differences, "b", "total_cost", "rate"), -0.2 * then,
                1e-9);
    assert_near(figure(differences, "b", "total_cost", "price"), 0, 1e-6);
    assert_string_equal(cause_of(tree, "b", "rent_price_per_hour"), "rate");
    assert_string_equal(cause_of(tree, "a", "gpu_price"), ""); /* typed */
    cJSON_Delete(tree);
    free(rate);
    world.rates = seed_rates();
}

/* What the document pins is another grid factor than today's table has. */
static void factor_and_formula_are_causes(void **state)
{
    struct text whole, small;
    char id[23], *at, *copy;
    cJSON *tree;
    const cJSON *differences;
    sqlite3 *db;
    sqlite3_stmt *query;

    (void)state;
    assert_int_equal(save(STUDY, id), 201);
    assert_int_equal(ask("GET", "/compare.json", STUDY), 200);
    copy = kept_body();
    /* a saved factor: digits of a later edition were others then */
    at = strstr(copy, "\"grid_g_per_kwh\":{\"value\":");
    assert_non_null(at);
    at += strlen("\"grid_g_per_kwh\":{\"value\":");
    assert_true(*at > '1' && *at <= '9');
    *at = '1';
    /* a saved figure: 1 before its first digit, as an older formula gave */
    at = strstr(copy, "\"total_cost\":");
    assert_non_null(at);
    at += strlen("\"total_cost\":");
    *at = *at == '9' ? '8' : (char)(*at + 1);
    text_init(&small, 1 << 20);
    text_init(&whole, 1 << 20);
    assert_true(pack(copy, strlen(copy), &small));
    assert_int_equal(sqlite3_open(store_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "UPDATE study_part SET body = ?1"
        " WHERE name = 'json.en'", -1, &query, NULL), SQLITE_OK);
    sqlite3_bind_blob(query, 1, small.at, (int)small.byte, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(query), SQLITE_DONE);
    sqlite3_finalize(query);
    sqlite3_close(db);
    tree = then_and_now(id);
    differences = cJSON_GetObjectItem(tree, "differences");
    assert_true(fabs(figure(differences, "a", "total_cost", "formula")) > 999);
    assert_near(figure(differences, "a", "npv_cost", "factor"), 0, 1e-9);
    assert_true(figure(differences, "a", "total_kg", "factor") > 1);
    assert_string_equal(cause_of(tree, "a", "grid_g_per_kwh"), "factor");
    cJSON_Delete(tree);
    text_free(&small);
    text_free(&whole);
    free(copy);
}

/* The offer is gone: then is there all the same, and why there is no now. */
static void no_answer_today(void **state)
{
    static const struct price_table none = { .price = NULL, .count = 0 };
    static struct price_table table;
    char id[23];
    cJSON *tree;

    (void)state;
    assert_int_equal(save(STUDY, id), 201);
    table = *seed_prices();
    table.count = none.count;
    world.prices = &table;
    tree = then_and_now(id);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(tree, "now")));
    assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(tree, "problem"),
                                        "errors"));
    assert_true(total_of(cJSON_GetObjectItem(tree, "then"), "b") > 0);
    cJSON_Delete(tree);
    assert_int_equal(look(id, "", "now=1"), 200);
    assert_non_null(strstr(body(), "has no answer with today"));
}

/* -- once each -------------------------------------------------------------- */

static void same_study_same_link(void **state)
{
    char first[23], again[23], third[23], other[23], late[23], priced[23];

    (void)state;
    assert_int_equal(save(STUDY, first), 201);
    assert_int_equal(save(STUDY, again), 201);
    assert_int_equal(save(OTHER_WAY, third), 201); /* canonically the same */
    assert_string_equal(first, again);
    assert_string_equal(first, third);
    assert_int_equal(save(STUDY "&busy_frac=0.5", other), 201);
    assert_string_not_equal(first, other);
    assert_int_equal(count_of("SELECT count(*) FROM study"), 2);
    prices_change();
    assert_int_equal(save(STUDY, priced), 201); /* other data */
    assert_string_not_equal(first, priced);
    world.prices = seed_prices();
    world.today = 20261202;
    assert_int_equal(save(STUDY "&as_of=2026-12-01", late), 201);
    assert_string_not_equal(first, late); /* another day */
    assert_int_equal(count_of("SELECT count(*) FROM study"), 4);
}

/* Two writers at once: every answer is 201, equal studies get one link. */
static void savers_at_once(void **state)
{
    enum { SAVERS = 4, EACH = 12 };
    char link[SAVERS][EACH][23];
    int pipes[SAVERS][2];

    (void)state;
    for (int s = 0; s < SAVERS; s++) {
        assert_int_equal(pipe(pipes[s]), 0);
        if (fork() == 0) {
            for (int i = 0; i < EACH; i++) {
                char query[160], id[23];
                snprintf(query, sizeof query, STUDY "&samples=0&busy_frac=0.%d",
                         i + 10);
                for (int tries = 0; save(query, id) == 503; tries++)
                    if (tries == 20) /* a busy store says: again */
                        _exit(1);
                if (write(pipes[s][1], id, 23) != 23)
                    _exit(1);
            }
            _exit(0);
        }
    }
    for (int s = 0; s < SAVERS; s++) {
        int how;
        close(pipes[s][1]);
        for (int i = 0; i < EACH; i++)
            assert_int_equal(read(pipes[s][0], link[s][i], 23), 23);
        close(pipes[s][0]);
        assert_true(wait(&how) > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    for (int i = 0; i < EACH; i++) {
        for (int s = 1; s < SAVERS; s++)
            assert_string_equal(link[0][i], link[s][i]);
        assert_int_equal(look(link[0][i], ".json", ""), 200);
    }
    assert_int_equal(count_of("SELECT count(*) FROM study"), EACH);
}

/* -- nothing lost ----------------------------------------------------------- */

/* Killed in the instant after the answer, ten times over. */
static void killed_after_the_answer(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        char id[23], query[160];
        int pipes[2], how;
        pid_t child;
        assert_int_equal(pipe(pipes), 0);
        child = fork();
        if (child == 0) {
            snprintf(query, sizeof query, STUDY "&busy_frac=0.%d", i + 10);
            if (save(query, id) != 201 || write(pipes[1], id, 23) != 23)
                _exit(1);
            kill(getpid(), SIGKILL);
        }
        close(pipes[1]);
        assert_int_equal(read(pipes[0], id, 23), 23);
        close(pipes[0]);
        assert_true(waitpid(child, &how, 0) == child && WIFSIGNALED(how));
        assert_int_equal(look(id, ".json", ""), 200);
        assert_int_equal(look(id, "", "lang=zh"), 200);
    }
    assert_int_equal(count_of("SELECT count(*) FROM study"), 10);
    assert_int_equal(count_of("SELECT quick_check = 'ok' FROM"
                              " pragma_quick_check(1)"), 1);
}

static void disk_full(void **state)
{
    struct rlimit usual, tight;
    char first[23], id[23], wal[80];
    FILE *file;
    long size;

    (void)state;
    assert_int_equal(save(STUDY, first), 201);
    snprintf(wal, sizeof wal, "%s-wal", store_path);
    file = fopen(store_path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    fclose(file);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    tight = usual;
    for (rlim_t room = 0; room < 40000; room += 8000) {
        tight.rlim_cur = room; /* of the log: full at different points */
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
        int status = save(STUDY "&busy_frac=0.3", id);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
        if (status != 503 && status != 507)
            fail_msg("room %lu: %d", (unsigned long)room, status);
        assert_non_null(strstr(body(), "Nothing was saved"));
        assert_int_equal(count_of("SELECT count(*) FROM study"), 1);
    }
    assert_true(size > 0);
    assert_int_equal(look(first, ".json", ""), 200);
    assert_int_equal(save(STUDY "&busy_frac=0.3", id), 201);
    assert_int_equal(look(id, ".json", ""), 200);
}

/* Written by a program that forbids others to write (file format 1.3). */
static void read_only(void **state)
{
    char first[23], id[23];
    FILE *file;

    (void)state;
    assert_int_equal(save(STUDY, first), 201);
    sql("PRAGMA wal_checkpoint(TRUNCATE)");
    file = fopen(store_path, "r+");
    assert_non_null(file);
    fseek(file, 18, SEEK_SET);
    assert_int_equal(fputc(3, file), 3);
    fclose(file);
    assert_int_equal(save(STUDY "&busy_frac=0.3", id), 503);
    assert_non_null(strstr(header(), "Retry-After:"));
    assert_int_equal(ask("POST", "/studies", STUDY "&busy_frac=0.3"), 503);
    assert_non_null(strstr(body(), "<h1>Nothing was saved: the store cannot be "
                           "written at the moment</h1>"));
    assert_int_equal(look(first, ".json", ""), 200); /* reading goes on */
}

static void no_store(void **state)
{
    char id[23];

    (void)state;
    world.store = NULL;
    assert_int_equal(save(STUDY, id), 503);
    assert_int_equal(look("AAAAAAAAAAAAAAAAAAAAAA", "", ""), 404);
    world.store = "/nowhere/at/all.db";
    assert_int_equal(save(STUDY, id), 503);
    assert_int_equal(look("AAAAAAAAAAAAAAAAAAAAAA", "", ""), 404);
    world.store = "/dev/null";
    assert_int_equal(save(STUDY, id), 503);
}

/* Another writer that does not end is not waited for without end. */
static void busy(void **state)
{
    struct store *other;
    char why[300], id[23];

    (void)state;
    assert_int_equal(store_open(store_path, STORE_WRITE, &other, why,
                                sizeof why), GOOD);
    assert_int_equal(store_begin(other), GOOD);
    assert_int_equal(save(STUDY, id), 503);
    store_rollback(other);
    assert_int_equal(save(STUDY, id), 201);
    store_close(other);
}

static void damaged(void **state)
{
    char id[23];

    (void)state;
    assert_int_equal(save(STUDY, id), 201);
    sql("UPDATE study_part SET body = x'00ff' WHERE name = 'json.en'");
    assert_int_equal(look(id, ".json", ""), 503);
    assert_int_equal(look(id, ".txt", ""), 200);
    sql("UPDATE study_part SET whole_byte = 900000000 WHERE name = 'txt.en'");
    assert_int_equal(look(id, ".txt", ""), 503);
    sql("DELETE FROM study_part WHERE name = 'svg.en'");
    assert_int_equal(look(id, ".svg", ""), 404);
}

/* A store from before studies were saved: read as it is, then brought up. */
static void older_store(void **state)
{
    struct store *store;
    char why[300], id[23];
    int newest;

    (void)state;
    assert_int_equal(store_open(store_path, STORE_WRITE, &store, why,
                                sizeof why), GOOD);
    store_close(store);
    newest = count_of("PRAGMA user_version");
    sql(to_version_3);
    sql("DROP TABLE own_price; DROP TABLE study_part; DROP TABLE study; PRAGMA user_version = 1");
    assert_int_equal(look("AAAAAAAAAAAAAAAAAAAAAA", "", ""), 404);
    assert_int_equal(save(STUDY, id), 201);
    assert_int_equal(look(id, "", ""), 200);
    assert_int_equal(count_of("PRAGMA user_version"), newest);
}

/* -- limits ----------------------------------------------------------------- */

static void so_many_a_day(void **state)
{
    char first[23], id[23];

    (void)state;
    assert_int_equal(save(STUDY, first), 201);
    sql("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
        " WHERE i < 4999) INSERT INTO study (id, saved_day, as_of_day,"
        " model_version, query, hash) SELECT printf('%022d', i), 20261201,"
        " 20261201, '1', 'x', i FROM n");
    assert_int_equal(save(STUDY "&busy_frac=0.3", id), 507);
    assert_int_equal(save(STUDY, id), 201); /* it is there already */
    assert_string_equal(first, id);
    world.today = 20261202;
    assert_int_equal(save(STUDY "&busy_frac=0.3", id), 201);
}

static void what_may_be_asked(void **state)
{
    char id[23];
    static const char *const methods[] = { "GET", "HEAD", "PUT", "DELETE" };

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_int_equal(ask(methods[i], "/studies", STUDY), 405);
        assert_non_null(strstr(header(), "Allow: POST\r\n"));
    }
    assert_int_equal(ask_as("POST", "/studies", STUDY, "", "cross-site"), 403);
    assert_int_equal(ask_as("POST", "/studies", STUDY, "", "same-origin"), 201);
    assert_int_equal(ask("POST", "/studies.json", "gpu=h1000&busy_frac=x"),
                     400);
    assert_non_null(strstr(body(), "\"busy_frac\""));
    assert_int_equal(save(STUDY, id), 201);
    assert_int_equal(ask("POST", "/s/AAAAAAAAAAAAAAAAAAAAAA", ""), 405);
    assert_int_equal(look(id, "", "busy_frac=0.2"), 400); /* it is what it is */
    assert_int_equal(look(id, ".json", "lang=fr"), 400);
    /* nothing of who asked */
    assert_int_equal(count_of("SELECT count(*) FROM pragma_table_info('study')"
        " WHERE name NOT IN ('number', 'id', 'saved_day', 'as_of_day',"
        " 'model_version', 'query', 'hash')"), 0);
}

/* Saving does not make the readers load all prices again. */
static void saving_moves_no_prices(void **state)
{
    struct store *store;
    char why[300], id[23];
    long before, after;

    (void)state;
    assert_int_equal(save(STUDY, id), 201);
    assert_int_equal(store_open(store_path, STORE_READ, &store, why,
                                sizeof why), GOOD);
    assert_int_equal(store_version(store, &before), GOOD);
    assert_int_equal(save(STUDY "&busy_frac=0.3", id), 201);
    assert_int_equal(store_version(store, &after), GOOD);
    assert_int_equal(before, after);
    sql("UPDATE meta SET revision = revision + 1");
    assert_int_equal(store_version(store, &after), GOOD);
    assert_int_not_equal(before, after);
    store_close(store);
}

static void packed_and_whole(void **state)
{
    static char large[300000];
    struct text small, whole;

    (void)state;
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)(i * i >> 7);
    text_init(&small, 1 << 20);
    text_init(&whole, 1 << 20);
    for (size_t byte = 0; byte < sizeof large; byte = byte * 3 + 1) {
        text_reset(&small);
        text_reset(&whole);
        assert_true(pack(large, byte, &small));
        assert_true(unpack(small.at, small.byte, byte, &whole));
        assert_int_equal(whole.byte, byte);
        assert_true(byte == 0 || memcmp(whole.at, large, byte) == 0);
        assert_false(unpack(small.at, small.byte, byte + 1, &whole));
        assert_false(byte > 1 && unpack(small.at, small.byte, byte - 1, &whole));
        assert_false(unpack(small.at, small.byte - 1, byte, &whole));
    }
    assert_false(pack(large, PACK_WHOLE_BYTE_MAX + 1, &small));
    text_free(&small);
    text_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ids_are_random, fresh),
        cmocka_unit_test_setup(hostile_ids, fresh),
        cmocka_unit_test_setup(digits_stay, fresh),
        cmocka_unit_test_setup(document_is_the_answer, fresh),
        cmocka_unit_test_setup(languages, fresh),
        cmocka_unit_test_setup(page_of_a_saved_study, fresh),
        cmocka_unit_test_setup(price_is_a_cause, fresh),
        cmocka_unit_test_setup(rate_is_a_cause, fresh),
        cmocka_unit_test_setup(factor_and_formula_are_causes, fresh),
        cmocka_unit_test_setup(no_answer_today, fresh),
        cmocka_unit_test_setup(same_study_same_link, fresh),
        cmocka_unit_test_setup(savers_at_once, fresh),
        cmocka_unit_test_setup(killed_after_the_answer, fresh),
        cmocka_unit_test_setup(disk_full, fresh),
        cmocka_unit_test_setup(read_only, fresh),
        cmocka_unit_test_setup(no_store, fresh),
        cmocka_unit_test_setup(busy, fresh),
        cmocka_unit_test_setup(damaged, fresh),
        cmocka_unit_test_setup(older_store, fresh),
        cmocka_unit_test_setup(so_many_a_day, fresh),
        cmocka_unit_test_setup(what_may_be_asked, fresh),
        cmocka_unit_test_setup(saving_moves_no_prices, fresh),
        cmocka_unit_test_setup(packed_and_whole, fresh),
    };
    int failed;

    if (!mkdtemp(folder))
        return 1;
    snprintf(store_path, sizeof store_path, "%s/x.db", folder);
    response_init(&response);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fresh(NULL);
    rmdir(folder);
    response_free(&response);
    return failed;
}
