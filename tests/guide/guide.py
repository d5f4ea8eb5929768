"""Runs docs/integration.md: its commands in order as one script, with their output compared to what the page
says; its steps in other languages, over plain HTTP and with the client libraries; its programs once more with a wrong
secret and with a wrong amount, with a callback that is faster than the answer to the create, and live, with the settings
of the page's own table. Its workflow and the tests that it shows are files of docs/ci, which tests/ci runs."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import clients
import reference
import shown
from programs import Running, free_port, pay, run, sign

DOCUMENT = pathlib.Path("docs/integration.md")
PROGRAMS = pathlib.Path("docs/integration")
# Files that the page shows, and tests/ci runs.
EXAMPLES = {"yaml": pathlib.Path("docs/ci/payments.yml"), "python": pathlib.Path("docs/ci/python/test_payments.py")}
MOST_LINES = {"": 80, ".go": 120}
ADDRESS, SHOP = "http://127.0.0.1:8080", "http://127.0.0.1:3000"  # as the page writes them
COMMANDS = {
    "shop.sh": ["bash"], "shop.py": ["python3"], "shop.mjs": ["node"], "shop.php": ["php"], "shop.go": ["go", "run"],
    "shop.rb": ["ruby"],
}
FETCH = {"shop.sh"}  # has no address to send a callback to
# The steps in another language than shell are one program, which ends by printing what it got.
ENDS = {
    "python": ("python3", "steps.py", "print(json.dumps([session, order, ended, page, expired, listed, refund]))\n"),
    "js": ("node", "steps.mjs", "console.log(JSON.stringify([session, order, ended, page, expired, listed, refund]));\n"),
    "php": ("php", "steps.php", "echo json_encode([$session, $order, $ended, $page, $expired, $listed, $refund]);\n"),
}
MONEY = [
    "payment.late", "payment.partial", "payment.over", "payment.resolved", "dispute.opened", "dispute.won", "dispute.lost",
]
SIGNATURE = "refused: the signature is wrong\n"

# The ways each program is broken: another secret, and another price. Both must be noticed.
WRONG_SECRET = {
    "shop.sh": ('verify "$TILL_CLIENT_SECRET"', "verify another"),
    "shop.py": ("verify(SECRET,", 'verify("another",'),
    "shop.mjs": ("verify(TILL_CLIENT_SECRET,", 'verify("another",'),
    "shop.php": ("verify($secret, $rawBody, $_SERVER", "verify('another', $rawBody, $_SERVER"),
    "shop.go": ("!verify(secret,", '!verify("another",'),
    "shop.rb": ("verify(SECRET,", 'verify("another",'),
}
WRONG_AMOUNT = {
    "shop.sh": ('"price":"$price"', '"price":"0.01"'),
    "shop.py": ('"price": order["price"]', '"price": "0.01"'),
    "shop.mjs": ("price: order.price,", 'price: "0.01",'),
    "shop.php": ("'price' => $order['price']", "'price' => '0.01'"),
    "shop.go": ('"price": order["price"], "currency": order', '"price": "0.01", "currency": order'),
    "shop.rb": ("price: ORDER[:price],", 'price: "0.01",'),
}


def blocks(text):
    """The listings of the page: their language and their text."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def shown_files():
    """The texts of all files that the page shows as a whole."""
    return {path.read_text("utf-8") for path in [*PROGRAMS.iterdir(), *EXAMPLES.values()]}


def check_the_page(text):
    wrong = list(shown.wrong(DOCUMENT, PROGRAMS, [".sh", ".py", ".mjs", ".php", ".go", ".rb"], MOST_LINES))
    for path in PROGRAMS.iterdir():
        verifier = (pathlib.Path("docs/callbacks") / f"verify{path.suffix}").read_text("utf-8")
        function = re.search(r"^(export )?((def |function |func )?verify\(.*?)(^\}$|^end$|\Z)", verifier, re.DOTALL | re.MULTILINE)
        if function[2] + function[4] not in path.read_text("utf-8"):
            wrong.append(f"{path} does not have the verifier of docs/callbacks word for word")
    programs = shown_files()
    for language, path in EXAMPLES.items():
        if (language, path.read_text("utf-8")) not in blocks(text):
            wrong.append(f"{DOCUMENT} does not show {path} word for word")
    previous = None
    for language, listing in blocks(text):
        if listing in programs:
            kind = "program"
        elif language == "sh":
            kind = "command"
        elif language in ("json", "text") and previous == "command":
            kind = "output"
        elif language in ENDS:
            continue  # a step in another language; run_the_samples runs them
        else:
            wrong.append(f"nothing runs this listing of {DOCUMENT}:\n{listing}")
            continue
        previous = kind
    if wrong:
        sys.exit("\n".join(wrong))
    return [block for block in blocks(text) if block[1] not in programs and block[0] in ("sh", "json", "text")]


@contextlib.contextmanager
def demo(folder):
    """A running demo: the facts that it prints."""
    command = [os.environ["TILL_BINARY"], "demo", "--ephemeral", "--port", "0", "--json"]
    store = folder / "demo"
    store.mkdir()
    with open(folder / "demo.log", "wb") as log:
        environment = os.environ | {"TMPDIR": str(store)}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, cwd=folder, env=environment)
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def set_up_vendor(folder, vendor, url):
    """Saves a Callback URL in the settings of a demo's vendor, and switches fiscal receipts on, as its user does in the
    panel."""
    store, = {path.parent for path in (folder / "demo").rglob("accounts.db")}
    settings = ["--callback-url", url, "--fiscal", "accept"]
    command = [os.environ["TILL_BINARY"], "vendor", "set", vendor, *settings, "--data-dir", str(store)]
    # A shop on this machine, as a demo allows it.
    environment = os.environ | {"TILL_ALLOW_PRIVATE_CALLBACKS": "true"}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def matches(said, found):
    """True if `found` is what the page says: `…` stands for any text, and `"…": "…"` for any other fields."""
    if isinstance(said, dict) and isinstance(found, dict):
        wanted = {name: value for name, value in said.items() if name != "…"}
        complete = "…" in said or list(said) == list(found)
        return complete and all(name in found and matches(value, found[name]) for name, value in wanted.items())
    if isinstance(said, list) and isinstance(found, list):
        return len(said) == len(found) and all(map(matches, said, found))
    if isinstance(said, str) and isinstance(found, str):
        return re.fullmatch(".+".join(map(re.escape, said.split("…"))), found, re.DOTALL) is not None
    return said == found


def check_output(language, said, found, command):
    try:
        right = matches(json.loads(said), json.loads(found)) if language == "json" else matches(said, found)
    except json.JSONDecodeError:
        right = False
    if not right:
        sys.exit(f"{DOCUMENT} says that\n\n{command}\nprints\n\n{said}\nbut it printed\n\n{found}")


def run_the_page(listings, fill_in, folder, settings):
    """All commands as one script, so that each has the results of those before it."""
    commands = [fill_in(listing) for language, listing in listings if language == "sh"]
    script = "".join(f"{command}\nprintf '\\036'\n" for command in commands)
    (folder / "page.sh").write_text(script, "utf-8")
    status, out, err = run(["bash", "-euo", "pipefail", "page.sh"], folder, settings, seconds=60)
    printed = out.split("\x1e")
    if status != 0:
        sys.exit(f"a command of {DOCUMENT} failed with {status}:\n\n{commands[len(printed) - 1]}\n{out}\n{err}")
    number = -1
    for language, listing in listings:
        if language == "sh":
            number += 1
            print("ran:", listing.strip().splitlines()[0])
        else:
            check_output(language, fill_in(listing), printed[number], commands[number])


def run_the_samples(text, folder, settings):
    """The steps of the page in each language but shell. Each has an order of its own."""
    files = shown_files()
    for language, (command, name, end) in ENDS.items():
        steps = [listing for found, listing in blocks(text) if found == language and listing not in files]
        (folder / name).write_text("".join(steps).replace("A-100", f"A-{language}-100") + end, "utf-8")
        status, out, err = run([command, name], folder, settings, seconds=60)
        try:
            session, order, ended, page, expired, listed, refund = json.loads(out)
        except ValueError:
            sys.exit(f"the steps in {language} ended with {status} and said:\n{out}{err}")
        found = [len(steps), session["status"], order["status"], ended["status"], len(page["callbacks"])]
        if found != [8, "pending", "pending", "paid", 1] or order["orderId"] != f"A-{language}-1001":
            sys.exit(f"the steps in {language} said:\n{out}{err}")
        if expired["status"] != "expired" or listed != {"sessions": [expired], "next_cursor": None}:
            sys.exit(f"the steps in {language} said:\n{out}{err}")
        if [refund["sessionId"], refund["amount"]] != [session["session_id"], "10.00"]:
            sys.exit(f"the steps in {language} said:\n{out}{err}")
        print(f"ran: the steps in {language}")


def broken(name, edits, folder):
    before, after = edits[name]
    program = (PROGRAMS / name).read_text("utf-8")
    if program.count(before) != 1:
        sys.exit(f"{name}: {before} is there {program.count(before)} times, not once")
    (folder / name).write_text(program.replace(before, after), "utf-8")


def run_wrong_amount(folder, settings):
    for name in COMMANDS:
        broken(name, WRONG_AMOUNT, folder)
        status, out, err = run([*COMMANDS[name], name], folder, settings)
        if status == 0 or "callback: refused: this is not what was ordered\n" not in out:
            sys.exit(f"{name} with a wrong amount ended with {status} and said:\n{out}{err}")
        print(f"ran: {name} with a wrong amount: refused")


def run_wrong_secret(folder, settings):
    """Till's callbacks then have a wrong signature: they are refused, and decide nothing."""
    for name in COMMANDS:
        broken(name, WRONG_SECRET, folder)
        with Running(name, [*COMMANDS[name], name], folder, settings) as program:
            program.wait_for("err", SIGNATURE)
            time.sleep(0.5)  # time to end for a program that wrongly lets it decide
            if program.process.poll() is not None or "callback:" in program.said("out"):
                program.fail("let a wrong signature decide")
        print(f"ran: {name} with a wrong secret: refused, and it waits on")


def send(port, event, secret, expected, program_name):
    """Sends a callback; returns a message if the answer is not the expected one."""
    body = json.dumps(event, separators=(",", ":")).encode()
    headers = {"Content-Type": "application/json"} | ({"X-Signature": sign(secret, body)} if secret else {})
    request = urllib.request.Request(f"http://127.0.0.1:{port}/callbacks", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            status = answer.status
    except urllib.error.HTTPError as refusal:
        status = refusal.code
    except OSError as trouble:
        status = repr(trouble)
    if status != expected:
        return f"{program_name} answered {status}, not {expected}, to {event}"
    return None


def paid(asked, session_id):
    """The event of a paid session that was created with `asked`."""
    return {
        "event": "session.paid", "eventId": str(uuid.uuid4()), "sessionId": session_id, "status": "paid",
        "price": asked["price"], "currency": asked["currency"], "orderId": asked["order_id"],
    }


def others(event):
    """Signed events that must change nothing: a test, an event type unknown to the program, one of another order, and
    those about the session's money that were added after the programs were written."""
    refunded = {"event": "session.refunded", "status": "refunded"}
    money = {"transactionId": str(uuid.uuid4()), "amount": "4.99"}
    return [event | {"event": name, "eventId": str(uuid.uuid4())} | money for name in MONEY] + [
        {"event": "test.ping", "eventId": str(uuid.uuid4()), "test": True},
        event | {"eventId": str(uuid.uuid4())} | refunded,
        event | {"eventId": str(uuid.uuid4()), "orderId": "A-0"},
    ]


class Between(ThreadingHTTPServer):
    """A proxy between a program and Till, which sends the callbacks itself, at unexpected moments."""

    daemon_threads = True

    def __init__(self, till, name, settings):
        super().__init__(("127.0.0.1", 0), Relay)
        self.till, self.name, self.settings = till, name, settings
        self.wrong, self.event, self.pages = [], None, []

    def send(self, event, secret, expected):
        self.wrong.append(send(self.settings["SHOP_PORT"], event, secret, expected, self.name))

    def created(self, asked, session_id):
        """Before the program knows its session: unrelated events, then its own callback, twice."""
        secret, self.event = self.settings["TILL_CLIENT_SECRET"], paid(asked, session_id)
        if self.name in FETCH:
            failed = self.event | {"event": "session.failed", "status": "failed"}
            self.pages = [(other, secret) for other in others(self.event)] + [(failed, "another")]
            return
        if asked["callback_url"] != f"{self.settings['SHOP_URL']}/callbacks":
            self.wrong.append(f"{self.name} asked for callbacks to {asked['callback_url']}")
        for stranger in ("another", None):
            self.send(self.event | {"event": "session.failed", "status": "failed"}, stranger, 401)
        for other in others(self.event):
            self.send(other, secret, 204)
        self.send(self.event, secret, 204)
        self.send(self.event, secret, 204)
        self.send(self.event | {"eventId": "another", "sessionId": "another"}, secret, 204)

    def simulated(self):
        if self.name not in FETCH:
            self.send(self.event, self.settings["TILL_CLIENT_SECRET"], 204)

    def page(self):
        """A page of the feed."""
        event, secret = self.pages.pop(0)
        body = json.dumps(event, separators=(",", ":"))
        entry = {"event_id": event["eventId"], "headers": {"x-signature": sign(secret, body.encode())}, "body": body}
        answer = {"callbacks": [entry], "next": "between", "has_more": True}
        return json.dumps(answer, separators=(",", ":")).encode()


class Relay(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        between, path = self.server, self.path.replace("&after=between", "")
        body = self.rfile.read(int(self.headers["Content-Length"])) if self.headers["Content-Length"] else None
        kept = ("Content-Type", "Authorization", "Idempotency-Key")
        headers = {name: self.headers[name] for name in kept if self.headers[name]}
        creates, asked = path.endswith("/checkout-session"), None
        if creates:
            asked = json.loads(body)
            body = json.dumps({name: value for name, value in asked.items() if name != "callback_url"}).encode()
        if between.pages and "/callbacks?" in path:
            status, answer = 200, between.page()
        else:
            try:
                request = urllib.request.Request(between.till + path, body, headers)
                with urllib.request.urlopen(request, timeout=40) as response:
                    status, answer = response.status, response.read()
            except urllib.error.HTTPError as refusal:
                status, answer = refusal.code, refusal.read()
        if creates and status < 300:
            between.created(asked, json.loads(answer)["session_id"])
        elif path.endswith("/simulate"):
            between.simulated()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET


def run_early(name, folder, till, settings):
    """The callback comes before the answer to the create, after events that must change nothing, and again later. The
    shop's public URL has no port."""
    shutil.copy(PROGRAMS / name, folder)
    settings = settings | {"SHOP_URL": "https://shop.example.com"}
    between = Between(till, name, settings)
    threading.Thread(target=between.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{between.server_port}"
    addresses = {at: settings[at].replace(till, here) for at in ("TILL_API", "TILL_SESSIONS")}
    with Running(name, [*COMMANDS[name], name], folder, settings | addresses) as program:
        program.ends_paid("with an early callback")
        if SIGNATURE not in program.said("err"):
            program.fail("kept a wrong signature to itself")
        # It answered the first one with 2xx, so it may not need the repeat.
        if name not in FETCH and not program.said("out").startswith("callback: paid\n"):
            program.fail("did not take the early callback")
    between.shutdown()
    between.server_close()
    if any(between.wrong) or between.pages or not between.event:
        sys.exit("\n".join(filter(None, between.wrong)) or f"{name} was not told everything")
    print(f"ran: {name} " + ("among events of others" if name in FETCH else "with an early callback among others"))


def run_live(name, folder, settings):
    """A program with live settings, paid by a customer of the simulated bank. Before that come events with a wrong
    signature or none, and a test."""
    shutil.copy(PROGRAMS / name, folder)
    with Running(name, [*COMMANDS[name], name], folder, settings) as program:
        program.wait_for("out", "pay at http")
        program.wait_for("out", "\n")
        page = program.said("out").split()[-1]
        if "/sandbox/" in page:
            program.fail("is in the sandbox")
        if name not in FETCH:
            event = paid({"price": "49.90", "currency": "EUR", "order_id": ""}, page.rsplit("/", 1)[1])
            port, secret = settings["SHOP_PORT"], settings["TILL_CLIENT_SECRET"]
            wrong = [send(port, event, stranger, 401, name) for stranger in ("another", None)]
            wrong += [send(port, other, secret, 204, name) for other in others(event)]
            if any(wrong):
                sys.exit("\n".join(filter(None, wrong)))
        pay(page)
        program.ends_paid("with live settings")
    print(f"ran: {name} with live settings")


def run_silent(listings, folder, plain):
    """The commands that start a demo, with one that never prints anything: they fail, and leave no process behind; one
    that is left would hold the output open, and `run` notices."""
    (commands,) = [listing for language, listing in listings if "till demo" in listing]
    silent = folder / "silent"
    silent.mkdir()
    (silent / "till").write_text("#!/bin/sh\nexec sleep 600\n", "utf-8")
    (silent / "till").chmod(0o755)
    (silent / "step.sh").write_text(commands.replace("timeout 20", "timeout 1"), "utf-8")
    status, out, err = run(["bash", "-e", "step.sh"], silent, plain | {"PATH": f"{silent}:{plain['PATH']}"}, 10)
    if status == 0 or out:
        sys.exit(f"the commands that start a demo, with a silent one, ended with {status} and said:\n{out}{err}")
    print("ran: the commands that start a demo, with one that does not start: they fail")


def main():
    text, with_libraries = clients.split(DOCUMENT.read_text("utf-8"))
    listings = check_the_page(text)
    clients.check(with_libraries)
    with tempfile.TemporaryDirectory() as name, demo(pathlib.Path(name)) as facts, ThreadPoolExecutor(1) as pool:
        folder = pathlib.Path(name)
        (folder / "till").symlink_to(os.environ["TILL_BINARY"])
        # Where nothing listens, so that the programs get their own callbacks only.
        set_up_vendor(folder, facts["vendor"]["vendor_id"], f"http://127.0.0.1:{free_port()}/")
        port = free_port()
        shop = f"http://127.0.0.1:{port}"
        pairs = {environment: facts["vendor"][environment] for environment in ("live", "sandbox")}
        filled = {ADDRESS: facts["base_url"], SHOP: shop, "SHOP_PORT=3000": f"SHOP_PORT={port}"}
        for environment, pair in pairs.items():
            filled[f"{environment}_…"] = pair["client_id"]
            filled[f"sk_{environment}_…"] = pair["client_secret"]
        places = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, filled)) + ")")

        def fill_in(listing):
            """The page with the values that its reader fills in."""
            return places.sub(lambda place: filled[place[0]], listing)

        for program in COMMANDS:
            shutil.copy(PROGRAMS / program, folder)
        plain = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": name, "TMPDIR": name, "LANG": "C.UTF-8"}
        plain["GOCACHE"] = str(pathlib.Path(".tools/go").resolve())  # it holds the compiled standard library
        run_the_page(listings, fill_in, folder, plain)
        paths = {"TILL_API": "/api/sandbox/vendor", "TILL_SESSIONS": "/api/sandbox/vendor/checkout-session"}
        sandbox = {setting: facts["base_url"] + path for setting, path in paths.items()}
        sandbox |= {"TILL_URL": facts["base_url"], "TILL_ENVIRONMENT": "sandbox"}
        sandbox |= {f"TILL_{field.upper()}": value for field, value in pairs["sandbox"].items()}
        settings = plain | sandbox | {"SHOP_URL": shop, "SHOP_PORT": str(port)}
        # The programs mostly wait, and what is installed has to be compiled.
        installed = pool.submit(clients.install, with_libraries, folder, settings)
        reference.run(facts["base_url"], pairs["sandbox"], folder, plain, run)
        run_the_samples(text, folder, settings)
        run_silent(listings, folder, plain)
        run_wrong_secret(folder, settings)
        run_wrong_amount(folder, settings)
        for program in COMMANDS:
            run_early(program, folder, facts["base_url"], settings)
        live = dict(re.findall(r"^\| `(TILL_\w+)` \| `[^`]+` \| `([^`]+)` \|$", fill_in(text), re.MULTILINE))
        if set(live) != set(sandbox):
            sys.exit(f"the table of {DOCUMENT} names {sorted(live)}, not {sorted(sandbox)}")
        for program in COMMANDS:
            run_live(program, folder, settings | live)
        clients.run(with_libraries, installed.result(), live)


main()
