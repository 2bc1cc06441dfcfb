"""Reports and pictures: what pdftotext reads is what JSON says; pages,
fonts, links, sizes and densities; same request, same bytes; what a user types
stays text. GPUTCO_DOCUMENT_STUDIES says how many random studies."""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import workbook as w
from test_workbook import study

STUDIES = int(os.environ.get("GPUTCO_DOCUMENT_STUDIES", "12"))
folder = tempfile.mkdtemp(prefix="gputco-documents.")
passed = failed = 0


def check(good, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: %s" % what)


def made(arguments, form):
    done = w.run(arguments, form)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def tool(name, *arguments):
    done = subprocess.run([name, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60)
    return done.stdout.decode("utf-8", "replace"), done.returncode


def pdf_pages(data):
    """The text of each page, and the file's name."""
    path = os.path.join(folder, "report.pdf")
    with open(path, "wb") as f:
        f.write(data)
    text, code = tool("pdftotext", "-layout", path, "-")
    assert code == 0, text
    return text.split("\f")[:-1], path


def money(value):
    """As tables show it: whole units, thousands grouped."""
    rounded = int(abs(value) + 0.5)
    # a tie may have been rounded either way: nothing here depends on it
    text = "{:,}".format(rounded)
    return ("\u2212" if value < 0 and rounded else "") + text


def on_page(text, value):
    near = [value] if abs(abs(value) % 1 - 0.5) > 1e-6 else [value - 1e-3, value + 1e-3]
    return any(money(v) in text for v in near)


def check_digits(arguments):
    answer = w.answer(arguments)
    if answer is None:
        return 0
    pages, _ = pdf_pages(made(arguments, "pdf"))
    text = "\n".join(pages)
    wrong, count = [], 0
    for letter, option in answer["options"].items():
        shown = dict(option["items"], total_cost=option["total_cost"],
                     npv_cost=option["npv_cost"],
                     monthly=option["monthly_equivalent_cost"])
        for name, value in shown.items():
            if value is None or abs(value) < 1:
                continue
            count += 1
            if not on_page(text, value):
                wrong.append((letter, name, value))
        for name in ("meter_kwh", "operational_kg", "embodied_kg", "total_kg"):
            if option[name] is not None and option[name] >= 100:
                count += 1
                if not on_page(text, option[name]):
                    wrong.append((letter, name, option[name]))
    check(not wrong and count > 6, "%s: not on the page %s" % (" ".join(arguments), wrong[:4]))
    return 1


def check_pages(arguments, link_word, wide):
    data = made(arguments, "pdf")
    check(data == made(arguments, "pdf"), "same request, same bytes")
    pages, path = pdf_pages(data)
    check(wide or 3 <= len(pages) <= 4, "%d pages" % len(pages))
    info, _ = tool("pdfinfo", path)
    check("(A4)" in info, "A4")
    check("CreationDate:    Tue Dec  1 00:00:00 2026" in info or "2026" in info, "dated by the prices")
    for i, page in enumerate(pages):
        foot = "\n".join(page.strip("\n").split("\n")[-3:])
        numbers = re.findall(r"(\d+)\D+(\d+)\s*$", foot)
        check(numbers and (int(numbers[0][0]), int(numbers[0][1])) == (i + 1, len(pages)),
              "page %d of %d: %r" % (i + 1, len(pages), foot))
        check("2026-12-01" in foot and link_word in foot, "date and link: %r" % foot)
    fonts, _ = tool("pdffonts", path)
    rows = [row.split() for row in fonts.split("\n")[2:] if row.strip()]
    check(rows and all(row[-5:-2] == ["yes", "yes", "yes"] for row in rows), "fonts %r" % fonts)
    if shutil.which("qpdf"):
        said, code = tool("qpdf", "--check", path)
        check(code == 0, said)
        said, code = tool("qpdf", "--qdf", "--object-streams=disable", path, "-")
        check(not re.search(r"/(JavaScript|JS|Launch|EmbeddedFile|OpenAction|AA)\b", said),
              "something active in the file")
        uris = re.findall(r"/URI \((.*?)\)", said)
        check(uris and all(u.startswith("https://gputco.test/") for u in uris), "links %s" % uris[:3])
    return "\n".join(pages)


def chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, found = 8, []
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
        crc, = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        assert crc == zlib.crc32(kind + body), kind
        found.append((kind, body))
        at += 12 + size
    return found


def check_picture(figure, width, scale):
    arguments = ["figure=" + figure, "width=%d" % width, "scale=%d" % scale]
    data = made(arguments, "png")
    check(data == made(arguments, "png"), "same picture, same bytes")
    found = chunks(data)
    got = struct.unpack(">II", dict(found)[b"IHDR"][:8])
    drawn = cgi("gputco", "/compare.svg", "&".join(arguments[:2]))[1].decode()
    height = float(re.search(r' height="([\d.]+)"', drawn).group(1))
    check(got[0] == width * scale, "%s: %d pixels wide" % (figure, got[0]))
    check(abs(got[1] - height * scale) <= scale, "%s: %d pixels high" % (figure, got[1]))
    check([k for k, _ in found][:2] == [b"IHDR", b"pHYs"], "density comes first")
    x, y, unit = struct.unpack(">IIB", dict(found)[b"pHYs"])
    check((x, y, unit) == (round(96 * scale / 0.0254),) * 2 + (1,), "density %d" % x)
    pixels = zlib.decompress(b"".join(body for kind, body in found if kind == b"IDAT"))
    check(len(set(pixels)) > 20, "%s: nothing drawn" % figure)


def cgi(program, path, query):
    done = subprocess.run([os.path.join(w.BUILD, program)], stdout=subprocess.PIPE, timeout=60,
                          env=dict(w.ENV, GATEWAY_INTERFACE="CGI/1.1", REQUEST_METHOD="GET",
                                   REQUEST_URI=path + ("?" + query if query else "")))
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    return head.decode(), body


def check_edge():
    for suffix, start in (("xlsx", b"PK\x03\x04"), ("pdf", b"%PDF-"), ("png", b"\x89PNG")):
        head, body = cgi("gputco-documents", "/compare." + suffix, "busy_frac=0.5")
        check(head.startswith("Status: 200") and body.startswith(start), suffix)
        check('filename="gputco_2026-12-01.%s"' % suffix in head, head)
        check(body == made(["busy_frac=0.5"], suffix), "%s: command line and service differ" % suffix)
        head, body = cgi("gputco", "/compare." + suffix, "")
        check(head.startswith("Status: 404") and b".json" in body, "the light program: " + head)
    head, body = cgi("gputco-documents", "/compare.png", "width=4096&scale=4")
    check(head.startswith("Status: 400") and b'"scale"' in body, "too many pixels: " + head[:40])
    head, body = cgi("gputco-documents", "/compare.pdf", "pue_ratio=9&gpu=none")
    errors = json.loads(body)["errors"]
    check(head.startswith("Status: 400") and len(errors) == 2, "every mistake: %s" % errors)
    linked, _ = tool("ldd", os.path.join(w.BUILD, "gputco"))
    check(not re.search("xlsxwriter|cairo|pango|rsvg", linked), "the light program links " + linked)


def main():
    text = check_pages([], "gputco.test/compare", False)
    check("Owning 4" in text and "Every formula" in text and "Sources" in text, "parts of the report")
    check("meter_kwh_per_month = it_kwh_per_month * pue_ratio" in re.sub(r"\s+", " ", text),
          "formulas as they are calculated")
    text = check_pages(["lang=zh"], "gputco.test/compare", False)
    check("自购" in text and "现值" in text and "全部公式" in text, "Chinese can be selected")
    check(sum(c in text for c in "\ufffd\u25a1") == 0, "glyphs are missing")
    text = check_pages(["label=<script>alert(1)</script>", "a.label=\\input{/etc/passwd}",
                        "b.label==HYPERLINK(\"http://x.test\")", "samples=0"],
                       "gputco.test/compare", False)
    check("<script>alert(1)</script>" in text and "\\input{/etc/passwd}" in text and
          "=HYPERLINK(" in text, "labels are shown as typed")
    check_pages(["c=own/h100-sxm5-80gb/8", "d=rent/aws/p5.48xlarge/us-east-1/on_demand"],
                "gputco.test/compare", True)
    rng = random.Random(8)
    done = 0
    while done < STUDIES:
        done += check_digits(study(rng))
    for figure, width, scale in (("cumulative", 760, 1), ("stack", 760, 2), ("tornado", 500, 3),
                                 ("map", 320, 4), ("carbon", 900, 2), ("history", 640, 1)):
        check_picture(figure, width, scale)
    check_edge()
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(folder)
