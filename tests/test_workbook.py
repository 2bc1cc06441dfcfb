"""The workbook against the service: LibreOffice calculates every formula
anew, with none of our values left in the file, and random studies must come
out as the service says, to 1e-9; so must a study of which one yellow cell was
changed. GPUTCO_WORKBOOK_STUDIES says how many (200 takes ten minutes)."""
import os
import random
import re
import sys

import workbook as w

STUDIES = int(os.environ.get("GPUTCO_WORKBOOK_STUDIES", "16"))
passed = failed = 0


def check(good, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: %s" % what)


OWN = ["a100-pcie-40gb", "rtx-4090", "h100-sxm5-80gb", "rtx-a6000", "l40s"]
RENT = ["aws/p4d.24xlarge/us-east-1", "aws/p5.48xlarge/us-east-1"]
# key: low and high of a draw; what belongs to one kind only.
SHARED = {"horizon_year": (0.3, 14), "busy_frac": (0, 1), "discount_frac": (0, 0.3),
          "income_tax_frac": (0, 0.5), "service_tax_frac": (0, 0.25),
          "opex_growth_frac": (-0.1, 0.2), "carbon_price_per_tonne": (0, 300)}
BOTH = {"staff_fte": (0, 2), "other_cost_per_month": (0, 900), "rework_frac": (0, 0.3),
        "gpu_load_frac": (0.3, 1), "pue_ratio": (1, 2), "grid_g_per_kwh": (0, 900),
        "life_year": (1, 9), "renewable_frac": (0, 1), "machine_speed": (10, 9000)}
ONLY_OWN = {"gpu_price": (100, 40000), "host_price": (0, 90000), "setup_cost": (0, 5000),
            "purchase_tax_frac": (0, 0.2), "residual_frac": (0, 0.6),
            "energy_price_per_kwh": (0, 0.5), "energy_price_growth_frac": (-0.1, 0.2),
            "loan_frac": (0, 1), "loan_rate_frac": (0, 0.2), "loan_year": (0.3, 8),
            "depreciation_year": (0.3, 9), "powered_frac": (0, 1), "max_use_frac": (0.3, 1),
            "hosting_price_per_kw_month": (0, 300), "licence_price_per_gpu_year": (0, 2000)}
ONLY_RENT = {"rent_discount_frac": (0, 0.6), "rent_price_growth_frac": (-0.3, 0.2),
             "billing_overhead_frac": (0, 0.3), "fleet_busy_frac": (0.2, 1),
             "storage_gb": (0, 1e5), "egress_gb_per_month": (0, 1e4), "support_frac": (0, 0.2)}


def draw(random, prefix, table, share):
    return ["%s%s=%.6g" % (prefix, key, random.uniform(*ends))
            for key, ends in table.items() if random.random() < share]


def study(random):
    """Arguments of a study: every branch of the formulas is somewhere."""
    out = ["samples=0"] + draw(random, "", SHARED, 0.5)
    for i in range(random.choice([2, 2, 2, 3, 4])):
        o = "abcdef"[i]
        if random.random() < (0.7 if i == 0 else 0.4):
            out.append("%s=own/%s/%d/%d" % (o, random.choice(OWN), random.choice([1, 2, 4, 8]),
                       random.randint(1, 5) if i == 0 else random.choice([0, 0, 3, 40])))
            out += draw(random, o + ".", ONLY_OWN, 0.4)
            if random.random() < 0.6:
                out.append("%s.depreciation=%s" % (o, random.choice(
                    ["none", "straight_line", "macrs_5", "immediate"])))
        else:
            term = random.choice(["on_demand", "spot", "reserved_1y", "reserved_3y", "savings_1y"])
            out.append("%s=rent/%s/%s" % (o, random.choice(RENT), term))
            out.append("%s.rent_price_per_hour=%.5g" % (o, random.uniform(0.5, 60)))
            if term[0] in "rs" and term != "spot":
                out.append("%s.rent_upfront_price=%.6g" % (o, random.uniform(0, 9e4)))
                out.append("%s.prorate_term=%s" % (o, random.choice(["no", "yes"])))
            out += draw(random, o + ".", ONLY_RENT, 0.4)
        out += draw(random, o + ".", BOTH, 0.3)
    return out


def worst(found, answer):
    """Largest difference of a figure, and how many were compared."""
    count, most, at = 0, 0, None
    for letter, option in answer["options"].items():
        known = dict(option)
        known.update(option["items"])
        for name, value in known.items():
            for live in found.get((letter, name), []):
                if not isinstance(value, (int, float)):
                    continue
                off = (abs(live - value) / max(1, abs(value))
                       if isinstance(live, float) else 9)
                count += 1
                if not off <= most:
                    most, at = off, (letter, name, value, live)
    return most, at, count


def changed(random, arguments, answer, files):
    """One yellow number moved: the file, and the study with that one key.
    What was filled in from the input that moves has to follow."""
    inputs = w.cells(files, "Inputs")
    row_of = {text: int(re.sub(r"\D", "", cell))
              for cell, (text, _) in inputs.items() if cell[0] == "B" and text}
    ends = dict(SHARED, **dict(BOTH, **dict(ONLY_OWN, **ONLY_RENT)))
    while True:
        field = random.choice(sorted(ends))
        letters = [o for o in answer["options"] if field in answer["options"][o]["inputs"]]
        if letters:
            break
    letter = "a" if field in SHARED else random.choice(letters)
    value = float("%.6g" % random.uniform(*ends[field]))
    cell = "%s%d" % ("DEFGHI"["abcdef".index(letter)], row_of[field])
    key = field if field in SHARED else "%s.%s" % (letter, field)
    asked = [a for a in arguments if not a.startswith(key + "=")]
    return (w.with_cell(files, "Inputs", cell, value), asked + ["%s=%r" % (key, value)],
            (field, letter, value))


def check_structure(files):
    names = [name for name in files if name.startswith("xl/worksheets/sheet")]
    check(len(names) == len(w.SHEETS), "sheets %s" % names)
    constant = volatile = named = 0
    for sheet in ("Model", "Months", "Years"):
        for cell, (_, formula) in w.cells(files, sheet).items():
            if not formula:
                continue
            bare = re.sub(r'"[^"]*"|\$?[A-Z]{1,3}\$?[0-9]+', "", formula)
            constant += any(n not in ("0", "1") for n in re.findall(r"[0-9.]+", bare))
            volatile += bool(re.search(r"\b(OFFSET|INDIRECT|NOW|TODAY|RAND)\(", formula))
            named += bool(re.search(r"\b[a-z_]{3,}\b", bare))
    check(constant == 0, "%d formulas with constants" % constant)
    check(volatile == 0, "%d volatile formulas" % volatile)
    check(named == 0, "%d formulas with names" % named)
    check(b"definedName " not in re.sub(rb"_xlnm\.\w+", b"", files["xl/workbook.xml"])
          or b"_xlnm" in files["xl/workbook.xml"], "defined names")
    check(not any("externalLink" in name or "vbaProject" in name for name in files),
          "links to other files or macros")


def relative(formula, column):
    """The formula with columns counted from its own, so that copies of one
    formula along a row are equal."""
    def turn(m):
        if m.group(1):
            return m.group(0)
        number = 0
        for c in m.group(2):
            number = number * 26 + ord(c) - 64
        return "[%d]%s%s" % (number - column, m.group(3), m.group(4))
    return re.sub(r"(\$?)\b([A-Z]{1,3})(\$?)([0-9]+)\b", turn, formula)


def check_rows(files):
    """One formula a row: on Months and Years in every column, on Model in
    every column of one kind that has the row."""
    for sheet, first in (("Months", 6), ("Years", 6), ("Model", 4)):
        rows = {}
        for cell, (_, formula) in w.cells(files, sheet).items():
            letters, row = re.match(r"([A-Z]+)([0-9]+)", cell).groups()
            column = 0
            for c in letters:
                column = column * 26 + ord(c) - 64
            if formula and column >= first:
                rows.setdefault(row, set()).add(relative(formula, column))
        several = [row for row, found in rows.items() if len(found) > 1]
        check(len(rows) > 10 and not several, "%s: rows %s" % (sheet, several[:5]))


def main():
    first = ["a=own/rtx-4090/4/1", "b=rent/aws/p4d.24xlarge/us-east-1/on_demand",
             "a.loan_frac=0.5", "income_tax_frac=0.2", "samples=100"]
    data = w.workbook(first)
    check(data == w.workbook(first), "same request, same bytes")
    files = w.parts(data)
    check_structure(files)
    check_rows(files)
    hostile = w.parts(w.workbook(["label==HYPERLINK(\"http://x\",\"y\")", "a.label=+1+cmd|' /C calc'!A0",
                                  "b.label=<script>\\input{x}"]))
    check(all("cmd|" not in (f or "") and "HYPERLINK" not in (f or "")
              for sheet in w.SHEETS for _, f in w.cells(hostile, sheet).values()),
          "a label became a formula")
    check(b"&lt;script&gt;" in hostile["xl/sharedStrings.xml"], "label is text")
    if not w.have_office():
        print("skipped: no LibreOffice, nothing calculated anew")
    else:
        calculate_anew()
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


def calculate_anew():
    rng = random.Random(20261201)
    books, answers, what = [], [], []
    while len(books) < STUDIES:
        arguments = study(rng)
        answer = w.answer(arguments)
        if answer is None:
            continue
        files = w.parts(w.workbook(arguments))
        if len(books) % 2 == 1:
            files, arguments, change = changed(rng, arguments, answer, files)
            answer = w.answer(arguments)
            if answer is None:
                continue # the other value is not allowed beside the rest
            what.append(("changed %s of %s to %r" % change, arguments))
        else:
            what.append(("as written", arguments))
        books.append(w.pack(w.without_values(files)))
        answers.append(answer)
    size = 25
    for at in range(0, len(books), size):
        for i, rows in enumerate(w.calculate(books[at:at + size]), at):
            most, where, count = worst(w.figures(rows), answers[i])
            check(count >= 25 * len(answers[i]["options"]) and most <= 1e-9,
                  "%s: %r off by %.3g of %d figures\n  %s" % (
                      what[i][0], where, most, count, " ".join(what[i][1])))


if __name__ == "__main__":
    sys.exit(main())
