"""Two PostgreSQL servers that Debian's Patroni manages, with a synchronous standby and an etcd, each in processes of its own."""

import contextlib
import json
import os
import re
import signal
import urllib.error
import urllib.request

import machine
import postgres
from machine import LOOPBACK, TOOLS, Trouble, until

PROGRAMS = TOOLS / "patroni/usr/bin"
PACKAGES = TOOLS / "patroni/usr/lib/python3/dist-packages"
TIMES = {"ttl": 20, "loop_wait": 2, "retry_timeout": 3}


class Member:
    """One server with its Patroni."""

    def __init__(self, folder, name, etcd):
        self.name, self.port, self.api, self.process = name, machine.free_port(), machine.free_port(), None
        self.folder, self.log = machine.own_folder(folder / name), folder / f"{name}.log"
        self.data, self.config = self.folder / "data", self.folder / "patroni.json"
        # JSON is YAML too.
        self.config.write_text(json.dumps(self.settings(etcd)), "utf-8")
        self.config.chmod(0o644)

    def settings(self, etcd):
        dynamic = TIMES | {
            "synchronous_mode": True, "maximum_lag_on_failover": 1048576,
            "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": {
                "shared_buffers": "32MB", "max_connections": 200, "wal_level": "replica", "hot_standby": "on",
                "wal_log_hints": "on", "max_wal_senders": 5, "max_replication_slots": 5, "wal_keep_size": "256MB",
                "log_min_messages": "warning"}}}
        users = {name: {"username": "till"} for name in ("superuser", "replication", "rewind")}
        return {
            "scope": "till", "name": self.name, "restapi": {"listen": f"{LOOPBACK}:{self.api}",
                                                            "connect_address": f"{LOOPBACK}:{self.api}"},
            # Not etcd3: with it, Patroni 3.0.2 that continues after a freeze takes the lock back from the leader that was promoted
            # meanwhile, because it does not compare. The database then loses what that leader acknowledged.
            "etcd": {"host": f"{LOOPBACK}:{etcd}"},
            "bootstrap": {"dcs": dynamic, "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, {"auth": "trust"}, "no-sync"],
                          "pg_hba": ["local all all trust", f"host all all {LOOPBACK}/32 trust",
                                     f"host replication all {LOOPBACK}/32 trust"]},
            "postgresql": {"listen": f"{LOOPBACK}:{self.port}", "connect_address": f"{LOOPBACK}:{self.port}",
                           "data_dir": str(self.data), "bin_dir": str(postgres.program("postgres").parent),
                           "pgpass": str(self.folder / "pgpass"), "authentication": users,
                           "parameters": {"unix_socket_directories": str(self.folder)}},
            "tags": {},
        }

    def start(self):
        variables = os.environ | {"PYTHONPATH": str(PACKAGES), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
        self.process = machine.start(["/usr/bin/python3", PROGRAMS / "patroni", self.config], self.log, env=variables,
                                     **machine.as_server())

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def postmaster(self):
        """The server's first process, or None."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            pid = int((self.data / "postmaster.pid").read_text("utf-8").split()[0])
            os.kill(pid, 0)
            return pid

    def processes(self):
        """Patroni and the whole server."""
        server = self.postmaster()
        return (machine.family(self.process.pid) if self.runs() else []) + (machine.family(server) if server else [])

    def kill(self):
        """The whole machine is gone, as far as its processes are concerned."""
        machine.send(self.processes(), signal.SIGKILL)
        self.process.wait()

    def kill_postmaster(self):
        machine.send([self.postmaster()], signal.SIGKILL)

    def freeze(self):
        machine.send(self.processes(), signal.SIGSTOP)

    def thaw(self):
        machine.send(self.processes(), signal.SIGCONT)

    def stop(self):
        self.thaw()
        if self.process:
            machine.end(self.process, 30)
        if server := self.postmaster():
            machine.send(machine.family(server), signal.SIGKILL)


class Cluster:
    """The pair, and its etcd."""

    made = 0

    def __init__(self, folder):
        Cluster.made += 1
        self.folder, self.etcd_port, self.etcd = folder / f"patroni{Cluster.made}", machine.free_port(), None
        self.folder.mkdir()
        self.etcd_data = machine.own_folder(self.folder / "etcd")
        self.members = [Member(self.folder, name, self.etcd_port) for name in ("one", "two")]

    @property
    def ports(self):
        return [member.port for member in self.members]

    def store(self, name, _folder):
        return postgres.Store(self, name)

    @contextlib.contextmanager
    def running(self):
        try:
            self.restore()
            yield self
        finally:
            self.stop()

    def stop(self):
        for member in self.members:
            member.stop()
        if self.etcd:
            machine.end(self.etcd)

    def start_etcd(self):
        client, peer = f"http://{LOOPBACK}:{self.etcd_port}", f"http://{LOOPBACK}:{machine.free_port()}"
        self.etcd = machine.start(
            [PROGRAMS / "etcd", "--data-dir", self.etcd_data / "data", "--listen-client-urls", client,
             "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", f"default={peer}", "--enable-v2=true"],
            self.folder / "etcd.log", **machine.as_server())
        until("etcd answers", lambda: ask(f"{client}/health"), 30)

    def stop_etcd(self):
        self.etcd.kill()
        self.etcd.wait()

    def restore(self):
        """Starts what does not run, and waits for a leader with a synchronous standby."""
        if self.etcd is None or self.etcd.poll() is not None:
            self.start_etcd()
        for member in self.members:
            member.thaw()
            if not member.runs():
                member.start()
                if member is self.members[0]:
                    # The first becomes the leader of a new cluster; the second copies it.
                    until("a server answers", member.postmaster, 60)
        until("the pair has a leader and a synchronous standby", self.whole, 120, 0.3)

    def check_timeline(self):
        """The database did not return to an old timeline: what was acknowledged on the newer one would be lost in it."""
        newest = max((int(number) for member in self.members for number in re.findall(
            r"selected new timeline ID: (\d+)", member.log.read_text("utf-8", "replace"))), default=1)
        used = postgres.timeline(postgres.primary(self.ports))
        if used < newest:
            raise Trouble(f"the database itself returned from timeline {newest} to {used}: nothing can be said about Till")

    def roles(self):
        """The role of each member that runs, as Patroni says."""
        for member in self.members:
            if (answer := ask(f"http://{LOOPBACK}:{member.api}/cluster")) and "members" in answer:
                return {one["name"]: one["role"] for one in answer["members"] if one["state"] in ("running", "streaming")}
        return {}

    def whole(self):
        return set(self.roles().values()) == {"leader", "sync_standby"}

    def leader(self):
        """The member that leads."""
        roles = self.roles()
        found = [member for member in self.members if roles.get(member.name) == "leader"]
        if not found:
            raise Trouble(f"no leader: {roles}")
        return found[0]

    def standby(self):
        leader = self.leader()
        return next(member for member in self.members if member is not leader)

    def switch_over(self):
        """Asks Patroni to make the standby the leader, as an administrator does."""
        leader, standby = self.leader(), self.standby()
        order = json.dumps({"leader": leader.name, "candidate": standby.name}).encode()
        request = urllib.request.Request(f"http://{LOOPBACK}:{leader.api}/switchover", order,
                                         {"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=60).read()
        except urllib.error.HTTPError as error:
            raise Trouble(f"switchover: {error.code} {error.read().decode()}") from error


def ask(url):
    """What an address answers, as JSON, or None."""
    try:
        with urllib.request.urlopen(url, timeout=3) as answer:
            return json.loads(answer.read() or "null")
    except (OSError, ValueError):
        return None
