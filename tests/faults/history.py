"""The recorder: everything that a client was answered, with the monotonic times of the question and of the answer."""

import json
import threading
from collections import Counter
from typing import NamedTuple

FINAL = {"paid", "failed", "expired"}


class Answer(NamedTuple):
    """One question of a client and what came back.

    kind     create, read, outcome (of a sandbox session), pay or decide (of a customer at the simulated bank)
    subject  the Idempotency-Key of a create, else the session's id
    result   ok; or what went wrong: an HTTP status with the problem's code, or refused, reset, closed, timeout
    value    with ok: the new session's id, the status, or the decision
    """

    kind: str
    subject: str
    node: int
    began: float
    ended: float
    result: str
    value: str | None = None


class History:
    """The answers of a run. Threads of the crowd add to it."""

    def __init__(self):
        self.answers, self.lock = [], threading.Lock()

    def add(self, *fields):
        with self.lock:
            self.answers.append(Answer(*fields))

    def copy(self):
        with self.lock:
            return list(self.answers)

    def acknowledged(self, node):
        """How many creates a node has acknowledged."""
        return sum(answer.kind == "create" and answer.result == "ok" and answer.node == node for answer in self.copy())

    def save(self, path):
        with open(path, "w", encoding="utf-8") as lines:
            for answer in self.copy():
                lines.write(json.dumps(answer._asdict()) + "\n")


def gap(answers, node, begin, end):
    """The longest time between `begin` and `end` in which a node acknowledged no create."""
    moments = sorted(answer.ended for answer in answers if answer.kind == "create" and answer.result == "ok"
                     and answer.node == node and begin < answer.ended < end)
    return longest([begin, *moments, end])


def longest(moments):
    """The longest time between two neighbours of a sorted list."""
    return max((later - earlier for earlier, later in zip(moments, moments[1:])), default=0.0)


def first_after(answers, node, moment):
    """The time from a moment until a node acknowledged a create, or None."""
    return min((answer.ended - moment for answer in answers if answer.kind == "create" and answer.result == "ok"
                and answer.node == node and answer.ended > moment), default=None)


def errors(answers):
    """How often each kind of error was answered."""
    return dict(Counter(answer.result for answer in answers if answer.result != "ok").most_common())
