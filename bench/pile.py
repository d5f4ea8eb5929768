"""Piles up callbacks for bench/callbacks: sandbox sessions that are paid at once."""

import sys

import load

SINK, EVENTS = sys.argv[5], int(sys.argv[6])
token = load.post("/api/sandbox/vendor/tokens", load.VENDOR["sandbox"])["access_token"]
load.ORDER["callback_url"] = SINK
began = load.stat("units", "sandbox")
# A session and its outcome are two units, and so is every callback that gets through meanwhile.
while load.stat("units", "sandbox") - began < EVENTS * 3:
    load.wrk("pile", "/", 64, load.simulate(token))
