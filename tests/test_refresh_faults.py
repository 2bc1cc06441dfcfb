"""Every way a server of prices can fail, on the first, a middle and the last
body of every feed: the feed's old generation stays to the byte, one line says
what happened, the other feeds of the same run get through, within time and
memory. By HTTPS on loopback; B: the build folder."""
import collections, contextlib, functools, os, re, shutil, signal, socket, sqlite3, subprocess, sys, tempfile, time, zlib
from concurrent.futures import ThreadPoolExecutor

import feed_server
from feed_server import RESET, Server, reply
from feed_shapes import FEEDS, KEYS

B = os.path.abspath(os.environ.get("B", "build"))
PROGRAM = os.path.join(B, "gputco-refresh")
FOLDER = tempfile.mkdtemp(prefix="gputco-faults-")
NOW, DAY = 1764547200, 86400  # 2025-12-01T00:00:00Z
LIMIT_SECOND, MEMORY_KIB = 30, 64 * 1024  # of a request; a run has 20 s more
TEST_CAP = 4 << 20            # for feeds that may be larger
PAGE_BYTE, PAGE_VALUES = 8 << 20, 250000  # at most, of a body that is read whole as JSON
KINDS = 24
ONLY = os.environ.get("GPUTCO_FAULT", "")  # F06, or F06 on az-eastus


def path(*names):
    return os.path.join(FOLDER, *names)


# -- the faults ------------------------------------------------------------------

# pieces(case): what is sent in place of the good answer to body `case.at`;
# says: what the alarm must tell; certificate: of that connection; raw: bytes
# in place of TLS; slow: under short limits; retry: seconds to be kept;
# address: of the feed instead (first body only); gone: nobody listens any more;
# patient: under the limits of every day, on the first feed alone; largest: under
# the cap of every day, where JSON is read as a tree and may be as large.
Fault = collections.namedtuple("Fault", "kind words pieces says certificate raw slow retry address gone patient largest",
                               defaults=(None, None, "good", None, False, 0, None, False, False, False))


def head(case, *more, status="200 OK"):
    return "\r\n".join(["HTTP/1.1 " + status, "Content-Type: " + case.body.kind, "Connection: close"]
                       + list(more) + ["", ""]).encode()


def length(case, by=0):
    return "Content-Length: %d" % (len(case.body.bytes) + by)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def cut(case):
    """The body up to a line's or an item's end behind its middle."""
    body = case.body.bytes
    middle = len(body) // 2
    return body[:body.index(b"\n" if b"\n" in body[middle:-1] else b"}", middle) + 1]


def forever(first, piece, pause=0.0):
    yield first
    end = time.monotonic() + LIMIT_SECOND + 20
    while time.monotonic() < end:
        yield piece
        time.sleep(pause)


def bomb():
    z = zlib.compressobj(9, zlib.DEFLATED, 31)
    return z.compress(b"\n" * (40 << 20)) + z.flush()


BOMB = bomb()


def swarm(case):
    """As many small values as the cap lets in, in the form of the body."""
    body, kind = case.body.bytes, case.body.kind
    if kind == "application/json":
        first, each, last = b'{"Items":[', b"0,", b"0]}"
    elif kind == "text/xml":
        first, each, last = body[:body.index(b"<Cube currency")], b"<Cube currency='AAA' rate='1'/>", b"</gesmes:Envelope>"
    elif kind == "text/yaml":
        first, each, last = body[:body.index(b"  instance:")], b"  a: {b: 1}\n", b""
    else:
        first, each, last = body[:body.index(b"\n", max(0, body.find(b'"SKU"'))) + 1], b"a,b\n", b""
    room = case.cap - sum(len(b.bytes) for b in case.bodies[:case.at])
    whole = first + each * ((room - len(first) - len(last)) // len(each)) + last
    return [reply(whole, kind)]


def largest(case):
    """A body of as many members with the longest texts as a reader may hold as a tree."""
    count = PAGE_VALUES - 2
    long = b"x" * (PAGE_BYTE // count - 13)
    return [reply(b"{" + b",".join(b'"%07x":"%s"' % (i, long) for i in range(count)) + b"}", case.body.kind)]


def redirect(to, status="302 Found"):
    return lambda case: [reply(b"", status=status, more=["Location: " + (to(case) if callable(to) else to)])]


def status(words, *more):
    return lambda case: [reply(b"", status=words, more=more)]


def ring(case):
    """Each place leads to the next: /a0, /a1, /a0 with two."""
    return [reply(b"", status="302 Found", more=["Location: /a%d" % (case.server.connections % 2)])]


def chain(case):
    return [reply(b"", status="307 On", more=["Location: /a%d" % case.server.connections])]


SLOW = r"timed out|too slow|SSL connection timeout"
FAULTS = [
    Fault("F01", "silent before TLS", raw=lambda: forever(b"", b"", 0.2), says=SLOW, slow=True),
    Fault("F01", "silent when asked", lambda c: forever(b"", b"", 0.2), SLOW, slow=True),
    Fault("F02", "one byte each half second", lambda c: forever(head(c, length(c)), b"x", 0.5), SLOW, slow=True),
    Fault("F03", "an endless header", lambda c: forever(head(c)[:-2], b"X-More: " + b"x" * 200 + b"\r\n"),
          "header does not end"),
    Fault("F04", "an endless body", lambda c: forever(head(c, "Transfer-Encoding: chunked"), chunk(b"x\n" * 32768)),
          "larger than its cap"),
    Fault("F05", "more than its cap, and says so", lambda c: [head(c, "Content-Length: %d" % (c.cap + 1))],
          "[Mm]aximum file size"),
    Fault("F05", "more than its cap", lambda c: [head(c, "Transfer-Encoding: chunked")] + [chunk(b"x\n" * 32768)]
          * (c.cap // 65536 + 1), "larger than its cap"),
    Fault("F06", "a gzip bomb", lambda c: [head(c, "Content-Encoding: gzip", "Content-Length: %d" % len(BOMB)), BOMB],
          "larger than its cap"),
    Fault("F07", "a length larger than the body", lambda c: [head(c, length(c, 999)), c.body.bytes],
          "bytes remaining|unexpected eof"),
    Fault("F08", "an absurd length", lambda c: [head(c, "Content-Length: 99999999999999"), c.body.bytes],
          "[Mm]aximum file size"),
    Fault("F09", "a negative length", lambda c: [head(c, "Content-Length: -5"), c.body.bytes], "Content-Length"),
    Fault("F10", "chunks, cut", lambda c: [head(c, "Transfer-Encoding: chunked"), chunk(cut(c))],
          "read data remaining|unexpected eof|incomplete|chunk"),
    Fault("F11", "a bad chunk size", lambda c: [head(c, "Transfer-Encoding: chunked"), b"zz\r\n", c.body.bytes],
          "chunk"),
    Fault("F12", "reset before TLS", raw=lambda: [RESET], says="reset|SSL|onnect"),
    Fault("F12", "reset within the body", lambda c: [head(c, length(c)), cut(c), RESET], "reset|SSL"),
    Fault("F13", "closed before TLS", raw=lambda: [], says="SSL|closed|reset|onnect"),
    Fault("F13", "closed when asked", lambda c: [], "[Ee]mpty reply"),
    Fault("F14", "ended by closing, cut", lambda c: [head(c), cut(c)], "nothing says where the body ends"),
    Fault("F15", "a redirect to itself", redirect(lambda c: c.body.path), "asked before: a loop"),
    Fault("F15", "a ring of redirects", ring, "asked before: a loop"),
    Fault("F15", "redirects without end", chain, "after two redirects"),
    Fault("F16", "a redirect to a file", redirect("file:///etc/passwd"), "redirected to file.*only https"),
    Fault("F16", "a redirect to gopher", redirect("gopher://127.0.0.1/x"), "redirected to gopher.*only https"),
    Fault("F17", "a redirect to plain http", redirect(lambda c: "http" + c.server.address[5:] + c.body.path),
          "redirected to http:.*only https"),
    Fault("F18", "a redirect to a private address", redirect(lambda c: PRIVATE.address + c.body.path),
          "redirected to https://127.0.0.2.*not its host"),
    Fault("F18", "a private address", address=lambda: PRIVATE.address, says="private address"),
    Fault("F19", "500", status("500 No"), "answered 500"),
    Fault("F19", "503, wait 7200 s", status("503 Busy", "Retry-After: 7200"), "answered 503", retry=7200),
    Fault("F19", "429, wait 120 s", status("429 Slow down", "Retry-After: 120"), "answered 429", retry=120),
    Fault("F20", "a page with 200", lambda c: [reply(b"<html>we are down</html>", "text/html; charset=utf-8")],
          "web page"),
    Fault("F20", "a page that calls itself data", lambda c: [reply(b"<!doctype html><html>down</html>", c.body.kind)],
          r"\b(schema|json|incomplete|csv): "),
    Fault("F21", "204", lambda c: [head(c, status="204 No Content")], "answered 204"),
    Fault("F21", "206", lambda c: [reply(c.body.bytes, c.body.kind, "206 Part")], "answered 206"),
    Fault("F21", "304 that nobody asked for", lambda c: [head(c, status="304 Not Modified")], "answered 304"),
    Fault("F22", "an expired certificate", certificate="expired", says="certificate has expired"),
    Fault("F22", "a certificate of another name", certificate="wrong_name", says="certificate subject name|no alternative"),
    Fault("F22", "a certificate of its own making", certificate="self_signed", says="self.signed certificate"),
    Fault("F23", "no such name", address=lambda: "https://no-such-host.invalid", says="esolv"),
    Fault("F23", "a redirect to no such name", redirect("https://no-such-host.invalid/"), "not its host"),
    Fault("F23", "nobody listens", gone=True, says="onnect"),
    Fault("F24", "HTTP/0.9", lambda c: [c.body.bytes], "HTTP/0.9|nsupported"),
    Fault("F24", "garbage", lambda c: [b"\0\1\2garbage\r\n\r\n" * 9], "HTTP/0.9|nsupported|header"),
    Fault("F24", "plain HTTP where TLS is due", raw=lambda: [reply(b"x")], says="SSL|wrong version"),
    Fault("P11", "as many small values as the cap lets in", swarm, r"refused: [a-z_]+: "),
    Fault("P11", "the largest page that is read", largest, r"refused: (schema|incomplete|currency|unit): ", largest=True),
]
FAULTS += [fault._replace(words=fault.words + ", the usual limits", slow=False, patient=True)
           for fault in FAULTS if fault.slow]
FAULTS += [Fault("F02", "a trickle above the least speed", lambda c: forever(head(c, length(c, 99999)), b"x" * 150, 0.5),
                 "timed out after 30", patient=True)]


# -- one case -----------------------------------------------------------------------

@functools.lru_cache(None)
def bodies_of(feed):
    return feed.make("https://BASE", feed.small)


class Case:
    """One fault on one body of one feed, with a server of its own."""

    def __init__(self, number, fault, feed, at):
        self.number, self.fault, self.feed, self.at = number, fault, feed, at
        cap = CAPS[feed.id]
        self.cap = min(cap, TEST_CAP) if cap > (16 << 20) and not fault.largest else cap
        self.server = Server(self.answer, self.certificate, self.raw)
        self.bodies = [body._replace(bytes=body.bytes.replace(b"https://BASE", self.server.address.encode()))
                       for body in bodies_of(feed)]
        self.body = self.bodies[at]

    def __str__(self):
        return "%s %s, body %d of %s" % (self.fault.kind, self.fault.words, self.at + 1, self.feed.id)

    def answer(self, number, asked, request):
        if number >= self.at and self.fault.pieces:
            return self.fault.pieces(self)
        if self.fault.gone and number + 1 >= self.at:
            self.server.close_door()
        body = self.bodies[min(number, len(self.bodies) - 1)]
        return [reply(body.bytes, body.kind)]

    def certificate(self, number):
        return CONTEXTS[self.fault.certificate if number >= self.at else "good"]

    def raw(self, number):
        return self.fault.raw() if self.fault.raw and number >= self.at else None

    def address(self):
        if self.fault.address:
            return self.fault.address() + self.bodies[0].path
        if self.fault.gone and not self.at:
            self.server.close_door()
        return self.server.address + self.bodies[0].path

    def run(self, others):
        """(exit code, lines on stdout, lines on stderr, KiB)"""
        name = path("case%d" % self.number)
        shutil.copy(path("base.db"), name + ".db")
        feeds = {self.feed.id: self.address(), **others}
        try:
            return refresh(name, feeds, ["--test-cap=%d" % self.cap] + ["--test-timeout=4000"] * self.fault.slow)
        finally:
            self.server.close()


def refresh(name, feeds, more=(), now=NOW + DAY):
    with open(name + ".feeds", "w") as f:
        f.writelines("%s %s\n" % pair for pair in feeds.items())
    command = ["/usr/bin/time", "-q", "-f", "%M", "-o", name + ".kib", PROGRAM, *feeds, "--test-loopback",
               "--test-ca=" + AUTHORITY.ca, "--test-now=%d" % now, *more]
    process = subprocess.Popen(command, env={"PATH": os.environ["PATH"], "GPUTCO_DB": name + ".db",
                                             "GPUTCO_FEEDS": name + ".feeds", **KEYS}, text=True, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=LIMIT_SECOND + 20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, [], ["no end"], 0
    with open(name + ".kib") as f:
        return process.returncode, out.splitlines(), err.splitlines(), int(f.read().split()[-1])


def dump(name, feed, number=""):
    """All that the store says of the feed's prices and when they were good."""
    with contextlib.closing(sqlite3.connect("file:%s.db?mode=ro" % name, uri=True)) as c:
        rows = [c.execute(sql, (feed,)).fetchall() for sql in (
            "SELECT * FROM observation WHERE feed = ? ORDER BY provider, instance, region, term, payment, day",
            "SELECT * FROM rate WHERE feed = ? ORDER BY currency, day",
            "SELECT * FROM reading WHERE feed = ? ORDER BY kind, zone, region, tariff, begins",
            "SELECT good_day, offer_count, body_hash, last_good" + number + " FROM feed WHERE id = ?")]
        assert any(rows[:3]), feed
        return repr(rows).encode()


@functools.lru_cache(None)
def before(name, feed, number=""):
    return dump(path(name), feed, number)


def record(name, feed):
    """(state of the last generation, has a note, failures, last error, retry)"""
    with contextlib.closing(sqlite3.connect("file:%s.db?mode=ro" % name, uri=True)) as c:
        return c.execute("SELECT g.state, g.note <> '', f.failure_count, f.last_error <> '', f.retry_after FROM feed f"
                         " JOIN generation g ON g.feed = f.number WHERE f.id = ? ORDER BY g.id DESC LIMIT 1",
                         (feed,)).fetchone()


def judge(case):
    """What is wrong with how the case ended; [] nothing."""
    fault, feed, name, bad = case.fault, case.feed.id, path("case%d" % case.number), []
    others = {other: OTHERS[other] for other in [o for o in OTHERS if o != feed][:2]}
    code, out, err, kib = case.run(others)

    def must(good, what):
        if not good:
            bad.append(what)
    must(code == 1, "exit code %s" % code)
    must(len(err) == 1 and re.match(r"gputco-refresh: %s: (not fetched|refused): " % feed, err[0]), "one alarm line")
    must(err and re.search(fault.says, err[0]), "the alarm names the cause")
    must(out and out[-1].startswith("2 good, 0 unchanged, 1 failed, 0 not asked"), "the sum")
    must(dump(name, feed, ", generation") == before("base", feed, ", generation"), "the old generation is whole")
    for other in others:
        must(dump(name, other) == before("good", other), "%s gets through" % other)
    kept = record(name, feed)
    must(kept[0] in ("failed", "refused") and kept[1:4] == (1, 1, 1), "the store records it: %s" % (kept,))
    must(kept[4] == (NOW + DAY + fault.retry if fault.retry else 0), "Retry-After: %s" % kept[4])
    must(kib < MEMORY_KIB, "memory %d KiB" % kib)
    if not fault.address:
        want = [body.path for body in case.bodies[:case.at]]
        must([asked for asked, _ in case.server.asked[:case.at]] == want
             and (fault.gone or case.server.connections > case.at), "it came as far as that body")
    for end in (".db", ".db-wal", ".db-shm", ".feeds", ".kib"):
        with contextlib.suppress(OSError):
            os.unlink(name + end)
    return ["%s: %s\n    %s" % (case, what, "\n    ".join(err + out[-4:])) for what in bad], kib


# -- all of them ----------------------------------------------------------------------

def positions(feed):
    count = len(bodies_of(feed))
    return sorted({0, count // 2, count - 1})


def takes_largest(feed, at):
    return bodies_of(feed)[at].kind == "application/json" and CAPS[feed.id] >= PAGE_BYTE


def serve(root, bodies):
    for body in bodies:
        target = root + body.path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as f:
            f.write(body.bytes)


def prepare(base):
    """base.db: all feeds as they were; good.db: the others a day later."""
    os.mkdir(path("root", "new"))
    old = {}
    for feed in FEEDS:
        bodies = feed.make(base, feed.small)
        serve(path("root"), bodies)
        old[feed.id] = base + bodies[0].path
    code, out, err, _ = refresh(path("base"), old, now=NOW)
    if code or err or not out[-1].startswith("%d good" % len(FEEDS)):
        raise SystemExit("the feeds are not taken when all is well: %s" % "\n".join(out + err))
    for feed in FEEDS:
        if feed.id in OTHERS:
            bodies = feed.make(base + "/new", feed.small, 1.05)
            serve(path("root", "new"), bodies)
            OTHERS[feed.id] = base + "/new" + bodies[0].path
    shutil.copy(path("base.db"), path("good.db"))
    code, out, err, _ = refresh(path("good"), OTHERS)
    if code or any(dump(path("good"), other) == dump(path("base"), other) for other in OTHERS):
        raise SystemExit("the other feeds do not change: %s" % "\n".join(out + err))


def table():
    """({feed: cap}, {feed: reader}) out of the table of feeds, by the compiler's
    reading."""
    program = '#define FEED(id, title, address, licence, kind, reader, provider, currency, cadence, stale, cap, ...) ' \
              'GPUTCO id reader cap\n#include "pricing/feeds.def"\n'
    text = subprocess.run(["cc", "-E", "-P", "-I.", "-"], input=program, text=True, check=True, stdout=subprocess.PIPE,
                          cwd=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")).stdout
    caps, readers = {}, {}
    for line in text.split("GPUTCO")[1:]:
        name, reader, number = re.match(r'((?:\s*"[^"]*")+)\s*(\w+)\s+(.*)', line, re.S).groups()
        name = "".join(re.findall('"([^"]*)"', name))
        caps[name], readers[name] = eval(number.replace("LL", "").split("\n")[0]), reader
    return caps, readers


def main():
    places = [(feed, at) for feed in FEEDS for at in positions(feed)]
    cases = [Case(i, *rest) for i, rest in enumerate(
        (fault, feed, at) for feed, at in places for fault in FAULTS
        if not (fault.address and at) and not (fault.largest and not takes_largest(feed, at)) and not (fault.patient and (at or feed is not FEEDS[0])) and ONLY in "%s on %s" % (fault.kind, feed.id))]
    combinations = {(case.fault.kind, case.feed.id, case.at) for case in cases if case.fault.kind[0] == "F"}
    with ThreadPoolExecutor(4) as pool, ThreadPoolExecutor(8) as waiting:
        futures = [(waiting if case.fault.patient else pool).submit(judge, case) for case in cases]
        results = [future.result() for future in futures]
    bad = [line for lines, _ in results for line in lines]
    if len(combinations) != KINDS * len(places) and not ONLY:
        bad.append("%d of %d combinations" % (len(combinations), KINDS * len(places)))
    bad += ["feed_shapes.py makes no body for the reader " + reader
            for reader in sorted(set(READERS.values()) - {READERS[feed.id] for feed in FEEDS})]
    if PRIVATE.connections:
        bad.append("somebody connected to a private address")
    print("\n".join(bad))
    print("faults: %d kinds on %d bodies of %d feeds: %d combinations, %d runs; at most %d MiB" % (
        len({kind for kind, _, _ in combinations}), len(places), len(FEEDS), len(combinations), len(cases),
        max(kib for _, kib in results) // 1024))
    failed = sum(1 for lines, _ in results if lines) + len(bad) - sum(len(lines) for lines, _ in results)
    print("%d passed, %d failed" % (len(results) - min(failed, len(results)), failed))
    return failed != 0


os.chmod(FOLDER, 0o755)  # nginx started by root reads as another user
for name in ("tls", "root"):
    os.mkdir(path(name))
AUTHORITY = feed_server.Authority(path("tls"))
CONTEXTS = {kind: AUTHORITY.context(kind) for kind in AUTHORITY.KINDS}
PRIVATE = Server(lambda *_: [reply(b"")], lambda _: CONTEXTS["good"], host="127.0.0.2")
CAPS, READERS = table()
OTHERS = dict.fromkeys(("skypilot-verda", "oci", "aws-blocks"))  # {feed: address a day later}
NGINX, BASE = feed_server.nginx_start(FOLDER, path("root"), AUTHORITY)
try:
    prepare(BASE)
    result = main()
finally:
    NGINX.terminate()
    NGINX.wait()
shutil.rmtree(FOLDER, ignore_errors=True)
sys.exit(result)
