"""The processor time of a service, of its database and of the machine's neighbours."""

import os
import pathlib


def processes(parent):
    """A process and its children."""
    children = pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split() if parent else []
    return [parent, *children] if parent else []


def cpu_ms(pids):
    """The processor time that these processes have used, in milliseconds."""
    used = 0
    for pid in pids:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                used += int((task / "schedstat").read_text().split()[0])
            except FileNotFoundError:
                pass
    return used / 1e6


def watched(service):
    """The processes of a service, and those of the database that it uses."""
    return [[service], processes(os.environ.get("BENCH_POSTGRES", ""))]


def steal():
    """The share of the processor that the machine's neighbours have taken since it started, and all of it, in ticks."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return ticks[7], sum(ticks)
