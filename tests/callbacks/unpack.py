"""Unpacks the vectors for scripts: FOLDER/NN/{name,secret,body,signature,webhook-…}, and the answers in FOLDER/expected."""

import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
vectors = json.loads(pathlib.Path("docs/callbacks/vectors.json").read_text("utf-8"))["vectors"]
assert {vector["valid"] for vector in vectors} == {True, False}, "vectors of both kinds"
fields = {
    "name": "name",
    "secret": "secret",
    "body": "body",
    "signature": "xSignature",
    "webhook-id": "webhookId",
    "webhook-timestamp": "webhookTimestamp",
    "webhook-signature": "webhookSignature",
}
for number, vector in enumerate(vectors):
    place = folder / f"{number:02}"
    place.mkdir()
    for file, field in fields.items():
        if field in vector:
            (place / file).write_bytes(vector[field].encode())
    assert vector["valid"] == ("webhookSignature" in vector), vector["name"]
lines = [f"{vector['name']}\t{str(vector['valid']).lower()}\n" for vector in vectors]
(folder / "expected").write_text("".join(lines), "utf-8")
