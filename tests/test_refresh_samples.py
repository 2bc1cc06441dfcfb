"""Each feed from a real HTTPS server (nginx, HTTP/2): its recorded sample, or
recorded figures set into the true shape, and a larger file that was made. What
is in force afterwards must be what a second reading of the same bytes finds
(feed_shapes.py). GPUTCO_SHARED: folder with recorded feeds; B: the build."""
import collections, contextlib, csv, json, os, random, re, shutil, sqlite3, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

import feed_server, feed_shapes
from feed_shapes import Body, FEEDS

B = os.path.abspath(os.environ.get("B", "build"))
PROGRAM = os.path.join(B, "gputco-refresh")
HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("GPUTCO_SHARED") or os.path.join(HERE, "..", "..", "shared")
FOLDER = tempfile.mkdtemp(prefix="gputco-samples-")
NOW = 1796083200  # 2026-12-01T00:00:00Z
MEMORY_MIB, MEMORY_LARGE_MIB = 64, 256


# -- recorded samples ----------------------------------------------------------------

def recorded(*names):
    with open(os.path.join(SHARED, "feeds", *names), "rb") as f:
        return f.read()


def table(*names):
    return csv.DictReader(recorded(*names).decode().splitlines())


def one(kind, *names):
    """The file as it is."""
    return lambda base: [Body("/" + names[-1], kind, recorded(*names))]


def azure_figures(base):
    """Recorded prices of GPU machines in eastus, each in a copy of the item that
    the provider publishes as its example, among recorded others."""
    page = json.loads(recorded("azure", "retail_prices_published_items.json"))
    items = page["Items"]
    for row in table("azure", "ondemand_gpu_skus_2026-06-18.csv"):
        if row["armRegionName"] == "eastus":
            price, name = float(row["retail_price_per_hour_usd"]), row["armSkuName"][len("Standard_"):].replace("_", " ")
            item = dict(items[0], armSkuName=row["armSkuName"], armRegionName="eastus", type="Consumption",
                        meterName=name, skuName=name, productName="Virtual Machines N Series", retailPrice=price,
                        unitPrice=price)
            del item["reservationTerm"]
            items.append(item)
    first = dict(page, Items=items[:30], Count=30, NextPageLink=base + "/azure1.json")
    rest = dict(page, Items=items[30:], Count=len(items) - 30)
    return [Body("/azure%d.json" % i, "application/json", json.dumps(part).encode()) for i, part in enumerate((first, rest))]


def aws_figures(base):
    """Recorded prices of all machines of us-east-1 in lines of today's columns."""
    r, path = random.Random(2), "/offers/20260720000000/us-east-1/index"
    lines = [feed_shapes.aws_line(row["instance_type"], float(row["price_per_hour"]), r)
             for row in table("aws", "ondemand_linux_shared_2026-07-20.csv") if row["region"] == "us-east-1"]
    return [Body("/region_index.json", "application/json", feed_shapes.aws_index("us-east-1", path + ".json")),
            Body(path + ".csv", "text/csv", (feed_shapes.aws_head() + "".join(lines)).encode())]


def aws_fragment(base):
    path = "/fragment/20170302183221/us-east-2/index"
    return [Body("/fragment.json", "application/json", feed_shapes.aws_index("us-east-2", path + ".json")),
            Body(path + ".csv", "text/csv", recorded("aws", "offer_AmazonEC2_2017-03-02_fragment.csv"))]


def gcp_figures(base):
    machines = {}
    for row in table("gcp", "gpu_instance_prices_2026-07-30.csv"):
        gpus, places = machines.setdefault(row["instance_type"], (float(row["accelerator_count"]), {}))
        places[row["region"]] = {name: row[name] for name in ("hour", "hour_spot", "month", "month_1y", "month_3y")
                                 if row[name]}
    return [Body("/pricing.yml", "text/yaml", feed_shapes.gcp_yaml(1785380400, machines))]


def gcp_skus(base):
    return [Body("/gcp/skus?pageSize=2000", "application/json", recorded("gcp", "skus_a2_usd_2023-03-24.json"))]


def ecb_figures(base):
    """Two years of recorded rates, from columns into the form of the feed."""
    rows = list(csv.reader(recorded("fx", "eurofxref-hist_2024-01-02_to_2025-12-23.csv").decode().splitlines()))
    days = [(row[0], {name: rate for name, rate in zip(rows[0][1:], row[1:]) if name and rate not in ("", "N/A")})
            for row in rows[1:]]
    return [Body("/hist.xml", "text/xml", feed_shapes.ecb_xml(days))]


def plans_fragment(base):
    """A recorded rate, of a machine without a GPU; its plan as it must have been."""
    tree, path = json.loads(recorded("aws", "savings_plan_2026-06-23_fragment.json")), "/plan/20260623215842/index.json"
    tree = {"products": [{"sku": tree["terms"]["savingsPlan"][0]["sku"], "productFamily": "ComputeSavingsPlans",
                          "attributes": {"purchaseOption": "All Upfront", "purchaseTerm": "1yr"}}], **tree}
    return [Body("/plan.json", "application/json", json.dumps({"regions": [
                {"regionCode": "us-west-2", "versionUrl": path}]}).encode()),
            Body(path, "application/json", json.dumps(tree).encode())]


def maps_figures(base):
    """Recorded hours of a part of Japan, as if of the whole, which has a feed."""
    body = recorded("carbon", "electricitymaps_history_JP-KN_2024-09-30_first4.json").replace(b"JP-KN", b"JP")
    return [Body("/em.json", "application/json", body)]


# make(base): bodies; read: the second reading, or the words of the refusal that
# is due; count: what a person finds in the file, 0: not counted.
Sample = collections.namedtuple("Sample", "feed make read count")


def skypilot(cloud, name):
    return Sample("skypilot-" + cloud, one("text/csv", "skypilot", name), feed_shapes.read_skypilot(cloud), 0)


SAMPLES = [
    skypilot("aws", "v8_aws_vms_gpu_rows.csv"), skypilot("lambda", "v8_lambda_vms_rows.csv"),
    skypilot("runpod", "v8_runpod_vms_rows.csv"), skypilot("oci", "v8_oci_vms_rows.csv"),
    skypilot("nebius", "v8_nebius_vms.csv"),
    Sample("skypilot-gcp", one("text/csv", "skypilot", "v8_gcp_vms_rows.csv"), "no price of a whole machine", 0),
    Sample("az-eastus", azure_figures, feed_shapes.read_azure, 0),
    Sample("az-eastus2", one("application/json", "azure", "retail_prices_empty_page_2026-10-03.json"),
           "row_count: it holds no item", 0),
    Sample("aws-us-east-1", aws_figures, feed_shapes.read_aws, 0),
    Sample("aws-us-east-2", aws_fragment, "row_count: no price of a machine with a GPU", 0),
    Sample("aws-blocks", one("application/json", "aws", "capacity_blocks_pricing_2026-07-22.json"),
           feed_shapes.read_blocks, 69),
    Sample("gcp", gcp_skus, feed_shapes.read_gcp, 15),
    Sample("gcp-file", gcp_figures, feed_shapes.read_gcp_file, 0),
    Sample("oci", one("application/json", "oci", "cetools_products_usd_2024-01-19.json"), feed_shapes.read_oci, 0),
    Sample("aws-sp-us-west-2", plans_fragment, "row_count", 0),
    Sample("aws-spot", one("application/json", "aws", "spot-advisor-data_2025-06-28.json"), feed_shapes.read_spot_advisor, 0),
    Sample("em-JP", maps_figures, feed_shapes.read_electricity_maps, 1),
    Sample("ecb", one("text/xml", "fx", "ecb_daily_2026-04-13_rebuilt.xml"), feed_shapes.read_ecb, 29),
    Sample("ecb-history", ecb_figures, feed_shapes.read_ecb, 0),
    Sample("uk-grid", one("application/json", "carbon", "uk_intensity_2019-09-12.json"), feed_shapes.read_uk_grid, 1),
    Sample("uk-grid", one("application/json", "carbon", "uk_error_2025-01-13.json"), "schema: it says", 0),
    Sample("uk-grid", one("application/json", "carbon", "uk_intensity_date_no_data_2026-09-07.json"),
           "row_count: 0 half hours", 0),
    Sample("em-US", one("application/json", "carbon", "electricitymaps_latest_US-CAR-DUK_2025-03-29.json"),
           "schema: it is of zone", 0),
    Sample("google-2024", one("text/csv", "carbon", "gcp_region_carbon_2024.csv"), feed_shapes.read_google, 44),
]


# -- one run -----------------------------------------------------------------------------

def path(*names):
    return os.path.join(FOLDER, *names)


def ask(db, sql, *values):
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % db, uri=True)) as c:
        return c.execute(sql, values).fetchall()


def kept(db, feed):
    """What the feed holds by the store, in the form of a second reading, and how
    many of that wait for a second day."""
    offers = {row[:4]: row[4:6] for row in ask(
        db, "SELECT instance, region, term, payment, price_per_hour, upfront_price, max(day) FROM observation"
        " WHERE feed = ? AND gone_day IS NULL GROUP BY instance, region, term, payment", feed)}
    held = {row[:4]: row[4:] for row in ask(
        db, "SELECT instance, region, term, payment, price_per_hour, upfront_price FROM held JOIN feed f"
        " ON f.number = held.feed WHERE f.id = ?", feed)}
    rates = {row[:2]: row[2] for row in ask(db, "SELECT currency, day, per_eur FROM rate WHERE feed = ?", feed)}
    readings = {row[:4]: row[4] for row in ask(db, "SELECT zone, region, tariff, begins, value FROM reading"
                                               " WHERE feed = ?", feed)}
    return {**offers, **held} or rates or readings, len(held)


def derived(left):
    """Spot prices that follow from what is left of known prices on demand, where
    no spot price is known: the newest of the store before the run."""
    known = {row[:3]: row[3] for row in ask(
        path("seed.db"), "SELECT instance, region, term, price_per_hour, max(day) FROM observation WHERE provider = 'aws'"
        " AND term IN ('on_demand', 'spot') AND gone_day IS NULL GROUP BY instance, region, term")}
    return {key + ("spot", "no_upfront"): (known[key + ("on_demand",)] * part, 0) for key, part in left.items()
            if key + ("on_demand",) in known and key + ("spot",) not in known}


def near(a, b):
    if isinstance(a, tuple):
        return all(near(x, y) for x, y in zip(a, b))
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def noted(db, feed, said):
    """What is wrong with how the store counts the last run, held against what the run said."""
    run, = ask(db, "SELECT id, row_count, offer_count, refused_count FROM generation WHERE feed ="
               " (SELECT number FROM feed WHERE id = ?) ORDER BY id DESC LIMIT 1", feed)
    offers, refused, passed = map(int, re.search(r": (\d+) \w+, .* (\d+) refused, (\d+) passed over", said).groups())
    reasons = dict(ask(db, "SELECT reason, count FROM refused WHERE generation = ?", run[0]))
    told = {word: int(count) for count, word in re.findall(r"^ {4}(?:refused|noticed) (\d+): .*? \((\w+)\)", said, re.M)}
    silent = {reason: count for reason, count in reasons.items() if reason not in told}
    good = run[1] >= run[2] == offers and run[3] == refused and told.items() <= reasons.items() and sum(silent.values()) == passed
    return "" if good else "stored %s and %s, said %s" % (run, reasons, said[:600])


def run(number, sample):
    """(what went wrong or "", one line to print)"""
    root, folder, db = path("root"), "/%d" % number, path("%d.db" % number)
    bodies = sample.make(BASE + folder)
    for body in bodies:
        target = root + folder + body.path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as f:
            # the index names a place from the top of the server
            f.write(body.bytes.replace(b'ersionUrl": "/', b'ersionUrl": "%s/' % folder.encode()))
    shutil.copy(path("seed.db"), db)
    done = subprocess.run(
        ["/usr/bin/time", "-q", "-f", "%M %e", "-o", db + ".kib", PROGRAM, sample.feed, "--test-loopback",
         "--test-ca=" + AUTHORITY.ca, "--test-now=%d" % NOW, "--feed=" + BASE + folder + bodies[0].path],
        env={"PATH": os.environ["PATH"], "GPUTCO_DB": db, **feed_shapes.KEYS}, text=True, timeout=240,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with open(db + ".kib") as f:
        kib, seconds = f.read().split()[-2:]
    got, held = kept(db, sample.feed)
    line = "%-18s %3d bodies, %8.1f KiB: %6d %s, %d held, %d MiB, %s s" % (
        sample.feed, len(bodies), sum(len(body.bytes) for body in bodies) / 1024, len(got),
        "refused" if isinstance(sample.read, str) else "kept", held, int(kib) // 1024, seconds)
    for name in os.listdir(root + folder):
        target = os.path.join(root + folder, name)
        shutil.rmtree(target) if os.path.isdir(target) else os.unlink(target)
    large = sample.feed.startswith(("az-", "aws-us-"))
    if int(kib) > 1024 * (MEMORY_LARGE_MIB if large else MEMORY_MIB):
        return "%s: %s KiB of memory" % (sample.feed, kib), line
    if isinstance(sample.read, str):
        good = done.returncode == 1 and sample.read in done.stdout and not got
        return "" if good else "%s is not refused: %s" % (sample.feed, done.stdout[-600:]), line
    want = sample.read([body.bytes for body in bodies])
    if sample.feed == "aws-spot":
        want = derived(want)
    wrong = [(key, got.get(key), want.get(key)) for key in set(got) | set(want)
             if key not in got or key not in want or not near(got[key], want[key])]
    if done.returncode or wrong or not want or sample.count not in (0, len(want)) or held > (0 if sample in SAMPLES
                                                                                            else len(want) / 4):
        return "%s: exit %d, %d of %d differ, %d held: %s\n%s" % (
            sample.feed, done.returncode, len(wrong), len(want), held, sorted(wrong, key=str)[:6], done.stdout[:900]), line
    counts = noted(db, sample.feed, done.stdout)
    return "%s: %s" % (sample.feed, counts) if counts else "", line


# -- keys ----------------------------------------------------------------------------------

def ask_with_key(feed, header, name, key):
    """What is wrong with how a key is used: in its header alone, said nowhere."""
    shape = [f for f in FEEDS if f.id == feed][0]
    context = AUTHORITY.context("good")
    server = feed_server.Server(lambda number, path, request: [feed_server.reply(body.bytes, body.kind)],
                                lambda number: context)
    body, db = shape.make(server.address, shape.small)[0], path("key-%s.db" % feed)
    shutil.copy(path("seed.db"), db)
    done = subprocess.run([PROGRAM, feed, "--test-loopback", "--test-ca=" + AUTHORITY.ca, "--test-now=%d" % NOW,
                           "--feed=" + server.address + body.path],
                          env={"PATH": os.environ["PATH"], "GPUTCO_DB": db, **({name: key} if key else {})},
                          text=True, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    server.close()
    if not key:
        good = not server.asked and "needs a key in the environment, as " + name in done.stdout
        return [] if good else ["%s without a key: %s" % (feed, done.stdout)]
    asked = server.asked
    sent = [line.split(":", 1)[1].strip() for _, request in asked for line in request.splitlines()
            if line.lower().startswith(header + ":")]
    with open(db, "rb") as f:
        stored = f.read()
    good = (done.returncode == 0 and len(asked) == 1 and sent == [key] and key not in asked[0][0]
            and asked[0][1].count(key) == 1 and key not in done.stdout and key.encode() not in stored)
    return [] if good else ["%s and its key: %s, %s" % (feed, asked, done.stdout)]


def unnamed():
    """A run that names nothing, with every feed asked a moment ago: of those that
    are only asked when named nothing is said."""
    db, env = path("unnamed.db"), {"PATH": os.environ["PATH"], "GPUTCO_DB": path("unnamed.db")}
    shutil.copy(path("seed.db"), db)
    lines = subprocess.run([PROGRAM, "--list"], env=env, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    due = [line.split()[0] for line in lines if "only when named" not in line]
    with contextlib.closing(sqlite3.connect(db)) as c, c:
        c.executemany("INSERT INTO feed (id, title, address, licence, kind, cadence_hour, stale_day, last_try, next_try)"
                      " VALUES (?, 'x', 'x', 'x', 1, 1, 1, ?, ?)", [(feed, NOW - 1, NOW + 1) for feed in due])
    done = subprocess.run([PROGRAM, "--test-now=%d" % NOW], env=env, text=True, timeout=60, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    said = [line.split(":")[0] for line in done.stdout.splitlines()[:-1]]
    good = (done.returncode == 0 and said == due and len(due) < len(lines) and "uk-grid: not due" in done.stdout
            and "eia: needs a key in the environment, as GPUTCO_EIA_KEY" in done.stdout)
    return [] if good else ["a run that names nothing: " + done.stdout[-1500:]]


def keys():
    return unnamed() + sum((ask_with_key(feed, header, name, key) for key in ("a-key-nobody-may-see", "") for feed, header, name in (
        ("em-DE", "auth-token", "GPUTCO_ELECTRICITYMAPS_KEY"), ("eia", "x-api-key", "GPUTCO_EIA_KEY"))), [])


def main():
    samples = [Sample(feed.id, lambda base, feed=feed: feed.make(base, feed.large), feed.read, 0) for feed in FEEDS]
    if os.path.isdir(os.path.join(SHARED, "feeds", "skypilot")):
        samples += SAMPLES
    else:
        print("skipped: recorded feeds (GPUTCO_SHARED names no folder that has them)")
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, range(len(samples)), samples))
    bad = [wrong for wrong, _ in results if wrong]
    results += [(wrong, wrong) for wrong in keys()] or [("", "keys: in their header alone")]
    bad += [wrong for wrong, _ in results[len(samples):] if wrong]
    print("\n".join([line for _, line in results] + bad))
    print("%d passed, %d failed" % (len(results) - len(bad), len(bad)))
    return bool(bad)


os.chmod(FOLDER, 0o755)  # nginx started by root reads as another user
for name in ("tls", "root"):
    os.mkdir(path(name))
AUTHORITY = feed_server.Authority(path("tls"))
subprocess.run([PROGRAM, "--seed"], env={"GPUTCO_DB": path("seed.db")}, check=True, stdout=subprocess.DEVNULL)
NGINX, BASE = feed_server.nginx_start(FOLDER, path("root"), AUTHORITY)
try:
    result = main()
finally:
    NGINX.terminate()
    NGINX.wait()
shutil.rmtree(FOLDER, ignore_errors=True)
sys.exit(result)
