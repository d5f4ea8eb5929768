"""Checks packaging/observability/ and docs/metrics.md against the scrape of a busy service: the alerts and their tests, the
queries of the dashboard, and the page's list of metrics."""

import json
import pathlib
import re
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
import service

PACKAGE = pathlib.Path("packaging/observability")
PAGE = pathlib.Path("docs/metrics.md")
# What Prometheus makes itself.
OWN = {"up": [{"instance", "job"}]}
ROWS = ["Traffic and outcomes", "Latency", "Callbacks", "Providers", "Chains", "Money that waits for a person", "Store", "Process"]
CONDITIONS = {"after the first event", "only with chains", "only on the embedded store"}


def families(scrape):
    """The families of a scrape by the name that queries use, with type and label names."""
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", scrape, re.M))
    found = {}
    for name, kind in kinds.items():
        samples = re.findall(rf"^{name}(?:_total|_count|_sum|_bucket)?(?:\{{(.*)\}})? ", scrape, re.M)
        labels = {label for sample in samples for label in re.findall(r'(\w+)="', sample)} - {"le"}
        found[f"{name}_total" if kind == "counter" else name] = (kind, labels)
    return found


def series(text):
    """Every series of a text, as its name with sorted labels; without those that Prometheus adds."""
    for name, labels in re.findall(r"\b(till_\w+)(?:\{((?:[^{}\"]|\"[^\"]*\")*)\})?", text):
        pairs = re.findall(r'(\w+)="([^"]*)"', labels)
        yield name, tuple(sorted(pair for pair in pairs if pair[0] not in ("instance", "job")))


def check_the_page(found):
    """The page lists the families of the scrape, each once with its type and labels, and has a runbook for each alert."""
    text = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| `(till_\w+)` (\w+)(?:: ((?:`\w+`(?:, )?)+))?(?: \*\(([^)]+)\)\*)? \| (.+) \| (.+) \|$", text, re.M)
    if len(rows) != len(re.findall(r"^\| `till_", text, re.M)):
        yield f"{PAGE} has a row of another form than: | `name` type: `label` *(condition)* | meaning | normal value |"
    listed = {}
    for name, kind, labels, condition, *_ in rows:
        if name in listed:
            yield f"{PAGE} lists {name} twice"
        if condition and condition not in CONDITIONS:
            yield f"{PAGE} has an unknown condition at {name}: {condition}"
        listed[name] = (kind, set(re.findall(r"\w+", labels)), condition)
    for name in found.keys() - listed.keys():
        yield f"{PAGE} does not list {name}"
    for name, (kind, labels, condition) in listed.items():
        if name in found and found[name] != (kind, labels):
            yield f"{PAGE} says {kind} {sorted(labels)} of {name}; the service has {found[name][0]} {sorted(found[name][1])}"
        if name not in found and not condition:
            yield f"{PAGE} lists {name}, which the service does not have"
    for name, _ in series(text):
        if base(name, listed) not in listed:
            yield f"{PAGE} names {name}, which is not in its tables"


def base(name, known):
    """The family of a series: histograms have three each."""
    short = re.sub(r"_(bucket|sum|count)$", "", name)
    return short if short in known else name


def check_the_alerts(prometheus, page, listed):
    """Each alert has its texts, a runbook on the page and a test in which it fires, and names metrics that exist."""
    tests = "".join((PACKAGE / name).read_text("utf-8") for name in ("alerts_test.yaml", "alerts_days_test.yaml"))
    names = []
    for rule in prometheus.rules():
        name, words = rule["name"], rule["annotations"]
        names.append(name)
        if rule["labels"].get("severity") not in ("critical", "warning"):
            yield f"{name} has no severity"
        for word in ("summary", "description"):
            if not words.get(word):
                yield f"{name} has no {word}"
        if words.get("runbook_url") != f"{PAGE}#{name.lower()}" or f"\n### {name}\n" not in page:
            yield f"{name} has no runbook at {PAGE}#{name.lower()}"
        if f"exp_samples: [ {{ labels: '{{alertname=\"{name}\"}}', value: 1 }} ]" not in tests:
            yield f"{name} fires in no test"
        if f'- name: "{name}' not in tests or not re.search(rf'- name: "{name}[.\"](?:(?!- name:).)*exp_samples: \[\] ', tests, re.S):
            yield f"{name} is silent in no test"
        for metric, _ in series(rule["query"]):
            if base(metric, listed) not in listed:
                yield f"{name} asks for {metric}, which the service does not have"
    for heading in re.findall(r"^### (Till\w+)$", page, re.M):
        if heading not in names:
            yield f"{PAGE} has a runbook of {heading}, which is no alert"
    if len(names) != len(set(names)):
        yield "two alerts have one name"


def check_the_made_up_series(scrape):
    """The series of the alerts' tests are those of a running service, with all their labels."""
    real = set(series(scrape))
    for name in ("alerts_test.yaml", "alerts_days_test.yaml"):
        for line in re.findall(r"series: '([^']+)'", (PACKAGE / name).read_text("utf-8")):
            if not line.startswith("up{") and not set(series(line)) <= real:
                yield f"{name} has {line}, which the service does not have"


def check_the_dashboard(prometheus, listed):
    """Each panel has its words and asks for metrics that exist, in queries that Prometheus accepts."""
    board = json.loads((PACKAGE / "dashboard.json").read_text("utf-8"))
    panels = board["panels"]
    if board["schemaVersion"] < 38:
        yield "the dashboard's schema is older than Grafana 10"
    if len({panel["id"] for panel in panels}) != len(panels):
        yield "two panels have one id"
    if [panel["title"] for panel in panels if panel["type"] == "row"] != ROWS:
        yield f"the rows of the dashboard are not {ROWS}"
    asked, taken = set(), set()
    for panel in panels:
        place, title = panel["gridPos"], panel.get("title")
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        if cells & taken or place["x"] + place["w"] > 24:
            yield f"the panel {title!r} covers another, or leaves the grid"
        taken |= cells
        if panel["type"] == "row":
            continue
        if not (title and panel.get("description") and panel["fieldConfig"]["defaults"].get("unit") and panel["targets"]):
            yield f"the panel {title or panel['id']!r} lacks a title, a description, a unit or a query"
        for target in panel["targets"]:
            query = target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
            asked |= {base(name, listed) for name, _ in series(query)}
            if trouble := prometheus.refuses(query):
                yield f"a query of the panel {title!r} is wrong: {trouble}"
    for name in asked - listed.keys():
        yield f"the dashboard asks for {name}, which the service does not have"
    for name in listed.keys() - asked:
        yield f"no panel of the dashboard shows {name}"


def main():
    with tempfile.TemporaryDirectory() as name, service.anvil(pathlib.Path(name)) as (_, chain), service.receiver() as shop:
        folder = pathlib.Path(name)
        till = service.Till(folder, chain)
        with till.serve():
            till.be_busy(shop)
            scrape = till.scrape()
            found = families(scrape)
            rules = folder / "alerts.yaml"
            rules.write_text((PACKAGE / "alerts.yaml").read_text("utf-8"), "utf-8")
            with service.prometheus(folder, till, rules) as prometheus:
                wrong = [*check_the_page(found), *check_the_made_up_series(scrape)]
                wrong += check_the_alerts(prometheus, PAGE.read_text("utf-8"), found)
                wrong += check_the_dashboard(prometheus, found)
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(found)} metrics, and all alerts, panels and runbooks about them, are those of a running service")


main()
