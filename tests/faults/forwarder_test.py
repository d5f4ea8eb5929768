"""The forwarder does to a connection what it is ordered to do."""

import pathlib
import socket
import tempfile
import threading
import time
import unittest

import machine
from ground import Forwarder


def echo(listener):
    """Answers every connection with what it sends."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=echo_one, args=(connection,), daemon=True).start()


def echo_one(connection):
    with connection:
        try:
            while data := connection.recv(1024):
                connection.sendall(data)
        except OSError:
            pass


class Network(unittest.TestCase):
    def setUp(self):
        listener = socket.create_server((machine.LOOPBACK, 0))
        self.addCleanup(listener.close)
        threading.Thread(target=echo, args=(listener,), daemon=True).start()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.forwarder = Forwarder(listener.getsockname()[1], pathlib.Path(folder.name) / "log")
        self.addCleanup(self.forwarder.process.stdout.close)
        self.addCleanup(self.forwarder.process.stdin.close)
        self.addCleanup(machine.end, self.forwarder.process)
        self.connection = socket.create_connection((machine.LOOPBACK, self.forwarder.port), timeout=5)
        self.addCleanup(self.connection.close)

    def ask(self, data=b"x"):
        """How long an answer takes."""
        began = time.monotonic()
        self.connection.sendall(data)
        self.assertEqual(self.connection.recv(1024), data)
        return time.monotonic() - began

    def test_it_forwards(self):
        self.ask()

    def test_a_delay_counts_in_both_directions(self):
        self.forwarder.order("delay 150")
        self.assertGreaterEqual(self.ask(), 0.3)

    def test_a_partition_is_silent_and_what_was_sent_arrives_after_it(self):
        self.ask()
        self.forwarder.order("partition")
        self.connection.sendall(b"later")
        self.connection.settimeout(0.3)
        with self.assertRaises(TimeoutError):
            self.connection.recv(1024)
        self.forwarder.order("open")
        self.connection.settimeout(5)
        self.assertEqual(self.connection.recv(1024), b"later")

    def test_loss_resets_the_connection(self):
        self.ask()
        self.forwarder.order("loss 1")
        self.connection.sendall(b"x")
        with self.assertRaises(ConnectionError):
            if not self.connection.recv(1024):
                raise ConnectionError("closed")


if __name__ == "__main__":
    unittest.main()
