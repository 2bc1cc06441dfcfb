/* test_golden.c: whole studies against arithmetic and citations; see
   tests/golden/README.txt. Runs from the root of the tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/answer.h"
#include "fcgi/out_json.h"

static struct input input;
static struct answer answer;

static cJSON *ask(const char *query)
{
    static const struct world empty;
    static struct world world;
    struct text out;
    cJSON *tree;

    world = empty;
    world.prices = seed_prices();
    world.rates = seed_rates();
    world.today = 20261201;
    world.degraded_reason = "";
    input_init(&input);
    input_query(&input, query, SURFACE_QUERY);
    input_keys(&input, ON_COMPARE);
    if (!answer_run(&answer, &input, &world, ""))
        fail_msg("%s: %s in\n%s", input.problems.problem[0].field,
                 input.problems.problem[0].code, query);
    text_init(&out, 1 << 24);
    out_json(&answer, &out);
    tree = cJSON_Parse(out.at);
    text_free(&out);
    assert_non_null(tree);
    return tree;
}

static const cJSON *look_up(const cJSON *at, const char *path)
{
    char name[64];

    while (at && *path) {
        size_t length = strcspn(path, ".");
        assert_true(length < sizeof name);
        memcpy(name, path, length);
        name[length] = '\0';
        at = cJSON_IsArray(at) ? cJSON_GetArrayItem(at, atoi(name))
                               : cJSON_GetObjectItemCaseSensitive(at, name);
        path += length + (path[length] == '.');
    }
    if (cJSON_IsObject(at)) /* an input: its value */
        at = cJSON_GetObjectItemCaseSensitive(at, "value");
    return at;
}

static void expect(const cJSON *tree, const char *query, const char *path,
                   const char *expected, double tolerance)
{
    const cJSON *found = look_up(tree, path);
    char *end;
    double number = strtod(expected, &end);

    if (!found)
        fail_msg("no %s in\n%s", path, query);
    if (*end == '\0') {
        if (!cJSON_IsNumber(found) ||
            !(fabs(found->valuedouble - number) <= tolerance))
            fail_msg("%s is %.12g, not %s, in\n%s", path, found->valuedouble,
                     expected, query);
    } else if (cJSON_IsString(found)) {
        assert_string_equal(found->valuestring, expected);
    } else if (!(cJSON_IsNull(found) && strcmp(expected, "null") == 0) &&
               !(cJSON_IsTrue(found) && strcmp(expected, "true") == 0)) {
        fail_msg("%s is not %s in\n%s", path, expected, query);
    }
}

static void run_file(const char *path)
{
    static char line[8192], query[8192];
    FILE *file = fopen(path, "r");
    cJSON *tree = NULL;
    int count = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char name[128], expected[64];
        double tolerance;
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "query = ", 8) == 0) {
            cJSON_Delete(tree);
            memcpy(query, line + 8, strlen(line + 8) + 1);
            tree = ask(query);
        } else if (line[0] != '#' && line[0] != '\0') {
            if (sscanf(line, "%127s %63s %lf", name, expected, &tolerance) != 3
                || !strchr(line, '#') || !tree)
                fail_msg("cannot read: %s", line);
            expect(tree, query, name, expected, tolerance);
            count++;
        }
    }
    cJSON_Delete(tree);
    fclose(file);
    assert_true(count > 0);
}

static void contract(void **state) { (void)state; run_file("tests/golden/contract.txt"); }
static void peers(void **state) { (void)state; run_file("tests/golden/peers.txt"); }
static void energy(void **state) { (void)state; run_file("tests/golden/energy.txt"); }
static void finance(void **state) { (void)state; run_file("tests/golden/finance.txt"); }
static void prices(void **state) { (void)state; run_file("tests/golden/prices.txt"); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contract), cmocka_unit_test(peers),
        cmocka_unit_test(energy), cmocka_unit_test(finance),
        cmocka_unit_test(prices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
