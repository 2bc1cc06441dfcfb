/* input.c: from text to a study. Splitting and decoding first, then each
   entry through the field table; the joins are left to resolve.c. */
#include "fcgi/input.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "energy/device.h"
#include "fcgi/json_check.h"
#include "pricing/utf8.h"
#include "pricing/grant.h"
#include "pricing/num.h"
#include "pricing/resolve.h"

enum { ECHO_LENGTH_MAX = 32 };

void input_init(struct input *input)
{
    input->entry_count = 0;
    input->problems.count = input->problems.more = 0;
    input->arena_used = 0;
    input->ranges.count = 0;
    input->of_run.known = 0;
    input->also = 0;
    for (int i = 0; i < KEY_COUNT; i++) {
        input->key_value[i] = 0;
        input->key_text[i] = "";
        input->key_typed[i] = 0;
    }
}

void input_echo(char out[48], const char *key, size_t length)
{
    size_t count = 0;

    for (size_t at = 0; at < length; ) {
        size_t each = utf8_length(key + at, length - at);
        if (count == ECHO_LENGTH_MAX) {
            memcpy(out + count, "...", 4);
            return;
        }
        out[count++] = each == 1 && key[at] >= ' ' && key[at] < 127
                     ? key[at] : '?';
        at += each ? each : 1;
    }
    out[count] = '\0';
}

static void complain(struct input *input, const struct entry *entry,
                     const char *code, const char *limit, const char *hint)
{
    char field[48];

    input_echo(field, entry->key, entry->key_length);
    problem_add(&input->problems, field, code, limit, hint);
}

/* --- entries ------------------------------------------------------------- */

static char *arena_take(struct input *input, size_t byte)
{
    char *at;

    if (byte > ARENA_BYTE_MAX - input->arena_used)
        return NULL;
    at = input->arena + input->arena_used;
    input->arena_used += byte;
    return at;
}

/* A new entry with empty key and value, or NULL past the limit, which is
   said once. */
static struct entry *entry_add(struct input *input, enum surface surface)
{
    struct entry *entry;
    char limit[16];

    if (input->entry_count == ENTRY_MAX) {
        for (int i = 0; i < input->problems.count; i++)
            if (strcmp(input->problems.problem[i].code, "too_many_keys") == 0)
                return NULL;
        snprintf(limit, sizeof limit, "%d", ENTRY_MAX);
        problem_add(&input->problems, "", "too_many_keys", limit, "");
        return NULL;
    }
    entry = &input->entry[input->entry_count++];
    memset(entry, 0, sizeof *entry);
    entry->surface = surface;
    entry->key = entry->value = "";
    return entry;
}

static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Decodes %XX and + into the arena. A bad escape is kept as it stands and
   *code set. */
static const char *decode(struct input *input, const char *text, size_t length,
                          size_t *decoded, const char **code)
{
    char *to = arena_take(input, length + 1);
    size_t count = 0;

    *decoded = 0;
    if (!to)
        return "";
    for (size_t at = 0; at < length; at++) {
        int high, low;
        if (text[at] != '%') {
            to[count++] = text[at] == '+' ? ' ' : text[at];
            continue;
        }
        high = at + 1 < length ? hex_of(text[at + 1]) : -1;
        low = at + 2 < length ? hex_of(text[at + 2]) : -1;
        if (high < 0 || low < 0) {
            *code = "bad_escape";
            to[count++] = '%';
            continue;
        }
        to[count++] = (char)(high * 16 + low);
        at += 2;
    }
    to[count] = '\0';
    *decoded = count;
    return to;
}

static void check_text(struct entry *entry)
{
    const char *code = utf8_check(entry->key, entry->key_length);

    if (!code)
        code = utf8_check(entry->value, entry->value_length);
    if (code && !entry->code)
        entry->code = code;
}

/* A byte order mark in front of a key is an unknown key like any other. */
static int starts_with_bom(const struct entry *entry)
{
    return entry->key_length >= 3 && memcmp(entry->key, "\xEF\xBB\xBF", 3) == 0;
}

void input_query(struct input *input, const char *text, enum surface surface)
{
    while (*text) {
        size_t length = strcspn(text, "&");
        const char *equals = memchr(text, '=', length);
        size_t key_length = equals ? (size_t)(equals - text) : length;
        struct entry *entry;

        if (length > 0) {
            entry = entry_add(input, surface);
            if (!entry)
                return;
            entry->key = decode(input, text, key_length, &entry->key_length,
                                &entry->code);
            if (equals)
                entry->value = decode(input, equals + 1,
                                      length - key_length - 1,
                                      &entry->value_length, &entry->code);
            else
                entry->code = "no_value";
            check_text(entry);
            if (starts_with_bom(entry))
                entry->code = NULL;
        }
        text += length + (text[length] == '&');
    }
}

void input_arguments(struct input *input, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        struct entry *entry = entry_add(input, SURFACE_CLI);
        const char *text = argv[i], *equals;
        char *key;
        int dashed = strncmp(text, "--", 2) == 0;

        if (!entry)
            return;
        text += dashed ? 2 : 0;
        equals = strchr(text, '=');
        entry->key_length = equals ? (size_t)(equals - text) : strlen(text);
        key = arena_take(input, entry->key_length + 1);
        if (!key)
            return;
        for (size_t at = 0; at < entry->key_length; at++)
            key[at] = dashed && text[at] == '-' ? '_' : text[at];
        key[entry->key_length] = '\0';
        entry->key = key;
        if (equals)
            entry->value = equals + 1;
        else if (dashed && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0)
            entry->value = argv[++i];
        else
            entry->code = "no_value";
        entry->value_length = strlen(entry->value);
        check_text(entry);
    }
}

/* --- JSON bodies ------------------------------------------------------------ */

struct body {
    struct input *input;
    const char *text;
    struct json_number number[ENTRY_MAX];
    size_t number_at;
};

static const char *keep(struct input *input, const char *text, size_t length)
{
    char *to = arena_take(input, length + 1);

    if (!to)
        return "";
    memcpy(to, text, length);
    to[length] = '\0';
    return to;
}

/* The library reads \u0000 as the end of the text; \u0001 is refused just
   the same, and seen. */
static void show_zeros(char *text, size_t byte)
{
    for (size_t at = 0; at + 1 < byte; at++) {
        if (text[at] != '\\')
            continue;
        if (byte - at >= 6 && memcmp(text + at, "\\u0000", 6) == 0)
            text[at + 5] = '1';
        at++;
    }
}

void input_pair(struct input *input, const char *key, const char *value,
                enum surface surface)
{
    struct entry *entry = entry_add(input, surface);

    if (!entry)
        return;
    entry->key_length = strlen(key);
    entry->value_length = strlen(value);
    entry->key = keep(input, key, entry->key_length);
    entry->value = keep(input, value, entry->value_length);
    check_text(entry);
}

static void body_number(struct body *body, struct entry *entry)
{
    struct json_number *number = &body->number[body->number_at++];

    entry->type = ENTRY_NUMBER;
    entry->value = keep(body->input, body->text + number->at, number->length);
    entry->value_length = number->length;
}

/* Numbers inside values of the wrong type still use up their places. */
static void skip_numbers(struct body *body, const cJSON *item)
{
    const cJSON *child;

    if (cJSON_IsNumber(item))
        body->number_at++;
    cJSON_ArrayForEach(child, item)
        skip_numbers(body, child);
}

/* [low, high] of a range, as the query writes it. */
static int body_range(struct body *body, const cJSON *item, struct entry *entry)
{
    size_t first = body->number_at, length;
    char *to;

    if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2 ||
        !cJSON_IsNumber(cJSON_GetArrayItem(item, 0)) ||
        !cJSON_IsNumber(cJSON_GetArrayItem(item, 1)))
        return 0;
    body->number_at += 2;
    length = body->number[first].length + body->number[first + 1].length + 1;
    to = arena_take(body->input, length + 1);
    if (!to)
        return 0;
    memcpy(to, body->text + body->number[first].at, body->number[first].length);
    to[body->number[first].length] = ',';
    memcpy(to + body->number[first].length + 1,
           body->text + body->number[first + 1].at,
           body->number[first + 1].length);
    to[length] = '\0';
    entry->value = to;
    entry->value_length = length;
    return 1;
}

static void body_member(struct body *body, const char *prefix,
                        const cJSON *item)
{
    struct entry *entry = entry_add(body->input, SURFACE_JSON);
    size_t prefix_length = strlen(prefix), length = strlen(item->string);
    char *key;

    if (!entry) {
        skip_numbers(body, item);
        return;
    }
    key = arena_take(body->input, prefix_length + length + 1);
    if (!key)
        return;
    memcpy(key, prefix, prefix_length);
    memcpy(key + prefix_length, item->string, length + 1);
    entry->key = key;
    entry->key_length = prefix_length + length;
    if (cJSON_IsNumber(item)) {
        body_number(body, entry);
    } else if (cJSON_IsString(item)) {
        entry->value_length = strlen(item->valuestring);
        entry->value = keep(body->input, item->valuestring,
                            entry->value_length);
    } else if (strcmp(prefix, "range.") != 0 ||
               !body_range(body, item, entry)) {
        entry->type = ENTRY_WRONG_TYPE;
        entry->value = cJSON_IsTrue(item) ? "true" : "";
        skip_numbers(body, item);
    }
    check_text(entry);
}

static int is_group(const cJSON *item)
{
    const char *name = item->string;

    return cJSON_IsObject(item) &&
           (strcmp(name, "range") == 0 || strcmp(name, "config") == 0 ||
            (name[0] >= 'a' && name[0] < 'a' + OPTION_MAX && !name[1]));
}

static void body_members(struct body *body, const cJSON *tree)
{
    const cJSON *item, *member;
    char prefix[8];

    cJSON_ArrayForEach(item, tree) {
        if (!is_group(item)) {
            body_member(body, "", item);
            continue;
        }
        snprintf(prefix, sizeof prefix, "%s.", item->string);
        cJSON_ArrayForEach(member, item)
            body_member(body, prefix, member);
    }
}

void input_json(struct input *input, const char *text, size_t byte)
{
    struct body body = { .input = input };
    enum json_fault fault;
    size_t fault_at = 0;
    char limit[32];
    cJSON *tree;

    fault = json_check(text, byte, JSON_DEPTH_MAX, body.number, ENTRY_MAX,
                       &fault_at);
    snprintf(limit, sizeof limit, "offset %zu", fault_at);
    if (fault != JSON_GOOD) {
        problem_add(&input->problems, fault == JSON_TOO_MANY ? "" : "body",
                    fault == JSON_BAD ? "bad_json" :
                    fault == JSON_TOO_DEEP ? "too_deep" : "too_many_keys",
                    limit, "");
        return;
    }
    {
        char *copy = arena_take(input, byte + 1);
        if (!copy) {
            problem_add(&input->problems, "body", "too_long", "", "");
            return;
        }
        memcpy(copy, text, byte);
        copy[byte] = '\0';
        show_zeros(copy, byte);
        body.text = copy;
    }
    tree = cJSON_ParseWithLength(body.text, byte);
    if (!tree)
        problem_add(&input->problems, "body", "bad_json", limit, "");
    else if (!cJSON_IsObject(tree))
        problem_add(&input->problems, "body", "wrong_type", "object", "");
    else
        body_members(&body, tree);
    cJSON_Delete(tree);
}

/* --- keys of keys.def --------------------------------------------------------- */

struct key_row {
    const char *name, *type, *choices;
    double preset, min, max;
    const char *preset_text;
    unsigned where;
};

#define PRESET_NUMBER_WHOLE(x) x
#define PRESET_NUMBER_NUMBER(x) x
#define PRESET_NUMBER_CHOICE(x) 0
#define PRESET_NUMBER_TEXT(x) 0
#define PRESET_TEXT_WHOLE(x) ""
#define PRESET_TEXT_NUMBER(x) ""
#define PRESET_TEXT_CHOICE(x) x
#define PRESET_TEXT_TEXT(x) x
static const struct key_row key_table[KEY_COUNT] = {
#define KEY(name, type, preset, min, max, choices, where)                   \
    { #name, #type, choices, PRESET_NUMBER_##type(preset), min, max,        \
      PRESET_TEXT_##type(preset), where },
#define KEY_AS(id, name, type, preset, min, max, choices, where)            \
    { name, #type, choices, PRESET_NUMBER_##type(preset), min, max,         \
      PRESET_TEXT_##type(preset), where },
#include "fcgi/keys.def"
};

static int key_find(const struct entry *entry, unsigned where)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if ((key_table[i].where & where) &&
            strlen(key_table[i].name) == entry->key_length &&
            memcmp(key_table[i].name, entry->key, entry->key_length) == 0)
            return i;
    return -1;
}

static int is_untyped(struct input *input, const struct entry *entry)
{
    if (entry->value_length > 0 || entry->type == ENTRY_WRONG_TYPE)
        return 0;
    if (entry->surface == SURFACE_JSON || entry->surface == SURFACE_CLI)
        complain(input, entry, "empty", "", "");
    return 1;
}

/* Reads a number within limits. 1 when *out is written. */
static int read_number(struct input *input, const struct entry *entry,
                       int percent, int whole, double min, double max,
                       double *out)
{
    enum num_status status;
    char limit[NUM_TEXT_BYTE];
    double value = 0;

    if (entry->surface == SURFACE_JSON && entry->type != ENTRY_NUMBER) {
        complain(input, entry, "wrong_type", "number", "");
        return 0;
    }
    status = num_read(entry->value, entry->value_length,
                      percent && entry->surface != SURFACE_JSON, &value);
    if (status != NUM_GOOD) {
        complain(input, entry, num_code(status), "", "");
    } else if (whole && floor(value) < value) {
        complain(input, entry, "not_an_integer", "", "");
    } else if (value < min) {
        num_print(limit, min);
        complain(input, entry, "below_min", limit, "");
    } else if (value > max) {
        num_print(limit, max);
        complain(input, entry, "above_max", limit, "");
    } else {
        *out = value;
        return 1;
    }
    return 0;
}

static int wants_text(struct input *input, const struct entry *entry)
{
    if (entry->type == ENTRY_TEXT)
        return 1;
    complain(input, entry, "wrong_type", "text", "");
    return 0;
}

static const char *choice_hint(const char *choices, const char *word,
                               size_t length, char *hint, size_t room)
{
    size_t each, best = 3;

    hint[0] = '\0';
    for (int i = 0; ; i++) {
        const char *at = choice_word(choices, i, &each);
        size_t d;
        if (each == 0)
            return hint;
        d = edit_distance(word, length, at, each, best);
        if (d < best && each < room) {
            best = d;
            memcpy(hint, at, each);
            hint[each] = '\0';
        }
    }
}

static int read_choice(struct input *input, const struct entry *entry,
                       const char *choices)
{
    char hint[NAME_BYTE_MAX];
    int at;

    if (!wants_text(input, entry))
        return -1;
    if (entry->value_length > NUM_LENGTH_MAX) {
        complain(input, entry, "too_long", "64", "");
        return -1;
    }
    at = choice_find(choices, entry->value, entry->value_length);
    if (at < 0)
        complain(input, entry, "not_in_list", choices,
                 choice_hint(choices, entry->value, entry->value_length, hint,
                             sizeof hint));
    return at;
}

static int ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);

    return n >= e && strcmp(name + n - e, end) == 0;
}

static void take_key(struct input *input, const struct entry *entry, int key)
{
    const struct key_row *row = &key_table[key];

    if (is_untyped(input, entry))
        return;
    if (row->type[0] == 'C') {
        int at = read_choice(input, entry, row->choices);
        if (at < 0)
            return;
        input->key_value[key] = at;
    } else if (row->type[0] == 'T') {
        if (!wants_text(input, entry))
            return;
        input->key_text[key] = entry->value;
    } else if (!read_number(input, entry, ends_with(row->name, "_frac"),
                            row->type[0] == 'W', row->min, row->max,
                            &input->key_value[key])) {
        return;
    }
    input->key_typed[key] = 1;
}

/* The second of two equal keys is a mistake, whatever it says. */
static void find_repeats(struct input *input)
{
    for (int i = 1; i < input->entry_count; i++) {
        struct entry *entry = &input->entry[i];
        for (int k = 0; k < i; k++) {
            const struct entry *before = &input->entry[k];
            if (before->key_length != entry->key_length ||
                memcmp(before->key, entry->key, entry->key_length) != 0)
                continue;
            if (entry->key_length > 0 && !entry->used)
                complain(input, entry, "repeated_key", "", "");
            entry->used = 1;
            break;
        }
    }
}

static void find_faults(struct input *input)
{
    for (int i = 0; i < input->entry_count; i++) {
        struct entry *entry = &input->entry[i];
        if (!entry->code || entry->used)
            continue;
        complain(input, entry, entry->code, "", "");
        entry->used = 1;
    }
}

void input_keys(struct input *input, unsigned where)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        const struct key_row *row = &key_table[i];
        input->key_text[i] = row->preset_text;
        input->key_value[i] = row->type[0] == 'C'
            ? choice_find(row->choices, row->preset_text,
                          strlen(row->preset_text))
            : row->preset;
    }
    find_repeats(input);
    find_faults(input);
    for (int i = 0; i < input->entry_count; i++) {
        struct entry *entry = &input->entry[i];
        int key = entry->used ? -1 : key_find(entry, where | input->also);
        if (key < 0)
            continue;
        entry->used = 1;
        take_key(input, entry, key);
    }
}

/* --- declarations --------------------------------------------------------------- */

struct reader {
    struct input *input;
    const struct world *world;
    struct study *study;
};

static struct option *option_of(const struct reader *r, char letter)
{
    return &r->study->option[letter - 'a'];
}

enum { SEGMENT_MAX = 6 };

static int split_segments(const char *text, const char *segment[SEGMENT_MAX],
                          size_t length[SEGMENT_MAX])
{
    int count = 0;

    for (;;) {
        size_t each = strcspn(text, "/");
        if (count == SEGMENT_MAX)
            return count + 1;
        segment[count] = text;
        length[count++] = each;
        if (text[each] == '\0')
            return count;
        text += each + 1;
    }
}

/* Lets a declaration's segment stand for "b.instance=…": an entry of its
   own, so that every check and message is the usual one. */
static void declare_field(const struct reader *r, char letter, int field,
                          const char *text, size_t length,
                          enum surface surface)
{
    struct entry *entry = entry_add(r->input, surface);
    char key[40];
    int key_length;

    if (!entry)
        return;
    key_length = snprintf(key, sizeof key, "%c.%s", letter,
                          field_table[field].name);
    entry->key = keep(r->input, key, (size_t)key_length);
    entry->key_length = (size_t)key_length;
    entry->value = keep(r->input, text, length);
    entry->value_length = length;
    /* A query's segment that is empty is a mistake, not "not typed". */
    entry->surface = surface == SURFACE_JSON ? SURFACE_QUERY : surface;
    if (length == 0)
        entry->code = "empty";
}

static void declare_fields(const struct reader *r, const struct entry *entry,
                           const int *field, int field_count, int needed,
                           const char **segment, const size_t *length,
                           int segment_count)
{
    if (segment_count < needed || segment_count > field_count) {
        complain(r->input, entry, "bad_option", "", "");
        return;
    }
    for (int i = 0; i < segment_count; i++)
        declare_field(r, entry->key[0], field[i], segment[i], length[i],
                      entry->surface);
}

static void declare_own(const struct reader *r, const struct entry *entry,
                        const char **segment, const size_t *length, int count)
{
    static const int with_gpu[] = { F_gpu, F_gpu_count, F_machine_count };
    static const int with_server[] = { F_server, F_machine_count };
    char id[NAME_BYTE_MAX] = "";

    if (count == 0)
        return;
    if (length[0] < sizeof id) {
        memcpy(id, segment[0], length[0]);
        id[length[0]] = '\0';
    }
    if (server_find(id))
        declare_fields(r, entry, with_server, 2, 1, segment, length, count);
    else
        declare_fields(r, entry, with_gpu, 3, 2, segment, length, count);
}

static void declare_rent(const struct reader *r, const struct entry *entry,
                         const char **segment, const size_t *length, int count)
{
    static const int fields[] = { F_provider, F_instance, F_region, F_term,
                                  F_payment };

    if (count > 0)
        declare_fields(r, entry, fields, 5, 4, segment, length, count);
}

static void set_kind(const struct reader *r, const struct entry *entry,
                     const char *word, size_t length)
{
    struct option *o = option_of(r, entry->key[0]);

    if (o->declared) {
        complain(r->input, entry, "repeated_key", "", "");
        return;
    }
    o->declared = 1;
    if (length == 3 && memcmp(word, "own", 3) == 0)
        o->kind = KIND_OWN;
    else if (length == 4 && memcmp(word, "rent", 4) == 0)
        o->kind = KIND_RENT;
    else
        complain(r->input, entry, "not_in_list", "own rent", "");
}

static int is_letter_key(const struct entry *entry)
{
    return entry->key_length >= 1 && entry->key[0] >= 'a' &&
           entry->key[0] < 'a' + OPTION_MAX &&
           (entry->key_length == 1 || strcmp(entry->key + 1, ".kind") == 0);
}

static void read_declaration(const struct reader *r, struct entry *entry)
{
    const char *segment[SEGMENT_MAX];
    size_t length[SEGMENT_MAX];
    int count;

    entry->used = 1;
    if (is_untyped(r->input, entry) || !wants_text(r->input, entry))
        return;
    count = split_segments(entry->value, segment, length);
    set_kind(r, entry, segment[0], length[0]);
    if (entry->key_length > 1 ? count > 1 : count > SEGMENT_MAX) {
        complain(r->input, entry, "bad_option", "", "");
        return;
    }
    if (option_of(r, entry->key[0])->kind == KIND_OWN)
        declare_own(r, entry, segment + 1, length + 1, count - 1);
    else
        declare_rent(r, entry, segment + 1, length + 1, count - 1);
}

static void read_declarations(const struct reader *r)
{
    int count = r->input->entry_count;
    struct study *study = r->study;

    for (int i = 0; i < count; i++)
        if (!r->input->entry[i].used && is_letter_key(&r->input->entry[i]))
            read_declaration(r, &r->input->entry[i]);
    while (study->option_count < OPTION_MAX &&
           study->option[study->option_count].declared)
        study->option_count++;
    for (int i = study->option_count; i < OPTION_MAX; i++)
        if (study->option[i].declared) {
            char key[2] = { (char)('a' + i), '\0' };
            problem_add(&r->input->problems, key, "option_gap", "", "");
        }
}

/* --- fields ----------------------------------------------------------------------- */

/* What a key means. */
struct target { int field, option, label; const char *code; };

static int all_letters(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < 'a' || text[i] > 'z')
            return 0;
    return length > 0;
}

static struct target target_of(const struct reader *r,
                               const struct entry *entry)
{
    const char *dot = memchr(entry->key, '.', entry->key_length);
    size_t prefix = dot ? (size_t)(dot - entry->key) : 0;
    const char *rest = dot ? dot + 1 : entry->key;
    size_t rest_length = entry->key_length - (dot ? prefix + 1 : 0);
    struct target t = { field_find(rest, rest_length), -1, 0, NULL };

    t.label = rest_length == 5 && memcmp(rest, "label", 5) == 0;
    if (!dot) {
        t.code = t.field < 0 && !t.label ? CODE_UNKNOWN_KEY : NULL;
        return t;
    }
    t.option = prefix == 1 ? entry->key[0] - 'a' : -1;
    if (prefix == 0 || memchr(rest, '.', rest_length)) {
        t.code = CODE_UNKNOWN_KEY;
    } else if (t.option < 0 || t.option >= OPTION_MAX) {
        t.code = all_letters(entry->key, prefix) && prefix <= 2 &&
                 (t.field >= 0 || t.label || rest_length == 0)
               ? "unknown_option" : CODE_UNKNOWN_KEY;
    } else if (t.field < 0 && !t.label) {
        t.code = CODE_UNKNOWN_KEY;
    } else if (t.option >= r->study->option_count) {
        t.code = t.option > r->study->option_count ? "option_gap"
                                                   : "unknown_option";
    } else if (t.field >= 0 &&
               field_table[t.field].applies == APPLIES_SHARED) {
        t.code = "shared_field";
    }
    return t;
}

/* 1 if a key may set the field of that option; GPUs of a rented or complete
   machine follow from it. */
static int may_set(const struct study *study, int option, int field)
{
    const struct option *o = &study->option[option];

    if (field == F_gpu || field == F_gpu_count)
        return o->kind == KIND_OWN && !o->typed[F_server];
    return option_has(option, o->kind, field);
}

static int read_value(struct reader *r, const struct entry *entry, int field,
                      double *value)
{
    const struct field *row = &field_table[field];
    const struct unit_row *unit = &unit_table[row->unit];
    double scale = unit->money ? r->study->currency_per_usd : 1;

    if (row->type == FIELD_CHOICE) {
        *value = read_choice(r->input, entry, row->choices);
        return *value >= 0;
    }
    if (row->type == FIELD_NAME) {
        if (!wants_text(r->input, entry))
            return 0;
        if (entry->value_length >= NAME_BYTE_MAX) {
            complain(r->input, entry, "too_long", "63", "");
            return 0;
        }
        *value = (double)NAN;
        return 1;
    }
    return read_number(r->input, entry,
                       row->unit == UNIT_FRAC || row->unit == UNIT_FRAC_PER_YEAR,
                       row->type == FIELD_WHOLE, row->min * scale,
                       row->max * scale, value);
}

static void store_value(struct study *study, int option, int field,
                        const struct entry *entry, double value,
                        enum typed typed)
{
    struct option *o = &study->option[option];

    if (o->typed[field] >= typed)
        return;
    o->typed[field] = (unsigned char)typed;
    o->value[field] = value;
    if (field_table[field].type == FIELD_NAME)
        memcpy(o->name[field], entry->value, entry->value_length + 1);
}

static void read_label(struct reader *r, const struct entry *entry, int option)
{
    char *to = option < 0 ? r->study->label : r->study->option[option].label;

    if (!wants_text(r->input, entry))
        return;
    if (utf8_count(entry->value, entry->value_length) > LABEL_CHARACTER_MAX)
        complain(r->input, entry, "too_long", "60", "");
    else
        memcpy(to, entry->value, entry->value_length + 1);
}

static void read_field(struct reader *r, struct entry *entry,
                       struct target t)
{
    int from = t.option < 0 ? 0 : t.option;
    int to = t.option < 0 ? r->study->option_count : t.option + 1;
    int taken = 0;
    double value;

    for (int i = from; i < to; i++)
        taken |= may_set(r->study, i, t.field);
    if (!taken) {
        complain(r->input, entry, "not_applicable", "", "");
        return;
    }
    if (!read_value(r, entry, t.field, &value))
        return;
    if (t.field == F_machine_count && value < 1 && from == 0 &&
        r->study->option[0].typed[t.field] < TYPED_PREFIXED) {
        complain(r->input, entry, "below_min", "1", "");
        return;
    }
    for (int i = from; i < to; i++)
        if (may_set(r->study, i, t.field))
            store_value(r->study, i, t.field, entry, value,
                        t.option < 0 ? TYPED_PLAIN : TYPED_PREFIXED);
}

static void unknown_key(struct input *input, const struct entry *entry)
{
    const char *dot = memchr(entry->key, '.', entry->key_length);
    size_t skip = dot ? (size_t)(dot - entry->key) + 1 : 0;
    const char *near = field_nearest(entry->key + skip,
                                     entry->key_length - skip);

    complain(input, entry, CODE_UNKNOWN_KEY, "", near ? near : "");
}

/* One sweep over the entries that are left. wanted: the field to read, or
   -1 for all; prefixed: only keys with or without an option. */
static void sweep(struct reader *r, int wanted, int prefixed)
{
    for (int i = 0; i < r->input->entry_count; i++) {
        struct entry *entry = &r->input->entry[i];
        struct target t;
        if (entry->used)
            continue;
        t = target_of(r, entry);
        if (wanted >= 0 && (t.field != wanted || t.code))
            continue;
        if (wanted < 0 && (t.option >= 0) != prefixed)
            continue;
        entry->used = 1;
        if (t.code && strcmp(t.code, CODE_UNKNOWN_KEY) == 0)
            unknown_key(r->input, entry);
        else if (t.code)
            complain(r->input, entry, t.code, "", "");
        else if (is_untyped(r->input, entry))
            continue;
        else if (t.label)
            read_label(r, entry, t.option);
        else
            read_field(r, entry, t);
    }
}

/* --- ranges ------------------------------------------------------------------------- */

/* One end of "low,high", by the limits of the field. */
static int read_end(struct reader *r, const struct entry *whole, int field,
                    const char *text, size_t length, double *out)
{
    struct entry part = *whole;
    const struct field *row = &field_table[field];
    double scale = unit_table[row->unit].money ? r->study->currency_per_usd : 1;

    part.value = text;
    part.value_length = length;
    part.type = ENTRY_NUMBER;
    return read_number(r->input, &part,
                       row->unit == UNIT_FRAC || row->unit == UNIT_FRAC_PER_YEAR,
                       0, row->min * scale, row->max * scale, out);
}

static void read_range(struct reader *r, const struct entry *entry,
                       const char *name, size_t name_length)
{
    struct typed_ranges *ranges = &r->input->ranges;
    int field = field_find(name, name_length);
    const char *comma = strchr(entry->value, ',');
    struct typed_range range = { field, 0, 0 };
    size_t length;

    if (field < 0) {
        complain(r->input, entry, CODE_UNKNOWN_KEY, "", "");
    } else if (field_table[field].type != FIELD_NUMBER) {
        complain(r->input, entry, "not_applicable", "", "");
    } else if (is_untyped(r->input, entry)) {
        return;
    } else if (entry->type != ENTRY_TEXT || !comma) {
        complain(r->input, entry, entry->type == ENTRY_TEXT ? "bad_range"
                                                            : "wrong_type",
                 "low,high", "");
    } else {
        length = (size_t)(comma - entry->value);
        if (!read_end(r, entry, field, entry->value, length, &range.low) ||
            !read_end(r, entry, field, comma + 1,
                      entry->value_length - length - 1, &range.high))
            return;
        if (range.low > range.high)
            complain(r->input, entry, "bad_range", "low,high", "");
        else if (ranges->count < TYPED_RANGE_MAX)
            ranges->range[ranges->count++] = range;
    }
}

static void read_ranges(struct reader *r)
{
    static const char prefix[] = "range.";
    size_t length = sizeof prefix - 1;

    for (int i = 0; i < r->input->entry_count; i++) {
        struct entry *entry = &r->input->entry[i];
        if (entry->used || strncmp(entry->key, prefix, length) != 0)
            continue;
        entry->used = 1;
        read_range(r, entry, entry->key + length, entry->key_length - length);
    }
}

static void share_values(struct study *study)
{
    for (int f = 0; f < FIELD_COUNT; f++) {
        if (field_table[f].applies != APPLIES_SHARED)
            continue;
        for (int i = 1; i < study->option_count; i++) {
            study->option[i].value[f] = study->option[0].value[f];
            study->option[i].typed[f] = study->option[0].typed[f];
            memcpy(study->option[i].name[f], study->option[0].name[f],
                   NAME_BYTE_MAX);
        }
    }
}

/* A funder that is asked in Chinese, when no language is typed. */
static int flavour_is_chinese(const struct input *input)
{
    int flavour = (int)input->key_value[K_grant];

    return flavour > 0 && grant_flavour_table[flavour - 1].zh;
}

void input_study(struct input *input, const struct world *world,
                 struct study *study, struct warnings *warnings)
{
    struct reader r = { input, world, study };

    study_init(study);
    study->zh = input->key_typed[K_lang] ? input->key_value[K_lang] > 0
                                         : flavour_is_chinese(input);
    study->of_run = input->of_run;
    read_declarations(&r);
    find_repeats(input);
    find_faults(input);
    sweep(&r, F_as_of, 0);
    sweep(&r, F_currency, 0);
    resolve_frame(study, world, &input->problems, warnings);
    read_ranges(&r);
    sweep(&r, F_server, 0);
    sweep(&r, -1, 1);
    sweep(&r, -1, 0);
    share_values(study);
    resolve_study(study, world, &input->problems, warnings);
}

void input_finish(struct input *input)
{
    for (int i = 0; i < input->entry_count; i++)
        if (!input->entry[i].used) {
            input->entry[i].used = 1;
            complain(input, &input->entry[i], CODE_UNKNOWN_KEY, "", "");
        }
}

const char *input_typed(const struct input *input, const char *key)
{
    for (int i = 0; i < input->entry_count; i++)
        if (strcmp(input->entry[i].key, key) == 0)
            return input->entry[i].value;
    return NULL;
}
