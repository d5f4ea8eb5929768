"""A person who looks at the panel: logs in, opens pages again and again, saves files."""

import http.cookiejar
import json
import os
import pathlib
import re
import statistics
import sys
import time
import urllib.parse
import urllib.request

from load import FOLDER, URL
from processor import cpu_ms, steal, watched

SERVICE = sys.argv[6]
LOOKS = 30


class Browser:
    """A person who is logged in."""

    def __init__(self, user="user.json", url=URL):
        self.url = url
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)
        user = json.load(open(FOLDER / user))
        form = urllib.parse.urlencode({"email": user["email"], "password": user["password"]}).encode()
        self.get("/panel/login")
        page = self.opener.open(urllib.request.Request(url + "/panel/login", form, {"Origin": url})).read().decode()
        if "/panel/logout" not in page:
            sys.exit("the log-in failed")

    def open(self, path):
        return self.opener.open(urllib.request.Request(self.url + path))

    def get(self, path):
        return self.open(path).read().decode()


class Client:
    """A vendor's server, with a token of the sandbox."""

    def __init__(self, vendor, url=URL):
        self.url = url
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(
            url + "/api/sandbox/vendor/tokens", json.dumps(vendor["sandbox"]).encode(), headers
        )
        with urllib.request.urlopen(request) as answer:
            self.headers = {"Authorization": f"Bearer {json.load(answer)['access_token']}"}

    def get(self, path):
        return urllib.request.urlopen(urllib.request.Request(self.url + path, headers=self.headers)).read().decode()


def resident():
    status = pathlib.Path(f"/proc/{SERVICE}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


class Look:
    """The looks at one page of a service: the processor time of the service and of the database, and the time."""

    def __init__(self, service):
        self.watched = watched(service)
        self.looks = []

    def take(self, browser, path):
        used, began = [cpu_ms(pids) for pids in self.watched], time.perf_counter()
        page = browser.get(path)
        took = (time.perf_counter() - began) * 1000
        self.looks.append([*(cpu_ms(pids) - before for pids, before in zip(self.watched, used)), took])
        return page

    def median(self):
        return [statistics.median(column) for column in zip(*self.looks)]


def heading():
    print(f"medians of {LOOKS} looks, in milliseconds: processor time of the service and of the database, and elapsed time")
    print(f"{'page':34} {'cpu':>8} {'db':>7} {'ms':>8} {'KiB':>7} {'small':>8} {'db':>7} {'ratio':>6} {'steal':>6}")


def look(browsers, name, path, first=None):
    """Looks at a page, in turn at that of a small service and of the large one if there are two. `first` are their
    oldest sessions."""
    services = [*os.environ.get("BENCH_SMALL", "").split()[1:], SERVICE]
    looks, stolen = [Look(service) for service in services], steal()
    for _ in range(LOOKS):
        for number, browser in enumerate(browsers):
            page = looks[number].take(browser, path.format(first=first[number] if first else ""))
    stolen = [now - before for now, before in zip(steal(), stolen)]
    *small, (cpu, db, ms) = [look.median() for look in looks]
    line = f"{name:34} {cpu:8.2f} {db:7.2f} {ms:8.1f} {len(page) / 1024:7.1f}"
    for small_cpu, small_db, _ in small:
        line += f" {small_cpu:8.2f} {small_db:7.2f} {(cpu + db) / max(small_cpu + small_db, 0.01):6.2f}"
    print(f"{line} {stolen[0] / max(stolen[1], 1):6.0%}", flush=True)


def export(browser, path):
    idle, peak, rows, began = resident(), 0, 0, time.perf_counter()
    with browser.open(path) as answer:
        while chunk := answer.read(1 << 20):
            rows += chunk.count(b"\n")
            peak = max(peak, resident())
    took = time.perf_counter() - began
    print(f"export of {rows:,} lines in {took:.1f} s ({rows / took:,.0f}/s), {peak - idle:+.1f} MiB resident at its peak, {idle:.0f} before")
