"""The proving ground of one run: nodes on a database, a receiver, a bare writer and a crowd; then the check."""

import contextlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field

import checker
import crowd
import facts
import history
import machine
import till
from machine import LOOPBACK, until

HERE = machine.ROOT / "tests/faults"
PACKAGES = machine.TOOLS / "patroni/usr/lib/python3/dist-packages"


@dataclass
class Figures:
    """What one run measured and how it was judged. `missed` are goals that were not reached."""

    verdict: checker.Verdict
    gaps: list
    bare: float | None
    errors: dict
    longest_answer: float
    notes: dict = field(default_factory=dict)
    missed: list = field(default_factory=list)

    def good(self):
        return not self.missed and not self.verdict.violations()


class Forwarder:
    """A network between a node and a server that can be disturbed."""

    def __init__(self, target, log):
        self.port = machine.free_port()
        command = [sys.executable, "-B", HERE / "forwarder.py", self.port, target]
        self.process = machine.start(command, log, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def order(self, text):
        """Returns when the order is obeyed."""
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()


class Ground:
    """Nodes of Till on a database, with everything around them. A context manager: all processes end with it."""

    made = 0

    def __init__(self, folder, database, nodes=2, through=(), short=False, **settings):
        """`through` lists the nodes that reach the database through forwarders."""
        Ground.made += 1
        self.folder, self.database, self.name = folder / f"run{Ground.made}", database, f"faults{Ground.made}"
        self.folder.mkdir()
        self.history, self.stack, self.through = history.History(), contextlib.ExitStack(), through
        self.count, self.settings, self.forwarders = nodes, settings, {}
        # Moments, and texts to keep beside the figures.
        self.marks, self.kept, self.short = {}, {}, short

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()

    def build(self):
        self.store = self.database.store(self.name, self.folder)
        self.environment = till.environment(self.store, **self.settings)
        vendor = till.command(self.environment, "vendor", "create", "--name", "Proved", "--sandbox")
        self.nodes = [self.node(number) for number in range(self.count)]
        for node in self.nodes:
            node.start(**self.store.for_service())
        receiver = machine.free_port()
        self.callbacks = self.folder / "callbacks"
        self.callbacks.touch()
        self.helper([sys.executable, "-B", HERE / "receiver.py", receiver, self.callbacks], "receiver")
        ports = [node.port for node in self.nodes]
        self.shop = till.Shop(vendor, ports, f"http://{LOOPBACK}:{receiver}/")
        self.bare_file = self.folder / "bare"
        self.bare_file.touch()

    def node(self, number):
        """A node that is not started yet."""
        settings = self.environment
        if number in self.through:
            self.forwarders[number] = [self.forwarder(port) for port in self.database.ports]
            settings = settings | self.store.settings([forwarder.port for forwarder in self.forwarders[number]])
        node = till.Node(self.folder, number, settings)
        self.stack.callback(node.stop)
        return node

    def forwarder(self, port):
        forwarder = Forwarder(port, self.folder / "forwarders.log")
        self.stack.callback(machine.end, forwarder.process)
        return forwarder

    def helper(self, command, name, **options):
        process = machine.start(command, self.folder / f"{name}.log", **options)
        self.stack.callback(machine.end, process)
        return process

    def start_bare(self):
        """A store without servers has no bare writer."""
        if not self.database.ports:
            return
        ports = ",".join(map(str, self.database.ports))
        self.helper(["/usr/bin/python3", "-B", HERE / "bare.py", self.name, ports, self.bare_file], "bare",
                    env=os.environ | {"PYTHONPATH": str(PACKAGES)})
        until("the bare writer writes", lambda: len(self.bare()) > 3)

    def bare(self):
        """When the bare writer's writes were committed."""
        return [float(line) for line in self.bare_file.read_text("utf-8").splitlines()]

    def gather(self, **options):
        """Starts the crowd, and waits until every node has served it for two seconds."""
        self.start_bare()
        self.crowd = crowd.Crowd(self.shop, self.history, **options)
        self.stack.callback(self.crowd.abandon)
        self.crowd.start()
        self.serve(20)
        time.sleep(2)
        self.mark("fault")

    def lasts(self, seconds, short):
        """How long something lasts in the long form and in the short one."""
        return short if self.short else seconds

    def mark(self, name):
        """Remembers a moment."""
        self.marks[name] = time.monotonic()
        return self.marks[name]

    def serve(self, creates, nodes=None, seconds=120):
        """Waits until these nodes have acknowledged this many more creates, and the bare writer has written."""
        nodes = range(self.count) if nodes is None else nodes
        enough = {node: self.history.acknowledged(node) + creates for node in nodes}
        until(f"nodes {list(nodes)} acknowledge creates", lambda: all(
            self.history.acknowledged(node) >= number for node, number in enough.items()), seconds)

    def settle(self, seconds=3.0):
        """Waits until all is well again, and some time longer."""
        self.serve(10)
        if self.database.ports:
            written = len(self.bare())
            until("the bare writer writes again", lambda: len(self.bare()) > written + 3, 120)
        time.sleep(seconds)

    def judge(self):
        """Ends the crowd, reads the facts and checks them."""
        begin, end = self.marks["fault"], time.monotonic()
        self.crowd.stop()
        found = facts.wait_for_callbacks(self.store, self.callbacks)
        answers = self.history.copy()
        sessions = {answer.value for answer in answers if answer.kind == "create" and answer.result == "ok"}
        for node in self.nodes:
            found.shown.append(facts.shown(self.shop, node.number, sessions, found.live))
        found.callbacks = facts.received(self.callbacks)
        found.verify = facts.verify(self.environment)
        written = [moment for moment in self.bare() if begin < moment < end]
        return Figures(
            checker.check(answers, found), [history.gap(answers, node.number, begin, end) for node in self.nodes],
            history.longest([begin, *written, end]) if self.database.ports else None, history.errors(answers),
            max(answer.ended - answer.began for answer in answers))
