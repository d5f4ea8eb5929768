"""A vendor's server that accepts every callback and keeps it byte for byte: one line of JSON for each in a file, with the
monotonic time of its arrival, which is the same clock in every process of a machine.

    receiver.py PORT FILE
"""

import base64
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOCK = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Kept connections are answered at once.
    disable_nagle_algorithm = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        line = {"at": time.monotonic(), "headers": dict(self.headers), "body": base64.b64encode(body).decode()}
        with LOCK:
            self.server.kept.write(json.dumps(line) + "\n")
            self.server.kept.flush()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 512


def main(port, path):
    with Server(("127.0.0.1", port), Handler) as server, open(path, "a", encoding="utf-8") as kept:
        server.kept = kept
        server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
