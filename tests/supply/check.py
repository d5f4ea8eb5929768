"""Checks an SBOM of this machine's platform: the crates that cargo counts, each with license, purl and checksum."""

import json, re, subprocess, sys
from pathlib import Path

text = Path(sys.argv[1]).read_text()
bom = json.loads(text)
till, components = bom["metadata"]["component"], bom["components"]
lock = Path("Cargo.lock").read_text()
wrong = []

command = ["cargo", "tree", "--locked", "--package", "till", "--edges", "normal,build", "--prefix", "none"]
lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
counted = {" ".join(line.split()[:2]) for line in lines if line}
listed = [f"{each['name']} v{each['version']}" for each in [till, *components]]
if sorted(listed) != sorted(counted):
    wrong.append(f"{len(listed)} listed, {len(counted)} counted by cargo: {sorted(counted ^ set(listed))}")

for each in [till, *components]:
    if not each["licenses"][0]["expression"]:
        wrong.append(f"{each['name']} has no license")
    if not re.fullmatch(r"pkg:(cargo|generic)/[\w-]+@[\w.%-]+", each["purl"]):
        wrong.append(f"{each['name']} has the purl {each['purl']}")
    ours = Path("crates", "server" if each is till else each["name"].removeprefix("till-"), "Cargo.toml").exists()
    if not ours and f'checksum = "{each["hashes"][0]["content"]}"' not in lock:
        wrong.append(f"{each['name']} has not the checksum of Cargo.lock")

graph = {each["ref"]: each["dependsOn"] for each in bom["dependencies"]}
reached, waiting = set(), [till["bom-ref"]]
while waiting:
    reference = waiting.pop()
    if reference not in reached:
        reached.add(reference)
        waiting += graph.get(reference, [])
if not reached == set(graph) == {each["bom-ref"] for each in [till, *components]}:
    wrong.append("the graph of dependencies does not reach exactly what is listed")

scopes = {each["name"]: each["scope"] for each in components}
if (scopes["axum"], scopes["serde_derive"], scopes["cc"]) != ("required", "excluded", "excluded"):
    wrong.append("axum is not compiled in, or a macro or a build dependency is")
if "proptest" in scopes:
    wrong.append("proptest is listed, which only tests use")
if str(Path.cwd()) in text:
    wrong.append("it names a folder of this machine")

sys.exit("the SBOM is wrong:\n" + "\n".join(wrong) if wrong else 0)
