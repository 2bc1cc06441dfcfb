#!/usr/bin/env python3
"""Fits energy/mfu_fit.csv, the table that utilisation is predicted from.

usage: tests/fit_mfu.py           print errors, leaving one family out
       tests/fit_mfu.py --write   write energy/mfu_fit.csv as well, and
                                  energy/mfu_left_out.csv: GPU-hours of each
                                  run by the fit to the other families
       tests/fit_mfu.py --check   1 when the files are not what this writes

The model is a product: log(6ND and attention FLOPs over all hours at the
dense peak of the precision) = base + device family + a few terms. Every term
has a prior, with its reason below, and is pulled towards it as if that prior
were a few runs seen; what no run speaks about stays at its prior. A Huber loss keeps
rows that hold more than the run (training hours of Llama 3 8B, say) from
pulling, and each family of models weighs with the square root of its rows.
Standard library only; the same rows give the same digits."""
import csv
import io
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = os.path.join(HERE, "..", "energy", "training_runs.csv")
LEFT_OUT = os.path.join(HERE, "..", "energy", "mfu_left_out.csv")
FIT = os.path.join(HERE, "..", "energy", "mfu_fit.csv")
HUBER = 0.15        # log units: about the scatter of sibling runs
GOODPUT = 0.92      # median of hours while stepping over all hours, ten runs
ASPECT = 128        # width over layers of common transformers


def log10(x):
    return math.log(x) / math.log(10)


# term, prior, rows the prior is worth, reason
TERMS = [
    ("base", math.log(0.45), 0.1,
     "A100, 1e9 to 1e11 weights, many nodes, bf16"),
    ("hopper", math.log(0.72), 0.5,
     "H100, H200, H800, GH200: MosaicML steps at 0.42 there and 0.58 on A100"),
    ("tpu", math.log(0.9), 2, "Google TPU; PaLM 0.46 and Gopher 0.33 while "
     "stepping"),
    ("volta", math.log(0.55), 2, "V100 and older: GPT-3 at 24.6 of 125 TFLOPS "
     "(arXiv 2104.10350)"),
    ("encoder", math.log(0.7), 4, "padding and unpacked batches waste 20 to "
     "50 % (MLPerf BERT)"),
    ("moe", math.log(0.7), 0.5, "routing and all-to-all; hours 1.1 to 2 times "
     "those of a dense model"),
    ("fp8", 0.34, 1, "speed over 16 bit 1.1 to 1.35 (MosaicML), 1.6 to 1.8 "
     "(MLPerf GPT-3)"),
    ("small", -0.30, 1.5, "each tenth below 1e9 weights; MosaicML 125M 0.42, "
     "1B 0.57"),
    ("large", -0.20, 1.5, "each tenfold above 1e11 weights: pipeline bubbles, "
     "recomputation"),
    ("hopper_size", 0.15, 1.5, "each tenfold above 1e11 weights (below: "
     "negative) up to 1e12 on Hopper: small models wait for memory and "
     "network more"),
    ("few", 0.20, 1, "from 64 GPUs (0) down to 8 (1): no network, no waiting "
     "for the slowest"),
]


def features(r):
    n, count = r["active"], r["count"] or 64
    hopper = r["family"] == "hopper"
    return [
        1.0, hopper, r["family"] == "tpu", r["family"] == "volta",
        r["task"] == "encoder", r["moe"], r["fp8"],
        max(0, log10(1e9 / n)), max(0, log10(n / 1e11)),
        min(1, log10(n / 1e11)) if hopper else 0,
        max(0, math.log(64 / max(8, count)) / math.log(8)),
    ]


def device_family(gpu):
    for prefix, family in (("a100", "ampere"), ("h100", "hopper"),
                           ("h200", "hopper"), ("gh200", "hopper"),
                           ("tpu", "tpu"), ("v100", "volta")):
        if gpu.startswith(prefix):
            return family
    raise SystemExit("no family for " + gpu)


def attention_share(n, sequence):
    width = (n * ASPECT / 12) ** (1 / 3)
    return sequence / (6 * width)


def read_runs():
    runs = []
    with open(RUNS, encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            if row["use_hours"] != "yes":
                continue
            n = float(row["active_param_count"])
            sequence = float(row["sequence_token"] or 2048)
            flop = 6 * n * float(row["token_count"])
            flop *= 1 + attention_share(n, sequence)
            at_peak = (float(row["gpu_hour"]) * 3600 *
                       float(row["peak_tflops"]) * 1e12)
            runs.append({
                "id": row["id"], "group": row["family"], "active": n,
                "moe": row["active_param_count"] != row["param_count"],
                "count": float(row["run_gpu_count"] or 0),
                "family": device_family(row["gpu"]),
                "fp8": row["precision"] == "fp8",
                "task": "encoder" if row["kind"] == "encoder" else "decoder",
                "log": math.log(flop / at_peak),
                "hours": float(row["gpu_hour"]),
            })
    return runs


def solve(matrix, right):
    n = len(right)
    m = [matrix[i][:] + [right[i]] for i in range(n)]
    for i in range(n):
        p = max(range(i, n), key=lambda k: abs(m[k][i]))
        m[i], m[p] = m[p], m[i]
        for k in range(n):
            if k != i:
                f = m[k][i] / m[i][i]
                for j in range(i, n + 1):
                    m[k][j] -= f * m[i][j]
    return [m[i][n] / m[i][i] for i in range(n)]


def fit(runs):
    size = {}
    for r in runs:
        size[r["group"]] = size.get(r["group"], 0) + 1
    x = [features(r) for r in runs]
    p = len(TERMS)
    beta = [t[1] for t in TERMS]
    for _ in range(60):
        a = [[0.0] * p for _ in range(p)]
        b = [0.0] * p
        for r, row in zip(runs, x):
            error = r["log"] - sum(u * v for u, v in zip(row, beta))
            weight = 1 / math.sqrt(size[r["group"]])
            weight /= max(1, abs(error) / HUBER)
            for i in range(p):
                b[i] += weight * row[i] * r["log"]
                for j in range(p):
                    a[i][j] += weight * row[i] * row[j]
        for i, term in enumerate(TERMS):
            a[i][i] += term[2]
            b[i] += term[2] * term[1]
        beta = solve(a, b)
    return beta


def quantile(values, q):
    v = sorted(values)
    at = q * (len(v) - 1)
    low = int(at)
    high = min(low + 1, len(v) - 1)
    return v[low] + (v[high] - v[low]) * (at - low)


def left_out(runs):
    """log(actual / predicted utilisation) of each run, its family unseen."""
    residual = []
    for group in sorted({r["group"] for r in runs}):
        beta = fit([r for r in runs if r["group"] != group])
        for r in runs:
            if r["group"] == group:
                guess = sum(u * v for u, v in zip(features(r), beta))
                residual.append((r["log"] - guess, r["id"], group))
    return residual


def interval(residual):
    """Ends of the 80 % interval: quantiles, widened for few rows."""
    logs = [e[0] for e in residual]
    return quantile(logs, 0.08), quantile(logs, 0.92)


def report(residual, runs):
    # hours predicted / hours reported = actual / predicted utilisation
    error = [math.exp(e[0]) - 1 for e in residual]
    for e in sorted(residual):
        print("  %-26s hours %+5.0f %%" % (e[1], 100 * (math.exp(e[0]) - 1)))
    size = [abs(e) for e in error]
    print("family left out: rows %d, median %.1f %%, 90th %.1f %%, bias %+.1f %%"
          % (len(size), 100 * quantile(size, 0.5), 100 * quantile(size, 0.9),
             100 * quantile(error, 0.5)))
    groups = sorted({e[2] for e in residual})
    hits = 0
    for group in groups:
        low, high = interval([e for e in residual if e[2] != group])
        hits += sum(low <= e[0] <= high for e in residual if e[2] == group)
    print("80 %% interval from the other families covers %.0f %%"
          % (100 * hits / len(residual)))


PRIORS = [
    ("ada", math.log(0.72), "L40S and RTX 4090 against A100 and H100, peak "
     "and links apart: 0.65 to 0.75 (MLPerf ResNet-50, Llama 2 70B LoRA)"),
    ("blackwell", math.log(0.80), "as Hopper, software younger: B200 and H100 "
     "use the same share of their peaks (MLPerf Llama 3.1 8B)"),
    ("cdna3", math.log(0.65), "0.77 to 0.86 of what H100, H200, B200 use of "
     "their peaks (MLPerf Llama 2 70B LoRA); matrix peak reached 668 of 1,300 "
     "against 795 of 989 (S. Bekman, ML engineering)"),
    ("gaudi", math.log(0.75), "0.86 of what H100 uses of its peak (MLPerf "
     "Llama 2 70B LoRA)"),
    ("other", math.log(0.60), "accelerators without a published run here"),
    ("pcie", math.log(0.80), "several GPUs without NVLink: 1.1 to 1.4 times "
     "slower beyond the peak (MLPerf v2.1, v4.0)"),
    ("vision", math.log(0.45), "convolutions, in place of the terms of size: "
     "ResNet-50 at 26 % of peak on 8 A100, 17 % on 8 H100, 15 % on 6 RTX "
     "4090, 12 % on 8 L40S (MLPerf)"),
    ("goodput", math.log(GOODPUT), "share of the hours spent stepping, median "
     "of ten runs that report both"),
]


def fit_rows(beta, residual):
    yield ["name", "log_ratio", "estimate", "note"]
    for (name, _, _, why), value in zip(TERMS, beta):
        yield [name, "%.9f" % value, 0, why]
    for name, value, why in PRIORS:
        yield [name, "%.9f" % value, 1, why]
    low, high = interval(residual)
    yield ["low", "%.9f" % low, 0, "80 % interval of runs whose family was "
           "left out of the fit"]
    yield ["high", "%.9f" % high, 0, "the other end"]


def left_out_rows(beta, residual, runs):
    yield ["id", "gpu_hour", "low_hour", "high_hour", "fitted_hour"]
    by_id = {r["id"]: r for r in runs}
    for error, name, group in residual:
        r = by_id[name]
        low, high = interval([e for e in residual if e[2] != group])
        hours = r["hours"] * math.exp(error)
        fitted = sum(u * v for u, v in zip(features(r), beta))
        yield [name, "%.3f" % hours, "%.3f" % (hours / math.exp(high)),
               "%.3f" % (hours / math.exp(low)),
               "%.6f" % (r["hours"] * math.exp(r["log"] - fitted))]


def as_text(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def main():
    runs = read_runs()
    residual = left_out(runs)
    beta = fit(runs)
    files = {FIT: as_text(fit_rows(beta, residual)),
             LEFT_OUT: as_text(left_out_rows(beta, residual, runs))}
    report(residual, runs)
    for term, value in zip(TERMS, beta):
        print("  %-12s %+.3f  prior %+.3f" % (term[0], value, term[1]))
    for path, text in files.items():
        if "--write" in sys.argv[1:]:
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(text)
        elif "--check" in sys.argv[1:]:
            with open(path, encoding="utf-8", newline="") as f:
                if f.read() != text:
                    sys.exit(path + " is not what the fit gives: run "
                             "tests/fit_mfu.py --write")


main()
