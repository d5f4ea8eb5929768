"""A name server on port 53 of the loopback address: every name has the address 127.0.0.1, and none of IPv6."""

import socket

server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
while True:
    query, client = server.recvfrom(512)
    end = query.index(b"\0", 12) + 5
    answers = query[end - 4 : end - 2] == b"\0\1"
    record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1" if answers else b""
    head = query[:2] + b"\x81\x80\0\1" + (b"\0\1" if answers else b"\0\0") + bytes(4)
    server.sendto(head + query[12:end] + record, client)
