"""What a whole payment costs: create, page, choice of the method, the bank's word, ledger, receipt, and the callback delivered and
recorded. Part of bench/run."""

import re
import statistics
import sys
import time
import urllib.request

import load
from processor import cpu_ms, steal, watched

ROUNDS, SERVICE, PLAIN_URL = int(sys.argv[5]), sys.argv[6], sys.argv[7]
CONNECTIONS = 64
QUIET = 120


def count(name, labels=""):
    text = urllib.request.urlopen(load.METRICS).read().decode()
    found = re.search(rf"^{name}{re.escape(labels)} (\d+)$", text, re.M)
    return int(found[1]) if found else 0


def delivered():
    return count("till_callback_attempts_total", '{environment="live",result="delivered"}')


def created():
    return count("till_requests_total", f'{{method="POST",route="{load.LIVE}",status="201"}}')


def settle():
    """Waits until everything that follows by itself is done: callbacks are delivered, entries are sealed. Returns the number of
    payments whose callbacks were delivered in all."""
    end, before = time.monotonic() + QUIET, -1
    while True:
        time.sleep(0.5)
        now = delivered()
        if now == before and count("till_ledger_unsealed") == 0:
            return now
        if time.monotonic() > end:
            sys.exit(f"after {QUIET} s callbacks or seals are still open")
        before = now


def round_of(token, processes):
    """Payments for some seconds: the processor time of one, of the service and of the database, and how many were paid in a second."""
    paid, sessions = settle(), created()
    used, stolen, began = [cpu_ms(pids) for pids in processes], steal(), time.monotonic()
    load.wrk("pay", load.LIVE, CONNECTIONS, load.payments(token, with_page=True))
    elapsed = time.monotonic() - began
    payments, sessions = settle() - paid, created() - sessions
    # Those under way when the load ends are not paid.
    if payments < sessions - 2 * CONNECTIONS:
        sys.exit(f"only {payments} of {sessions} sessions were paid")
    cpu, database = (1000 * (cpu_ms(pids) - before) / payments for pids, before in zip(processes, used))
    taken, ticks = (now - before for now, before in zip(steal(), stolen))
    return cpu, database, payments / elapsed, taken / max(ticks, 1)


def spread(values):
    return f"{statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f})"


def main():
    token = load.post("/api/tokens", load.VENDOR["live"])["access_token"]
    load.ORDER["callback_url"] = PLAIN_URL + "/callbacks"
    # The first payments meet empty tables.
    processes = watched(SERVICE)
    round_of(token, processes)
    cpu, database, rate, stolen = zip(*(round_of(token, processes) for _ in range(ROUNDS)))
    print(f"a whole payment at {CONNECTIONS} connections: {spread(cpu)} us of the service"
          + (f", {spread(database)} us of the database" if any(database) else "")
          + f"; {spread(rate)} a second; steal at most {max(stolen):.1%}", flush=True)


main()
