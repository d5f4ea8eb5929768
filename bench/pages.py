"""Measures checkout pages: how fast they are made, and what an open one costs."""

import asyncio
import re
import statistics
import sys
import urllib.parse

from load import ORDER, URL, VENDOR, constant, post, wrk

ROUNDS, PAGES, SERVICE = int(sys.argv[5]), int(sys.argv[6]), sys.argv[7]
HOST = urllib.parse.urlparse(URL)


def resident():
    """KiB of memory that the service has."""
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{SERVICE}/status").read())[1])


def measure_rendering(token):
    session = post("/api/product/session", ORDER, token)["session_id"]
    ratios, rates = [], []
    for _ in range(ROUNDS):
        noop = wrk("noop", "/bench/noop", 64, constant("POST", token, ORDER)).rate
        page = wrk("page", f"/session/{session}", 64, constant("GET", None)).rate
        ratios.append(page / noop)
        rates.append(page)
    print(f"rendered {statistics.median(rates):.0f} pages/s at 64 connections, ratio {statistics.median(ratios):.2f}")


async def open_page(session):
    reader, writer = await asyncio.open_connection(HOST.hostname, HOST.port)
    writer.write(f"GET /session/{session}/events HTTP/1.1\r\nHost: {HOST.netloc}\r\n\r\n".encode())
    await reader.readuntil(b"\ndata: ")
    await reader.readline()
    return reader, writer


async def measure_memory(token):
    loop = asyncio.get_running_loop()
    order = lambda number: post("/api/product/session", {**ORDER, "order_id": f"P-{number}"}, token)["session_id"]
    sessions = []
    for first in range(0, PAGES, 50):
        made = [loop.run_in_executor(None, order, number) for number in range(first, min(first + 50, PAGES))]
        sessions += await asyncio.gather(*made)
    before = resident()
    pages = []
    for first in range(0, PAGES, 100):
        pages += await asyncio.gather(*map(open_page, sessions[first : first + 100]))
    await asyncio.sleep(1)
    after = resident()
    each = (after - before) / PAGES
    print(f"{PAGES} open pages: {before / 1024:.0f} -> {after / 1024:.0f} MiB resident, {each:.1f} KiB each")
    for _, writer in pages:
        writer.close()


live = post("/api/tokens", VENDOR["live"])["access_token"]
measure_rendering(live)
asyncio.run(measure_memory(live))
