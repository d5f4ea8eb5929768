"""Notices (webhooks) to the shop: without a signature, as the service sends them, until the shop answers 200."""

import json
import threading
import time
import urllib.error
import urllib.request


class Notices:
    def __init__(self):
        self.lock = threading.Lock()
        # "now": sent at once; "held": kept until they are released; "off": never sent.
        self.url, self.mode, self.copies, self.delay = None, "now", 1, 0.0
        self.waiting, self.told = [], []
        # How often, and how soon, a notice is repeated that was not answered with 200. The service does so
        # for 24 hours.
        self.tries, self.pause = 5, 0.2

    def tell(self, event, thing):
        notice = {"type": "notification", "event": event, "object": thing}
        with self.lock:
            if self.mode == "off" or not self.url:
                return
            if self.mode == "held":
                self.waiting.append(notice)
                return
            copies, delay = self.copies, self.delay
        for _ in range(copies):
            threading.Thread(target=self.send, args=(notice, delay), daemon=True).start()

    def send(self, notice, delay=0.0):
        time.sleep(delay)
        status = None
        for _ in range(self.tries):
            status = self.post(notice)
            if status == 200:
                break
            time.sleep(self.pause)
        return status

    def post(self, notice):
        body = json.dumps(notice, ensure_ascii=False).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"}, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                status = answer.status
        except urllib.error.HTTPError as error:
            status = error.code
        except OSError:
            status = None
        with self.lock:
            self.told.append({"notice": notice, "status": status})
        return status
