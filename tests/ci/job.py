"""The machine on which the workflow runs: its programs, packages and settings. Nothing is downloaded."""

import contextlib
import os
import pathlib
import random
import shutil
import socket
import subprocess
from dataclasses import dataclass

TOOLS = pathlib.Path(".tools").resolve()
# Below the ports of outgoing connections, which could take one of them between two steps.
PORTS = range(10_000, 30_000)
# Stands in for the program on the PATH: it listens behind the recorder, and has the URL in front of it.
TILL = """#!/bin/sh
for argument; do
  shift
  [ "$argument" != {front} ] || argument={behind}
  set -- "$@" "$argument"
done
TILL_BASE_URL=http://127.0.0.1:{front} exec {binary} "$@"
"""
# What the TypeScript library is built with is there already: unpacking it again takes longer than all tests.
NPM = """#!/bin/sh
if [ "$*" = "ci --prefix till/clients/typescript" ]; then
  exec ln -s {tools}/clients-typescript/node_modules till/clients/typescript
fi
exec {npm} "$@"
"""


@dataclass(frozen=True)
class Ports:
    """Where Till and the shops listen, and where the recorder listens in front of each."""

    till: int
    till_front: int
    shop: int
    shop_front: int


def free_ports():
    found = []
    with contextlib.ExitStack() as listeners:
        while len(found) < 4:
            listener = listeners.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                listener.bind(("127.0.0.1", random.choice(PORTS)))
                found.append(listener.getsockname()[1])
    return Ports(*found)


def prepare(folder, ports):
    """Prepares the machine in this folder. Returns the environment of its steps."""
    source, python = folder / "source", folder / "python"
    _prepare_python(python)
    (folder / "bin").mkdir()
    binary = os.environ["TILL_BINARY"]
    _write_program(folder / "bin/till", TILL.format(front=ports.till_front, behind=ports.till, binary=binary))
    _write_program(folder / "bin/npm", NPM.format(tools=TOOLS, npm=shutil.which("npm")))
    path = f"{folder / 'bin'}:{python / 'bin'}:{os.environ['PATH']}"
    npm = {"offline": "true", "audit": "false", "fund": "false", "update_notifier": "false", "cache": f"{TOOLS}/ci/npm"}
    return {f"npm_config_{name}": value for name, value in npm.items()} | {
        "PATH": path, "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8", "CI": "true",
        "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONDONTWRITEBYTECODE": "1", "TILL_GIT": str(source), "TILL_REV": _commit_source(source),
        "DEMO_PORT": str(ports.till_front), "SHOP_PORT": str(ports.shop),
        "SHOP_URL": f"http://127.0.0.1:{ports.shop_front}",
    }


def _write_program(path, text):
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def _commit_source(folder):
    """A repository with the client libraries as they are here. Returns its only revision."""
    built = shutil.ignore_patterns("node_modules", "dist", "build", "vendor", "__pycache__", "*.tgz")
    shutil.copytree("clients", folder / "clients", ignore=built)
    author = ["-c", "user.name=Till", "-c", "user.email=till@example.com"]
    for command in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "--message", "source"]):
        subprocess.run(["git", "-C", folder, *command], check=True)
    return subprocess.check_output(["git", "-C", folder, "rev-parse", "HEAD"], text=True).strip()


def _prepare_python(folder):
    """An environment of its own, in which the packages that the Python library is tested with are installed."""
    tools = TOOLS / "clients-python"
    subprocess.run([tools / "bin/python", "-m", "venv", "--without-pip", folder], check=True)
    [installed] = tools.glob("lib/python*/site-packages")
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "installed.pth").write_text(f"{installed}\n", "utf-8")
    _write_program(folder / "bin/pip", f'#!/bin/sh\nexec {folder}/bin/python -m pip "$@"\n')
