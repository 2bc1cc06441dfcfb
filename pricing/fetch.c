/* fetch.c: the only file that knows libcurl (see fetch.h). */
#include "pricing/fetch.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "pricing/address.h"

enum { HEADER_BYTE_MAX = 65536, TIMEOUT_MS = 30000, RETRY_MAX = 7 * 86400 };

struct fetch { CURL *curl; };

/* One transfer under way. */
struct transfer {
    const struct fetch_request *request;
    struct fetch_answer answer;
    long long header_byte;
    int chunked, length_seen, html;
    const char *stop;           /* why we ended it ourselves */
    enum status stop_status;
};

struct fetch *fetch_open(void)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);

    if (!fetch || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(fetch);
        return NULL;
    }
    fetch->curl = curl_easy_init();
    if (!fetch->curl) {
        curl_global_cleanup();
        free(fetch);
        return NULL;
    }
    return fetch;
}

void fetch_close(struct fetch *fetch)
{
    if (!fetch)
        return;
    curl_easy_cleanup(fetch->curl);
    curl_global_cleanup();
    free(fetch);
}

/* The value when the header line has this name, else NULL. */
static const char *header_value(const char *line, size_t byte,
                                const char *name, size_t *value_byte)
{
    size_t name_byte = strlen(name);

    if (byte <= name_byte || line[name_byte] != ':'
        || strncasecmp(line, name, name_byte))
        return NULL;
    line += name_byte + 1;
    byte -= name_byte + 1;
    while (byte && (*line == ' ' || *line == '\t')) {
        line++;
        byte--;
    }
    while (byte && strchr(" \t\r\n", line[byte - 1]))
        byte--;
    *value_byte = byte;
    return line;
}

/* A validator is sent back as it came; one that is cut or odd is useless. */
static void keep_header(char *out, size_t size, const char *value, size_t byte)
{
    *out = '\0';
    if (byte >= size)
        return;
    for (size_t i = 0; i < byte; i++)
        if (value[i] < ' ' || value[i] > '~')
            return;
    memcpy(out, value, byte);
    out[byte] = '\0';
}

static size_t take_header(char *line, size_t size, size_t count,
                          void *context)
{
    struct transfer *t = context;
    struct fetch_answer *answer = &t->answer;
    size_t byte = size * count, n;
    const char *value;

    t->header_byte += (long long)byte;
    if (t->header_byte > HEADER_BYTE_MAX) {
        t->stop = "the header does not end";
        return 0;
    }
    if (byte > 5 && !strncmp(line, "HTTP/", 5)) {
        /* of several answers on the way (100, then 200) the last counts */
        *answer->etag = *answer->last_modified = '\0';
        t->chunked = t->length_seen = t->html = 0;
    } else if ((value = header_value(line, byte, "ETag", &n))) {
        keep_header(answer->etag, sizeof answer->etag, value, n);
    } else if ((value = header_value(line, byte, "Last-Modified", &n))) {
        keep_header(answer->last_modified, sizeof answer->last_modified,
                    value, n);
    } else if ((value = header_value(line, byte, "Content-Length", &n))) {
        t->length_seen = n > 0;
    } else if ((value = header_value(line, byte, "Transfer-Encoding", &n))) {
        t->chunked = n >= 7 && !strncasecmp(value + n - 7, "chunked", 7);
    } else if ((value = header_value(line, byte, "Content-Type", &n))) {
        t->html = n >= 9 && !strncasecmp(value, "text/html", 9);
    }
    return byte;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *t = context;
    struct fetch_answer *answer = &t->answer;
    size_t byte = size * count;

    if (answer->byte + (long long)byte > t->request->byte_cap) {
        t->stop = "the body is larger than its cap";
        return 0;
    }
    for (size_t i = 0; i < byte; i++)
        answer->hash = (answer->hash ^ (unsigned char)bytes[i])
                       * 1099511628211u;
    answer->byte += (long long)byte;
    if (fwrite(bytes, 1, byte, t->request->body) != byte) {
        t->stop = "the temporary file could not be written";
        t->stop_status = WRITE_FAILED;
        return 0;
    }
    return byte;
}

/* Called when the connection stands and before anything is sent. */
static int look_at_peer(void *context, char *peer, char *local, int peer_port,
                        int local_port)
{
    struct transfer *t = context;

    (void)local;
    (void)peer_port;
    (void)local_port;
    if (t->request->insecure || !address_private(peer))
        return CURL_PREREQFUNC_OK;
    t->stop = "the name leads to a private address";
    return CURL_PREREQFUNC_ABORT;
}

static int tell_progress(void *context, curl_off_t whole, curl_off_t now,
                         curl_off_t up_whole, curl_off_t up_now)
{
    struct transfer *t = context;

    (void)up_whole;
    (void)up_now;
    if (t->request->progress)
        t->request->progress(t->request->context, now, whole);
    return 0;
}

static int set_options(CURL *curl, struct transfer *t, char error[])
{
    const struct fetch_request *request = t->request;
    const char *protocols = request->insecure ? "https,http" : "https";
    long timeout = request->timeout_ms ? request->timeout_ms : TIMEOUT_MS;
    int bad = 0;

#define SET(option, value) \
    bad |= curl_easy_setopt(curl, CURLOPT_##option, value) != CURLE_OK
    SET(URL, request->address);
    SET(PROTOCOLS_STR, protocols);
    SET(REDIR_PROTOCOLS_STR, "https");
    SET(FOLLOWLOCATION, 0L);
    SET(HTTP09_ALLOWED, 0L);
    SET(NOSIGNAL, 1L);
    SET(CONNECTTIMEOUT_MS, 5000L);
    SET(TIMEOUT_MS, timeout);
    SET(LOW_SPEED_LIMIT, 100L);
    SET(LOW_SPEED_TIME, 10L);
    SET(MAXFILESIZE_LARGE, (curl_off_t)request->byte_cap);
    SET(SSL_VERIFYPEER, 1L);
    SET(SSL_VERIFYHOST, 2L);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(PROXY, "");
    SET(NETRC, (long)CURL_NETRC_IGNORED);
    SET(ACCEPT_ENCODING, "gzip"); /* take_body caps the decoded bytes */
    SET(MAXLIFETIME_CONN, 120L);
    SET(USERAGENT, "gputco-refresh");
    SET(ERRORBUFFER, error);
    SET(HEADERFUNCTION, take_header);
    SET(HEADERDATA, t);
    SET(WRITEFUNCTION, take_body);
    SET(WRITEDATA, t);
    SET(PREREQFUNCTION, look_at_peer);
    SET(PREREQDATA, t);
    SET(XFERINFOFUNCTION, tell_progress);
    SET(XFERINFODATA, t);
    SET(NOPROGRESS, 0L);
#undef SET
    return !bad;
}

/* Adds "Name: value" unless the value is empty. 0: no memory. */
static int add_header(struct curl_slist **list, const char *name,
                      const char *value)
{
    char line[400];
    struct curl_slist *more;

    if (!*value)
        return 1;
    snprintf(line, sizeof line, "%s: %s", name, value);
    more = curl_slist_append(*list, line);
    if (more)
        *list = more;
    return more != NULL;
}

/* What the answer means once the transfer itself went well. */
static enum status judge(CURL *curl, const struct transfer *t, int conditional,
                         char *why, size_t why_byte)
{
    long version = 0;

    if (t->answer.http == 304 && conditional)
        return FEED_UNCHANGED;
    if (t->answer.http != 200) {
        snprintf(why, why_byte, "the server answered %ld%s", t->answer.http,
                 t->answer.http >= 300 && t->answer.http < 400
                 ? " (redirects are not followed)" : "");
        return FETCH_FAILED;
    }
    if (t->html) {
        snprintf(why, why_byte, "the server answered with a web page");
        return FETCH_FAILED;
    }
    /* HTTP/2 frames say themselves where a body ends */
    curl_easy_getinfo(curl, CURLINFO_HTTP_VERSION, &version);
    if (!t->chunked && !t->length_seen && version < CURL_HTTP_VERSION_2_0) {
        snprintf(why, why_byte, "incomplete: nothing says where the body ends");
        return FETCH_FAILED;
    }
    return GOOD;
}

static enum status transfer(CURL *curl, struct transfer *t, int conditional,
                            char *why, size_t why_byte)
{
    char error[CURL_ERROR_SIZE] = "";
    curl_off_t retry = 0;
    CURLcode code;

    if (!set_options(curl, t, error))
        return NO_MEMORY;
    code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &t->answer.http);
    if (curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry) == CURLE_OK
        && retry > 0)
        t->answer.retry_after = retry < RETRY_MAX ? (long)retry : RETRY_MAX;
    if (code == CURLE_OK)
        return judge(curl, t, conditional, why, why_byte);
    if (code == CURLE_OUT_OF_MEMORY)
        return NO_MEMORY;
    snprintf(why, why_byte, "%s", t->stop ? t->stop
             : *error ? error : curl_easy_strerror(code));
    return t->stop ? t->stop_status : FETCH_FAILED;
}

enum status fetch_get(struct fetch *fetch, const struct fetch_request *request,
                      struct fetch_answer *answer, char *why, size_t why_byte)
{
    struct transfer t = { .request = request, .stop_status = FETCH_FAILED,
                          .answer = { .hash = 14695981039346656037u } };
    int conditional = *request->etag || *request->last_modified;
    const char *fault = address_fault(request->address, request->insecure);
    struct curl_slist *headers = NULL;
    enum status status = NO_MEMORY;

    *answer = (struct fetch_answer){ .http = 0 };
    if (fault) {
        snprintf(why, why_byte, "%s", fault);
        return FETCH_FAILED;
    }
    curl_easy_reset(fetch->curl);
    if (add_header(&headers, "If-None-Match", request->etag)
        && add_header(&headers, "If-Modified-Since", request->last_modified)
        && add_header(&headers, request->key_header, request->key)
        && curl_easy_setopt(fetch->curl, CURLOPT_HTTPHEADER, headers)
           == CURLE_OK)
        status = transfer(fetch->curl, &t, conditional, why, why_byte);
    curl_slist_free_all(headers);
    if (status == GOOD && fflush(request->body)) {
        snprintf(why, why_byte, "the temporary file could not be written");
        status = WRITE_FAILED;
    }
    if (status == GOOD || status == FEED_UNCHANGED) {
        *answer = t.answer;
    } else {
        answer->http = t.answer.http;
        answer->retry_after = t.answer.retry_after;
    }
    return status;
}
