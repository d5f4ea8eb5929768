"""Waits until no callback waits any more, and prints how many were delivered in a second meanwhile."""

import re
import time
import urllib.request

import load


def delivered():
    text = urllib.request.urlopen(load.METRICS).read().decode()
    found = re.search(r'^till_callback_attempts_total{environment="sandbox",result="delivered"} (\d+)$', text, re.M)
    return int(found[1]) if found else 0


began, before, count = time.monotonic(), delivered(), -1
while True:
    time.sleep(0.5)
    now = delivered()
    if now == count:
        break
    count, ended = now, time.monotonic()
print(f"{count - before} callbacks in {ended - began:.1f} s: {(count - before) / (ended - began):.0f}/s", flush=True)
