"""The crowd: threads that behave as vendors' servers and customers do, and record every answer.

Creates repeat their Idempotency-Key until they are acknowledged. Every fourth sandbox session is given two contradicting
outcomes at once, by two nodes. Readers ask any node about recent sessions. Customers pay live sessions at the simulated bank."""

import collections
import contextlib
import random
import secrets
import threading
import time
import urllib.parse

from machine import Trouble
from till import Client, Failure

FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
# After an answer that was no success; and the longest a client repeats a question after the crowd has been stopped.
PAUSE, LAST_TRIES = 0.05, 45.0


class Crowd:
    def __init__(self, shop, history, creators=3, deciders=2, readers=1, customers=1, pause=0.03):
        self.shop, self.history, self.pause = shop, history, pause
        self.nodes = range(len(shop.ports))
        self.undecided, self.recent = collections.deque(), collections.deque(maxlen=400)
        self.stopping, self.stopped_at, self.threads, self.broken = threading.Event(), 0.0, [], []
        self.name, self.count = secrets.token_hex(3), 0
        for node in self.nodes:
            for work, number in ((self.create_all, creators), (self.decide_all, deciders), (self.read_all, readers),
                                 (self.pay_all, customers)):
                self.threads += [threading.Thread(target=self.guard, args=(work, node), daemon=True) for _ in range(number)]

    def guard(self, work, node):
        """A thread's work. What it did not expect ends the run as the harness's own trouble."""
        client = Client(self.shop.ports)
        with contextlib.closing(client):
            try:
                work(client, node)
            except Exception as error:  # pylint: disable=broad-except
                self.broken.append(f"{work.__name__}: {error!r}")

    def start(self):
        # Tokens first: threads would fetch them all at the same time.
        self.shop.token("live"), self.shop.token("sandbox")
        for thread in self.threads:
            thread.start()

    def stop(self):
        """Stops asking new questions, and waits for the answers of those that were asked."""
        self.stopped_at = time.monotonic()
        self.stopping.set()
        for thread in self.threads:
            thread.join(LAST_TRIES + 30)
        if self.broken or any(thread.is_alive() for thread in self.threads):
            raise Trouble(f"the crowd is broken: {self.broken or 'a client does not end'}")

    def abandon(self):
        """Ends the threads soon, also in the middle of their questions, after a run that could not be finished."""
        self.stopping.set()
        self.stopped_at = -LAST_TRIES
        self.undecided.clear()

    def given_up(self):
        return self.stopping.is_set() and time.monotonic() > self.stopped_at + LAST_TRIES

    def key(self):
        self.count += 1
        return f"{self.name}-{threading.get_ident()}-{self.count}"

    def ask(self, kind, subject, node, question, read):
        """Asks once and records it: the response, and the value that `read` finds in a success. The value is None if it was
        none."""
        began = time.monotonic()
        try:
            response = question(node)
        except Failure as failure:
            self.history.add(kind, subject, node, began, time.monotonic(), str(failure))
            return None, None
        value = read(response)
        result = "ok" if value else response.problem()
        self.history.add(kind, subject, node, began, time.monotonic(), result, value)
        return response, value

    def repeat(self, kind, subject, node, question, read, ends=()):
        """Asks until there is a success, or one of these problems, which end it too."""
        while not self.given_up():
            response, value = self.ask(kind, subject, node, question, read)
            if value or (response and response.problem() in ends):
                return value
            time.sleep(PAUSE)
        return None

    def create(self, client, node, environment):
        key = self.key()
        return self.repeat("create", key, node,
                           lambda at: self.shop.call(client, at, environment, "", self.shop.order(key), key),
                           lambda answer: answer.json()["session_id"] if answer.status == 201 else None)

    def create_all(self, client, node):
        while not self.stopping.is_set():
            if session := self.create(client, node, "sandbox"):
                self.recent.append(session)
                self.undecided.append(session)
            time.sleep(self.pause * random.uniform(0.5, 1.5))

    def decide_all(self, client, node):
        number = 0
        while not self.stopping.is_set() or self.undecided:
            try:
                session = self.undecided.popleft()
            except IndexError:
                time.sleep(0.02)
                continue
            number += 1
            if number % 4 == 0 and len(self.nodes) > 1:
                self.contradict(client, node, session)
            else:
                self.decide(client, node, session, "paid" if number % 2 else "failed")
            # Read where it was not decided.
            self.read(client, random.choice(self.nodes), session)

    def contradict(self, client, node, session):
        """Two outcomes at once, from two nodes."""
        other = Client(self.shop.ports)
        helper = threading.Thread(target=self.decide, args=(other, (node + 1) % len(self.nodes), session, "failed"))
        helper.start()
        self.decide(client, node, session, "paid")
        helper.join()
        other.close()

    def decide(self, client, node, session, outcome):
        self.repeat("outcome", session, node,
                    lambda at: self.shop.call(client, at, "sandbox", f"/{session}/simulate", {"outcome": outcome}),
                    lambda answer: answer.json()["status"] if answer.status == 200 else None,
                    ends=("409 session_not_pending",))

    def read(self, client, node, session, environment="sandbox"):
        self.ask("read", session, node, lambda at: self.shop.call(client, at, environment, f"/{session}"),
                 lambda answer: answer.json()["status"] if answer.status == 200 else None)

    def read_all(self, client, node):
        while not self.stopping.is_set():
            if self.recent:
                self.read(client, node, random.choice(self.recent))
            time.sleep(self.pause * random.uniform(0.5, 1.5))

    def pay_all(self, client, node):
        number = 0
        while not self.stopping.is_set():
            number += 1
            if session := self.create(client, node, "live"):
                self.pay(client, node, session, "decline" if number % 3 == 0 else "approve")
            time.sleep(self.pause * 4)

    def pay(self, client, node, session, decision):
        """A customer chooses a method and decides at the bank, both until they are answered."""
        def post(path, **fields):
            return lambda at: client.ask(at, "POST", path, urllib.parse.urlencode(fields), FORM)
        bank = self.repeat("pay", session, node, post(f"/session/{session}/pay", method="card"),
                           lambda answer: answer.location if "/bank/" in answer.location else None)
        if bank:
            # The page goes back to the session, also if an earlier try was the one that decided.
            self.repeat("decide", session, node, post(bank, decision=decision),
                        lambda answer: decision if answer.status == 303 else None)
            self.read(client, random.choice(self.nodes), session, "live")
