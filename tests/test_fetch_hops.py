"""Redirects, as fetch.c follows them by hand: at most two, by https, to the
feed's own host or one it lists; the key goes to its own host alone, validators
to the address they came from; caps and time hold over all of it. Two hosts:
127.0.0.1 and localhost, ports as they are free. B: the build folder."""
import email.utils, os, re, subprocess, sys, tempfile, time

import feed_server
from feed_server import Server, reply

HERE = os.path.dirname(os.path.abspath(__file__))
B = os.path.abspath(os.environ.get("B", os.path.join(HERE, "..", "build")))
PROBE = os.path.join(B, "tests", "fetch_probe")
ETAG, KEY = '"etag-of-a"', "secret-word"
passed = failed = 0


def check(good, what, more=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED:", what, "\n   ", more)


class Host:
    """Answers each path by the table of the test: {path: bytes or function}."""

    def __init__(self, name):
        self.answers = {}
        good = AUTHORITY.context()
        self.server = Server(self.answer, lambda _: good)
        self.address = "https://%s:%d" % (name, self.server.port)
        self.name = self.address[len("https://"):]

    def answer(self, number, path, request):
        found = self.answers[path]
        return found(request) if callable(found) else [found]

    def asked(self):
        """Requests since the last call."""
        self.server.asked, asked = [], self.server.asked
        return asked


def to(place, status="302 Found", body=b"", more=()):
    return reply(body, status=status, more=["Location: " + place] + list(more))


def fetch(address, hosts="", etag=""):
    """(what came of it, body)"""
    done = subprocess.run([PROBE, AUTHORITY.ca, A.address + "/first", address, hosts, KEY, etag], timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stderr.decode(), done.stdout.decode()


def has(asked, *words):
    return [all(word.lower() in request.lower() for word in words) for _, request in asked]


def followed():
    file = reply(b"the file", more=["ETag: %s" % ETAG, "Last-Modified: Mon, 01 Dec 2025 00:00:00 GMT"])
    A.answers = {"/file": file, "/to-a": to("/file"), "/to-b": to(C.address + "/file"), "/to-to-b": to(A.address + "/to-b"),
                 "/there-and-back": to(C.address + "/back"), "/beside": to("file"), "/query": to("?q"), "/query?q": file,
                 "/slashes": to("//%s/file" % C.name), "/upper": to("HTTPS://%s/file" % C.name.upper()),
                 "/304": reply(b"", status="304 Same"), "/to-304": to("/304")}
    C.answers = {"/file": file, "/back": to(A.address + "/file"), "/304": reply(b"", status="304 Same")}
    said, body = fetch(A.address + "/file", etag='"x"')
    check(said.startswith("good http=200 byte=8 etag=%s modified=Mon, 01 Dec" % ETAG) and body == "the file", "no redirect", said)
    check(has(A.asked(), "X-Key: " + KEY, 'If-None-Match: "x"') == [True], "its key and validator go along")
    for status in ("301 x", "302 x", "303 x", "307 x", "308 x"):
        A.answers["/kind"] = to("/file", status)
        said, body = fetch(A.address + "/kind", etag='"x"')
        check(said.startswith("good http=200 byte=8 etag= modified= retry=0:") and body == "the file", status, said)
        asked = A.asked()
        check(has(asked, "X-Key: " + KEY) == [True, True] and has(asked, "If-None-Match") == [True, False],
              "the key within the host, the validator to the first address alone", asked)
    for path, hops in (("/to-b", 2), ("/to-to-b", 3), ("/slashes", 2), ("/upper", 2)):
        said, body = fetch(A.address + path, C.name, '"x"')
        there, here = C.asked(), A.asked()
        check(said.startswith("good http=200 byte=8 etag= modified= retry=0:") and body == "the file"
              and len(here) + len(there) == hops, path, said)
        check(has(there, "X-Key") == [False] and has(there, KEY) == [False] and has(there, "If-None-Match") == [False]
              and has(there, "Cookie") == [False] and has(there, "Referer") == [False], "nothing of it goes to the other host",
              there)
        check(all(has(here, "X-Key: " + KEY)), "but to its own", here)
    said, body = fetch(A.address + "/there-and-back", C.name, '"x"')
    check(body == "the file" and has(A.asked(), "X-Key", "If-None-Match") == [True, False]
          and has(C.asked(), "X-Key") == [False], "there and back", said)
    for path in ("/beside", "/query"):
        said, body = fetch(A.address + path)
        check(body == "the file", "a place that stands beside: " + path, said)
    said, body = fetch(C.address + "/file", C.name, '"x"')
    check(body == "the file" and has(C.asked(), "X-Key") == [False], "a further body on another host gets no key", said)
    said, body = fetch(A.address + "/304", etag='"x"')
    check(said.startswith("unchanged http=304"), "304 to a validator", said)
    for path, hosts, etag in (("/304", "", ""), ("/to-304", "", '"x"')):
        said, body = fetch(A.address + path, hosts, etag)
        check(said.startswith("failed http=304") and "answered 304" in said, "304 that nobody asked for: " + path, said)


def refused():
    file = reply(b"the file")
    A.answers = {"/file": file, "/1": to("/2"), "/2": to("/3"), "/3": to("/file"), "/self": to("/self"),
                 "/ring": to(C.address + "/ring"), "/none": reply(b"", status="302 Found"), "/300": to("/file", "300 Choices"),
                 "/305": to("/file", "305 Proxy")}
    C.answers = {"/file": file, "/ring": to(A.address + "/ring")}
    places = {
        C.address + "/file": "not its host", "http" + A.address[5:] + "/file": "only https", "file:///etc/passwd": "only https",
        "ftp://127.0.0.1/file": "only https", "data:text/csv,x": "only https", "https://127.0.0.2:1/file": "not its host",
        "https://[::1]/file": "not its host", "https://169.254.169.254/latest": "not its host",
        "https://user:word@%s/file" % A.name: "name or password", "https://%s@elsewhere.example/" % A.name: "name or password",
        "https://%s.elsewhere.example/" % A.name.split(":")[0]: "not its host", "https://127.0.0.1/file": "not its host",
        A.address + "/" + "x" * 400: "too long", A.address + "/a b": "", "https://": "302"}
    A.asked(), C.asked()
    for i, (place, why) in enumerate(places.items()):
        A.answers["/place%d" % i] = to(place)
        said, body = fetch(A.address + "/place%d" % i)
        asked = A.asked()
        check(said.startswith("failed http=302") and why in said and said.count("\n") == 1, place, said)
        check(not body and len(asked) == 1 and not C.asked(), "one request, then no more: " + place, asked)
    for path, hosts, why, count in (("/1", "", "after two redirects", 3), ("/self", "", "a loop", 1),
                                    ("/ring", C.name, "a loop", 1), ("/none", "", "without an address", 1),
                                    ("/300", "", "answered 300", 1), ("/305", "", "answered 305", 1),
                                    ("/1", C.name, "after two redirects", 3)):
        said, body = fetch(A.address + path, hosts)
        check(said.startswith("failed") and why in said and not body and len(A.asked()) == count, path, said)
    for address in ("http" + A.address[5:] + "/file", "file:///etc/passwd", "https://user@%s/file" % A.name):
        said, body = fetch(address)
        check(said.startswith("failed http=0") and not A.asked(), "nor is it asked at first: " + address, said)


def bounded():
    def slowly(answer):
        def give(request):
            time.sleep(2.5)
            yield answer
        return give
    long = ["X-Long: " + "x" * 8000] * 5
    A.answers = {"/small": to(C.address + "/small", body=b"<a>moved</a>" * 30), "/large": to(C.address + "/large", body=b"x" * 600),
                 "/header": to(C.address + "/header", more=long), "/slow": slowly(to("/slower")),
                 "/slower": slowly(to(C.address + "/slow"))}
    C.answers = {"/small": reply(b"the file"), "/large": reply(b"y" * 600), "/header": reply(b"the file", more=long),
                 "/slow": slowly(reply(b"the file"))}
    said, body = fetch(A.address + "/small", C.name)
    check(said.startswith("good http=200 byte=8 ") and body == "the file", "the text of a redirect is no part of the body", said)
    said, body = fetch(A.address + "/large", C.name)
    check("larger than its cap" in said, "600 and 600 bytes under a cap of 1000", said)
    said, body = fetch(A.address + "/header", C.name)
    check("header does not end" in said, "two headers of 40 KiB", said)
    C.asked()
    said, body = fetch(A.address + "/slow", C.name)
    check(said.startswith("failed") and "timed out" in said, "three answers of 2.5 s within 6 s", said)


def waits():
    """What a server asks for before the next time, in seconds or as a date."""
    soon = email.utils.formatdate(time.time() + 3600, usegmt=True)
    for text, least, most in (("120", 120, 120), (soon, 3500, 3600), ("0", 0, 0), ("-5", 0, 0), ("soon", 0, 0),
                              ("99999999", 604800, 604800), ("Mon, 01 Dec 2025 00:00:00 GMT", 0, 0)):
        for status in ("429 Slow down", "503 Busy"):
            A.answers = {"/wait": reply(b"", status=status, more=["Retry-After: " + text]), "/to": to("/wait")}
            for path in ("/wait", "/to"):
                said, body = fetch(A.address + path)
                retry = int(re.search(r"retry=(\d+):", said).group(1))
                check(said.startswith("failed http=" + status[:3]) and least <= retry <= most, "Retry-After: " + text, said)


subprocess.run(["make", "-s", "-C", os.path.join(HERE, ".."), "B=" + B, PROBE], check=True)
with tempfile.TemporaryDirectory(prefix="gputco-hops-") as folder:
    AUTHORITY = feed_server.Authority(folder)
    A, C = Host("127.0.0.1"), Host("localhost")
    followed()
    refused()
    bounded()
    waits()
    A.server.close()
    C.server.close()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
