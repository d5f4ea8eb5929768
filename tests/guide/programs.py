"""Runs programs, and does what their customer does."""

import contextlib
import hashlib
import hmac
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def run(command, folder, settings, seconds=30):
    """A command's exit status and output. Its child processes end with it."""
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


class Running:
    """A running program, and its output so far."""

    def __init__(self, name, command, folder, settings):
        self.name, self.log = name, {stream: folder / f"{name}.{stream}" for stream in ("out", "err")}
        with open(self.log["out"], "wb") as out, open(self.log["err"], "wb") as err:
            self.process = subprocess.Popen(
                command, cwd=folder, env=settings | {"PYTHONUNBUFFERED": "1"}, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def said(self, stream):
        return self.log[stream].read_text("utf-8")

    def wait_for(self, stream, words, seconds=30):
        end = time.monotonic() + seconds
        while words not in self.said(stream):
            if self.process.poll() is not None or time.monotonic() > end:
                self.fail(f"did not say {words!r}")
            time.sleep(0.02)

    def fail(self, what):
        status = self.process.poll()
        said = self.said("out") + self.said("err")
        sys.exit(f"{self.name} {what}; it {'runs' if status is None else f'ended with {status}'} and said:\n{said}")

    def ends_paid(self, what):
        """Checks that it ends with success, after one callback."""
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.fail(f"{what}: did not end")
        out = self.said("out")
        if status != 0 or out.count("callback:") != 1 or "callback: paid\n" not in out or "status: paid\n" not in out:
            self.fail(f"{what}: is not paid once")


def post(url, **fields):
    data = urllib.parse.urlencode(fields).encode()
    # As a browser does from our own page.
    request = urllib.request.Request(url, data, {"Sec-Fetch-Site": "same-origin"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.url


def pay(page):
    """Pays a live session at the simulated bank, as a customer does in a browser."""
    post(post(f"{page}/pay", method="card"), decision="approve")


def sign(secret, body):
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
