/* test_multipart.c: forms with files, in pieces of every size, broken, and
   with bodies that look like boundaries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/multipart.h"

/* What came out: "name{bytes}name{bytes}". */
struct heard { char text[4000]; size_t byte; int open; };

static void put(struct heard *heard, const char *at, size_t byte)
{
    assert_true(heard->byte + byte < sizeof heard->text);
    memcpy(heard->text + heard->byte, at, byte);
    heard->byte += byte;
    heard->text[heard->byte] = '\0';
}

static void part(void *context, const char *name)
{
    struct heard *heard = context;

    if (heard->open)
        put(heard, "}", 1);
    heard->open = 1;
    put(heard, name, strlen(name));
    put(heard, "{", 1);
}

static void bytes(void *context, const char *at, size_t byte)
{
    assert_true(byte > 0);
    put(context, at, byte);
}

static const char type[] = "multipart/form-data; boundary=\"b-1\"";

/* 1 when it was whole; every piece lies in memory of its own. */
static int hear(struct heard *heard, const char *body, size_t byte,
                size_t piece)
{
    struct multipart form;
    struct multipart_use use = { part, bytes, heard };
    int good = 1;

    memset(&form, 0xA5, sizeof form);
    heard->byte = 0;
    heard->text[0] = '\0';
    heard->open = 0;
    assert_int_equal(multipart_begin(&form, type, &use), 1);
    for (size_t at = 0; at < byte; at += piece) {
        size_t n = byte - at < piece ? byte - at : piece;
        char *copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, body + at, n);
        good &= multipart_bytes(&form, copy, n);
        free(copy);
    }
    if (heard->open)
        put(heard, "}", 1);
    return good && multipart_end(&form);
}

static void forms(void **state)
{
    static const struct { const char *body, *want; } run[] = {
        { "--b-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n"
          "--b-1--\r\n", "a{x}" },
        { "--b-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n"
          "--b-1--", "a{}" },
        { "to be passed over\r\n--b-1\r\n"
          "content-disposition: form-data; filename=\"name=.csv\"; "
          "name=\"file\"\r\nContent-Type: text/csv\r\n\r\n1,2\r\n3,4\r\n\r\n"
          "--b-1 \r\nContent-Disposition: form-data; name=\"b\"\r\n\r\ny\r\n"
          "--b-1--\r\nand so is this", "file{1,2\r\n3,4\r\n}b{y}" },
        { "--b-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
          "\r\n--b-\r\n\r\n--b\r--b-1\r\r\n-\r\n--b-1--",
          "a{\r\n--b-\r\n\r\n--b\r--b-1\r\r\n-}" },
        { "--b-1\r\n\r\nno header\r\n--b-1--", "{no header}" },
        { "--b-1--", "" },
    };
    struct heard heard;

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        size_t byte = strlen(run[i].body);
        for (size_t piece = 1; piece <= byte; piece++) {
            if (!hear(&heard, run[i].body, byte, piece))
                fail_msg("form %zu in pieces of %zu", i, piece);
            assert_string_equal(heard.text, run[i].want);
        }
    }
}

static void broken(void **state)
{
    static const char *const run[] = {
        "", "--b-1", "--b-1\r\n", "--b-1-", "--b-2\r\n\r\nx\r\n--b-2--",
        "--b-1x\r\n\r\n", "--b-1\rx\r\n", "--b-1-x",
        "--b-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx",
        "--b-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\n--b-1--",
    };
    struct heard heard;
    char *long_header = malloc(3000);

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        for (size_t piece = 1; piece < 5; piece++)
            if (hear(&heard, run[i], strlen(run[i]), piece))
                fail_msg("form %zu is whole", i);
    assert_non_null(long_header);
    memset(long_header, 'x', 3000);
    memcpy(long_header, "--b-1\r\n", 7);
    assert_false(hear(&heard, long_header, 3000, 100));
    free(long_header);
}

static void boundaries(void **state)
{
    static const struct { const char *type; int good; } run[] = {
        { "multipart/form-data; boundary=x", 1 },
        { "multipart/form-data; charset=utf-8; boundary=\"a b\"", 1 },
        { "multipart/form-data", 0 }, { "multipart/form-data; boundary=", 0 },
        { "multipart/form-data; boundary=\"\"", 0 },
        { "multipart/form-data; boundary="
          "1234567890123456789012345678901234567890123456789012345678901234567890", 1 },
        { "multipart/form-data; boundary="
          "12345678901234567890123456789012345678901234567890123456789012345678901", 0 },
    };
    struct multipart form;
    struct heard heard;
    struct multipart_use use = { part, bytes, &heard };

    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        if (multipart_begin(&form, run[i].type, &use) != run[i].good)
            fail_msg("%s", run[i].type);
}

/* Random bytes made of what matters: pieces make no difference. */
static void random_forms(void **state)
{
    static const char *const bits[] = { "\r\n", "--b-1", "--", "\r", "\n", "x",
        "\r\n--b-1\r\n", "name=\"a\"", "\r\n\r\n", "\r\n--b-", "-", " " };
    static struct heard one, other;
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char body[600] = "--b-1\r\n";
        size_t byte = round % 3 ? 7 : 0;
        int a, b;
        while (byte < 400) {
            const char *bit;
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            bit = bits[(seed >> 33) % (sizeof bits / sizeof *bits)];
            memcpy(body + byte, bit, strlen(bit));
            byte += strlen(bit);
        }
        a = hear(&one, body, byte, byte);
        b = hear(&other, body, byte, 1 + (size_t)(seed >> 40) % 9);
        assert_int_equal(a, b);
        assert_string_equal(one.text, other.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms), cmocka_unit_test(broken),
        cmocka_unit_test(boundaries), cmocka_unit_test(random_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
