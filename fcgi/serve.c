/* serve.c: processes, connections and time limits of the service.

   The parent only forks, watches and replaces workers; it never looks at a
   connection. In a worker one epoll set holds the listening socket and every
   idle connection, each armed for one event. A free thread takes whichever
   is ready, so no kept connection owns a thread and none can starve the
   others. A main thread without requests renews prices and date. */
#define _GNU_SOURCE
#include "fcgi/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fcgi/live.h"

enum { LOOK_MS = 100,            /* the parent looks at its workers */
       TICK_MS = 1000,           /* a worker looks at store and date */
       QUIET_MS = 50,            /* a stopping thread waits this for more */
       ACCEPT_PAUSE_MS = 20,     /* after accept failed for want of room */
       SHORT_LIFE_MS = 1000, PAUSE_MS_FIRST = 100, PAUSE_MS_MAX = 5000,
       KILL_AFTER_MS = 500,      /* for the other requests of a stuck worker */
       FILES_WANTED = 4096, STACK_BYTE = 8 * 1024 * 1024 };

_Static_assert((int)SERVE_THREADS <= (int)LIVE_READER_MAX,
               "a reader for each thread");

/* Shared by parent and workers: since when a thread is on its request. */
struct slot { _Atomic(int64_t) since_ms; };
struct board {
    struct slot slot[SERVE_WORKERS][SERVE_THREADS];
    atomic_int whole_stop; /* the service ends, not just one worker */
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void pause_ms(long ms)
{
    struct timespec rest = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&rest, NULL);
}

/* ---- a worker ---------------------------------------------------------- */

struct worker {
    const struct serve_setup *setup;
    struct board *board;
    struct slot *slot;
    struct live *live;
    int listener, ready; /* ready: the epoll set */
    atomic_int stop, open;
    atomic_ulong accept_failed;
    _Atomic(int64_t) accept_told_ms;
};

struct seat { /* one thread's place in a worker */
    struct worker *worker;
    unsigned number;
    pthread_t thread;
};

static int arm(struct worker *worker, int how, int fd)
{
    struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT,
                                 .data.fd = fd };

    return epoll_ctl(worker->ready, how, fd, &event);
}

static void drop(struct worker *worker, int fd)
{
    close(fd);
    atomic_fetch_sub(&worker->open, 1);
}

static void welcome(struct worker *worker, int fd)
{
    struct timeval limit = { .tv_sec = SERVE_IO_S_MAX };

    atomic_fetch_add(&worker->open, 1);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (arm(worker, EPOLL_CTL_ADD, fd) != 0)
        drop(worker, fd);
}

/* No descriptor or memory left: that passes, so wait rather than die. */
static void accept_failed(struct worker *worker, int error)
{
    unsigned long count = atomic_fetch_add(&worker->accept_failed, 1) + 1;
    int64_t now = now_ms(), told = atomic_load(&worker->accept_told_ms);

    if ((told == 0 || now - told >= 1000)
        && atomic_compare_exchange_strong(&worker->accept_told_ms, &told, now))
        fprintf(stderr, "gputco: accept: %s (%lu so far)\n", strerror(error),
                count);
    pause_ms(ACCEPT_PAUSE_MS);
}

/* One at a time, so that free threads of all workers share what comes. */
static void accept_one(struct worker *worker)
{
    int fd = accept4(worker->listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd >= 0)
        welcome(worker, fd);
    else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        accept_failed(worker, errno);
    if (!atomic_load(&worker->stop)
        || atomic_load(&worker->board->whole_stop))
        arm(worker, EPOLL_CTL_MOD, worker->listener);
}

static void answer_one(struct seat *seat, void *kept, int fd)
{
    struct worker *worker = seat->worker;
    struct slot *slot = &worker->slot[seat->number];
    int last = atomic_load(&worker->stop), keep;
    enum serve_kind kind = atomic_load(&worker->open) > SERVE_OPEN_MAX
        ? SERVE_SHED : SERVE_ANSWER;

    atomic_store(&slot->since_ms, now_ms());
    keep = worker->setup->answer(kept, fd, kind, last,
                                 live_pin(worker->live, seat->number));
    live_unpin(worker->live, seat->number);
    atomic_store(&slot->since_ms, 0);
    if (!keep)
        atomic_fetch_sub(&worker->open, 1);
    else if (arm(worker, EPOLL_CTL_MOD, fd) != 0)
        drop(worker, fd);
}

static void *sit(void *argument)
{
    struct seat *seat = argument;
    struct worker *worker = seat->worker;
    void *kept = worker->setup->open();
    struct epoll_event event;
    sigset_t wake;

    if (!kept) {
        fputs("gputco: start thread: out of memory\n", stderr);
        _exit(1);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &wake);
    sigdelset(&wake, SIGUSR2); /* lets a stop interrupt the wait, only that */
    for (;;) {
        int stop = atomic_load(&worker->stop);
        int count = epoll_pwait(worker->ready, &event, 1,
                                stop ? QUIET_MS : -1, &wake);
        if (count == 0 && stop)
            break;
        if (count < 0 && errno != EINTR) {
            fprintf(stderr, "gputco: epoll_wait: %s\n", strerror(errno));
            pause_ms(ACCEPT_PAUSE_MS);
        }
        if (count <= 0)
            continue;
        if (event.data.fd == worker->listener)
            accept_one(worker);
        else if (event.events & (EPOLLHUP | EPOLLERR))
            drop(worker, event.data.fd); /* nobody waits for an answer */
        else
            answer_one(seat, kept, event.data.fd);
    }
    worker->setup->close(kept);
    return NULL;
}

static void wake_up(int signal_number)
{
    (void)signal_number;
}

static void set_handler(int signal_number, void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler };

    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

/* The library takes signals over when it starts; these are ours. SIGTERM is
   blocked in all threads and waited for by the main one. */
static void worker_signals(sigset_t *term)
{
    sigset_t blocked;

    set_handler(SIGPIPE, SIG_IGN);
    set_handler(SIGXFSZ, SIG_IGN);
    set_handler(SIGINT, SIG_IGN); /* the terminal's ^C is the parent's */
    set_handler(SIGHUP, SIG_IGN);
    set_handler(SIGUSR1, SIG_IGN);
    set_handler(SIGCHLD, SIG_DFL);
    set_handler(SIGTERM, SIG_DFL);
    set_handler(SIGUSR2, wake_up);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    sigemptyset(term);
    sigaddset(term, SIGTERM);
}

static int worker_threads(struct worker *worker, struct seat *seat,
                          const sigset_t *term)
{
    struct timespec tick = { TICK_MS / 1000, TICK_MS % 1000 * 1000000 };
    pthread_attr_t roomy;

    /* A request lives on the stack: do not leave its size to the shell. */
    pthread_attr_init(&roomy);
    pthread_attr_setstacksize(&roomy, STACK_BYTE);
    for (unsigned i = 0; i < worker->setup->threads; i++) {
        seat[i] = (struct seat){ .worker = worker, .number = i };
        if (pthread_create(&seat[i].thread, &roomy, sit, &seat[i]) != 0) {
            fputs("gputco: start thread: no room\n", stderr);
            return 1;
        }
    }
    pthread_attr_destroy(&roomy);
    while (sigtimedwait(term, NULL, &tick) != SIGTERM)
        live_tick(worker->live, worker->setup->today());
    atomic_store(&worker->stop, 1);
    if (!atomic_load(&worker->board->whole_stop))
        epoll_ctl(worker->ready, EPOLL_CTL_DEL, worker->listener, NULL);
    for (unsigned i = 0; i < worker->setup->threads; i++)
        pthread_kill(seat[i].thread, SIGUSR2);
    for (unsigned i = 0; i < worker->setup->threads; i++)
        pthread_join(seat[i].thread, NULL);
    return 0;
}

static int worker_run(const struct serve_setup *setup, struct board *board,
                      unsigned number, int listener)
{
    struct worker worker = { .setup = setup, .board = board,
                             .slot = board->slot[number],
                             .listener = listener };
    struct seat seat[SERVE_THREADS];
    sigset_t term;
    int code;

    if (setup->begin() != 0)
        return 1;
    worker_signals(&term);
    worker.ready = epoll_create1(EPOLL_CLOEXEC);
    worker.live = live_open(setup->store, setup->today(), stderr);
    if (worker.ready < 0 || !worker.live
        || arm(&worker, EPOLL_CTL_ADD, listener) != 0) {
        fputs("gputco: start worker: no room\n", stderr);
        return 1;
    }
    code = worker_threads(&worker, seat, &term);
    if (code == 0)
        live_close(worker.live);
    return code;
}

/* ---- the parent -------------------------------------------------------- */

struct child {
    pid_t pid;          /* 0: none */
    int64_t born_ms;
    int64_t next_ms;    /* not before this is it replaced */
    int64_t kill_ms;    /* told to end; killed then; 0: not told */
    int64_t pause_ms;   /* grows while workers die at once */
};

struct parent {
    const struct serve_setup *setup;
    struct board *board;
    struct child child[SERVE_WORKERS];
    int listener;
    int stop;
};

static void child_start(struct parent *parent, unsigned number)
{
    struct child *child = &parent->child[number];
    pid_t parent_pid = getpid(), pid;

    for (unsigned i = 0; i < SERVE_THREADS; i++)
        atomic_store(&parent->board->slot[number][i].since_ms, 0);
    pid = fork();
    if (pid == 0) {
        /* Without the parent nobody would watch: end with it. */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent_pid)
            _exit(1);
        _exit(worker_run(parent->setup, parent->board, number,
                         parent->listener));
    }
    child->born_ms = now_ms();
    child->kill_ms = 0;
    if (pid < 0) {
        fprintf(stderr, "gputco: fork: %s\n", strerror(errno));
        child->next_ms = child->born_ms + PAUSE_MS_FIRST;
        return;
    }
    child->pid = pid;
}

static void child_ended(struct parent *parent, pid_t pid, int how)
{
    struct child *child = parent->child;
    int64_t now = now_ms();

    while (child < parent->child + SERVE_WORKERS && child->pid != pid)
        child++;
    if (child == parent->child + SERVE_WORKERS)
        return;
    child->pid = 0;
    if (now - child->born_ms >= SHORT_LIFE_MS)
        child->pause_ms = 0;
    child->next_ms = now + child->pause_ms;
    child->pause_ms = child->pause_ms == 0 ? PAUSE_MS_FIRST
        : child->pause_ms * 2 > PAUSE_MS_MAX ? PAUSE_MS_MAX
        : child->pause_ms * 2;
    if (parent->stop && WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return;
    if (WIFSIGNALED(how))
        fprintf(stderr, "gputco: worker %ld ended by signal %d\n", (long)pid,
                WTERMSIG(how));
    else
        fprintf(stderr, "gputco: worker %ld ended with code %d\n", (long)pid,
                WEXITSTATUS(how));
}

static void reap(struct parent *parent)
{
    pid_t pid;
    int how;

    while ((pid = waitpid(-1, &how, WNOHANG)) > 0)
        child_ended(parent, pid, how);
}

static int is_stuck(struct parent *parent, unsigned number, int64_t now)
{
    for (unsigned i = 0; i < SERVE_THREADS; i++) {
        int64_t since = atomic_load(&parent->board->slot[number][i].since_ms);
        if (since != 0 && now - since > SERVE_REQUEST_MS_MAX)
            return 1;
    }
    return 0;
}

/* The watchdog: a stuck worker may finish its other requests for a moment,
   then it goes. */
static void watch(struct parent *parent)
{
    int64_t now = now_ms();

    for (unsigned i = 0; i < parent->setup->workers; i++) {
        struct child *child = &parent->child[i];
        if (child->pid == 0) {
            if (!parent->stop && now >= child->next_ms)
                child_start(parent, i);
        } else if (child->kill_ms != 0) {
            if (now >= child->kill_ms)
                kill(child->pid, SIGKILL);
        } else if (is_stuck(parent, i, now)) {
            fprintf(stderr, "gputco: worker %ld: a request passed %d ms\n",
                    (long)child->pid, SERVE_REQUEST_MS_MAX);
            kill(child->pid, SIGTERM);
            child->kill_ms = now + KILL_AFTER_MS;
        }
    }
}

static int any_child(const struct parent *parent)
{
    for (unsigned i = 0; i < SERVE_WORKERS; i++)
        if (parent->child[i].pid != 0)
            return 1;
    return 0;
}

static void stop_begin(struct parent *parent)
{
    int64_t end = now_ms() + SERVE_STOP_MS_MAX;

    parent->stop = 1;
    /* Only a socket whose name is gone runs dry and can be emptied. */
    if (parent->setup->listener < 0)
        atomic_store(&parent->board->whole_stop, 1);
    for (unsigned i = 0; i < SERVE_WORKERS; i++) {
        struct child *child = &parent->child[i];
        if (child->pid != 0) {
            kill(child->pid, SIGTERM);
            if (child->kill_ms == 0)
                child->kill_ms = end;
        }
    }
}

static int parent_run(struct parent *parent, const struct stat *own)
{
    const struct timespec look = { 0, LOOK_MS * 1000000L };
    const char *path = parent->setup->socket_path;
    struct stat now;
    sigset_t heard, before;

    sigemptyset(&heard);
    sigaddset(&heard, SIGTERM);
    sigaddset(&heard, SIGINT);
    sigaddset(&heard, SIGCHLD);
    sigprocmask(SIG_BLOCK, &heard, &before);
    do {
        int got;
        watch(parent);
        got = sigtimedwait(&heard, NULL, &look);
        if ((got == SIGTERM || got == SIGINT) && !parent->stop) {
            if (own && lstat(path, &now) == 0 && now.st_ino == own->st_ino
                && now.st_dev == own->st_dev)
                unlink(path);
            stop_begin(parent);
        }
        reap(parent);
    } while (!parent->stop || any_child(parent));
    sigprocmask(SIG_SETMASK, &before, NULL);
    return 0;
}

/* ---- the listening socket ---------------------------------------------- */

int serve_is_listener(int fd)
{
    int listens = 0;
    socklen_t byte = sizeof listens;

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &byte) == 0
        && listens != 0;
}

static int complain(const char *step, const char *path, const char *why)
{
    fprintf(stderr, "gputco: %s %s: %s\n", step, path, why);
    return -1;
}

/* Removes what a service that was killed left behind, nothing else. */
static int clear_name(const struct sockaddr_un *address)
{
    struct stat found;
    int probe, alive;

    if (lstat(address->sun_path, &found) != 0)
        return 0;
    if (!S_ISSOCK(found.st_mode))
        return complain("listen on", address->sun_path, "is not a socket");
    probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    alive = probe >= 0 && (connect(probe, (const struct sockaddr *)address,
                                   sizeof *address) == 0 || errno == EAGAIN);
    if (probe >= 0)
        close(probe);
    if (alive)
        return complain("listen on", address->sun_path, "already served");
    return unlink(address->sun_path);
}

static void make_folder_of(const char *path)
{
    char folder[sizeof ((struct sockaddr_un *)0)->sun_path];
    const char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    mkdir(folder, 0755);
}

static int open_listener(const char *path, struct stat *own)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    mode_t mask;
    int fd, failed;

    if (strlen(path) >= sizeof address.sun_path)
        return complain("listen on", path, "the name is too long");
    memcpy(address.sun_path, path, strlen(path) + 1);
    make_folder_of(path);
    if (clear_name(&address) != 0)
        return -1;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return complain("listen on", path, strerror(errno));
    mask = umask(0117);
    failed = bind(fd, (struct sockaddr *)&address, sizeof address) != 0
        || listen(fd, SERVE_BACKLOG) != 0 || lstat(path, own) != 0;
    umask(mask);
    if (failed) {
        complain("listen on", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

static void want_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FILES_WANTED)
        return;
    files.rlim_cur = files.rlim_max < FILES_WANTED ? files.rlim_max
                                                   : FILES_WANTED;
    setrlimit(RLIMIT_NOFILE, &files);
}

int serve_run(const struct serve_setup *setup)
{
    struct parent parent = { .setup = setup, .listener = setup->listener };
    struct stat own;
    int given = setup->listener >= 0, code;

    want_files();
    umask(077);
    if (given)
        fcntl(setup->listener, F_SETFL,
              fcntl(setup->listener, F_GETFL) | O_NONBLOCK);
    else
        parent.listener = open_listener(setup->socket_path, &own);
    if (parent.listener < 0)
        return 1;
    parent.board = mmap(NULL, sizeof *parent.board, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (parent.board == MAP_FAILED) {
        complain("serve", setup->socket_path, strerror(errno));
        return 1;
    }
    code = parent_run(&parent, given ? NULL : &own);
    munmap(parent.board, sizeof *parent.board);
    close(parent.listener);
    return code;
}
