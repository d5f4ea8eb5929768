"""The steps of bench/capacity: create sessions, or pay them, at 64 connections."""

import sys

from load import LIVE, ORDER, VENDOR, constant, payments, post, wrk

CONNECTIONS = 64


def main():
    token = post("/api/tokens", VENDOR["live"])["access_token"]
    if sys.argv[5] == "created":
        wrk("create", LIVE, CONNECTIONS, constant("POST", token, ORDER))
    else:
        wrk("pay", LIVE, CONNECTIONS, payments(token))


main()
