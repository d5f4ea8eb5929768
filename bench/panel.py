"""The steps of bench/panel: fill a sandbox with sessions that ended, and look at them as a vendor and as the operator."""

import concurrent.futures
import json
import os
import subprocess
import sys

from browser import Browser, Client, export, heading, look
from load import FOLDER, ORDER, URL, VENDOR, constant, post, stat, wrk

# The service fills so many; bench/multiply.py makes more of them.
SESSIONS = min(int(sys.argv[5]), 10_000)
# The small service and the large one.
URLS = [*os.environ.get("BENCH_SMALL", "").split()[:1], URL]
TILL, VENDORS, STEP = sys.argv[7], int(sys.argv[8]), sys.argv[9]
CONNECTIONS = 64
BASE = "/api/sandbox/vendor/checkout-session"


def story(token, run):
    """Each connection creates a session with an order of its own, and ends it: mostly paid, some of it refunded."""
    head = f'local token, order, run = "Bearer {token}", [==[{json.dumps(ORDER)}]==], "{run}"\n'
    return head + f'local base = "{BASE}"\n' + """
local headers = { ["Content-Type"] = "application/json", ["Authorization"] = token }
local waiting, refunded, number, paid = {}, {}, 0, 0
local threads = 0
function setup(thread) thread:set("place", threads); threads = threads + 1 end
request = function()
  -- Those at the front have been paid by now.
  if #refunded > 30 then
    return wrk.format("POST", base .. "/" .. table.remove(refunded, 1) .. "/refunds", headers, "{}")
  end
  local id = table.remove(waiting)
  if id then
    local outcome = '{"outcome":"paid"}'
    if number % 20 == 0 then outcome = '{"outcome":"expired"}'
    elseif number % 7 == 0 then outcome = '{"outcome":"failed","failure_reason":"insufficient_funds"}'
    else
      paid = paid + 1
      if paid % 25 == 0 then table.insert(refunded, id) end
    end
    return wrk.format("POST", base .. "/" .. id .. "/simulate", headers, outcome)
  end
  number = number + 1
  return wrk.format("POST", base, headers, (order:gsub("A%-1042", run .. "-" .. place .. "-" .. number)))
end
response = function(status, _, body)
  if status == 201 then table.insert(waiting, body:match('"session_id":"([^"]+)"')) end
end
"""


def fill(token):
    began, done, run = stat("units", "sandbox"), 0, 0
    while done < SESSIONS:
        wrk("fill", BASE, CONNECTIONS, story(token, f"run{run}"), seconds=2)
        run += 1
        # A create and an outcome for each.
        done = (stat("units", "sandbox") - began) // 2
        share = min(done / SESSIONS, 1)
        print(f"\r[{'#' * int(share * 40):40}] {share:4.0%} of {SESSIONS:,}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def another_vendor(number):
    """Creates a vendor with one session that ended."""
    command = [TILL, "vendor", "create", "--name", f"Vendor {number}", "--sandbox", "--json"]
    vendor = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    token = post("/api/sandbox/vendor/tokens", vendor["sandbox"])["access_token"]
    session = post(BASE, ORDER | {"order_id": f"of-{number}"}, token)["session_id"]
    post(f"{BASE}/{session}/simulate", {"outcome": "paid"}, token)


def more_vendors():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for done, _ in enumerate(pool.map(another_vendor, range(VENDORS)), 1):
            share = done / VENDORS
            if not sys.stderr.isatty():
                continue
            print(f"\r[{'#' * int(share * 40):40}] {share:4.0%} of {VENDORS:,} vendors", end="", file=sys.stderr)
    print(file=sys.stderr)


def console(first):
    browser = [Browser("operator.json", url) for url in URLS]
    look(browser, "home", "/operator")
    for name, query in [
        ("all sessions, first page", "env=sandbox"),
        ("all sessions, last page", "env=sandbox&after={first}"),
        ("all sessions, failed", "env=sandbox&status=failed"),
        ("all sessions, expired, last page", "env=sandbox&status=expired&after={first}"),
        ("all sessions, a method nobody used", "env=sandbox&method=crypto"),
        ("all sessions, pending", "env=sandbox&status=pending"),
        ("all sessions, of one vendor", f"env=sandbox&vendor={VENDOR['vendor_id']}"),
    ]:
        look(browser, name, f"/operator/sessions?{query}", first)
    look(browser, "vendors", "/operator/vendors")
    look(browser, "one vendor", f"/operator/vendors/{VENDOR['vendor_id']}")
    look(browser, "search, beginning of an order", "/operator/search?q=the-fir")
    look(browser, "search, an order of one vendor", f"/operator/search?q=of-{VENDORS - 1}")
    look(browser, "search, an amount nobody paid", "/operator/search?q=12345.67")
    look(browser, "search, nothing", "/operator/search?q=zzz-nothing")


def api():
    """The lists of the API, 100 rows a page."""
    clients = [Client(VENDOR, url) for url in URLS]
    for name, path in [
        ("API, newest sessions", f"{BASE}?limit=100"),
        ("API, failed sessions", f"{BASE}?limit=100&status=failed"),
        ("API, pending sessions", f"{BASE}?limit=100&status=pending"),
        ("API, sessions of an order", f"{BASE}?limit=100&order_id=the-first"),
        ("API, expired until a time", f"{BASE}?limit=100&status=expired&created_to=2026-11-01"),
        ("API, newest transactions", "/api/sandbox/vendor/transactions?limit=100"),
        ("API, payments until a time", "/api/sandbox/vendor/transactions?limit=100&type=payment&created_to=2026-11-01"),
        ("API, refunds", "/api/sandbox/vendor/transactions?limit=100&type=refund"),
        ("API, lost disputes", "/api/sandbox/vendor/transactions?limit=100&type=dispute"),
        ("API, transactions of an order", "/api/sandbox/vendor/transactions?limit=100&order_id=the-first"),
    ]:
        look(clients, name, path)


def fill_sandbox(sandbox):
    first = post(BASE, ORDER | {"order_id": "the-first"}, sandbox)["session_id"]
    post(f"{BASE}/{first}/simulate", {"outcome": "paid"}, sandbox)
    before = wrk("create", BASE, CONNECTIONS, constant("POST", sandbox, ORDER)).rate
    more_vendors()
    fill(sandbox)
    (FOLDER / "filled.json").write_text(json.dumps({"first": first, "before": before}))


def look_at_pages(sandbox):
    filled = [json.loads((FOLDER / name).read_text()) for name in ("small.json", "filled.json")]
    first, before = [one["first"] for one in filled], filled[1]["before"]
    browser = [Browser(url=url) for url in URLS]
    heading()
    look(browser, "overview", "/panel")
    look(browser, "sessions, first page", "/panel/sessions")
    look(browser, "sessions, last page", "/panel/sessions?after={first}", first)
    look(browser, "sessions, failed", "/panel/sessions?status=failed")
    look(browser, "sessions, expired, last page", "/panel/sessions?status=expired&after={first}", first)
    look(browser, "sessions, a method nobody used", "/panel/sessions?method=crypto")
    look(browser, "sessions, pending", "/panel/sessions?status=pending")
    look(browser, "search by order", "/panel/sessions?q=the-first")
    look(browser, "one session", "/panel/sessions/{first}", first)
    look(browser, "transactions, first page", "/panel/transactions")
    look(browser, "callbacks, first page", "/panel/callbacks")
    look(browser, "callbacks, undelivered", "/panel/callbacks?status=undelivered")
    export(browser[1], "/panel/sessions.csv")
    api()
    console(first)
    after = wrk("create", BASE, CONNECTIONS, constant("POST", sandbox, ORDER)).rate
    print(f"create: {before:,.0f}/s before, {after:,.0f}/s after, kept {after / before:.2f}")


def main():
    sandbox = post("/api/sandbox/vendor/tokens", VENDOR["sandbox"])["access_token"]
    {"fill": fill_sandbox, "look": look_at_pages}[STEP](sandbox)


main()
