"""Every format of a study says the same, to the last printed digit: the
figures of the JSON, rounded here a second time, must stand in each text as a
reader of that format finds them. Also: what is typed stays text, the CSV
posted back is the same study, LaTeX and BibTeX are really compiled, FOCUS sums
to the total. A further format is one line in READERS.

    tests/test_exports.py [N [SEED]]      N random studies, default 60"""
import csv
import html
import html.parser
import io
import json
import math
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile

import oracle

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, os.environ.get("B", "build"), "gputco")
ENV = dict({k: v for k, v in os.environ.items() if not k.startswith("GPUTCO_")},
           GPUTCO_DB="/dev/null", GPUTCO_TODAY="2026-12-01",
           GPUTCO_URL="https://gputco.test")
TODAY = 20261201
folder = tempfile.mkdtemp(prefix="gputco-exports.")
passed = failed = 0


def check(good, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: %s" % what)
    return good


def skip(what, why):
    print("skipped: %s: %s" % (what, why))


def run(arguments, form):
    return subprocess.run([PROGRAM, "compare", "--format", form] + arguments,
                          env=ENV, stdout=subprocess.PIPE, cwd=ROOT,
                          stderr=subprocess.PIPE, timeout=120)


def text(arguments, form):
    done = run(arguments, form)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def post(body, content_type, path="/compare.json"):
    """The service's answer over CGI: header, body."""
    env = dict(ENV, GATEWAY_INTERFACE="CGI/1.1", REQUEST_METHOD="POST",
               QUERY_STRING="", REQUEST_URI=path, CONTENT_TYPE=content_type,
               CONTENT_LENGTH=str(len(body)))
    done = subprocess.run([PROGRAM], env=env, input=body, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    head, _, rest = done.stdout.partition(b"\r\n\r\n")
    return head.decode(), rest


# ---- numbers as people read them, a second time ------------------------------

MINUS, DASH = "\u2212", "\u2013"


def sign(value, digits):
    zero = not digits.strip("0.")
    whole, dot, part = digits.partition(".")
    whole = re.sub(r"\B(?=(\d{3})+$)", ",", whole)
    return (MINUS if value < 0 and not zero else "") + whole + dot + part


def number(value, decimals):
    if abs(value) >= 1e15:
        return sign(value, "%.*e" % (decimals, abs(value)))
    return sign(value, "%.*f" % (decimals, abs(value)))


def digits(value, count):
    if abs(value) >= 1e15:
        return number(value, 2)
    decimals = 0
    if value:
        decimals = count - 1 - math.floor(math.log10(abs(value)))
        decimals = min(15, max(0, decimals))
    shown = "%.*f" % (decimals, abs(value))
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return sign(value, shown)


def plain(value, currency):
    return number(value, 0) if abs(value) >= 100 else digits(value, 3)


def percent(value, currency):
    return digits(value * 100, 3) + " %"


def money(value, currency):
    return "%s %s" % (currency, number(value, 0))


def price(value, currency):
    exact = 0.1 <= abs(value) < 1e6
    return "%s %s" % (currency, number(value, 2) if exact else digits(value, 4))


def month(value, currency):
    return "month " + number(value, 0)


# ---- the rows that are shown ----------------------------------------------------

# JSON member, label, unit, rule, words for null. "item": of items.
OPTION_ROWS = [
    ("use_frac", "Share of time busy", "", percent, None),
    ("need_machine_hour_per_month", "Machine-hours needed", "h/month", plain, None),
    ("billed_machine_hour_per_month", "Machine-hours billed", "h/month", plain, None),
    ("total_cost", "Sum", "", money, None),
    ("npv_cost", "Present value", "", money, None),
    ("rank", "Rank", "", plain, "not ranked"),
    ("monthly_equivalent_cost", "The same as a level cost a month", "", money, None),
    ("cost_per_work_hour", "An hour of this work", "", price, "no work"),
    ("cost_per_gpu_hour", "A GPU-hour used or billed", "", price, "no work"),
    ("it_kwh", "Energy of the machines", "kWh", plain, None),
    ("meter_kwh", "Energy with cooling and losses", "kWh", plain, None),
    ("water_l", "Water", "L", plain, None),
    ("operational_kg", "Electricity, location-based", "kg CO2e", plain, None),
    ("operational_market_kg", "Electricity, market-based", "kg CO2e", plain, None),
    ("embodied_kg", "Making the machines", "kg CO2e", plain, None),
    ("total_kg", "Location-based and making", "kg CO2e", plain, None),
]
ITEMS = {"hardware": "Hardware", "purchase_tax": "Purchase tax", "setup": "Set-up",
         "network": "Network", "energy": "Energy", "demand": "Demand charge",
         "maintenance": "Maintenance", "insurance": "Insurance", "repairs": "Repairs",
         "staff": "Staff", "hosting": "Hosting", "licences": "Licences",
         "other": "Other", "service_tax": "VAT not recovered", "interest": "Interest",
         "residual": "Resale", "income_tax": "Profit tax", "compute": "Compute",
         "upfront": "Upfront", "storage": "Storage", "egress": "Data out",
         "support": "Support"}
PAIR_ROWS = [
    ("saving_npv", "Saved by the first, in present value", "", money, None),
    ("saving_frac", "Of the smaller cost", "", percent, "none"),
    ("break_even_month", "Larger outlay paid back from", "", month, "never"),
    ("break_even_month_discounted", "The same, discounted", "", month, "never"),
    ("break_even_busy_frac", "Pays from a time in use of", "", percent, "never"),
    ("carbon_break_even_busy_frac", "Less carbon from a time in use of", "", percent, "never"),
    ("break_even_rent_price_per_hour", "Same cost at a rent of", "/hour", price, "at no rent"),
    ("break_even_energy_price_per_kwh", "Same cost at an electricity price of", "/kWh", price,
     "at no price"),
    ("irr", "Return on the larger outlay", "/year", percent, "none"),
]
KINDS = {"use_frac": "own", "billed_machine_hour_per_month": "rent"}


def squeezed(words):
    """A label as every format can spell it: letters and digits only."""
    return re.sub(r"\W+", " ", words).strip()


def expected(doc):
    """{label: cells} of a JSON answer."""
    out, currency = {}, doc["currency"]
    options = list(doc["options"].values())

    def cell(value, rule, none, unit=""):
        return none if value is None else rule(value, currency) + unit

    for name, label, unit, rule, none in OPTION_ROWS:
        out[squeezed("%s %s" % (label, unit))] = [
            DASH if KINDS.get(name, o["kind"]) != o["kind"]
            else cell(o[name], rule, none or "no figure") for o in options]
    for name, label in ITEMS.items():
        if any(o["items"].get(name) for o in options):
            out[squeezed(label)] = [cell(o["items"][name], money, "no figure") if name in o["items"]
                                    else DASH for o in options]
    for name, label, unit, rule, none in PAIR_ROWS if doc["pairs"] else []:
        out[squeezed(label)] = [cell(p[name], rule, none or "no figure", unit)
                                for p in doc["pairs"]]
    return out


# ---- readers: bytes of a format into {label: [cells, ...]} -----------------------

def gather(rows):
    out = {}
    for label, *cells in rows:
        out.setdefault(squeezed(label), []).append(
            [re.sub(r"\s+", " ", c).strip() for c in cells])
    return out


class Tables(html.parser.HTMLParser):
    """Rows of all tables, and what text areas hold."""

    def __init__(self):
        super().__init__()
        self.rows, self.area, self.cell, self.in_area = [], "", None, False

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.cell = True
        elif tag == "textarea":
            self.in_area = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.cell = None
        elif tag == "textarea":
            self.in_area = False

    def handle_data(self, data):
        if self.in_area:
            self.area += data
        elif self.cell:
            self.rows[-1][-1] += data


def tables_of(markup):
    parser = Tables()
    parser.feed(markup)
    return parser


def read_html(data):
    return gather(r for r in tables_of(data).rows if r)


def read_copy(data):
    return read_html(tables_of(data).area)


def read_text(data):
    return gather(re.split(r" {2,}", line.strip()) for line in data.splitlines() if line.strip())


TEX = {r"\textbackslash{}": "\\", r"\textbraceleft{}": "{", r"\textbraceright{}": "}",
       r"\textasciicircum{}": "^", r"\textasciitilde{}": "~", r"\textless{}": "<",
       r"\textgreater{}": ">", r"\textbar{}": "|", "{''}": '"', r"\textasciigrave{}": "`",
       "{[}": "[", "{]}": "]", "{*}": "*", r"\ensuremath{\times}": "\u00d7", "--": DASH,
       r"\ensuremath{-}": MINUS, r"\textperiodcentered{}": "\u00b7", r"\$": "$", r"\&": "&",
       r"\#": "#", r"\_": "_", r"\%": "%", "-{}": "-", "'{}": "'"}


def untex(cell):
    return re.sub("|".join(map(re.escape, sorted(TEX, key=len, reverse=True))),
                  lambda m: TEX[m.group()], cell)


def read_tex(data):
    return gather([untex(c) for c in re.split(r" & ", line[:-3])]
                  for line in data.splitlines() if line.endswith(r" \\"))


def markdown_tree(data):
    done = subprocess.run(["cmark-gfm", "-e", "table", "-t", "html"], timeout=60,
                          input=data.encode(), stdout=subprocess.PIPE)
    return done.stdout.decode()


def read_markdown(data):
    """By the library where it is installed, else by splitting lines."""
    if shutil.which("cmark-gfm"):
        return read_html(markdown_tree(data))
    return gather([re.sub(r"\\(.)", r"\1", c.strip())
                   for c in re.split(r"(?<!\\)\|", line)[1:-1]]
                  for line in data.splitlines() if line.startswith("| "))


# Form of the program, how it is read.
READERS = [("html", read_html), ("html", read_copy), ("txt", read_text), ("text", read_text),
           ("tex", read_tex), ("md", read_markdown)]


def csv_rows(data):
    return list(csv.DictReader(io.StringIO(data, newline="")))


def csv_differences(data, doc):
    """The CSV is exact: the very digits of the JSON."""
    found = {}
    for row in csv_rows(data):
        found[(row["option"], row["section"], row["name"])] = row["value"]
    bad = []

    def same(key, value):
        if found.get(key, "?") != ("" if value is None else str(value)):
            bad.append((key, found.get(key), value))

    for letter, o in doc["options"].items():
        for name, field in o["inputs"].items():
            same((letter, "input", name), field["value"])
        for name, value in o["items"].items():
            same((letter, "item", name), value)
        for m, value in enumerate(o["flows"]):
            same((letter, "flow", str(m)), value)
        for line in o["scopes"]:
            for basis in ("location_kg", "market_kg"):
                same((letter, "scope " + basis, line["ghg_scope"]), line[basis])
        for name, value in o["sci"].items():
            same((letter, "sci", name), value)
        same((letter, "embodied_band", "embodied_kg"), o["embodied_band"]["value_kg"])
        for name, value in o.items():
            if not isinstance(value, (dict, list, bool)) and name not in (
                    "kind", "label", "rank_with_carbon", "boundary"):
                same((letter, "result", name), value)
    for p in doc["pairs"]:
        for name, *_ in PAIR_ROWS:
            same(("", "pair " + p["a"] + p["b"], name), p[name])
    return bad


def focus_differences(data, doc):
    """Billed and effective cost of an option both sum to its total."""
    sums, gaps = {}, {}
    for row in csv_rows(data):
        s = sums.setdefault(row["x_Option"], {})
        gaps.setdefault(row["x_Option"], set()).update(k for k in row if row[k] == "")
        for name in ("BilledCost", "EffectiveCost", "x_EnergyKwh", "x_CarbonKgLocation",
                     "x_CarbonKgEmbodied"):
            s.setdefault(name, []).append(float(row[name] or 0))
    bad = []
    for letter, o in doc["options"].items():
        for name, of in (("BilledCost", "total_cost"), ("EffectiveCost", "total_cost"),
                         ("x_EnergyKwh", "meter_kwh"), ("x_CarbonKgLocation", "operational_kg"),
                         ("x_CarbonKgEmbodied", "embodied_kg")):
            parts = sums[letter][name]
            if o[of] is None:       # not known: a charge must have no cost
                bad += [] if name in gaps[letter] else [(letter, name, math.fsum(parts), 0)]
                continue
            scale = max(1, sum(map(abs, parts)))
            if abs(math.fsum(parts) - o[of]) > 1e-9 * scale:
                bad.append((letter, name, math.fsum(parts), o[of]))
    return bad


def hold(arguments):
    """Differences of one study, or None when it has no answer."""
    done = run(arguments, "json")
    if done.returncode:
        return None
    shown = expected(json.loads(done.stdout))
    bad, given = [], {}
    for form, reader in READERS:
        if form not in given:
            given[form] = text(arguments, form)
        rows = reader(given[form])
        bad += ["%s: %s is %s, not %s" % (reader.__name__, label, rows.get(label), cells)
                for label, cells in shown.items() if cells not in rows.get(label, [])]
    exact = json.loads(done.stdout, parse_float=str, parse_int=str)
    bad += ["csv: %s is %s, not %s" % d
            for d in csv_differences(text(arguments, "csv"), exact)]
    bad += ["focus: %s %s is %.9g, not %.9g" % d
            for d in focus_differences(text(arguments, "focus.csv"), json.loads(done.stdout))]
    return bad


def check_random(count, seed):
    maker = oracle.Maker(oracle.Facts(ROOT), TODAY)
    studies = [["samples=0", "limit=0"] + maker.study(seed + n) for n in range(count)]
    none = 0
    with multiprocessing.Pool() as pool:
        for arguments, bad in zip(studies, pool.imap(hold, studies)):
            if bad is None:
                none += 1
            else:
                check(not bad, "%s\n  %s" % (" ".join(arguments), "\n  ".join(bad[:4])))
    check(none * 4 < count, "%d of %d studies had no answer" % (none, count))


# ---- what is typed stays text ----------------------------------------------------

HOSTILE = ['=HYPERLINK("http://e.test","y")', "+1+cmd", "-2+3", "@SUM(A1)", "'=1+1",
           "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
           r"\input{/etc/passwd}", r"\write18{id} \end{document}", "50% & 1_000 #{x} ~^ $a$",
           "a | b || c", "[a](javascript:alert(1))", "![a](http://e.test/x.png)",
           "*b* _c_ `d` # e", "1. one", "- one", "# one", "http://e.test/ www.e.test",
           'say "hi", it\'s', "<!-- one", "&lt;b&gt; &amp;", "]]> {{7*7}} ${7}"]
TEXTS = ["html", "json", "txt", "csv", "focus.csv", "md", "tex", "bib"]


def tags(markup):
    return re.findall(r"<[a-z!][a-z0-9]*", markup)


def is_number(cell):
    return re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", cell) is not None


def unguarded(cell):
    return cell[1:] if re.match(r"'+[=+\-@\t]", cell) else cell


def commands(data):
    """Control words of a LaTeX text beyond those that only spell characters."""
    return re.findall(r"\\(?!allowbreak)[A-Za-z]+", re.sub(
        "|".join(map(re.escape, sorted(TEX, key=len, reverse=True))), "", data))


def check_inert():
    for grant in ([], ["grant=generic"]):
        def made(label, form):
            return text(["samples=0", "limit=0", "label=" + label, "a.label=" + label] + grant,
                        form)
        calm = {form: made("calm", form) for form in TEXTS}
        for label in HOSTILE:
            name = "%s %s" % (label, " ".join(grant))
            now = {form: made(label, form) for form in TEXTS}
            check(json.loads(now["json"])["label"] == label, "json keeps " + name)
            check(tags(now["html"]) == tags(calm["html"]), "html of " + name)
            check(label in "".join(html.unescape(now["html"])), "html shows " + name)
            check(commands(now["tex"]) == commands(calm["tex"]), "tex of " + name)
            check(label in re.sub(r"\s+", " ", untex(now["tex"])), "tex shows " + name)
            check(now["bib"].count("{") == now["bib"].count("}") and
                  now["bib"].count("\n@") == calm["bib"].count("\n@"), "bib of " + name)
            for form in ("csv", "focus.csv"):
                cells = [c for row in csv.reader(io.StringIO(now[form], newline=""))
                         for c in row]
                check(all(is_number(c) or c[:1] not in tuple("=+-@\t") for c in cells)
                      and label in map(unguarded, cells), "%s of %s" % (form, name))
            if shutil.which("cmark-gfm"):
                tree = markdown_tree(now["md"])
                check(tags(tree) == tags(markdown_tree(calm["md"])), "md of " + name)
                check(label in html.unescape(tree), "md shows " + name)


def check_same_bytes():
    for more in ([], ["grant=horizon"], ["lang=zh", "grant=nsfc"]):
        for form in TEXTS:
            check(run(more, form).stdout == run(more, form).stdout,
                  "%s twice, %s" % (form, more))


def check_file_names():
    for form in ("csv", "focus.csv", "md", "tex", "bib", "txt"):
        path = "/compare." + form
        env = dict(ENV, GATEWAY_INTERFACE="CGI/1.1", REQUEST_METHOD="GET",
                   QUERY_STRING="samples=0&label=%E5%90%8D%0A"[:-3], REQUEST_URI=path)
        done = subprocess.run([PROGRAM], env=env, stdout=subprocess.PIPE, timeout=60)
        head = done.stdout.partition(b"\r\n\r\n")[0].decode("ascii")
        check(re.search(r'^Content-Disposition: \w+; filename="gputco_2026-12-01\.%s"\r?$'
                        % re.escape(form), head, re.M), "file name of " + form)


# ---- CSV as a question ------------------------------------------------------------

BACK = [["samples=0"], ["lang=zh", "samples=0", "bom=1", "label=\u540d\u5b57, \"x\""],
        ["samples=0", "range.gpu_price=1200,2200", "pair=ba", "case=low", "limit=3"],
        ["samples=500", "a=own/h100-sxm5-80gb/8", "b.rent_price_growth_frac=-0.1",
         "b.label='=x", "a.label==1+1", "start=2027-03-09"],
        ["samples=0", "grant=nsfc", "lang=en", "grant_use_frac=0.5"],
        ["samples=0", "a=own/rtx-4090/4/2", "b=own/dgx-a100-320gb",
         "c=rent/aws/p5.48xlarge/us-east-1/on_demand", "currency=EUR", "busy_frac=12%"]]


def check_csv_back():
    for arguments in BACK:
        table = run(arguments, "csv").stdout
        check(table.count(b"\n") == table.count(b"\r\n"), "CRLF in %s" % arguments)
        check(table.startswith(b"\xef\xbb\xbf") == ("bom=1" in arguments), "byte order mark")
        head, body = post(table, "text/csv; charset=utf-8")
        check("200" in head.splitlines()[0] and body == run(
            ["as_of=2026-12-01"] + [a for a in arguments if a != "bom=1"], "json").stdout,
            "posted back: %s" % arguments)
    for body, codes in (
            (b"option,section,name,value\r\n,asked,gpu_watt,x\r\n,asked,pue_ratio,9\r\n"
             b",asked,nonsense,1\r\n", {"not_a_number", "above_max", "unknown_key"}),
            (b"a,b\r\n1,2\r\n", {"bad_csv"}), (b"", {"bad_csv"}),
            (b"section,name,value\r\ninput,x,1\r\n", {"missing"}),
            (b'section,name,value\r\nasked,"x,1\r\n', {"bad_csv"})):
        head, answer = post(body, "text/csv")
        found = {e["code"] for e in json.loads(answer).get("errors", [])}
        check("400" in head.splitlines()[0] and found == codes, "%s gives %s" % (body, found))


# ---- LaTeX and BibTeX -------------------------------------------------------------

def compiled(program, source, name="x"):
    path = os.path.join(folder, name + ".tex")
    with open(path, "w") as f:
        f.write(source)
    done = subprocess.run([program, "-interaction=nonstopmode", "-halt-on-error",
                           "-no-shell-escape", "-output-directory", folder, path], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    said = done.stdout.decode("utf-8", "replace")
    return done.returncode == 0, said[-600:]


def pdf_text(name="x"):
    done = subprocess.run(["pdftotext", "-layout", os.path.join(folder, name + ".pdf"), "-"],
                          stdout=subprocess.PIPE, timeout=60)
    return re.sub(r"\s+", " ", done.stdout.decode("utf-8", "replace"))


def has_tex(program, package=None):
    if not shutil.which(program):
        return False
    if not package:
        return True
    return subprocess.run(["kpsewhich", package], stdout=subprocess.PIPE).stdout != b""


def check_latex():
    if not has_tex("pdflatex", "booktabs.sty") or not shutil.which("pdftotext"):
        skip("LaTeX", "pdflatex, booktabs or pdftotext is not installed")
        return
    six = ["a=own/rtx-4090/4", "b=own/h100-sxm5-80gb/8",
           "c=rent/aws/p5.48xlarge/us-east-1/on_demand"]
    for arguments in ([], six, ["grant=horizon", "grant_option=b"], ["grant=ukri"],
                      ["label=" + " ".join(HOSTILE[7:10])[:60]],
                      ["a.label=\u00dcber \u00e9t\u00e9 \u00d7 50 % \u2013 \u2264"]):
        arguments = ["samples=0", "limit=0"] + arguments
        source = text(arguments, "tex")
        good, said = compiled("pdflatex", source)
        if not check(good, "pdflatex %s: %s" % (arguments, said)):
            continue
        shown = pdf_text()
        check("root:" not in shown, "no file is read")
        if not any("grant" in a for a in arguments):
            doc = json.loads(text(arguments, "json"))
            for label, cells in expected(doc).items():
                line = " ".join(cells).replace(MINUS, "\u2212")
                check(line in shown, "pdf of %s: %s" % (arguments, line))
    inside = text(["samples=0"], "tex")
    with open(os.path.join(folder, "part.tex"), "w") as f:
        f.write(inside)
    for preamble in ("\\usepackage{booktabs}\n", ""):
        good, said = compiled("pdflatex", "\\documentclass{book}\n%s\\begin{document}\n"
                              "\\chapter{Costs}\n\\input{part.tex}\nThe end of it.\n"
                              "\\end{document}\n" % preamble, "thesis")
        check(good and "The end of it." in pdf_text("thesis"), "inside a thesis: " + said)


def check_chinese_latex():
    if not has_tex("xelatex", "ctexart.cls"):
        skip("Chinese LaTeX", "xelatex or ctex is not installed")
        return
    for arguments in (["lang=zh"], ["grant=nsfc"]):
        good, said = compiled("xelatex", text(["samples=0"] + arguments, "tex"), "zh")
        shown = pdf_text("zh").replace(" ", "") if good else ""
        check(good and "\u73b0\u503c" in shown and "\u2212" in shown,
              "xelatex %s: %s" % (arguments, said))


def check_bibtex():
    first, again = text(["samples=0"], "bib"), text(["samples=0"], "bib")
    other = text(["samples=0", "busy_frac=0.3"], "bib")
    keys = re.findall(r"^@misc\{([^,]+),", first, re.M)
    check(first == again and len(keys) == len(set(keys)) > 5, "keys are stable and differ")
    check(keys[0] != re.findall(r"^@misc\{([^,]+),", other, re.M)[0], "another link, another key")
    check(re.fullmatch(r"gputco-20261201-[0-9a-f]{8}", keys[0]), "form of the key")
    doc = json.loads(text(["samples=0"], "json"))
    check(len(keys) == 1 + len(doc["sources"]), "an entry for each source")
    if not shutil.which("bibtex"):
        skip("BibTeX", "bibtex is not installed")
        return
    for arguments in ([], ["label=" + HOSTILE[9]], ["label=" + HOSTILE[7]]):
        with open(os.path.join(folder, "r.bib"), "w") as f:
            f.write(text(["samples=0"] + arguments, "bib"))
        with open(os.path.join(folder, "r.aux"), "w") as f:
            f.write("\\citation{*}\n\\bibstyle{plain}\n\\bibdata{r}\n")
        done = subprocess.run(["bibtex", "r"], cwd=folder, stdout=subprocess.PIPE, timeout=60)
        said = done.stdout.decode()
        check(done.returncode == 0 and "rror message" not in said, "bibtex: " + said[-300:])
    if not shutil.which("biber"):
        skip("biber", "it is not installed")


# ---- FOCUS ------------------------------------------------------------------------

# Mandatory columns of FOCUS 1.2 (2025-05-30).
MANDATORY = """BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd
BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd
ChargePeriodStart ContractedCost EffectiveCost InvoiceIssuerName ListCost PricingQuantity
PricingUnit ProviderName PublisherName ServiceCategory ServiceName""".split()


def check_focus():
    rows = csv_rows(text(["samples=0", "service_tax_frac=0.2", "start=2027-11-30",
                          "b=rent/aws/p5.48xlarge/us-east-1/on_demand",
                          "b.rent_discount_frac=0.25"], "focus.csv"))
    check(len(MANDATORY) == 21 and set(MANDATORY) <= set(rows[0]), "mandatory columns")
    check({r["ChargeCategory"] for r in rows} <= {"Usage", "Purchase", "Tax", "Credit"},
          "categories")
    check(all((r["PricingQuantity"] == "") == (r["ChargeCategory"] == "Tax") for r in rows),
          "no quantity of a tax")
    compute = [r for r in rows if r["x_Item"] == "compute"]
    check(len(compute) == 36 and all(
        abs(float(r["BilledCost"]) - 0.75 * float(r["ListCost"])) < 1e-6 for r in compute),
        "a discount stands between list and billed cost")
    check(compute[0]["ChargePeriodStart"] == "2027-11-01T00:00:00Z" and
          compute[1]["ChargePeriodEnd"] == "2028-01-01T00:00:00Z", "periods are months")
    bought = [r for r in rows if r["x_Item"] == "hardware"]
    check(len(bought) == 1 and float(bought[0]["EffectiveCost"]) == 0, "hardware is spread")


# ---- funding requests ---------------------------------------------------------------

FLAVOURS = "nsf nih horizon erc ukri dfg nsfc generic".split()


def numbers(words):
    return re.findall(r"\d[\d,.]*\d|\d", re.sub(r"(https?://|/compare)\S+", "", words))


def bare(markup):
    """The words of an HTML text, its articles when it has some."""
    article = re.search(r'<article class="grant">(.*)</article>', markup, re.S)
    return html.unescape(re.sub(r"<[^>]*>", " ", article.group(1) if article else markup))


def tex_body(source):
    body = source.split("\\bottomrule}{\\hline}%\n", 1)[1]
    body = re.sub(r"\\setlength.*|\{\\ttfamily.*", "", body)
    return untex(body)


def part_of(markdown, title):
    found = re.search(r"^## %s\n\n(.*?)(?=^## |\Z)" % title, markdown, re.S | re.M)
    return found.group(1) if found else ""


def check_words():
    for flavour in FLAVOURS:
        for more in (["grant_option=a"], ["grant_option=b"],
                     ["a.label=" + "very long " * 6, "grant_option=b", "horizon_year=7"]):
            told = text(["samples=0", "limit=0", "lang=en", "grant=" + flavour] + more, "md")
            count = len(part_of(told, "Justification").split())
            check(200 <= count <= 500, "%s %s: %d words" % (flavour, more, count))
    told = text(["samples=0", "limit=0", "lang=en", "grant=generic", "grant_option=b", "horizon_year=3",
                 "b=rent/aws/p5.48xlarge/us-east-1/reserved_1y/all_upfront", "b.rent_price_per_hour=0",
                 "b.rent_upfront_price=262800"], "md")
    told = " ".join(part_of(told, "Justification").split())
    check("USD 262,800 paid upfront for each machine and term of 12 months and USD 0 an hour" in told
          and "upfront come to USD 788,400." in told, "what is paid upfront: " + told)
    told = text(["samples=0", "grant=nsfc"], "md")
    count = len(re.findall("[\u4e00-\u9fff]", part_of(told, "\u9884\u7b97\u8bf4\u660e")))
    check(200 <= count <= 500, "nsfc: %d characters" % count)
    check("\u4e07\u5143" in told and "CNY" in told, "nsfc is told in CNY and ten thousands")


def check_forms_of_grants():
    for flavour in FLAVOURS:
        arguments = ["samples=0", "limit=0", "start=2027-03-01", "grant=" + flavour,
                     "grant_option=" + ("a" if flavour in ("erc", "nsf") else "b")]
        doc = json.loads(text(arguments, "json"))["grant"]
        told = numbers(text(arguments, "txt"))
        check(len(told) > 100, "%s has figures" % flavour)
        check(numbers(bare(text(arguments, "html"))) == told, "html of " + flavour)
        if shutil.which("cmark-gfm"):
            check(numbers(bare(markdown_tree(text(arguments, "md")))) == told, "md of " + flavour)
        check(numbers(tex_body(text(arguments, "tex"))) == told, "tex of " + flavour)
        check(sum(p["requested_cost"] for p in doc["periods"]) ==
              doc["sum"]["requested_cost"], "periods sum up: " + flavour)
        check(sum(p["month_count"] for p in doc["periods"]) == 36, "months sum up: " + flavour)
        for p in doc["periods"] + [doc["sum"]]:
            parts = sum(p[k] for k in ("equipment_cost", "supply_cost", "service_cost",
                                       "staff_cost"))
            check(parts == p["direct_cost"] and
                  parts + p["overhead_cost"] == p["requested_cost"] and
                  parts + p["not_requested_cost"] == p["option_cost"], "a row of " + flavour)
        rows = {(r["section"], r["name"]): r["value"]
                for r in csv_rows(text(arguments, "csv"))}
        check(float(rows["grant sum", "requested_cost"]) == doc["sum"]["requested_cost"],
              "csv of " + flavour)


def check_rules_of_grants():
    def grant(*arguments):
        return json.loads(text(["samples=0", "limit=0", *arguments], "json"))

    whole = grant("grant=ukri", "grant_option=b", "start=2027-03-01")
    first = whole["grant"]["periods"][0]
    check(first["month_count"] == 1, "one month is left before April")
    check(abs(whole["grant"]["sum"]["funded_cost"] -
              0.8 * whole["grant"]["sum"]["requested_cost"]) <= 2, "80 % are funded")
    told = text(["samples=0", "grant=ukri"], "txt")
    check("25,000" in told and "80 %" in told and "Check current rules" in told, "UKRI's lines")
    ours = grant("grant=horizon", "grant_option=b", "depreciation_year=4")
    rent = ours["grant"]["rent_check"]
    option = ours["options"]["b"]["items"]
    check(abs(rent["rent_cost"] - ours["grant"]["rate"] * (option["compute"] +
              option["upfront"])) < 1e-6, "rent in the funder's currency")
    check(abs(rent["like_depreciation_cost"] - ours["grant"]["rate"] * 36 / 48 *
              ours["options"]["a"]["capex"]) < 1e-6, "depreciation of like equipment")
    check(rent["within"] == (rent["rent_cost"] <= rent["like_depreciation_cost"]), "the check")
    told = text(["samples=0", "grant=horizon", "grant_option=b"], "txt")
    check("exceeds the depreciation" in re.sub(r"\s+", " ", told), "it is said")
    plain_study = grant()
    check(all(grant("grant=" + f)["options"]["a"]["npv_cost"] ==
              plain_study["options"]["a"]["npv_cost"] for f in FLAVOURS),
          "a flavour changes no figure of the study")
    done = run(["grant_option=b", "grant_use_frac=2", "start=2027-02-30",
                "grant_period_month=1.5"], "json")
    said = done.stderr.decode()
    check(done.returncode == 2 and all(k in said for k in (
        "grant_option", "grant_use_frac", "start", "grant_period_month")), "all mistakes at once")


CHECKS = (check_inert, check_same_bytes, check_file_names, check_csv_back, check_latex,
          check_chinese_latex, check_bibtex, check_focus, check_words, check_forms_of_grants,
          check_rules_of_grants)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else int(
        os.environ.get("GPUTCO_EXPORT_STUDIES", "60"))
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    try:
        for each in CHECKS:
            each()
        check_random(count, seed)
    finally:
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
