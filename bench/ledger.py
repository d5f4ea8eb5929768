"""The steps of bench/ledger: fill a vendor's books, and ask for what is in them."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.request

from browser import Browser, export, heading, look
from load import FOLDER, LIVE as BASE, METRICS, ORDER, URL, VENDOR, constant, payments, post, wrk

POSTINGS, TILL = int(sys.argv[5]), os.environ["TILL"]
CONNECTIONS = 64


def count(name):
    text = urllib.request.urlopen(METRICS).read().decode()
    found = re.search(rf"^{name}(?:{{[^}}]*}})? (\d+)$", text, re.M)
    return int(found[1]) if found else 0


def rates(token):
    create = wrk("create", BASE, CONNECTIONS, constant("POST", token, ORDER)).rate
    # A create, the choice of a method and the bank's word for each.
    paid = wrk("pay", BASE, CONNECTIONS, payments(token)).rate / 3
    return create, paid


def fill():
    began = time.perf_counter()
    subprocess.run([TILL, "fill-ledger", VENDOR["vendor_id"], str(POSTINGS)], check=True)
    took = time.perf_counter() - began
    print(f"{POSTINGS:,} postings in {took:.1f} s ({POSTINGS / took:,.0f}/s)", flush=True)
    waiting = count("till_ledger_unsealed")
    while count("till_ledger_unsealed") > 0:
        time.sleep(0.2)
    behind = time.perf_counter() - began - took
    print(f"{waiting:,} entries were not sealed then; all were {behind:.1f} s later", flush=True)


def wallet(token):
    _, rate, median, slow = wrk("wallet", "/api/wallet", 8, constant("GET", token))
    print(f"GET /api/wallet by 8 at once: {rate:,.0f}/s, {median:.1f} ms in the middle, {slow:.1f} ms for 1 in 100")


def verify():
    began = time.perf_counter()
    done = subprocess.run([TILL, "verify"], capture_output=True, text=True)
    took = time.perf_counter() - began
    print(f"till verify: {took:.1f} s, exit code {done.returncode}")
    if done.returncode:
        sys.exit(done.stdout)


def main():
    token = post("/api/tokens", VENDOR["live"])["access_token"]
    browser, before = Browser(), rates(token)
    fill()
    wallet(token)
    heading()
    look([browser], "wallet, first page", "/panel/wallet?currency=RUB")
    look([browser], "wallet, payouts", "/panel/wallet?currency=RUB&status=payout")
    export(browser, f"/panel/wallet.csv?month={time.strftime('%Y-%m', time.gmtime())}&currency=RUB")
    verify()
    after = rates(post("/api/tokens", VENDOR["live"])["access_token"])
    for name, was, now in zip(("create", "paid"), before, after):
        print(f"{name}: {was:,.0f}/s before, {now:,.0f}/s after, kept {now / was:.2f}")


main()
