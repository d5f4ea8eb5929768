"""The fail points: crates/server/tests/it/fail_points ends the service at each of them and checks what it left."""

import json
import os
import re
import shutil
import time

import checker
import machine
from ground import Figures
from machine import Skipped, Trouble
from scenario import scenario


def command(variable):
    """The program that has some tests, built or to be built. A variable may name a built one."""
    if binary := os.environ.get(variable):
        return [binary]
    if not shutil.which("cargo"):
        raise Skipped(f"there is no cargo to build the tests with; {variable} names a built one")
    # The whole workspace, as ./test builds it: one package alone would be built again.
    return ["cargo", "test", "--workspace", "--quiet", "--test", "it", "--"]


def every_point(ground, figures, slack):
    """Each point was reached, and what it left was in order."""
    notes = figures.notes
    return [f"{notes['points'] - notes['survived']} fail points were not reached or left something behind"] \
        if notes["survived"] < notes["points"] else []


@scenario("fail-points", "the service ends at each moment between an intent and its result, and is started again", "F28",
          database="folder", nodes=0, goals=every_point, crowd=False, runs=1)
def fail_points(ground):
    kept, began = ground.folder / "points", time.monotonic()
    environment = os.environ | {"FAIL_POINT_FIGURES": str(kept)}
    output = ground.folder / "tests.log"
    process = machine.start([*command("TILL_TEST_BINARY"), "fail_points::"], output, cwd=machine.ROOT / "crates/server", env=environment)
    process.wait()
    if not kept.exists():
        raise Trouble(f"the tests of the fail points did not run:\n{output.read_text('utf-8', 'replace')[-2000:]}")
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    points = max((line["points"] for line in lines if "points" in line), default=0)
    survived = {line["survived"] for line in lines if "survived" in line}
    text = output.read_text("utf-8", "replace")
    failed = re.findall(r"^test (\S+) \.\.\. FAILED", text, re.M)
    verdict = checker.Verdict(verify=[f"{name} failed" for name in failed])
    if process.returncode and not failed:
        verdict.verify.append(f"the tests ended with {process.returncode}")
    return Figures(verdict, [], None, {}, 0.0, {"points": points, "survived": len(survived),
                                                "seconds": round(time.monotonic() - began)})
