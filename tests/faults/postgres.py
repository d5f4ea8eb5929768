"""PostgreSQL servers of the proving ground, and a database on them: made with initdb, on a free port of the loopback address, removed at the end."""

import contextlib
import json
import os
import pathlib
import shutil
import signal

import machine
from machine import LOOPBACK, Trouble, until

SETTINGS = {
    "listen_addresses": LOOPBACK, "shared_buffers": "32MB", "max_connections": "200", "max_wal_size": "256MB",
    "log_min_messages": "warning", "wal_level": "replica", "hot_standby": "on",
}


def program(name):
    """The path of a PostgreSQL program; Debian keeps the server's out of PATH."""
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -float(path.parent.name))
    for place in versions:
        if (place / name).exists():
            return place / name
    return shutil.which(name) or (_ for _ in ()).throw(Trouble(f"{name} is missing: tests/faults/install installs it"))


def query(port, sql, database="postgres"):
    """What a statement returns, as psql prints it."""
    url = f"postgres://till@{LOOPBACK}:{port}/{database}?connect_timeout=3&sslmode=disable"
    return machine.run([program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, url]).strip()


TIMELINE = """SELECT CASE WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END"""


def timeline(port):
    """The timeline on which a server takes writes; 0 if it takes none."""
    return int(query(port, TIMELINE))


def primary(ports):
    """The port of the server that takes writes, on the highest timeline if an old primary lives."""
    def look():
        found = {}
        for port in ports:
            with contextlib.suppress(Trouble):
                found[port] = timeline(port)
        return max((number, port) for port, number in found.items())[1] if any(found.values()) else None
    return until("a server takes writes", look)


class Store:
    """A database of its own on servers, as the store of a run."""

    # The bare writer's.
    TABLE = "CREATE TABLE bare (at timestamptz DEFAULT now())"
    HEX = "encode({}, 'hex')::uuid::text"

    def __init__(self, database, name):
        self.ports, self.name = database.ports, name
        port = primary(self.ports)
        query(port, f"CREATE DATABASE {name}")
        query(port, self.TABLE, name)

    def settings(self, ports=None):
        """Till's settings for this store; `ports` are others than the servers' own."""
        hosts = ",".join(f"{LOOPBACK}:{port}" for port in ports or self.ports)
        return {"TILL_DATABASE_URL": f"postgres://till@{hosts}/{self.name}?sslmode=disable"}

    def for_service(self):
        """More variables for the service, which starts now."""
        return {}

    def rows(self, part, sql):
        """The rows of a query in a part of the store."""
        sql = sql.format(id=self.HEX.format("id"), session=self.HEX.format("session_id"))
        found = f"SELECT coalesce(json_agg(found), '[]') FROM ({sql}) AS found"
        text = query(primary(self.ports), f"SET search_path = {part}; {found}", self.name)
        return [list(row.values()) for row in json.loads(text)]


class Server:
    """One server without a manager."""

    def __init__(self, folder, name, **settings):
        self.folder, self.port, self.process = machine.own_folder(folder / name), machine.free_port(), None
        self.data, self.log = self.folder / "data", folder / f"{name}.log"
        self.settings = SETTINGS | {"port": str(self.port), "unix_socket_directories": str(self.folder)} | settings

    def create(self):
        machine.run([program("initdb"), "--no-sync", "--auth=trust", "--username=till", "--encoding=UTF8",
                     "--locale=C.UTF-8", "--pgdata", self.data], **machine.as_server())
        return self

    def follow(self, primary):
        """Becomes a copy of a running server, which it follows."""
        machine.run([program("pg_basebackup"), "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf",
                     "--no-sync", "--pgdata", self.data, "--dbname",
                     f"host={LOOPBACK} port={primary.port} user=till application_name=standby"], **machine.as_server())
        return self

    def start(self):
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        self.process = machine.start([program("postgres"), "-D", self.data, *options], self.log, **machine.as_server())
        until("PostgreSQL accepts connections", self.answers, 60)
        return self

    def answers(self):
        if self.process.poll() is not None:
            raise Trouble(f"PostgreSQL ended:\n{self.log.read_text('utf-8', 'replace')[-2000:]}")
        with contextlib.suppress(Trouble):
            return query(self.port, "SELECT 1") == "1"

    def promote(self):
        machine.run([program("pg_ctl"), "promote", "--wait", "--silent", "--pgdata", self.data], **machine.as_server())

    def kill(self):
        machine.send(machine.family(self.process.pid), signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            machine.send(machine.family(self.process.pid), signal.SIGCONT)
            os.kill(self.process.pid, signal.SIGQUIT)
            self.process.wait(30)


class Plain:
    """One server, or a primary whose commits wait for a standby, as a database of the proving ground."""

    def __init__(self, folder, pair=False):
        self.primary = Server(folder, "first", **({"synchronous_standby_names": "*"} if pair else {}))
        self.servers = [self.primary]
        if pair:
            self.servers.append(Server(folder, "second", synchronous_standby_names=""))

    @contextlib.contextmanager
    def running(self):
        try:
            # Nothing is written before the standby is there: a commit would wait for it.
            self.primary.create().start()
            for standby in self.servers[1:]:
                standby.follow(self.primary).start()
                until("the standby is synchronous", lambda: query(
                    self.primary.port, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'") == "1")
            yield self
        finally:
            for server in self.servers:
                server.stop()

    @property
    def ports(self):
        return [server.port for server in self.servers]

    def store(self, name, _folder):
        return Store(self, name)

    def restore(self):
        """Nothing to repair: no scenario leaves a fault behind in servers that others use."""

    def check_timeline(self):
        """The timeline of one server does not change, and that of a pair is judged by its scenario."""
