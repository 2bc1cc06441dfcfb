/* app.c: from a request to the answer: address, method, format, handler. */
#include "fcgi/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi/accept.h"
#include "fcgi/answer.h"
#include "fcgi/builder.h"
#include "fcgi/csv_body.h"
#include "fcgi/documents.h"
#include "fcgi/embed.h"
#include "fcgi/format.h"
#include "pricing/hash.h"
#include "fcgi/html.h"
#include "fcgi/json.h"
#include "fcgi/oembed.h"
#include "fcgi/openapi.h"
#include "fcgi/out_advise.h"
#include "fcgi/out_bib.h"
#include "fcgi/out_csv.h"
#include "fcgi/out_focus.h"
#include "fcgi/out_html.h"
#include "fcgi/out_json.h"
#include "fcgi/out_paper.h"
#include "fcgi/out_power.h"
#include "fcgi/out_power_html.h"
#include "fcgi/out_saved.h"
#include "fcgi/out_svg.h"
#include "fcgi/out_selfcheck.h"
#include "fcgi/out_text.h"
#include "fcgi/out_then_now.h"
#include "fcgi/page.h"
#include "fcgi/power_body.h"
#include "fcgi/say.h"
#include "fcgi/table_prices.h"
#include "fcgi/tables.h"
#include "fcgi/out_train.h"
#include "pricing/num.h"

/* A quarter of a megabyte that each function fills as it needs: not cleared
   first by -ftrivial-auto-var-init. */
#define UNWRITTEN __attribute__((uninitialized))

enum { METHOD_GET = 1, METHOD_POST = 2 }; /* GET serves HEAD as well */

static const struct { const char *suffix, *media; } format_table[] = {
#define FORMAT(id, suffix, media) { suffix, media },
#include "fcgi/formats.def"
};

enum { NAME_ROOM = 128, CARD_BYTE_MAX = 1024 * 1024 };

struct call;
struct route {
    const char *path;
    unsigned methods, formats, where;
    void (*handler)(struct call *call);
};

/* What a handler works with. */
struct call {
    const struct world *world;
    const struct request *request;
    struct response *response;
    const struct route *route;
    enum format format;
    struct input *input;
    char name[NAME_ROOM];       /* what stands for a route's star, else "" */
};

#define ROUTE(path, methods, formats, where, handler, summary) \
    static void answer_##handler(struct call *call);
#include "fcgi/routes.def"

static const struct route route_table[] = {
#define ROUTE(path, methods, formats, where, handler, summary) \
    { path, methods, formats, where, answer_##handler },
#include "fcgi/routes.def"
};

enum { ROUTE_COUNT = sizeof route_table / sizeof *route_table };

/* --- refusals ----------------------------------------------------------------- */

static void header_line(struct response *response, const char *line)
{
    text_str(&response->header, line);
    text_str(&response->header, "\r\n");
}

static void refuse(struct response *response, int status, const char *title,
                   const struct problems *problems)
{
    response->status = status;
    response->content_type = "application/problem+json";
    header_line(response, "Cache-Control: no-store");
    out_problem(status, title, problems, &response->body);
}

/* A refusal with one error. limit may list what would do. */
static void refuse_one(struct response *response, int status,
                       const char *title, const char *field, const char *code,
                       const char *limit)
{
    struct problems problems;

    problems.count = problems.more = 0;
    problem_add(&problems, field, code, limit, "");
    refuse(response, status, title, &problems);
}

static void list_formats(unsigned formats, char *out, size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (formats >> i & 1)
            used += (size_t)snprintf(out + used, room - used, "%s.%s",
                                     used ? " " : "", format_table[i].suffix);
}

/* A browser gets a page with the way back; it says that it takes HTML. */
static int refuse_path_as_page(const struct request *request,
                               struct response *response)
{
    static const char *const media[] = { "text/html", "application/json" };
    const int zh = strstr(request->query, "lang=zh") != NULL;
    struct text *out = &response->body;

    if (!request->accept || !strstr(request->accept, "text/html")
        || accept_best(request->accept, media, 2) != 0)
        return 0;
    response->status = 404;
    response->content_type = "text/html; charset=utf-8";
    header_line(response, "Cache-Control: no-store");
    page_head(out, zh, say(zh, "There is no such address"), "table broken",
              "/", "/zh/");
    text_str(out, "<section class=\"say\" id=\"answer\">\n");
    html_element(out, "h1", NULL, say(zh, "There is no such address"));
    text_str(out, "<p class=\"lead\">");
    html_text(out, say(zh, "The pages are named above; the comparison starts "
                           "here: "));
    text_str(out, zh ? "<a href=\"/zh/\">" : "<a href=\"/\">");
    html_text(out, say(zh, "Compare"));
    text_str(out, "</a></p>\n</section>\n");
    page_foot(out, zh);
    return 1;
}

/* No such address: says which pages exist. */
static void refuse_path(const struct request *request,
                        struct response *response)
{
    char list[200];
    size_t used = 0;

    if (refuse_path_as_page(request, response))
        return;
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (route_table[i].formats & AS_HTML && used < sizeof list
            && !strchr(route_table[i].path, '*'))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     used ? " " : "", route_table[i].path);
    refuse_one(response, 404, "There is no such address", "path", "not_found",
               list);
}

static void refuse_format(struct response *response, unsigned formats)
{
    char list[112];

    list_formats(formats, list, sizeof list);
    refuse_one(response, 404, "There is no such format", "path", "not_found",
               list);
}

/* --- address, method, body ------------------------------------------------------ */

/* The formats of a route that this program can write. */
static unsigned formats_here(const struct route *route)
{
    return route->formats & (~(unsigned)DOCUMENT_FORMATS | documents.formats);
}

/* Index of the format whose suffix ends the path after the route's own; -1
   when the path is the route's alone, -2 when it is another path, -3 when
   the suffix is not a format of the route. */
static int suffix_of(const struct route *route, const char *path)
{
    size_t length = strlen(route->path);

    if (strncmp(path, route->path, length) != 0)
        return -2;
    if (path[length] == '\0')
        return -1;
    if (path[length] != '.' || !route->formats ||
        strpbrk(path + length, "/;%"))
        return -2;
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(path + length + 1, format_table[i].suffix) == 0)
            return formats_here(route) >> i & 1 ? i : -3;
    return -3;
}

/* The same for a route that ends in a star: one segment of plain characters
   stands there and goes into `name`, without the suffix that picks a format.
   Names hold dots, so an unknown suffix belongs to the name. */
static int suffix_of_star(const struct route *route, const char *path,
                          char name[NAME_ROOM])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
    size_t length = strlen(route->path) - 1, rest;
    const char *dot;

    if (strncmp(path, route->path, length) != 0)
        return -2;
    path += length;
    rest = strlen(path);
    if (rest == 0 || rest >= NAME_ROOM || strspn(path, plain) != rest)
        return -2;
    memcpy(name, path, rest + 1);
    dot = strrchr(path, '.');
    for (int i = 0; dot && dot > path && i < FORMAT_COUNT; i++)
        if ((route->formats >> i & 1) &&
            strcmp(dot + 1, format_table[i].suffix) == 0) {
            name[dot - path] = '\0';
            return i;
        }
    return -1;
}

/* The route of a path and the format its suffix picks. */
static const struct route *find_route(const char *path, int *suffix,
                                      char name[NAME_ROOM])
{
    const struct route *near = NULL;

    name[0] = '\0';
    for (int i = 0; i < ROUTE_COUNT; i++) {
        const char *route_path = route_table[i].path;
        *suffix = route_path[strlen(route_path) - 1] == '*'
                ? suffix_of_star(&route_table[i], path, name)
                : suffix_of(&route_table[i], path);
        if (*suffix >= -1)
            return &route_table[i];
        if (*suffix != -3)
            continue;
        near = &route_table[i];
        if (route_path[strlen(route_path) - 1] != '*')
            break; /* this address, not a thing of that name */
    }
    *suffix = near ? -3 : -2;
    return near;
}

static int method_allowed(struct call *call)
{
    static const char *const allow[] = {
        [METHOD_GET] = "Allow: GET, HEAD", [METHOD_POST] = "Allow: POST",
        [METHOD_GET | METHOD_POST] = "Allow: GET, HEAD, POST" };
    const char *method = call->request->method;
    unsigned methods = call->route->methods;

    if ((methods & METHOD_GET) &&
        (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0))
        return 1;
    if ((methods & METHOD_POST) && strcmp(method, "POST") == 0)
        return 1;
    header_line(call->response, allow[methods]);
    refuse_one(call->response, 405, "The method is not allowed here", "method",
               "not_allowed", allow[methods] + strlen("Allow: "));
    return 0;
}

static int choose_format(struct call *call, int suffix)
{
    const char *media[FORMAT_COUNT];
    char list[112];
    int best;

    call->format = FORMAT_JSON;
    if (!call->route->formats)
        return 1;
    if (suffix >= 0) {
        call->format = (enum format)suffix;
        return 1;
    }
    header_line(call->response, "Vary: Accept");
    for (int i = 0; i < FORMAT_COUNT; i++)
        media[i] = formats_here(call->route) >> i & 1 && i != FORMAT_FRAGMENT
                 ? format_table[i].media : NULL;
    best = accept_best(call->request->accept, media, FORMAT_COUNT);
    if (best >= 0) {
        call->format = (enum format)best;
        return 1;
    }
    list_formats(formats_here(call->route), list, sizeof list);
    refuse_one(call->response, 406, "None of the accepted formats exists here",
               "accept", "not_acceptable", list);
    return 0;
}

enum body_kind { BODY_NONE, BODY_FORM, BODY_JSON, BODY_CSV, BODY_REFUSED };

static int charset_is_utf8(const char *parameters)
{
    const char *at = strstr(parameters, "charset=");

    if (!at)
        return 1;
    at += strlen("charset=");
    at += *at == '"';
    return (strncmp(at, "utf-8", 5) == 0 || strncmp(at, "UTF-8", 5) == 0) &&
           (at[5] == '\0' || strchr("\"; \t", at[5]));
}

static enum body_kind kind_of_body(const struct request *request)
{
    const char *type = request->content_type;
    size_t length = strcspn(type, "; \t");
    const char *encoding = request->content_encoding;

    if ((*encoding && strcmp(encoding, "identity") != 0) ||
        !charset_is_utf8(type + length))
        return BODY_REFUSED;
    if (length == 16 && strncmp(type, "application/json", 16) == 0)
        return BODY_JSON;
    if (length == 8 && strncmp(type, "text/csv", 8) == 0)
        return BODY_CSV;
    if (length == 33 &&
        strncmp(type, "application/x-www-form-urlencoded", 33) == 0)
        return BODY_FORM;
    return BODY_REFUSED;
}

/* Reads query and body into call->input. 0 when the body is refused. */
static int read_input(struct call *call)
{
    const struct request *request = call->request;
    int posted = strcmp(request->method, "POST") == 0 &&
                 (request->body_byte > 0 || *request->content_type);
    enum body_kind kind = posted ? kind_of_body(request) : BODY_NONE;

    input_init(call->input);
    if (request->body_too_large) {
        refuse_one(call->response, 413, "The body is too large", "body",
                   "too_long", "65536 bytes");
        return 0;
    }
    if (kind == BODY_REFUSED) {
        refuse_one(call->response, 415, "The body's type is not accepted",
                   "body", "unsupported",
                   "application/json application/x-www-form-urlencoded "
                   "text/csv");
        return 0;
    }
    input_query(call->input, request->query, SURFACE_QUERY);
    if (kind == BODY_JSON)
        input_json(call->input, request->body, request->body_byte);
    else if (kind == BODY_CSV)
        csv_body_read(call->input, request->body, request->body_byte);
    else if (kind == BODY_FORM)
        input_query(call->input, request->body, SURFACE_FORM);
    else if (request->body_byte > 0)
        problem_add(&call->input->problems, "body", "unexpected", "", "");
    return 1;
}

/* --- handlers ---------------------------------------------------------------------- */

/* ETag over query, price generation, model and format; 1 when the client has
   that version and a 304 is all it needs. */
static int tag_query(struct call *call)
{
    struct text *body = &call->response->body;
    uint64_t hash = HASH_START;
    char tag[40], line[96];

    hash = hash_text(hash, body->at ? body->at : "");
    text_reset(body);
    snprintf(line, sizeof line, "%ld/%s/%d/%d/%.0f/%.0f/%.0f/%.0f/%.0f",
             call->world->prices->generation, MODEL_VERSION, call->format,
             call->world->degraded, call->input->key_value[K_figure],
             call->input->key_value[K_width], call->input->key_value[K_theme],
             call->input->key_value[K_bom], call->input->key_value[K_scale]);
    hash = hash_text(hash, line);
    snprintf(tag, sizeof tag, "\"%016llx\"",
             (unsigned long long)hash);
    snprintf(line, sizeof line, "ETag: %s", tag);
    header_line(call->response, line);
    header_line(call->response, "Cache-Control: no-cache");
    if (!strstr(call->request->if_none_match, tag))
        return 0;
    call->response->status = 304;
    return 1;
}

static int tag_answer(struct call *call, const struct answer *answer)
{
    text_str(&call->response->body, "?");
    answer_query(answer, &call->response->body);
    return tag_query(call);
}

static void write_figure(const struct answer *answer, struct text *body)
{
    const double *key = answer->input->key_value;

    out_svg(answer, (enum figure)key[K_figure], (int)key[K_width],
            (enum theme)key[K_theme], body);
}

/* Answers that carry a file name; of them, those a browser may show. */
enum { INLINE_FORMATS = AS_PNG | AS_TXT | AS_MD,
       NAMED_FORMATS = DOCUMENT_FORMATS | INLINE_FORMATS | AS_CSV | AS_FOCUS |
                       AS_TEX | AS_BIB };

/* The name is made of digits and constants: nothing typed stands in it. */
static void name_document(struct call *call, const struct answer *answer)
{
    char line[96], day[11];

    day_print(day, answer->study.as_of_day);
    snprintf(line, sizeof line,
             "Content-Disposition: %s; filename=\"gputco_%s.%s\"",
             INLINE_FORMATS >> call->format & 1 ? "inline" : "attachment", day,
             format_table[call->format].suffix);
    header_line(call->response, line);
}

/* The part of the page that changes; of a saved study the part that is shown
   in others' pages. */
static void write_part(const struct answer *answer, struct text *body)
{
    if (!answer->is_saved) {
        out_html_fragment(answer, body);
        return;
    }
    out_html_title(answer, body);
    text_char(body, '\n');
    embed_body(answer, FIGURE_CUMULATIVE, EMBED_WIDTH, THEME_LIGHT, body);
}

/* A saved_write. */
static void write_as(const struct answer *answer, enum format format,
                     struct text *body)
{
    switch (format) {
    case FORMAT_HTML: out_html(answer, body); break;
    case FORMAT_JSON: out_json(answer, body); break;
    case FORMAT_TXT: out_text(answer, body); break;
    case FORMAT_SVG: write_figure(answer, body); break;
    case FORMAT_FRAGMENT: write_part(answer, body); break;
    case FORMAT_XLSX: case FORMAT_PDF: case FORMAT_PNG:
        documents.write(answer, format, body);
        break;
    case FORMAT_CSV: out_csv(answer, body); break;
    case FORMAT_FOCUS: out_focus(answer, body); break;
    case FORMAT_TEX: out_tex(answer, body); break;
    case FORMAT_MD: out_markdown(answer, body); break;
    case FORMAT_BIB: out_bib(answer, body); break;
    case FORMAT_COUNT: break;
    }
}

static void write_answer(struct call *call, const struct answer *answer)
{
    call->response->content_type = format_table[call->format].media;
    if (NAMED_FORMATS >> call->format & 1)
        name_document(call, answer);
    write_as(answer, call->format, &call->response->body);
}

static void write_problems(struct call *call, const struct answer *answer)
{
    struct response *response = call->response;

    if (call->format != FORMAT_HTML && call->format != FORMAT_FRAGMENT) {
        refuse(response, 400, "The input has mistakes",
               &call->input->problems);
        return;
    }
    response->status = 400;
    response->content_type = format_table[FORMAT_HTML].media;
    header_line(response, "Cache-Control: no-store");
    if (call->format == FORMAT_HTML)
        out_html_problems(answer, &response->body);
    else
        out_html_problems_fragment(answer, &response->body);
}

static void answer_compare(struct call *call)
{
    struct answer answer UNWRITTEN;

    if (!read_input(call))
        return;
    input_keys(call->input, call->route->where);
    if (!answer_run(&answer, call->input, call->world,
                    call->request->base_url))
        write_problems(call, &answer);
    else if (!tag_answer(call, &answer))
        write_answer(call, &answer);
}

/* --- saved studies -------------------------------------------------------- */

static int no_keys(struct call *call);
static void refuse_table(struct call *call, int zh, struct table_call *prices);

static unsigned formats_of(const char *path)
{
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (strcmp(route_table[i].path, path) == 0)
            return route_table[i].formats;
    return 0;
}

/* Something that is not so because of the store or the address: words are
   for people, field and code for programs. */
static void refuse_saved(struct call *call, enum status status,
                         const char *words, int zh)
{
    struct response *response = call->response;
    int http = status_http(status);

    if (http == 503)
        header_line(response, "Retry-After: 5");
    if (call->format != FORMAT_HTML) {
        refuse_one(response, http, words, http == 404 ? "path" : "store",
                   http == 404 ? "not_found" : http == 507 ? "store_full"
                   : "store_failed", http == 404 ? "/s/<id>" : "");
        return;
    }
    response->status = http;
    response->content_type = format_table[FORMAT_HTML].media;
    header_line(response, "Cache-Control: no-store");
    out_saved_none(words, zh, &response->body);
}

/* What the machine did wrong is one line for whoever runs it. */
static void tell_store(const char *step, const char *why)
{
    fprintf(stderr, "gputco: %s: %s\n", step, why);
}

static void answer_made(struct call *call, const struct study_head *head,
                        int zh)
{
    struct response *response = call->response;

    response->status = 201;
    response->content_type = format_table[call->format].media;
    text_str(&response->header, "Location: ");
    saved_address(head, call->request->base_url, &response->header);
    text_str(&response->header, "\r\n");
    header_line(response, "Cache-Control: no-store");
    if (call->format == FORMAT_HTML)
        out_saved_new_html(head, call->request->base_url, zh, &response->body);
    else
        out_saved_new_json(head, call->request->base_url, &response->body);
}

static void save(struct call *call, struct answer *answer)
{
    struct study_head head = { .saved_day = call->world->today,
                               .as_of_day = answer->study.as_of_day };
    struct text query;
    char why[300];
    enum status status = saved_keep(answer, formats_of("/s/*") | AS_FRAGMENT,
                                    write_as,
                                    head.id, why, sizeof why);

    if (status != GOOD) {
        tell_store("save study", why);
        refuse_saved(call, status, status == STORE_FULL
                     ? "Nothing was saved: there is no room for more today"
                     : "Nothing was saved: the store cannot be written at the "
                       "moment", answer->study.zh);
        return;
    }
    text_init(&query, APP_BODY_BYTE_MAX);
    answer_query(answer, &query);
    snprintf(head.model_version, sizeof head.model_version, "%s",
             MODEL_VERSION);
    head.query = query.at ? query.at : "";
    answer_made(call, &head, answer->study.zh);
    text_free(&query);
}

static void answer_studies(struct call *call)
{
    struct answer answer UNWRITTEN;

    if (strcmp(call->request->sec_fetch_site, "cross-site") == 0) {
        refuse_one(call->response, 403, "Another site may not save here",
                   "sec-fetch-site", "cross_site", "");
        return;
    }
    if (!read_input(call))
        return;
    input_keys(call->input, call->route->where);
    if (answer_run(&answer, call->input, call->world, call->request->base_url))
        save(call, &answer);
    else
        write_problems(call, &answer);
}

/* For ever the same, and nothing for search engines. 1: the reader has it. */
static int tag_saved(struct call *call, const struct saved *saved, int zh)
{
    char tag[64], line[80];

    snprintf(tag, sizeof tag, "\"%s.%s.%s\"", saved->head.id,
             format_table[call->format].suffix, zh ? "zh" : "en");
    snprintf(line, sizeof line, "ETag: %s", tag);
    header_line(call->response, line);
    header_line(call->response,
                "Cache-Control: public, max-age=31536000, immutable");
    header_line(call->response, "X-Robots-Tag: noindex");
    if (!strstr(call->request->if_none_match, tag))
        return 0;
    call->response->status = 304;
    return 1;
}

static void write_saved(struct call *call, const struct saved *saved, int zh)
{
    const char *base_url = call->request->base_url;
    struct text *body = &call->response->body;

    switch (call->format) {
    case FORMAT_HTML:
        out_saved_html(saved, call->route->formats, base_url, zh, NULL, body);
        break;
    case FORMAT_JSON: out_saved_json(saved, base_url, body); break;
    case FORMAT_TXT: out_saved_text(saved, base_url, body); break;
    default: text_put(body, saved->document.at, saved->document.byte); break;
    }
}

/* The saved digits and, beside them, what the same question comes to today.
   pinned: the same study's JSON. */
static void write_then_now(struct call *call, const struct saved *saved,
                           const struct saved *pinned, int zh)
{
    const char *base_url = call->request->base_url;
    struct text *body = &call->response->body;
    struct then_now *both = malloc(sizeof *both);

    header_line(call->response, "Cache-Control: no-cache");
    header_line(call->response, "X-Robots-Tag: noindex");
    if (!both || !then_now_run(both, pinned, zh, call->world, base_url)) {
        body->failed = 1; /* answered as 500 */
    } else if (call->format == FORMAT_HTML) {
        out_saved_html(saved, call->route->formats, base_url, zh, both, body);
    } else if (call->format == FORMAT_JSON) {
        out_then_now_json(both, saved, base_url, body);
    } else {
        out_saved_text(saved, base_url, body);
        out_then_now_text(both, saved, body);
    }
    free(both);
}

static int find_saved(struct call *call, enum format format, int zh,
                      struct saved *saved)
{
    char why[300] = "";
    enum status status = saved_find(call->world->store, call->name, format,
                                    zh, saved, why, sizeof why);

    if (status == GOOD)
        return 1;
    if (status != NOT_FOUND)
        tell_store("read saved study", why);
    refuse_saved(call, status, status == NOT_FOUND
                 ? "There is no saved result at this address"
                 : "Saved results cannot be read at the moment", zh > 0);
    return 0;
}

/* Only words can say what has changed; 0 when the format has none. */
static int may_compare(struct call *call)
{
    if (call->format == FORMAT_HTML || call->format == FORMAT_JSON ||
        call->format == FORMAT_TXT)
        return 1;
    refuse_one(call->response, 400, "The input has mistakes", "now",
               "not_applicable", "");
    return 0;
}

static void answer_saved(struct call *call)
{
    struct saved saved, pinned;
    int zh, now;

    if (!no_keys(call))
        return;
    zh = call->input->key_typed[K_lang] ? call->input->key_value[K_lang] > 0
                                        : -1;
    now = call->input->key_value[K_now] > 0;
    if ((now && !may_compare(call)) ||
        !find_saved(call, call->format, zh, &saved))
        return;
    zh = zh < 0 ? saved.zh : zh;
    call->response->content_type = format_table[call->format].media;
    if (now && find_saved(call, FORMAT_JSON, zh, &pinned)) {
        write_then_now(call, &saved, &pinned, zh);
        saved_free(&pinned);
    } else if (!now && !tag_saved(call, &saved, zh)) {
        write_saved(call, &saved, zh);
    }
    saved_free(&saved);
}

/* --- cards for other people's pages ---------------------------------------- */

static void write_card(struct call *call, const struct embed_frame *frame,
                       const struct text *body)
{
    call->response->content_type = format_table[FORMAT_HTML].media;
    header_line(call->response, "Cache-Control: public, max-age=3600");
    embed_page(frame, body, &call->response->body);
}

static void answer_card(struct call *call)
{
    struct answer answer UNWRITTEN;
    const double *key = call->input->key_value;
    struct embed_frame frame;
    struct text body, link, title;

    if (!read_input(call))
        return;
    input_keys(call->input, call->route->where);
    if (!answer_run(&answer, call->input, call->world,
                    call->request->base_url)) {
        refuse_table(call, call->input->key_value[K_lang] > 0, NULL);
        return;
    }
    text_init(&body, CARD_BYTE_MAX);
    text_init(&link, CARD_BYTE_MAX);
    text_init(&title, CARD_BYTE_MAX);
    embed_body(&answer, (enum figure)key[K_figure], (int)key[K_width],
               (enum theme)key[K_theme], &body);
    text_str(&link, call->request->base_url);
    text_str(&link, "/compare?");
    answer_query(&answer, &link);
    out_html_title(&answer, &title);
    frame = (struct embed_frame){ answer.study.zh, (enum theme)key[K_theme],
                                  title.at, link.at, answer.study.as_of_day };
    write_card(call, &frame, &body);
    text_free(&body);
    text_free(&link);
    text_free(&title);
}

static void answer_train_card(struct call *call)
{
    struct train_answer answer UNWRITTEN;
    struct embed_frame frame;
    struct text body, link, title;

    if (!read_input(call))
        return;
    call->input->also = ON_CARD;
    if (!train_run_all(&answer, call->input, call->world,
                       call->request->base_url)) {
        refuse_table(call, call->input->key_value[K_lang] > 0, NULL);
        return;
    }
    text_init(&body, CARD_BYTE_MAX);
    text_init(&link, CARD_BYTE_MAX);
    text_init(&title, CARD_BYTE_MAX);
    embed_train_body(&answer, &body);
    text_str(&link, call->request->base_url);
    text_str(&link, "/train?");
    train_query(&answer, &link);
    out_train_what(&answer, &title);
    frame = (struct embed_frame){ answer.study.study.zh,
        (enum theme)call->input->key_value[K_theme], title.at, link.at,
        answer.study.study.as_of_day };
    write_card(call, &frame, &body);
    text_free(&body);
    text_free(&link);
    text_free(&title);
}

static void answer_saved_card(struct call *call)
{
    struct embed_frame frame;
    struct text body, link, title;
    struct saved saved;
    int zh;

    if (!no_keys(call))
        return;
    zh = call->input->key_typed[K_lang] ? call->input->key_value[K_lang] > 0
                                        : -1;
    if (!find_saved(call, FORMAT_FRAGMENT, zh, &saved))
        return;
    text_init(&body, CARD_BYTE_MAX);
    text_init(&link, CARD_BYTE_MAX);
    text_init(&title, CARD_BYTE_MAX);
    saved_split(&saved, &title, &body);
    saved_address(&saved.head, call->request->base_url, &link);
    frame = (struct embed_frame){ zh < 0 ? saved.zh : zh, THEME_LIGHT,
                                  title.at ? title.at : "", link.at,
                                  saved.head.as_of_day };
    write_card(call, &frame, &body);
    text_free(&body);
    text_free(&link);
    text_free(&title);
    saved_free(&saved);
}

static void answer_builder(struct call *call)
{
    struct answer answer UNWRITTEN;

    if (!read_input(call))
        return;
    input_keys(call->input, call->route->where);
    if (!answer_run(&answer, call->input, call->world,
                    call->request->base_url)) {
        write_problems(call, &answer);
        return;
    }
    call->response->content_type = format_table[FORMAT_HTML].media;
    header_line(call->response, "Cache-Control: no-cache");
    out_builder(&answer, &call->response->body);
}

static void answer_oembed(struct call *call)
{
    const char *const *text = call->input->key_text;
    struct oembed_ask ask;

    if (!read_input(call))
        return;
    input_keys(call->input, call->route->where);
    input_finish(call->input);
    if (!call->input->problems.count && !*text[K_url])
        problem_add(&call->input->problems, "url", "missing", "", "");
    ask = (struct oembed_ask){ text[K_url], call->request->base_url,
        (int)call->input->key_value[K_maxwidth],
        (int)call->input->key_value[K_maxheight],
        strcmp(text[K_format], "xml") == 0 };
    if (call->input->problems.count)
        refuse(call->response, 400, "The input has mistakes",
               &call->input->problems);
    else if (!ask.xml && strcmp(text[K_format], "json") != 0)
        refuse_one(call->response, 501, "There is no such format", "format",
                   "not_in_list", "json xml"); /* oEmbed 2.3.4 */
    else if (!*ask.base_url)
        refuse_one(call->response, 503, "The server does not know its public "
                   "address", "url", "no_address", "GPUTCO_URL");
    else if (!oembed_write(&ask, call->world, &call->response->body))
        refuse_one(call->response, 404, "There is no card for this address",
                   "url", "not_found", "/compare /train /s/<id>");
    else {
        call->response->content_type = ask.xml ? "text/xml; charset=utf-8"
                                       : format_table[FORMAT_JSON].media;
        header_line(call->response, "Cache-Control: public, max-age=3600");
    }
}

/* Bare /train is a form; what asks in JSON is told what is missing. */
static void answer_train(struct call *call)
{
    struct train_answer answer UNWRITTEN;
    struct response *response = call->response;
    int good, html = call->format == FORMAT_HTML;

    if (!read_input(call))
        return;
    good = train_run_all(&answer, call->input, call->world,
                         call->request->base_url);
    response->content_type = format_table[call->format].media;
    if (good) {
        train_query(&answer, &response->body);
        if (tag_query(call))
            return;
        switch (call->format) {
        case FORMAT_HTML: out_train_html(&answer, &response->body); break;
        case FORMAT_TXT: out_train_text(&answer, &response->body); break;
        default: out_train_json(&answer, &response->body); break;
        }
    } else if (html && train_is_bare(call->input) &&
               call->input->problems.count == 1 &&
               strcmp(call->input->problems.problem[0].code, "missing") == 0) {
        call->input->problems.count = 0;
        out_train_form(&answer, &response->body);
    } else if (html) {
        response->status = 400;
        header_line(response, "Cache-Control: no-store");
        out_train_form(&answer, &response->body);
    } else {
        refuse(response, 400, "The input has mistakes",
               &call->input->problems);
    }
}

static void answer_advise(struct call *call)
{
    struct advice advice UNWRITTEN;
    struct response *response = call->response;

    if (!read_input(call))
        return;
    response->content_type = format_table[call->format].media;
    if (!advice_run(&advice, call->input, call->world,
                    call->request->base_url)) {
        if (call->format != FORMAT_HTML) {
            refuse(response, 400, "The input has mistakes",
                   &call->input->problems);
            return;
        }
        response->status = 400;
        header_line(response, "Cache-Control: no-store");
        out_advise_form(&advice, &response->body);
        return;
    }
    header_line(response, "Cache-Control: no-cache");
    switch (call->format) {
    case FORMAT_HTML: out_advise_html(&advice, &response->body); break;
    case FORMAT_TXT: out_advise_text(&advice, &response->body); break;
    default: out_advise_json(&advice, &response->body); break;
    }
}

/* A body that cannot be a log. */
static void refuse_log(struct response *response, enum power_body why)
{
    if (why == POWER_BODY_TYPE)
        refuse_one(response, 415, "The body's type is not accepted", "body",
                   "unsupported", "text/csv text/plain multipart/form-data");
    else if (why == POWER_BODY_TOO_LONG)
        refuse_one(response, 413, "The body is too large", "body", "too_long",
                   "16777216 bytes");
    else
        refuse_one(response, 400, "The form is not whole", "body", "malformed",
                   "");
}

static void write_power(struct call *call, const struct power_answer *answer)
{
    struct text *body = &call->response->body;

    call->response->content_type = format_table[call->format].media;
    header_line(call->response, "Cache-Control: no-store");
    switch (call->format) {
    case FORMAT_HTML: out_power_html(answer, body); break;
    case FORMAT_TXT: out_power_text(answer, body); break;
    default: out_power_json(answer, body); break;
    }
}

static void write_power_mistakes(struct call *call,
                                 const struct power_answer *answer)
{
    struct response *response = call->response;

    response->status = 400;
    header_line(response, "Cache-Control: no-store");
    if (call->format == FORMAT_HTML) {
        response->content_type = format_table[FORMAT_HTML].media;
        out_power_form(answer, answer->zh, &response->body);
        return;
    }
    response->content_type = "application/problem+json";
    out_power_problem(answer, &response->body);
}

/* The form; what asks in JSON is told what is missing. */
static void power_form(struct call *call)
{
    if (!read_input(call))
        return;
    input_keys(call->input, call->route->where);
    input_finish(call->input);
    if (call->format != FORMAT_HTML && !call->input->problems.count)
        problem_add(&call->input->problems, "body", "missing", "POST a log",
                    "");
    if (call->input->problems.count) {
        refuse(call->response, 400, "The input has mistakes",
               &call->input->problems);
        return;
    }
    call->response->content_type = format_table[FORMAT_HTML].media;
    header_line(call->response, "Cache-Control: no-cache");
    out_power_form(NULL, call->input->key_value[K_lang] > 0,
                   &call->response->body);
}

static void answer_power(struct call *call)
{
    struct power_answer *answer;
    enum power_body got;

    if (strcmp(call->request->method, "POST") != 0) {
        power_form(call);
        return;
    }
    answer = power_open();
    if (!answer) {
        call->response->body.failed = 1; /* answered as 500 */
        return;
    }
    input_init(call->input);
    input_query(call->input, call->request->query, SURFACE_QUERY);
    got = power_body_read(call->request, call->input, &answer->log);
    if (got != POWER_BODY_GOOD) {
        refuse_log(call->response, got);
    } else {
        power_log_end(&answer->log);
        if (power_run(answer, call->input, call->world,
                      call->request->base_url))
            write_power(call, answer);
        else
            write_power_mistakes(call, answer);
    }
    power_close(answer);
}

/* For addresses that take no keys: 0 when some came all the same. */
static int no_keys(struct call *call)
{
    if (!read_input(call))
        return 0;
    input_keys(call->input, call->route->where);
    input_finish(call->input);
    if (!call->input->problems.count)
        return 1;
    refuse(call->response, 400, "The input has mistakes",
           &call->input->problems);
    return 0;
}

/* What a table may not be asked, or does not hold. */
static void refuse_table(struct call *call, int zh, struct table_call *prices)
{
    struct response *response = call->response;
    struct problems *problems = &call->input->problems;
    int status = problems->count ? 400 : 404;

    if (status == 404)
        problem_add(problems, "path", "not_found", call->route->path, "");
    if (call->format != FORMAT_HTML) {
        refuse(response, status, status == 404 ? "There is no such address"
               : "The input has mistakes", problems);
        return;
    }
    response->status = status;
    response->content_type = format_table[FORMAT_HTML].media;
    header_line(response, "Cache-Control: no-store");
    table_refusal(problems, zh, prices, &response->body);
}

static void answer_table(struct call *call,
                         int (*write)(struct table_call *table))
{
    struct table_call table = { call->world, call->input, SHEET_HTML, 0,
                                call->name, call->request->base_url,
                                &call->response->body };
    int done = 0;

    if (!read_input(call))
        return;
    input_keys(call->input, call->route->where);
    input_finish(call->input);
    table.zh = call->input->key_value[K_lang] > 0;
    table.form = call->format == FORMAT_JSON ? SHEET_JSON :
                 call->format == FORMAT_CSV ? SHEET_CSV : SHEET_HTML;
    call->response->content_type = format_table[call->format].media;
    if (!call->input->problems.count)
        done = write(&table);
    if (done)
        header_line(call->response, "Cache-Control: no-cache");
    else
        refuse_table(call, table.zh, write == table_prices && !*call->name
                                     ? &table : NULL);
}

static void answer_prices(struct call *call)
{
    answer_table(call, table_prices);
}

static void answer_history(struct call *call)
{
    answer_table(call, table_history);
}

static void answer_gpus(struct call *call)
{
    answer_table(call, table_gpus);
}

static void answer_servers(struct call *call)
{
    answer_table(call, table_servers);
}

static void answer_models(struct call *call)
{
    answer_table(call, table_models);
}

static void answer_zones(struct call *call)
{
    answer_table(call, table_zones);
}

static void answer_sources(struct call *call)
{
    answer_table(call, table_sources);
}

static void answer_methods(struct call *call)
{
    answer_table(call, table_methods);
}

static void answer_about(struct call *call)
{
    answer_table(call, table_about);
}

static void answer_fields(struct call *call)
{
    if (!no_keys(call))
        return;
    call->response->content_type = format_table[FORMAT_JSON].media;
    header_line(call->response, "Cache-Control: no-cache");
    out_fields(&call->response->body);
}

static void answer_selfcheck(struct call *call)
{
    struct selfcheck check UNWRITTEN;
    struct text *body = &call->response->body;

    if (!no_keys(call))
        return;
    selfcheck_run(&check);
    call->response->content_type = format_table[call->format].media;
    header_line(call->response, "Cache-Control: no-cache");
    switch (call->format) {
    case FORMAT_HTML:
        out_selfcheck_html(&check, call->input->key_value[K_lang] > 0, body);
        break;
    case FORMAT_TXT: out_selfcheck_text(&check, body); break;
    default: out_selfcheck_json(&check, body); break;
    }
}

static void answer_openapi(struct call *call)
{
    if (!no_keys(call))
        return;
    call->response->content_type = format_table[FORMAT_JSON].media;
    header_line(call->response, "Cache-Control: no-cache");
    out_openapi(call->request->base_url, &call->response->body);
}

static void answer_health(struct call *call)
{
    call->response->content_type = format_table[FORMAT_TXT].media;
    header_line(call->response, "Cache-Control: no-store");
    text_str(&call->response->body, "ok\n");
}

static void answer_ready(struct call *call)
{
    struct text *body = &call->response->body;

    call->response->content_type = format_table[FORMAT_JSON].media;
    header_line(call->response, "Cache-Control: no-store");
    text_char(body, '{');
    json_pair_string(body, "status", call->world->degraded ? "degraded"
                                                           : "ready");
    json_name(body, "reasons");
    text_char(body, '[');
    if (call->world->degraded)
        json_string(body, call->world->degraded_reason);
    text_char(body, ']');
    json_pair_number(body, "prices", (double)call->world->prices->count);
    json_pair_number(body, "generation",
                     (double)call->world->prices->generation);
    text_str(body, "}\n");
}

static void metric(struct text *out, const char *name, const char *help,
                   double value)
{
    text_str(out, "# HELP ");
    text_str(out, name);
    text_char(out, ' ');
    text_str(out, help);
    text_str(out, "\n# TYPE ");
    text_str(out, name);
    text_str(out, " gauge\n");
    text_str(out, name);
    text_char(out, ' ');
    json_number(out, value);
    text_char(out, '\n');
}

static void answer_metrics(struct call *call)
{
    struct text *body = &call->response->body;
    const struct world *world = call->world;

    call->response->content_type = "text/plain; version=0.0.4; charset=utf-8";
    header_line(call->response, "Cache-Control: no-store");
    metric(body, "gputco_price_observations", "Prices held in memory.",
           (double)world->prices->count);
    metric(body, "gputco_price_generation", "Number of the price generation.",
           (double)world->prices->generation);
    metric(body, "gputco_degraded", "1 while only built-in prices are used.",
           world->degraded);
}

/* --- the seam ------------------------------------------------------------------------ */

/* What a page may do, for whoever serves without the nginx of deploy/ (which
   says the same and drops this). Only cards may stand in others' frames. */
static void guard(struct response *response, const struct route *route)
{
    int card = route && strncmp(route->path, "/embed/", 7) == 0;

    text_str(&response->header,
             "X-Content-Type-Options: nosniff\r\n"
             "Content-Security-Policy: default-src 'none'; script-src 'self'; "
             "style-src 'self'; img-src 'self'; connect-src 'self'; "
             "form-action 'self'; base-uri 'none'; frame-ancestors ");
    header_line(response, card ? "*" : "'none'");
}

void app_handle(const struct world *world, const struct request *request,
                struct response *response)
{
    struct call call = { world, request, response, NULL, FORMAT_JSON, NULL, "" };
    struct input input UNWRITTEN;
    int suffix;

    response->status = 200;
    response->content_type = format_table[FORMAT_JSON].media;
    header_line(response, "Access-Control-Allow-Origin: *");
    call.route = find_route(request->path, &suffix, call.name);
    guard(response, call.route);
    if (!call.route) {
        refuse_path(request, response);
        return;
    }
    if (suffix == -3) {
        refuse_format(response, formats_here(call.route));
        return;
    }
    if (!method_allowed(&call) || !choose_format(&call, suffix))
        return;
    call.input = &input;
    call.route->handler(&call);
}
