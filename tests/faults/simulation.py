"""The simulation: crates/simulation runs the whole service in one process, driven by seeds, and finds the defects planted in it."""

import json
import os
import re
import time

import checker
import failpoints
import machine
from ground import Figures
from machine import Trouble
from scenario import scenario


def every_defect(ground, figures, slack):
    """Each planted defect was found."""
    notes = figures.notes
    return [f"{notes['planted'] - notes['found']} planted defects were not found"] if notes["found"] < notes["planted"] else []


@scenario("simulation", "the whole service in one process, in which a seed lets everything fail that can", "F29",
          database="folder", nodes=0, goals=every_defect, crowd=False, runs=1)
def simulation(ground):
    kept, output, began = ground.folder / "simulation", ground.folder / "simulation.log", time.monotonic()
    environment = os.environ | {"SIMULATION_FIGURES": str(kept), "TILL_TEST_LONG": "1"}
    command = failpoints.command("TILL_SIMULATION_BINARY")
    process = machine.start([*command, "f29_"], output, cwd=machine.ROOT / "crates/simulation", env=environment)
    process.wait()
    text = output.read_text("utf-8", "replace")
    if not kept.exists():
        raise Trouble(f"the simulation did not run:\n{text[-2000:]}")
    notes = {"planted": 0, "found": 0}
    for line in kept.read_text("utf-8").splitlines():
        notes |= json.loads(line)
    failed = re.findall(r"^test (\S+) \.\.\. FAILED", text, re.M)
    verdict = checker.Verdict(verify=[f"{name} failed" for name in failed])
    if process.returncode and not failed:
        verdict.verify.append(f"the tests ended with {process.returncode}")
    return Figures(verdict, [], None, {}, 0.0, notes | {"minutes": round((time.monotonic() - began) / 60)})
