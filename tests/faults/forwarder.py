"""A TCP forwarder between a node and a database server, as a process of its own that obeys lines on its standard input:

    open               forward everything, also what was held back
    partition          forward nothing; connections stay open, as when a network drops every packet
    delay MILLISECONDS hold back every piece of data for this long
    loss SHARE         reset a connection instead of forwarding a piece of data, in this share of all cases

    forwarder.py LISTEN_PORT TARGET_PORT
"""

import asyncio
import random
import sys

LOOPBACK = "127.0.0.1"


class Network:
    """What happens to data at the moment."""

    def __init__(self):
        self.passable, self.delay, self.loss = asyncio.Event(), 0.0, 0.0
        self.passable.set()

    def obey(self, line):
        order, *rest = line.split()
        if order == "open":
            self.delay = self.loss = 0.0
            self.passable.set()
        elif order == "partition":
            self.passable.clear()
        elif order == "delay":
            self.delay = float(rest[0]) / 1000
        elif order == "loss":
            self.loss = float(rest[0])


async def send_later(network, queue, writer, both):
    """Forwards pieces in their order, each at its time, if the network lets it pass."""
    loop = asyncio.get_running_loop()
    while (piece := await queue.get()) is not None:
        due, data = piece
        if (wait := due - loop.time()) > 0:
            await asyncio.sleep(wait)
        await network.passable.wait()
        if network.loss and random.random() < network.loss:
            for one in both:
                one.transport.abort()
            return
        writer.write(data)
        await writer.drain()
    writer.close()


async def pump(network, reader, writer, both):
    """Reads pieces and notes when each is due. A delay holds back data, and does not slow down its rate."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue(1024)
    sender = asyncio.create_task(send_later(network, queue, writer, both))
    try:
        while data := await reader.read(65536):
            await queue.put((loop.time() + network.delay, data))
        await queue.put(None)
        await sender
    except OSError:
        sender.cancel()


async def forward(network, target, reader, writer):
    try:
        await network.passable.wait()
        there, back = await asyncio.open_connection(LOOPBACK, target)
    except OSError:
        writer.transport.abort()
        return
    both = writer, back
    await asyncio.gather(pump(network, reader, back, both), pump(network, there, writer, both), return_exceptions=True)
    for one in both:
        one.close()


async def main(port, target):
    network, loop = Network(), asyncio.get_running_loop()
    orders = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    server = await asyncio.start_server(lambda *pair: forward(network, target, *pair), LOOPBACK, port)
    print("listening", flush=True)
    while line := await orders.readline():
        network.obey(line.decode())
        print("done", flush=True)
    server.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
