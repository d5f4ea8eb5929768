"""Notices (webhooks) to the shop, signed, until the shop answers 200 with the text OK."""

import json
import threading
import time
import urllib.error
import urllib.request

from rules import token


class Notices:
    def __init__(self, password):
        self.lock, self.password = threading.Lock(), password
        # "now": sent at once; "held": kept until they are released; "off": lost.
        self.url, self.mode, self.copies, self.delay = None, "now", 1, 0.0
        self.waiting, self.told = [], []
        # How often, and how soon, a notice is repeated that was not answered with OK. T-Bank does so for days.
        self.tries, self.pause = 5, 0.2

    def tell(self, members):
        notice = members | {"Token": token(members, self.password)}
        with self.lock:
            if self.mode == "off" or not self.url:
                return
            if self.mode == "held":
                self.waiting.append(notice)
                return
            copies, delay = self.copies, self.delay
        for _ in range(copies):
            threading.Thread(target=self.deliver, args=(notice, delay), daemon=True).start()

    def deliver(self, notice, delay):
        time.sleep(delay)
        for _ in range(self.tries):
            if self.send(notice) == (200, "OK"):
                return
            time.sleep(self.pause)

    def send(self, notice):
        body = json.dumps(notice, ensure_ascii=False).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"}, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                result = answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            result = error.code, ""
        except OSError:
            result = 0, ""
        self.told.append({"status": result[0], "answer": result[1], "notice": notice})
        return result
