"""The programs of README.md, by the heading above them. As a program, writes them into a folder."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def programs() -> dict[str, list[str]]:
    """Every block of Python; other languages than Python and one shell command are an error."""
    found: dict[str, list[str]] = {}
    for section in re.split(r"^## ", README.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", section, re.DOTALL | re.MULTILINE):
            if language == "sh":
                assert text == "pip install till-checkout\n", "the test script runs this command"
                continue
            assert language == "python", f"nothing runs this block:\n{text}"
            found.setdefault(section.splitlines()[0], []).append(text)
    return found


if __name__ == "__main__":
    for heading, texts in programs().items():
        for number, text in enumerate(texts):
            name = re.sub(r"\W+", "_", heading.lower())
            (Path(sys.argv[1]) / f"readme_{name}_{number}.py").write_text(text, "utf-8")
