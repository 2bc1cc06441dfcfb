"""Asks the service edge what it promises: fairness, time limits, forged
requests, replacement of workers, a clean stop, the same bytes over CGI and
FastCGI. Runs on the loopback address and in one folder; ends only processes
it started. Usage: serve.py PROBE FOLDER"""
import os, resource, signal, socket, statistics, struct, subprocess, sys
import threading, time

PROBE, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HERE = os.path.dirname(os.path.abspath(__file__))
passed = failed = skipped = 0
started = []
lock = threading.Lock()


def check(what, good, more=""):
    global passed, failed
    with lock:
        if good:
            passed += 1
        else:
            failed += 1
        print(("ok    " if good else "FAIL  ") + what
              + (" (%s)" % more if more != "" else ""), flush=True)
    return good


def skip(what, why):
    global skipped
    skipped += 1
    print("skip  %s: %s" % (what, why), flush=True)


# ---- FastCGI by hand ---------------------------------------------------------

def record(kind, content=b"", number=1):
    return struct.pack(">BBHHBB", 1, kind, number, len(content), 0, 0) + content


def begin(keep=True, number=1):
    return record(1, struct.pack(">HB5x", 1, 1 if keep else 0), number)


def length(n):
    return bytes([n]) if n < 128 else struct.pack(">I", n | 0x80000000)


def params(pairs):
    out = b""
    for name, value in pairs.items():
        name, value = name.encode(), value.encode("latin1")
        out += length(len(name)) + length(len(value)) + name + value
    return out


def stream(kind, content, number=1):
    out = b""
    for at in range(0, len(content), 65528):
        out += record(kind, content[at:at + 65528], number)
    return out + record(kind, b"", number)


def variables(target, method="GET", body=b"", **more):
    path, _, query = target.partition("?")
    known = {"REQUEST_METHOD": method, "REQUEST_URI": target,
             "QUERY_STRING": query, "SERVER_PROTOCOL": "HTTP/1.1",
             "GATEWAY_INTERFACE": "CGI/1.1",
             "CONTENT_LENGTH": str(len(body)) if body else ""}
    known.update(more)
    return {k: v for k, v in known.items() if v is not None}


def request(target, method="GET", body=b"", keep=True, **more):
    return (begin(keep) + stream(4, params(variables(target, method, body, **more)))
            + stream(5, body))


def connect(path, timeout=10):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(timeout)
    s.connect(path)
    return s


def take(s, n):
    out = b""
    while len(out) < n:
        got = s.recv(n - len(out))
        if not got:
            raise EOFError
        out += got
    return out


def answer(s):
    """One answer's bytes; raises EOFError when the connection ends first."""
    out = b""
    while True:
        _, kind, _, size, pad, _ = struct.unpack(">BBHHBB", take(s, 8))
        content = take(s, size + pad)[:size]
        if kind == 6:
            out += content
        if kind == 3:
            return out


def ask(path, target, method="GET", body=b"", timeout=10, **more):
    s = connect(path, timeout)
    try:
        s.sendall(request(target, method, body, keep=False, **more))
        return answer(s)
    finally:
        s.close()


def parts(whole):
    head, _, body = whole.partition(b"\r\n\r\n")
    lines = head.decode("latin1").split("\r\n")
    return {k.lower(): v.strip() for k, _, v in (l.partition(":") for l in lines)}, body


def fields(body):
    return dict(l.split("=", 1) for l in body.decode("latin1").splitlines() if "=" in l)


def status(whole):
    return int(parts(whole)[0].get("status", "0")[:3])


# ---- services -----------------------------------------------------------------

class Service:
    def __init__(self, name, files=None, **env):
        self.folder = os.path.join(FOLDER, name)
        os.makedirs(self.folder, exist_ok=True)
        os.chmod(self.folder, 0o755)
        self.socket = os.path.join(self.folder, "s")
        self.store = os.path.join(self.folder, "store")
        self.env = dict(os.environ, GPUTCO_SOCKET=self.socket, GPUTCO_DB=self.store,
                        PROBE_FOLDER=self.folder, ASAN_OPTIONS="detect_leaks=0", **env)
        self.env.pop("GATEWAY_INTERFACE", None)
        self.log = open(os.path.join(self.folder, "log"), "wb")
        limit = None
        if files:
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        self.process = subprocess.Popen([PROBE, "serve"], env=self.env, stderr=self.log,
                                        stdin=subprocess.DEVNULL, preexec_fn=limit)
        started.append(self.process)
        self.wait()

    def wait(self):
        end = time.time() + 5
        while time.time() < end:
            try:
                return status(ask(self.socket, "/ready"))
            except (OSError, EOFError):
                time.sleep(0.02)
        raise SystemExit("the service does not start: " + self.said())

    def said(self):
        return open(os.path.join(self.folder, "log"), errors="replace").read()

    def workers(self):
        name = "/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)
        try:
            return [int(pid) for pid in open(name).read().split() if alive(int(pid))]
        except FileNotFoundError:
            return []

    def marks(self, name):
        try:
            return os.path.getsize(os.path.join(self.folder, "mark" + name))
        except FileNotFoundError:
            return 0

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


def alive(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(what, seconds):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.01)
    return False


def tried(what, *also):
    """The result of what(), or the exception as a word."""
    try:
        return what(*also)
    except (OSError, EOFError) as error:
        return type(error).__name__.encode()


# ---- checks on the socket -------------------------------------------------------

def test_request(service):
    env = dict(CONTENT_TYPE="text/x", HTTP_CONTENT_ENCODING="br", HTTP_ACCEPT="a/b",
               HTTP_ACCEPT_LANGUAGE="zh", HTTP_IF_NONE_MATCH='"x"',
               HTTP_SEC_FETCH_SITE="cross-site", HTTP_HOST="evil.example",
               HTTP_X_FORWARDED_HOST="evil.example")
    head, body = parts(ask(service.socket, "/a%20b?x=%41&y", "POST", b"hello", **env))
    got = fields(body)
    want = {"method": "POST", "path": "/a%20b", "query": "x=%41&y", "type": "text/x",
            "encoding": "br", "accept": "a/b", "language": "zh", "none_match": '"x"',
            "site": "cross-site", "base": "http://example.org/x", "body_byte": "5",
            "body_sum": str(sum(b"hello")), "too_large": "0", "today": "20260102"}
    wrong = {k: got.get(k) for k in want if got.get(k) != want[k]}
    check("a request arrives whole", not wrong, wrong or "")
    check("Host and X-Forwarded-Host are not looked at", b"evil" not in body)
    check("answer has status, type, length and the application's header",
          head["status"] == "200 OK" and head["content-type"].startswith("text/plain")
          and head["content-length"] == str(len(body)) and head["x-probe"] == "yes")
    get, head_only = ask(service.socket, "/x"), ask(service.socket, "/x", "HEAD")
    check("HEAD: the header of GET, no body",
          parts(head_only)[1] == b"" and parts(head_only)[0]["content-length"]
          == str(len(parts(get)[1]) + 1))  # method=HEAD is one longer
    same = parts(ask(service.socket, "/same"))
    check("304 has neither type nor length nor body",
          same[0]["status"].startswith("304") and "content-length" not in same[0]
          and "content-type" not in same[0] and same[1] == b"")
    broken = parts(ask(service.socket, "/fail"))
    check("an answer that ran out of memory becomes 500",
          broken[0]["status"].startswith("500") and b'"status":500' in broken[1])
    check("a target past 32 KiB is 414",
          status(ask(service.socket, "/" + "a" * 40000)) == 414
          and status(ask(service.socket, "/x?" + "a" * 40000)) == 414)
    got = fields(parts(ask(service.socket, "/x", REQUEST_URI=None, SCRIPT_NAME="/s",
                           PATH_INFO="/p", QUERY_STRING="q=1"))[1])
    check("without REQUEST_URI: SCRIPT_NAME and PATH_INFO",
          (got["path"], got["query"]) == ("/s/p", "q=1"))
    got = fields(parts(ask(service.socket, "/x", REQUEST_URI=None, DOCUMENT_URI="/d"))[1])
    check("without those: DOCUMENT_URI", got["path"] == "/d")
    check("no path at all is 400",
          status(ask(service.socket, "/x", REQUEST_URI=None)) == 400)


def test_body(service):
    for size, large in ((65536, "0"), (65537, "1"), (1 << 20, "1"), (16 << 20, "1")):
        s = connect(service.socket)
        s.sendall(request("/x", "POST", b"a" * size))
        got = fields(parts(answer(s))[1])
        s.sendall(request("/again"))
        again = fields(parts(answer(s))[1])
        s.close()
        check("body of %d bytes: kept up to 64 KiB, read to its end" % size,
              got["body_byte"] == str(min(size, 65536)) and got["too_large"] == large
              and again["path"] == "/again")
    s = connect(service.socket)

    def send():
        tried(s.sendall, request("/x", "POST", b"a" * (20 << 20)) + request("/again"))
    sender = threading.Thread(target=send)
    sender.start()
    first = tried(answer, s)
    second = tried(answer, s)
    s.close()
    sender.join()
    check("body of 20 MiB: the connection is given up, nothing after it is run",
          (first in (b"ConnectionResetError", b"BrokenPipeError", b"EOFError") or b"too_large=1" in first)
          and b"path=" not in second)
    for size in (65535, 65536, 65537, 65536 + 1000, 1 << 20, 16 << 20):
        for target in ("/power-log", "/power-log.json?leave"):
            s = connect(service.socket)
            s.sendall(request(target, "POST", b"a" * size))
            got = fields(parts(answer(s))[1])
            s.sendall(request("/again"))
            again = fields(parts(answer(s))[1])
            s.close()
            more = max(0, size - 65536)
            if "leave" in target:
                more = min(more, 1000)
            check("power log of %d bytes at %s: read as it comes, to its end" % (size, target),
                  got["body_byte"] == str(min(size, 65536)) and got["too_large"] == "0"
                  and got["more_byte"] == str(more) and again["path"] == "/again"
                  and got["body_sum"] == str(97 * (min(size, 65536) + more)))
    s = connect(service.socket)
    s.sendall(request("/power-log", "POST", b"a" * 100000)[:90000])
    s.shutdown(socket.SHUT_WR)
    check("a power log that breaks off is not answered", not tried(answer, s).startswith(b"Status: 200"))
    s.close()
    body = parts(ask(service.socket, "/big?5000000"))[1]
    check("answer of 5,000,000 bytes arrives whole", len(body) == 5000000)


def test_keep(service):
    s = connect(service.socket)
    good = True
    for i in range(50):
        s.sendall(request("/n%d" % i))
        good = good and fields(parts(answer(s))[1])["path"] == "/n%d" % i
    s.close()
    check("fifty requests on one kept connection", good)
    s = connect(service.socket)
    s.sendall(request("/x", keep=False))
    answer(s)
    check("a connection not to be kept is closed", s.recv(1) == b"")
    s.close()


def test_idle(service):
    idle = []
    for _ in range(100):
        s = connect(service.socket)
        s.sendall(request("/x"))
        answer(s)
        idle.append(s)
    idle += [connect(service.socket) for _ in range(100)]
    late = [1 for _ in range(15) if b"path=" not in tried(
        lambda: ask(service.socket, "/x", timeout=2))]
    for s in idle[:100]:
        s.sendall(request("/x"))
    still = sum(1 for s in idle[:100] if b"path=" in tried(answer, s))
    for s in idle:
        s.close()
    check("200 idle connections hold nobody up", not late, "%d of 15 late" % len(late))
    check("and the kept ones go on afterwards", still == 100, still)


def forged(name):
    skippable = struct.pack(">BBHHBB", 1, 5, 99, 8, 0, 0)  # swallows the next
    hidden = (begin(True) + stream(4, params(variables("/mark/" + name))) + record(5))
    return skippable, hidden


def test_forgery(service, port):
    skippable, hidden = forged("control")
    s = connect(service.socket)
    s.sendall(skippable * 4 + hidden)
    tried(answer, s)
    s.close()
    check("control: the hidden bytes are a request when read as one",
          service.marks("control") == 1)
    skippable, hidden = forged("forged")
    sent = 0
    for size in (20000, 60008, 400000):
        for shift in range(16):
            body = b"\0" * shift + skippable * ((size - shift) // 8) + hidden * 3
            for method in ("POST", "GET"):
                s = connect(service.socket)
                s.sendall(request("/x", method, body))
                first = tried(answer, s)
                s.sendall(request("/next"))
                good = b"path=/next\n" in tried(answer, s)
                s.close()
                sent += 1
                if b"path=/x\n" not in first or not good:
                    check("body with a request inside, %d+%d %s" % (size, shift, method), False)
    if port:
        for shift in range(16):
            body = b"\0" * shift + skippable * 7000 + hidden * 3
            for method in ("POST", "GET"):
                http(port, method, "/x", body=body)
                http(port, "GET", "/next")
                sent += 1
    check("requests hidden in bodies are never run", service.marks("forged") == 0,
          "%d of %d run" % (service.marks("forged"), sent))


def test_left(service):
    sleepers = []
    for _ in range(40):  # more than all threads
        s = connect(service.socket)
        s.sendall(request("/sleep?600", keep=False))
        sleepers.append(s)
    time.sleep(0.2)
    for _ in range(50):
        s = connect(service.socket)
        s.sendall(request("/mark/left", keep=False))
        s.close()
    answered = sum(1 for s in sleepers if b"pid=" in tried(answer, s))
    for s in sleepers:
        s.close()
    ask(service.socket, "/x")
    check("work whose asker has left is not done",
          service.marks("left") == 0 and answered == 40,
          "%d of 50 done" % service.marks("left"))


def test_shed(service, port):
    old = parts(ask(service.socket, "/mark/old", REQUEST_START="%.3f" % (time.time() - 4)))[0]
    fresh = status(ask(service.socket, "/x", REQUEST_START="%.3f" % time.time()))
    strange = [status(ask(service.socket, "/x", REQUEST_START=t)) for t in
               ("", "x", "-1", "nan", "inf", "1e308", "0", "%.3f" % (time.time() + 9))]
    check("a request that waited too long is 503 with Retry-After, undone",
          old["status"][:3] == "503" and "retry-after" in old
          and fresh == 200 and service.marks("old") == 0 and set(strange) == {200})
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 4000:
        skip("more connections than the bound", "too few descriptors here")
    else:
        sockets = [connect(service.socket, 10) for _ in range(2600)]
        until(lambda: False, 0.3)
        seen = {}
        for s in sockets:
            s.sendall(request("/x"))
        for s in sockets:
            code = status(tried(answer, s))
            seen[code] = seen.get(code, 0) + 1
        for s in sockets:
            s.close()
        check("connections past the bound are told 503, each of them",
              set(seen) == {200, 503}, seen)
    if port:
        box = []
        crowd = [threading.Thread(target=lambda: box.append(
            http(port, "GET", "/sleep?500").split(b"\r\n")[0][9:12])) for _ in range(70)]
        for c in crowd:
            c.start()
        for c in crowd:
            c.join()
        seen = {code: box.count(code) for code in set(box)}
        check("overload through nginx: some served, the rest told so in time",
              set(seen) == {b"200", b"503"} and seen[b"200"] >= 32, seen)
    check("and all is served again afterwards", status(ask(service.socket, "/x")) == 200)


def test_garbage():
    service = Service("garbage")
    long_name = begin() + record(4, struct.pack(">II", 0xfffffffe, 0xfffffffe))
    for junk in (b"\0" * 64, b"\xff" * 4096, b"GET / HTTP/1.0\r\n\r\n", begin(),
                 begin()[:5], begin() + record(4, b"\x80"), begin() + record(5),
                 record(9, b"\x0e\0FCGI_MPXS_CONNS", 0), long_name,
                 request("/x")[:-9], request("/x") * 3):
        s = connect(service.socket)
        tried(s.sendall, junk)
        tried(s.shutdown, socket.SHUT_WR)
        s.settimeout(3)
        tried(s.recv, 4096)
        s.close()
    good = until(lambda: b"path=" in tried(lambda: ask(service.socket, "/x", timeout=2)), 3)
    check("no bytes on the socket stop the service", good)
    service.stop()


def test_generation(service):
    stop, seen, bad = threading.Event(), set(), []

    def read():
        s = connect(service.socket)
        while not stop.is_set():
            s.sendall(request("/generation?15"))
            got = fields(parts(answer(s))[1])
            seen.add(int(got["generation"]))
            if got["bad"] != "0":
                bad.append(got)
        s.close()
    readers = [threading.Thread(target=read) for _ in range(12)]
    for r in readers:
        r.start()
    last = 1000
    for _ in range(14):
        last += 1
        with open(service.store + ".new", "w") as f:
            f.write("%d\n" % last)
        os.rename(service.store + ".new", service.store)
        time.sleep(0.25)
    both = until(lambda: generations(service) == {last}, 4)
    os.remove(service.store)
    time.sleep(1.2)
    kept = until(lambda: generations(service) == {last}, 4)
    stop.set()
    for r in readers:
        r.join()
    check("price generations change whole under readers", not bad and len(seen) > 2,
          "%d seen, %d torn" % (len(seen), len(bad)))
    check("the newest is served within seconds by every worker", both)
    check("and stays when the store goes away", kept)


def generations(service):
    got = set()
    for _ in range(12):
        got.add(int(fields(parts(ask(service.socket, "/generation?0"))[1])["generation"]))
    return got


def test_degraded():
    service = Service("degraded")
    got = fields(parts(ask(service.socket, "/x"))[1])
    check("without a store: built-in prices, and it says so",
          got["degraded"] == "1" and "built into the program" in got["reason"])
    with open(service.store, "w") as f:
        f.write("7\n")
    check("a store that appears later is taken up", until(
        lambda: fields(parts(ask(service.socket, "/x"))[1])["degraded"] == "0", 9))
    service.stop()


def test_files():
    service = Service("files", files=24)
    before = set(service.workers())
    held = []
    for _ in range(120):
        s = connect(service.socket)
        s.sendall(request("/x"))
        held.append(s)
    seen = until(lambda: "accept:" in service.said(), 3)
    time.sleep(0.3)
    for s in held:
        s.close()
    good = until(lambda: b"path=" in tried(lambda: ask(service.socket, "/x", timeout=2)), 5)
    check("out of descriptors: said, survived, answered afterwards",
          seen and good and set(service.workers()) == before and len(before) == 2)
    service.stop()


def test_killed(service):
    old = service.workers()
    begun = time.time()
    os.kill(old[0], signal.SIGKILL)
    back = until(lambda: len(set(service.workers()) - {old[0]}) == 2, 3)
    took = time.time() - begun
    check("a killed worker is replaced within 1 s", back and took < 1, "%.2f s" % took)
    check("and the service answers", until(
        lambda: b"path=" in tried(lambda: ask(service.socket, "/x", timeout=2)), 3))
    ended, dead, end = 0, set(), time.time() + 2.5
    while time.time() < end:
        for pid in service.workers():
            if pid not in dead:
                dead.add(pid)
                tried(os.kill, pid, signal.SIGKILL)
                ended += 1
        time.sleep(0.005)
    check("workers that die at once are replaced ever more slowly", ended < 20, ended)
    check("and all is well when they stay", until(
        lambda: len(service.workers()) == 2, 8) and b"path=" in ask(service.socket, "/x"))


def test_watchdog():
    service = Service("watchdog")
    before = set(service.workers())
    s = connect(service.socket, 20)
    begun = time.time()
    s.sendall(request("/sleep?60000"))
    quick = []
    while time.time() - begun < 40 and set(service.workers()) & before == before:
        quick.append(tried(lambda: ask(service.socket, "/x", timeout=2)))
        time.sleep(0.05)
    took = time.time() - begun
    stuck = tried(answer, s)
    s.close()
    check("a request past 5 s ends its worker, not before",
          4.9 < took < 40 and stuck in (b"EOFError", b"ConnectionResetError"), "%.1f s" % took)
    lost = sum(1 for q in quick if b"path=" not in q)
    check("others are answered meanwhile", lost == 0, "%d of %d lost" % (lost, len(quick)))
    check("it is in the log and replaced",
          "a request passed" in service.said() and until(lambda: len(service.workers()) == 2, 20))
    service.stop()


def test_stop():
    service = Service("stop")
    workers = service.workers()
    flight = [connect(service.socket) for _ in range(20)]  # 8 run, 12 wait
    for s in flight:
        s.sendall(request("/sleep?500"))
    time.sleep(0.2)
    begun = time.time()
    code = service.stop()
    took = time.time() - begun
    done = sum(1 for s in flight if b"pid=" in tried(answer, s))
    for s in flight:
        s.close()
    check("SIGTERM: requests under way are finished", done == 20, "%d of 20" % done)
    check("then it ends, with code 0 and without its socket",
          code == 0 and took < 8 and not os.path.exists(service.socket)
          and not any(alive(w) for w in workers), "%.1f s" % took)
    check("and without complaint", service.said().count("\n")
          == service.said().count("no probe store"), service.said()[-200:].strip()
          if "ended" in service.said() else "")


def test_stuck_stop():
    service = Service("stuck")
    s = connect(service.socket, 20)
    s.sendall(request("/sleep?60000"))
    time.sleep(0.2)
    begun = time.time()
    service.process.terminate()
    try:
        service.process.wait(12)
        ended = True
    except subprocess.TimeoutExpired:
        service.process.kill()
        ended = False
    s.close()
    check("a clean stop is bounded in time", ended, "%.1f s" % (time.time() - begun))


def test_orphans():
    service = Service("orphans")
    workers = service.workers()
    service.process.kill()
    service.process.wait()
    check("workers do not outlive their parent",
          until(lambda: not any(alive(w) for w in workers), 3))
    again = Service("orphans")
    check("a socket left behind is taken over", status(ask(again.socket, "/x")) == 200)
    second = subprocess.run([PROBE, "serve"], env=again.env, stderr=subprocess.PIPE, timeout=5)
    check("one that is served is not", second.returncode == 1
          and b"already served" in second.stderr and status(ask(again.socket, "/x")) == 200)
    check("socket mode is 0660", os.stat(again.socket).st_mode & 0o777 == 0o660)
    again.stop()


def test_handed(name, how):
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "s")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    env = dict(os.environ, GPUTCO_DB=os.path.join(folder, "none"),
               GPUTCO_SOCKET=os.path.join(folder, "unused"))
    if how == "stdin":
        process = subprocess.Popen([PROBE], env=env, stdin=listener, stderr=subprocess.DEVNULL)
    else:
        script = 'exec 3<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" serve'
        process = subprocess.Popen(["sh", "-c", script, PROBE], env=env, stdin=listener,
                                   stderr=subprocess.DEVNULL)
    started.append(process)
    good = until(lambda: b"path=" in tried(lambda: ask(path, "/x", timeout=2)), 5)
    process.terminate()
    code = process.wait(10)
    check("a listening socket from %s is served and left in place" % how,
          good and code == 0 and os.path.exists(path)
          and not os.path.exists(os.path.join(folder, "unused")))
    listener.close()


def test_cgi(service):
    cases = [("/x?a=1", "GET", b""), ("/x", "HEAD", b""), ("/x", "POST", b"body"),
             ("/big?100000", "GET", b""), ("/same", "GET", b""), ("/fail", "GET", b""),
             ("/x", "POST", b"z" * 70000), ("/power-log", "POST", b"z" * 70000),
             ("/power-log", "POST", b"z" * 70), ("/" + "a" * 40000, "GET", b"")]
    wrong = []
    for target, method, body in cases:
        want = ask(service.socket, target, method, body)
        env = {k: v for k, v in service.env.items()}
        env.update(variables(target, method, body))
        got = subprocess.run([PROBE, "serve"], env=env, input=body, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, timeout=10).stdout
        if got.replace(b"degraded=0", b"") != want.replace(b"degraded=0", b""):
            wrong.append((target[:20], method, got[-200:], want[-200:]))
    check("CGI gives the bytes of FastCGI, whatever its arguments", not wrong, wrong or "")
    env = dict(service.env)
    env.update(variables("/x", "POST", b""), CONTENT_LENGTH="10")
    got = subprocess.run([PROBE], env=env, input=b"short", stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, timeout=10).stdout
    check("CGI: a body cut short is 400", status(got) == 400)
    env.update(variables("/power-log", "POST", b""), CONTENT_LENGTH="100000")
    got = subprocess.run([PROBE], env=env, input=b"z" * 90000, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, timeout=10).stdout
    check("CGI: a power log cut short is 400", status(got) == 400)
    got = subprocess.run([PROBE, "version"], env=service.env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, timeout=10).stdout
    check("without those it is the command line", got == b"cli 2 version\n")


# ---- checks through nginx ---------------------------------------------------------

def raw(port, data, timeout=8):
    s = socket.create_connection(("127.0.0.1", port), timeout)
    out = b""
    try:
        s.sendall(data)
        while True:
            got = s.recv(65536)
            if not got:
                break
            out += got
    except OSError as error:
        out += b" " + type(error).__name__.encode()
    s.close()
    return out


def http(port, method, target, *lines, body=b"", host="localhost", version="HTTP/1.1"):
    text = "%s %s %s\r\n" % (method, target, version)
    if host is not None:
        text += "Host: %s\r\n" % host
    if body:
        text += "Content-Length: %d\r\n" % len(body)
    text += "".join(l + "\r\n" for l in lines) + "Connection: close\r\n\r\n"
    return raw(port, text.encode("latin1") + body)


def free_port():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
    s.close()
    return port


def start_nginx(service):
    which = [p for p in ("/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx")
             if os.access(p, os.X_OK)]
    if not which:
        return None
    folder, port = os.path.join(FOLDER, "web"), free_port()
    static = os.path.join(folder, "static")
    os.makedirs(os.path.join(static, "zh"))
    for name in ("index.html", "zh/index.html", "style.0123abcd.css", "plain.css", "secret.c"):
        with open(os.path.join(static, name), "w") as f:
            f.write("file " + name)
    os.symlink("/etc/passwd", os.path.join(static, "link.css"))
    values = {"@USER@": "user root;" if os.geteuid() == 0 else "", "@RUN@": folder,
              "@SOCKET@": service.socket, "@DOCUMENTS@": service.socket, "@STATIC@": static,
              "@LISTEN@": "127.0.0.1:%d" % port, "@HOSTS@": "other.test 1;", "@NEAR@": "1"}
    for name in ("nginx.conf", "nginx-site.conf"):
        text = open(os.path.join(HERE, "..", "deploy", name)).read()
        for key, value in values.items():
            text = text.replace(key, value)
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    log = os.path.join(folder, "nginx-error.log")
    process = subprocess.Popen([which[0], "-e", log, "-p", folder + "/", "-c",
                                os.path.join(folder, "nginx.conf")],
                               stderr=subprocess.DEVNULL)
    started.append(process)
    if not until(lambda: b"200" in tried(lambda: http(port, "GET", "/x"))[:20], 5):
        raise SystemExit("nginx does not start: " + open(log).read())
    return port


GUARDS = ("content-security-policy", "x-content-type-options", "referrer-policy",
          "cross-origin-opener-policy", "cross-origin-embedder-policy",
          "cross-origin-resource-policy", "permissions-policy")


def test_http(port):
    j = "Content-Type: application/json"
    rows = [
        ("GET /", http(port, "GET", "/"), 200, b"file index.html"),
        ("GET /?lang=zh", http(port, "GET", "/?lang=zh"), 200, b"file zh/index.html"),
        ("GET /?lang=en", http(port, "GET", "/?lang=en"), 200, b"file index.html"),
        ("GET /zh/", http(port, "GET", "/zh/"), 200, b"file zh/index.html"),
        ("GET /zh", http(port, "GET", "/zh"), 308, b""),
        ("hashed file", http(port, "GET", "/style.0123abcd.css"), 200, b"file style"),
        ("plain file", http(port, "GET", "/plain.css"), 200, b"file plain"),
        ("a link to outside is not a file", http(port, "GET", "/link.css"), 200, b"path=/link.css\n"),
        ("a file of another kind is the application's", http(port, "GET", "/secret.c"), 200, b"path=/secret.c\n"),
        ("POST /", http(port, "POST", "/", j, body=b"x"), 405, b""),
        ("DELETE is the application's", http(port, "DELETE", "/compare"), 200, b"method=DELETE"),
        ("B231 body of 65537", http(port, "POST", "/compare", j, body=b"x" * 65537), 413, b""),
        ("body of 65536", http(port, "POST", "/compare", j, body=b"x" * 65536), 200, b"body_byte=65536"),
        ("power log of 1 MB", http(port, "POST", "/power-log", j, body=b"x" * 1000000), 200, b"more_byte=934464\n"),
        ("power log of 17 MB", http(port, "POST", "/power-log", j, "Content-Length: 17000000"), 413, b""),
        ("B233", http(port, "POST", "/compare", j, "Content-Length: -1"), 400, b""),
        ("B234", http(port, "POST", "/compare", j, "Content-Length: 1", "Content-Length: 2"), 400, b""),
        ("B235", http(port, "POST", "/compare", j, "Content-Length: 1", "Transfer-Encoding: chunked"), 400, b""),
        ("B236", raw(port, b"POST /compare HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\na\r\n0\r\n\r\n"), 400, b""),
        ("chunked body", raw(port, b"POST /compare HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                             b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), 200, b"body_byte=3"),
        ("B238 GET with a body", http(port, "GET", "/compare", body=b"x"), 200, b"body_byte=1"),
        ("B239", http(port, "TRACE", "/"), 405, b""),
        ("B240", http(port, "CONNECT", "x:443"), 400, b""),
        ("B248", http(port, "GET", "/compare", "Host: b", host="a"), 400, b""),
        ("B249", http(port, "GET", "/compare", host="evil.example"), 421, b""),
        ("a further name", http(port, "GET", "/compare", host="other.test"), 200, b""),
        ("B251", http(port, "GET", "/compare", "X-Original-URL: /admin"), 200, b"path=/compare\n"),
        ("B255", http(port, "GET", "/", "Range: bytes=0-," + "1-," * 400), 200, b""),
        ("range past the end", http(port, "GET", "/", "Range: bytes=900-"), 416, b""),
        ("B256", http(port, "GET", "/compare", "Cookie: " + "a" * 9000), 400, b""),
        ("B257", http(port, "GET", "/compare", *["X-%d: %s" % (i, "a" * 890) for i in range(100)]), 400, b""),
        ("B260", http(port, "GET", "/compare", "X-Test: a\0b"), 400, b""),
        ("B263", http(port, "GET", "/compare", host=None, version="HTTP/1.0"), 200, b""),
        ("HTTP/1.1 without Host", http(port, "GET", "/compare", host=None), 400, b""),
        ("B264", http(port, "GET", "/compare", version="HTTP/9.9"), 505, b""),
        ("B265", http(port, "GET", "http://evil.example/compare"), 421, b""),
        ("B266", http(port, "GET", "/../../etc/passwd"), 400, b""),
        ("B267", http(port, "GET", "/..%2f..%2fetc%2fpasswd"), 400, b""),
        ("B268", http(port, "GET", "/%2e%2e/%2e%2e/etc/passwd"), 400, b""),
        ("B271", http(port, "GET", "/index.html%00.png"), 400, b""),
        ("B272", http(port, "GET", "/.git/config"), 404, b""),
        ("B273", http(port, "GET", "/%2egit/config"), 404, b""),
        ("B275", http(port, "GET", "/app.db"), 404, b""),
        ("B276", http(port, "GET", "/app.DB"), 404, b""),
        ("B277", http(port, "GET", "/app.db-wal"), 404, b""),
        ("B286 //compare is no other name for it", http(port, "GET", "//compare"), 200, b"path=//compare\n"),
        ("B290", http(port, "GET", "/" + "a" * 9000), 414, b""),
        ("no line at all", raw(port, b"\x16\x03\x01\x02\r\n\r\n"), 400, b""),
    ]
    for what, got, want, inside in rows:
        head, body = parts(got)
        first = got.split(b"\r\n")[0].decode("latin1")
        code = int(first.split()[1]) if first[:5] == "HTTP/" else 0
        missing = [g for g in GUARDS if g not in head]
        refused = code >= 400 and head.get("content-type") != "application/problem+json" and code != 416
        if code != want or inside not in body or missing or refused or b"nginx/" in got:
            check("http: " + what, False, "%s %s" % (first, missing))
    check("http: %d requests get their status, all with the guarding headers" % len(rows), True)
    head = parts(http(port, "POST", "/", body=b"x"))[0]
    check("405 of a file says Allow", head.get("allow") == "GET, HEAD")
    check("files may be kept: the form after asking, hashed ones for good",
          parts(http(port, "GET", "/"))[0].get("cache-control") == "no-cache"
          and "immutable" in parts(http(port, "GET", "/style.0123abcd.css"))[0]["cache-control"]
          and "cache-control" not in parts(http(port, "GET", "/compare.txt"))[0])
    check("a card may stand in a foreign frame, a page may not",
          "frame-ancestors *" in parts(http(port, "GET", "/embed/compare"))[0]["content-security-policy"]
          and "frame-ancestors 'none'" in parts(http(port, "GET", "/compare"))[0]["content-security-policy"])


def clients(port, count, seconds, target="/x"):
    """Closed-loop clients on kept connections; answers of each."""
    counts, stop = [0] * count, time.time() + seconds
    line = ("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % target).encode()

    def run(i):
        s = socket.create_connection(("127.0.0.1", port), 5)
        try:
            while time.time() < stop:
                s.sendall(line)
                got = s.recv(65536)
                while b"\r\n\r\n" not in got:
                    got += s.recv(65536)
                size = int(got.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                while len(got) - got.index(b"\r\n\r\n") - 4 < size:
                    got += s.recv(65536)
                counts[i] += got.startswith(b"HTTP/1.1 200")
        except (OSError, IndexError, ValueError):
            pass
        s.close()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return counts


def test_fair(port):
    counts = clients(port, 64, 3)
    least, middle = min(counts), statistics.median(counts)
    check("64 clients: every one is answered, none far less than others",
          least > 0 and least >= 0.25 * middle, "%d / %d, min / median" % (least, middle))


def test_slow(port):
    slow = []
    for i in range(200):
        s = socket.create_connection(("127.0.0.1", port), 5)
        s.sendall(b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + b"a" * 500)
        slow.append(s)
        s = socket.create_connection(("127.0.0.1", port), 5)
        s.sendall(b"GET /big?60000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        slow.append(s)
    late = 0
    for _ in range(15):
        late += not tried(lambda: http(port, "GET", "/x")).startswith(b"HTTP/1.1 200")
    for s in slow:
        s.close()
    check("200 slow posters and 200 slow readers hold nobody up", late == 0, "%d of 15 late" % late)


def test_killed_behind(port, service):
    """Workers die while clients ask: some requests are lost, no client is."""
    box = []
    load = threading.Thread(target=lambda: box.append(clients(port, 16, 3, "/x")))
    load.start()
    time.sleep(0.8)
    for pid in service.workers()[:1]:
        os.kill(pid, signal.SIGKILL)
    load.join()
    good = until(lambda: http(port, "GET", "/x").startswith(b"HTTP/1.1 200"), 3)
    check("a worker killed under load: the site goes on", good and sum(box[0]) > 0)


def run(test, *what):
    try:
        test(*what)
    except Exception as error:  # a check that cannot go on has failed
        check("%s ran to its end" % test.__name__, False, repr(error))


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE,
                       (min(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
                        resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    os.chmod(FOLDER, 0o755)
    aside = [threading.Thread(target=run, args=(t,)) for t in
             (test_watchdog, test_stuck_stop, test_degraded)]
    for t in aside:
        t.start()
    service = Service("main", GPUTCO_TODAY="2026-01-02", GPUTCO_URL="http://example.org/x/")
    with open(service.store, "w") as f:
        f.write("1000\n")
    port = start_nginx(service)
    if port is None:
        skip("everything through nginx", "no nginx here")
    until(lambda: generations(service) == {1000}, 9)
    for test in (test_request, test_body, test_keep, test_idle, test_cgi):
        run(test, service)
    run(test_forgery, service, port)
    run(test_left, service)
    if port:
        for test in (test_http, test_fair, test_slow):
            run(test, port)
    run(test_generation, service)
    for t in aside:
        t.join()
    run(test_shed, service, port)
    run(test_garbage)
    run(test_files)
    if port:
        run(test_killed_behind, port, service)
    run(test_killed, service)
    run(test_stop)
    run(test_orphans)
    run(test_handed, "fd0", "stdin")
    run(test_handed, "fd3", "LISTEN_FDS")
    fault = [l for l in service.said().splitlines()
             if "Sanitizer" in l or "runtime error" in l]
    check("the log holds no fault of ours", not fault, fault[0] if fault else "")
    check("the main service stops cleanly", service.stop() == 0)


try:
    main()
finally:
    for process in started:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
print("%d passed, %d failed%s" % (passed, failed, ", %d skipped" % skipped if skipped else ""))
sys.exit(1 if failed else 0)
