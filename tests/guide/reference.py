"""Runs the examples of the API reference: every call of the sandbox in every language, in the order of the page, with
the token and the session that the calls before it made."""

import html
import json
import re
import sys
import urllib.request

COMMANDS = {
    "sh": ["bash", "call.sh"], "python": ["python3", "call.py"], "js": ["node", "call.mjs"], "php": ["php", "call.php"],
}
# The calls, and what their response must have. A call of live alone needs money that a sandbox does not have.
CALLS = {
    "obtainToken": {"token_type": "Bearer"},
    "createSession": {"status": "pending"},
    "getSession": {"status": "pending"},
    "simulate": {},
    "checkSignature": {"right": False},
    "checkEndpoint": {},
    "getEndpointCheck": {},
    "fetchCallbacks": {},
    "listSessions": {},
    "listTransactions": {},
    "createRefund": {"status": "pending"},
    "listRefunds": {},
    "getRefund": {},
    "expireSession": {"status": "expired"},
    "createReceipt": {"type": "closing"},
}

ORDER = {"product_name": "Atlas", "price": "4990.00", "currency": "RUB", "order_id": "B-1"}
# What the customer pays before it is handed over.
PREPAYMENT = {
    "customer": {"email": "ann@mail.example"},
    "items": [{"name": "Atlas", "price": "4990.00", "vat": "22/122", "mode": "full_prepayment"}],
}


def examples(base, language):
    """The sandbox examples of the page in a language, by operation."""
    with urllib.request.urlopen(f"{base}/docs?code={language}", timeout=30) as response:
        page = response.read().decode()
    found = {}
    for section in page.split('<section class="card" id="')[1:]:
        example = re.search(r'aria-label="sandbox request: [^"]*"><code>(.*?)</code>', section, re.DOTALL)
        if example:
            found[section.split('"', 1)[0]] = html.unescape(example[1])
    return found


def post(base, token, path, body):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    url = f"{base}/api/sandbox/vendor/checkout-session{path}"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=30) as response:
        return json.load(response)


def new_session(base, token):
    """A session that waits for its payment."""
    return post(base, token, "", ORDER)["session_id"]


def prepaid_session(base, token):
    """A session that is paid, with a fiscal receipt of a prepayment."""
    session = post(base, token, "", ORDER | {"receipt": PREPAYMENT})["session_id"]
    post(base, token, f"/{session}/simulate", {"outcome": "paid"})
    return session


# The calls that need a session of their own.
SESSIONS = {"expireSession": new_session, "createReceipt": prepaid_session}


def run(base, pair, folder, plain, run_command):
    for language, command in COMMANDS.items():
        found = examples(base, language)
        if set(found) != set(CALLS):
            sys.exit(f"the reference has examples of {sorted(found)}, and {sorted(CALLS)} are run")
        settings = plain | {"TILL_CLIENT_ID": pair["client_id"], "TILL_CLIENT_SECRET": pair["client_secret"]}
        for call, wanted in CALLS.items():
            if call in SESSIONS:
                settings["SESSION_ID"] = SESSIONS[call](base, settings["TOKEN"])
            (folder / command[1]).write_text(found[call], "utf-8")
            status, out, err = run_command(command, folder, settings)
            try:
                answer = json.loads(out)
            except json.JSONDecodeError:
                answer = {}
            right = answer and all(answer.get(name) == value for name, value in wanted.items())
            if status != 0 or "code" in answer or not right:
                sys.exit(f"{call} in {language} ended with {status} and said:\n{out}{err}\n{found[call]}")
            settings["TOKEN"] = answer.get("access_token", settings.get("TOKEN", ""))
            settings["SESSION_ID"] = answer.get("session_id", settings.get("SESSION_ID", ""))
            settings["CHECK_ID"] = answer.get("check_id", settings.get("CHECK_ID", ""))
            settings["REFUND_ID"] = answer.get("refundId", settings.get("REFUND_ID", ""))
        print(f"ran: the reference's examples in {language}")
