"""Runs scenarios of the proving ground, prints their verdicts and writes their figures.

    proving.py short|long [SCENARIO...]
"""

import contextlib
import datetime
import json
import os
import platform
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import disk
import failover  # noqa: F401: registers its scenarios, as the others do
import failpoints  # noqa: F401
import load  # noqa: F401
import machine
import network  # noqa: F401
import nodes  # noqa: F401
import packets  # noqa: F401
import patroni
import postgres
import scenario
import simulation  # noqa: F401
from ground import Ground
from machine import Skipped, Trouble, say

RESULTS = machine.TOOLS / "faults"
SHOWN = 5


class Databases:
    """The databases of an invocation: a plain server and a Patroni cluster are used by all runs, the others by one."""

    def __init__(self, folder, stack):
        self.folder, self.stack, self.kept, self.used = folder, stack, {}, 0

    @contextlib.contextmanager
    def use(self, kind):
        if kind in ("plain", "patroni"):
            yield self.whole(kind)
            return
        self.used += 1
        place = self.folder / f"{kind}{self.used}"
        place.mkdir()
        fresh = postgres.Plain(place, pair=True) if kind == "pair" else disk.KINDS[kind](place)
        with fresh.running() as database:
            yield database

    def whole(self, kind):
        """A database that is used again, repaired, or a new one if that is not possible."""
        if kind in self.kept:
            try:
                self.kept[kind].restore()
                return self.kept[kind]
            except Trouble as trouble:
                say(f"   a new database, because of the old one: {trouble}")
                self.kept[kind].stop()
        self.kept[kind] = self.stack.enter_context(self.make(kind).running())
        return self.kept[kind]

    def make(self, kind):
        return {"plain": postgres.Plain, "patroni": patroni.Cluster}[kind](self.folder)


def one_run(chosen, databases, folder, mode):
    """A run of a scenario: its figures, as they are written."""
    stolen, ticks = machine.steal()
    short = mode == "short"
    began = time.monotonic()
    with databases.use(chosen.database) as database, \
            Ground(folder, database, chosen.nodes, chosen.through, short, **chosen.settings) as ground:
        figures = measured_by(chosen, ground)
        figures.missed += chosen.goals(ground, figures, scenario.SHORT_SLACK if short else 0.0)
        if not figures.good():
            keep(chosen, ground)
        for name, text in ground.kept.items():
            RESULTS.mkdir(parents=True, exist_ok=True)
            (RESULTS / name).write_text(text, "utf-8")
        measured = as_json(figures)
    now, all_ticks = machine.steal()
    return measured | {"seconds": round(time.monotonic() - began), "steal": round((now - stolen) / max(1, all_ticks - ticks), 3),
                       "load": round(os.getloadavg()[0], 1)}


def measured_by(chosen, ground):
    """Lets a scenario act, and measures. If it cannot be finished, its history is kept."""
    try:
        if not chosen.crowd:
            return chosen.act(ground)
        ground.gather()
        chosen.act(ground)
        ground.database.check_timeline()
        return ground.judge()
    except Trouble:
        keep(chosen, ground)
        ground.database.check_timeline()
        raise


def as_json(figures):
    """The figures of a run as they are written to a file."""
    verdict = figures.verdict
    return {
        "good": figures.good(), "sessions": verdict.sessions, "reads": verdict.reads, "duplicates": verdict.duplicates,
        **{kind: len(getattr(verdict, kind)) for kind in verdict.KINDS},
        "gaps": [round(gap, 2) for gap in figures.gaps], "bare": figures.bare and round(figures.bare, 2),
        "longest_answer": round(figures.longest_answer, 2), "errors": figures.errors, "notes": figures.notes,
        "missed": figures.missed, "violations": {kind: found[:SHOWN] for kind, found in verdict.violations().items()},
    }


def keep(chosen, ground):
    """Keeps the histories and logs of a run that was not good."""
    place = RESULTS / f"failed-{chosen.name}-{int(time.time())}"
    place.mkdir(parents=True)
    ground.history.save(place / "history.jsonl")
    (place / "marks.json").write_text(json.dumps(ground.marks), "utf-8")
    servers = [log for place in ("*.log", "pair*/*.log", "patroni*/*.log") for log in ground.folder.parent.glob(place)]
    for log in [*ground.folder.glob("*.log"), *servers, ground.callbacks, ground.bare_file]:
        (place / log.name).write_bytes(log.read_bytes()[-20_000_000:])
    say(f"   its history and logs: {place.relative_to(machine.ROOT)}")


def describe(run):
    """A run in one line."""
    bare = f", bare writer {run['bare']}" if run["bare"] is not None else ""
    gaps = f"; silent for {' and '.join(map(str, run['gaps']))} s{bare}" if run["gaps"] else ""
    errors = ", ".join(f"{number} x {kind}" for kind, number in run["errors"].items()) or "none"
    return (f"   {'good' if run['good'] else 'NOT GOOD'} after {run['seconds']} s: {run['sessions']} sessions, {run['lost']} lost, "
            f"{run['contradictory']} contradictory, {run['stale']} stale, {run['callbacks_lost']} callbacks lost, "
            f"{run['duplicates']} twice{gaps}; errors: {errors}; steal {run['steal']:.0%}")


def attempt(chosen, databases, folder, mode):
    """A run, or what prevented it. A run that was skipped is neither good nor bad."""
    try:
        run = one_run(chosen, databases, folder, mode)
    except Skipped as skipped:
        say(f"   SKIPPED: {skipped}")
        return {"good": None, "skipped": str(skipped).splitlines()[0]}
    except (Trouble, OSError, subprocess.SubprocessError) as trouble:
        say(f"   COULD NOT RUN: {trouble}")
        return {"good": False, "trouble": str(trouble)}
    say(describe(run))
    if run["notes"]:
        say(f"   {json.dumps(run['notes'])}")
    for sentence in run["missed"] + [one for found in run["violations"].values() for one in found]:
        say(f"   - {sentence}")
    return run


def commit():
    """The commit of the tree, with a + if it was changed."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=machine.ROOT, capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def write(mode, chosen, runs, version):
    """Writes the figures of a scenario's runs."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    now = datetime.datetime.now(datetime.timezone.utc)
    path = RESULTS / f"{now:%Y%m%dT%H%M%SZ}-{mode}-{chosen.name}.json"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    path.write_text(json.dumps({
        "scenario": chosen.name, "title": chosen.title, "ids": chosen.ids, "mode": mode, "date": f"{now:%Y-%m-%d}",
        "commit": version, "machine": f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}",
        "runs": runs,
    }, indent=1) + "\n", "utf-8")


def test_the_ground():
    """A checker that cannot fail proves nothing, and a forwarder that does not disturb tests nothing."""
    say("== the checker, the forwarder and the report themselves")
    tests = unittest.defaultTestLoader.discover(str(machine.ROOT / "tests/faults"), "*_test.py")
    if not unittest.TextTestRunner(verbosity=1).run(tests).wasSuccessful():
        sys.exit(1)


def table(results):
    """The verdicts, one line for each scenario."""
    lines = [f"{'scenario':<18} {'good':>6} {'sessions':>8} {'lost':>5} {'contra':>6} {'stale':>5} {'cb lost':>7} {'twice':>5}"
             f"  longest silence (bare)"]
    for name, runs in results.items():
        done = [run for run in runs if "sessions" in run]
        sums = [sum(run[kind] for run in done) for kind in
                ("sessions", "lost", "contradictory", "stale", "callbacks_lost", "duplicates")]
        gaps = "; ".join("/".join(map(str, run["gaps"])) + f" ({run['bare']})" for run in done if run["gaps"])
        skipped = sum("skipped" in run for run in runs)
        gaps = f"{skipped} skipped" if skipped else gaps
        lines.append(f"{name:<18} {sum(run['good'] is True for run in runs):>3}/{len(runs):<2} {sums[0]:>8} {sums[1]:>5} "
                     f"{sums[2]:>6} {sums[3]:>5} {sums[4]:>7} {sums[5]:>5}  {gaps}")
    skipped = sum("skipped" in run for runs in results.values() for run in runs)
    return "\n".join(lines + [f"{skipped} runs were skipped"] * (skipped > 0))


def main(mode, names):
    if unknown := [name for name in names if name not in scenario.ALL]:
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(scenario.ALL)}")
    chosen = [scenario.ALL[name] for name in names] or [one for one in scenario.ALL.values() if mode == "long" or one.short]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    test_the_ground()
    results, version = {}, commit()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(machine.folder())
        databases = Databases(folder, stack)
        for one in chosen:
            number = one.runs if mode == "long" else 1
            results[one.name] = runs = []
            for run in range(number):
                say(f"\n== {one.name}: {one.title} ({one.ids}), {run + 1} of {number}")
                runs.append(attempt(one, databases, folder, mode))
                if "skipped" in runs[-1]:
                    break
            write(mode, one, runs, version)
    say(f"\n{table(results)}")
    sys.exit(any(run["good"] is False for runs in results.values() for run in runs))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
