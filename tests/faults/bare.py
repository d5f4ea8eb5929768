"""The bare writer: what a client of PostgreSQL without Till sees of the same fault. It connects anew for each write, through
libpq, to whichever of several hosts takes writes, with short timeouts. One line for each write that was committed: its time.

    bare.py DATABASE PORTS FILE    with Debian's python3 and its psycopg2
"""

import contextlib
import os
import socket
import sys
import threading
import time

import psycopg2

CONNECT, WRITE, PAUSE = 2, 3.0, 0.05


def cut(connection):
    """Ends a write that takes too long, without canceling it: a commit that waits for its standby stays unknown."""
    with contextlib.suppress(OSError, psycopg2.Error):
        with socket.socket(fileno=os.dup(connection.fileno())) as pipe:
            pipe.shutdown(socket.SHUT_RDWR)


def write(database, ports):
    """One connection and one write."""
    hosts = ",".join("127.0.0.1" for _ in ports)
    connection = psycopg2.connect(host=hosts, port=",".join(ports), user="till", dbname=database, connect_timeout=CONNECT,
                                  target_session_attrs="read-write", sslmode="disable")
    limit = threading.Timer(WRITE, cut, (connection,))
    limit.daemon = True
    limit.start()
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute("INSERT INTO bare DEFAULT VALUES")
    finally:
        limit.cancel()
        with contextlib.suppress(psycopg2.Error):
            connection.close()


def keep_writing(database, ports, kept, lock):
    while True:
        try:
            write(database, ports)
        except psycopg2.Error:
            pass
        else:
            with lock:
                kept.write(f"{time.monotonic()}\n")
                kept.flush()
        time.sleep(PAUSE)


def main(database, ports, path):
    """Two writers, each with the hosts in another order, so that one that waits for a dead host is not all."""
    lock = threading.Lock()
    with open(path, "a", encoding="utf-8") as kept:
        writers = [threading.Thread(target=keep_writing, args=(database, order, kept, lock), daemon=True)
                   for order in (ports, ports[::-1])]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2].split(","), sys.argv[3])
