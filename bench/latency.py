"""The steps of bench/latency: the largest rate of creates, then shares of it at a fixed rate, and at the end the plot."""

import json
import pathlib
import statistics
import subprocess
import sys

sys.path.append("tests/faults")
import plot

SHARES = [share / 10 for share in range(1, 10)]
LARGEST, CONNECTIONS = 64, 256
PERCENTILES = {"median": "p50", "p99": "p99", "p99.9": "p99.9"}
PICTURE = pathlib.Path("docs/images/latency.svg")


def largest(token, seconds):
    """The largest rate: of some connections that never pause."""
    import load

    script = load.constant("POST", token, load.ORDER)
    load.wrk("warm", load.LIVE, LARGEST, script, seconds=2)
    return statistics.median(load.wrk("create", load.LIVE, LARGEST, script, seconds=seconds).rate for _ in range(3))


def at_rate(token, rate, seconds):
    """Creates at this rate. The time of a request counts from when it was to be sent."""
    import load

    out = subprocess.run(
        [".tools/oha/bin/oha", "--no-tui", "--output-format", "json", "--latency-correction", "-q", f"{rate:.0f}", "-z", f"{seconds}s", "-c",
         str(CONNECTIONS), "--wait-ongoing-requests-after-deadline", "-m", "POST", "-T", "application/json", "-H", f"Authorization: Bearer {token}",
         "-d", json.dumps(load.ORDER), load.URL + load.LIVE],
        capture_output=True, text=True, check=True).stdout
    found = json.loads(out)
    answers = found["statusCodeDistribution"]
    if set(answers) != {"201"} or found["errorDistribution"]:
        sys.exit(f"at {rate:.0f} a second: {answers} {found['errorDistribution']}")
    percentiles = {name: 1000 * found["latencyPercentiles"][key] for name, key in PERCENTILES.items()}
    return {"sent": answers["201"] / seconds, **percentiles}


def measure(engine, seconds):
    import load
    from processor import steal

    token = load.post("/api/tokens", load.VENDOR["live"])["access_token"]
    most = largest(token, min(float(seconds), 5))
    print(f"\n{engine}: largest rate {most:,.0f} a second at {LARGEST} connections\n"
          f"{'load':>5} {'a second':>9} {'median ms':>10} {'p99 ms':>8} {'p99.9 ms':>9} {'steal':>6}", flush=True)
    rows = []
    for share in SHARES:
        before = steal()
        row = at_rate(token, share * most, float(seconds))
        taken, ticks = (now - then for now, then in zip(steal(), before))
        rows.append({"share": share, **row})
        print(f"{share:5.0%} {row['sent']:9,.0f} {row['median']:10.2f} {row['p99']:8.2f} {row['p99.9']:9.2f} {taken / max(ticks, 1):6.1%}",
              flush=True)
    (load.FOLDER / f"latency-{engine}.json").write_text(json.dumps(rows))


def draw(folder):
    charts = {}
    for file in sorted(pathlib.Path(folder).glob("latency-*.json")):
        rows = json.loads(file.read_text())
        engine = {"sqlite": "SQLite", "postgres": "PostgreSQL"}[file.stem.removeprefix("latency-")]
        charts[f"{engine}, milliseconds"] = {name: [(100 * row["share"], row[name]) for row in rows] for name in PERCENTILES}
    PICTURE.write_text(plot.draw(dict(reversed(charts.items())), "A create, over the load in parts of 100 of the largest rate", unit="%"))
    print(f"\ndrew {PICTURE}")


if sys.argv[1] == "draw":
    draw(sys.argv[3])
else:
    measure(sys.argv[5], sys.argv[4])
