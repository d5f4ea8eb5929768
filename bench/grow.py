"""The steps of bench/growth: fill the store up to a number of sessions, and measure create and status."""

import json
import sys

from load import FOLDER, ORDER, VENDOR, constant, post, stat, wrk

SESSIONS, STEP = int(sys.argv[5]), sys.argv[6]
CONNECTIONS = 64
CREATE = "/api/product/session"


def fill(token):
    """Creates sessions until there are enough, with a bar."""
    counts = FOLDER / "sessions"
    before = int(counts.read_text()) if counts.exists() else 0
    began, done = stat("units", "live"), before
    while done < SESSIONS:
        wrk("fill", CREATE, CONNECTIONS, constant("POST", token, ORDER), seconds=2)
        done = before + stat("units", "live") - began
        share = min(done / SESSIONS, 1)
        bar = "#" * int(share * 40)
        print(f"\r[{bar:40}] {share:4.0%} of {SESSIONS:,}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    counts.write_text(str(done))
    return done


def measure(token):
    session = post(CREATE, ORDER, token)["session_id"]
    steps = {"create": (CREATE, constant("POST", token, ORDER)), "status": (f"{CREATE}/{session}", constant("GET", token))}
    return {name: wrk(name, path, CONNECTIONS, script)[1:] for name, (path, script) in steps.items()}


def main():
    token = post("/api/tokens", VENDOR["live"])["access_token"]
    done = fill(token)
    first, found = FOLDER / "first.json", measure(token)
    if STEP == "first":
        first.write_text(json.dumps(found))
    before = json.loads(first.read_text())
    for name, (rate, p50, p99) in found.items():
        kept = rate / before[name][0]
        print(f"{done:>11,} sessions  {name:7} {rate:9.0f} req/s  p50 {p50:.2f} ms  p99 {p99:.2f} ms  kept {kept:.2f}")


main()
