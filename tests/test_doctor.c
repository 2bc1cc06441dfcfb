/* test_doctor.c: what is well and what is not. */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "fcgi/doctor.h"
#include "pricing/apply.h"

static char store_name[] = "/tmp/gputco-doctor-XXXXXX";
static struct world world;

/* The member of the feed's entry, and whether all is said to be well. */
static int look(const char *feed, const char *member, char *out, size_t size)
{
    struct text text;
    cJSON *tree;
    const cJSON *row, *found = NULL;
    int good;

    text_init(&text, 1 << 20);
    good = doctor_run(&world, 1, &text);
    tree = cJSON_Parse(text.at);
    assert_non_null(tree);
    assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(tree, "good")), good);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(tree, "feeds"))
        if (strcmp(cJSON_GetObjectItem(row, "feed")->valuestring, feed) == 0)
            found = cJSON_GetObjectItem(row, member);
    assert_non_null(found);
    if (cJSON_IsString(found))
        snprintf(out, size, "%s", found->valuestring);
    else
        snprintf(out, size, "%g", found->valuedouble);
    cJSON_Delete(tree);
    text_free(&text);
    return good;
}

/* Does the report for people hold these words? */
static int says(const char *words)
{
    struct text text;
    int found;

    text_init(&text, 1 << 20);
    doctor_run(&world, 0, &text);
    found = strstr(text.at, words) != NULL;
    text_free(&text);
    return found;
}

static void states(void **state)
{
    const struct feed *feed = feed_find("skypilot-lambda");
    struct apply_run run = { .feed = feed, .address = feed->address,
                             .now = 1764547200, .day = 20251201 };
    struct apply_outcome done;
    struct store *store = NULL;
    char why[300], word[200];

    (void)state;
    world = (struct world){ .prices = seed_prices(), .rates = seed_rates(),
                            .today = 20251201, .degraded_reason = "",
                            .store = store_name };
    assert_false(look("ecb", "state", word, sizeof word)); /* no store yet */
    assert_int_equal(store_open(store_name, STORE_WRITE, &store, why,
                                sizeof why), GOOD);
    assert_true(look("skypilot-lambda", "state", word, sizeof word));
    assert_string_equal(word, "never asked");
    assert_int_equal(apply_unchanged(store, &run, &done), FEED_UNCHANGED);
    assert_true(look("skypilot-lambda", "state", word, sizeof word));
    assert_string_equal(word, "good");
    world.today = 20251208; /* seven days are its limit */
    assert_true(look("skypilot-lambda", "age_day", word, sizeof word));
    assert_string_equal(word, "7");
    world.today = 20251209;
    assert_false(look("skypilot-lambda", "state", word, sizeof word));
    assert_string_equal(word, "old");
    world.today = 20251202;
    assert_int_equal(apply_failed(store, &run, FETCH_FAILED, "no such host",
                                  0, NULL), GOOD);
    assert_false(look("skypilot-lambda", "state", word, sizeof word));
    assert_string_equal(word, "failing");
    assert_false(look("skypilot-lambda", "last_error", word, sizeof word));
    assert_string_equal(word, "no such host");
    /* an hour after the first failure it is asked again */
    assert_false(look("skypilot-lambda", "next_try", word, sizeof word));
    assert_string_equal(word, "1.76455e+09"); /* 1764547200 + 3600, as %g */
    assert_true(says("again from 2025-12-01 01:00 UTC"));
    assert_false(look("eia", "key_name", word, sizeof word));
    assert_string_equal(word, "GPUTCO_EIA_KEY");
    assert_true(says("needs GPUTCO_EIA_KEY"));
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(states) };
    char name[80];
    int fd = mkstemp(store_name), failed;

    if (fd < 0)
        return 1;
    close(fd);
    unlink(store_name);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(store_name);
    snprintf(name, sizeof name, "%s-wal", store_name);
    unlink(name);
    snprintf(name, sizeof name, "%s-shm", store_name);
    unlink(name);
    return failed;
}
