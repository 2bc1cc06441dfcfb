"""A second, slow implementation of the calculation contract.

It shares no code, no formula text and no table with the program: a fault has
to be made twice to go unseen. Everything is done the plain way (month by
month, full scans, bisection). `outcome` computes a resolved study, `from_json`
takes such a study out of a printed answer, `compare` holds the answer against
the recomputation.

Readings, where the contract leaves a choice, are marked "Reading:".
"""
import math

HOUR = 730                      # hours a month
TIE = 1e-9
COMMITTED = {"reserved_1y": 12, "savings_1y": 12,
             "reserved_3y": 36, "savings_3y": 36}
MACRS_5 = (0.20, 0.32, 0.192, 0.1152, 0.1152, 0.0576)

OWN_ITEMS = ("hardware", "purchase_tax", "setup", "network", "energy",
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
    kg = meter * f["grid_g_per_kwh"] / 1000
    r["month_meter_kwh"] = meter
    r["month_kg"] = kg
    r["it_kwh"] = it_kwh * M
    r["meter_kwh"] = meter * M
    r["operational_kg"] = kg * M
    r["operational_market_kg"] = kg * M * (1 - f["renewable_frac"])
    r["embodied_kg"] = embodied
    r["total_kg"] = kg * M + embodied
    r["water_l"] = it_kwh * M * (f["wue_l_per_kwh"]
                                 + f["pue_ratio"] * f["grid_water_l_per_kwh"])
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
                "energy": p["month_meter_kwh"] * f["energy_price_per_kwh"]
                * tariff,
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
                run["energy"] + run["hosting"] + run["licences"]
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
        carbon = p["month_kg"] / 1000 * shared["carbon_price_per_tonne"]
        carbon_flows = [0.0] + [carbon] * M
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
            "carbon_cost": carbon * M,
            "npv_cost_with_carbon": npv + present(carbon_flows, d),
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
        order = sorted(able, key=lambda x:
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
