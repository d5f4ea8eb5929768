"""Somebody who looks at the panel: logs in, opens pages again and again, saves files."""

import http.cookiejar
import json
import pathlib
import re
import statistics
import sys
import time
import urllib.parse
import urllib.request

from load import FOLDER, URL

SERVICE = sys.argv[6]
LOOKS = 30


class Browser:
    """Somebody who is logged in."""

    def __init__(self, user="user.json"):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)
        user = json.load(open(FOLDER / user))
        form = urllib.parse.urlencode({"email": user["email"], "password": user["password"]}).encode()
        self.get("/panel/login")
        page = self.opener.open(urllib.request.Request(URL + "/panel/login", form, {"Origin": URL})).read().decode()
        if "/panel/logout" not in page:
            sys.exit("the log-in failed")

    def open(self, path):
        return self.opener.open(urllib.request.Request(URL + path))

    def get(self, path):
        return self.open(path).read().decode()


def resident():
    status = pathlib.Path(f"/proc/{SERVICE}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def look(browser, name, path):
    took = []
    for _ in range(LOOKS):
        began = time.perf_counter()
        page = browser.get(path)
        took.append((time.perf_counter() - began) * 1000)
    print(f"{name:34} {statistics.median(took):8.1f} {max(took):8.1f} {len(page) / 1024:8.1f}", flush=True)
    return page


def export(browser, path):
    idle, peak, rows, began = resident(), 0, 0, time.perf_counter()
    with browser.open(path) as answer:
        while chunk := answer.read(1 << 20):
            rows += chunk.count(b"\n")
            peak = max(peak, resident())
    took = time.perf_counter() - began
    print(f"export of {rows:,} lines in {took:.1f} s ({rows / took:,.0f}/s), {peak - idle:+.1f} MiB resident at its peak, {idle:.0f} before")
