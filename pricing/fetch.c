/* fetch.c: the only file that knows libcurl (see fetch.h). */
#include "pricing/fetch.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include "pricing/address.h"

enum { HEADER_BYTE_MAX = 65536, TIMEOUT_MS = 30000, RETRY_MAX = 7 * 86400,
       HOP_MAX = 2, ADDRESS_BYTE = 300 };

struct fetch { CURL *curl; };

/* One transfer under way, with the redirects on it. */
struct transfer {
    const struct fetch_request *request;
    char place[HOP_MAX][ADDRESS_BYTE]; /* where redirects led */
    int hop;
    struct fetch_answer answer;
    long long header_byte, spent_byte; /* of all hops; the body's decoded */
    long left_ms;
    int ok;                     /* the status line says 200 */
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
        const char *code = memchr(line, ' ', byte);

        t->ok = code && line + byte - code >= 4 && !strncmp(code, " 200", 4);
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

    t->spent_byte += (long long)byte;
    if (t->spent_byte > t->request->byte_cap) {
        t->stop = "the body is larger than its cap";
        return 0;
    }
    if (!t->ok)
        return byte;
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

/* 1 and the reason noted when nothing is said to this numeric address. */
static int is_refused(struct transfer *t, const char *numeric)
{
    if (t->request->loopback ? !strcmp(numeric, "127.0.0.1")
                             : !address_private(numeric))
        return 0;
    t->stop = "the name leads to a private address";
    return 1;
}

/* Called for each address of a name before anything is sent to it. */
static curl_socket_t open_socket(void *context, curlsocktype purpose,
                                 struct curl_sockaddr *peer)
{
    struct transfer *t = context;
    char numeric[64];

    (void)purpose;
    if (getnameinfo(&peer->addr, peer->addrlen, numeric, sizeof numeric, NULL,
                    0, NI_NUMERICHOST) || is_refused(t, numeric))
        return CURL_SOCKET_BAD;
    return socket(peer->family, peer->socktype, peer->protocol);
}

/* Once more when the connection stands, also for one that stood before. */
static int look_at_peer(void *context, char *peer, char *local, int peer_port,
                        int local_port)
{
    (void)local;
    (void)peer_port;
    (void)local_port;
    return is_refused(context, peer) ? CURL_PREREQFUNC_ABORT
                                     : CURL_PREREQFUNC_OK;
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

/* The address that is asked now. */
static const char *place_of(const struct transfer *t)
{
    return t->hop ? t->place[t->hop - 1] : t->request->address;
}

static int set_options(CURL *curl, struct transfer *t, char error[])
{
    const struct fetch_request *request = t->request;
    const long whole = request->timeout_ms ? request->timeout_ms : TIMEOUT_MS;
    int bad = 0;

#define SET(option, value) \
    bad |= curl_easy_setopt(curl, CURLOPT_##option, value) != CURLE_OK
    SET(URL, place_of(t));
    SET(PROTOCOLS_STR, "https");
    SET(REDIR_PROTOCOLS_STR, "https");
    SET(FOLLOWLOCATION, 0L);
    SET(HTTP09_ALLOWED, 0L);
    SET(NOSIGNAL, 1L);
    SET(CONNECTTIMEOUT_MS, 5000L);
    SET(TIMEOUT_MS, t->left_ms > 0 ? t->left_ms : 1L);
    SET(LOW_SPEED_LIMIT, 100L);
    SET(LOW_SPEED_TIME, whole >= 30000 ? 10L : whole / 3000 + 1);
    SET(MAXFILESIZE_LARGE, (curl_off_t)request->byte_cap);
    SET(SSL_VERIFYPEER, 1L);
    SET(SSL_VERIFYHOST, 2L);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (request->loopback && request->test_ca) {
        SET(CAINFO, request->test_ca);
        SET(CAPATH, NULL);
    }
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
    SET(OPENSOCKETFUNCTION, open_socket);
    SET(OPENSOCKETDATA, t);
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
        snprintf(why, why_byte, "the server answered %ld", t->answer.http);
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

/* Headers of our own: a validator only for the address it came from, the key
   only for the feed's own host. */
static enum status add_headers(CURL *curl, const struct transfer *t,
                               struct curl_slist **list)
{
    const struct fetch_request *request = t->request;
    const int own = address_same_origin(request->origin, place_of(t));

    if ((t->hop || (add_header(list, "If-None-Match", request->etag)
                    && add_header(list, "If-Modified-Since",
                                  request->last_modified)))
        && (!own || add_header(list, request->key_header, request->key))
        && curl_easy_setopt(curl, CURLOPT_HTTPHEADER, *list) == CURLE_OK)
        return GOOD;
    return NO_MEMORY;
}

/* The seconds to wait that the server asks for; 0: none. */
static long retry_of(CURL *curl)
{
    curl_off_t retry = 0;

    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry);
    return retry <= 0 ? 0 : retry < RETRY_MAX ? (long)retry : RETRY_MAX;
}

/* One request and its answer. */
static enum status ask(CURL *curl, struct transfer *t, char *why,
                       size_t why_byte)
{
    char error[CURL_ERROR_SIZE] = "";
    struct curl_slist *headers = NULL;
    curl_off_t took_us = 0;
    CURLcode code;

    t->stop = NULL;
    curl_easy_reset(curl);
    if (!set_options(curl, t, error)
        || add_headers(curl, t, &headers) != GOOD) {
        curl_slist_free_all(headers);
        return NO_MEMORY;
    }
    code = curl_easy_perform(curl);
    curl_slist_free_all(headers);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &t->answer.http);
    curl_easy_getinfo(curl, CURLINFO_TOTAL_TIME_T, &took_us);
    t->left_ms -= (long)(took_us / 1000);
    t->answer.retry_after = retry_of(curl);
    if (code == CURLE_OK)
        return GOOD;
    if (code == CURLE_OUT_OF_MEMORY)
        return NO_MEMORY;
    snprintf(why, why_byte, "%s", t->stop ? t->stop
             : *error ? error : curl_easy_strerror(code));
    return t->stop ? t->stop_status : FETCH_FAILED;
}

static int is_redirect(long http)
{
    return http == 301 || http == 302 || http == 303 || http == 307
           || http == 308;
}

/* Was this address asked before, on the way here? */
static int is_asked(const struct transfer *t, const char *address)
{
    if (!strcmp(t->request->address, address))
        return 1;
    for (int i = 0; i < t->hop; i++)
        if (!strcmp(t->place[i], address))
            return 1;
    return 0;
}

/* What is wrong with going there; NULL: nothing. */
static const char *hop_fault(const struct transfer *t, const char *address)
{
    const char *fault = address_fault(address);

    if (fault)
        return fault;
    if (!feed_may_ask(t->request->feed, t->request->origin, address))
        return "which is not its host";
    if (is_asked(t, address))
        return "which was asked before: a loop";
    return t->hop == HOP_MAX ? "after two redirects" : NULL;
}

/* GOOD: the next place is set. */
static enum status go_on(CURL *curl, struct transfer *t, char *why,
                         size_t why_byte)
{
    char *to = NULL;
    const char *fault;

    curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &to);
    if (!to || !*to) {
        snprintf(why, why_byte, "the server answered %ld without an address",
                 t->answer.http);
        return FETCH_FAILED;
    }
    fault = hop_fault(t, to);
    if (fault) {
        snprintf(why, why_byte, "redirected to %.80s: %s", to, fault);
        return FETCH_FAILED;
    }
    snprintf(t->place[t->hop++], ADDRESS_BYTE, "%s", to);
    return GOOD;
}

static enum status transfer(CURL *curl, struct transfer *t, char *why,
                            size_t why_byte)
{
    const int conditional = *t->request->etag || *t->request->last_modified;
    enum status status = ask(curl, t, why, why_byte);

    while (status == GOOD && is_redirect(t->answer.http)) {
        status = go_on(curl, t, why, why_byte);
        if (status == GOOD)
            status = ask(curl, t, why, why_byte);
    }
    if (status == GOOD)
        status = judge(curl, t, conditional && !t->hop, why, why_byte);
    if (t->hop)
        *t->answer.etag = *t->answer.last_modified = '\0';
    return status;
}

enum status fetch_get(struct fetch *fetch, const struct fetch_request *request,
                      struct fetch_answer *answer, char *why, size_t why_byte)
{
    struct transfer t = { .request = request, .stop_status = FETCH_FAILED,
                          .left_ms = request->timeout_ms ? request->timeout_ms
                                                         : TIMEOUT_MS,
                          .answer = { .hash = 14695981039346656037u } };
    const char *fault = address_fault(request->address);
    enum status status;

    *answer = (struct fetch_answer){ .http = 0 };
    if (fault) {
        snprintf(why, why_byte, "%s", fault);
        return FETCH_FAILED;
    }
    status = transfer(fetch->curl, &t, why, why_byte);
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
