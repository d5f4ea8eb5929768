"""Faults of single packets, in a network namespace of the proving ground's own: tests/faults/run makes one where it may. Its
loopback interface loses, drops or delays packets as the kernel does it, so connections are not reset and cannot be made."""

import contextlib
import shutil
import time

import machine
from machine import Skipped, Trouble
from network import both_return, both_serve
from scenario import scenario


# What programs say about a kernel that lacks a feature. Any other error is a mistake of this file.
MISSING = "Operation not supported", "No such file or directory", "qdisc kind is unknown"


def attempt(*command):
    """Runs a command that this kernel may be unable to obey."""
    if not shutil.which(command[0]):
        raise Skipped(f"there is no {command[0]}")
    try:
        machine.run(command)
    except Trouble as trouble:
        if any(phrase in str(trouble) for phrase in MISSING):
            raise Skipped(f"the kernel cannot do this: {trouble}") from trouble
        raise


@contextlib.contextmanager
def rule(ports, verdict):
    """Applies a verdict of nftables to every packet from and to these ports."""
    if not machine.is_apart():
        raise Skipped("a network namespace needs root")
    listed = ", ".join(map(str, ports))
    rules = [f"tcp {end} {{ {listed} }} {verdict}" for end in ("dport", "sport")]
    attempt("nft", "\n".join(["table inet proving {", "chain input {", "type filter hook input priority 0", *rules, "}", "}"]))
    try:
        yield
    finally:
        machine.run(["nft", "delete table inet proving"])


def links(ground):
    """The ports between nodes and their forwarders: only these connections are disturbed."""
    return [forwarder.port for forwarders in ground.forwarders.values() for forwarder in forwarders]


@scenario("packets-lost", "5% of all packets between one node and the database are lost, for 20 s", "F21", through=(1,),
          goals=both_serve, runs=2)
def packets_lost(ground):
    with rule(links(ground), "numgen random mod 100 < 5 counter drop"):
        time.sleep(20)
    ground.settle()


@scenario("packets-dropped", "every packet between the nodes and the database is dropped for 15 s, also those of new connections",
          "F21", through=(0, 1), goals=both_return, runs=2)
def packets_dropped(ground):
    with rule(links(ground), "counter drop"):
        time.sleep(15)
    ground.mark("healed")
    ground.settle()


def all_serve(ground, figures, slack):
    """Every node serves on, more slowly."""
    return [f"node {number} was silent for {gap:.1f} s" for number, gap in enumerate(figures.gaps) if gap > 5.0 + slack]


@scenario("packets-late", "every packet of the machine is 20 ms late, for 20 s", "F21", goals=all_serve, runs=2)
def packets_late(ground):
    if not machine.is_apart():
        raise Skipped("a network namespace needs root")
    attempt("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "20ms")
    try:
        time.sleep(20)
    finally:
        machine.run(["tc", "qdisc", "del", "dev", "lo", "root"])
    ground.settle()
