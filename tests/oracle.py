"""A second, slow implementation of the calculation contract.

It shares no code, no formula text and no table with the program: a fault has
to be made twice to go unseen. Everything is done the plain way (month by
month, full scans, bisection). `outcome` computes a resolved study, `from_json`
takes such a study out of a printed answer, `compare` holds the answer against
the recomputation.

Readings, where the contract leaves a choice, are marked "Reading:".
"""
import csv
import datetime
import math
import os
import random

HOUR = 730                      # hours a month
TIE = 1e-9
COMMITTED = {"reserved_1y": 12, "savings_1y": 12,
             "reserved_3y": 36, "savings_3y": 36}
MACRS_5 = (0.20, 0.32, 0.192, 0.1152, 0.1152, 0.0576)

OWN_ITEMS = ("hardware", "purchase_tax", "setup", "network", "energy",
             "demand",
             "maintenance", "insurance", "repairs", "staff", "hosting",
             "licences", "other", "service_tax", "interest", "residual",
             "income_tax")
RENT_ITEMS = ("compute", "upfront", "storage", "egress", "support", "staff",
              "other", "service_tax", "income_tax")


def months(year):
    """Years as whole months, halves up, at least one."""
    return max(1, math.floor(12 * year + 0.5))


def slack(share, *values):
    return share * max(1.0, *(abs(v) for v in values))


# ---------------------------------------------------------------- one option

def machine_watts(f):
    busy = f["gpu_count"] * f["gpu_watt"] * f["gpu_load_frac"] + f["host_watt"]
    idle = f["gpu_count"] * f["gpu_idle_watt"] + f["host_idle_watt"]
    return busy, idle


def physics(kind, f, shared, need):
    """Machines, hours, energy, carbon and water; no money."""
    M = months(shared["horizon_year"])
    busy_w, idle_w = machine_watts(f)
    r = {"need": need, "short": False, "use": None, "billed": None, "k": None}
    one_kg = f["gpu_count"] * f["embodied_gpu_kg"] + f["embodied_host_kg"]
    if kind == "own":
        k = f["machine_count"]
        if k == 0:
            k = max(1, math.ceil(need / HOUR / f["max_use_frac"] - 1e-9))
        load = need / HOUR / k
        use = min(1.0, load)
        r.update(k=k, use=use, short=load > 1 + 1e-9)
        it_kwh = (HOUR * k * (use * busy_w
                              + (1 - use) * f["powered_frac"] * idle_w) / 1000)
        embodied = k * one_kg * min(1.0, M / 12 / f["life_year"])
    else:
        if f["term"] in COMMITTED:
            k = max(0, math.ceil(need / HOUR - 1e-9))
            billed = k * HOUR
            r["k"] = k
        else:
            billed = need * (1 + f["billing_overhead_frac"])
        r["billed"] = billed
        share = billed / f["fleet_busy_frac"]
        it_kwh = (need * busy_w + (share - need) * idle_w) / 1000
        embodied = one_kg * share * M / (f["life_year"] * 8760)
    meter = it_kwh * f["pue_ratio"]
    r["month_meter_kwh"] = meter
    r["it_kwh"] = it_kwh * M
    r["meter_kwh"] = meter * M
    r["embodied_kg"] = embodied
    # A place without a grid or water figure has no answer, which is not 0.
    r["month_kg"] = r["operational_kg"] = r["operational_market_kg"] = None
    r["total_kg"] = r["water_l"] = None
    if f["grid_g_per_kwh"] is not None:
        kg = meter * f["grid_g_per_kwh"] / 1000
        r["month_kg"] = [kg * (1 + f["grid_growth_frac"]) ** (m // 12)
                         for m in range(M)]
        total = math.fsum(r["month_kg"])
        r["operational_kg"] = total
        r["operational_market_kg"] = total * (1 - f["renewable_frac"])
        r["total_kg"] = total + embodied
    if None not in (f["wue_l_per_kwh"], f["grid_water_l_per_kwh"]):
        r["water_l"] = it_kwh * M * (
            f["wue_l_per_kwh"] + f["pue_ratio"] * f["grid_water_l_per_kwh"])
    return r


def own_money(f, shared, p):
    """Items and flows of an owned option."""
    M = months(shared["horizon_year"])
    k, tax = p["k"], shared["income_tax_frac"]
    n = f["gpu_count"]
    hardware = k * (n * f["gpu_price"] + f["host_price"])
    capex = (hardware * (1 + f["purchase_tax_frac"]) + f["setup_cost"]
             + f["network_cost"])
    item = dict.fromkeys(OWN_ITEMS, 0.0)
    item["hardware"] = hardware
    item["purchase_tax"] = hardware * f["purchase_tax_frac"]
    item["setup"] = f["setup_cost"]
    item["network"] = f["network_cost"]

    loan = f["loan_frac"] * capex
    loan_months = months(f["loan_year"])
    i = f["loan_rate_frac"] / 12
    if i == 0:
        level = loan / loan_months
    else:
        level = loan * i / (1 - (1 + i) ** -loan_months)
    balance = loan

    write_off = months(f["depreciation_year"])
    depreciated = 0.0
    flows = [capex - loan]
    for m in range(1, M + 1):
        y = (m - 1) // 12
        if (m - 1) % 12 == 0:           # running costs change once a year
            g = (1 + shared["opex_growth_frac"]) ** y
            tariff = (1 + f["energy_price_growth_frac"]) ** y
            run = {
                "energy": p["month_meter_kwh"] * tariff * (
                    (1 - f["offpeak_frac"]) * f["energy_price_per_kwh"]
                    + f["offpeak_frac"] * f["offpeak_price_per_kwh"]),
                "demand": f["demand_price_per_kw_month"] * k
                * machine_watts(f)[0] / 1000 * f["pue_ratio"] * tariff,
                "maintenance": hardware * f["maintenance_frac_per_year"]
                / 12 * g,
                "insurance": hardware * f["insurance_frac_per_year"] / 12 * g,
                "repairs": k * n * f["gpu_price"]
                * f["gpu_failure_frac_per_year"] / 12 * g,
                "staff": f["staff_fte"] * f["staff_cost_per_year"] / 12 * g,
                "hosting": f["hosting_price_per_kw_month"] * k
                * (n * f["gpu_watt"] + f["host_watt"]) / 1000 * g,
                "licences": k * n * f["licence_price_per_gpu_year"] / 12 * g,
                "other": f["other_cost_per_month"] * g,
            }
            run["service_tax"] = shared["service_tax_frac"] * (
                run["energy"] + run["demand"] + run["hosting"]
                + run["licences"]
                + run["other"])
            running = sum(run.values())
            for name, value in run.items():
                item[name] += value * min(12, M - m + 1)

        interest = paid = 0.0
        if loan > 0 and m <= loan_months:
            interest = balance * i
            paid = level
            balance = balance + interest - level
            if m == M:
                # Reading: at the end of the loan the balance is zero but for
                # rounding; at the end of a shorter horizon it is owed at once.
                paid += balance
                balance = 0.0

        if f["depreciation"] == "straight_line":
            worn = capex / write_off if m <= write_off else 0.0
        elif f["depreciation"] == "macrs_5":
            worn = capex * MACRS_5[y] / 12 if y < 6 else 0.0
        elif f["depreciation"] == "immediate":
            worn = capex if m == 1 else 0.0
        else:
            worn = 0.0
        depreciated += worn

        income_tax = -tax * (running + interest + worn)
        residual = 0.0
        if m == M:
            residual = -hardware * f["residual_frac"]
            if f["depreciation"] != "none":
                income_tax += tax * (-residual - (capex - depreciated))

        item["interest"] += interest
        item["residual"] += residual
        item["income_tax"] += income_tax
        flows.append(running + paid + residual + income_tax)
    return item, flows, capex


def rent_money(f, shared, p):
    """Items and flows of a rented option."""
    M = months(shared["horizon_year"])
    T = COMMITTED.get(f["term"])
    tax, service_frac = shared["income_tax_frac"], shared["service_tax_frac"]
    price = f["rent_price_per_hour"] * (1 - f["rent_discount_frac"])
    upfront_price = f["rent_upfront_price"] * (1 - f["rent_discount_frac"])
    growth = 1 + f["rent_price_growth_frac"]
    item = dict.fromkeys(RENT_ITEMS, 0.0)
    flows = []
    for m in range(0, M + 1):
        compute = upfront = storage = egress = staff = other = 0.0
        if m >= 1:
            y = (m - 1) // 12
            if T is None:
                s = y
            else:
                s = ((m - 1) // T) * T // 12
            compute = p["billed"] * price * growth ** s
            if T is not None and m == M and M % T and \
                    f["prorate_term"] == "no":
                compute += p["billed"] * price * growth ** s * (T - M % T)
            g = (1 + shared["opex_growth_frac"]) ** y
            storage = f["storage_gb"] * f["storage_price_per_gb_month"]
            egress = f["egress_gb_per_month"] * f["egress_price_per_gb"]
            staff = f["staff_fte"] * f["staff_cost_per_year"] / 12 * g
            other = f["other_cost_per_month"] * g
        if T is not None and m % T == 0 and m < M:
            upfront = p["k"] * upfront_price * growth ** (m // 12)
            if f["prorate_term"] == "yes" and M - m < T:
                upfront *= (M - m) / T
        support = f["support_frac"] * (compute + upfront)
        service = service_frac * (compute + upfront + storage + egress
                                  + support + other)
        spent = (compute + upfront + storage + egress + support + staff
                 + other + service)
        back = -tax * spent
        for name, value in (
                ("compute", compute), ("upfront", upfront),
                ("storage", storage), ("egress", egress),
                ("support", support), ("staff", staff), ("other", other),
                ("service_tax", service), ("income_tax", back)):
            item[name] += value
        flows.append(spent + back)
    return item, flows


def present(flows, discount_frac):
    q = 1 + discount_frac
    return math.fsum(v / q ** (t / 12) for t, v in enumerate(flows))


def money(kind, f, shared, p):
    if kind == "own":
        item, flows, capex = own_money(f, shared, p)
    else:
        item, flows = rent_money(f, shared, p)
        capex = None
    return {"items": item, "flows": flows, "capex": capex,
            "npv_cost": present(flows, shared["discount_frac"])}


# ----------------------------------------------------------------- the study

def work_of(study, busy_frac):
    """Machine-speed hours a month, defined by option a."""
    a = study["options"]["a"]
    return (busy_frac * HOUR * a["machine_count"] * a["machine_speed"]
            * (1 - a["rework_frac"]))


def need_of(f, work):
    return work / f["machine_speed"] / (1 - f["rework_frac"])


class Runs:
    """Runs of one option, remembered: the scans ask for the same ones."""

    def __init__(self, study):
        self.study, self.memory = study, {}

    def physics(self, letter, busy_frac):
        key = ("physics", letter, busy_frac)
        if key not in self.memory:
            f = self.study["options"][letter]
            need = need_of(f, work_of(self.study, busy_frac))
            self.memory[key] = physics(f["kind"], f, self.study["shared"],
                                       need)
        return self.memory[key]

    def money(self, letter, busy_frac):
        key = ("money", letter, busy_frac)
        if key not in self.memory:
            f = self.study["options"][letter]
            self.memory[key] = money(f["kind"], f, self.study["shared"],
                                     self.physics(letter, busy_frac))
        return self.memory[key]


def with_fields(study, changes):
    """The same study with fields of options changed: {letter: {field: v}}."""
    options = {x: {**f, **changes.get(x, {})}
               for x, f in study["options"].items()}
    return {"shared": study["shared"], "options": options}


def npvs(study, letters):
    runs = Runs(study)
    x = study["shared"]["busy_frac"]
    return [runs.money(o, x)["npv_cost"] for o in letters]


def outcome(study):
    """Everything the contract computes, for a study with resolved fields."""
    shared, options = study["shared"], study["options"]
    M = months(shared["horizon_year"])
    busy, d = shared["busy_frac"], shared["discount_frac"]
    runs = Runs(study)
    out = {"options": {}, "pairs": [], "warnings": set()}
    for x, f in options.items():
        p, c = runs.physics(x, busy), runs.money(x, busy)
        q = (1 + d) ** (1 / 12) - 1
        npv = c["npv_cost"]
        work_hours = busy * HOUR * options["a"]["machine_count"] * M
        hours = p["need"] if f["kind"] == "own" else p["billed"]
        gpu_hours = hours * f["gpu_count"] * M
        carbon = with_carbon = None
        if p["month_kg"] is not None:
            carbon = [kg / 1000 * shared["carbon_price_per_tonne"]
                      for kg in p["month_kg"]]
            with_carbon = npv + present([0.0] + carbon, d)
        out["options"][x] = {
            "kind": f["kind"],
            "short_of_capacity": p["short"],
            "rank": None, "rank_with_carbon": None,
            "machine_count": p["k"],
            "use_frac": p["use"],
            "capex": c["capex"],
            "need_machine_hour_per_month": p["need"],
            "billed_machine_hour_per_month": p["billed"],
            "items": c["items"],
            "total_cost": math.fsum(c["flows"]),
            "npv_cost": npv,
            "monthly_equivalent_cost":
                npv / M if q == 0 else npv * q / (1 - (1 + q) ** -M),
            "cost_per_work_hour": npv / work_hours if work_hours else None,
            "cost_per_gpu_hour": npv / gpu_hours if gpu_hours else None,
            "carbon_cost": None if carbon is None else math.fsum(carbon),
            "npv_cost_with_carbon": with_carbon,
            "it_kwh": p["it_kwh"], "meter_kwh": p["meter_kwh"],
            "operational_kg": p["operational_kg"],
            "operational_market_kg": p["operational_market_kg"],
            "embodied_kg": p["embodied_kg"], "total_kg": p["total_kg"],
            "water_l": p["water_l"],
            "flows": c["flows"],
        }
        out["warnings"] |= {(w, x) for w in option_warnings(f, shared)}

    able = [x for x in options if not out["options"][x]["short_of_capacity"]]
    order = sorted(able, key=lambda x: out["options"][x]["npv_cost"])
    for n, x in enumerate(order):       # sorted is stable: option order
        out["options"][x]["rank"] = n + 1
    if shared["carbon_price_per_tonne"] > 0:
        order = sorted((x for x in able if
                        out["options"][x]["npv_cost_with_carbon"] is not None),
                       key=lambda x:
                       out["options"][x]["npv_cost_with_carbon"])
        for n, x in enumerate(order):
            out["options"][x]["rank_with_carbon"] = n + 1

    first = next((x for x in able if options[x]["kind"] == "own"),
                 able[0] if able else None)
    for x in able:
        if x != first:
            pair = pair_outcome(study, runs, first, x)
            if pair.pop("irr_not_unique"):
                out["warnings"].add(("irr_not_unique", x))
            out["pairs"].append(pair)
    return out


def option_warnings(f, shared):
    M = months(shared["horizon_year"])
    T = COMMITTED.get(f.get("term"))
    if f["kind"] == "rent" and T and M % T:
        yield "commitment_beyond_horizon"
    if f["kind"] == "own":
        if shared["income_tax_frac"] > 0 and f["depreciation"] == "none":
            yield "not_depreciated"
        if shared["horizon_year"] > f["life_year"]:
            yield "horizon_beyond_life"


# --------------------------------------------------------------- the verdict

def unfinanced(f):
    """The option before financing; `residual_frac` 0 too for break-evens."""
    return {"loan_frac": 0.0} if f["kind"] == "own" else {}


def no_resale(f):
    return ({"loan_frac": 0.0, "residual_frac": 0.0}
            if f["kind"] == "own" else {})


def pair_outcome(study, runs, a, b):
    shared, options = study["shared"], study["options"]
    x = shared["busy_frac"]
    cost_a, cost_b = (runs.money(o, x)["npv_cost"] for o in (a, b))
    saving = cost_b - cost_a
    smaller = min(cost_a, cost_b)
    frac = saving / smaller if smaller > 0 else None
    pair = {"a": a, "b": b, "saving_npv": saving, "saving_frac": frac,
            "close_call": frac is not None and abs(saving) < 0.05 * smaller}

    bare = Runs(with_fields(study, {o: unfinanced(options[o])
                                    for o in (a, b)}))
    start_a, start_b = (bare.money(o, x)["flows"][0] for o in (a, b))
    heavy = light = None
    if abs(start_a - start_b) > slack(TIE, start_a, start_b):
        heavy, light = (a, b) if start_a > start_b else (b, a)
    pair["heavy"] = heavy

    pair["break_even_month"] = pair["break_even_month_discounted"] = None
    pair["break_even_busy_frac"] = None
    pair["carbon_break_even_busy_frac"] = None
    if heavy:
        plain = Runs(with_fields(study, {o: no_resale(options[o])
                                         for o in (a, b)}))
        hf, lf = (plain.money(o, x)["flows"] for o in (heavy, light))
        pair["break_even_month"] = month_from(hf, lf, 0.0)
        pair["break_even_month_discounted"] = month_from(
            hf, lf, shared["discount_frac"])
        pair["break_even_busy_frac"] = busy_from(
            runs, heavy, light,
            lambda o, z: runs.money(o, z)["npv_cost"])
        pair["carbon_break_even_busy_frac"] = busy_from(
            runs, heavy, light,
            lambda o, z: runs.physics(o, z)["total_kg"])

    rented = next((o for o in (b, a) if options[o]["kind"] == "rent"), None)
    pair["break_even_rent_price_per_hour"] = tie_price(
        study, a, b, "rent_price_per_hour", [rented] if rented else [])
    pair["break_even_energy_price_per_kwh"] = tie_price(
        study, a, b, "energy_price_per_kwh",
        [o for o in (a, b) if options[o]["kind"] == "own"])

    more, less = (light, heavy) if heavy else (b, a)
    pair["irr"], pair["irr_not_unique"] = rate_of_return(
        runs.money(more, x)["flows"], runs.money(less, x)["flows"])
    return pair


def month_from(heavy, light, discount_frac):
    """First month from which heavy's running total stays no higher."""
    total_h = total_l = 0.0
    holds = []
    for t, (h, o) in enumerate(zip(heavy, light)):
        factor = (1 + discount_frac) ** (t / 12)
        total_h += h / factor
        total_l += o / factor
        holds.append(total_h <= total_l + slack(TIE, total_h, total_l))
    first = None
    for t in range(len(holds) - 1, -1, -1):
        if not holds[t]:
            break
        first = t
    return first


def busy_from(runs, heavy, light, measure):
    """Smallest share of hours at which heavy measures no more than light."""
    def holds(z):
        if runs.physics(heavy, z)["short"] or runs.physics(light, z)["short"]:
            return False
        h, o = measure(heavy, z), measure(light, z)
        if h is None or o is None:
            return False
        return h <= o + slack(1e-12, h, o)

    if holds(0.0):
        return 0.0
    for n in range(1, 1001):
        if holds(n / 1000):
            low, high = (n - 1) / 1000, n / 1000
            for _ in range(60):
                middle = (low + high) / 2
                if holds(middle):
                    high = middle
                else:
                    low = middle
            return high
    return None


def tie_price(study, a, b, field, letters):
    """Price of `field` in `letters` at which a and b cost the same."""
    if not letters:
        return None

    def gap(price):
        cost_a, cost_b = npvs(with_fields(
            study, {o: {field: price} for o in letters}), (a, b))
        return cost_b - cost_a

    at_zero = gap(0.0)
    slope = gap(1.0) - at_zero
    # Reading: the absolute values are the two npv_cost of the study.
    if abs(slope) <= slack(TIE, *npvs(study, (a, b))):
        return None
    price = -at_zero / slope            # the gap is linear in a price
    for _ in range(3):                  # take out the rounding of the slope
        price -= gap(price) / slope
    return price if price >= 0 else None


def rate_of_return(more, less):
    """Rate at which the differences are worth nothing; and many roots?"""
    diffs = []
    for m, o in zip(more, less):
        # Reading: "absolute flows" are the two flows of that month.
        diff = m - o
        diffs.append(0.0 if abs(diff) <= slack(TIE, m, o) else diff)
    signs = [v > 0 for v in diffs if v != 0]
    changes = sum(p != q for p, q in zip(signs, signs[1:]))
    if changes == 0:
        return None, False

    def worth(rate):
        q = 1 + rate
        return math.fsum(v / q ** (t / 12) for t, v in enumerate(diffs))

    low, high = -0.99, 100.0
    at_low, at_high = worth(low), worth(high)
    if (at_low > 0) == (at_high > 0) or at_low == 0 or at_high == 0:
        return None, changes > 1
    for _ in range(200):
        middle = (low + high) / 2
        if (worth(middle) > 0) == (at_low > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2, changes > 1


# ------------------------------------------------------------ printed answers

SHARED_FIELDS = (
    "horizon_year busy_frac precision speed_basis discount_frac "
    "income_tax_frac service_tax_frac opex_growth_frac currency as_of "
    "carbon_price_per_tonne").split()
ALL_FIELDS = (
    "machine_speed gpu gpu_count load grid_growth_frac staff_fte staff_cost_per_year "
    "other_cost_per_month rework_frac gpu_watt gpu_idle_watt gpu_load_frac "
    "host_watt host_idle_watt pue_ratio grid_g_per_kwh renewable_frac "
    "embodied_gpu_kg embodied_host_kg life_year wue_l_per_kwh "
    "grid_water_l_per_kwh").split()
OWN_FIELDS = (
    "server machine_count gpu_price host_price purchase_tax_frac setup_cost "
    "network_cost residual_frac maintenance_frac_per_year "
    "insurance_frac_per_year gpu_failure_frac_per_year "
    "hosting_price_per_kw_month licence_price_per_gpu_year powered_frac "
    "max_use_frac energy_price_per_kwh energy_price_growth_frac loan_frac "
    "offpeak_frac offpeak_price_per_kwh demand_price_per_kw_month "
    "loan_rate_frac loan_year depreciation depreciation_year site "
    "zone").split()
RENT_FIELDS = (
    "provider instance region term payment rent_price_per_hour "
    "rent_upfront_price rent_discount_frac rent_price_growth_frac "
    "billing_overhead_frac prorate_term fleet_busy_frac storage_gb "
    "storage_price_per_gb_month egress_gb_per_month egress_price_per_gb "
    "support_frac").split()


def fields_of(kind, letter):
    """Names of the fields that apply to an option."""
    names = SHARED_FIELDS + ALL_FIELDS
    if kind == "own":
        return names + OWN_FIELDS
    return names + RENT_FIELDS + (["machine_count"] if letter == "a" else [])


def from_json(doc):
    """The resolved study behind a printed answer."""
    study = {"shared": {}, "options": {}}
    for letter, option in doc["options"].items():
        f = {name: i["value"] for name, i in option["inputs"].items()}
        for name in SHARED_FIELDS:
            if name in f:
                study["shared"][name] = f.pop(name)
        f["kind"] = option["kind"]
        if f["kind"] == "rent" and f.get("rent_upfront_price") is None:
            f["rent_upfront_price"] = 0.0
        study["options"][letter] = f
    return study


LOOSE = {"break_even_busy_frac": 1e-9, "carbon_break_even_busy_frac": 1e-9,
         "irr": 1e-7, "saving_frac": 1e-9}
UNCHECKED = {"heavy", "label", "inputs", "range_straddles_zero",
             "scopes", "boundary", "sci", "embodied_band"}


def agree(ours, theirs, tolerance, scale=0.0):
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(ours, (str, bool)) or isinstance(theirs, (str, bool)):
        return ours == theirs
    return abs(ours - theirs) <= tolerance * max(1.0, abs(ours), abs(theirs),
                                                 scale)


def differences(where, ours, theirs, scale):
    """Members of ours that theirs holds otherwise, or not at all."""
    for name, value in ours.items():
        if name in UNCHECKED:
            continue
        place = f"{where}.{name}"
        if name not in theirs:
            yield place, value, "absent"
            continue
        other = theirs[name]
        if isinstance(value, dict):
            yield from differences(place, value, other, scale)
        elif isinstance(value, list):
            if len(value) != len(other):
                yield place + ".length", len(value), len(other)
            for t, (v, o) in enumerate(zip(value, other)):
                if not agree(v, o, TIE, scale):
                    yield f"{place}[{t}]", v, o
        elif not agree(value, other, LOOSE.get(name, TIE), 0):
            # A sum of items that cancel is known to the items' precision.
            if name in ("income_tax", "total_cost", "npv_cost", "saving_npv",
                        "monthly_equivalent_cost", "npv_cost_with_carbon",
                        "saving_npv_with_carbon", "residual") and \
                    agree(value, other, 1e-12, scale):
                continue
            yield place, value, other
    for name in theirs:
        if name not in ours and name not in UNCHECKED:
            yield f"{where}.{name}", "absent", theirs[name]


def compare(doc, out=None):
    """Differences between a printed answer and the recomputed one."""
    out = out or outcome(from_json(doc))
    found = []
    if list(doc["options"]) != sorted(doc["options"]):
        found.append(("options", "in order", list(doc["options"])))
    first = doc["options"]["a"]["inputs"]
    for letter, option in doc["options"].items():
        where = "options." + letter
        for name in SHARED_FIELDS:
            if option["inputs"].get(name) != first.get(name):
                found.append((f"{where}.inputs.{name}", first.get(name),
                              option["inputs"].get(name)))
        ours = out["options"][letter]
        theirs = dict(option)
        scale = max(abs(v) for v in ours["flows"])
        found += differences(where, ours, theirs, scale)
        for name, values in (("items", option["items"].values()),
                             ("flows", option["flows"])):
            total = None if None in values else math.fsum(values)
            if not agree(total, option["total_cost"], TIE, scale):
                found.append((f"{where}: sum of {name}", total,
                              option["total_cost"]))
    names = [(p["a"], p["b"]) for p in doc["pairs"]]
    ours = [(p["a"], p["b"]) for p in out["pairs"]]
    if names != ours:
        found.append(("pairs", ours, names))
        return found
    for p, q in zip(out["pairs"], doc["pairs"]):
        scale = max(abs(out["options"][x]["npv_cost"])
                    for x in (p["a"], p["b"]))
        found += differences(f"pairs.{p['a']}{p['b']}", p, q, scale)
    warned = {(w["code"], w["option"]) for w in doc["warnings"]}
    for code in CHECKED_WARNINGS:
        ours = {w for w in out["warnings"] if w[0] == code}
        theirs = {w for w in warned if w[0] == code}
        if ours != theirs:
            found.append(("warnings." + code, sorted(ours), sorted(theirs)))
    return found


CHECKED_WARNINGS = ("commitment_beyond_horizon", "not_depreciated",
                    "horizon_beyond_life", "irr_not_unique")


# ------------------------------------------------------------------- presets

def first_day(date):
    """First day that a date can mean, as a number: 2024-S2 is 20240701."""
    year, _, part = date.partition("-")
    if not part:
        return int(year) * 10000 + 101
    if part[0] == "S":
        return int(year) * 10000 + (int(part[1]) * 6 - 5) * 100 + 1
    if part[0] == "Q":
        return int(year) * 10000 + (int(part[1]) * 3 - 2) * 100 + 1
    month, _, day = part.partition("-")
    return int(year) * 10000 + int(month) * 100 + int(day or 1)


def as_date(day):
    return datetime.date(day // 10000, day // 100 % 100, day % 100)


def number(text):
    return float(text) if text else None


SITES = {           # PUE, USD a kW and month, tariff class
    "office": (1.0, 0, "household"),
    "server_room": (1.54, 0, "commercial"),
    "colocation": (1.40, 195, "industrial")}


class Facts:
    """The fact tables, and what the contract makes of them."""

    UNDATED = 20250801

    def __init__(self, root):
        def rows(name):
            with open(os.path.join(root, name), encoding="utf-8",
                      newline="") as f:
                return list(csv.DictReader(f))

        def table(name, key="id"):
            return {r[key]: r for r in rows(name)}

        self.gpus = table("energy/gpus.csv")
        self.servers = table("energy/servers.csv")
        self.zones = table("energy/zones.csv")
        self.power = {r["name"]: float(r["fit_ratio"])
                      for r in rows("energy/power_fit.csv")}
        self.ember = table("energy/grid_ember.csv", "ember")
        self.water = table("energy/water.csv", "water")
        self.pue = table("energy/pue.csv", "pue")
        self.providers = table("energy/providers.csv")
        self.regions = {(r["provider"], r["id"]): r
                        for r in rows("energy/regions.csv")}
        self.gpu_prices = rows("pricing/gpu_prices.csv")
        self.server_prices = rows("pricing/server_prices.csv")
        self.tariffs = rows("pricing/tariffs.csv")
        self.instances = {(r["provider"], r["id"]): r
                          for r in rows("pricing/instances.csv")}
        self.prices = {}
        for r in rows("pricing/seed/prices.csv"):
            r["day"] = int(r["effective_day"] or r["first_seen_day"]
                           or self.UNDATED)
            key = tuple(r[x] for x in ("provider", "instance", "region",
                                       "term", "payment"))
            self.prices.setdefault(key, []).append(r)
        self.rates = {}
        for r in rows("pricing/seed/rates.csv"):
            self.rates.setdefault(r["currency"], []).append(
                (int(r["rate_day"]), float(r["rate_per_eur"])))
        for of_currency in self.rates.values():
            of_currency.sort()

    def per_usd(self, currency, day):
        """Units of a currency for one USD, or None.

        Reading: a cross rate is of one day, the last on or before the day
        on which both currencies were published against the euro.
        """
        rate = self.rate(currency, day)
        return rate and rate[0]

    def rate(self, currency, day):
        """(units for one USD, the day they are of), or None."""
        if currency == "USD":
            return 1.0, day
        usd = {d: rate for d, rate in self.rates["USD"] if d <= day}
        one = {d: 1.0 for d in usd} if currency == "EUR" else \
            {d: rate for d, rate in self.rates.get(currency, ()) if d in usd}
        if not one:
            return None
        last = max(one)
        return one[last] / usd[last], last

    def convert(self, amount, currency, to, day):
        if currency == to:
            return amount
        return (amount / self.per_usd(currency, day)
                * self.per_usd(to, day))

    def newest(self, rows, day, value):
        """Newest price on or before the day, street before launch."""
        past = [r for r in rows if first_day(r["date"]) <= day]
        if not past:
            return None, None
        best = max(past, key=lambda r: (first_day(r["date"]),
                                        r["kind"] == "street"))
        return float(best[value]), best["currency"]

    def gpu_price(self, gpu, day):
        return self.newest([r for r in self.gpu_prices if r["gpu"] == gpu],
                           day, "gpu_price")

    def server_price(self, server, day):
        return self.newest([r for r in self.server_prices
                            if r["server"] == server], day, "server_price")

    NEXT_CLASS = {"household": ("household", "commercial", "industrial"),
                  "commercial": ("commercial", "industrial", "household"),
                  "industrial": ("industrial", "commercial", "household")}

    def tariff_row(self, zone, wanted):
        """The row used, or None.

        Reading: a tariff is a fact, not an offer, so of several rows of one
        class the newest is used whatever the day, with a warning when it is
        newer than the day.
        """
        place = self.zones[zone]["tariff_zone"]
        for kind in self.NEXT_CLASS[wanted]:
            rows = [r for r in self.tariffs
                    if r["zone"] == place and r["tariff"] == kind]
            if rows:
                return max(rows, key=lambda r: first_day(r["date"]))
        return None

    def tariff(self, zone, wanted):
        row = self.tariff_row(zone, wanted)
        if not row:
            return None, None
        return float(row["energy_price_per_kwh"]), row["currency"]

    def grid(self, zone):
        row = self.ember.get(self.zones[zone]["ember"])
        return float(row["grid_g_per_kwh"]) if row else None

    def grid_water(self, zone):
        row = self.water.get(self.zones[zone]["water"])
        return float(row["water_l_per_kwh"]) if row else None

    def stale(self, currency, day):
        rate = self.rate(currency, day)
        return rate and (as_date(day) - as_date(rate[1])).days > 7

    def price_row(self, f, day):
        key = tuple(f[x] for x in ("provider", "instance", "region", "term",
                                   "payment"))
        past = [r for r in self.prices.get(key, ()) if r["day"] <= day]
        return max(past, key=lambda r: r["day"]) if past else None

    def price(self, f, day):
        row = self.price_row(f, day)
        if not row:
            return None, None
        return float(row["rent_price_per_hour"]), row["currency"]

    def host_row(self, gpu, count):
        """The first complete machine of that GPU and count with a draw."""
        for r in self.servers.values():
            if r["gpu"] == gpu and float(r["gpu_count"]) == count and \
                    r["host_watt"]:
                return float(r["host_watt"])
        return None

    # What each preset is, given the values of all other fields.

    def presets(self, kind, f, shared, k):
        """Expected values of fields that nobody typed."""
        day = int(shared["as_of"].replace("-", ""))
        money = shared["currency"]

        def usd(amount):
            return self.convert(amount, "USD", money, day)

        def priced(pair):
            value, currency = pair
            return (None if value is None
                    else self.convert(value, currency, money, day))

        want = {"horizon_year": 3, "busy_frac": 0.6, "precision": "bf16",
                "speed_basis": "tensor", "discount_frac": 0.08,
                "income_tax_frac": 0, "service_tax_frac": 0,
                "opex_growth_frac": 0, "currency": "USD",
                "carbon_price_per_tonne": 0}
        want.update(staff_cost_per_year=usd(120000), other_cost_per_month=0,
                    gpu_load_frac=1, renewable_frac=0, life_year=4,
                    load="tdp", grid_growth_frac=0)
        gpu, n = self.gpus[f["gpu"]], f["gpu_count"]
        # Reading: TDP is the table's even when gpu_watt is typed; a device
        # without one in the table takes the typed watts for it.
        tdp = float(gpu["gpu_watt"] or f["gpu_watt"])
        sxm = gpu["housing"] == "sxm"
        want["gpu_watt"] = number(gpu["gpu_watt"])
        want["gpu_idle_watt"] = (number(gpu["gpu_idle_watt"])
                                 if gpu["gpu_idle_watt"] else 0.1 * tdp)
        want["host_watt"] = 0.25 * n * tdp
        want["host_idle_watt"] = 0.4 * f["host_watt"]
        want["embodied_gpu_kg"] = (
            164 if f["gpu"].startswith("h100-") else
            150 if f["gpu"].startswith("a100-") else
            284 if f["gpu"] == "b200" else
            150 if gpu["segment"] == "datacenter" else 60)
        want["embodied_host_kg"] = 2500 if sxm else 1200
        peak = number(gpu[shared["precision"] + "_tflops"])
        want["machine_speed"] = (n if shared["speed_basis"] == "gpu_count"
                                 else peak and n * peak)
        if kind == "own":
            self.own_presets(want, f, shared, k, usd, priced, day)
        else:
            self.rent_presets(want, f, usd, priced, day)
        base = want["host_watt"]
        self.load_presets(want, kind, f)
        if f["load"] not in ("tdp", "custom") and agree(
                f["host_watt"], want["host_watt"], 1e-12):
            # Reading: the load says nothing of an idle host.
            want["host_idle_watt"] = 0.4 * base
        return want

    def load_presets(self, want, kind, f):
        """What a load other than TDP fills in, from the fit to meters."""
        load, gpu, n = f["load"], self.gpus[f["gpu"]], f["gpu_count"]
        if load in ("tdp", "custom"):
            return
        chip = f["gpu"].replace("-", "_")
        if chip in self.power and load != "idle":
            share = min(1, self.power[chip] / f["gpu_watt"])
            want["gpu_load_frac"] = share
            want["host_watt"] = n * (self.power[chip] - share * f["gpu_watt"])
            return
        stacked = gpu["housing"] == "sxm" or f["gpu"].split("-")[0] in (
            "a100", "h100", "v100", "p100", "a30")
        bare = number(gpu["gpu_idle_watt"]) or (
            gpu["gpu_watt"] and 0.1 * float(gpu["gpu_watt"]))
        context = None if not bare else bare + self.power[
            "context_hbm" if stacked else "context_gddr"]
        want["gpu_load_frac"] = {
            "training_large": self.power["large"],
            "training_mid": self.power["mid"],
            "training_small": self.power["small"],
            "inference": self.power["inference"],
            "idle": context and min(1, context / float(gpu["gpu_watt"]))}[load]
        if load == "inference" and context is not None:
            want["gpu_idle_watt"] = context
        rated = kind == "own" and self.is_rated(f)
        new = any(x in gpu["architecture"] for x in ("Hopper", "Blackwell"))
        if load == "idle":
            want["host_watt"] = f["host_idle_watt"]
        elif rated:
            want["host_watt"] *= self.power["host_of_rated"]
        elif new and gpu["housing"] == "sxm":
            want["host_watt"] = self.power["host"] * n * f["gpu_watt"]

    def is_rated(self, f):
        server = self.servers.get(f.get("server") or "none")
        if not (server and server["host_watt"]):
            server = next((r for r in self.servers.values()
                           if r["gpu"] == f["gpu"] and r["host_watt"]
                           and float(r["gpu_count"]) == f["gpu_count"]), None)
        return bool(server and server["max_watt"])

    def own_presets(self, want, f, shared, k, usd, priced, day):
        n = f["gpu_count"]
        housing = self.gpus[f["gpu"]]["housing"]
        server = self.servers.get(f.get("server") or "none")
        want["rework_frac"] = 0
        want["host_watt"] = (
            (server and number(server["host_watt"]))
            or self.host_row(f["gpu"], n) or want["host_watt"])
        want["gpu_price"] = priced(self.gpu_price(f["gpu"], day))
        if server:
            want["gpu"], want["gpu_count"] = server["gpu"], float(
                server["gpu_count"])
            listed = priced(self.server_price(f["server"], day))
            want["host_price"] = (
                None if listed is None or f["gpu_price"] is None
                else listed - n * f["gpu_price"])
        else:
            want["gpu"], want["gpu_count"] = "rtx-4090", 4
            base, each = {"consumer": (1600, 600), "pcie": (8000, 2000),
                          "sxm": (6000, 8000)}[housing]
            want["host_price"] = usd(base + each * n)
        for name in ("purchase_tax_frac", "setup_cost", "network_cost",
                     "insurance_frac_per_year", "licence_price_per_gpu_year",
                     "energy_price_growth_frac", "loan_frac", "offpeak_frac",
                     "offpeak_price_per_kwh", "demand_price_per_kw_month"):
            want[name] = 0
        pue, rack, tariff = SITES[f["site"]]
        want.update(
            residual_frac=0.7 ** shared["horizon_year"],
            maintenance_frac_per_year=0.02, gpu_failure_frac_per_year=0.02,
            staff_fte=0.03 + 0.02 * k, powered_frac=1, max_use_frac=0.9,
            loan_rate_frac=0.06, loan_year=3, depreciation_year=5,
            depreciation=("straight_line" if shared["income_tax_frac"] > 0
                          else "none"),
            site="server_room", zone="US", pue_ratio=pue,
            hosting_price_per_kw_month=usd(rack),
            energy_price_per_kwh=priced(self.tariff(f["zone"], tariff)),
            grid_g_per_kwh=self.grid(f["zone"]),
            grid_water_l_per_kwh=self.grid_water(f["zone"]))

    def warnings(self, letter, kind, f, shared, typed):
        """Warnings about where the untyped values come from."""
        day = int(shared["as_of"].replace("-", ""))
        if shared["currency"] != "USD" and self.stale(shared["currency"],
                                                      day):
            yield "stale_rate", None
        if kind == "rent":
            if (letter, "rent_price_per_hour") not in typed:
                row = self.price_row(f, day)
                if not row["effective_day"] and not row["first_seen_day"]:
                    yield "undated_price", letter
            return
        if (letter, "energy_price_per_kwh") not in typed:
            wanted = SITES[f["site"]][2]
            row = self.tariff_row(f["zone"], wanted)
            if row["tariff"] != wanted:
                yield "other_tariff_class", letter
            if first_day(row["date"]) > day:
                yield "fact_newer_than_as_of", letter, "energy_price_per_kwh"
            # Reading: the rate of a tariff's own currency counts as well.
            if row["currency"] not in ("USD", shared["currency"]) and \
                    self.stale(row["currency"], day):
                yield "stale_rate", None
        if (letter, "grid_g_per_kwh") not in typed:
            zone = self.zones[f["zone"]]
            if zone["grid_of_parent"] == "1":
                yield "grid_of_parent", letter
            row = self.ember.get(zone["ember"])
            if row and first_day(row["date"]) > day:
                yield "fact_newer_than_as_of", letter, "grid_g_per_kwh"

    def rent_presets(self, want, f, usd, priced, day):
        instance = self.instances[f["provider"], f["instance"]]
        want["gpu"] = instance["gpu"]
        want["gpu_count"] = float(instance["gpu_count"])
        want["rework_frac"] = 0.1 if f["term"] == "spot" else 0
        want["staff_fte"] = 0.02
        want.update(provider="aws", instance="p4d.24xlarge",
                    region="us-east-1", term="on_demand",
                    payment="no_upfront", prorate_term="no",
                    fleet_busy_frac=0.7,
                    storage_price_per_gb_month=usd(0.08),
                    egress_price_per_gb=usd(0.09),
                    rent_price_per_hour=priced(self.price(f, day)))
        for name in ("rent_upfront_price", "rent_discount_frac",
                     "rent_price_growth_frac", "billing_overhead_frac",
                     "storage_gb", "egress_gb_per_month", "support_frac"):
            want[name] = 0
        provider = self.providers.get(f["provider"])
        region = self.regions.get((f["provider"], f["region"]))
        key = (region or provider or {}).get("pue") or "estimate"
        want["pue_ratio"] = float(self.pue[key]["pue_ratio"])
        key = (region or provider or {}).get("water")
        want["wue_l_per_kwh"] = (
            float(self.water[key]["water_l_per_kwh"]) if key else None)
        if region:
            want["grid_g_per_kwh"] = self.grid(region["zone"])
            want["grid_water_l_per_kwh"] = self.grid_water(region["zone"])


def value_typed(text):
    """A number as a query spells it, else the word itself."""
    try:
        return (float(text[:-1]) / 100 if text.endswith("%")
                else float(text))
    except ValueError:
        return text


def typed_fields(query, kinds):
    """What a query types: {(letter, field): value}; prefixed beats plain."""
    plain, prefixed = {}, {}
    for pair in query:
        key, _, text = pair.partition("=")
        if key in kinds:
            part = text.split("/")
            if len(part) == 1:
                continue
            if part[0] == "own" and len(part) >= 3 and \
                    not part[1].startswith(("dgx", "hgx", "ws-", "srv-",
                                            "gb200-", "gb300-", "aws-")):
                names = ("gpu", "gpu_count", "machine_count")
            elif part[0] == "own":
                names = ("server", "machine_count")
            else:
                names = ("provider", "instance", "region", "term", "payment")
            for name, word in zip(names, part[1:]):
                prefixed[key, name] = value_typed(word) \
                    if name.endswith("count") else word
        elif key[1:2] == ".":
            prefixed[key[0], key[2:]] = value_typed(text)
        else:
            plain[key] = value_typed(text)
    typed = {}
    for letter, kind in kinds.items():
        for name in fields_of(kind, letter):
            if (letter, name) in prefixed:
                typed[letter, name] = prefixed[letter, name]
            elif name in plain:
                typed[letter, name] = plain[name]
    return typed


def check_inputs(doc, query, facts):
    """Differences between printed inputs and the query or the tables."""
    found = []
    study = from_json(doc)
    shared = study["shared"]
    kinds = {x: o["kind"] for x, o in doc["options"].items()}
    typed = typed_fields(query, kinds)
    for letter, option in doc["options"].items():
        f, kind = study["options"][letter], option["kind"]
        where = f"options.{letter}.inputs."
        printed = option["inputs"]
        for name in set(fields_of(kind, letter)) ^ set(printed):
            found.append((where + name,
                          "absent" if name in printed else "present",
                          "present" if name in printed else "absent"))
        want = facts.presets(kind, f, shared, option["machine_count"] or 0)
        want.setdefault("machine_count", 1 if letter == "a" else 0)
        for name, entry in printed.items():
            mine = (letter, name) in typed
            if mine != (entry["origin"] == "user"):
                found.append((where + name + ".origin",
                              "user" if mine else "not user",
                              entry["origin"]))
            if mine:
                ours = typed[letter, name]
            elif name in want:
                ours = want[name]
            else:
                continue
            if not agree(ours, entry["value"], 1e-12):
                found.append((where + name, ours, entry["value"]))
    ours = {w for x, o in doc["options"].items()
            for w in facts.warnings(x, o["kind"], study["options"][x], shared,
                                    typed)}
    newer = {("fact_newer_than_as_of", w["option"], w["field"])
             for w in doc["warnings"]
             if w["field"] in ("energy_price_per_kwh", "grid_g_per_kwh")
             and w["code"] == "fact_newer_than_as_of"}
    plain = {(w["code"], None if w["code"] == "stale_rate" else w["option"])
             for w in doc["warnings"] if w["code"] in SOURCE_WARNINGS}
    for w in sorted(ours ^ (newer | plain), key=str):
        found.append(("warnings." + w[0], w[1:] if w in ours else "none",
                      "none" if w in ours else w[1:]))
    return found


SOURCE_WARNINGS = ("stale_rate", "undated_price", "other_tariff_class",
                   "grid_of_parent")


# ------------------------------------------------------------ random studies

SHARES = {          # fields typed as fractions: low, high
    "purchase_tax_frac": (0, 0.25), "residual_frac": (0, 0.6),
    "maintenance_frac_per_year": (0, 0.1),
    "insurance_frac_per_year": (0, 0.05),
    "gpu_failure_frac_per_year": (0, 0.1), "powered_frac": (0, 1),
    "max_use_frac": (0.3, 1), "loan_frac": (0, 1), "loan_rate_frac": (0, 0.2),
    "energy_price_growth_frac": (-0.1, 0.15), "rent_discount_frac": (0, 0.5),
    "rent_price_growth_frac": (-0.3, 0.15), "rework_frac": (0, 0.3),
    "billing_overhead_frac": (0, 0.3), "fleet_busy_frac": (0.2, 1),
    "support_frac": (0, 0.1), "gpu_load_frac": (0.5, 1),
    "renewable_frac": (0, 1), "grid_growth_frac": (-0.2, 0.1)}
MONEY = {           # in USD; scaled to the currency of the study
    "gpu_price": (300, 40000), "host_price": (500, 80000),
    "setup_cost": (0, 20000), "network_cost": (0, 20000),
    "staff_cost_per_year": (20000, 200000),
    "hosting_price_per_kw_month": (0, 300),
    "licence_price_per_gpu_year": (0, 5000), "other_cost_per_month": (0, 500),
    "energy_price_per_kwh": (0.02, 0.5),
    "demand_price_per_kw_month": (0, 30), "rent_price_per_hour": (0.5, 60),
    "storage_price_per_gb_month": (0, 0.2), "egress_price_per_gb": (0, 0.2)}
PLAIN = {
    "staff_fte": (0, 2), "gpu_watt": (50, 1000), "gpu_idle_watt": (2, 40),
    "host_watt": (100, 4000), "host_idle_watt": (50, 1500),
    "pue_ratio": (1, 2), "grid_g_per_kwh": (0, 1000),
    "embodied_gpu_kg": (10, 500), "embodied_host_kg": (100, 4000),
    "life_year": (1, 8), "wue_l_per_kwh": (0, 2),
    "grid_water_l_per_kwh": (0, 8), "loan_year": (0.5, 10),
    "depreciation_year": (1, 12), "storage_gb": (0, 20000),
    "egress_gb_per_month": (0, 5000)}


WILD = {            # to the ends of the ranges, for a study in ten
    **{name: (0, 1) for name in SHARES}, "residual_frac": (0, 1),
    "grid_growth_frac": (-0.5, 0.5),
    "max_use_frac": (0.05, 1), "fleet_busy_frac": (0.05, 1),
    "rework_frac": (0, 0.95), "energy_price_growth_frac": (-0.5, 1),
    "rent_price_growth_frac": (-0.9, 1), "pue_ratio": (1, 4),
    "grid_g_per_kwh": (0, 2000), "life_year": (0.5, 30),
    "loan_year": (0.25, 30), "depreciation_year": (0.25, 30)}
WILD_SHARED = {
    "horizon_year": (0.25, 15), "busy_frac": (0, 1), "discount_frac": (0, 1),
    "income_tax_frac": (0, 0.9), "service_tax_frac": (0, 1),
    "opex_growth_frac": (-0.5, 1)}


class Maker:
    """Queries that mix everything; the same seed makes the same ones."""

    def __init__(self, facts, today):
        self.facts, self.today = facts, today
        self.offers = sorted(k for k in facts.prices if k[3] != "unspecified"
                             and facts.instances[k[:2]]["gpu"])

    def day(self, r):
        year = r.choice((2024, 2025, 2025, 2026, 2026))
        day = year * 10000 + r.randint(1, 12) * 100 + r.randint(1, 28)
        return min(max(day, 20240401), self.today)

    def spell(self, r, value, share=False):
        if share and r.random() < 0.15:
            return f"{round(value * 100, 3):g}%"
        if r.random() < 0.05:
            return f"{value:.6e}"
        return f"{value:.6g}" if 1e-4 <= abs(value) < 1e5 or value == 0 \
            else f"{value:.4f}"

    def study(self, seed):
        """One query: a list of key=value."""
        r = random.Random(f"gputco {seed}")
        facts = self.facts
        query = []
        precision = r.choice(("bf16", "bf16", "fp16", "fp32", "tf32", "fp8"))
        day = self.today
        if r.random() < 0.6:
            day = self.day(r)
            text = str(day)
            query.append(f"as_of={text[:4]}-{text[4:6]}-{text[6:]}")
        currency = r.choice(("USD",) * 5 + ("EUR", "EUR", "CNY", "GBP", "JPY"))
        if currency != "USD":
            query.append("currency=" + currency)
        self.scale = facts.per_usd(currency, day)
        self.wild = r.random() < 0.1
        if precision != "bf16":
            query.append("precision=" + precision)
        by_count = r.random() < 0.15
        if by_count:
            query.append("speed_basis=gpu_count")

        kinds = {}
        for letter in "abcdef"[:r.choice((2, 2, 2, 2, 3, 3, 4, 5, 6))]:
            own = r.random() < (0.65 if letter == "a" else 0.4)
            kinds[letter] = "own" if own else "rent"
            if own:
                query += self.own(r, letter, precision, day, by_count)
            else:
                query += self.rent(r, letter, precision, day, by_count)
        query += self.shared(r)
        query += self.fields(r, kinds, query)
        r.shuffle(query)
        return query

    def has_peak(self, gpu, precision, by_count):
        row = self.facts.gpus[gpu]
        return by_count or bool(row[precision + "_tflops"])

    def watts(self, r, letter, gpu):
        """A device without a TDP in the table has it typed, as a rule."""
        if self.facts.gpus[gpu]["gpu_watt"] or r.random() < 0.1:
            return []
        return [f"{letter}.gpu_watt=" + self.spell(r, r.uniform(50, 900))]

    def own(self, r, letter, precision, day, by_count):
        facts = self.facts
        if r.random() < 0.2:
            servers = [s for s in facts.servers.values() if s["gpu"]
                       and self.has_peak(s["gpu"], precision, by_count)]
            s = r.choice(servers)
            query = [f"{letter}=own/{s['id']}"]
            gpu, n = s["gpu"], int(s["gpu_count"])
            listed = facts.server_price(s["id"], day)[0]
            price = facts.gpu_price(gpu, day)[0]
            if price is None:
                price = r.uniform(500, 30000)
                query.append(f"{letter}.gpu_price="
                             + self.spell(r, price * self.scale))
            if listed is None or listed < n * price:
                query.append(f"{letter}.host_price=" + self.spell(
                    r, r.uniform(1000, 90000) * self.scale))
        else:
            gpu = r.choice([g for g in sorted(facts.gpus)
                            if self.has_peak(g, precision, by_count)])
            n = r.choice((1, 2, 4, 4, 8, 8, 3, 16))
            query = [f"{letter}=own/{gpu}/{n}"]
            if facts.gpu_price(gpu, day)[0] is None or r.random() < 0.15:
                query.append(f"{letter}.gpu_price=" + self.spell(
                    r, r.uniform(300, 40000) * self.scale))
        if letter == "a":
            if r.random() < 0.7:
                query[0] += f"/{r.choice((1, 2, 3, 4, 8, 20))}"
        elif r.random() < 0.2:
            query[0] += f"/{r.choice((0, 1, 2, 5, 20, 60, 300))}"
        return query + self.watts(r, letter, gpu)

    def rent(self, r, letter, precision, day, by_count):
        facts = self.facts
        good = [k for k in self.offers if self.has_peak(
            facts.instances[k[:2]]["gpu"], precision, by_count)]
        # Offers that are not plain on-demand ones are rarer: draw a term.
        term = r.choice(("on_demand", "on_demand", "spot", "capacity_block",
                         "reserved_1y", "reserved_3y", "typed", "typed"))
        offers = [k for k in good if k[3] == term
                  and facts.price(dict(zip(("provider", "instance", "region",
                                            "term", "payment"), k)), day)[0]]
        query = []
        if offers:
            key = r.choice(offers)
        else:
            key = r.choice(good)
            term = r.choice(("spot", "capacity_block", "reserved_1y",
                             "reserved_3y", "savings_1y", "savings_3y",
                             "on_demand"))
            payment = "no_upfront"
            if term[:7] in ("reserve", "savings"):
                payment = r.choice(("no_upfront", "partial_upfront",
                                    "all_upfront"))
            key = key[:3] + (term, payment)
            price = r.uniform(0.3, 8) * float(
                facts.instances[key[:2]]["gpu_count"])
            if payment == "all_upfront" and r.random() < 0.7:
                price = 0
            query.append(f"{letter}.rent_price_per_hour="
                         + self.spell(r, price * self.scale))
            if payment != "no_upfront":
                upfront = r.uniform(1000, 60000)
                query.append(f"{letter}.rent_upfront_price="
                             + self.spell(r, upfront * self.scale))
        head = f"{letter}=rent/" + "/".join(key[:4])
        if key[4] != "no_upfront" or r.random() < 0.3:
            head += "/" + key[4]
        if letter == "a" and r.random() < 0.6:
            query.append(f"a.machine_count={r.choice((1, 2, 3, 7))}")
        gpu = facts.instances[key[:2]]["gpu"]
        return [head] + query + self.watts(r, letter, gpu)

    def far(self, r, low, high):
        return r.choice((low, high, r.uniform(low, high)))

    def shared(self, r):
        query = []
        if self.wild:
            return [f"{name}={self.spell(r, self.far(r, *ends))}"
                    for name, ends in WILD_SHARED.items() if r.random() < 0.6]

        def maybe(chance, name, value):
            if r.random() < chance:
                query.append(f"{name}={value}")

        share = self.spell
        maybe(0.8, "horizon_year", r.choice(
            (1, 2, 3, 4, 5, r.choice((0.25, 0.5, 1.5, 2.5, 7.5, 10, 12, 15)),
             f"{r.uniform(0.25, 6):.4f}")))
        maybe(0.75, "busy_frac", share(
            r, r.choice((r.random(), r.random(), r.random(), 1, 0.05)), True))
        maybe(0.5, "discount_frac", share(
            r, r.choice((0, 0.03, r.random() * 0.25)), True))
        maybe(0.45, "income_tax_frac", share(r, r.uniform(0, 0.45), True))
        maybe(0.35, "service_tax_frac", share(r, r.uniform(0, 0.25), True))
        maybe(0.4, "opex_growth_frac", share(r, r.uniform(-0.1, 0.15), True))
        maybe(0.3, "carbon_price_per_tonne",
              share(r, r.uniform(0, 200) * self.scale))
        return query

    def fields(self, r, kinds, query):
        """Some fields for all options, some for single ones."""
        taken = {pair.partition("=")[0] for pair in query}
        out = []

        def text(name):
            if self.wild and name in WILD:
                return self.spell(r, self.far(r, *WILD[name]))
            if name in SHARES:
                return self.spell(r, r.uniform(*SHARES[name]), True)
            if name in MONEY:
                return self.spell(r, r.uniform(*MONEY[name]) * self.scale)
            return self.spell(r, r.uniform(*PLAIN[name]))

        def add(key, value):
            if key not in taken:
                taken.add(key)
                out.append(f"{key}={value}")

        names = sorted({**SHARES, **MONEY, **PLAIN})
        for name in names:
            fits = [x for x, kind in kinds.items()
                    if name in fields_of(kind, x)]
            if fits and r.random() < 0.07:
                add(name, text(name))
            for x in fits:
                if r.random() < 0.13:
                    add(f"{x}.{name}", text(name))
        for pair in query:      # a system's list price may be too low for it
            x, _, what = pair.partition("=")
            if x in kinds and what.split("/")[1:2] and \
                    what.split("/")[1] in self.facts.servers and \
                    taken & {"gpu_price", x + ".gpu_price"}:
                add(x + ".host_price", text("host_price"))
        for x, kind in kinds.items():
            if kind == "own":
                if r.random() < 0.3:
                    add(x + ".site", r.choice(("office", "colocation",
                                               "server_room")))
                if r.random() < 0.15:
                    add(x + ".offpeak_frac", self.spell(r, r.random(), True))
                    add(x + ".offpeak_price_per_kwh",
                        self.spell(r, r.uniform(0, 0.3) * self.scale))
                if r.random() < 0.4:
                    add(x + ".zone", r.choice(self.zones()))
                if r.random() < 0.3:
                    add(x + ".depreciation", r.choice(
                        ("none", "straight_line", "macrs_5", "immediate")))
            elif r.random() < 0.3:
                add(x + ".prorate_term", r.choice(("yes", "no")))
            if r.random() < 0.2:
                add(x + ".load", r.choice((
                    "tdp", "training_large", "training_mid", "training_small",
                    "inference", "idle")))
            if r.random() < 0.1:
                add(x + ".machine_speed", self.spell(
                    r, r.choice((r.uniform(100, 9000), 1000, 1000))))
        return out

    def zones(self):
        return sorted(z for z in self.facts.zones
                      if self.facts.tariff(z, "commercial")[0]
                      and self.facts.grid(z) is not None)


RENT = "b=rent/aws/p4d.24xlarge/us-east-1/"
EDGES = [q.split() for q in (
    "",
    "busy_frac=0",
    "busy_frac=0 a=rent b=rent",
    "busy_frac=0 " + RENT + "reserved_1y b.rent_price_per_hour=9",
    "busy_frac=1 horizon_year=0.25",
    "busy_frac=1 horizon_year=15 discount_frac=0",
    "discount_frac=1 horizon_year=15",
    "a=own b=own",
    "a=own b=own b.machine_count=1 a.loan_frac=1",
    "a=rent b=rent",
    "a=rent b=own",
    "a=rent b=own c=own a.machine_count=3",
    "a.machine_speed=1000 b.machine_speed=1000",
    "machine_speed=1000 rework_frac=0.1",
    "b=own b.machine_count=3 b.machine_speed=10",
    "a=own b=own c=own/rtx-4090/4/2 d=own/rtx-4090/8/1",
    "a.gpu_price=0 a.host_price=0 b.rent_price_per_hour=5",
    "a.loan_frac=1 a.loan_year=15 a.loan_rate_frac=0 income_tax_frac=0.3",
    "a.loan_frac=1 a.loan_year=3 horizon_year=3 income_tax_frac=0.3",
    "a.loan_frac=0.5 a.loan_year=0.25 horizon_year=3",
    "income_tax_frac=0.9 a.residual_frac=1 a.depreciation=immediate",
    "income_tax_frac=0.3 a.depreciation=macrs_5 horizon_year=7",
    "income_tax_frac=0.3 a.depreciation=macrs_5 horizon_year=2.5",
    "income_tax_frac=0.3 a.depreciation=none a.residual_frac=0.5",
    "income_tax_frac=0.3 a.depreciation_year=30 horizon_year=1",
    "a.residual_frac=0.9 horizon_year=1",
    "horizon_year=2.5 b.rent_price_per_hour=9 " + RENT + "reserved_1y",
    "horizon_year=2.5 b.rent_price_per_hour=9 b.prorate_term=yes "
    + RENT + "reserved_1y",
    "horizon_year=3.5 b.rent_price_per_hour=0 b.rent_upfront_price=200000 "
    "b.prorate_term=yes income_tax_frac=0.2 service_tax_frac=0.19 "
    + RENT + "reserved_3y/all_upfront",
    "horizon_year=3.5 b.rent_price_per_hour=5 b.rent_upfront_price=90000 "
    "b.rent_price_growth_frac=-0.2 b.support_frac=0.1 income_tax_frac=0.2 "
    "service_tax_frac=0.19 " + RENT + "savings_3y/partial_upfront",
    "horizon_year=1 b.rent_price_per_hour=5 b.rent_upfront_price=90000 "
    + RENT + "savings_3y/partial_upfront",
    "horizon_year=6 b.rent_price_per_hour=5 b.rent_upfront_price=90000 "
    "b.rent_price_growth_frac=0.1 " + RENT + "savings_3y/partial_upfront",
    "horizon_year=5 b.rent_price_per_hour=5 b.rent_upfront_price=9000 "
    "b.rent_price_growth_frac=0.1 " + RENT + "savings_1y/partial_upfront",
    "horizon_year=1 a.gpu_price=100 " + RENT + "reserved_3y "
    "b.rent_price_per_hour=3 b.rent_upfront_price=0",
    "a.powered_frac=0 a.staff_fte=0 carbon_price_per_tonne=100",
    "b.rent_discount_frac=1",
    "a.energy_price_per_kwh=0 a.grid_g_per_kwh=0 carbon_price_per_tonne=80",
    "a.life_year=0.5 b.life_year=30",
    "b.fleet_busy_frac=0.05 b.billing_overhead_frac=1",
    "opex_growth_frac=-0.5 horizon_year=10 a.energy_price_growth_frac=-0.5",
    "opex_growth_frac=1 horizon_year=10 b.rent_price_growth_frac=-0.9",
    "speed_basis=gpu_count",
    "site=colocation a.max_use_frac=0.05 b=own c=rent",
    "currency=EUR a.site=colocation a.zone=DE",
    "as_of=2025-01-15 currency=GBP a.zone=GB",
    "a=own/rtx-4090/4/20 b=own/h100-sxm5-80gb/8 c=own/h100-sxm5-80gb/8/1 "
    "busy_frac=0.9",
    "a=own/dgx-h100 b=own/hgx-h100-oem-air b.gpu_price=30000",
    "a=rent/aws/p4d.24xlarge/us-east-1/on_demand "
    "b=rent/aws/p4d.24xlarge/us-east-1/on_demand",
)]
