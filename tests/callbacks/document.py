"""Compares docs/callbacks.md with the files it shows: word for word, and few enough lines to paste."""

import json
import pathlib
import re
import sys

LANGUAGES = {".sh": "sh", ".py": "python", ".mjs": "js", ".php": "php", ".rs": "rust"}
MOST_LINES = 15

folder = pathlib.Path("docs/callbacks")
document = pathlib.Path("docs/callbacks.md").read_text("utf-8")
vectors = json.loads((folder / "vectors.json").read_text("utf-8"))["vectors"]
example = (folder / "example.json").read_text("utf-8")
wrong = []

shown = sorted(path for path in folder.iterdir() if path.suffix != ".json")
if {path.suffix for path in shown} != set(LANGUAGES):
    wrong.append(f"docs/callbacks has not one verifier for each of {', '.join(LANGUAGES)}")
for path in shown:
    text = path.read_text("utf-8")
    if f"\n```{LANGUAGES[path.suffix]}\n{text}```\n" not in document:
        wrong.append(f"docs/callbacks.md does not show {path} word for word")
    if len(text.splitlines()) > MOST_LINES:
        wrong.append(f"{path} has more than {MOST_LINES} lines")

bodies = [json.loads(block) for block in re.findall(r"\n```json\n(.*?)```\n", document, re.DOTALL)]
if not bodies or json.dumps(bodies[0]) != json.dumps(json.loads(example)):
    wrong.append("the first JSON in docs/callbacks.md is not docs/callbacks/example.json, in its order")
if vectors[0]["body"] != example:
    wrong.append("the first vector is not docs/callbacks/example.json")
for field in ("secret", "xSignature"):
    if f"`{vectors[0][field]}`" not in document:
        wrong.append(f"docs/callbacks.md does not name the {field} of the first vector")

sys.exit("\n".join(wrong) or 0)
