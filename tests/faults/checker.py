"""The checker: compares what clients were answered with what is stored, received and booked. It asks nothing itself, so that
its tests can give it every kind of violation."""

from collections import Counter
from dataclasses import dataclass, field

from history import FINAL

# Answers that a client must expect while a database or a node is away. Everything else is a violation. A page sends a customer
# elsewhere (303) while an earlier click of theirs is still at work.
EXPECTED = {
    "503 unavailable", "503 busy", "409 idempotency_in_progress", "409 session_not_pending", "429 rate_limited",
    "503 page", "303 page", "refused", "reset", "closed", "timeout",
}


@dataclass
class Facts:
    """What is true after a run.

    sessions   of each stored session: its status
    live       the stored sessions that are live ones
    orders     of each stored session: its order, which is the Idempotency-Key of its create
    shown      for each node: the status that it answers for a session, or the error
    callbacks  what receivers got: (time, event id, session, status, body)
    bank       of each live session: the decision that the simulated bank stored
    booked     of each live session: how many payments the ledger has for it
    unbalanced ledger entries whose lines do not sum up to zero
    verify     violations that `till verify` printed
    """

    sessions: dict = field(default_factory=dict)
    live: set = field(default_factory=set)
    orders: dict = field(default_factory=dict)
    shown: list = field(default_factory=list)
    callbacks: list = field(default_factory=list)
    bank: dict = field(default_factory=dict)
    booked: dict = field(default_factory=dict)
    unbalanced: int = 0
    verify: list = field(default_factory=list)


@dataclass
class Verdict:
    """The findings, each a list of sentences, and counts that are no violations."""

    lost: list = field(default_factory=list)
    contradictory: list = field(default_factory=list)
    callbacks_lost: list = field(default_factory=list)
    stale: list = field(default_factory=list)
    money: list = field(default_factory=list)
    verify: list = field(default_factory=list)
    unexpected: list = field(default_factory=list)
    duplicates: int = 0
    sessions: int = 0
    reads: int = 0

    KINDS = "lost", "contradictory", "callbacks_lost", "stale", "money", "verify", "unexpected"

    def violations(self):
        return {kind: found for kind in self.KINDS if (found := getattr(self, kind))}


def check(answers, facts):
    """The verdict on a run."""
    verdict = Verdict()
    acknowledged = creates(answers, facts, verdict)
    verdict.sessions = len(acknowledged)
    outcomes(answers, facts, verdict)
    nodes(acknowledged, facts, verdict)
    received(facts, verdict)
    reads(answers, acknowledged, facts, verdict)
    money(answers, facts, verdict)
    verdict.unexpected += unexpected(answers)
    verdict.verify += facts.verify
    return verdict


def creates(answers, facts, verdict):
    """Every acknowledged session is stored, and a key has one session. Returns when each session was acknowledged."""
    keys, acknowledged, asked = {}, {}, {answer.subject for answer in answers if answer.kind == "create"}
    for answer in answers:
        if answer.kind != "create" or answer.result != "ok":
            continue
        if keys.setdefault(answer.subject, answer.value) != answer.value:
            verdict.contradictory.append(f"key {answer.subject} was answered with two sessions")
        acknowledged[answer.value] = min(answer.ended, acknowledged.get(answer.value, answer.ended))
    for key in sorted(asked - keys.keys()):
        verdict.unexpected.append(f"create {key} was never acknowledged")
    for session in acknowledged:
        if session not in facts.sessions:
            verdict.lost.append(f"session {session} was acknowledged and is not stored")
    for order, count in Counter(facts.orders.values()).items():
        if count > 1:
            verdict.contradictory.append(f"key {order} has {count} stored sessions")
    return acknowledged


def outcomes(answers, facts, verdict):
    """An acknowledged outcome is the stored one, and no session was given two."""
    statuses = {}
    for answer in answers:
        if answer.result == "ok" and answer.value in FINAL:
            statuses.setdefault(answer.subject, set()).add(answer.value)
    for _, _, session, status, _ in facts.callbacks:
        if status in FINAL:
            statuses.setdefault(session, set()).add(status)
    for session, seen in statuses.items():
        stored = facts.sessions.get(session)
        if len(seen) > 1:
            verdict.contradictory.append(f"session {session} has several outcomes: {', '.join(sorted(seen))}")
        elif stored == "pending":
            verdict.lost.append(f"session {session} was answered as {min(seen)} and is stored as pending")
        elif stored and stored not in seen:
            verdict.contradictory.append(f"session {session} was answered as {min(seen)} and is stored as {stored}")


def nodes(acknowledged, facts, verdict):
    """Every node answers what is stored."""
    for number, shown in enumerate(facts.shown):
        for session in acknowledged:
            stored, status = facts.sessions.get(session), shown.get(session, "no answer")
            if stored and status != stored:
                kind = verdict.lost if status.startswith("404") else verdict.contradictory
                kind.append(f"node {number} answers {status} for session {session}, which is stored as {stored}")


def received(facts, verdict):
    """Every final session has its callback, and an event has the same bytes each time."""
    heard, bodies, count = set(), {}, Counter()
    for _, event, session, status, body in facts.callbacks:
        heard.add((session, status))
        count[event] += 1
        if bodies.setdefault(event, body) != body:
            verdict.contradictory.append(f"callback {event} arrived with two bodies")
    verdict.duplicates = sum(number - 1 for number in count.values())
    for session, status in facts.sessions.items():
        if status in FINAL and (session, status) not in heard:
            verdict.callbacks_lost.append(f"no callback says that session {session} is {status}")


def reads(answers, acknowledged, facts, verdict):
    """I22: after a client was answered a final status, no read that began later says less, at any node."""
    final = {}
    for answer in answers:
        if answer.result == "ok" and answer.value in FINAL and answer.kind in ("read", "outcome"):
            final[answer.subject] = min(answer.ended, final.get(answer.subject, answer.ended))
    for at, _, session, status, _ in facts.callbacks:
        if status in FINAL:
            final[session] = min(at, final.get(session, at))
    for answer in answers:
        if answer.kind != "read":
            continue
        verdict.reads += answer.result == "ok"
        known, missing = answer.subject, answer.result.startswith("404")
        if answer.began > final.get(known, answer.began) and (missing or answer.value == "pending"):
            verdict.stale.append(f"node {answer.node} answered {answer.value or answer.result} for session {known}, "
                                 f"{answer.began - final[known]:.2f} s after it was final")
        elif missing and answer.began > acknowledged.get(known, answer.began):
            verdict.stale.append(f"node {answer.node} answered {answer.result} for session {known}, "
                                 f"{answer.began - acknowledged[known]:.2f} s after it was acknowledged")


def money(answers, facts, verdict):
    """Each payment that the bank approved is booked once, and nothing else is; an acknowledged decision is the bank's."""
    for answer in answers:
        if answer.kind == "decide" and answer.result == "ok" and facts.bank.get(answer.subject) != answer.value:
            verdict.lost.append(f"the bank's page confirmed {answer.value} for session {answer.subject}; "
                                f"stored is {facts.bank.get(answer.subject)}")
    for session in facts.bank.keys() | facts.booked.keys():
        approved, booked = facts.bank.get(session) == "approve", facts.booked.get(session, 0)
        if booked != approved:
            verdict.money.append(f"session {session}: the bank says {facts.bank.get(session)}, and {booked} payments are booked")
        if approved and facts.sessions.get(session) != "paid":
            verdict.money.append(f"session {session}: the bank approved, and its status is {facts.sessions.get(session)}")
    if facts.unbalanced:
        verdict.money.append(f"{facts.unbalanced} ledger entries do not sum up to zero")


def unexpected(answers):
    """Answers that no fault explains. A session that is missing is judged by the other checks."""
    found = Counter(answer.result for answer in answers if answer.result != "ok" and answer.result not in EXPECTED
                    and not (answer.kind == "read" and answer.result.startswith("404")))
    return [f"{number} answers were {result}" for result, number in found.items()]
