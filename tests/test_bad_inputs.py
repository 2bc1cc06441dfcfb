"""Bad inputs (tests/bad_inputs.csv) against the service behind nginx: each
must give its status, field and code, and the same on every surface that can
say it: query, form, JSON and command line.

In `input`, %XX is as in an address, \\xNN is one byte and {rep:S:N} is S
written N times. With GPUTCO_SHARED the shared table is asked as well."""
import csv
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
B = os.environ.get("B", "build")
BIN = os.path.join(ROOT, B, "gputco")
TODAY = "2026-12-01"

passed = failed = 0


def check(good, what):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED", what[:600])


# ---------------------------------------------------------------- the service

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Service:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="gputco-bad-")
        self.port = free_port()
        env = dict(os.environ, PORT=str(self.port), RUN=self.folder, B=B,
                   GPUTCO_TODAY=TODAY)
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(["sh", "deploy/run.sh"], cwd=ROOT,
                                        env=env, stdout=self.log,
                                        stderr=self.log,
                                        start_new_session=True)
        for _ in range(600):
            try:
                if self.ask("GET", "/healthz")[0] == 200:
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise SystemExit("the service did not start:\n" +
                         open(self.log.name).read())

    def ask(self, method, target, body=None, headers=()):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        c.putrequest(method, target, skip_accept_encoding=True)
        for name, value in headers:
            c.putheader(name, value)
        if body is not None:
            c.putheader("Content-Length", str(len(body)))
        c.endheaders(body)
        answer = c.getresponse()
        got = answer.status, answer.read(), answer.headers
        c.close()
        return got

    def raw(self, data, seconds=8):
        """Bytes as they are; the status of the answer, 0 when closed."""
        with socket.create_connection(("127.0.0.1", self.port),
                                      timeout=seconds) as s:
            s.sendall(data)
            got = b""
            try:
                while b"\r\n" not in got:
                    part = s.recv(4096)
                    if not part:
                        break
                    got += part
            except (socket.timeout, ConnectionError):
                pass
        found = re.match(rb"HTTP/1\.\d (\d+)", got)
        return int(found.group(1)) if found else 0

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


# ---------------------------------------------------------------- expectations

def expand(text):
    return re.sub(r"\{rep:(.*?):(\d+)\}",
                  lambda m: m.group(1) * int(m.group(2)), text)


def errors_of(body):
    try:
        return json.loads(body)["errors"]
    except (ValueError, KeyError, TypeError):
        return None


def says(row, status, body):
    """Whether an answer is what the row wants, and what it was."""
    errors = errors_of(body) if status >= 400 else []
    seen = "%s %s: got %s %s" % (row["id"], row["input"][:80], status,
                                 [(e["field"], e["code"], e.get("hint"))
                                  for e in errors or []][:5])
    if str(status) not in row["status"].split("|"):
        return False, seen + " want " + row["status"]
    if not row["code"]:
        return True, seen
    for e in errors or []:
        if (e["code"] == row["code"] and
                e["field"].rstrip() == row["field"].rstrip() and
                (not row["hint"] or e.get("hint") == row["hint"])):
            return True, seen
    return False, seen + " want %s %s %s" % (row["field"], row["code"],
                                              row["hint"])


def run_cli(row, arguments):
    env = dict(os.environ, GPUTCO_DB="/dev/null/none", GPUTCO_TODAY=TODAY)
    p = subprocess.run([BIN, "compare", "--format", "json"] + arguments,
                       env=env, capture_output=True, timeout=20)
    if row["status"] == "200":
        return p.returncode == 0, "%s cli exit %d" % (row["id"], p.returncode)
    text = p.stderr.decode()
    good = p.returncode == 2 and any(
        line.startswith("gputco: %s: " % row["field"]) and
        line.endswith("(%s)" % row["code"]) for line in text.splitlines())
    return good, "%s cli exit %d: %s" % (row["id"], p.returncode, text)


def plain_pairs(query):
    """The decoded pairs, when a command line can say them just so."""
    pairs = []
    for part in expand(query).split("&"):
        if "=" not in part or not re.fullmatch(r"[a-z._]+=[ -~]+", part):
            return None
        key, value = part.split("=", 1)
        if re.search(r"%(?![0-9A-Fa-f]{2})", value):
            return None
        value = urllib.parse.unquote_plus(value, errors="surrogateescape")
        if not value or len(value) > 4000 or any(
                ord(c) < 32 or 0xDC00 <= ord(c) < 0xE000 for c in value):
            return None
        pairs.append(key + "=" + value)
    return pairs


def query_row(service, row):
    target = expand(row["input"])
    status, body, _ = service.ask("GET", "/compare.json?" + target)
    check(*says(row, status, body))
    if row["code"] == "too_many_keys" or status == 414:
        return
    status, body, _ = service.ask(
        "POST", "/compare.json", target.encode(),
        [("Content-Type", "application/x-www-form-urlencoded")])
    good, seen = says(row, status, body)
    check(good, "form " + seen)
    pairs = plain_pairs(row["input"])
    if pairs:
        good, seen = run_cli(row, pairs)
        check(good, seen)


def body_of(row):
    text = expand(row["input"])
    if row["id"] == "G221":
        text = "{" + ",".join('"k%d":1' % i for i in range(5000)) + "}"
    return re.sub(rb"\\x([0-9A-Fa-f]{2})",
                  lambda m: bytes([int(m.group(1), 16)]), text.encode())


def table(service):
    with open(os.path.join(ROOT, "tests", "bad_inputs.csv"),
              encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    for row in rows:
        if row["surface"] == "query":
            query_row(service, row)
        elif row["surface"] == "body-json":
            status, body, _ = service.ask(
                "POST", "/compare.json", body_of(row),
                [("Content-Type", "application/json")])
            check(*says(row, status, body))
        elif row["surface"] == "path":
            status = service.raw(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                 b"Connection: close\r\n\r\n"
                                 % expand(row["input"]).encode())
            check(str(status) in row["status"].split("|"),
                  "%s %s: got %d want %s" % (row["id"], row["input"][:60],
                                              status, row["status"]))


# ---------------------------------------------------------------- every field

def fields(service):
    listed = json.loads(service.ask("GET", "/fields.json")[1])["fields"]
    for field in listed:
        if field["type"] not in ("number", "whole"):
            continue
        name = field["name"]
        if name == "machine_count":
            prefix = "a."
        else:
            prefix = ""
        whole = field["type"] == "whole"
        low, high = field["min"], field["max"]
        step = 1 if whole else max(1e-3, abs(high) * 1e-3)
        forms = [
            (repr(high + step), "above_max"), ("nan", "not_a_number"),
            ("inf", "not_a_number"), ("0x10", "not_a_number"),
            ("1,5", "not_a_number"), ("%201", "not_a_number"),
            ("5kW", "not_a_number"), ("%EF%BC%95", "not_a_number"),
            ("9" * 5000, "too_long"), ("1e999", "not_finite"),
        ]
        if low > -1:
            forms.append((repr(low - step), "below_min"))
        if whole:
            forms.append(("1.5", "not_an_integer"))
        for text, code in forms:
            row = {"id": "F", "input": "%s=%s" % (name, text),
                   "status": "400", "field": prefix + name, "code": code,
                   "hint": ""}
            status, body, _ = service.ask(
                "GET", "/compare.json?%s%s=%s" % (prefix, name, text))
            check(*says(row, status, body))
        row = {"id": "F", "input": name, "status": "400", "hint": "",
               "field": prefix + name, "code": "wrong_type"}
        status, body, _ = service.ask(
            "POST", "/compare.json", b'{"%s":"1"}' % (prefix + name).encode(),
            [("Content-Type", "application/json")])
        check(*says(row, status, body))


# ---------------------------------------------------------------- HTTP

def http_rows(service):
    def status(name, want, method, target, body=None, headers=()):
        got, answer, back = service.ask(method, target, body, headers)
        check(got in want, "%s: got %d want %s" % (name, got, want))
        return answer, back

    json_type = ("Content-Type", "application/json")
    status("text/plain", [415], "POST", "/compare", b"x",
           [("Content-Type", "text/plain")])
    status("no type", [415], "POST", "/compare", b"x")
    status("utf-16", [415], "POST", "/compare", b"{}",
           [("Content-Type", "application/json; charset=utf-16")])
    status("multipart", [415], "POST", "/compare", b"x",
           [("Content-Type", "multipart/form-data; boundary=x")])
    status("gzip", [415], "POST", "/compare", b"{}",
           [json_type, ("Content-Encoding", "gzip")])
    status("65537 bytes", [413], "POST", "/compare",
           b'{"label":"' + b"x" * 65525 + b'"}', [json_type])
    answer, _ = status("query and body", [400], "POST",
                       "/compare.json?gpu_watt=400", b"gpu_watt=500",
                       [("Content-Type", "application/x-www-form-urlencoded")])
    check([(e["field"], e["code"]) for e in errors_of(answer)] ==
          [("gpu_watt", "repeated_key")], "query and body are one: %r" % answer)
    answer, _ = status("GET with a body", [400], "GET", "/compare.json", b"x=1")
    check([(e["field"], e["code"]) for e in errors_of(answer) or []] ==
          [("body", "unexpected")], "GET with a body: %r" % answer[:200])
    status("TRACE", [405], "TRACE", "/")
    _, back = status("DELETE", [405], "DELETE", "/compare")
    check(back.get("Allow") == "GET, HEAD, POST", "Allow: %s" % back.get("Allow"))
    status("PATCH", [405], "PATCH", "/compare")
    status("override", [200], "POST", "/compare.json", b"{}",
           [json_type, ("X-HTTP-Method-Override", "DELETE")])
    status("Accept unknown", [406], "GET", "/compare", None,
           [("Accept", "application/x-unknown")])
    status("long Accept", [200, 400, 406], "GET", "/compare", None,
           [("Accept", "a/b," * 1500)])
    status("Accept-Language", [200], "GET", "/compare", None,
           [("Accept-Language", "../../de")])
    answer, _ = status("X-Forwarded-Host", [200], "GET", "/compare", None,
                       [("X-Forwarded-Host", "evil.example")])
    check(b"evil.example" not in answer, "a forwarded host reached the page")
    status("X-Original-URL", [200], "GET", "/healthz", None,
           [("X-Original-URL", "/admin")])
    status("If-None-Match", [200, 304, 400], "GET", "/compare.json", None,
           [("If-None-Match", '"x",' * 900)])
    _, back = status("label with CR LF", [400], "GET",
                     "/compare?label=a%0D%0ASet-Cookie:x=1")
    check(back.get("Set-Cookie") is None, "a header was split")
    _, back = status("ETag", [200], "GET", "/compare.json")
    status("304", [304], "GET", "/compare.json", None,
           [("If-None-Match", back["ETag"])])
    for target in ("/", "/compare", "/compare.json", "/nowhere", "/healthz"):
        back = service.ask("GET", target)[2]
        check("default-src 'none'" in (back.get("Content-Security-Policy") or "")
              and "unsafe" not in back["Content-Security-Policy"]
              and back.get("X-Content-Type-Options") == "nosniff",
              "headers of " + target)

    start = b"POST /compare HTTP/1.1\r\nHost: 127.0.0.1\r\n" \
            b"Content-Type: application/json\r\n"
    for name, want, data in (
            ("length -1", (400,), start + b"Content-Length: -1\r\n\r\n"),
            ("two lengths", (400,), start +
             b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
            ("length and chunks", (400,), start +
             b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"),
            ("chunk size", (400, 413), start +
             b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n"),
            ("short body", (0, 408), start + b"Content-Length: 10\r\n\r\n{\"a\""),
            ("two hosts", (400,), b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
            ("other host", (404, 421), b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
            ("big cookie", (400,), b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: "
             + b"a" * 9000 + b"\r\n\r\n"),
            ("100 headers", (400,), b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
             b"".join(b"X-%d: %s\r\n" % (i, b"y" * 900) for i in range(100))
             + b"\r\n"),
            ("NUL in a header", (400,), b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
             b"X-Test: a\x00b\r\n\r\n"),
            ("HTTP/1.0", (200,), b"GET /healthz HTTP/1.0\r\n\r\n"),
            ("HTTP/9.9", (505,), b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n"),
            ("CONNECT", (400, 405), b"CONNECT x:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
            ("long address", (414,), b"GET /compare?" + b"x" * 40000 +
             b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
            ("raw byte", (200, 400), b"GET /compare?label=\xff HTTP/1.1\r\n"
             b"Host: 127.0.0.1\r\nConnection: close\r\n\r\n"),
            ("blanks", (400, 414), b"GET /compare?" + b"%20" * 20000 +
             b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")):
        got = service.raw(data)
        check(got in want, "%s: got %d want %s" % (name, got, want))
    check(service.ask("GET", "/healthz")[0] == 200, "still there afterwards")


# ---------------------------------------------------------------- command line

def cli_rows():
    env = dict(os.environ, GPUTCO_DB="/dev/null/none", GPUTCO_TODAY=TODAY)

    def run(name, want, words, arguments, **more):
        p = subprocess.run([BIN] + arguments, capture_output=True, timeout=20,
                           env=dict(env, **more.pop("env", {})), **more)
        text = p.stderr.decode()
        check(p.returncode == want and all(w in text for w in words),
              "%s: exit %d, %s" % (name, p.returncode, text))
        return p.stdout

    run("no value", 2, ["gpu_watt"], ["compare", "--gpu_watt"])
    run("no number", 2, ["gpu_watt", "not_a_number"],
        ["compare", "--gpu_watt=abc"])
    run("unknown", 2, ["nosuch"], ["compare", "--nosuch=1"])
    run("repeated", 2, ["gpu_watt", "repeated_key"],
        ["compare", "--gpu_watt=400", "--gpu_watt=500"])
    run("empty", 2, ["gpu_watt", "empty"], ["compare", "gpu_watt="])
    run("format", 2, ["text", "json"], ["compare", "--format=exe"])
    run("command", 2, ["usage"], ["nonsense"])
    run("none", 2, ["usage"], [])
    one = run("dashes", 0, [], ["compare", "--busy-frac", "0.4",
                                "--format", "json"])
    two = run("pairs", 0, [], ["compare", "busy_frac=0.4", "--format", "json"])
    check(one == two, "dashes and pairs differ")
    other = run("locale", 0, [], ["compare", "busy_frac=0.4", "--format",
                                  "json"], env={"LC_ALL": "de_DE.UTF-8"})
    check(other == two, "the locale changed the answer")
    with open("/dev/full", "wb") as full:
        p = subprocess.run([BIN, "compare"], stdout=full, stderr=subprocess.PIPE,
                           env=env, timeout=20)
        check(p.returncode == 1 and p.stderr, "full output: %d" % p.returncode)
    p = subprocess.run(["sh", "-c", "exec '%s' compare >&-" % BIN],
                       stderr=subprocess.PIPE, env=env, timeout=20)
    check(p.returncode == 1 and p.stderr, "closed output: %d" % p.returncode)


# ---------------------------------------------------------------- shared table

# Rows of the shared table whose expectation differs from the contract.
DIFFERS = {
    "B173": "life_year ends at 30 in the contract",
    "B217": "100,000 bytes are refused by their size first",
}
NOT_YET = ("mfu_frac", "token_count")


def shared(service):
    folder = os.environ.get("GPUTCO_SHARED", os.path.join(ROOT, "..", "shared"))
    path = os.path.join(folder, "reference", "bad_inputs.csv")
    if not os.path.exists(path):
        print("skipped: the shared table of bad inputs is not here")
        return
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    for r in rows:
        surface, want = r["surface"], r["expected_behaviour"]
        if not (surface.startswith("query") or
                surface in ("must-accept", "body-json")):
            continue
        if r["id"] in DIFFERS or any(n in r["input"] for n in NOT_YET) or \
                "\\x" in r["input"] and surface != "body-json":
            continue
        field = re.search(r"field=(.*?)(?:; |$)", want)
        code = re.search(r"code=([a-z0-9_]+)", want)
        hint = re.search(r"hint=([^;]*)", want)
        statuses = re.findall(r"\b([2-5]\d\d)\b", want.split(";")[0])
        row = {"id": r["id"], "input": r["input"], "status": "|".join(statuses),
               "field": field.group(1) if field else "",
               "code": code.group(1) if code and statuses == ["400"] else "",
               "hint": hint.group(1).strip() if hint else ""}
        if row["field"].startswith("{rep"):
            row["field"] = expand(row["field"])
        if surface == "body-json":
            if r["id"] == "B221":
                row["id"] = "G221"
            status, body, _ = service.ask("POST", "/compare.json", body_of(row),
                                          [("Content-Type", "application/json")])
        else:
            status, body, _ = service.ask("GET", "/compare.json?" +
                                          expand(row["input"]))
        if row["code"] == "too_many_keys":
            row["field"] = ""
        good, seen = says(row, status, body)
        check(good, "shared " + seen)


def main():
    cli_rows()
    service = Service()
    try:
        table(service)
        fields(service)
        http_rows(service)
        shared(service)
    finally:
        service.stop()
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
