"""Saved studies while the service runs behind nginx: a link made before a price
refresh gives the same bytes after it, and what was answered 201 is there after
every process was killed in that instant. Loopback only; ends only what it
started."""
import json, os, shutil, signal, socket, subprocess, sys
import tempfile, time, urllib.error, urllib.request

import feed_server

B = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = tempfile.mkdtemp(prefix="gputco-saved-")
os.chmod(FOLDER, 0o755)
os.mkdir(os.path.join(FOLDER, "tls"))
AUTHORITY = feed_server.Authority(os.path.join(FOLDER, "tls"))
NOW = 1764547200  # 2025-12-01T00:00:00Z
STUDY = "b=rent/lambda/gpu_8x_h100_sxm5/us-east-1/on_demand"
passed = failed = 0


def check(good, what, more=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED:", what, str(more)[:800])


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def read(path, method="GET", accept="application/json"):
    """(status, headers, body)"""
    asked = urllib.request.Request(BASE + path, method=method, headers={"Accept": accept},
                                   data=b"" if method == "POST" else None)
    try:
        with urllib.request.urlopen(asked, timeout=15) as got:
            return got.status, got.headers, got.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def wait_ready(limit=20):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        try:
            if read("/healthz")[0] == 200:
                return True
        except OSError:
            pass
        time.sleep(0.1)
    return False


feed_body = open(os.path.join(ROOT, "tests", "feeds", "skypilot_lambda.csv"), "rb").read()


def refresh(server, now):
    feeds = os.path.join(FOLDER, "feeds")
    with open(feeds, "w") as f:
        f.write("skypilot-lambda %s/l.csv\n" % server.address)
    done = subprocess.run([os.path.join(B, "gputco-refresh"), "skypilot-lambda", "--test-loopback",
                           "--test-ca=" + AUTHORITY.ca, "--test-now=%d" % now],
                          timeout=60, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env={"PATH": os.environ["PATH"], "GPUTCO_DB": DB, "GPUTCO_FEEDS": feeds})
    check(done.returncode == 0, "the refresh works", done.stdout)


def documents(link):
    page = read(link, accept="text/html")
    suffixes = sorted({part.split('"')[0] for part in page[2].decode().split('href="%s.' % link)[1:]})
    check({"json", "txt", "svg"} <= set(suffixes), "the page leads to its documents", suffixes)
    return {(s, lang): read(link + s + "?lang=" + lang)[::2]
            for s in [""] + ["." + each for each in suffixes] for lang in ("en", "zh")}


def rent_of(body):
    return json.loads(body)["options"]["b"]["inputs"]["rent_price_per_hour"]["value"]


def refreshed(feeds):
    global feed_body
    status, headers, _ = read("/studies?" + STUDY, "POST")
    check(status == 201, "a study is saved", status)
    link = headers["Location"][headers["Location"].index("/s/"):]
    before = documents(link)
    check(all(got[0] == 200 for got in before.values()), "all documents are there")
    live = read("/compare.json?" + STUDY)[2]
    check(rent_of(live) == 30.4, "the price of the feed's file", rent_of(live))
    feed_body = feed_body.replace(b"30.4,", b"33.44,")
    refresh(feeds, NOW + 3600 * 30)
    end = time.monotonic() + 15
    while time.monotonic() < end and rent_of(read("/compare.json?" + STUDY)[2]) != 33.44:
        time.sleep(0.2)
    check(rent_of(read("/compare.json?" + STUDY)[2]) == 33.44, "the new price has arrived")
    check(documents(link) == before, "a saved link gives the same bytes after a refresh")
    now = json.loads(read(link + ".json?now=1")[2])
    rent = [each for each in now["differences"]["inputs"] if each["field"] == "rent_price_per_hour"]
    check(len(rent) == 1 and rent[0]["cause"] == "price" and (rent[0]["then"], rent[0]["now"]) == (30.4, 33.44),
          "then and now names the price", rent)
    row = now["differences"]["options"]["b"]["total_cost"]
    compute = now["then"]["options"]["b"]["items"]["compute"]
    check(abs(row["price"] - 0.1 * compute) < 1e-6 * compute, "a tenth dearer by a tenth of the rent", row)
    check(all(abs(row[each]) < 1e-6 for each in ("formula", "rate", "factor")), "and by nothing else", row)
    again = read("/studies?" + STUDY, "POST")[1]["Location"]
    check(not again.endswith(link), "other data, another link")
    return link, before


def children(pid):
    try:
        return [int(each) for each in open("/proc/%d/task/%d/children" % (pid, pid)).read().split()]
    except OSError:
        return []


def service_of(run):
    """The service under run.sh: its child that has children of the same program."""
    for pid in children(run.pid):
        try:
            words = open("/proc/%d/cmdline" % pid, "rb").read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"/gputco") and b"serve" in words:
            return pid
    return None


def killed(run):
    links = []
    service = service_of(run)
    check(service is not None, "the service is found")
    for i in range(8):
        status, headers, _ = read("/studies?%s&busy_frac=0.%d" % (STUDY, 11 + i), "POST")
        workers = children(service)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        check(status == 201 and workers, "saved, then killed", (status, workers))
        links.append(headers["Location"][headers["Location"].index("/s/"):])
        check(wait_ready(), "the service comes back")
    lost = [link for link in links if read(link + ".json")[0] != 200]
    check(not lost and len(set(links)) == 8, "nothing that was answered 201 is lost", lost)


def main():
    global BASE, DB
    good = AUTHORITY.context()
    feeds = feed_server.Server(lambda *_: [feed_server.reply(feed_body)], lambda _: good)
    port = free_port()
    BASE, DB = "http://127.0.0.1:%d" % port, os.path.join(FOLDER, "gputco.db")
    refresh(feeds, NOW)
    env = dict(os.environ, PORT=str(port), RUN=FOLDER, B=B, GPUTCO_DB=DB, GPUTCO_TODAY="2025-12-03")
    env.pop("GPUTCO_URL", None)
    with open(os.path.join(FOLDER, "log"), "w") as log:
        run = subprocess.Popen(["sh", "deploy/run.sh"], cwd=ROOT, env=env, stdout=log, stderr=log)
    try:
        check(wait_ready(60), "the service starts", open(os.path.join(FOLDER, "log")).read())
        link, before = refreshed(feeds)
        killed(run)
        check(documents(link) == before, "and the first link gives the same bytes still")
    finally:
        run.terminate()
        run.wait(20)
        feeds.close()
        shutil.rmtree(FOLDER, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
