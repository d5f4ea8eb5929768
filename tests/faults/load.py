"""Too much, too slow, and too long: a flood of creates, a database that answers late, and a soak."""

import contextlib
import json
import os
import re
import resource
import statistics
import threading
import time

import checker
import machine
import plot
import postgres
import till
from ground import HERE, Figures
from scenario import scenario

# The write queue of a node holds 4096: of this many clients at once, some have to be refused.
CLIENTS, USUAL, SECONDS = 6000, 64, 10
# What a flood may add to a node's memory, in MiB (50 KiB for each client); and how soon all is as before, in seconds.
MEMORY, RECOVERY = 300.0, 5.0
CONNECTIONS = {"TILL_MAX_CONNECTIONS_PER_ADDRESS": "10000"}


def flood(ground, clients, seconds):
    """Creates by this many clients without a pause: what wrk counted."""
    token = ground.shop.token("sandbox")
    url = f"http://{machine.LOOPBACK}:{ground.nodes[0].port}{till.SESSIONS['sandbox']}"
    found = machine.run(["wrk", f"-c{clients}", "-t2", f"-d{seconds}s", "--timeout", "20s", "-s", HERE / "flood.lua", url, "--",
                         token])
    return json.loads(re.search(r"RESULT (.*)", found)[1])


class Watch:
    """Samples a node in a thread until the block ends."""

    def __init__(self, node, every=0.2):
        self.node, self.every, self.memory, self.files, self.ended = node, every, [], [], threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.keep_looking, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def keep_looking(self):
        while not self.ended.wait(self.every):
            memory, files, _ = self.node.resources()
            self.memory.append(memory)
            self.files.append(files)


def create(ground):
    """How long a create takes, and whether it was acknowledged."""
    client, began = till.Client(ground.shop.ports), time.monotonic()
    with contextlib.closing(client):
        try:
            answer = ground.shop.call(client, 0, "sandbox", "", ground.shop.order("probe"))
        except till.Failure:
            return time.monotonic() - began, False
        return time.monotonic() - began, answer.status == 201


def normal_after(ground, limit):
    """The time until five creates in a row are acknowledged, each within the limit."""
    began, row = time.monotonic(), 0
    while row < 5:
        took, created = create(ground)
        row = row + 1 if created and took < limit else 0
        if time.monotonic() - began > 120:
            raise machine.Trouble("it does not recover within two minutes")
        time.sleep(0.02)
    return time.monotonic() - began


def overwhelm(ground, clients, seconds, begin=lambda: None, repair=lambda: None):
    """Measures what is usual, floods between two orders, and measures how soon all is as usual again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 20000)), hard))
    node = ground.nodes[0]
    usual = flood(ground, USUAL, max(3, seconds // 3))
    before, pace = node.resources()[0], statistics.median(create(ground)[0] for _ in range(20))
    begin()
    with Watch(node) as watch:
        flooded = flood(ground, clients, seconds)
    repair()
    recovered = normal_after(ground, max(0.25, pace * 10))
    refused = flooded["refused"] + flooded["limited"]
    notes = {
        "clients": clients, "asked_for_each_created": round(1 + refused / max(1, flooded["created"]), 1),
        "usual_per_second": round(usual["created"] / usual["seconds"]),
        "created_per_second": round(flooded["created"] / flooded["seconds"]), "created": flooded["created"],
        "refused": refused, "without_retry_after": flooded["silent"],
        "other_answers": flooded["other"], "p99_ms": flooded["p99"], "max_ms": flooded["max"],
        "connection_errors": flooded["connect"] + flooded["read"] + flooded["write"], "timeouts": flooded["timeout"],
        "memory_before_mib": round(before), "memory_most_mib": round(max(watch.memory)), "recovered_after_s": round(recovered, 2),
    }
    stored = int(postgres.query(ground.database.ports[0], "SELECT count(*) FROM sandbox.sessions", ground.name))
    verdict = checker.Verdict(sessions=flooded["created"])
    if stored < usual["created"] + flooded["created"]:
        verdict.lost.append(f"{usual['created'] + flooded['created']} creates were acknowledged, and {stored} are stored")
    return Figures(verdict, [], None, {}, flooded["max"] / 1000, notes)


def refused_well(ground, figures, slack):
    """What is too much is refused with a time to try again, within bounds, and leaves nothing behind."""
    notes = figures.notes
    checks = [
        (notes["without_retry_after"], "refusals have no Retry-After"),
        (notes["other_answers"], "answers are neither 201, 429 nor 503"),
        (notes["timeouts"], "requests had no answer within 20 s"), (notes["connection_errors"], "connections failed"),
        (max(0, notes["memory_most_mib"] - notes["memory_before_mib"] - MEMORY), "MiB of memory above the bound"),
        (max(0.0, notes["recovered_after_s"] - RECOVERY - slack), "s too late back to normal"),
    ]
    return [f"{number} {text}" for number, text in checks if number]


def served_on(ground, figures, slack):
    """The same, and it does not collapse."""
    slow = figures.notes["created_per_second"] < figures.notes["usual_per_second"] * 0.3
    return refused_well(ground, figures, slack) + (["less than a third of the usual rate was served"] if slow else [])


def refused_more_than_served(ground, figures, slack):
    """The same, and there was too much indeed."""
    few = figures.notes["refused"] < figures.notes["created"]
    return refused_well(ground, figures, slack) + (["fewer were refused than served: it was not too much"] if few else [])


@scenario("overload", f"{CLIENTS} clients at once create without a pause", "F22, F23", nodes=1, goals=served_on, crowd=False,
          settings=CONNECTIONS)
def overload(ground):
    return overwhelm(ground, CLIENTS, SECONDS)


@scenario("slow-database", f"each question to the database takes 300 ms longer, and {CLIENTS} clients at once create", "F21, F23",
          nodes=1, through=(0,), goals=refused_more_than_served, crowd=False, settings=CONNECTIONS)
def slow_database(ground):
    forwarder = ground.forwarders[0][0]
    return overwhelm(ground, CLIENTS, 2 * SECONDS, lambda: forwarder.order("delay 150"), lambda: forwarder.order("open"))


class Soak:
    """Samples of every node and of the database while a crowd is served for minutes or hours."""

    LAGS = "till_callback_lag_milliseconds", "till_payment_lag_milliseconds", "till_expiry_lag_milliseconds"

    def __init__(self, ground):
        self.ground, self.series, self.began = ground, {}, time.monotonic()

    def sample(self):
        at = (time.monotonic() - self.began) / 60
        for node in self.ground.nodes:
            memory, files, _ = node.resources()
            found = node.metrics()
            for name, value in (("memory, MiB", memory), ("open files", files),
                                ("lag, ms", max(found.get(lag, 0.0) for lag in self.LAGS)),
                                ("unsealed ledger entries", found.get("till_ledger_unsealed", 0.0))):
                self.series.setdefault(name, {}).setdefault(f"node {node.number}", []).append((at, value))
        connections = postgres.query(self.ground.database.ports[0], "SELECT count(*) FROM pg_stat_activity WHERE datname = "
                                     f"'{self.ground.name}' AND application_name LIKE 'till%'")
        self.series.setdefault("database connections", {}).setdefault("all nodes", []).append((at, float(connections)))

    def ends(self, name):
        """The medians of the second and of the last fifth, for each line of a chart: the first fifth is a warm-up."""
        for line in self.series[name].values():
            values = [value for _, value in line]
            fifth = max(1, len(values) // 5)
            yield statistics.median(values[fifth:2 * fifth]), statistics.median(values[-fifth:])


# How much each may rise from the second fifth of a soak to its last one: a share, and what is too little to count.
RISES = {"memory, MiB": (0.10, 8.0), "open files": (0.10, 16.0), "database connections": (0.0, 4.0),
         "lag, ms": (0.0, 2000.0), "unsealed ledger entries": (0.0, 200.0)}


def flat(ground, figures, slack):
    """Nothing grows."""
    missed = []
    for name, (share, least) in RISES.items():
        ends = list(ground.soak.ends(name))
        figures.notes[name] = [[round(first, 1), round(last, 1)] for first, last in ends]
        missed += [f"{name}: from {first:.0f} to {last:.0f}" for first, last in ends if last - first > max(first * share, least)]
    return missed


@scenario("soak", "a crowd is served for minutes or hours, and nothing grows", "F32", goals=flat, runs=1)
def soak(ground):
    minutes = float(os.environ.get("TILL_SOAK_MINUTES", "5"))
    ground.soak, end = Soak(ground), time.monotonic() + minutes * 60
    while time.monotonic() < end:
        ground.soak.sample()
        time.sleep(max(1.0, minutes / 5))
    ground.kept["soak.svg"] = plot.draw(ground.soak.series, f"A soak of {minutes:g} minutes")
