"""Compares two recordings, byte by byte, and describes the first difference."""

import os
import re
from itertools import zip_longest

BEFORE, SHOWN = 60, 300  # how much of a line is shown: before the difference, and in all
START = re.compile(rb"([A-Z]+ \S+ )?HTTP/1\.\d.*$")  # follows the body of the message before it on the same line


def difference(first, second):
    """What differs between two recordings, which are lists of connections by name; None if nothing does."""
    for name in first:
        for number, pair in enumerate(zip_longest(first[name], second[name]), 1):
            if None in pair:
                return f"{name}: {len(first[name])} connections in the first run, {len(second[name])} in the second"
            for direction in ("sent", "received"):
                one, other = (bytes(getattr(connection, direction)) for connection in pair)
                if one != other:
                    return f"{name}, connection {number}, {direction} by its client\n{_lines(one, other)}"
    return None


def _lines(one, other):
    """The first lines that differ, and the message that they are in."""
    message = "at its start"
    for left, right in zip_longest(one.split(b"\r\n"), other.split(b"\r\n")):
        if left != right:
            start = max(0, len(os.path.commonprefix([left or b"", right or b""])) - BEFORE)
            return f"  {message}\n  first run:  {_show(left, start)}\n  second run: {_show(right, start)}"
        if found := START.search(left):
            message = "after " + found[0].decode("latin-1")
    raise AssertionError("the same lines")


def _show(line, start):
    if line is None:
        return "(nothing)"
    return ("…" if start else "") + line[start : start + SHOWN].decode("utf-8", "replace")
