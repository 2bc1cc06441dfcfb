#!/usr/bin/env python3
"""Fits what a busy GPU and its host draw on the measured runs of
energy/training_runs.csv and energy/host_power.csv, and writes
energy/power_fit.csv and energy/power_left_out.csv (each run predicted by the
fit to the others; by run, since one campaign of meters is often all there is
of a class). --check compares instead of writing.

Few terms, each a mean or median of what was metered in its own scope:

  large, mid, small  share of TDP the GPU draws, by class of work. Meters on
                     the GPU alone give it directly; a meter on the whole
                     system (before PUE) less the host of that generation
  host               the machine without GPUs over the sum of their TDP, of
                     the HGX H100 nodes that MLPerf metered at the wall: power
                     supplies, processors, memory, adapters; no fans
  host_other         a quarter, the agreed figure for older hosts
  short              a run below ten minutes on several nodes mostly starts,
                     evaluates and waits: less by this for each doubling
  tpu_v2, _v3, _v4   watts of a chip with its share of host and network, as
                     the owner metered them: no host is added
"""
import csv
import math
import os
import statistics
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHORT_HOUR = 1 / 6
# not fitted: read off one source each, or judged
AGREED = [
    ("host_of_rated", "%.6f", "5", "", "host of the metered HGX H100 nodes over the 4,600 W their maker's rating leaves for it"),
    ("inference", "0.6", "0", "1", "judgement: decoding waits for memory, prefill does not; 0.4 to 0.8"),
    ("context_hbm", "38", "0", "", "W on top of bare idle, a context open (26 to 50): arXiv 2605.23918"),
    ("context_gddr", "66", "0", "", "W on top of bare idle, a context open: arXiv 2605.23918"),
    ("network", "0.05", "0", "1", "switches and cables over nodes; 0.05 to 0.14 on clusters"),
    ("network_large", "0.136", "0", "", "64 nodes, stated by the submitter: MLPerf Training v4.0 power"),
]
SYSTEM = "facility (system x PUE)"
GPU_ONLY = "gpu only, before PUE"
NODE = "IT node AC power (no switches, no cooling plant)"
HOST_OTHER = 0.25
TASK = {"vision": "vision", "diffusion": "vision", "encoder": "encoder"}


def rows_of(name):
    with open(os.path.join(HERE, "energy", name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def number(text):
    return float(text) if text else math.nan


def class_of(run):
    """The rule of power_load_of in energy/power.c."""
    weights = number(run["active_param_count"])
    if run["stage"] == "benchmark to target quality":
        return "large"  # tuned until the accelerators are busy
    if TASK.get(run["kind"]) == "vision":
        return "small" if weights < 5e7 else "mid" if weights < 2e8 else "large"
    if weights < 1e9:
        return "small"
    if weights < 1e10 and not is_new(run):
        return "mid"
    return "large"


def is_new(run):
    return run["gpu"].startswith(("h100", "h200", "gh200", "b200", "gb200", "b300"))


def chip_of(run):
    return run["gpu"].replace("-", "_") if run["gpu"].startswith("tpu") else ""


def measured(runs):
    """Runs whose meter says something about power: watts an accelerator in
    its own scope. The P40 rows are minutes long
    and rounded to 0.01 kWh, a quarter of the figure: left out."""
    found = []
    for run in runs:
        if run["use_energy"] != "yes" or not number(run["gpu_hour"]) > 0:
            continue
        if run["gpu"] == "tesla-p40" or not number(run["energy_kwh"]) > 0:
            continue
        pue = number(run["pue_ratio"]) if run["energy_scope"] == SYSTEM else 1
        watt = number(run["energy_kwh"]) * 1000 / number(run["gpu_hour"]) / pue
        found.append(dict(run, watt=watt))
    return found


def host_of(run, terms):
    return terms["host"] if is_new(run) else HOST_OTHER


def nodes_of(run):
    return max(1, number(run["run_gpu_count"]) / 8)


def short_of(run, terms):
    hours = number(run["gpu_hour"]) / number(run["run_gpu_count"])
    if nodes_of(run) <= 1 or hours >= SHORT_HOUR:
        return 1
    return 1 - terms["short"] * math.log2(nodes_of(run))


def predict(run, terms):
    if chip_of(run):
        return terms[chip_of(run)]
    share = terms[class_of(run)]
    if run["energy_scope"] != GPU_ONLY:
        share = (share + host_of(run, terms)) * short_of(run, terms)
    return share * number(run["gpu_watt"])


def mean(values, otherwise):
    values = list(values)
    return statistics.fmean(values) if values else otherwise


def fit(runs, prior=None):
    """prior: what a term is when no run is left for it."""
    prior = prior or {}
    terms = {"host_other": HOST_OTHER}
    for name in ("large", "mid", "small"):
        shares = []
        for run in runs:
            if class_of(run) != name or chip_of(run) or run["energy_scope"] == NODE:
                continue
            share = run["watt"] / number(run["gpu_watt"])
            shares.append(share if run["energy_scope"] == GPU_ONLY else share - HOST_OTHER)
        terms[name] = mean(shares, prior.get(name))
    busy = [run for run in runs if run["energy_scope"] == NODE and nodes_of(run) <= 1]
    if busy:
        terms["host"] = statistics.median(run["watt"] / number(run["gpu_watt"]) for run in busy) - terms["large"]
    else:
        terms["host"] = prior.get("host")
    falls = []
    for run in runs:
        if run["energy_scope"] == NODE and nodes_of(run) > 1 and number(run["gpu_hour"]) / number(run["run_gpu_count"]) < SHORT_HOUR:
            full = (terms["large"] + terms["host"]) * number(run["gpu_watt"])
            falls.append((1 - run["watt"] / full) / math.log2(nodes_of(run)))
    terms["short"] = mean(falls, prior.get("short"))
    for chip in ("tpu_v2", "tpu_v3", "tpu_v4"):
        terms[chip] = mean((run["watt"] for run in runs if chip_of(run) == chip), prior.get(chip))
    return terms


def text_of(header, rows):
    lines = [",".join(header)]
    for row in rows:
        lines.append(",".join('"%s"' % cell if "," in cell else cell for cell in row))
    return "\n".join(lines) + "\n"


def main():
    runs = measured(rows_of("training_runs.csv"))
    terms = fit(runs)
    # a chip whose only run is left out: what other meters say of it
    other = {row["id"]: number(row["draw_watt"]) for row in rows_of("host_power.csv")}
    prior = {"tpu_v2": other["tpuv2-avg"], "tpu_v3": other["tpuv3-avg"],
             "tpu_v4": 326}  # GLaM, arXiv 2112.06905
    notes = {
        "large": "language models from 1e10 weights (1e9 on Hopper and newer), vision from 2e8, tuned benchmarks",
        "mid": "language models of 1e9 to 1e10 weights before Hopper, vision of 5e7 to 2e8",
        "small": "below that: starved of input or of parallel work",
        "host": "HGX H100 node at the wall, no fans; taken for Hopper and newer baseboards",
        "host_other": "agreed for hosts without a meter",
        "short": "a run below ten minutes, for each doubling of the nodes",
        "tpu_v2": "chip with its share of host and network",
        "tpu_v3": "chip with its share of host and network",
        "tpu_v4": "chip with its share of host and network",
    }
    count = {name: sum(1 for run in runs if not chip_of(run) and class_of(run) == name and run["energy_scope"] != NODE)
             for name in ("large", "mid", "small")}
    count.update({chip: sum(1 for run in runs if chip_of(run) == chip) for chip in ("tpu_v2", "tpu_v3", "tpu_v4")})
    count["host"] = sum(1 for run in runs if run["energy_scope"] == NODE and nodes_of(run) <= 1)
    count["short"] = sum(1 for run in runs if run["energy_scope"] == NODE and nodes_of(run) > 1)
    fitted = [(name, "%.6f" % terms[name], str(count.get(name, 0)), "1" if name == "host_other" else "", notes[name])
              for name in notes] + [tuple(cell if "%" not in cell else cell % (terms["host"] * 5600 / 4600) for cell in row)
                                    for row in AGREED]
    left = []
    for run in runs:
        rest = fit([other for other in runs if other is not run], prior)
        left.append((run["id"], "%.3f" % run["watt"], "%.3f" % predict(run, rest), "%.3f" % predict(run, terms)))
    files = {
        "power_fit.csv": text_of(("name", "fit_ratio", "run_count", "estimate", "note"), fitted),
        "power_left_out.csv": text_of(("id", "metered_watt", "left_out_watt", "fitted_watt"), sorted(left)),
    }
    for which in (2, 3):
        errors = sorted(abs(float(row[which]) / float(row[1]) - 1) for row in left)
        print(("run left out" if which == 2 else "fitted") + ": %d runs, median %.1f %%, 90th %.1f %%" % (
            len(errors), 100 * statistics.median(errors), 100 * errors[math.ceil(0.9 * len(errors)) - 1]))
    for row in sorted(left):
        print("  %-38s %8s W, left out %8s, fitted %8s" % row)
    bad = 0
    for name, text in files.items():
        path = os.path.join(HERE, "energy", name)
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    print("%s is not what the fit gives" % name)
                    bad = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return bad


if __name__ == "__main__":
    sys.exit(main())
