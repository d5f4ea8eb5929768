"""Faults of the disk under the embedded store: a power cut, a sync that fails, a full disk and one that turns read-only."""

import contextlib
import os
import shutil
import sqlite3
import time
import uuid

import history
import machine
from machine import Skipped, Trouble, until
from scenario import scenario

# The exit code of a service that cannot trust its disk any more.
DISK_FAILED = 70
RECOVERY = 5.0
# What a process that ended had begun is continued after its lease.
LEASE = {"TILL_LEASE": "10s"}


class Folder:
    """The embedded store of a run, on the machine's own disk."""

    ports = []

    def __init__(self, folder):
        self.folder = folder / "store"

    @contextlib.contextmanager
    def running(self):
        self.folder.mkdir()
        yield self

    def store(self, _name, _folder):
        return self

    def check_timeline(self):
        """Only servers have one."""

    def settings(self, _ports=None):
        return {"TILL_DATA_DIR": str(self.folder)}

    def for_service(self):
        """More variables for the service, which starts now."""
        return {}

    def rows(self, part, sql):
        """The rows of a query in a part of the store. Identifiers are read as bytes."""
        with contextlib.closing(sqlite3.connect(f"file:{self.folder}/{part}.db?mode=ro", uri=True, timeout=10)) as database:
            found = database.execute(sql.format(id="id", session="session_id")).fetchall()
        return [[str(uuid.UUID(bytes=value)) if isinstance(value, bytes) else value for value in row] for row in found]

    def databases(self, folder=None):
        return [path for path in (folder or self.folder).iterdir() if path.suffix in (".db", ".db-wal")]


class Platter(Folder):
    """The same, with a copy of what was synced: tests/disk/platter.c keeps it, preloaded into the service."""

    def __init__(self, folder):
        super().__init__(folder)
        self.platter, self.library = folder / "platter", folder / "platter.so"

    @contextlib.contextmanager
    def running(self):
        if not shutil.which("cc"):
            raise Skipped("there is no C compiler")
        machine.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library, machine.ROOT / "tests/disk/platter.c", "-ldl",
                     "-lpthread"])
        with super().running():
            yield self

    def for_service(self):
        if not self.platter.exists():
            # What a closed store contains is on its disk.
            self.platter.mkdir()
            for path in self.databases():
                shutil.copy(path, self.platter)
        return {"LD_PRELOAD": str(self.library), "TILL_DISK_FOLDER": str(self.folder.resolve()),
                "TILL_DISK_PLATTER": str(self.platter)}

    def lose_power(self):
        """Leaves only what was synced. The count of commits stays, so that a start refuses if one of them is missing."""
        for path in [*self.databases(), *self.folder.glob("*.db-shm")]:
            path.unlink()
        for path in self.databases(self.platter):
            shutil.copy(path, self.folder)


class Mounted(Folder):
    """The same, on a disk of its own."""

    def mount(self):
        raise NotImplementedError

    @contextlib.contextmanager
    def running(self):
        if not machine.is_apart():
            raise Skipped("mounting a disk needs root")
        with super().running():
            self.mount()
            try:
                yield self
            finally:
                machine.run(["umount", "--lazy", self.folder])


class Small(Mounted):
    """A small disk in memory, which can be filled."""

    def mount(self):
        machine.run(["mount", "-t", "tmpfs", "-o", "size=48m", "till", self.folder])

    def fill(self):
        """Takes all the room, in ever smaller pieces."""
        with open(self.folder / "ballast", "ab", buffering=0) as ballast:
            for size in 65536, 4096, 1:
                with contextlib.suppress(OSError):
                    while ballast.write(bytes(size)) == size:
                        pass

    def clear(self):
        (self.folder / "ballast").unlink()


class Journal(Mounted):
    """An ext4 file system, which turns read-only when its journal fails."""

    def mount(self):
        self.image = self.folder.parent / "image"
        with open(self.image, "wb") as image:
            image.truncate(256 << 20)
        if not shutil.which("mkfs.ext4"):
            raise Skipped("there is no mkfs.ext4")
        machine.run(["mkfs.ext4", "-q", self.image])
        try:
            machine.run(["mount", "-o", "loop", self.image, self.folder])
        except Trouble as trouble:
            raise Skipped(f"no loop device can be mounted: {trouble}") from trouble

    def fail(self):
        machine.run(["mount", "-o", "remount,abort", self.folder])

    def repair(self):
        """As an administrator does after a service ended."""
        machine.run(["umount", self.folder])
        machine.run(["sh", "-c", 'e2fsck -fy "$1" || [ $? = 1 ]', "sh", self.image])
        machine.run(["mount", "-o", "loop", self.image, self.folder])


KINDS = {"folder": Folder, "platter": Platter, "small": Small, "journal": Journal}


def soon_back(ground, figures, slack):
    """The node serves within the limit after each repair."""
    answers, missed = ground.history.copy(), []
    backs = [history.first_after(answers, 0, moment) for moment in ground.repairs]
    figures.notes["served_after_repair"] = [round(back, 2) for back in backs]
    return [f"the node served {back:.1f} s after the repair" for back in backs if back > RECOVERY + slack]


def again(ground):
    """Starts the service, as a service manager does."""
    ground.repairs = getattr(ground, "repairs", []) + [time.monotonic()]
    ground.nodes[0].start(**ground.store.for_service())


def acknowledged_between(ground, begin, end):
    """Creates that were asked for and acknowledged within this time."""
    return sum(answer.kind == "create" and answer.result == "ok" and begin < answer.began and answer.ended < end
               for answer in ground.history.copy())


@scenario("power-cut", "the power fails, and only what was synced is left on the disk; three times", "F2b", database="platter",
          nodes=1, goals=soon_back, short=True, settings=LEASE)
def power_cut(ground):
    for _ in range(ground.lasts(3, short=1)):
        ground.serve(60)
        ground.nodes[0].kill()
        ground.store.lose_power()
        again(ground)
        ground.serve(20)
    ground.settle(1)


def ended_itself(ground, figures, slack):
    """The service stopped with its own exit code instead of acknowledging what may be lost."""
    figures.notes["exit_code"] = ground.exit_code
    wrong = [] if ground.exit_code == DISK_FAILED else [f"the service ended with {ground.exit_code}"]
    return wrong + soon_back(ground, figures, slack)


@scenario("sync-fails", "a sync of the log fails with an I/O error; the service ends and is started; then the power fails", "F4b",
          database="platter", nodes=1, goals=ended_itself, settings=LEASE)
def sync_fails(ground):
    node = ground.nodes[0]
    node.stop()
    # It may end before it was seen to be ready.
    node.launch(TILL_DISK_FAIL="sandbox.db-wal:40", **ground.store.for_service())
    ground.exit_code = node.process.wait(60)
    again(ground)
    ground.serve(60)
    node.kill()
    ground.store.lose_power()
    again(ground)
    ground.settle(1)


def reads_on(ground, figures, slack):
    """The service lives and answers reads; it serves again by itself once there is room."""
    begin, end = ground.marks["full"], ground.repairs[0]
    reads = sum(answer.kind == "read" and answer.result == "ok" and begin < answer.began < end
                for answer in ground.history.copy())
    figures.notes["reads_while_full"] = reads
    # SQLite reuses the space it has, so a few creates can be kept even now.
    figures.notes["creates_while_full"] = acknowledged_between(ground, begin, end)
    missed = [] if reads else ["no read was answered while the disk was full"]
    if not figures.errors.get("503 unavailable"):
        missed.append("nothing was refused: the disk was not full")
    if ground.nodes[0].process.poll() is not None:
        missed.append("the service ended")
    return missed + soon_back(ground, figures, slack)


@scenario("disk-full", "the disk is full for 10 s", "F4", database="small", nodes=1, goals=reads_on, short=True)
def disk_full(ground):
    ground.store.fill()
    # What had room already may still be committed.
    time.sleep(1)
    ground.mark("full")
    time.sleep(ground.lasts(9, short=3))
    ground.repairs = [time.monotonic()]
    ground.store.clear()
    ground.settle(1)


def nothing_acknowledged(ground, figures, slack):
    """Nothing is acknowledged that cannot be kept."""
    number = acknowledged_between(ground, ground.marks["failed"], ground.repairs[0])
    figures.notes["creates_while_read_only"] = number
    figures.notes["service_ended_with"] = ground.exit_code
    return ([f"{number} creates were acknowledged on a read-only disk"] if number else []) + soon_back(ground, figures, slack)


@scenario("disk-read-only", "the file system turns read-only for 8 s, and is repaired", "F4, F4b", database="journal", nodes=1,
          goals=nothing_acknowledged, settings=LEASE)
def disk_read_only(ground):
    node = ground.nodes[0]
    ground.store.fail()
    ground.mark("failed")
    time.sleep(8)
    ground.exit_code = node.process.poll()
    node.stop()
    ground.store.repair()
    again(ground)
    ground.settle(1)
