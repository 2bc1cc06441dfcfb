/* csv_body.c: finds the columns by name, so that a table that was sorted,
   cut or added to in a spreadsheet still reads. */
#include "fcgi/csv_body.h"

#include <string.h>

#include "pricing/csv.h"

enum { COLUMN_SECTION, COLUMN_NAME, COLUMN_VALUE, COLUMN_COUNT };
static const char *const column_name[COLUMN_COUNT] = { "section", "name",
                                                       "value" };

struct body_reading {
    struct input *input;
    size_t column[COLUMN_COUNT];
    int has_head, bad, asked;
};

static int find_columns(struct body_reading *reading, const struct csv_row *row)
{
    int found = 0;

    for (int k = 0; k < COLUMN_COUNT; k++)
        for (size_t i = 0; i < row->count; i++)
            if (strcmp(row->field[i], column_name[k]) == 0) {
                reading->column[k] = i;
                found++;
                break;
            }
    return found == COLUMN_COUNT;
}

/* The apostrophe that keeps a cell from being a formula (sheet.h). */
static const char *unguarded(const char *cell)
{
    const char *at = cell + strspn(cell, "'");

    return at > cell && *at && strchr("=+-@\t", *at) ? cell + 1 : cell;
}

static int take_row(void *context, const struct csv_row *row)
{
    struct body_reading *reading = context;
    const char *cell[COLUMN_COUNT];

    if (!reading->has_head) {
        reading->has_head = 1;
        reading->bad = !find_columns(reading, row);
        return reading->bad;
    }
    for (int k = 0; k < COLUMN_COUNT; k++) {
        if (reading->column[k] >= row->count)
            return 0;
        cell[k] = row->field[reading->column[k]];
    }
    if (strcmp(cell[COLUMN_SECTION], CSV_ASKED) != 0)
        return 0;
    reading->asked = 1;
    input_pair(reading->input, cell[COLUMN_NAME],
               unguarded(cell[COLUMN_VALUE]), SURFACE_FORM);
    return 0;
}

void csv_body_read(struct input *input, const char *body, size_t byte)
{
    struct body_reading reading = { .input = input };
    struct csv *csv = csv_open(take_row, &reading);
    enum csv_fault fault;
    int whole;

    if (!csv) {
        problem_add(&input->problems, "body", "too_long", "", "");
        return;
    }
    csv_bytes(csv, body, byte);
    fault = csv_end(csv, &whole);
    csv_close(csv);
    if (reading.bad || !reading.has_head)
        problem_add(&input->problems, "body", "bad_csv",
                    "section name value", "");
    else if (fault != CSV_GOOD)
        problem_add(&input->problems, "body", "bad_csv", csv_words(fault), "");
    else if (!reading.asked)
        problem_add(&input->problems, "body", "missing", CSV_ASKED, "");
}

/* --- canonical queries ------------------------------------------------ */

static int hex_of(char c)
{
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* Our own encoding: escapes are whole, a blank is %20. */
static void decode(const char *from, size_t length, char *to, size_t room)
{
    size_t used = 0;

    for (size_t at = 0; at < length && used + 1 < room; at++) {
        if (from[at] == '%' && at + 2 < length) {
            to[used++] = (char)(hex_of(from[at + 1]) * 16 +
                                hex_of(from[at + 2]));
            at += 2;
        } else {
            to[used++] = from[at];
        }
    }
    to[used] = '\0';
}

int query_pair_next(const char **at, struct query_pair *pair)
{
    size_t length = strcspn(*at, "&"), key = strcspn(*at, "=&");

    if (!length)
        return 0;
    decode(*at, key, pair->key, sizeof pair->key);
    decode(*at + key + (key < length), length - key - (key < length),
           pair->value, sizeof pair->value);
    *at += length + ((*at)[length] == '&');
    return 1;
}
