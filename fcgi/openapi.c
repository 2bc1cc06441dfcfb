/* openapi.c: routes, formats, fields and keys as an OpenAPI 3.1 document.
   Nothing is described here that a table does not already say. */
#include "fcgi/openapi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fcgi/input.h"
#include "fcgi/json.h"
#include "pricing/pricing.h"

enum { METHOD_GET = 1, METHOD_POST = 2 };
enum format {
#define FORMAT(id, suffix, media) FORMAT_##id,
#include "fcgi/formats.def"
    FORMAT_COUNT
};
enum {
#define FORMAT(id, suffix, media) AS_##id = 1 << FORMAT_##id,
#include "fcgi/formats.def"
    AS_NONE = 0
};
static const struct { const char *suffix, *media; } format_table[] = {
#define FORMAT(id, suffix, media) { suffix, media },
#include "fcgi/formats.def"
};
static const struct route {
    const char *path, *name, *summary;
    unsigned methods, formats, where;
} route_table[] = {
#define ROUTE(path, methods, formats, where, handler, summary) \
    { path, #handler, summary, methods, formats, where },
#include "fcgi/routes.def"
};
#define NUMBER_WHOLE(x) x
#define NUMBER_NUMBER(x) x
#define NUMBER_CHOICE(x) (double)NAN
#define NUMBER_TEXT(x) (double)NAN
#define WORD_WHOLE(x) ""
#define WORD_NUMBER(x) ""
#define WORD_CHOICE(x) x
#define WORD_TEXT(x) x
static const struct key_row {
    const char *name, *type, *choices, *word;
    double preset, min, max;
    unsigned where;
} key_table[] = {
#define KEY(name, type, preset, min, max, choices, where)                  \
    { #name, #type, choices, WORD_##type(preset), NUMBER_##type(preset),   \
      min, max, where },
#define KEY_AS(id, name, type, preset, min, max, choices, where)           \
    { name, #type, choices, WORD_##type(preset), NUMBER_##type(preset),    \
      min, max, where },
#include "fcgi/keys.def"
};
enum { ROUTE_COUNT = sizeof route_table / sizeof *route_table,
       KEY_ROWS = sizeof key_table / sizeof *key_table };

static void put_words(const char *choices, struct text *out)
{
    char word[80];
    size_t length;

    json_name(out, "enum");
    text_char(out, '[');
    for (int i = 0; ; i++) {
        const char *at = choice_word(choices, i, &length);
        if (length == 0)
            break;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        json_next(out);
        json_string(out, word);
    }
    text_char(out, ']');
}

static void put_limits(double min, double max, double preset, struct text *out)
{
    if (min < max) {
        json_pair_number(out, "minimum", min);
        json_pair_number(out, "maximum", max);
    }
    if (isfinite(preset))
        json_pair_number(out, "default", preset);
}

static void open_parameter(const char *name, const char *words,
                           struct text *out)
{
    json_next(out);
    text_char(out, '{');
    json_pair_string(out, "name", name);
    json_pair_string(out, "in", "query");
    if (*words)
        json_pair_string(out, "description", words);
    json_name(out, "schema");
    text_char(out, '{');
}

static void put_key(const struct key_row *row, struct text *out)
{
    int number = row->type[0] == 'N' || row->type[0] == 'W';

    open_parameter(row->name, "", out);
    json_pair_string(out, "type", row->type[0] == 'W' ? "integer"
                                  : number ? "number" : "string");
    if (number)
        put_limits(row->min, row->max, row->preset, out);
    else if (*row->choices)
        put_words(row->choices, out);
    if (*row->word)
        json_pair_string(out, "default", row->word);
    text_str(out, "}}");
}

static void put_field(const struct field *field, struct text *out)
{
    char words[400];
    int number = field->type == FIELD_NUMBER || field->type == FIELD_WHOLE;

    snprintf(words, sizeof words, "%s. %s%s%s%s", field->label, field->help,
             *unit_table[field->unit].shown ? " Unit: " : "",
             unit_table[field->unit].shown,
             unit_table[field->unit].money ? ", in the study's currency; "
                                             "limits are in USD." : "");
    open_parameter(field->name, words, out);
    json_pair_string(out, "type", field->type == FIELD_WHOLE ? "integer"
                                  : number ? "number" : "string");
    if (number)
        put_limits(field->min, field->max, field->preset, out);
    else if (*field->choices)
        put_words(field->choices, out);
    if (*field->text)
        json_pair_string(out, "default", field->text);
    text_str(out, "}}");
}

/* Options of a study: "a": "own/rtx-4090/4". */
static void put_options(struct text *out)
{
    for (char letter = 'a'; letter < 'a' + OPTION_MAX; letter++) {
        char name[2] = { letter, '\0' };
        open_parameter(name, "own/<gpu>/<GPUs>[/<machines>], "
                       "own/<server>[/<machines>] or rent/<provider>/"
                       "<instance>/<region>/<term>[/<payment>]. A field of "
                       "this option alone is the field's name behind this "
                       "letter and a point.", out);
        text_str(out, "\"type\":\"string\"}}");
    }
}

/* Whether an address takes the fields of a study. */
static int takes_study(unsigned where)
{
    return (where & (ON_COMPARE | ON_TRAIN)) && !(where & ON_TABLES);
}

static void put_parameters(const struct route *route, int named,
                           struct text *out)
{
    json_name(out, "parameters");
    text_char(out, '[');
    if (named)
        text_str(out, "{\"name\":\"name\",\"in\":\"path\",\"required\":true,"
                 "\"schema\":{\"type\":\"string\"}}");
    if (takes_study(route->where)) {
        put_options(out);
        for (int f = 0; f < FIELD_COUNT; f++)
            put_field(&field_table[f], out);
    }
    for (int k = 0; k < KEY_ROWS; k++)
        if (key_table[k].where & route->where)
            put_key(&key_table[k], out);
    text_char(out, ']');
}

/* What some addresses answer besides. */
static const struct { const char *route; int status; const char *words; }
    answers[] = {
    { "studies", 403, "Sent from a page of another site." },
    { "studies", 503, "The store cannot be written at the moment; nothing was "
      "saved." },
    { "studies", 507, "No more is saved today; nothing was saved." },
    { "saved", 404, "There is no such saved study, or not in this format." },
    { "saved", 503, "The store cannot be read at the moment." },
    { "saved_card", 404, "There is no such saved study." },
    { "oembed", 404, "There is no card for this address." },
    { "oembed", 501, "Neither JSON nor XML was asked for." },
    { "oembed", 503, "The server does not know its public address." },
};

static void put_further(const struct route *route, struct text *out)
{
    char status[8];

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (strcmp(answers[i].route, route->name) != 0)
            continue;
        snprintf(status, sizeof status, "%d", answers[i].status);
        json_name(out, status);
        text_char(out, '{');
        json_pair_string(out, "description", answers[i].words);
        text_char(out, '}');
    }
}

static void put_responses(const struct route *route, int format,
                          struct text *out)
{
    const char *media = route->formats ? format_table[format].media
                      : strcmp(route->name, "health") == 0 ||
                        strcmp(route->name, "metrics") == 0
                      ? "text/plain; charset=utf-8" : "application/json";

    json_name(out, "responses");
    text_str(out, strcmp(route->name, "studies") == 0
             ? "{\"201\":{\"description\":\"Saved; Location is its link.\","
               "\"content\":{"
             : "{\"200\":{\"description\":\"The answer.\",\"content\":{");
    json_name(out, media);
    text_str(out, "{}}},\"304\":{\"description\":\"The version asked with "
             "If-None-Match is still right.\"},\"400\":{\"$ref\":"
             "\"#/components/responses/problem\"}");
    put_further(route, out);
    text_char(out, '}');
}

static void put_operation(const struct route *route, const char *method,
                          int format, int named, struct text *out)
{
    char id[64];

    snprintf(id, sizeof id, "%s_%s%s_%s", method, route->name,
             named ? "_one" : "",
             route->formats ? format_table[format].suffix : "plain");
    json_name(out, method);
    text_char(out, '{');
    json_pair_string(out, "operationId", id);
    json_pair_string(out, "summary", route->summary);
    if (strcmp(method, "post") == 0 && route->where == ON_POWER) {
        json_name(out, "requestBody");
        text_str(out, "{\"required\":true,\"description\":\"The log, up to "
                 "16 MiB, as it is or as the part log or file of a form. In "
                 "front of it a form may name interval_second and any key of "
                 "/compare; with plain text they stand in the address.\","
                 "\"content\":{\"text/csv\":{\"schema\":{\"type\":"
                 "\"string\"}},\"text/plain\":{\"schema\":{\"type\":"
                 "\"string\"}},\"multipart/form-data\":{\"schema\":{\"type\":"
                 "\"object\",\"properties\":{\"interval_second\":{\"type\":"
                 "\"number\"},\"gpu\":{\"type\":\"string\"},\"file\":{},"
                 "\"log\":{\"type\":\"string\"}}}}}}");
    } else if (strcmp(method, "post") == 0) {
        json_name(out, "requestBody");
        text_str(out, "{\"required\":true,\"content\":{\"application/json\":"
                 "{\"schema\":{\"type\":\"object\"}},"
                 "\"application/x-www-form-urlencoded\":{\"schema\":"
                 "{\"type\":\"object\"}},\"text/csv\":{\"schema\":{\"type\":"
                 "\"string\"}}}}");
    }
    if (strcmp(method, "get") == 0 || named || route->where == ON_POWER ||
        !(route->methods & METHOD_GET))
        put_parameters(route, named, out);
    put_responses(route, format, out);
    text_char(out, '}');
}

static void put_path(const struct route *route, int format, struct text *out)
{
    char path[128];
    const char *star = strchr(route->path, '*');
    size_t length = star ? (size_t)(star - route->path) : strlen(route->path);

    snprintf(path, sizeof path, "%.*s%s%s%s", (int)length, route->path,
             star ? "{name}" : "", route->formats ? "." : "",
             route->formats ? format_table[format].suffix : "");
    json_name(out, path);
    text_char(out, '{');
    if (route->methods & METHOD_GET)
        put_operation(route, "get", format, star != NULL, out);
    if (route->methods & METHOD_POST)
        put_operation(route, "post", format, star != NULL, out);
    text_char(out, '}');
}

static void put_components(struct text *out)
{
    json_name(out, "components");
    text_str(out,
        "{\"responses\":{\"problem\":{\"description\":\"Every mistake of the "
        "request at once (RFC 9457).\",\"content\":{\"application/problem+json\":"
        "{\"schema\":{\"$ref\":\"#/components/schemas/problem\"}}}}},"
        "\"schemas\":{\"problem\":{\"type\":\"object\",\"required\":[\"title\","
        "\"status\",\"errors\"],\"properties\":{\"type\":{\"type\":\"string\"},"
        "\"title\":{\"type\":\"string\"},\"status\":{\"type\":\"integer\"},"
        "\"errors\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
        "\"required\":[\"field\",\"code\",\"message\"],\"properties\":{"
        "\"field\":{\"type\":\"string\"},\"code\":{\"type\":\"string\"},"
        "\"message\":{\"type\":\"string\"},\"limit\":{\"type\":\"string\"},"
        "\"hint\":{\"type\":\"string\"}}}}}}}}");
}

void out_openapi(const char *base_url, struct text *out)
{
    text_char(out, '{');
    json_pair_string(out, "openapi", "3.1.0");
    json_name(out, "info");
    text_char(out, '{');
    json_pair_string(out, "title", "gputco");
    json_pair_string(out, "version", MODEL_VERSION);
    json_pair_string(out, "summary", "Own GPUs or rent them: money, time, "
                     "energy and CO2e.");
    json_name(out, "license");
    text_str(out, "{\"name\":\"MIT\",\"identifier\":\"MIT\"}}");
    json_name(out, "servers");
    text_str(out, "[{");
    json_pair_string(out, "url", *base_url ? base_url : "/");
    text_str(out, "}]");
    json_name(out, "security");
    text_str(out, "[]"); /* nobody needs an account */
    json_name(out, "paths");
    text_char(out, '{');
    for (int i = 0; i < ROUTE_COUNT; i++) {
        if (!route_table[i].formats)
            put_path(&route_table[i], 0, out);
        for (int f = 0; f < FORMAT_COUNT; f++)
            if (route_table[i].formats >> f & 1)
                put_path(&route_table[i], f, out);
    }
    text_char(out, '}');
    put_components(out);
    text_str(out, "}\n");
}
