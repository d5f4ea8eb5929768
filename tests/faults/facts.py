"""Reads the facts after a run: from the store, from every node, from the receiver's file and from `till verify`."""

import base64
import concurrent.futures
import json
import time

import till
from checker import Facts
from history import FINAL
from machine import Trouble

# In a part of the store, `live` or `sandbox`; {id} and {session} are the texts of identifiers.
SESSIONS = "SELECT {id}, status, order_id FROM sessions"
BANK = "SELECT {session}, decision FROM simulated_payments WHERE decision IS NOT NULL"
BOOKED = "SELECT {session}, count(*) FROM entries WHERE kind = 'payment' GROUP BY session_id"
UNBALANCED = "SELECT count(*) FROM (SELECT 1 FROM postings GROUP BY entry_id HAVING sum(amount) <> 0) AS found"


def stored(store):
    """What a store has: the parts of the facts that come from it."""
    found = Facts()
    for part in "live", "sandbox":
        for session, status, order in store.rows(part, SESSIONS):
            found.sessions[session], found.orders[session] = status, order
            if part == "live":
                found.live.add(session)
    found.bank, found.booked = dict(store.rows("live", BANK)), dict(store.rows("live", BOOKED))
    found.unbalanced = store.rows("live", UNBALANCED)[0][0]
    return found


def received(path):
    """The callbacks in the receiver's file."""
    found = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kept = json.loads(line)
            body = base64.b64decode(kept["body"])
            event = json.loads(body)
            found.append((kept["at"], event["eventId"], event["sessionId"], event["status"], body))
    return found


def wait_for_callbacks(store, path, seconds=100):
    """Waits until no final session lacks its callback, and no payment that the bank decided lacks its end; or no longer."""
    end = time.monotonic() + seconds
    while True:
        facts = stored(store)
        heard = {(session, status) for _, _, session, status, _ in received(path)}
        missing = {item for item in facts.sessions.items() if item[1] in FINAL} - heard
        open_payments = [session for session in facts.bank if facts.sessions.get(session) == "pending"]
        if not missing and not open_payments or time.monotonic() > end:
            return facts
        time.sleep(0.3)


def shown(shop, node, sessions, live):
    """The status that a node answers for each session."""
    def read(part):
        client, found = till.Client(shop.ports), {}
        for session in part:
            for _ in range(5):
                try:
                    answer = shop.call(client, node, "live" if session in live else "sandbox", f"/{session}")
                    found[session] = answer.json()["status"] if answer.status == 200 else answer.problem()
                except till.Failure as failure:
                    found[session] = str(failure)
                if found[session] in FINAL | {"pending"}:
                    break
                time.sleep(0.1)
        client.close()
        return found
    sessions, result = list(sessions), {}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for part in pool.map(read, [sessions[first::4] for first in range(4)]):
            result.update(part)
    return result


def verify(settings):
    """The violations that `till verify` finds."""
    try:
        answer = till.command(settings, "verify", may_fail=True)
    except Trouble as trouble:
        return [str(trouble)]
    return [f"{check['database']}: {check['check']}" for check in answer["checks"] if check.get("violations")]
