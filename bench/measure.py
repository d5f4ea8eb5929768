"""Drives wrk through every measurement of bench/run and prints one table."""

import statistics
import sys

from load import ORDER, VENDOR, constant, post, simulate, stat, wrk

ROUNDS = int(sys.argv[5])
CONNECTIONS = [1, 16, 64, 256]


def main():
    live = post("/api/tokens", VENDOR["live"])["access_token"]
    sandbox = post("/api/sandbox/vendor/tokens", VENDOR["sandbox"])["access_token"]
    session = post("/api/product/session", ORDER, live)["session_id"]
    measurements = [
        ("noop", "/bench/noop", constant("POST", live, ORDER), None),
        ("create", "/api/product/session", constant("POST", live, ORDER), "live"),
        ("status", f"/api/product/session/{session}", constant("GET", live), None),
        ("token", "/api/tokens", constant("POST", None, VENDOR["live"]), None),
        ("simulate", "/", simulate(sandbox), "sandbox"),
    ]
    print(f"{'what':10} {'conn':>5} {'req/s':>9} {'p50 ms':>8} {'p99 ms':>8} {'batch':>6} {'ratio':>6}")
    for connections in CONNECTIONS:
        rows = {name: [] for name, *_ in measurements}
        for _ in range(ROUNDS):
            noop = None
            for name, path, script, store in measurements:
                before = (stat("units", store), stat("batches", store)) if store else None
                rate, p50, p99 = wrk(name, path, connections, script)
                noop = noop or rate
                batch = 0
                if store:
                    units, batches = stat("units", store) - before[0], stat("batches", store) - before[1]
                    batch = units / max(batches, 1)
                rows[name].append((rate, p50, p99, batch, rate / noop))
        for name, row in rows.items():
            rate, p50, p99, batch, ratio = (statistics.median(column) for column in zip(*row))
            batch = f"{batch:.1f}" if batch else ""
            print(f"{name:10} {connections:5} {rate:9.0f} {p50:8.2f} {p99:8.2f} {batch:>6} {ratio:6.2f}", flush=True)


main()
