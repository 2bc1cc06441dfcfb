/* power_body.c: what was sent, in pieces, to where it belongs. */
#include "fcgi/power_body.h"

#include <math.h>
#include <string.h>

#include "fcgi/answer.h"
#include "fcgi/multipart.h"
#include "pricing/num.h"

enum { VALUE_BYTE_MAX = 4096, PIECE_BYTE = 64 * 1024 };

struct reader {
    struct input *input;
    struct power_log *log;
    struct multipart form;
    int is_form;
    int begun;                   /* the log has: its interval is settled */
    int has_bytes;               /* this part of the log is not empty */
    char name[MULTIPART_NAME_BYTE];
    int in_log;                  /* this part is the log */
    char value[VALUE_BYTE_MAX + 1];
    size_t value_byte;
};

double power_body_interval(const struct input *input)
{
    const char *typed = input_typed(input, "interval_second");
    double second;

    /* beyond the key's limits it is a mistake, said with all others */
    return typed && num_read(typed, strlen(typed), 0, &second) == NUM_GOOD &&
           second >= 0.001 && second <= 86400 ? second : NAN;
}

static void put_log(struct reader *reader, const char *at, size_t byte)
{
    if (byte == 0)
        return;
    if (!reader->begun)
        power_log_begin(reader->log, power_body_interval(reader->input));
    else if (!reader->has_bytes)
        power_log_next(reader->log);
    reader->begun = reader->has_bytes = 1;
    power_log_bytes(reader->log, at, byte);
}

/* The part before is over: a value becomes an entry. */
static void close_part(struct reader *reader)
{
    struct text pair;

    if (!*reader->name || reader->in_log)
        return;
    if (reader->begun && strcmp(reader->name, "interval_second") == 0)
        problem_add(&reader->input->problems, reader->name, "conflict",
                    "a log in front of it", "");
    reader->value[reader->value_byte] = '\0';
    text_init(&pair, 4 * (VALUE_BYTE_MAX + MULTIPART_NAME_BYTE));
    url_arg(&pair, reader->name);
    text_char(&pair, '=');
    url_arg(&pair, reader->value);
    if (!pair.failed)
        input_query(reader->input, pair.at, SURFACE_FORM);
    text_free(&pair);
    reader->name[0] = '\0';
}

static void part_begins(void *context, const char *name)
{
    struct reader *reader = context;

    close_part(reader);
    memcpy(reader->name, name, strlen(name) + 1);
    reader->in_log = strcmp(name, "log") == 0 || strcmp(name, "file") == 0;
    reader->value_byte = 0;
    reader->has_bytes = 0;
}

static void part_bytes(void *context, const char *at, size_t byte)
{
    struct reader *reader = context;

    if (reader->in_log) {
        put_log(reader, at, byte);
        return;
    }
    if (byte > VALUE_BYTE_MAX - reader->value_byte)
        byte = VALUE_BYTE_MAX - reader->value_byte;
    memcpy(reader->value + reader->value_byte, at, byte);
    reader->value_byte += byte;
}

static int starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Text of any kind, what curl calls a form when it is told nothing, and forms
   with files. */
static int settle_type(struct reader *reader, const struct request *request)
{
    static const char *const plain[] = { "text/", "application/octet-stream",
        "application/x-www-form-urlencoded", "application/csv" };
    const struct multipart_use use = { part_begins, part_bytes, reader };
    const char *encoding = request->content_encoding;

    if (*encoding && strcmp(encoding, "identity") != 0)
        return 0;
    if (starts_with(request->content_type, "multipart/form-data")) {
        reader->is_form = 1;
        return multipart_begin(&reader->form, request->content_type, &use);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (starts_with(request->content_type, plain[i]))
            return 1;
    return *request->content_type == '\0';
}

static int put_piece(struct reader *reader, const char *at, size_t byte)
{
    if (reader->is_form)
        return multipart_bytes(&reader->form, at, byte);
    put_log(reader, at, byte);
    return 1;
}

enum power_body power_body_read(const struct request *request,
                                struct input *input, struct power_log *log)
{
    struct reader reader;
    char piece[PIECE_BYTE];
    size_t byte = request->body_byte, total = byte;
    int good;

    memset(&reader, 0, sizeof reader);
    reader.input = input;
    reader.log = log;
    if (!settle_type(&reader, request))
        return POWER_BODY_TYPE;
    if (total > POWER_BODY_BYTE_MAX)
        return POWER_BODY_TOO_LONG;
    good = put_piece(&reader, request->body, byte);
    while (request->read_more && good) {
        byte = request->read_more(request->more, piece, sizeof piece);
        total += byte;
        if (total > POWER_BODY_BYTE_MAX)
            return POWER_BODY_TOO_LONG;
        good = put_piece(&reader, piece, byte);
        if (byte < sizeof piece)
            break;
    }
    if (reader.is_form) {
        close_part(&reader);
        good = good && multipart_end(&reader.form);
    }
    if (!reader.begun)
        power_log_begin(log, power_body_interval(input));
    return good ? POWER_BODY_GOOD : POWER_BODY_FORM;
}
