"""Drives wrk through every measurement of bench/run and prints a table for each number of connections."""

import statistics
import sys
import time

from load import ORDER, VENDOR, constant, post, simulate, stat, wrk
from processor import cpu_ms, steal, watched

ROUNDS, SERVICE, PLAIN_URL, PLAIN_SERVER = int(sys.argv[5]), sys.argv[6], sys.argv[7], sys.argv[8]
CONNECTIONS = [1, 16, 64, 256]
COLUMNS = (f"{'what':10} {'conn':>5} {'cpu us':>16} {'db us':>16} {'ratio':>17} {'req/s':>9} {'p50 ms':>8} {'p99 ms':>8} "
           f"{'batch':>6} {'steal':>6}")


class Row:
    """What was measured of one kind of request, round by round."""

    def __init__(self):
        self.rounds = []

    def measure(self, load, processes, store):
        """Runs a load, and reads the processor time of the service and of the database before and after."""
        used, stolen = [cpu_ms(pids) for pids in processes], steal()
        counted = (stat("units", store), stat("batches", store)) if store else None
        answered = load()
        cpu, database = (1000 * (cpu_ms(pids) - before) / answered.done for pids, before in zip(processes, used))
        taken, ticks = (now - before for now, before in zip(steal(), stolen))
        batch = (stat("units", store) - counted[0]) / max(stat("batches", store) - counted[1], 1) if store else 0
        self.rounds.append({"cpu": cpu, "database": database, **answered._asdict(), "batch": batch,
                            "steal": taken / max(ticks, 1)})
        return cpu + database

    def median(self, name):
        return statistics.median(self.column(name))

    def column(self, name):
        return [one[name] for one in self.rounds]


def spread(values, digits=0):
    """A median with the least and the most."""
    low, middle, high = (f"{value:.{digits}f}" for value in (min(values), statistics.median(values), max(values)))
    return f"{middle} ({low}-{high})"


def line(name, connections, row):
    database = spread(row.column("database")) if any(row.column("database")) else ""
    batch = f"{row.median('batch'):.1f}" if row.median("batch") else ""
    return (f"{name:10} {connections:5} {spread(row.column('cpu')):>16} {database:>16} {spread(row.column('ratio'), 2):>17} "
            f"{row.median('rate'):9.0f} {row.median('p50'):8.2f} {row.median('p99'):8.2f} {batch:>6} "
            f"{max(row.column('steal')):6.1%}")


def main():
    live = post("/api/tokens", VENDOR["live"])["access_token"]
    sandbox = post("/api/sandbox/vendor/tokens", VENDOR["sandbox"])["access_token"]
    session = post("/api/product/session", ORDER, live)["session_id"]
    # The no-op is first: each ratio is to that of its own round.
    measurements = [
        ("noop", "/bench/noop", constant("POST", live, ORDER), None),
        ("plain axum", PLAIN_URL + "/created", constant("POST", live, ORDER), None),
        ("create", "/api/product/session", constant("POST", live, ORDER), "live"),
        ("status", f"/api/product/session/{session}", constant("GET", live), None),
        ("token", "/api/tokens", constant("POST", None, VENDOR["live"]), None),
        ("simulate", "/", simulate(sandbox), "sandbox"),
    ]
    print("processor time of a request in microseconds, of the service and of the database: median (least-most) of the rounds; "
          "ratio of their sum to the no-op's", flush=True)
    for connections in CONNECTIONS:
        rows = {name: Row() for name, *_ in measurements}
        for _ in range(ROUNDS):
            for name, path, script, store in measurements:
                processes = [[PLAIN_SERVER], []] if name == "plain axum" else watched(SERVICE)
                used = rows[name].measure(lambda: wrk(name, path, connections, script), processes, store)
                noop = used if name == "noop" else noop
                rows[name].rounds[-1]["ratio"] = used / noop
                # What follows a request by itself is not of the next measurement.
                time.sleep(0.3)
        print(COLUMNS)
        for name, row in rows.items():
            print(line(name, connections, row), flush=True)


main()
