"""Prints the answers of docs/callbacks/verify.py to the vectors."""

import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "docs/callbacks")
from verify import verify

with open("docs/callbacks/vectors.json", encoding="utf-8") as file:
    vectors = json.load(file)["vectors"]
for vector in vectors:
    answer = verify(vector["secret"], vector["body"].encode(), vector["xSignature"])
    sys.stdout.buffer.write(f"{vector['name']}\t{str(answer).lower()}\n".encode())
assert verify(vectors[0]["secret"], vectors[0]["body"].encode(), None) is False, "a missing header is refused"
