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
COLUMNS = ("SKU OfferTermCode RateCode TermType PriceDescription EffectiveDate StartingRange EndingRange Unit "
           "PricePerUnit Currency RelatedTo LeaseContractLength PurchaseOption OfferingClass Product_Family serviceCode "
           "Location Location_Type Instance_Type Current_Generation Instance_Family vCPU Physical_Processor Clock_Speed "
           "Memory Storage Network_Performance Processor_Architecture Tenancy Operating_System License_Model usageType "
           "operation CapacityStatus GPU GPU_Memory MarketOption Pre_Installed_S/W Region_Code").split()
MORE = ["Column %d" % i for i in range(50)]  # 90 columns in 2026
TYPES = (["m5.%s" % s for s in "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge".split()]
         + ["%s.%s" % (f, s) for f in "c5 c6i c7g r5 r6i r7g m6i m7g t3 x2 i4i hpc7a".split()
            for s in "large xlarge 2xlarge 4xlarge 8xlarge 16xlarge".split()]
         + "p4d.24xlarge p5.48xlarge g4dn.xlarge g5.xlarge g6.xlarge p3.2xlarge".split())


def aws(folder, megabyte):
    """Lines as they stand in the list: every type by tenancy, system, licence
    and term; about one in six is a Shared one (BoxUsage)."""
    index = os.path.join(folder, "index.json")
    with open(index, "w") as f:
        json.dump({"regions": {"us-east-1": {"currentVersionUrl": "/o/1/us-east-1/index.json"}}}, f)
    name, r = os.path.join(folder, "aws.csv"), random.Random(1)
    lines = []
    for i in range(20000):
        kind = r.choice(TYPES)
        shared = r.random() < 0.17
        term = r.choice(["OnDemand"] + ["Reserved"] * 4)
        row = dict.fromkeys(COLUMNS, "")
        row.update(SKU="%016X" % r.getrandbits(64), OfferTermCode="JRTCKXETXF", RateCode="%s.JRTCKXETXF.6YS6EN2CT7" % i,
                   TermType=term, PriceDescription="$1.2 per Reserved Linux with SQL Server %s Instance Hour" % kind,
                   EffectiveDate="2026-07-01", StartingRange="0", EndingRange="Inf", Unit="Hrs",
                   PricePerUnit="%.10f" % r.uniform(0.01, 60), Currency="USD", Product_Family="Compute Instance",
                   serviceCode="AmazonEC2", Location="US East (N. Virginia)", Location_Type="AWS Region",
                   Instance_Type=kind, Current_Generation="Yes", Instance_Family="General purpose", vCPU="96",
                   Physical_Processor="Intel Xeon Platinum 8175 (Skylake)", Memory="384 GiB", Storage="EBS only",
                   Tenancy="Shared" if shared else r.choice(("Dedicated", "Host")),
                   Operating_System=r.choice(("Linux", "Windows", "RHEL", "SUSE")), License_Model="No License required",
                   usageType=("BoxUsage:" if shared else "DedicatedUsage:") + kind, operation="RunInstances:0102",
                   CapacityStatus="Used", MarketOption="OnDemand", Region_Code="us-east-1")
        row["Pre_Installed_S/W"] = "NA"
        if term == "Reserved":
            row.update(LeaseContractLength="1yr", PurchaseOption="No Upfront", OfferingClass="standard")
        cells = [row[c] for c in COLUMNS] + ["NA" if r.random() < 0.3 else "" for _ in MORE]
        lines.append(",".join('"%s"' % c if c else "" for c in cells))
    block = ("\n".join(lines) + "\n").encode()
    with open(name, "wb") as f:
        f.write(b'"FormatVersion","v1.0"\n"OfferCode","AmazonEC2"\n')
        f.write((",".join('"%s"' % c.replace("_", " ") for c in COLUMNS + MORE) + "\n").encode())
        while f.tell() < megabyte * 1e6:
            f.write(block)
    return "aws-us-east-1", [index, name], name


def azure(folder, pages):
    item = {"currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": 98.32, "unitPrice": 98.32,
            "armRegionName": "eastus", "location": "US East", "effectiveStartDate": "2025-04-01T00:00:00Z",
            "meterId": "0016083a-928f-56fd-8eeb-39287dcf676d", "meterName": "ND96isrH100v5", "productId": "DZH318Z0D1L7",
            "skuId": "DZH318Z0D1L7/018J", "productName": "Virtual Machines ND Series", "skuName": "ND96isrH100v5",
            "serviceName": "Virtual Machines", "serviceId": "DZH313Z7MMC8", "serviceFamily": "Compute",
            "unitOfMeasure": "1 Hour", "type": "Consumption", "isPrimaryMeterRegion": True,
            "savingsPlan": [{"unitPrice": 70.7, "retailPrice": 70.7, "term": "1 Year"}]}
    names = []
    for page in range(pages):
        items = [dict(item, armSkuName="Standard_ND96isr_H100_v5" if i % 20 == 0 else "Standard_E%d_v4" % i)
                 for i in range(1000)]
        names.append(os.path.join(folder, "azure%d.json" % page))
        with open(names[-1], "w") as f:
            json.dump({"BillingCurrency": "USD", "Items": items,
                       "NextPageLink": "https://prices.azure.com/api/retail/prices?$skip=%d" % page if page < pages - 1
                       else None, "Count": 1000}, f)
    return "az-eastus", names, None


def plans(folder, megabyte):
    """Savings plans: the shape of the tests, and in its last plan the rates
    before those of others over and over."""
    index, name = os.path.join(folder, "plans_index.json"), os.path.join(folder, "plans.json")
    first, body = feed_shapes.plans("", 7000)
    with open(index, "wb") as f:
        f.write(first.bytes)
    tree = json.loads(body.bytes)
    last = tree["terms"]["savingsPlan"][-1]
    others = ", " + ", ".join(json.dumps(rate) for rate in last["rates"])
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
