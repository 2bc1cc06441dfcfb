/* wire.c: CGI variables into a request, a response into header and body.
   Host and X-Forwarded-* are never looked at: links come from GPUTCO_URL. */
#include "fcgi/wire.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_BYTE_MAX = 32 * 1024 };

static const struct { int status; const char *reason; } reason[] = {
    { 200, "OK" }, { 201, "Created" }, { 204, "No Content" },
    { 301, "Moved Permanently" }, { 303, "See Other" },
    { 304, "Not Modified" }, { 308, "Permanent Redirect" },
    { 400, "Bad Request" }, { 403, "Forbidden" }, { 404, "Not Found" },
    { 405, "Method Not Allowed" }, { 406, "Not Acceptable" },
    { 409, "Conflict" }, { 410, "Gone" }, { 413, "Content Too Large" },
    { 414, "URI Too Long" }, { 415, "Unsupported Media Type" },
    { 422, "Unprocessable Content" }, { 429, "Too Many Requests" },
    { 500, "Internal Server Error" }, { 501, "Not Implemented" },
    { 502, "Bad Gateway" }, { 503, "Service Unavailable" },
    { 507, "Insufficient Storage" },
};

static const char *reason_of(int status)
{
    for (size_t i = 0; i < sizeof reason / sizeof *reason; i++)
        if (reason[i].status == status)
            return reason[i].reason;
    return "Status";
}

void wire_init(struct wire *wire)
{
    wire->request = (struct request){ 0 };
    response_init(&wire->response);
    text_init(&wire->head, HEAD_BYTE_MAX);
}

void wire_free(struct wire *wire)
{
    response_free(&wire->response);
    text_free(&wire->head);
}

static const char *text_of(wire_variable *variable, const void *from,
                           const char *name)
{
    const char *value = variable(from, name);
    return value ? value : "";
}

/* The path as sent, still encoded. A server that does not tell REQUEST_URI
   tells the decoded path; then that has to do. */
static int fill_path(struct wire *wire, wire_variable *variable,
                     const void *from)
{
    const char *target = text_of(variable, from, "REQUEST_URI");
    const char *script, *more = "";
    size_t byte, more_byte;

    if (target[0] == '/') {
        byte = strcspn(target, "?");
        if (byte > APP_TARGET_BYTE_MAX)
            return 414;
        memcpy(wire->path, target, byte);
        wire->path[byte] = '\0';
        return 0;
    }
    script = text_of(variable, from, "SCRIPT_NAME");
    more = text_of(variable, from, "PATH_INFO");
    if (!script[0] && !more[0])
        script = text_of(variable, from, "DOCUMENT_URI");
    byte = strlen(script);
    more_byte = strlen(more);
    if (byte > APP_TARGET_BYTE_MAX || more_byte > APP_TARGET_BYTE_MAX - byte)
        return 414;
    memcpy(wire->path, script, byte);
    memcpy(wire->path + byte, more, more_byte + 1);
    return wire->path[0] == '/' ? 0 : 400;
}

int wire_fill(struct wire *wire, wire_variable *variable, const void *from,
              const char *base_url)
{
    struct request *request = &wire->request;
    const char *target = text_of(variable, from, "REQUEST_URI");
    const char *query = strchr(target, '?');
    int refused;

    response_reset(&wire->response);
    /* As sent: a server may have cut QUERY_STRING at a raw '#', and what is
       cut would be ignored without a word. */
    query = query ? query + 1
                  : text_of(variable, from, *target ? "" : "QUERY_STRING");
    wire->body[0] = '\0';
    wire->read = NULL;
    wire->body_ended = 0;
    *request = (struct request){
        .method = text_of(variable, from, "REQUEST_METHOD"),
        .path = wire->path,
        .query = query,
        .body = wire->body,
        .content_type = text_of(variable, from, "CONTENT_TYPE"),
        .content_encoding = text_of(variable, from, "HTTP_CONTENT_ENCODING"),
        .accept = text_of(variable, from, "HTTP_ACCEPT"),
        .accept_language = text_of(variable, from, "HTTP_ACCEPT_LANGUAGE"),
        .if_none_match = text_of(variable, from, "HTTP_IF_NONE_MATCH"),
        .sec_fetch_site = text_of(variable, from, "HTTP_SEC_FETCH_SITE"),
        .base_url = base_url,
    };
    refused = fill_path(wire, variable, from);
    if (refused)
        return refused;
    if (strlen(query) > APP_TARGET_BYTE_MAX)
        return 414;
    return request->method[0] ? 0 : 400;
}

/* The address that takes long bodies, in any format. */
static int is_stream(const struct wire *wire)
{
    static const char path[] = "/power-log";
    const char *behind = wire->path + sizeof path - 1;

    return strncmp(wire->path, path, sizeof path - 1) == 0 &&
           (*behind == '\0' || *behind == '.') &&
           strcmp(wire->request.method, "POST") == 0;
}

static size_t read_more(void *more, char *at, size_t byte)
{
    struct wire *wire = more;
    size_t got = wire->body_ended ? 0 : wire->read(wire->from, at, byte);

    wire->body_byte += got;
    wire->body_ended |= got < byte;
    return got;
}

int wire_pending(const struct wire *wire)
{
    return wire->read && !wire->body_ended;
}

int wire_rest(struct wire *wire)
{
    char dropped[8192];

    while (wire_pending(wire)) {
        if (wire->body_byte > WIRE_BODY_BYTE_MAX)
            return 0;
        read_more(wire, dropped, sizeof dropped);
    }
    return 1;
}

int wire_body(struct wire *wire, wire_read *read, void *from)
{
    char dropped[8192];
    size_t kept, last, total;

    kept = read(from, wire->body, APP_BODY_BYTE_MAX);
    wire->body[kept] = '\0';
    wire->request.body_byte = kept;
    if (kept < APP_BODY_BYTE_MAX)
        return 1;
    if (is_stream(wire)) {
        wire->read = read;
        wire->from = from;
        wire->body_byte = kept;
        wire->request.read_more = read_more;
        wire->request.more = wire;
        return 1;
    }
    for (total = kept; total <= WIRE_BODY_BYTE_MAX; total += last) {
        last = read(from, dropped, sizeof dropped);
        if (last > 0)
            wire->request.body_too_large = 1;
        if (last < sizeof dropped)
            return 1;
    }
    return 0;
}

void wire_refuse(struct wire *wire, int status)
{
    struct response *response = &wire->response;
    char line[160];

    response_reset(response);
    response->status = status;
    response->content_type = "application/problem+json";
    if (status == 503)
        text_str(&response->header, "Retry-After: 2\r\n");
    text_str(&response->header, "Cache-Control: no-store\r\n");
    snprintf(line, sizeof line,
             "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d}\n",
             reason_of(status), status);
    text_str(&response->body, line);
}

void wire_close(struct wire *wire)
{
    struct response *response = &wire->response;
    struct text *head = &wire->head;
    char line[96];
    int bare;

    if (response->header.failed || response->body.failed)
        wire_refuse(wire, 500);
    bare = response->status == 204 || response->status == 304;
    text_reset(head);
    snprintf(line, sizeof line, "Status: %d %s\r\n", response->status,
             reason_of(response->status));
    text_str(head, line);
    if (!bare) {
        text_str(head, "Content-Type: ");
        text_str(head, response->content_type);
        snprintf(line, sizeof line, "\r\nContent-Length: %zu\r\n",
                 response->body.byte);
        text_str(head, line);
    }
    text_put(head, response->header.at, response->header.byte);
    text_str(head, "\r\n");
    if (bare || strcmp(wire->request.method, "HEAD") == 0)
        text_reset(&response->body);
}
