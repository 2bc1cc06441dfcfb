/* main.c: picks command line, CGI or FastCGI and carries requests between
   them and app_handle(). The only file that knows libfcgi, the environment
   and today's date. Both gputco and gputco-documents start here; `documents`
   says which of them this is. */
#include <errno.h>
#include <fcgiapp.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fcgi/app.h"
#include "fcgi/cli.h"
#include "fcgi/documents.h"
#include "fcgi/live.h"
#include "fcgi/serve.h"
#include "fcgi/wire.h"

enum { ACTIVATED_FD = 3, /* first descriptor of LISTEN_FDS */
       BASE_URL_BYTE_MAX = 512,
       WAIT_MS_MAX = 2000,      /* a request that waited longer gets 503 */
       WAIT_MS_LIKELY = 60000 };/* past this the clocks must have moved */

/* The library's own accept gives one connection to one thread for as long
   as it is kept. We hand it connections instead, through two fields that its
   header shows but does not promise: ipcFd and keepConnection. Their place
   is checked here and their effect by handoff_works() in every worker. */
_Static_assert(offsetof(FCGX_Request, ipcFd)
                   == offsetof(FCGX_Request, paramsPtr) + sizeof(void *)
               && offsetof(FCGX_Request, keepConnection)
                   == offsetof(FCGX_Request, ipcFd) + 2 * sizeof(int)
               && offsetof(FCGX_Request, detached)
                   == offsetof(FCGX_Request, ipcFd) + 7 * sizeof(int),
               "libfcgi has another FCGX_Request than this was written for");

static char base_url[BASE_URL_BYTE_MAX];

static const char *setting(const char *name, const char *preset)
{
    const char *value = getenv(name);
    return value && value[0] ? value : preset;
}

/* GPUTCO_TODAY=YYYY-MM-DD stands still, for tests. */
static int fixed_day(void)
{
    const char *text = setting("GPUTCO_TODAY", "");
    int year, month, day, end = 0;

    if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) != 3
        || text[end] != '\0' || year < 1970 || month < 1 || month > 12
        || day < 1 || day > 31)
        return 0;
    return year * 10000 + month * 100 + day;
}

static int today(void)
{
    int day = fixed_day();
    time_t now;
    struct tm utc;

    if (day != 0)
        return day;
    now = time(NULL);
    if (!gmtime_r(&now, &utc))
        return 19700101;
    return (utc.tm_year + 1900) * 10000 + (utc.tm_mon + 1) * 100 + utc.tm_mday;
}

static const char *store_name(void)
{
    return setting("GPUTCO_DB", "run/gputco.db");
}

static void read_base_url(void)
{
    const char *url = setting("GPUTCO_URL", "");
    size_t byte = strlen(url);

    while (byte > 0 && url[byte - 1] == '/')
        byte--;
    if (byte >= sizeof base_url)
        byte = 0;
    memcpy(base_url, url, byte);
    base_url[byte] = '\0';
}

/* ---- FastCGI ----------------------------------------------------------- */

struct hand { /* what a thread keeps */
    FCGX_Request fcgi;
    struct wire wire;
};

static void hand_close(void *kept)
{
    struct hand *hand = kept;

    wire_free(&hand->wire);
    free(hand);
}

static void *hand_open(void)
{
    struct hand *hand = calloc(1, sizeof *hand);

    if (!hand)
        return NULL;
    wire_init(&hand->wire);
    if (FCGX_InitRequest(&hand->fcgi, -1, 0) != 0) {
        hand_close(hand);
        return NULL;
    }
    return hand;
}

/* Takes one request from a ready connection. 1, or 0 when there is none; the
   library has closed the connection then. */
static int hand_take(struct hand *hand, int fd)
{
    hand->fcgi.ipcFd = fd;
    hand->fcgi.keepConnection = 1; /* else it would be closed as "finished" */
    if (FCGX_Accept_r(&hand->fcgi) == 0)
        return 1;
    hand->fcgi.ipcFd = -1;
    return 0;
}

/* Ends the request. 1 if the connection is still open. */
static int hand_back(struct hand *hand)
{
    int open;

    FCGX_Finish_r(&hand->fcgi);
    open = hand->fcgi.ipcFd >= 0;
    hand->fcgi.ipcFd = -1;
    return open;
}

static const char *fcgi_variable(const void *from, const char *name)
{
    const struct hand *hand = from;

    return FCGX_GetParam(name, hand->fcgi.envp);
}

static size_t fcgi_read(void *from, char *at, size_t byte)
{
    struct hand *hand = from;
    int got = FCGX_GetStr(at, (int)byte, hand->fcgi.in);

    return got > 0 ? (size_t)got : 0;
}

static void fcgi_put(struct hand *hand, const struct text *text)
{
    if (text->byte > 0 && text->byte <= INT_MAX)
        FCGX_PutStr(text->at, (int)text->byte, hand->fcgi.out);
}

/* Reading a body takes time in which the reader may have left. */
static int has_left(int fd)
{
    struct pollfd look = { .fd = fd };

    return poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR));
}

/* How long the request waited since nginx was about to send it, in line for
   a thread or for the connection to be accepted. 0 when nginx does not say. */
static long waited_ms(const struct hand *hand)
{
    const char *text = FCGX_GetParam("REQUEST_START", hand->fcgi.envp);
    struct timespec now;
    double waited;

    if (!text || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return 0;
    waited = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6
        - strtod(text, NULL) * 1e3;
    return waited > 0 && waited < WAIT_MS_LIKELY ? (long)waited : 0;
}

/* A body that was read while it was answered: its end. 0 when it never came,
   and so the answer is to half of it. */
static int take_rest(struct hand *hand)
{
    if (!hand->wire.read)
        return 1;
    if (!wire_rest(&hand->wire))
        hand->fcgi.keepConnection = 0; /* too long: answered all the same */
    else
        FCGX_Detach(&hand->fcgi);
    if (FCGX_GetError(hand->fcgi.in) == 0)
        return 1;
    hand->fcgi.keepConnection = 0;
    return 0;
}

/* Answers one request: reads it to its end whatever becomes of it, since
   what is left unread would be taken for the next request. */
static int fcgi_answer(void *kept, int fd, enum serve_kind kind, int last,
                       const struct world *world)
{
    struct hand *hand = kept;
    struct wire *wire = &hand->wire;
    int refused, whole;

    if (!hand_take(hand, fd))
        return 0;
    refused = wire_fill(wire, fcgi_variable, hand, base_url);
    whole = wire_body(wire, fcgi_read, hand);
    if (last || kind == SERVE_SHED || !whole)
        hand->fcgi.keepConnection = 0;
    if (whole && !wire_pending(wire))
        FCGX_Detach(&hand->fcgi); /* nothing unread: close without waiting */
    if (FCGX_GetError(hand->fcgi.in) != 0
        || (wire->request.body_byte > 0 && has_left(fd))) {
        hand->fcgi.keepConnection = 0;
        return hand_back(hand);
    }
    if (kind == SERVE_SHED || waited_ms(hand) > WAIT_MS_MAX)
        refused = 503;
    if (refused)
        wire_refuse(wire, refused);
    else
        app_handle(world, &wire->request, &wire->response);
    if (!take_rest(hand))
        return hand_back(hand);
    wire_close(wire);
    if (wire->head.failed)
        hand->fcgi.keepConnection = 0;
    fcgi_put(hand, &wire->head);
    fcgi_put(hand, &wire->response.body);
    return hand_back(hand);
}

/* Sends the shortest request through a handed-over connection and sees that
   it comes out, is answered and leaves the connection open. */
static int handoff_works(void)
{
    static const unsigned char asked[] = {
        1, 1, 0, 1, 0, 8, 0, 0,  0, 1, 1, 0, 0, 0, 0, 0, /* begin, keep */
        1, 4, 0, 1, 0, 0, 0, 0,                          /* no more params */
        1, 5, 0, 1, 0, 0, 0, 0,                          /* no body */
    };
    unsigned char said[64];
    struct hand *hand = hand_open();
    int pair[2], works = 0;

    if (hand && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        if (write(pair[1], asked, sizeof asked) == (ssize_t)sizeof asked
            && hand_take(hand, pair[0])) {
            int same = hand->fcgi.ipcFd == pair[0];
            works = same && hand_back(hand) && read(pair[1], said, sizeof said)
                >= 16 && send(pair[0], "x", 1, MSG_NOSIGNAL) == 1;
        }
        close(pair[0]);
        close(pair[1]);
    }
    if (hand)
        hand_close(hand);
    return works;
}

static int fcgi_begin(void)
{
    if (FCGX_Init() != 0 || !handoff_works()) {
        fputs("gputco: start worker: libfcgi does not take connections\n",
              stderr);
        return 1;
    }
    return 0;
}

/* A listening socket from systemd, or -1. */
static int activated_listener(void)
{
    if (atol(setting("LISTEN_PID", "0")) != (long)getpid()
        || atol(setting("LISTEN_FDS", "0")) < 1
        || !serve_is_listener(ACTIVATED_FD))
        return -1;
    return ACTIVATED_FD;
}

static int serve_main(int argc)
{
    struct serve_setup setup = {
        .socket_path = setting(documents.socket_variable, documents.socket),
        .workers = documents.workers, .threads = documents.threads,
        .store = store_name(),
        .today = today, .begin = fcgi_begin,
        .open = hand_open, .close = hand_close, .answer = fcgi_answer,
    };

    if (argc > 2) {
        fprintf(stderr, "gputco: serve takes no arguments; %s and GPUTCO_DB "
                "say where\n", documents.socket_variable);
        return 2;
    }
    setup.listener = activated_listener();
    if (setup.listener < 0 && serve_is_listener(STDIN_FILENO))
        setup.listener = STDIN_FILENO;
    /* The library's farewell to a broken peer: 0.1 s instead of 2 s. */
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "100", 0);
    return serve_run(&setup);
}

/* ---- CGI --------------------------------------------------------------- */

static const char *cgi_variable(const void *from, const char *name)
{
    (void)from;
    return getenv(name);
}

struct rest { size_t byte; }; /* what CONTENT_LENGTH still promises */

static size_t cgi_read(void *from, char *at, size_t byte)
{
    struct rest *rest = from;
    size_t want = byte < rest->byte ? byte : rest->byte;
    size_t got = fread(at, 1, want, stdin);

    rest->byte -= got;
    return got;
}

/* 1 with the promised length, 0 if it is no number. */
static int content_length(struct rest *rest)
{
    const char *text = setting("CONTENT_LENGTH", "0");
    char *end;

    errno = 0;
    rest->byte = (size_t)strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && text[0] >= '0' && text[0] <= '9';
}

static void cgi_answer(struct wire *wire, struct live *live)
{
    struct rest rest;
    int refused = wire_fill(wire, cgi_variable, NULL, base_url);

    if (!refused && !content_length(&rest))
        refused = 400;
    if (!refused && wire_body(wire, cgi_read, &rest) && rest.byte > 0
        && !wire->request.body_too_large && !wire_pending(wire))
        refused = 400; /* cut short */
    if (!refused)
        app_handle(live_pin(live, 0), &wire->request, &wire->response);
    if (!refused && wire_rest(wire) && wire->read && rest.byte > 0)
        refused = 400; /* so was this, which was read while answered */
    if (refused)
        wire_refuse(wire, refused);
    wire_close(wire);
}

static int cgi_main(void)
{
    struct wire *wire = calloc(1, sizeof *wire);
    struct live *live = live_open(store_name(), today(), NULL);
    int failed = 1;

    if (wire && live) {
        wire_init(wire);
        cgi_answer(wire, live);
        if (wire->head.byte > 0)
            fwrite(wire->head.at, 1, wire->head.byte, stdout);
        if (wire->response.body.byte > 0)
            fwrite(wire->response.body.at, 1, wire->response.body.byte, stdout);
        failed = fflush(stdout) != 0 || ferror(stdout);
        wire_free(wire);
        live_unpin(live, 0);
    }
    live_close(live);
    free(wire);
    return failed;
}

/* ---- command line -------------------------------------------------------- */

static struct live *command_live; /* NULL until a command wants prices */

static const struct world *command_world(void)
{
    if (!command_live)
        command_live = live_open(store_name(), today(), NULL);
    if (!command_live) {
        fputs("gputco: out of memory\n", stderr);
        exit(1);
    }
    return live_pin(command_live, 0);
}

static int command_main(int argc, char **argv)
{
    int code = cli_main(argc, argv, command_world, base_url);

    if (command_live)
        live_unpin(command_live, 0);
    live_close(command_live);
    return code;
}

/* A CGI program must not read its arguments: servers put an outsider's query
   there (RFC 3875 4.4). So that case is decided first. */
int main(int argc, char **argv)
{
    int listens = serve_is_listener(STDIN_FILENO);

    read_base_url();
    if (!listens && getenv("GATEWAY_INTERFACE"))
        return cgi_main();
    if ((argc > 1 && strcmp(argv[1], "serve") == 0) || (argc <= 1 && listens))
        return serve_main(argc);
    return command_main(argc, argv);
}
