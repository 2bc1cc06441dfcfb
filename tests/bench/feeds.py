#!/usr/bin/env python3
"""Times the readers of large feeds against `wc -l` on the same file, in one
run. The files are made here, of the true shape, and removed again.

usage: tests/bench/feeds.py [READER]   READER: build/tests/bench/feed_read"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import feed_shapes  # noqa: E402

READER = sys.argv[1] if len(sys.argv) > 1 else "build/tests/bench/feed_read"


def write(folder, body):
    name = os.path.join(folder, body.path.replace("/", "_"))
    with open(name, "wb") as f:
        f.write(body.bytes)
    return name


def aws(folder, megabyte):
    """The list of all GPU machines, then what else it holds up to that size."""
    index, table = feed_shapes.aws("", 20000)
    names, r = [write(folder, index), write(folder, table)], random.Random(1)
    block = "".join(feed_shapes.aws_other(r) for _ in range(20000)).encode()
    with open(names[1], "ab") as f:
        while f.tell() < megabyte * 1e6:
            f.write(block)
    return "aws-us-east-1", names, names[1]


def azure(folder, pages):
    return "az-eastus", [write(folder, body) for body in feed_shapes.azure("https://prices.azure.com", pages * 1000)], None


def plans(folder, megabyte):
    """Savings plans: the shape of the tests, and in its last plan the rates of
    machines without a GPU over and over."""
    first, body = feed_shapes.plans("", 7000)
    index, name = write(folder, first), os.path.join(folder, "plans.json")
    tree = json.loads(body.bytes)
    last = tree["terms"]["savingsPlan"][-1]
    others = ", " + ", ".join(json.dumps(rate) for rate in last["rates"]
                              if rate["discountedInstanceType"] in feed_shapes.AWS_TYPES)
    whole = json.dumps(tree)
    assert whole.endswith("]}]}}")
    with open(name, "w") as f:
        f.write(whole[:-5])
        while f.tell() < megabyte * 1e6:
            f.write(others)
        f.write(whole[-5:])
    return "aws-sp-us-east-1", [index, name], name


def best(command, times=3):
    took, out = [], ""
    for _ in range(times):
        start = time.monotonic()
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        took.append(time.monotonic() - start)
    return min(took), out.strip()


with tempfile.TemporaryDirectory(prefix="gputco-bench-") as folder:
    for feed, bodies, large in (aws(folder, 320), plans(folder, 500), azure(folder, 150)):
        took, out = best([READER, feed] + bodies)
        print(out)
        if large:
            count, _ = best(["wc", "-l", large])
            print("  wc -l on it: %.3f s; reading is %.2f times as fast" % (count, count / took))
        memory = int(re.search(r"(\d+) MiB", out).group(1))
        print("  memory %d MiB" % memory)
        for name in bodies:
            os.unlink(name)
