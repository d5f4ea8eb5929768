"""Compares docs/callbacks.md with the files it shows: word for word, and few enough lines to paste."""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import shown

folder = pathlib.Path("docs/callbacks")
path = pathlib.Path("docs/callbacks.md")
document = path.read_text("utf-8")
vectors = json.loads((folder / "vectors.json").read_text("utf-8"))["vectors"]
example = (folder / "example.json").read_text("utf-8")
wrong = list(shown.wrong(path, folder, shown.LANGUAGES, {"": 15}))

bodies = [json.loads(block) for block in re.findall(r"\n```json\n(.*?)```\n", document, re.DOTALL)]
if not bodies or json.dumps(bodies[0]) != json.dumps(json.loads(example)):
    wrong.append("the first JSON in docs/callbacks.md is not docs/callbacks/example.json, in its order")
if vectors[0]["body"] != example:
    wrong.append("the first vector is not docs/callbacks/example.json")
for field in ("secret", "xSignature"):
    if f"`{vectors[0][field]}`" not in document:
        wrong.append(f"docs/callbacks.md does not name the {field} of the first vector")

sys.exit("\n".join(wrong) or 0)
