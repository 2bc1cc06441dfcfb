"""workbook.py: what tests of the workbook share: asks the program, reads and
changes sheets inside the file, and has LibreOffice calculate it anew without
any value of ours left in it. Standard library only."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("B", os.path.join(HERE, "..", "build")))
ENV = dict(os.environ, GPUTCO_DB="/dev/null", GPUTCO_TODAY="2026-12-01",
           GPUTCO_URL="https://gputco.test")
NS = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
SHEETS = ["Cover", "Inputs", "Model", "Months", "Years", "Sensitivity",
          "Sources", "Check", "Constants"]
RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop>
</item></oor:items>
"""


def run(arguments, form, program="gputco"):
    return subprocess.run([os.path.join(BUILD, program), "compare", "--format",
                           form] + arguments, env=ENV, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)


def answer(arguments):
    """The answer as JSON, or None when the program refuses the study."""
    done = run(arguments, "json")
    return json.loads(done.stdout) if done.returncode == 0 else None


def workbook(arguments):
    done = run(arguments, "xlsx")
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def parts(data):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return {name: z.read(name) for name in z.namelist()}


def pack(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z:
        for name, data in files.items():
            z.writestr(name, data)
    return out.getvalue()


def sheet_part(name):
    return "xl/worksheets/sheet%d.xml" % (SHEETS.index(name) + 1)


def cells(files, sheet):
    """{"D5": (value, formula)} of one sheet; texts looked up."""
    shared = ["".join(t.text or "" for t in si.iter("{%s}t" % NS["m"]))
              for si in ET.fromstring(files["xl/sharedStrings.xml"])]
    found = {}
    for c in ET.fromstring(files[sheet_part(sheet)]).iter("{%s}c" % NS["m"]):
        value, formula = c.find("m:v", NS), c.find("m:f", NS)
        text = value.text if value is not None else None
        if c.get("t") == "s":
            text = shared[int(text)]
        found[c.get("r")] = (text, formula.text if formula is not None else None)
    return found


def without_values(files):
    """Every cached value of a formula taken out."""
    taken, files = 0, dict(files)
    for sheet in SHEETS:
        text = files[sheet_part(sheet)].decode()
        text, count = re.subn(r"(</f>)<v>[^<]*</v>", r"\1", text)
        text = re.sub(r' t="str"(><f>)', r"\1", text)
        taken += count
        files[sheet_part(sheet)] = text.encode()
    assert taken > 1000, taken
    return files


def with_cell(files, sheet, cell, value):
    """The same with another number in one cell that holds a number."""
    files = dict(files)
    text = files[sheet_part(sheet)].decode()
    text, count = re.subn(r'(<c r="%s"[^>]*>)(<f>[^<]*</f>)?<v>[^<]*</v>' % cell,
                          lambda m: "%s<v>%r</v>" % (m.group(1), value), text)
    assert count == 1, (cell, count)
    files[sheet_part(sheet)] = text.encode()
    return files


def calculate(books, sheet="Check"):
    """LibreOffice's own values of one sheet of each file, as rows of text."""
    folder = tempfile.mkdtemp(prefix="gputco-workbook.")
    try:
        profile = os.path.join(folder, "profile")
        os.makedirs(os.path.join(profile, "user"))
        with open(os.path.join(profile, "user", "registrymodifications.xcu"), "w") as f:
            f.write(RECALCULATE)
        names = []
        for i, data in enumerate(books):
            names.append(os.path.join(folder, "book%04d.xlsx" % i))
            with open(names[-1], "wb") as f:
                f.write(data)
        form = ("csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,"
                "false,false,false,%d" % (SHEETS.index(sheet) + 1))
        subprocess.run(["soffice", "--headless", "-env:UserInstallation=file://"
                        + profile, "--convert-to", form, "--outdir", folder]
                       + names, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120 + 20 * len(books))
        result = []
        for name in names:
            with open("%s-%s.csv" % (name[:-5], sheet), newline="") as f:
                result.append(list(csv.reader(f)))
        return result
    finally:
        shutil.rmtree(folder)


def number(text):
    if not re.match(r"^-?[0-9]", text):
        return text
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def figures(rows):
    """{("a", "npv_cost"): value} of the sheet Check, as just calculated."""
    found = {}
    for row in rows[5:]:
        if len(row) > 3 and row[0]:
            found.setdefault((row[0], row[2]), []).append(
                number(row[3]))
    return found


def have_office():
    return shutil.which("soffice") is not None
