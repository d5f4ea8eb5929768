"""A vendor's endpoint: 204 if all signatures of a callback are right, else 401. Prints its port; the secret is in
TILL_SECRET."""

import base64
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

sys.dont_write_bytecode = True
sys.path.insert(0, "docs/callbacks")
from verify import verify

SECRET = os.environ["TILL_SECRET"]
STANDARD = Webhook("whsec_" + base64.b64encode(SECRET.encode()).decode())


def is_right(body, headers):
    try:
        STANDARD.verify(body, dict(headers))
    except WebhookVerificationError:
        return False
    return verify(SECRET, body, headers["X-Signature"]) and headers["Content-Type"] == "application/json"


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204 if is_right(body, self.headers) else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Endpoint)
print(server.server_port, flush=True)
server.serve_forever()
