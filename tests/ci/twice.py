"""Runs the workflow of docs/ci in a fresh copy, as a vendor's CI does, with the binary that TILL_BINARY names. Its
tests run twice, each time in a copy of their own. What the shops and Till send to each other goes through a recorder,
and must be the same in both runs."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/guide")
import compare
import job
import workflow
from programs import run
from recorder import Forwarder, Recorder

EXAMPLES = pathlib.Path("docs/ci")
# What every recording has at least: two shops, with five orders each.
EXPECTED = {
    "the shops to Till": [b"POST /api/sandbox/vendor/checkout-session HTTP", b"POST /sandbox/clock HTTP"],
    "Till to the shops": [b"webhook-signature: v1,"],
}
AT_LEAST = 10


def run_step(name, commands, folder, environment):
    began = time.monotonic()
    status, out, err = run(["bash", "-e", "-c", commands], folder, environment, seconds=120)
    if status != 0:
        sys.exit(f"the step {name!r} ended with {status} and said:\n{out}{err}")
    print(f"ran: {name} ({time.monotonic() - began:.1f} s)", flush=True)


def check_recording(recording):
    """A recording has what the tests of the shops do, or the comparison would be of nothing."""
    for name, marks in EXPECTED.items():
        sent = b"".join(bytes(connection.sent) for connection in recording[name])
        for mark in marks:
            if sent.count(mark) < AT_LEAST:
                sys.exit(f"{name}: {mark.decode()!r} was recorded {sent.count(mark)} times, not {AT_LEAST}")


def run_twice(folder):
    """The steps of the workflow: the tests twice, all others once. Returns the recordings of both runs."""
    ports = job.free_ports()
    recorder = Recorder(
        Forwarder("the shops to Till", ports.till_front, ports.till),
        Forwarder("Till to the shops", ports.shop_front, ports.shop),
    )
    environment = job.prepare(folder, ports)
    steps = workflow.steps(EXAMPLES / "payments.yml")
    del steps["Get Till"]
    tests = [name for name in steps if name.startswith("Test ")]
    installed = folder / "installed"
    shutil.copytree(EXAMPLES, installed)
    for name, commands in steps.items():
        if name not in tests:
            run_step(name, commands, installed, environment)
    recordings = []
    for number in ("first", "second"):
        copy = folder / number
        subprocess.run(["cp", "--archive", "--link", installed, copy], check=True)
        for name in tests:
            run_step(f"{name}, {number} run", steps[name], copy, environment)
        recordings.append(recorder.take())
    return recordings


@contextlib.contextmanager
def demo(seed):
    """The facts that a demo prints."""
    command = [os.environ["TILL_BINARY"], "demo", "--ephemeral", "--json", "--clock", "manual", "--seed", str(seed)]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("TILL_")}
    process = subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=plain
    )
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def values(facts):
    """Every id and secret of a demo, by its place."""
    found = {f"password of {login['email']}": login["password"] for login in facts["logins"]}
    for vendor in ("vendor", "live_vendor"):
        found[f"{vendor} vendor_id"] = facts[vendor]["vendor_id"]
        for environment in ("live", "sandbox"):
            pair = facts[vendor][environment]
            found |= {f"{vendor} {environment} {name}": value for name, value in pair.items()}
    return found


def check_seeds(recording):
    """The recording is that of seed 7, and another seed has other ids and secrets."""
    with demo(7) as seventh, demo(8) as eighth:
        one, other = values(seventh), values(eighth)
    same = [place for place in one if one[place] == other[place]]
    if same:
        sys.exit(f"these are the same with the seeds 7 and 8: {', '.join(same)}")
    sent = b"".join(bytes(connection.sent) for connection in recording["the shops to Till"])
    if one["vendor sandbox client_secret"].encode() not in sent:
        sys.exit("the shops did not use the credentials of seed 7")
    print(f"another seed: {len(one)} ids and secrets, all of them different")


def main():
    with tempfile.TemporaryDirectory() as name:
        first, second = run_twice(pathlib.Path(name))
    check_recording(first)
    found = compare.difference(first, second)
    if found:
        sys.exit(f"the two runs differ: {found}")
    size = sum(len(one.sent) + len(one.received) for connections in first.values() for one in connections)
    count = sum(map(len, first.values()))
    print(f"both runs are the same: {size} bytes in {count} connections")
    check_seeds(first)


main()
