"""Runs gputco-refresh against a real nginx, pages of a server's own making and
the kill signal, all by HTTPS (feed_server.py). Loopback only, ports as they are
free; ends only what it started. GPUTCO_SHARED: folder with recorded feeds."""
import collections, contextlib, csv, json, os, pty, random, re, shutil, signal, sqlite3
import subprocess, sys, tempfile, time

import feed_server

PROGRAM = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("GPUTCO_SHARED") or os.path.join(HERE, "..", "..", "shared")
FOLDER = tempfile.mkdtemp(prefix="gputco-refresh-")
os.chmod(FOLDER, 0o755)  # nginx started by root reads as another user
os.mkdir(os.path.join(FOLDER, "tls"))
AUTHORITY = feed_server.Authority(os.path.join(FOLDER, "tls"))
HERE_ONLY = ["--test-loopback", "--test-ca=" + AUTHORITY.ca]
DAY = 86400
KILLS = int(os.environ.get("GPUTCO_KILLS", "60"))
NOW = 1764547200  # 2025-12-01T00:00:00Z
passed = failed = 0


def check(good, what, more=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED:", what, "\n   ", str(more).replace("\n", "\n    ")[:1500])
    return good


def path(*names):
    return os.path.join(FOLDER, *names)


def doctor(*args, db="x.db"):
    """What `gputco doctor` prints, whatever it thinks of the days."""
    done = subprocess.run([os.path.join(os.path.dirname(PROGRAM), "gputco"), "doctor", *args], timeout=60,
                          env={"PATH": os.environ["PATH"], "GPUTCO_DB": path(db)}, capture_output=True, text=True)
    return done.stdout + done.stderr


def run(*args, db="x.db", feeds=None, now=NOW, test=HERE_ONLY, timeout=60, env=None):
    """One run; feeds: {feed: address}. Returns (code, stdout + stderr)."""
    e = {"PATH": os.environ["PATH"], "GPUTCO_DB": path(db)}
    if feeds is not None:
        fd, e["GPUTCO_FEEDS"] = tempfile.mkstemp(dir=FOLDER, prefix="feeds-")
        with open(fd, "w") as f:
            f.write("# test\n" + "".join("%s %s\n" % item for item in feeds.items()))
    e.update(env or {})
    command = [PROGRAM, *args] + test
    if now:
        command.append("--test-now=%d" % now)
    done = subprocess.run(command, env=e, timeout=timeout, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def ask(db, sql, *values):
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path(db), uri=True)) as c:
        return c.execute(sql, values).fetchall()


def offers(db, feed):
    """What is in force: the newest observation of each offer still there."""
    return {row[:4]: row[4] for row in ask(db, """
        SELECT instance, region, term, currency, price_per_hour, max(day)
        FROM observation WHERE feed = ? AND gone_day IS NULL
        GROUP BY instance, region, term ORDER BY 1, 2, 3""", feed)}


def state(db, feed):
    rows = ask(db, "SELECT generation, good_day, last_error, next_try, retry_after,"
               " failure_count, etag FROM feed WHERE id = ?", feed)
    return rows[0] if rows else None


def publish(target, body, ticks=[NOW]):
    """Writes a file nginx will tell from the one before, whose validator is
    made of time and size."""
    with open(target, "wb") as f:
        f.write(body)
    ticks[0] += 1
    os.utime(target, (ticks[0], ticks[0]))


# What nginx answers besides files.
PLACES = """
    location = /500 { return 500; }
    location = /503 { add_header Retry-After 7200 always; return 503; }
    location = /204 { return 204; }
    location = /slow { try_files /slow.csv =404; limit_rate 200; gzip off; }
    location = /moved { return 302 /skypilot_lambda.csv; }
    location = /twice { return 301 /moved; }
    location = /thrice { return 307 /twice; }
    location = /round { return 308 /round; }
    location = /nowhere { return 302 ""; }
    location = /tofile { return 302 file:///etc/passwd; }
    location = /topage { return 302 http://$http_host/skypilot_lambda.csv; }
    location = /toother { return 302 https://elsewhere.example/skypilot_lambda.csv; }
    location = /page { default_type text/html; return 200 "<html>down</html>"; }
    location = /page.csv { default_type text/csv; return 200 "<html>down</html>"; }
    location = /empty.csv { default_type text/csv; return 200 ""; }
"""


def nginx_start(root):
    return feed_server.nginx_start(FOLDER, root, AUTHORITY, PLACES)


def sample(name):
    with open(os.path.join(HERE, "feeds", name), "rb") as f:
        return f.read()


# -- the tests ----------------------------------------------------------------

def generated(count, factor, skip=0):
    """A large file of many offers."""
    lines = ["InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"]
    for i in range(skip, count):
        lines.append("zz%d.large,ZZ100,2.0,8.0,64.0,%.4f,r-%d,," % (i // 40, (1 + i % 37) * factor, i % 40))
    return ("\r\n".join(lines) + "\r\n").encode()


def usual(base, root):
    feed = "skypilot-lambda"
    target = os.path.join(root, "l.csv")
    first = sample("skypilot_lambda.csv")
    feeds = {feed: base + "/l.csv"}
    publish(target, first)
    code, out = run(feed, feeds=feeds)
    check(code == 0 and "3 offers, 3 new" in out, "a first fetch", out)
    check(offers("x.db", feed) == {
        ("gpu_1x_h100_pcie", "us-west-1", "on_demand", "USD"): 3.15,
        ("gpu_8x_h100_sxm5", "us-east-1", "on_demand", "USD"): 30.4,
        ("gpu_8x_h100_sxm5", "us-west-1", "on_demand", "USD"): 30.4}, "its prices", offers("x.db", feed))
    seed = ask("x.db", "SELECT count(*) FROM observation WHERE feed LIKE 'seed-%'")
    check(seed[0][0] > 100, "a new store brings the seed", seed)
    was = state("x.db", feed)
    check(was[6].startswith(('"', 'W/"')), "the validator is kept", was)

    code, out = run(feed, feeds=feeds, now=NOW + DAY)
    check(code == 0 and "lambda: unchanged, 3 offers" in out, "the second run", out)
    log = [line for line in open(path("access.log")) if "/l.csv" in line]
    check(len(log) == 2 and '" 304 ' in log[-1], "is answered with 304", log)
    now = state("x.db", feed)
    check(now[0] == was[0] and now[1] == 20251202, "304 moves the day, not the generation", (was, now))

    code, out = run(feeds=feeds, now=NOW + DAY + 60)
    check("skypilot-lambda: not due" in out, "not asked before it is due", out)

    kept = offers("x.db", feed)
    for address, word, why in [
            (base + "/500", "500", "status 500"), (base + "/204", "204", "status 204"),
            (base + "/none.csv", "404", "status 404"),
            (base + "/page", "web page", "a page"), (base + "/page.csv", "markup", "a page called CSV"),
            (base + "/empty.csv", "empty", "nothing"), (base + "/thrice", "after two redirects", "three redirects"),
            (base + "/round", "loop", "a redirect to itself"), (base + "/nowhere", "302", "a redirect to nowhere"),
            (base + "/tofile", "only https", "a redirect to a file"),
            (base + "/topage", "only https", "a redirect to plain http"),
            (base + "/toother", "not its host", "a redirect to another host"),
            ("https://127.0.0.1:1/x.csv", "onnect", "a closed port"),
            ("https://no-such-host.invalid/x.csv", "resolve", "no such name")]:
        code, out = run(feed, feeds={feed: address}, now=NOW + 2 * DAY)
        now = state("x.db", feed)
        check(code == 1 and word in out and out.count("gputco-refresh: " + feed) == 1
              and offers("x.db", feed) == kept and now[:2] == (was[0], 20251202), why, out)
    check(now[5] == 14, "failures are counted", now)

    # files that are served well and are wrong all the same
    lines = first.split(b"\r\n")
    wrong = {
        "a cut body": first[:-30], "cut after a line": b"\r\n".join(lines[:3]) + b"\r\n",
        "a column renamed": first.replace(b"SpotPrice", b"Spot"),
        "two of four lines": b"\r\n".join(lines[:2] + lines[3:4]) + b"\r\n",
        "another table": b"a,b,c\r\n1,2,3\r\n", "UTF-16": first.decode().encode("utf-16"),
        "one endless line": first[:-2] + b"x" * 200000 + b"\r\n",
        "a quote not closed": first.replace(b'}",', b'},', 1),
    }
    for why, body in wrong.items():
        publish(target, body)
        code, out = run(feed, feeds=feeds, now=NOW + 3 * DAY)
        check(code == 1 and "refused" in out and offers("x.db", feed) == kept
              and state("x.db", feed)[0] == was[0], why, out)

    code, out = run(feed, "--dry-run", feeds=feeds, now=NOW + 3 * DAY)
    check(code == 1 and state("x.db", feed)[5] == 22, "a dry run records nothing", (out, state("x.db", feed)))
    before = os.stat(path("x.db")).st_mtime_ns, ask("x.db", "SELECT revision FROM meta")
    publish(target, first.replace(b"3.15", b"3.25"))
    code, out = run(feed, "--dry-run", feeds=feeds, now=NOW + 3 * DAY)
    check(code == 0 and "1 changed" in out and "dry run" in out and offers("x.db", feed) == kept
          and before == (os.stat(path("x.db")).st_mtime_ns, ask("x.db", "SELECT revision FROM meta")),
          "a dry run tells and keeps nothing", out)
    code, out = run(feed, feeds=feeds, now=NOW + 3 * DAY)
    check(code == 0 and "1 changed" in out and "on_demand: 3.15 -> 3.25" in out, "a change, from and to", out)
    rows = ask("x.db", "SELECT day, price_per_hour, last_seen_day FROM observation WHERE instance ="
               " 'gpu_1x_h100_pcie' AND feed = ? ORDER BY day", feed)
    check(rows == [(20251201, 3.15, 20251202), (20251204, 3.25, 20251204)], "both are kept with their days", rows)

    # held until the second day
    publish(target, first.replace(b"3.15", b"31.5"))
    code, out = run(feed, feeds=feeds, now=NOW + 4 * DAY)
    check(code == 0 and "1 held" in out and "31.5 waits" in out and 3.25 in offers("x.db", feed).values(), "ten times as much is held", out)
    code, out = run(feed, feeds=feeds, now=NOW + 4 * DAY + 3600)
    check("1 held" in out and 3.25 in offers("x.db", feed).values(), "also an hour later", out)
    told = json.loads(doctor(feed, "--format", "json"))
    check([(h["instance"], h["price_per_hour"], h["since"]) for h in told["held"]] == [("gpu_1x_h100_pcie", 31.5, "2025-12-05")],
          "doctor names what waits", told["held"])
    check([r["state"] for r in told["runs"][:3]] == ["good"] * 3 and [r["held_count"] for r in told["runs"][:3]] == [1, 1, 0]
          and told["runs"][2]["changed_count"] == 1 and len(told["runs"]) == ask("x.db", "SELECT count(*) FROM generation WHERE"
          " feed = (SELECT number FROM feed WHERE id = ?)", feed)[0][0], "and the last runs, newest first", told["runs"])
    check([(r["id"], r["refused"], r["count"], r["first"].split()[0]) for r in told["runs"][0]["reasons"] if r["id"] == "price_jump"]
          == [("price_jump", False, 1, "gpu_1x_h100_pcie")] and "price_jump" not in str(told["runs"][2]),
          "with what was not taken, by reason", told["runs"][0])
    words = doctor(feed)
    check(re.search(r"\n    noticed 1: .*\(price_jump\), first gpu_1x_h100_pcie", words), "and the reasons in words", words)
    check("31.5 an hour" in words and "2025-12-05 " in words, "in words too", words)
    check("there is no feed nonsense" in doctor("nonsense"), "a feed that is none is said")
    code, out = run(feed, feeds=feeds, now=NOW + 5 * DAY)
    check("1 changed" in out and 31.5 in offers("x.db", feed).values(), "let in the next day", out)
    publish(target, first)
    code, out = run(feed, "--accept", feeds=feeds, now=NOW + 5 * DAY)
    check("1 changed" in out and 3.15 in offers("x.db", feed).values(), "--accept lets in at once", out)

    # Retry-After
    code, out = run(feed, feeds={feed: base + "/503"}, now=NOW + 6 * DAY)
    check(code == 1 and state("x.db", feed)[4] == NOW + 6 * DAY + 7200, "Retry-After is kept", (out, state("x.db", feed)))
    code, out = run(feed, feeds=feeds, now=NOW + 6 * DAY + 7000)
    check(code == 0 and "left alone" in out, "and obeyed", out)
    code, out = run(feed, feeds=feeds, now=NOW + 6 * DAY + 7300)
    check(code == 0 and "offers" in out, "until it is over", out)
    code, out = run(feed, feeds=feeds, now=NOW)
    check(code == 0, "a clock that went back does no harm", out)


def derived(base, root):
    """What is derived builds on what came in the same run: 1.2 less 60 % is 0.48."""
    publish(os.path.join(root, "d.csv"), b"InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,"
            b"SpotPrice,Region,AvailabilityZone,Arch\ng5.xlarge,A10G,1,4,16,,1.2,,ap-southeast-4,apse4-az1,x86_64\n")
    publish(os.path.join(root, "d.json"), b'{"ranges":[{"index":0}],"instance_types":{},"spot_advisor":'
            b'{"ap-southeast-4":{"Linux":{"g5.xlarge":{"s":60,"r":0}}}}}')
    feeds = {"skypilot-aws": base + "/d.csv", "aws-spot": base + "/d.json"}
    code, out = run(*feeds, feeds=feeds, db="derived.db")
    got = offers("derived.db", "aws-spot")
    check(code == 0 and list(got) == [("g5.xlarge", "ap-southeast-4", "spot", "USD")]
          and abs(list(got.values())[0] - 0.48) < 1e-9, "a derived price in the run that brings its base", (got, out))


def command_line(base):
    for args, why in [
            (["--feed=file:secret"], "file:"), (["skypilot-aws", "--feed=file:secret"], "file: for a feed"),
            (["--feed=http://127.0.0.1/"], "plain http"),
            (["skypilot-aws", "--feed", "http://127.0.0.1/"], "plain http for a feed"),
            (["--feed=gopher://x/"], "gopher"), (["--feed=https://h/"], "no feed named"),
            (["nonsense"], "unknown feed"), (["--nonsense"], "unknown option"),
            (["--test-allow-insecure"], "no switch allows plain http"), (["--test-now=x"], "a time that is none"),
            (["--test-cap=-1"], "a cap that is none"), (["--test-timeout=1s"], "a limit that is none")]:
        for test in ([], HERE_ONLY):
            code, out = run(*args, db="cli.db", test=test)
            check(code == 2 and out and not os.path.exists(path("cli.db")), why, out)
    for switch in (HERE_ONLY[1], "--test-cap=9", "--test-timeout=9", "--test-run=9"):
        code, out = run("skypilot-aws", switch, db="cli.db", test=[])
        check(code == 2 and "--test-loopback" in out, "%s stands alone" % switch, out)
    plain = "http" + base[5:] + "/x"
    code, out = run("skypilot-aws", db="cli.db", feeds={"skypilot-aws": plain})
    check(code == 2 and "only https" in out, "GPUTCO_FEEDS with plain http", out)
    code, out = run(db="cli.db", feeds={"nonsense": "https://h/"})
    check(code == 2, "GPUTCO_FEEDS with an unknown feed", out)
    code, out = run("--help", db="cli.db")
    check(code == 0 and "usage" in out, "--help", out)
    code, out = run("--list", db="none.db")
    check(code == 0 and "skypilot-aws" in out and not os.path.exists(path("none.db")), "--list", out)
    code, out = run("--seed", db="seed.db")
    check(code == 0 and "seed:" in out, "--seed", out)
    code, out = run("--seed", env={"GPUTCO_DB": "/proc/nowhere/x.db"})
    check(code == 1 and "gputco-refresh" in out, "a store that cannot be", out)
    code, out = run("skypilot-lambda", "--feed=" + base + "/skypilot_lambda.csv", db="cli.db")
    check(code == 0 and "3 new" in out, "--feed=", out)
    with open(path("bad.db"), "wb") as f:
        f.write(b"no database " * 1000)
    code, out = run("skypilot-lambda", "--feed=" + base + "/skypilot_lambda.csv", db="bad.db")
    check(code == 1, "a damaged store", out)


def time_of_a_run(base, root):
    """A run ends in its time (ten minutes; here two seconds): what is begun is
    broken off, what was not begun waits and is no failure."""
    publish(os.path.join(root, "slow.csv"), generated(200, 1.0))
    feeds = {"skypilot-aws": base + "/slow", "skypilot-lambda": base + "/skypilot_lambda.csv"}
    began = time.monotonic()
    code, out = run(*feeds, "--test-run=2", db="t2.db", feeds=feeds)
    took = time.monotonic() - began
    check(code == 1 and "skypilot-aws: not fetched" in out and "skypilot-lambda: no time is left in this run" in out and took < 20,
          "what is slow ends with the run", (took, out))
    check(state("t2.db", "skypilot-aws")[5] == 1 and not ask("t2.db", "SELECT 1 FROM feed WHERE id = 'skypilot-lambda'"),
          "one failure, and one not begun", out)
    code, out = run("skypilot-aws", "--test-run=60", db="t2.db", feeds={"skypilot-aws": base + "/slow.csv"})
    check(code == 0 and "200 new" in out, "with time it is read", out)


def trust(base):
    """Who may be asked, and whose word for it counts."""
    feed, address = "skypilot-lambda", base + "/skypilot_lambda.csv"
    here, ca = HERE_ONLY[:1], AUTHORITY.ca
    code, out = run(feed, "--feed=" + address, db="t.db", test=[])
    check(code == 1 and "private address" in out, "this machine is not asked", out)
    code, out = run(feed, "--feed=" + address, db="t.db", test=here)
    check(code == 1 and "certificate" in out, "an unknown authority", out)
    shutil.copytree(AUTHORITY.folder, path("certs"))
    subprocess.run(["openssl", "rehash", path("certs")], check=True)
    for name, value in (("SSL_CERT_FILE", ca), ("SSL_CERT_DIR", path("certs")), ("CURL_CA_BUNDLE", ca),
                        ("https_proxy", base), ("ALL_PROXY", base)):
        code, out = run(feed, "--feed=" + address, db="t.db", test=here, env={name: value})
        check(code == 1 and "certificate" in out, "%s makes nobody trusted" % name, out)
    code, out = run(feed, "--feed=" + address, db="t.db", env={
        "https_proxy": "http://127.0.0.1:1", "SSLKEYLOGFILE": path("keys"), "OPENSSL_CONF": "/nowhere"})
    check(code == 0 and "3 new" in out and not os.path.exists(path("keys")), "nor is a proxy used or a key written", out)
    code, out = run(feed, "--feed=" + address.replace("127.0.0.1", "localhost"), db="t.db")
    check(code == 0 and "3 offers" in out, "by name", out)


def redirects(base):
    feed = "skypilot-lambda"
    for place in ("/moved", "/twice"):
        code, out = run(feed, feeds={feed: base + place}, db="r.db", now=NOW)
        check(code == 0 and "3 offers" in out and state("r.db", feed)[6] == "",
              "%s leads to the file and keeps no validator" % place, (out, state("r.db", feed)))
    code, out = run(feed, feeds={feed: base + "/twice"}, db="r.db", now=NOW + DAY)
    log = [line for line in open(path("access.log")) if "/skypilot_lambda.csv" in line]
    check(code == 0 and "unchanged, 3 offers" in out and '" 200 ' in log[-1], "nor sends one the next day", (out, log[-1]))


def crowded(base, root):
    """More rows than any feed holds refuse that feed, and end no run."""
    lines = ["InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"]
    lines += ["zz1.large,ZZ100,2.0,8.0,64.0,1.5,r-%d,," % i for i in range(200001)]
    publish(os.path.join(root, "crowd.csv"), ("\n".join(lines) + "\n").encode())
    feeds = {"skypilot-aws": base + "/crowd.csv", "skypilot-lambda": base + "/skypilot_lambda.csv"}
    code, out = run(*feeds, feeds=feeds, db="crowd.db")
    check(code == 1 and "skypilot-aws: refused: row_count: more than any" in out and "1 good, 0 unchanged, 1 failed" in out
          and not offers("crowd.db", "skypilot-aws") and len(offers("crowd.db", "skypilot-lambda")) == 3, "a crowd", out)


def on_a_terminal(base):
    master, slave = pty.openpty()
    with open(os.path.join(ROOT, "big.txt"), "wb") as f:  # .txt: not compressed, so its length is known
        f.write(generated(4000, 1))
    process = subprocess.Popen([PROGRAM, "skypilot-lambda", "--feed=" + base + "/big.txt",
                                *HERE_ONLY], stdout=slave, stderr=slave,
                               env={"GPUTCO_DB": path("tty.db")})
    os.close(slave)
    got = b""
    try:
        while True:
            piece = os.read(master, 4096)
            if not piece:
                break
            got += piece
    except OSError:
        pass
    process.wait(20)
    os.close(master)
    check(b"\r" in got and b"[####" in got and b"4000 new" in got, "a bar on a terminal", got)
    code, out = run("skypilot-lambda", "--feed=" + base + "/skypilot_lambda.csv", db="pipe.db")
    check("\r" not in out and "[#" not in out and len(out.splitlines()) == 2, "and lines elsewhere", out)


# -- feeds of several pages, with a key, of rates ---------------------------------

def azure_page(price, following):
    item = {"currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": price, "armRegionName": "eastus",
            "effectiveStartDate": "2025-04-01T00:00:00Z", "meterName": "a", "productName": "ND series",
            "skuName": "a", "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": "Consumption",
            "isPrimaryMeterRegion": True}
    names = {98.32: "Standard_ND96isr_H100_v5", 32.77: "Standard_ND96amsr_A100_v4", 3.06: "Standard_NC6s_v3"}
    items = [dict(item, armSkuName=names[price]), dict(item, armSkuName="Standard_E64_v4")]
    return json.dumps({"BillingCurrency": "USD", "Items": items, "NextPageLink": following, "Count": 2}).encode()


def pages():
    """One generation is all pages or none."""
    def reply(body, kind="application/json"):
        return feed_server.reply(body, kind)

    answers, feed = {}, "az-eastus"
    good = AUTHORITY.context()
    server = feed_server.Server(lambda _, asked, __: answers[asked](), lambda _: good)

    def serve(bodies, key="p"):
        """The pages under addresses of their own; the first one's address."""
        for i, body in enumerate(bodies):
            answers["/%s%d" % (key, i)] = (lambda one: lambda: iter([one]))(body)
        return server.address + "/%s0" % key

    def three(key, broken=None, answer=b""):
        to = [server.address + "/%s%d" % (key, i) for i in (1, 2)] + [None]
        bodies = [reply(azure_page(price, to[i])) for i, price in enumerate((98.32, 32.77, 3.06))]
        if broken is not None:
            bodies[broken] = answer
        return serve(bodies, key)

    code, out = run(feed, feeds={feed: three("good")}, db="pages.db")
    want = {("Standard_ND96isr_H100_v5", "eastus", "on_demand", "USD"): 98.32,
            ("Standard_ND96amsr_A100_v4", "eastus", "on_demand", "USD"): 32.77,
            ("Standard_NC6s_v3", "eastus", "on_demand", "USD"): 3.06}
    check(code == 0 and "3 offers, 3 new" in out and offers("pages.db", feed) == want, "three pages", out)
    code, out = run(feed, feeds={feed: three("good")}, db="pages.db", now=NOW + DAY)
    check(code == 0 and "unchanged, 3 offers" in out, "the same pages the next day", out)
    was = state("pages.db", feed)
    bad = {"500": b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "html": reply(b"<html>", "text/html"),
           "empty": reply(b""), "no items": reply(b'{"BillingCurrency":"USD","Items":[],"NextPageLink":null}'),
           "cut": reply(azure_page(98.32, None)[:-40]), "other": reply(b'{"data":[]}'),
           "short": reply(azure_page(98.32, None)).replace(b"Length: ", b"Length: 9"),
           "closed": b"",
           "away": reply(azure_page(98.32, "https://elsewhere.example/p")),
           "down": reply(azure_page(98.32, "http" + server.address[5:] + "/x")),
           "two lines": reply(azure_page(98.32, "https://elsewhere.example/\ngputco-refresh: az-eastus: good"))}
    for name, answer in bad.items():
        for at in (0, 1, 2):
            key = "%s%d-" % (name.replace(" ", ""), at)
            code, out = run(feed, feeds={feed: three(key, at, answer)}, db="pages.db", now=NOW + 3 * DAY)
            check(code == 1 and offers("pages.db", feed) == want and state("pages.db", feed)[0] == was[0]
                  and out.count("\ngputco-refresh: " + feed) + out.startswith("gputco-refresh: " + feed) == 1,
                  "%s on page %d changes nothing" % (name, at), out)
    for at in (0, 1, 2):  # a page that moved within the host
        key = "moved%d-" % at
        address = three(key, at, feed_server.reply(b"", status="302 Found", more=["Location: /good%d" % at]))
        code, out = run(feed, feeds={feed: address}, db="pages%d.db" % at)
        check(code == 0 and "3 offers, 3 new" in out and offers("pages%d.db" % at, feed) == want,
              "page %d is elsewhere" % at, out)
    wait = b"HTTP/1.1 429 Slow\r\nRetry-After: 7200\r\nContent-Length: 0\r\n\r\n"
    for at in (0, 1, 2):
        now = NOW + (5 + at) * DAY
        code, out = run(feed, feeds={feed: three("wait%d-" % at, at, wait)}, db="pages.db", now=now)
        check(code == 1 and state("pages.db", feed)[4] == now + 7200 and offers("pages.db", feed) == want,
              "429 on page %d is heeded" % at, (out, state("pages.db", feed)))
        code, out = run(feed, feeds={feed: three("good")}, db="pages.db", now=now + 3600)
        check("left alone" in out, "and not asked before", out)
    loop = serve([reply(azure_page(98.32, server.address + "/loop0"))], "loop")
    code, out = run(feed, feeds={feed: loop}, db="pages.db", now=NOW + 9 * DAY, timeout=120)
    check(code == 1 and "page_loop: page 1 leads back to page 1" in out and offers("pages.db", feed) == want, "pages that lead to themselves", out)

    day = '<Cube time="%s">' + "".join("<Cube currency='%s' rate='%%s'/>" % name for name in
                                       "USD JPY GBP CHF AUD CAD SEK NOK DKK PLN CZK HUF".split()) + "</Cube>"
    envelope = "<gesmes:Envelope><Cube>%s</Cube></gesmes:Envelope>"

    def rates(*of):
        values = ["1.17", "184", "0.86", "0.93", "1.77", "1.63", "11.1", "11.8", "7.47", "4.25", "24.3", "386"]
        text = "".join(day % ((d,) + tuple([dollar] + values[1:])) for d, dollar in of)
        return reply((envelope % text).encode(), "text/xml")

    address = serve([rates(("2025-11-28", "1.16"), ("2025-11-27", "1.159"))], "ecb")
    code, out = run("ecb", feeds={"ecb": address}, db="pages.db")
    got = ask("pages.db", "SELECT day, per_eur, feed FROM rate WHERE currency = 'USD' AND day >= 20251127 ORDER BY day LIMIT 2")
    check(code == 0 and got == [(20251127, 1.159, "ecb"), (20251128, 1.16, "ecb")], "rates by day", (out, got))
    address = serve([rates(("2025-12-01", "2.3"))], "ecb")
    code, out = run("ecb", feeds={"ecb": address}, db="pages.db", now=NOW + DAY)
    check(code == 1 and "USD" in out and not ask("pages.db", "SELECT 1 FROM rate WHERE per_eur = 2.3"),
          "a dollar that doubles is no rate", out)
    server.close()


def google():
    """A key goes along in a header on every page; without one nothing is asked
    and nothing is wrong."""
    def sku(name, group, unit, units, nanos):
        return {"description": name + " running in Americas", "serviceRegions": ["us-central1"],
                "category": {"resourceFamily": "Compute", "resourceGroup": group, "usageType": "OnDemand"},
                "pricingInfo": [{"effectiveTime": "2026-07-30T00:00:00Z", "currencyConversionRate": 1,
                                 "pricingExpression": {"usageUnit": unit, "tieredRates": [{"startUsageAmount": 0,
                                     "unitPrice": {"currencyCode": "USD", "units": units, "nanos": nanos}}]}}]}

    pages = {"/skus?a=1": ([sku("G2 Instance Core", "CPU", "h", "0", 25000000)], "x/1="),
             "/skus?a=1&pageToken=x%2F1%3D": ([sku("G2 Instance Ram", "RAM", "GiBy.h", "0", 3000000)], "y"),
             "/skus?a=1&pageToken=y": ([sku("Nvidia L4 GPU", "GPU", "h", "3", 930000000)], "")}

    def answer(_, asked, request):
        if "x-goog-api-key: secret-7\r\n" not in request:
            return iter([feed_server.reply(b"{}", "application/json", "403 Forbidden")])
        skus, token = pages[asked]
        return iter([feed_server.reply(json.dumps({"skus": skus, "nextPageToken": token}).encode(), "application/json")])

    good = AUTHORITY.context()
    server = feed_server.Server(answer, lambda _: good)
    to = {"gcp": server.address + "/skus?a=1"}
    code, out = run("gcp", feeds=to, db="google.db")
    check(code == 0 and "GPUTCO_GOOGLE_KEY" in out and not server.asked, "no key: said, and no fault", out)
    code, out = run("--list", db="google.db")
    check("catalogue with GPUTCO_GOOGLE_KEY\n" in out, "the list names the key", out)
    code, out = run("gcp", feeds=to, db="google.db", env={"GPUTCO_GOOGLE_KEY": "secret-7"})
    got = offers("google.db", "gcp")
    check(code == 0 and "8 new" in out and "secret-7" not in out and len(server.asked) == 3
          and abs(got["g2-standard-4", "us-central1", "on_demand", "USD"] - 4.078) < 1e-9, "three pages with a key", (out, got))
    with open(path("google.db"), "rb") as f:
        check(b"secret-7" not in f.read(), "the key is not kept")
    code, out = run("gcp", feeds=to, db="google.db", env={"GPUTCO_GOOGLE_KEY": "wrong-8"}, now=NOW + DAY)
    check(code == 1 and "403" in out and "wrong-8" not in out and offers("google.db", "gcp") == got, "another key", out)
    server.close()


def kills(base, root):
    """Whatever the moment, a reader finds all of the old or all of the new."""
    feed, count = "skypilot-lambda", 1500
    for name, factor, skip in (("old.csv", 1, 0), ("new.csv", 1.25, 40)):
        with open(os.path.join(root, name), "wb") as f:
            f.write(generated(count, factor, skip))
    code, out = run(feed, db="k.db", feeds={feed: base + "/old.csv"})
    check(code == 0 and "%d new" % count in out, "the old generation", out)
    old = offers("k.db", feed)
    with contextlib.closing(sqlite3.connect(path("k.db"))) as c:
        c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    command = [PROGRAM, feed, "--feed=" + base + "/new.csv", *HERE_ONLY, "--test-now=%d" % (NOW + DAY)]

    def begin(db):
        for end in ("", "-wal", "-shm"):  # a new file: nothing is left of the one before
            if os.path.exists(path(db) + end):
                os.unlink(path(db) + end)
        shutil.copy(path("k.db"), path(db))
        return subprocess.Popen(command, env={"GPUTCO_DB": path(db)}, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    whole = 30.0
    for _ in range(3):
        t = time.monotonic()
        check(begin("k2.db").wait(30) == 0, "the new one, left alone")
        whole = min(whole, time.monotonic() - t)
    new = offers("k2.db", feed)
    check(len(old) == count and len(new) == count - 40 and all(abs(new[k] / old[k] - 1.25) < 1e-9 for k in new),
          "which differs in every price")
    seen, broken, random_ = collections.Counter(), [], random.Random(4)
    for i in range(KILLS):
        process = begin("k2.db")
        time.sleep(random_.uniform(0, whole))
        process.send_signal(signal.SIGKILL)
        killed = process.wait() != 0
        whole *= 1 if killed else 0.95  # the machine is less busy than it was
        found = offers("k2.db", feed)
        generations = ask("k2.db", "SELECT count(*) FROM generation g JOIN feed f ON f.number = g.feed"
                          " WHERE f.id = ? AND g.state = 'good'", feed)[0][0]
        good = (found == old and generations == 1) or (found == new and generations == 2)
        sound = ask("k2.db", "PRAGMA integrity_check") == [("ok",)] if i % 10 == 0 else True
        if not (good and sound):
            broken.append((i, len(found), generations))
        seen["old" if found == old else "new" if found == new else "broken"] += 1
        seen["killed"] += killed
    check(not broken, "%d kills leave one whole generation" % KILLS, broken)
    check(seen["old"] > KILLS // 12 and seen["killed"] > KILLS // 3, "and most struck in time", seen)
    print("kills: %d of %d struck, %d old, %d new, %d broken" % (
        seen["killed"], KILLS, seen["old"], seen["new"], seen["broken"]))
    left = [n for n in os.listdir(FOLDER) if ".part-" in n]
    check(not left, "no temporary file stays behind", left)
    # a run after a kill goes on as if nothing had been
    process = begin("k2.db")
    time.sleep(whole * 0.7)
    process.kill()
    process.wait()
    code, out = run(feed, "--feed=" + base + "/new.csv", db="k2.db", now=NOW + DAY)
    check(code == 0 and offers("k2.db", feed) == new, "the next run completes it", out)


def recorded():
    folder = os.path.join(SHARED, "feeds")
    prices = os.path.join(SHARED, "reference", "cloud_prices.csv")
    if not os.path.isdir(folder) or not os.path.exists(prices):
        print("skipped: recorded feeds (GPUTCO_SHARED names no folder that has them)")
        return
    files = {"skypilot-aws": "skypilot/v8_aws_vms_gpu_rows.csv", "skypilot-lambda": "skypilot/v8_lambda_vms_rows.csv",
             "skypilot-nebius": "skypilot/v8_nebius_vms.csv", "skypilot-oci": "skypilot/v8_oci_vms_rows.csv",
             "skypilot-runpod": "skypilot/v8_runpod_vms_rows.csv",
             "aws-blocks": "aws/capacity_blocks_pricing_2026-07-22.json",
             "oci": "oci/cetools_products_usd_2024-01-19.json", "ecb": "fx/ecb_daily_2026-04-13_rebuilt.xml"}
    process, base = nginx_start(folder)
    try:
        feeds = {feed: "%s/%s" % (base, name) for feed, name in files.items()}
        # rates and blocks are of 2026, so the clock is too
        now = NOW + 300 * DAY
        code, out = run(*feeds, db="real.db", feeds=feeds, now=now)
        check(code == 0 and "8 good" in out and ", 0 refused\n" in out, "the recorded files of eight feeds", out)
        wrong, compared, partial = [], collections.Counter(), set()
        texts = {feed: open(os.path.join(folder, name)).read() for feed, name in files.items()}
        found = {feed: offers("real.db", feed) for feed in files}
        with open(prices, newline="") as f:
            for row in csv.DictReader(f):
                blocks = row["source"].startswith("koyakimu")
                feed = "aws-blocks" if blocks else "skypilot-" + row["provider"]
                if feed not in files or not (blocks or row["as_of"].startswith("undated (v8")):
                    continue
                if not blocks and row["instance_type"] + "," not in texts[feed]:
                    partial.add((feed, row["instance_type"]))  # the recorded file leaves it out
                    continue
                got = [v for (i, r, t, _), v in found[feed].items()
                       if i == row["instance_type"] and t == row["purchase_option"]
                       and (r == row["region"] or row["provider"] == "oci"
                            or "same price in all" in row["region"])]
                compared[feed, row["instance_type"].split(".")[0]] += 1
                if not got or any(abs(v - float(row["price_per_hour_usd"])) > 1e-9 for v in got):
                    wrong.append((feed, row["instance_type"], row["region"], got))
        # rows of the reference by source, less the machines that PROVENANCE says the partial files leave out
        expected = {"skypilot-aws": 37, "skypilot-oci": 21, "skypilot-nebius": 19, "skypilot-lambda": 12,
                    "skypilot-runpod": 2, "aws-blocks": 30}
        left_out = {("skypilot-lambda", "gpu_1x_a6000"), ("skypilot-lambda", "gpu_8x_a100_80gb_sxm4"),
                    ("skypilot-runpod", "2x_A100-80GB_SECURE"), ("skypilot-runpod", "4x_H100-NVL_SECURE")}
        of_feed = collections.Counter()
        for (feed, _), count in compared.items():
            of_feed[feed] += count
        check(compared["skypilot-aws", "p4d"] == 11 and of_feed == expected and not wrong
              and partial == left_out, "prices as the reference has them", (wrong, compared))
        # January 2024, a GPU and hour: H100 10.00, A100-80 4.00, A100-40 3.05 (research notes of the list)
        oracle = {i: v for (i, _, t, _), v in found["oci"].items() if t == "on_demand"}
        check(oracle.get("BM.GPU.H100.8") == 80 and oracle.get("BM.GPU.A100-v2.8") == 32
              and abs(oracle.get("BM.GPU4.8", 0) - 24.4) < 1e-9, "Oracle's list of January 2024", oracle)
        print("recorded: %d prices compared, %d differ, %d not in the recorded files"
              % (sum(compared.values()), len(wrong), len(partial)))
        code, out = run(*feeds, db="real.db", feeds=feeds, now=now + DAY)
        check(code == 0 and "8 unchanged" in out, "all unchanged the next day", out)
        code, out = run("skypilot-gcp", "--feed=%s/skypilot/v8_gcp_vms_rows.csv" % base, db="real.db")
        check(code == 1 and "no price of a whole machine" in out
              and not offers("real.db", "skypilot-gcp"), "hosts of GCP are never taken for machines", out)
    finally:
        process.terminate()
        process.wait()


if not shutil.which("nginx"):
    print("skipped: no nginx here")
    print("0 passed, 1 failed")
    sys.exit(1)
ROOT = path("root")
os.mkdir(ROOT)
for name in os.listdir(os.path.join(HERE, "feeds")):
    shutil.copy(os.path.join(HERE, "feeds", name), ROOT)
NGINX, BASE = nginx_start(ROOT)
try:
    usual(BASE, ROOT)
    derived(BASE, ROOT)
    command_line(BASE)
    trust(BASE)
    time_of_a_run(BASE, ROOT)
    redirects(BASE)
    crowded(BASE, ROOT)
    on_a_terminal(BASE)
    pages()
    google()
    kills(BASE, ROOT)
finally:
    NGINX.terminate()
    NGINX.wait()
recorded()
shutil.rmtree(FOLDER, ignore_errors=True)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
