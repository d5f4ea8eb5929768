"""The steps of a workflow file that have commands."""

import re
import sys

STEP = re.compile(r"^ {6}- name: (.+)\n {8}run: (.+\n(?: {10}.+\n)*)", re.MULTILINE)


def steps(path):
    """The commands of each step, by its name and in order."""
    text = path.read_text("utf-8")
    indent = re.compile("^ {10}", re.MULTILINE)
    found = {name: indent.sub("", run.removeprefix("|\n")) for name, run in STEP.findall(text)}
    if not found or text.count("run:") != len(found):
        sys.exit(f"{path} has a step that cannot be run here")
    return found
