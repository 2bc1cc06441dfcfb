#!/usr/bin/env python3
"""Holds the program against a second implementation of the contract.

    tests/test_oracle.py [N [SEED]]     N random studies, default 300
    GPUTCO=path                         the program, default $B/gputco

First the second implementation itself is held against examples worked by
others, without the program; then the corner studies and N random ones are
answered by the program, recomputed from the inputs that it printed, and those
inputs are looked up again in the fact tables. N of 0 leaves the program out.
"""
import collections
import json
import multiprocessing
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402

SHARED = {"horizon_year": 3, "busy_frac": 0.6, "discount_frac": 0,
          "income_tax_frac": 0, "service_tax_frac": 0, "opex_growth_frac": 0,
          "carbon_price_per_tonne": 0}
BOTH = {"gpu_count": 1, "machine_count": 0, "machine_speed": 1,
        "rework_frac": 0, "staff_fte": 0, "staff_cost_per_year": 120000,
        "other_cost_per_month": 0, "gpu_watt": 0, "gpu_idle_watt": 0,
        "gpu_load_frac": 1, "host_watt": 0, "host_idle_watt": 0,
        "pue_ratio": 1, "grid_g_per_kwh": 0, "renewable_frac": 0,
        "embodied_gpu_kg": 0, "embodied_host_kg": 0, "life_year": 4,
        "wue_l_per_kwh": 0, "grid_water_l_per_kwh": 0, "load": "tdp",
        "grid_growth_frac": 0}
OWN = {"kind": "own", "gpu_price": 0, "host_price": 0, "purchase_tax_frac": 0,
       "setup_cost": 0, "network_cost": 0, "residual_frac": 0,
       "maintenance_frac_per_year": 0, "insurance_frac_per_year": 0,
       "gpu_failure_frac_per_year": 0, "hosting_price_per_kw_month": 0,
       "licence_price_per_gpu_year": 0, "powered_frac": 1, "max_use_frac": 0.9,
       "energy_price_per_kwh": 0, "energy_price_growth_frac": 0,
       "offpeak_frac": 0, "offpeak_price_per_kwh": 0,
       "demand_price_per_kw_month": 0,
       "loan_frac": 0, "loan_rate_frac": 0.06, "loan_year": 3,
       "depreciation": "none", "depreciation_year": 5}
RENT = {"kind": "rent", "term": "on_demand", "payment": "no_upfront",
        "rent_price_per_hour": 0, "rent_upfront_price": 0,
        "rent_discount_frac": 0, "rent_price_growth_frac": 0,
        "billing_overhead_frac": 0, "prorate_term": "no",
        "fleet_busy_frac": 0.7, "storage_gb": 0,
        "storage_price_per_gb_month": 0.08, "egress_gb_per_month": 0,
        "egress_price_per_gb": 0.09, "support_frac": 0}


def study(shared, a, b):
    """A study of two options in which nothing happens unless it is said."""
    return {"shared": {**SHARED, **shared},
            "options": {"a": {**BOTH, "machine_count": 1, **a},
                        "b": {**BOTH, **b}}}


def own(**fields):
    return {**OWN, **fields}


def rent(**fields):
    return {**RENT, **fields}


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def near(self, name, got, want, digits=None, relative=None):
        """Equal when printed with so many digits, or within a share."""
        if got is None or want is None:
            good = got is want
        elif digits is not None:
            good = abs(got - want) <= 0.5000001 * 10 ** -digits
        else:
            good = abs(got - want) <= (relative or 1e-9) * max(1, abs(want))
        self.note(good, f"{name}: {got!r}, expected {want!r}")

    def note(self, good, line):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED", line)


# -------------------------------------- the second implementation on its own

def colocated(**change):
    """Four H100 in a rack for five years (contract 6.1, peers A2)."""
    v = {"gpu": 27500, "host": 10414, "year": 5, "rack": 194.95,
         "tariff": 0.2575, "rent": 3.29, **change}
    return oracle.outcome(study(
        {"horizon_year": v["year"], "busy_frac": 1},
        own(gpu_count=4, gpu_price=v["gpu"], host_price=v["host"],
            gpu_watt=400, gpu_idle_watt=400, host_watt=500,
            host_idle_watt=500, pue_ratio=1.52,
            hosting_price_per_kw_month=v["rack"],
            energy_price_per_kwh=v["tariff"]),
        rent(gpu_count=4, rent_price_per_hour=4 * v["rent"])))


def check_rack(t):
    out = colocated()
    a, pair = out["options"]["a"], out["pairs"][0]
    t.near("A2 capex a year", a["capex"] / 5, 24082.80, 2)
    t.near("A2 hosting a year", a["items"]["hosting"] / 5, 4912.74, 2)
    t.near("A2 energy a year", a["items"]["energy"] / 5, 7200.19, 2)
    t.near("A2 total a year", a["total_cost"] / 5, 36195.73, 2)
    for name, change, percent in (
            ("A2", {}, 31.4),
            ("A3", {"rent": 1.99}, 51.9), ("A3", {"rent": 2.89}, 35.7),
            ("A3", {"rent": 3.36}, 30.7), ("A3", {"rent": 3.99}, 25.9),
            ("A3", {"rent": 4.25}, 24.3), ("A3", {"rent": 6.98}, 14.8),
            ("A4", {"year": 3}, 45.3), ("A4", {"year": 6}, 27.9),
            ("A4", {"gpu": 25000}, 29.7),
            ("A4", {"gpu": 30000}, 33.1),
            ("A4", {"rack": 180}, 31.1),
            ("A4", {"rack": 275}, 33.1),
            ("A4", {"tariff": 0.1351}, 28.4)):
        pair = colocated(**change)["pairs"][0]
        t.near(f"{name} {change} break-even load",
               100 * pair["break_even_busy_frac"], percent, 1)


def check_default(t):
    """Contract 6.2: the default study with the prices typed."""
    out = oracle.outcome(study(
        {"discount_frac": 0.05},
        own(gpu_count=4, gpu_price=1599, host_price=4000, residual_frac=0.2,
            maintenance_frac_per_year=0.02, staff_fte=0.05, gpu_watt=450,
            gpu_idle_watt=20, host_watt=250, host_idle_watt=100,
            pue_ratio=1.54, energy_price_per_kwh=0.13, machine_speed=660.8),
        rent(gpu_count=8, machine_speed=2496,
             rent_price_per_hour=21.957642)))
    a, b, pair = out["options"]["a"], out["options"]["b"], out["pairs"][0]
    t.near("6.2 need", b["need_machine_hour_per_month"], 115.957692, 6)
    t.near("6.2 own total", a["total_cost"], 33790.72, 2)
    t.near("6.2 own npv", a["npv_cost"], 32249.09, 2)
    t.near("6.2 rent total", b["total_cost"], 91661.67, 2)
    t.near("6.2 rent npv", b["npv_cost"], 85095.82, 2)
    t.near("6.2 month", pair["break_even_month"], 6, 0)
    t.near("6.2 busy", pair["break_even_busy_frac"], 0.2017355855, 10)
    t.near("6.2 rent price", pair["break_even_rent_price_per_hour"],
           8.3213726821, 10)
    t.near("6.2 energy price", pair["break_even_energy_price_per_kwh"],
           1.2102905290, 10)
    t.near("6.2 irr", pair["irr"], 6.0283643111, 10)


def server(rent_price, years=3, own_price=0.87):
    """A server at 0.87 an hour against a rented one (peers A1)."""
    return oracle.outcome(study(
        {"horizon_year": years, "busy_frac": 1},
        own(host_price=833806, host_watt=1000,
            energy_price_per_kwh=own_price),
        rent(rent_price_per_hour=rent_price)))


def check_server(t):
    for price, hours in ((98.32, 8556.2), (77.43, 10890.9), (53.95, 15708.5)):
        out = server(price)
        t.near(f"A1 {price} month", out["pairs"][0]["break_even_month"],
               -(-hours // 730))
        a, b = (out["options"][x]["flows"] for x in "ab")
        gain = [y - x for x, y in zip(a, b)]
        t.near(f"A1 {price} hours", -gain[0] / gain[1] * 730, hours, 1)
        # the same sum the other way: rent at which that many hours break even
        t.near(f"A1 {price} price",
               server(price, 2)["pairs"][0]["break_even_rent_price_per_hour"],
               833806 / 17520 + 0.87)
    for price in (0.87, 0.80, 0.10):
        pair = server(price)["pairs"][0]
        for member in ("break_even_month", "break_even_month_discounted",
                       "break_even_busy_frac", "irr"):
            t.near(f"G12 {price} {member}", pair[member], None)


def check_bill(t):
    """Two printed estimates, 40 hours a week (peers B1, B2)."""
    for name, price, total in (("B1", 3.589, 624.08), ("B2", 0.0472, 8.48)):
        one = rent(rent_price_per_hour=price, storage_gb=10 * 40 / 168,
                   storage_price_per_gb_month=0.116)
        out = oracle.outcome(study(
            {"horizon_year": 1 / 12, "busy_frac": 40 / 168}, one, one))
        b = out["options"]["b"]
        t.near(name + " hours", b["billed_machine_hour_per_month"],
               173.8095, 4)
        t.near(name + " total", b["total_cost"], total, 2)
    t.near("B1 storage", 10 * 40 / 168 * 0.116, 0.276, 3)


def check_corners(t):
    """Corners of the contract, each worked by hand."""
    full = {"busy_frac": 1, "horizon_year": 1.5}
    # 18 months of a one-year commitment: the second term is owed to its end.
    year = dict(term="reserved_1y", rent_price_per_hour=1,
                rent_upfront_price=100, rent_price_growth_frac=0.5,
                support_frac=0.1)
    b = oracle.outcome(study({**full, "service_tax_frac": 0.2},
                             own(), rent(**year)))["options"]["b"]
    t.near("tail compute", b["items"]["compute"], 730 * (12 + 12 * 1.5))
    t.near("tail upfront", b["items"]["upfront"], 100 + 150)
    t.near("tail support", b["items"]["support"], 0.1 * (730 * 30 + 250))
    t.near("tail month 18", b["flows"][18],
           730 * 1.5 * 7 * 1.1 * 1.2)
    t.near("tail month 12", b["flows"][12],
           (730 + 150) * 1.1 * 1.2)
    b = oracle.outcome(study(full, own(), rent(
        prorate_term="yes", **year)))["options"]["b"]
    t.near("prorate compute", b["items"]["compute"], 730 * (12 + 6 * 1.5))
    t.near("prorate upfront", b["items"]["upfront"], 100 + 75)
    # A loan of 1200 without interest over 24 months, 12 of them lived.
    a = oracle.outcome(study(
        {"horizon_year": 1, "busy_frac": 0.5},
        own(host_price=1200, loan_frac=1, loan_rate_frac=0, loan_year=2),
        rent()))["options"]["a"]
    t.near("loan month 0", a["flows"][0], 0)
    t.near("loan month 11", a["flows"][11], 50)
    t.near("loan month 12", a["flows"][12], 50 + 600)
    # One percent a month on 1000 over two months: 507.51, interest 15.02.
    a = oracle.outcome(study(
        {"horizon_year": 1, "busy_frac": 0.5},
        own(host_price=1000, loan_frac=1, loan_rate_frac=0.12,
            loan_year=2 / 12), rent()))["options"]["a"]
    t.near("annuity", a["flows"][1], 507.512438, 6)
    t.near("interest", a["items"]["interest"], 15.024876, 6)
    # Tax 25 %: 6000 over five years, sold after one for 5000 (200 gained).
    a = oracle.outcome(study(
        {"horizon_year": 1, "income_tax_frac": 0.25},
        own(host_price=6000, residual_frac=5 / 6, depreciation_year=5,
            depreciation="straight_line"), rent()))["options"]["a"]
    t.near("book gain taxed", a["items"]["income_tax"],
           -0.25 * 1200 + 0.25 * (5000 - 4800))
    t.near("residual", a["items"]["residual"], -5000)
    # MACRS: 20 % in the first year, half of the 32 % in the next six months.
    a = oracle.outcome(study(
        {"horizon_year": 1.5, "income_tax_frac": 0.25},
        own(host_price=6000, depreciation="macrs_5"), rent()))["options"]["a"]
    t.near("macrs month 1", a["flows"][1], -0.25 * 1200 / 12)
    t.near("macrs month 13", a["flows"][13], -0.25 * 1920 / 12)
    t.near("written off at the end", a["items"]["income_tax"], -0.25 * 6000)
    # 100 machine-hours a month are 1/7.3 of a machine; half of them redone.
    out = oracle.outcome(study(
        {"busy_frac": 1}, own(machine_speed=10, gpu_count=2),
        own(machine_speed=1, rework_frac=0.5, gpu_count=2)))
    b = out["options"]["b"]
    t.near("derived machines", b["machine_count"], 23)
    t.near("derived use", b["use_frac"], 20 / 23)
    out = oracle.outcome(study(
        {"busy_frac": 1}, own(machine_speed=10),
        own(machine_speed=1, machine_count=9)))
    t.note(out["options"]["b"]["short_of_capacity"] and not out["pairs"]
           and out["options"]["b"]["rank"] is None, "nine for ten is short")
    # Heavy tie: nothing is bought on either side.
    one = rent(rent_price_per_hour=2)
    pair = oracle.outcome(study({}, one, rent(
        rent_price_per_hour=3)))["pairs"][0]
    for member in ("break_even_month", "break_even_busy_frac", "irr"):
        t.near("tie " + member, pair[member], None)
    t.near("tie price", pair["break_even_rent_price_per_hour"], 2)
    # Carbon of rented machines: idle 1/0.7 − 1 of the hours, 4 years' life.
    b = oracle.outcome(study(
        {"horizon_year": 1, "busy_frac": 0.7}, own(),
        rent(gpu_watt=600, host_watt=400, gpu_idle_watt=60, host_idle_watt=40,
             pue_ratio=1.5, grid_g_per_kwh=400, embodied_gpu_kg=100,
             embodied_host_kg=1900, wue_l_per_kwh=1,
             grid_water_l_per_kwh=2)))["options"]["b"]
    kwh = (511 * 1000 + (730 - 511) * 100) * 12 / 1000
    t.near("rent it_kwh", b["it_kwh"], kwh)
    t.near("rent kg", b["operational_kg"], kwh * 1.5 * 0.4)
    t.near("rent embodied", b["embodied_kg"], 2000 / 4)
    t.near("rent water", b["water_l"], kwh * (1 + 1.5 * 2))


def check_comparison(t):
    """The comparison itself: every number that moves has to be seen."""
    one = study({"carbon_price_per_tonne": 50, "income_tax_frac": 0.2},
                own(gpu_price=1600, host_price=900, gpu_watt=450,
                    host_watt=200, grid_g_per_kwh=300, embodied_gpu_kg=60,
                    energy_price_per_kwh=0.2, grid_water_l_per_kwh=3,
                    loan_frac=0.5, residual_frac=0.2, setup_cost=100,
                    network_cost=90, maintenance_frac_per_year=0.02,
                    staff_fte=0.01, machine_speed=2),
                rent(rent_price_per_hour=1.5, gpu_watt=300, staff_fte=0.01,
                     grid_g_per_kwh=100, embodied_gpu_kg=150))
    out = oracle.outcome(one)
    doc = {"options": {}, "warnings": [{"code": code, "option": x}
                                       for code, x in out["warnings"]]}
    for x, option in out["options"].items():
        fields = {**one["shared"], **one["options"][x]}
        kind = fields.pop("kind")
        doc["options"][x] = {**option, "kind": kind, "inputs": {
            name: {"value": v} for name, v in fields.items()}}
    doc["pairs"] = out["pairs"]
    doc = json.loads(json.dumps(doc))
    t.note(not oracle.compare(doc), f"same answer: {oracle.compare(doc)}")

    def leaves(node):
        for key, v in node.items() if isinstance(node, dict) \
                else enumerate(node):
            if isinstance(v, (dict, list)):
                if key != "inputs":
                    yield from leaves(v)
            elif isinstance(v, (int, float)) and key != "total":
                yield node, key, v

    blind = []
    for node, key, v in list(leaves([doc["options"], doc["pairs"]])):
        node[key] = not v if isinstance(v, bool) else v * 1.000001 + 1e-5
        if not oracle.compare(doc, out):
            blind.append(key)
        node[key] = None
        if not oracle.compare(doc, out):
            blind.append(key)
        node[key] = v
    t.note(not blind, f"changes not seen: {blind}")


# ------------------------------------------------------- the program's answers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LATEST = 20261130       # studies are made for days up to this one
SHOWN = 8               # differences printed of one study
# Why a random study may go unanswered: the tables lack a figure it needs.
EXCUSES = {"no_price", "no_value", "short_of_capacity"}

facts = oracle.Facts(ROOT)


def ask(query):
    """The program's answer to a query: exit code, document, complaints."""
    program = os.environ.get("GPUTCO") or os.path.join(
        ROOT, os.environ.get("B", "build"), "gputco")
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith("GPUTCO_")}
    run = subprocess.run([program, "compare", "--format", "json", *query],
                         capture_output=True, text=True, timeout=120,
                         env=clean, cwd=ROOT)
    try:
        doc = json.loads(run.stdout) if run.stdout.strip() else None
    except ValueError:
        doc = None
    return run.returncode, doc, run.stderr


def complaint_codes(stderr):
    """Codes of the problems of a refused query: each ends its line."""
    return {re.sub(r".*\((\w+)\)$", r"\1", line)
            for line in stderr.splitlines()}


def hold(query):
    """("good" | "skipped" | "bad", lines) for one query."""
    try:
        code, doc, stderr = ask(query)
        if code == 2:
            codes = complaint_codes(stderr)
            if codes and codes <= EXCUSES:
                return "skipped", sorted(codes)
            return "bad", [f"refused: {stderr.strip() or sorted(codes)}"]
        if code or not doc:
            return "bad", [f"exit {code}: {stderr.strip()[:300]}"]
        found = oracle.check_inputs(doc, query, facts) + oracle.compare(doc)
    except Exception as e:      # the answer has another shape than agreed
        return "bad", [f"{type(e).__name__}: {e}"]
    lines = [f"{member}: {ours!r} here, {theirs!r} there"
             for member, ours, theirs in found[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(f"and {len(found) - SHOWN} more")
    return ("bad" if lines else "good"), lines


def check_program(t, count, seed):
    maker = oracle.Maker(facts, LATEST)
    jobs = [("edge", q) for q in oracle.EDGES]
    jobs += [(str(seed + n), maker.study(seed + n)) for n in range(count)]
    skipped = collections.Counter()
    with multiprocessing.Pool() as pool:
        for (name, query), (verdict, lines) in zip(
                jobs, pool.imap(hold, [q for _, q in jobs])):
            if verdict == "skipped" and name != "edge":
                skipped.update([" ".join(lines)])
                continue
            t.note(verdict == "good", "\n  ".join(
                [f"study {name}: {' '.join(query) or '(default)'}"] + lines))
    left_out = sum(skipped.values())
    if left_out:
        print(f"{left_out} of {count} random studies had no figures:",
              ", ".join(f"{k} {v}" for k, v in skipped.items()))
    t.note(left_out * 5 <= count, "more than a fifth had no figures")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    t = Tally()
    for check in (check_rack, check_default, check_server, check_bill,
                  check_corners, check_comparison):
        check(t)
    if count:
        check_program(t, count, seed)
    print(f"{t.passed} passed, {t.failed} failed")
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
