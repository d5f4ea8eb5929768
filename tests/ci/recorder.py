"""Forwards TCP connections and records what is sent over each, in each direction, however it is split into packets."""

import asyncio
import contextlib
import threading
from dataclasses import dataclass, field

SECONDS_TO_CLOSE = 10


@dataclass
class Connection:
    """The bytes of one connection: what its client sent, and what it received."""

    sent: bytearray = field(default_factory=bytearray)
    received: bytearray = field(default_factory=bytearray)


class Forwarder:
    """Listens on one port of this machine and connects to another. `connections` are in the order of their start."""

    def __init__(self, name, port, target):
        self.name, self.port, self.target = name, port, target
        self.connections, self._open, self._server = [], set(), None

    async def listen(self):
        self._server = await asyncio.start_server(self._forward, "127.0.0.1", self.port)

    async def _forward(self, reader, writer):
        task, connection = asyncio.current_task(), Connection()
        self._open.add(task)
        self.connections.append(connection)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            await asyncio.gather(
                _copy(reader, far_writer, connection.sent), _copy(far_reader, writer, connection.received)
            )
            far_writer.close()
        except OSError:
            pass  # the client notices, because its connection is closed
        finally:
            writer.close()
            self._open.discard(task)

    async def take(self):
        """The connections since the last call, once all of them have ended."""
        if self._open:
            await asyncio.wait(self._open, timeout=SECONDS_TO_CLOSE)
        if self._open:
            raise SystemExit(f"{len(self._open)} connections of {self.name} are still open")
        taken, self.connections = self.connections, []
        return taken


async def _copy(reader, writer, record):
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            record += data
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.write_eof()


class Recorder:
    """Forwarders in a thread of their own."""

    def __init__(self, *forwarders):
        self._forwarders = forwarders
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        for forwarder in forwarders:
            self._run(forwarder.listen())

    def take(self):
        """What was recorded since the last call, by the name of the forwarder."""
        return {forwarder.name: self._run(forwarder.take()) for forwarder in self._forwarders}

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
