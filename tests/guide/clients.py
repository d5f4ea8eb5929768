"""Runs what docs/integration.md shows with the client libraries: installs each from `clients` with the page's commands,
runs its steps as one program in the sandbox, with callbacks that must be refused, and live until the payment.

Nothing is downloaded: what the libraries depend on is what clients/*/install installed."""

import base64
import contextlib
import hashlib
import hmac
import json
import pathlib
import re
import shutil
import sys
import time
import urllib.error
import urllib.request
import uuid

import programs

STEPS = 9  # of each language: 1, 2, and 4 to 10
ENDPOINT = 2  # the place among them of the callback endpoint, which is a file of its own in PHP
TO_PAY = 4  # how many of them a live payment needs: up to the status
TOOLS = pathlib.Path(".tools").resolve()
PYTHON = TOOLS / "clients-python/bin/python"
DEBIAN = ["GuzzleHttp", "GuzzleHttp/Psr7", "Psr/Http/Client"]

# What a program prints at the end: in the sandbox, and live. In Python, another thread receives the callbacks: the program
# waits for them, and what it prints is one write, because "print" writes the end of a line separately.
ENDS = {
    "python": (
        "import json, time\nfound = json.dumps([session.status, order.status, ended.status, len(page.callbacks), "
        "expired.status, expired.session_id, refund.amount, refund.session_id == session.session_id])\n"
        "sys.stdout.write(f'\\n{found}\\n')\ntime.sleep(60)\n",
        "import time\nsys.stdout.write(f'\\n{order.status} {session.session_url}\\n')\ntime.sleep(60)\n",
    ),
    "js": (
        "console.log(JSON.stringify([session.status, order.status, ended.status, page.callbacks.length, "
        "expired.status, expired.sessionId, refund.amount, refund.sessionId === session.session_id]));\n",
        "console.log(order.status, session.session_url);\n",
    ),
    "php": (
        "echo json_encode([$session->status, $order->status, $ended->status, count($page->callbacks), "
        "$expired->status, $expired->sessionId, $refund->amount, $refund->sessionId === $session->sessionId]), \"\\n\";\n",
        "echo \"$order->status $session->sessionUrl\\n\";\n",
    ),
}
NAMES = {"python": "client.py", "js": "client.mjs", "php": "client.php"}


def split(text):
    """The page without the client libraries, and the parts of its samples that use one."""
    part = re.compile(r"^With the client library.*?(?=^<!-- )", re.DOTALL | re.MULTILINE)
    return part.sub("", text), part.findall(text)


def listings(parts, language):
    found = [re.findall(r"^```(\w*)\n(.*?)^```$", part, re.DOTALL | re.MULTILINE) for part in parts]
    return [listing for part in found for name, listing in part if name == language]


def check(parts):
    """Every listing is one that `run` runs."""
    counts = {language: len(listings(parts, language)) for language in [*ENDS, "sh"]}
    if counts != dict.fromkeys(ENDS, STEPS) | {"sh": len(ENDS)} or "".join(parts).count("```") != 2 * sum(counts.values()):
        sys.exit(f"with the client libraries, the guide has these listings: {counts}")


def write_program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)


def copy_source(folder):
    """Till's source, as far as a vendor needs it, without what is built there."""
    built = shutil.ignore_patterns("node_modules", "dist", "build", "vendor", "__pycache__", "*.tgz")
    shutil.copytree("clients", folder / "clients", ignore=built)
    for license in pathlib.Path().glob("LICENSE*"):
        shutil.copy(license, folder)


def prepare(language, project, settings):
    """Makes the commands that install a library work without the network. Returns the settings for them and for the
    program, and the command that runs a program."""
    settings = settings | {"PATH": f"{project / 'bin'}:{settings['PATH']}"}
    (project / "bin").mkdir()
    if language == "python":
        installed = project / "installed"
        options = f"--quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --target={installed}"
        write_program(project / "bin/pip", f'exec {PYTHON} -m pip "$@" {options}')
        return settings | {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}, [str(PYTHON)]
    if language == "js":
        # "npm ci" downloads what the lock file lists: it is there already.
        present = f'exec ln -s {TOOLS}/clients-typescript/node_modules "$3"'
        other = f'exec {shutil.which("npm")} "$@"'
        write_program(project / "bin/npm", f'[ "$*" != "ci --prefix till/clients/typescript" ] || {present}\n{other}')
        options = {"offline": "true", "audit": "false", "fund": "false", "update_notifier": "false"}
        return settings | {f"npm_config_{name}": value for name, value in options.items()}, ["node"]
    # The packages that it depends on are empty here: Debian has their code.
    versions = {f"psr/http-{name}": "1.0.1" for name in ("client", "factory", "message")} | {"guzzlehttp/guzzle": "7.4.5"}
    empty = {
        name: {"type": "package", "package": {"name": name, "version": version, "type": "metapackage"}}
        for name, version in versions.items()
    }
    (project / "composer.json").write_text(json.dumps({"repositories": empty | {"packagist.org": False}}), "utf-8")
    (project / "debian.php").write_text(
        "<?php\n" + "".join(f"require_once '/usr/share/php/{package}/autoload.php';\n" for package in DEBIAN), "utf-8"
    )
    offline = {"COMPOSER_ALLOW_SUPERUSER": "1", "COMPOSER_DISABLE_NETWORK": "1", "COMPOSER_HOME": str(project / "composer")}
    write_program(project / "bin/php", f'exec {shutil.which("php")} -d auto_prepend_file={project}/debian.php "$@"')
    return settings | offline, ["php"]


def install(parts, folder, settings):
    """Installs each library into a project of its own with the page's commands. Returns, by language, the project, and
    the settings and the command of a program."""
    source = folder / "source"
    source.mkdir()
    copy_source(source)
    found = {}
    for language, listing in zip(ENDS, listings(parts, "sh"), strict=True):
        project = folder / f"client-{language}"
        project.mkdir()
        (project / "till").symlink_to(source)
        with_library, command = prepare(language, project, settings)
        status, out, err = programs.run(["bash", "-euo", "pipefail", "-c", listing], project, with_library, seconds=120)
        if status != 0:
            sys.exit(f"the client library in {language} could not be installed:\n\n{listing}\n{out}{err}")
        found[language] = project, with_library, command
    return found


def new_shop():
    """A port that no program had: Till still repeats callbacks that earlier programs refused."""
    port = programs.free_port()
    return {"SHOP_PORT": str(port), "SHOP_URL": f"http://127.0.0.1:{port}"}


def headers(event_id, body, secret, environment, age=0):
    """The headers of a callback; without a secret, unsigned."""
    sent = str(int(time.time()) - age)
    found = {"Content-Type": "application/json", "X-Environment": environment}
    found |= {"webhook-id": event_id, "webhook-timestamp": sent}
    if secret:
        signed = hmac.new(secret.encode(), f"{event_id}.{sent}.".encode() + body, hashlib.sha256).digest()
        found |= {"X-Signature": programs.sign(secret, body), "webhook-signature": "v1," + base64.b64encode(signed).decode()}
    return found


def send_others(receiver, stream, settings):
    """Callbacks that must be refused, each with its reason, and two that must be accepted."""
    secret, order_id = settings["TILL_CLIENT_SECRET"], str(uuid.uuid4())
    now = "2026-01-01T00:00:00.000Z"
    event = {
        "event": "session.failed", "eventId": str(uuid.uuid4()), "occurredAt": now, "sessionId": str(uuid.uuid4()),
        "status": "failed", "productName": "Atlas", "price": "49.90", "currency": "EUR", "createdAt": now, "updatedAt": now,
        "orderId": order_id, "paymentMethod": "card", "failureReason": "card_declined",
    }
    ping = {"event": "test.ping", "eventId": str(uuid.uuid4()), "occurredAt": now, "test": True}
    for sent, options, expected, words in [
        (event, {"secret": "another"}, 401, "refused: invalid_signature\n"),
        (event, {"secret": None}, 401, "refused: missing_signature\n"),
        (event, {"age": 3600}, 401, "refused: timestamp_too_old\n"),
        (event, {"environment": "live"}, 401, "refused: wrong_environment\n"),
        (ping, {}, 204, None),
        (event, {}, 204, f"order {order_id}: failed\n"),
    ]:
        body = json.dumps(sent).encode()
        given = headers(sent["eventId"], body, **({"secret": secret, "environment": "sandbox"} | options))
        request = urllib.request.Request(f"http://127.0.0.1:{settings['SHOP_PORT']}/callbacks", body, given)
        before = receiver.said(stream).count("order ")
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                status = response.status
        except urllib.error.HTTPError as refusal:
            status = refusal.code
        if status != expected:
            receiver.fail(f"responded with {status}, not {expected}, to {sent} with {options}")
        if words:
            receiver.wait_for("err" if expected == 401 else stream, words)
        accepted = sent is event and expected == 204
        if receiver.said(stream).count("order ") != before + accepted:
            receiver.fail(f"took {sent} with {options} for an outcome" if not accepted else "took no outcome")


@contextlib.contextmanager
def started(language, steps, end, page, project, settings, command):
    """Runs steps of the page. Yields the program, the process that receives callbacks, and where that one prints."""
    name = NAMES[language]
    with contextlib.ExitStack() as stack:
        receiver, stream = None, "out"
        if language == "php":
            serve = re.search(r"`(php -S [^`]+ callbacks\.php)`", page)
            if not serve:
                sys.exit("the guide does not say how to serve callbacks.php")
            (project / "callbacks.php").write_text(steps[ENDPOINT], "utf-8")
            steps = steps[:ENDPOINT] + steps[ENDPOINT + 1:]
            serving = programs.Running("callbacks.php", ["bash", "-c", f"exec {serve[1]}"], project, settings)
            receiver = stack.enter_context(serving)
            receiver.wait_for("err", "started")
            stream = "err"
        (project / name).write_text("".join(steps) + end, "utf-8")
        program = stack.enter_context(programs.Running(name, [*command, name], project, settings))
        yield program, receiver or program, stream


def line_of(program, start):
    """Waits for a whole line that the program prints, and returns it. The program may end with it."""
    deadline = time.monotonic() + 30
    while True:
        ended = program.process.poll() is not None
        found = re.search(rf"^{re.escape(start)}.*\n", program.said("out"), re.MULTILINE)
        if found:
            return found[0]
        if ended or time.monotonic() > deadline:
            program.fail(f"did not print a line with {start!r}")
        time.sleep(0.02)


def run_sandbox(language, steps, page, project, settings, command):
    order = f"A-client-{language}-100"
    steps = [step.replace("A-100", order) for step in steps]
    with started(language, steps, ENDS[language][0], page, project, settings, command) as (program, receiver, stream):
        found = json.loads(line_of(program, "["))
        expired = found.pop(5)
        if found != ["pending", "pending", "paid", 1, "expired", "10.00", True]:
            program.fail(f"got {found}")
        if f"{expired} expired" not in program.said("out"):
            program.fail("did not list the canceled session")
        receiver.wait_for(stream, f"order {order}1: paid")
        send_others(receiver, stream, settings)
    print(f"ran: the steps in {language} with the client library")


def run_live(language, steps, page, project, settings, command):
    order = f"A-client-{language}-live-100"
    steps = [step.replace("A-100", order) for step in steps[:TO_PAY]]
    with started(language, steps, ENDS[language][1], page, project, settings, command) as (program, receiver, stream):
        url = line_of(program, "pending http").split()[1]
        if "/sandbox/" in url:
            program.fail("is in the sandbox")
        programs.pay(url)
        receiver.wait_for(stream, f"order {order}1: paid")
    print(f"ran: the steps in {language} with the client library and live settings")


def run(parts, installed, live):
    for language, (project, settings, command) in installed.items():
        steps, page = listings(parts, language), "".join(parts)
        run_sandbox(language, steps, page, project, settings | new_shop(), command)
        run_live(language, steps, page, project, settings | live | new_shop(), command)
