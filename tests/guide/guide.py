"""Runs docs/integration.md: its commands in their order as one script, with what they print compared to what the page
says; its programs once more with a wrong secret and with a wrong amount; and one of them live, with the settings of the
page's own table."""

import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import shown

DOCUMENT = pathlib.Path("docs/integration.md")
PROGRAMS = pathlib.Path("docs/integration")
MOST_LINES = 75
ADDRESS, SHOP = "http://127.0.0.1:8080", "http://127.0.0.1:3000"  # as the page writes them
COMMANDS = {"shop.sh": "bash", "shop.py": "python3", "shop.mjs": "node", "shop.php": "php"}
FETCH = {"shop.sh"}  # has no address to send a callback to

# How each program is broken: its secret is another one, its order costs something else. Both must be noticed.
WRONG_SECRET = {
    "shop.sh": ('verify "$TILL_CLIENT_SECRET"', "verify another"),
    "shop.py": ("verify(SECRET,", 'verify("another",'),
    "shop.mjs": ("verify(TILL_CLIENT_SECRET,", 'verify("another",'),
    "shop.php": ("verify($secret, $rawBody, $_SERVER", "verify('another', $rawBody, $_SERVER"),
}
WRONG_AMOUNT = {
    "shop.sh": ('"price":"$price"', '"price":"0.01"'),
    "shop.py": ('"price": order["price"]', '"price": "0.01"'),
    "shop.mjs": ("price: order.price,", 'price: "0.01",'),
    "shop.php": ("'price' => $order['price']", "'price' => '0.01'"),
}


def blocks(text):
    """The listings of the page: their language and their text."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def check_the_page(text):
    wrong = list(shown.wrong(DOCUMENT, PROGRAMS, [".sh", ".py", ".mjs", ".php"], MOST_LINES))
    for path in PROGRAMS.iterdir():
        verifier = (pathlib.Path("docs/callbacks") / f"verify{path.suffix}").read_text("utf-8")
        function = re.search(r"^(export )?((def |function )?verify\(.*?)(^\}$|\Z)", verifier, re.DOTALL | re.MULTILINE)
        if function[2] + function[4] not in path.read_text("utf-8"):
            wrong.append(f"{path} does not have the verifier of docs/callbacks word for word")
    programs = {path.read_text("utf-8") for path in PROGRAMS.iterdir()}
    previous = None
    for language, listing in blocks(text):
        if listing in programs:
            kind = "program"
        elif language == "sh":
            kind = "command"
        elif language in ("json", "text") and previous == "command":
            kind = "output"
        else:
            wrong.append(f"nothing runs this listing of {DOCUMENT}:\n{listing}")
            continue
        previous = kind
    if wrong:
        sys.exit("\n".join(wrong))
    return [block for block in blocks(text) if block[1] not in programs]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def demo(folder):
    """A running demo: what it says of itself."""
    command = [os.environ["TILL_BINARY"], "demo", "--ephemeral", "--port", "0", "--json"]
    with open(folder / "demo.log", "wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, cwd=folder)
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def run(command, folder, settings, seconds=30):
    """A command's exit status and output. Whatever it started ends with it."""
    process = subprocess.Popen(
        command, cwd=folder, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8", start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        raise SystemExit(f"{command} did not end in {seconds} s") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def matches(said, found):
    """Whether `found` is what the page says: `…` stands for any text, and `"…": "…"` for any other fields."""
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
    """All commands as one script, so that each finds what those before it left."""
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


def run_broken(what, edits, expected, folder, settings):
    for name, (before, after) in edits.items():
        program = (PROGRAMS / name).read_text("utf-8")
        if program.count(before) != 1:
            sys.exit(f"{name}: {before} is there {program.count(before)} times, not once")
        (folder / name).write_text(program.replace(before, after), "utf-8")
        status, out, err = run([COMMANDS[name], name], folder, settings)
        if status == 0 or f"callback: refused: {expected}\n" not in out:
            sys.exit(f"{name} with {what} ended with {status} and said:\n{out}{err}")
        print(f"ran: {name} with {what}: refused")


def post(url, **fields):
    data = urllib.parse.urlencode(fields).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=30) as answer:
        return answer.url


def send_a_repeat(session_id, settings):
    """An event of another session, then the same event with a word about this one: a program that drops repeats hears
    neither."""
    for session, status in (("another", "paid"), (session_id, "failed")):
        event = {"eventId": "an-event", "sessionId": session, "status": status}
        body = json.dumps(event | {"orderId": "", "price": "", "currency": ""}).encode()
        signature = hmac.new(settings["TILL_CLIENT_SECRET"].encode(), body, hashlib.sha256).hexdigest()
        request = urllib.request.Request(f"{settings['SHOP_URL']}/callbacks", body, {"X-Signature": signature})
        with urllib.request.urlopen(request, timeout=30) as answer:
            if answer.status != 204:
                sys.exit(f"a repeat was answered {answer.status}")


def run_live(name, folder, settings):
    """A program with live settings, paid by a customer of the simulated bank. Before that a repeat comes."""
    shutil.copy(PROGRAMS / name, folder)
    with open(folder / "live.log", "wb") as log:
        process = subprocess.Popen(
            [COMMANDS[name], name], cwd=folder, env=settings | {"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE,
            stderr=log, text=True, start_new_session=True,
        )
    first = rest = ""
    try:
        first = process.stdout.readline()
        if first.startswith("pay at http") and "/sandbox/" not in first:
            page = first.split()[-1]
            if name not in FETCH:
                send_a_repeat(page.rsplit("/", 1)[1], settings)
                # Time to end in, for a program that heard it.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.5)
            bank = post(f"{page}/pay", method="card")
            post(bank, decision="approve")
            rest, _ = process.communicate(timeout=30)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.wait() != 0 or rest != "callback: paid\nstatus: paid\n":
        log = (folder / "live.log").read_text("utf-8")
        sys.exit(f"{name} with live settings ended with {process.returncode} and said:\n{first}{rest}{log}")
    print(f"ran: {name} with live settings" + ("" if name in FETCH else " and a repeated callback"))


def main():
    text = DOCUMENT.read_text("utf-8")
    listings = check_the_page(text)
    with tempfile.TemporaryDirectory() as name, demo(pathlib.Path(name)) as facts:
        folder = pathlib.Path(name)
        (folder / "till").symlink_to(os.environ["TILL_BINARY"])
        shop = f"http://127.0.0.1:{free_port()}"
        pairs = {environment: facts["vendor"][environment] for environment in ("live", "sandbox")}
        filled = {ADDRESS: facts["base_url"], SHOP: shop}
        for environment, pair in pairs.items():
            filled[f"{environment}_…"] = pair["client_id"]
            filled[f"sk_{environment}_…"] = pair["client_secret"]
        places = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, filled)) + ")")

        def fill_in(listing):
            """The page with what its reader puts in."""
            return places.sub(lambda place: filled[place[0]], listing)

        for program in COMMANDS:
            shutil.copy(PROGRAMS / program, folder)
        plain = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": name, "TMPDIR": name, "LANG": "C.UTF-8"}
        run_the_page(listings, fill_in, folder, plain)
        paths = {"TILL_API": "/api/sandbox/vendor", "TILL_SESSIONS": "/api/sandbox/vendor/checkout-session"}
        sandbox = {setting: facts["base_url"] + path for setting, path in paths.items()}
        sandbox |= {f"TILL_{field.upper()}": value for field, value in pairs["sandbox"].items()}
        settings = plain | sandbox | {"SHOP_URL": shop}
        run_broken("a wrong secret", WRONG_SECRET, "the signature is wrong", folder, settings)
        run_broken("a wrong amount", WRONG_AMOUNT, "this is not what was ordered", folder, settings)
        live = dict(re.findall(r"^\| `(TILL_\w+)` \| `[^`]+` \| `([^`]+)` \|$", fill_in(text), re.MULTILINE))
        if set(live) != set(sandbox):
            sys.exit(f"the table of {DOCUMENT} names {sorted(live)}, not {sorted(sandbox)}")
        for program in COMMANDS:
            run_live(program, folder, settings | live)


main()
