/* csv.c: the push reader of csv.h. A line is gathered whole in one bounded
   buffer, then cut in place; what the fields mean is the caller's. */
#include "pricing/csv.h"

#include <stdlib.h>
#include <string.h>

struct csv {
    csv_use *use;
    void *context;
    enum csv_fault fault;
    long line, first_line;  /* reached; where the gathered row began */
    size_t byte;            /* gathered so far */
    int open;               /* inside quotes at the end of what is gathered */
    char text[CSV_LINE_BYTE + 1];
    const char *field[CSV_FIELD_MAX];
};

struct csv *csv_open(csv_use *use, void *context)
{
    struct csv *csv = calloc(1, sizeof *csv);

    if (!csv)
        return NULL;
    csv->use = use;
    csv->context = context;
    csv->line = csv->first_line = 1;
    return csv;
}

void csv_close(struct csv *csv)
{
    free(csv);
}

long csv_line(const struct csv *csv)
{
    return csv->line;
}

const char *csv_words(enum csv_fault fault)
{
    static const char *const words[] = {
        [CSV_GOOD] = "good",
        [CSV_TOO_LONG] = "a line or field is too long",
        [CSV_TOO_MANY_FIELDS] = "a line has too many fields",
        [CSV_QUOTE] = "a quote is not closed or stands inside a field",
        [CSV_ENCODING] = "the text is not UTF-8",
        [CSV_NO_MEMORY] = "out of memory",
        [CSV_STOPPED] = "stopped",
    };
    return words[fault];
}

static int is_control(char c)
{
    unsigned char u = (unsigned char)c;

    return u < 0x20 || u == 0x7f;
}

/* Cuts one unquoted field that starts at `at`; returns its end. */
static char *cut_plain(struct csv *csv, char *at, char *end, int *control)
{
    char *stop = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;

    if (!stop)
        stop = end;
    for (char *c = at; c < stop; c++) {
        if (*c == '"')
            csv->fault = CSV_QUOTE;
        *control |= is_control(*c);
    }
    return stop;
}

/* Takes the quotes off a field whose text starts at `at`. Returns where the
   separator stands; the text ends with NUL at or before it. */
static char *cut_quoted(struct csv *csv, char *at, char *end, int *control)
{
    char *to = at;

    for (; at < end; at++) {
        if (*at == '"') {
            if (at + 1 < end && at[1] == '"') {
                at++;
            } else {
                at++;
                break;
            }
        }
        *control |= is_control(*at) && !strchr("\r\n\t", *at);
        *control |= *at == '\0';
        *to++ = *at;
    }
    if (at < end && *at != ',')
        csv->fault = CSV_QUOTE;
    *to = '\0';
    return at;
}

/* Gives out the row gathered in csv->text. */
static void give_row(struct csv *csv)
{
    char *at = csv->text, *end = csv->text + csv->byte;
    struct csv_row row = { .line = csv->first_line, .field = csv->field };

    *end = '\0';
    for (;;) {
        char *stop;

        if (row.count == CSV_FIELD_MAX) {
            csv->fault = CSV_TOO_MANY_FIELDS;
            return;
        }
        if (at < end && *at == '"') {
            csv->field[row.count++] = at + 1;
            stop = cut_quoted(csv, at + 1, end, &row.control);
        } else {
            csv->field[row.count++] = at;
            stop = cut_plain(csv, at, end, &row.control);
        }
        if (stop - at > CSV_FIELD_BYTE)
            csv->fault = CSV_TOO_LONG;
        if (csv->fault)
            return;
        if (stop >= end)
            break;
        *stop = '\0';
        at = stop + 1;
    }
    if (row.count == 1 && !csv->field[0][0] && !row.control)
        return;
    if (csv->use(csv->context, &row) && !csv->fault)
        csv->fault = CSV_STOPPED;
}

/* The first line tells another encoding apart: UTF-16 starts with a mark or
   has a NUL in every ASCII letter. */
static void look_at_start(struct csv *csv)
{
    if (csv->byte >= 2 && (!memcmp(csv->text, "\xff\xfe", 2)
                           || !memcmp(csv->text, "\xfe\xff", 2)))
        csv->fault = CSV_ENCODING;
    else if (memchr(csv->text, '\0', csv->byte))
        csv->fault = CSV_ENCODING;
    else if (csv->byte >= 3 && !memcmp(csv->text, "\xef\xbb\xbf", 3)) {
        csv->byte -= 3;
        memmove(csv->text, csv->text + 3, csv->byte);
    }
}

static void end_line(struct csv *csv)
{
    if (csv->first_line == 1)
        look_at_start(csv);
    if (csv->byte && csv->text[csv->byte - 1] == '\r')
        csv->byte--;
    if (!csv->fault)
        give_row(csv);
    csv->byte = 0;
    csv->first_line = csv->line;
}

static void gather(struct csv *csv, const char *bytes, size_t count)
{
    const char *at = bytes, *end = bytes + count, *quote;

    if (csv->byte + count > CSV_LINE_BYTE) {
        csv->fault = CSV_TOO_LONG;
        return;
    }
    memcpy(csv->text + csv->byte, bytes, count);
    csv->byte += count;
    while ((quote = memchr(at, '"', (size_t)(end - at)))) {
        csv->open = !csv->open;
        at = quote + 1;
    }
}

enum csv_fault csv_bytes(struct csv *csv, const char *bytes, size_t count)
{
    const char *end = bytes + count;

    while (bytes < end && !csv->fault) {
        const char *line = memchr(bytes, '\n', (size_t)(end - bytes));

        gather(csv, bytes, (size_t)((line ? line : end) - bytes));
        if (!line || csv->fault)
            break;
        csv->line++;
        if (csv->open)
            gather(csv, "\n", 1);
        else
            end_line(csv);
        bytes = line + 1;
    }
    return csv->fault;
}

enum csv_fault csv_end(struct csv *csv, int *whole)
{
    *whole = csv->byte == 0;
    if (csv->fault)
        return csv->fault;
    if (csv->open)
        csv->fault = CSV_QUOTE;
    else if (csv->byte)
        end_line(csv);
    return csv->fault;
}
