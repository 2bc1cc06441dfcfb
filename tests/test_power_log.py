#!/usr/bin/env python3
"""Power logs at random, evaluated a second way: exact fractions, sorted lists
and the median of all intervals, against what the program says of the same
text. Also: the command line, CGI and a form give the same bytes."""
import json, os, random, subprocess, sys
from datetime import datetime, timedelta, timezone
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", os.environ.get("B", "build"), "gputco")
ENV = dict(os.environ, GPUTCO_DB="/dev/null", GPUTCO_TODAY="2026-12-01")
START = datetime(2024, 5, 1, 23, 50, tzinfo=timezone.utc)
passed = failed = 0


def check(what, good, more=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAIL", what, more)


def run(text, *keys):
    out = subprocess.run([PROGRAM, "power-log", "-", "--format", "json", *keys],
                         input=text.encode(), capture_output=True, env=ENV)
    return out.returncode, out.stdout, out.stderr.decode()


def near(got, want, relative=1e-9):
    if want is None or got is None:
        return want is None and got is None
    return abs(got - float(want)) <= relative * max(1e-12, abs(float(want)))


# ---- a log ------------------------------------------------------------------

def readings(rng, step_us):
    """One device: (microsecond, centiwatt or None, percent), in file order."""
    at, rows = rng.randrange(0, 1000) * 1000, []
    for stretch in range(rng.choice((1, 1, 1, 2))):
        if stretch:  # the clock goes back to somewhere new
            at = max(0, at - rng.randrange(3, 200) * step_us - 7000)
        for _ in range(rng.randrange(2, 60)):
            watt = None if rng.random() < 0.05 else rng.randrange(0, 70001)
            rows.append((at, watt, rng.choice((0, 0, 1, 50, 100))))
            if rng.random() < 0.05:  # the same instant once more
                rows.append((at, rng.randrange(0, 70001), 0))
            at += step_us + rng.randrange(-step_us // 5000, step_us // 5000 + 1) * 1000
            if rng.random() < 0.04:
                at += rng.randrange(20, 100) * step_us
    return rows


def evaluate(rows):
    """The second way. Intervals join readings that were there; a gap is longer
    than five times the middle one; half of each interval is either end's."""
    intervals, last, seen = [], None, 0
    for at, watt, use in rows:
        if watt is None:
            continue
        if last and at == last[0]:
            continue
        seen += 1
        if last and at > last[0]:
            intervals.append((at - last[0], last, (at, watt, use)))
        last = (at, watt, use)
    lengths = sorted(i[0] for i in intervals)
    middle = lengths[(len(lengths) - 1) // 2] if lengths else None
    kept = [i for i in intervals if i[0] <= 5 * middle]
    gaps = [i for i in intervals if i[0] > 5 * middle]
    joule = sum(Fraction(t, 1000000) * Fraction(a[1] + b[1], 200) for t, a, b in kept)
    second = sum(Fraction(t, 1000000) for t, a, b in kept)
    halves = [(e[1], e[2], Fraction(t, 2000000)) for t, a, b in kept for e in (a, b)]
    busy = sum((w for _, use, w in halves if use), Fraction(0))
    busy_joule = sum((w * Fraction(c, 100) for c, use, w in halves if use), Fraction(0))
    reached, p95 = Fraction(0), None
    for watt, _, weight in sorted(halves):
        reached += weight
        if p95 is None and second and reached >= Fraction(95, 100) * second:
            p95 = watt / 100
    return {"kwh": joule / 3600000 if second else None,
            "mean_watt": joule / second if second else None,
            "hour": second / 3600, "p95": p95, "sample_count": seen,
            "gap_count": len(gaps),
            "gap_hour": sum(Fraction(t, 1000000) for t, a, b in gaps) / 3600,
            "busy_frac": busy / second if second else None,
            "busy_watt": busy_joule / busy if busy else None}


def first_of_instant(rows):
    """Without readings of the same instant as the one before."""
    out = []
    for row in rows:
        if row[1] is not None and out:
            before = [r for r in out if r[1] is not None]
            if before and before[-1][0] == row[0]:
                continue
        out.append(row)
    return out


# ---- its text ---------------------------------------------------------------

def stamp(rng, us, style):
    when = START + timedelta(microseconds=us)
    if style == 0:
        return when.strftime("%Y/%m/%d %H:%M:%S.") + "%03d" % (us // 1000 % 1000)
    if style == 1:
        return when.strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"
    if style == 2:
        there = when + timedelta(hours=5, minutes=30)
        return there.strftime("%Y-%m-%d %H:%M:%S.%f") + "+05:30"
    whole = int(START.timestamp()) * 1000 + us // 1000
    return str(whole) if style == 3 else "%d.%03d" % (whole // 1000, whole % 1000)


def power(centiwatt, unit, in_cell, rng):
    if centiwatt is None:
        return rng.choice(("[N/A]", "[Not Supported]", "N/A", "[Unknown Error]"))
    digits = {"W": "%d.%02d" % divmod(centiwatt, 100), "mW": str(centiwatt * 10),
              "kW": "%d.%05d" % divmod(centiwatt, 100000)}[unit]
    return digits + (" " + unit if in_cell else "")


def csv_text(rng, devices):
    """Rows of all devices by time, columns in any order."""
    unit, in_cell = rng.choice(("W", "W", "mW", "kW")), rng.random() < 0.5
    style, key = rng.randrange(5), rng.choice(("index", "uuid", "pci.bus_id"))
    head = "power.draw" + ("" if in_cell else " [%s]" % unit)
    percent = rng.random() < 0.5
    columns = ["timestamp", key, head, "utilization.gpu" + (" [%]" if percent else ""),
               "name", "temperature.gpu"]
    order = rng.sample(range(6), 6)
    comma = rng.choice((", ", ","))
    end = rng.choice(("\n", "\r\n"))
    lines = [comma.join(columns[i] for i in order)]
    queues = [list(d) for d in devices]
    while any(queues):  # in turn, as the tool writes, sometimes out of turn
        for g in rng.sample(range(len(queues)), len(queues)) if rng.random() < 0.1 \
                else range(len(queues)):
            if not queues[g]:
                continue
            us, watt, use = queues[g].pop(0)
            name = {"index": str(g), "uuid": "GPU-%08d-0000-4000-8000-0123456789ab" % g,
                    "pci.bus_id": "00000000:%02X:00.0" % (7 + g)}[key]
            cells = [stamp(rng, us, style), name, power(watt, unit, in_cell, rng),
                     "%d %%" % use if not percent else str(use),
                     "NVIDIA A100-SXM4-80GB", "40"]
            lines.append(comma.join(cells[i] for i in order))
    return end.join(lines) + (end if rng.random() < 0.8 else "")


def compare(name, text, devices, *keys):
    code, out, err = run(text, *keys)
    if code != 0:
        check(name, False, err[:300])
        return
    answer = json.loads(out)
    if len(answer["devices"]) != len(devices):
        check(name, False, "%d devices" % len(answer["devices"]))
        return
    total = Fraction(0)
    for got, rows in zip(sorted(answer["devices"], key=lambda d: d["id"]), devices):
        want = evaluate(rows)
        total += want["kwh"] or 0
        wrong = [k for k in ("kwh", "mean_watt", "hour", "gap_hour", "busy_frac", "busy_watt")
                 if not near(got[k], want[k])]
        peak = max((r[1] for r in first_of_instant(rows) if r[1] is not None), default=None)
        if not near(got["peak_watt"], None if peak is None else Fraction(peak, 100)):
            wrong.append("peak_watt")
        if (got["p95_watt"] is None) != (want["p95"] is None) or want["p95"] is not None and \
                not -1e-9 <= got["p95_watt"] - want["p95"] <= got["p95_step_watt"]:
            wrong.append("p95_watt")
        for k in ("sample_count", "gap_count"):
            if got[k] != want[k]:
                wrong.append(k)
        check("%s, device %s" % (name, got["id"]), not wrong,
              [(k, got.get(k), float(want[k]) if want.get(k) is not None else None)
               for k in wrong])
    check(name + ", in all", not total or near(answer["total"]["kwh"], total))


def random_logs(rng):
    for i in range(60):
        step = rng.choice((100000, 1000000, 5000000))
        devices = [readings(rng, step) for _ in range(rng.choice((1, 2, 4, 8)))]
        if all(any(r[1] is not None for r in d) for d in devices):
            compare("CSV %d" % i, csv_text(rng, devices), devices)


def timeless_logs(rng):
    """dmon and dcgmi: whole watts, or three decimals; every line a step."""
    for i in range(30):
        step = rng.choice((500000, 1000000, 2500000))
        count, length = rng.choice((1, 2, 8)), rng.randrange(2, 80)
        devices, dcgm = [], i % 2
        for _ in range(count):
            rows = []
            for n in range(length):
                watt = rng.randrange(0, 700) * 100
                rows.append((n * step, None if rng.random() < 0.05 and n else watt,
                             rng.randrange(101)))
            devices.append(rows)
        lines = []
        for n in range(length):
            if n % 15 == 0:
                lines += ["#Entity   POWER        GPUTL", "ID        W"] if dcgm else \
                    ["# gpu   pwr gtemp mtemp    sm   mem", "# Idx     W     C     C     %     %"]
            for g in range(count):
                _, watt, use = devices[g][n]
                if dcgm:
                    cell = "N/A" if watt is None else "%d.000" % (watt // 100)
                    lines.append("GPU %d     %s       %d" % (g, cell, use))
                else:
                    cell = "-" if watt is None else str(watt // 100)
                    lines.append("%5d %5s    40     - %5d     0" % (g, cell, use))
        compare(("dcgmi %d" if dcgm else "dmon %d") % i, "\n".join(lines) + "\n", devices,
                "interval_second=%s" % (step / 1e6))


# ---- the same bytes everywhere ------------------------------------------------

def cgi(body, kind, target="/power-log.json"):
    env = dict(ENV, GATEWAY_INTERFACE="CGI/1.1", REQUEST_METHOD="POST", REQUEST_URI=target,
               CONTENT_TYPE=kind, CONTENT_LENGTH=str(len(body)))
    out = subprocess.run([PROGRAM], input=body, env=env, capture_output=True).stdout
    head, _, rest = out.partition(b"\r\n\r\n")
    return head.split(b"\r\n")[0].decode(), rest


def form(parts):
    out = b""
    for name, value, more in parts:
        out += b"--AaB03x\r\nContent-Disposition: form-data; name=\"%s\"%s\r\n\r\n%s\r\n" % (
            name.encode(), more, value)
    return out + b"--AaB03x--\r\n"


def surfaces(rng):
    devices = [readings(rng, 1000000) for _ in range(3)]
    text = csv_text(rng, devices)
    want = run(text, "zone=DE", "currency=EUR")[1]
    check("the command line answers", want.startswith(b"{"))
    query = "/power-log.json?zone=DE&currency=EUR"
    check("CGI as text", cgi(text.encode(), "text/csv", query) == ("Status: 200 OK", want))
    check("CGI as curl sends it", cgi(text.encode(), "application/x-www-form-urlencoded",
                                      query) == ("Status: 200 OK", want))
    kind = "multipart/form-data; boundary=AaB03x"
    file = b'; filename="a;name=.csv"\r\nContent-Type: text/csv'
    small = [("interval_second", b"", b""), ("gpu", b"", b""), ("zone", b"DE", b""),
             ("currency", b"EUR", b"")]
    for parts in ([("file", text.encode(), file), ("log", b"", b"")],
                  [("file", b"", b'; filename=""\r\nContent-Type: application/octet-stream'),
                   ("log", text.encode(), b"")]):
        check("a form", cgi(form(small + parts), kind) == ("Status: 200 OK", want))
    whole = form(small + [("log", text.encode(), b"")])
    for cut in range(len(whole) - 60, len(whole) - 2, 7):
        check("a form cut at %d" % cut, cgi(whole[:cut], kind)[0].startswith("Status: 400"))
    check("a form without boundary", cgi(whole, "multipart/form-data")[0].startswith("Status: 415"))
    check("JSON is no log", cgi(b"{}", "application/json")[0].startswith("Status: 415"))
    late = form([("log", text.encode(), b""), ("interval_second", b"5", b"")])
    check("the interval behind the log", b'"conflict"' in cgi(late, kind)[1])
    long = text.encode() * (16 * 1024 * 1024 // len(text) + 1)
    check("more than 16 MiB", cgi(long, "text/csv")[0].startswith("Status: 413"))
    code, body = cgi(b"timestamp,index,power.draw [W]\nnoon,0,5\n2024/05/01 12:00:00,0,x\n",
                     "text/csv", "/power-log.json?zone=XX&blah=1")
    errors = {(e["field"], e["code"], e.get("line")) for e in json.loads(body)["errors"]}
    check("every mistake at once", code.startswith("Status: 400") and errors >= {
        ("timestamp", "bad_time", 2), ("power", "not_a_number", 3),
        ("zone", "not_in_list", None), ("blah", "unknown_key", None)}, errors)


def study():
    """Two A100 at 200 W and 300 W in use, 60 W idle: by hand. Each is in use
    for 6 s and idle for 4 s of 10 s; their TDP is 400 W."""
    lines = ["timestamp,index,name,power.draw [W],utilization.gpu [%]"]
    for second in range(11):
        for g, watt in enumerate((200, 300)):
            on = 2 < second < 9  # six readings, each with half a second either side
            lines.append("2024/05/01 12:00:%02d.000,%d,NVIDIA A100-SXM4-80GB,%d,%d" % (
                second, g, watt if on else 60, 90 if on else 0))
    answer = json.loads(run("\n".join(lines) + "\n")[1])
    want = {"gpu_load_frac": 250 / 400, "gpu_idle_watt": 60, "busy_frac": 0.6}
    for key, value in want.items():
        check("key " + key, near(answer["keys"].get(key), value), answer["keys"])
    check("the devices", answer["keys"]["a"] == "own/a100-sxm4-80gb/2/1", answer["keys"])
    check("load factor", near(answer["total"]["load_frac"],
                              (0.6 * 250 + 0.4 * 60) / 400), answer["total"])
    rows = {r["name"]: r for r in answer["measured_and_modelled"]}
    check("power in use", near(rows["gpu_busy_watt"]["measured"], 250)
          and near(rows["gpu_busy_watt"]["modelled"], 400), rows["gpu_busy_watt"])
    check("energy of the log", near(rows["gpu_kwh"]["measured"], 2 * 10 * 174 / 3.6e6)
          and near(rows["gpu_kwh"]["modelled"], 2 * 10 * 400 / 3.6e6), rows["gpu_kwh"])
    query = answer["compare"].split("?")[1].replace("%2F", "/").split("&")
    out = subprocess.run([PROGRAM, "compare", "--format", "json", "samples=0", *query],
                         capture_output=True, env=ENV).stdout
    option = json.loads(out)["options"]["a"]
    check("the study has them", option["inputs"]["gpu_load_frac"]["value"] == want["gpu_load_frac"]
          and option["inputs"]["gpu_load_frac"]["origin"] == "user")
    check("the study is the one beside it", near(option["meter_kwh"], rows["meter_kwh"]["measured"])
          and near(option["npv_cost"], rows["npv_cost"]["measured"]), rows["meter_kwh"])
    typed = json.loads(run("\n".join(lines) + "\n", "busy_frac=0.3", "a.gpu_load_frac=0.5")[1])
    check("what was typed wins", set(typed["keys"]) == {"a", "gpu_idle_watt"}, typed["keys"])


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        sys.exit("build first: " + PROGRAM)
    seed = int(os.environ.get("SEED", "20261201"))
    random_logs(random.Random(seed))
    timeless_logs(random.Random(seed + 1))
    surfaces(random.Random(seed + 2))
    study()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)
