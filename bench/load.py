"""What the benches share: a vendor's requests, wrk to repeat them, and the service's own counters."""

import json
import pathlib
import re
import secrets
import subprocess
import sys
import typing
import urllib.request

URL, METRICS, FOLDER, SECONDS = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
VENDOR = json.load(open(FOLDER / "vendor.json"))
# Where live sessions are created.
LIVE = "/api/product/session"
ORDER = {
    "product_name": "Atlas of Northern Light",
    "price": "4990.00",
    "currency": "RUB",
    "order_id": "A-1042",
    # No callback_url: what expires during a long run would be sent.
    "return_url": "https://shop.example.com/thanks",
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


class Load(typing.NamedTuple):
    """What wrk counted: answers, answers in a second, and how long the middle one and the slowest of a hundred took."""

    done: int
    rate: float
    p50: float
    p99: float


def wrk(name, path, connections, script, seconds=SECONDS):
    """Repeats a request, to the service or to a whole address."""
    file = FOLDER / f"{name}.lua"
    file.write_text(script)
    threads = "2" if connections >= 2 else "1"
    address = path if path.startswith("http") else URL + path
    command = ["wrk", "-t", threads, "-c", str(connections), "-d", f"{seconds}s", "--latency", "-s", str(file), address]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad:
        sys.exit(f"{name}: {bad[0]}")
    done = int(re.search(r"(\d+) requests in", out)[1])
    rate = float(re.search(r"Requests/sec: +([\d.]+)", out)[1])
    p50, p99 = (milliseconds(re.search(rf"{share}% +(\S+)", out)[1]) for share in (50, 99))
    return Load(done, rate, p50, p99)


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


def simulate(token):
    """Each connection creates a session and then gives it its outcome; the rate counts both requests. The texts are put
    together by hand: what the load generator takes from the two cores is missing from the service."""
    order = json.dumps(ORDER)
    base = "/api/sandbox/vendor/checkout-session"
    return (
        f'local create = "{head(base, token, order)}" .. [==[{order}]==]\n'
        + f'local before, after = "POST {base}/", "{rest_of_head("/simulate", token, OUTCOME)}" .. [==[{OUTCOME}]==]\n'
        + """
local waiting, number = {}, 0
request = function()
  if number == 0 then return create end
  number = number - 1
  return before .. waiting[number + 1] .. after
end
response = function(status, _, body)
  if status == 201 then
    local _, stop = body:find('"session_id":"', 1, true)
    number = number + 1
    waiting[number] = body:sub(stop + 1, stop + 36)
  end
end
"""
    )


OUTCOME = '{"outcome":"paid"}'


def head(path, token, body):
    return f"POST {path}" + rest_of_head("", token, body)


def rest_of_head(path, token, body):
    """A request's head from the end of its path on, as Lua writes it."""
    host = URL.split("//")[1]
    lines = [f"{path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json", f"Authorization: Bearer {token}"]
    return "\\r\\n".join([*lines, f"Content-Length: {len(body)}", "", ""])


def payments(token, with_page=False):
    """Each connection creates a session, opens its page if that is wanted, pays it by card and approves that at the bank."""
    # A page asks before an order is paid twice: each payment has an order of its own, also in another run of the same load.
    head = (f'local with_page, run = {str(with_page).lower()}, "{secrets.token_hex(4)}"\n'
            f'local token, order, base = "Bearer {token}", [==[{json.dumps(ORDER)}]==], "{LIVE}"\n')
    return head + """
local json = { ["Content-Type"] = "application/json", ["Authorization"] = token }
local form = { ["Content-Type"] = "application/x-www-form-urlencoded", ["Sec-Fetch-Site"] = "same-origin" }
local created, opened, begun, number = {}, {}, {}, 0
local threads = 0
setup = function(thread) thread:set("name", run .. "-" .. threads); threads = threads + 1 end
request = function()
  local bank = table.remove(begun)
  if bank then return wrk.format("POST", bank, form, "decision=approve") end
  local new = table.remove(created)
  if new then
    table.insert(opened, new)
    if with_page then return wrk.format("GET", "/session/" .. new, {}) end
  end
  local id = table.remove(opened)
  if id then return wrk.format("POST", "/session/" .. id .. "/pay", form, "method=card") end
  number = number + 1
  return wrk.format("POST", base, json, (order:gsub("A%-1042", "A-" .. name .. "-" .. number)))
end
response = function(status, headers, body)
  if status == 201 then table.insert(created, body:match('"session_id":"([^"]+)"')) return end
  local bank = (headers["location"] or headers["Location"] or ""):match("/bank/[^?]+")
  if status == 303 and bank and not body:find("approve") then table.insert(begun, bank) end
end
"""
