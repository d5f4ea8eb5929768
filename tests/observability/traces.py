"""Exports the traces of a payment to a real OpenTelemetry collector, and checks that they are one trace from the request to the
callback, and that a collector that is gone costs nothing but spans."""

import contextlib
import json
import os
import pathlib
import re
import socket
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import service

AGENT = next(service.TOOLS.glob("otlp/lib/python3*/site-packages/rotel/rotel-agent"))
ADDRESS = "ann.customer@mail.example"


@contextlib.contextmanager
def collector(folder, port):
    """A collector that prints every span."""
    log = folder / "collector.log"
    command = [AGENT, "start", "--otlp-http-endpoint", f"127.0.0.1:{port}", "--otlp-grpc-endpoint",
               f"127.0.0.1:{service.free_port()}", "--debug-log", "traces", "--debug-log-verbosity", "detailed",
               "--exporter", "blackhole", "--pid-file", folder / "collector.pid"]
    with service.running(command, log, env={name: os.environ[name] for name in ("PATH",)}):
        service.until("the collector listens", lambda: "Starting Rotel" in log.read_text("utf-8"))
        yield log


def spans(log):
    """The spans that the collector printed."""
    found = []
    for text in re.split(r"^Span #\d+$", log.read_text("utf-8"), flags=re.M)[1:]:
        fact = lambda name: re.search(rf"^\s*{name}\s*: ?(.*)$", text, re.M)[1].strip()
        attributes = dict(re.findall(r"-> ([\w.]+): \w+\((.*)\)", text))
        found.append({"trace": fact("Trace ID"), "parent": fact("Parent ID"), "id": fact("ID"), "name": fact("Name"),
                      "kind": fact("Kind").removeprefix("SPAN_KIND_"), "attributes": attributes})
    return found


def check(found, trace):
    """The spans of the payment's trace, and what is missing of them."""
    of_payment = [span for span in found if span["trace"] == trace]
    by_id = {span["id"]: span for span in of_payment}
    name = lambda span: (span["kind"], span["name"])
    below = {(name(by_id[span["parent"]]), name(span)) for span in of_payment if span["parent"] in by_id}
    created, paid = ("SERVER", "POST /api/product/session"), ("SERVER", "POST /session/{id}/pay")
    for pair in ((created, ("INTERNAL", "commit")), (paid, ("INTERNAL", "commit")), (paid, ("CLIENT", "simulator start"))):
        if pair not in below:
            yield f"there is no {pair[1]} below {pair[0]}"
    callbacks = [span["attributes"] for span in of_payment if name(span) == ("CLIENT", "callback")]
    if [call.get("http.response.status_code") for call in callbacks] != ["204"]:
        yield f"the callback is not in the trace with its status: {callbacks}"
    for span in of_payment:
        if span["kind"] == "SERVER" and not span["attributes"].get("till.request_id", "").startswith("req_"):
            yield f"a request has no id: {span}"


def check_the_end(till):
    """A collector that never answers does not keep the service from ending."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with till.serve(TILL_OTLP_ENDPOINT=f"http://127.0.0.1:{silent.getsockname()[1]}") as process:
            till.token("live")
            time.sleep(3)
            before = time.monotonic()
            process.terminate()
            process.wait(20)
            if time.monotonic() - before > 5:
                yield f"the service waited {time.monotonic() - before:.1f} s for the collector when it ended"


def main():
    with tempfile.TemporaryDirectory() as name, service.receiver() as shop:
        folder, port = pathlib.Path(name), service.free_port()
        (folder / "data").mkdir()
        till = service.Till(folder, "http://127.0.0.1:9")
        del till.environment["TILL_EVM_FILE"]
        on = {"TILL_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "TILL_OTLP_HEADERS": "x-key=canary-of-the-key"}
        with till.serve(**on) as process:
            with collector(folder, port) as log:
                token = till.token("live")
                session = till.create("live", token, shop, customer_email=ADDRESS, metadata={"login": ADDRESS})
                till.pay(session, "approve")
                trace = json.loads(till.command("session", "show", session, "--json"))["trace_id"]
                service.until("the callback is traced", lambda: any(span["name"] == "callback" for span in spans(log)), 30)
                # Longer than spans wait for others.
                time.sleep(3)
                problems = list(check(spans(log), trace))
                text = log.read_text("utf-8")
                secrets = [session, token, ADDRESS, till.vendor["live"]["client_secret"], "canary-of-the-key"]
                problems += [f"a span has {secret!r}" for secret in secrets if secret in text]
                if "service.name: Str(till)" not in text or "service.instance.id" not in text:
                    problems.append("the process does not say what it is")
            # The collector is gone.
            before = time.monotonic()
            if not till.create("live", token, shop):
                problems.append("a create failed without a collector")
            if time.monotonic() - before > 5:
                problems.append("a create waited for the collector")
            service.until("the log says it", lambda: "cannot export traces" in till.log.read_text("utf-8"), 30)
            if process.poll() is not None:
                problems.append("the service ended")
        problems += list(check_the_end(till))
        for problem in problems:
            print(problem, file=sys.stderr)
        if problems:
            raise SystemExit("the spans:\n" + "\n".join(map(str, spans(log))))
        print("traces: a payment is one trace from its request to its callback")


if __name__ == "__main__":
    main()
