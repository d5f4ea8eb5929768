"""Measures checkout pages: how fast they are made, and what open ones and idle connections cost in memory."""

import asyncio
import re
import statistics
import sys
import urllib.parse

from load import ORDER, URL, VENDOR, constant, post, wrk

ROUNDS, PAGES, IDLE, SERVICE = int(sys.argv[5]), int(sys.argv[6]), int(sys.argv[7]), sys.argv[8]
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


async def open_idle():
    """A connection that has had an answer and is kept."""
    reader, writer = await asyncio.open_connection(HOST.hostname, HOST.port)
    writer.write(f"GET /healthz HTTP/1.1\r\nHost: {HOST.netloc}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(re.search(rb"content-length: (\d+)", head, re.I)[1]))
    return reader, writer


async def opened(number, one):
    """Opens this many connections, a hundred at once."""
    connections = []
    for first in range(0, number, 100):
        connections += await asyncio.gather(*(one(index) for index in range(first, min(first + 100, number))))
    return connections


async def measure_memory(token):
    loop = asyncio.get_running_loop()
    order = lambda number: post("/api/product/session", {**ORDER, "order_id": f"P-{number}"}, token)["session_id"]
    sessions = []
    for first in range(0, PAGES, 50):
        made = [loop.run_in_executor(None, order, number) for number in range(first, min(first + 50, PAGES))]
        sessions += await asyncio.gather(*made)
    before = resident()
    idle = await opened(IDLE, lambda _: open_idle())
    between = resident()
    pages = await opened(PAGES, lambda number: open_page(sessions[number]))
    await asyncio.sleep(1)
    after = resident()
    kept = sum(not reader.at_eof() for reader, _ in idle + pages)
    if kept < IDLE + PAGES:
        sys.exit(f"only {kept} connections are still open")
    print(f"{IDLE} idle connections: {before / 1024:.0f} -> {between / 1024:.0f} MiB resident, {(between - before) / IDLE:.1f} KiB each")
    print(f"and {PAGES} open pages: {between / 1024:.0f} -> {after / 1024:.0f} MiB resident, {(after - between) / PAGES:.1f} KiB each")
    for _, writer in idle + pages:
        writer.close()


print(f"started: {resident() / 1024:.0f} MiB resident")
live = post("/api/tokens", VENDOR["live"])["access_token"]
measure_rendering(live)
asyncio.run(measure_memory(live))
