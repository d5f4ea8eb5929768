"""Processes, ports, folders and waiting, for the programs of this folder. Everything is on the loopback address."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools"
# PostgreSQL does not run as root: then it runs as this user.
NOBODY = 65534
LOOPBACK = "127.0.0.1"


class Trouble(Exception):
    """The proving ground itself did not work; nothing is known about Till."""


class Skipped(Exception):
    """A scenario needs what this machine does not have."""


def say(text):
    print(text, flush=True)


def until(what, found, seconds=30.0, pause=0.1):
    """What `found` returns, once that is true."""
    end = time.monotonic() + seconds
    while not (result := found()):
        if time.monotonic() > end:
            raise Trouble(f"not within {seconds:.0f} s: {what}")
        time.sleep(pause)
    return result


def is_apart():
    """True if this program has network and mount namespaces of its own, which tests/faults/run makes where it may."""
    return os.environ.get("TILL_FAULTS_APART") == "yes"


def free_port():
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def folder():
    """A temporary folder that PostgreSQL's user can enter."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="till-faults-"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def own_folder(path):
    """A new folder that belongs to PostgreSQL's user."""
    path.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    return path


def as_server():
    """Options of a process that runs as PostgreSQL's user."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def start(command, log, **options):
    """A process with its log in a file. It ends with this program, even if this program is killed."""
    with open(log, "ab") as output:
        options = {"stdout": output, "stderr": output, "stdin": subprocess.DEVNULL, "cwd": "/"} | options
        return subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *map(str, command)], **options)


def end(process, seconds=15):
    """Ends a process of `start`, also one that is frozen."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGCONT)
        process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run(command, **options):
    """The output of a command that succeeds."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd="/", **options)
    if done.returncode:
        raise Trouble(f"{' '.join(map(str, command[:4]))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def family(pid):
    """A process and everything that descends from it, parents first."""
    children = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [pid]
    for parent in found:
        found.extend(children.get(parent, []))
    return found


def send(pids, number):
    """Sends a signal to processes; one that has just ended needs none."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def steal():
    """Processor time that the host took from this machine, and all processor time, in ticks since its start."""
    fields = [int(field) for field in pathlib.Path("/proc/stat").read_text("utf-8").splitlines()[0].split()[1:9]]
    return fields[7], sum(fields)
