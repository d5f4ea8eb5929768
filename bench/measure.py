"""Drives wrk through every measurement of bench/run and prints one table."""

import json
import pathlib
import re
import statistics
import subprocess
import sys
import urllib.request

URL, METRICS, FOLDER, SECONDS, ROUNDS = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4], int(sys.argv[5])
CONNECTIONS = [1, 16, 64, 256]
VENDOR = json.load(open(FOLDER / "vendor.json"))
ORDER = {
    "product_name": "Atlas of Northern Light",
    "price": "4990.00",
    "currency": "RUB",
    "order_id": "A-1042",
    "callback_url": "https://shop.example.com/callback",
}


def post(path, body, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))


def stat(name, store):
    text = urllib.request.urlopen(METRICS).read().decode()
    return int(re.search(rf'^till_store_{name}_total{{store="{store}"}} (\d+)$', text, re.M)[1])


def wrk(name, path, connections, script):
    file = FOLDER / f"{name}.lua"
    file.write_text(script)
    threads = "2" if connections >= 2 else "1"
    command = ["wrk", "-t", threads, "-c", str(connections), "-d", f"{SECONDS}s", "--latency", "-s", str(file), URL + path]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad:
        sys.exit(f"{name}: {bad[0]}")
    rate = float(re.search(r"Requests/sec: +([\d.]+)", out)[1])
    return rate, milliseconds(re.search(r"50% +(\S+)", out)[1]), milliseconds(re.search(r"99% +(\S+)", out)[1])


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def constant(method, token, body=None):
    lines = [f'wrk.method = "{method}"', 'wrk.headers["Content-Type"] = "application/json"']
    if token:
        lines.append(f'wrk.headers["Authorization"] = "Bearer {token}"')
    if body:
        lines.append(f"wrk.body = [==[{json.dumps(body)}]==]")
    return "\n".join(lines)


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


def simulate(token):
    """Each connection creates a session and then gives it its outcome; the rate counts both requests."""
    return (
        f'local token, order = "Bearer {token}", [==[{json.dumps(ORDER)}]==]\n'
        + """
local base, headers = "/api/sandbox/vendor/checkout-session", { ["Content-Type"] = "application/json", ["Authorization"] = token }
local waiting = {}
request = function()
  local id = table.remove(waiting)
  if id then return wrk.format("POST", base .. "/" .. id .. "/simulate", headers, '{"outcome":"paid"}') end
  return wrk.format("POST", base, headers, order)
end
response = function(status, _, body)
  if status == 201 then table.insert(waiting, body:match('"session_id":"([^"]+)"')) end
end
"""
    )


main()
