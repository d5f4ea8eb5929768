"""Starts programs as a container runtime or systemd would: in another root, read-only, as another user, with a filter for
system calls. Needs root, and a mount and network namespace of its own."""

import ctypes, ctypes.util, errno, os, re, subprocess
from pathlib import Path

PR_SET_NO_NEW_PRIVS = 38
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
EQUAL, MASKED_EQUAL = 4, 7


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def seal(root, writable, shown=()):
    """Makes a folder a read-only root in which only some folders can be written to. `shown` are folders of this machine."""
    for folder in (*shown, *writable, "proc", "dev"):
        (root / str(folder).lstrip("/")).mkdir(parents=True, exist_ok=True)
    mount("--bind", root, root)
    mount("-o", "remount,bind,ro,nosuid,nodev", root)
    for folder in shown:
        mount("--bind", "-o", "ro", folder, root / folder.lstrip("/"))
    for folder, source in writable.items():
        mount("--bind", source, root / folder.lstrip("/"))
    mount("-t", "proc", "proc", root / "proc")
    # The devices that every runtime provides.
    mount("-t", "tmpfs", "-o", "mode=755,nosuid", "tmpfs", root / "dev")
    for name, minor in {"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9}.items():
        os.mknod(root / "dev" / name, 0o020666, os.makedev(1, minor))
        (root / "dev" / name).chmod(0o666)


class Unit:
    """A unit of systemd: the values of each key, in their order."""

    def __init__(self, file):
        pairs = re.findall(r"^(\w+)=(.*)$", Path(file).read_text(), re.M)
        self.values = {key: [value for other, value in pairs if other == key] for key, _ in pairs}

    def __getitem__(self, key):
        return self.values.get(key, [""])[-1]

    def system_calls(self):
        """The names that SystemCallFilter= allows."""
        allowed = expand("@default")
        for line in self.values["SystemCallFilter"]:
            names = set().union(*(expand(word) for word in line.lstrip("~").split()))
            allowed = allowed - names if line.startswith("~") else allowed | names
        return allowed


def expand(word):
    if not word.startswith("@"):
        return {word}
    lines = subprocess.run(["systemd-analyze", "syscall-filter", word], check=True, stdout=subprocess.PIPE, text=True)
    names = [line.split()[0] for line in lines.stdout.splitlines()[1:] if line.strip() and "#" not in line]
    return set().union(*map(expand, names))


class Filter:
    """The restrictions of a unit that the kernel enforces by seccomp: system calls, address families, executable memory."""

    def __init__(self, unit):
        self.library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self.library.seccomp_init.restype = ctypes.c_void_p
        self.calls = unit.system_calls()
        families = unit["RestrictAddressFamilies"].split()
        self.families = {getattr(__import__("socket"), name).value for name in families}
        assert unit["MemoryDenyWriteExecute"] == "yes" and self.families

    def rule(self, context, action, name, *comparisons):
        number = self.library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            # Of another architecture.
            return
        array = (Comparison * len(comparisons))(*comparisons)
        result = self.library.seccomp_rule_add_array(
            ctypes.c_void_p(context), ctypes.c_uint32(action), number, len(comparisons), array
        )
        assert result == 0, (name, result)

    def load(self):
        calls = self.library.seccomp_init(ERRNO | errno.EPERM)
        for name in self.calls:
            self.rule(calls, ALLOW, name)
        others = self.library.seccomp_init(ALLOW)
        for family in set(range(46)) - self.families:
            self.rule(others, ERRNO | errno.EAFNOSUPPORT, "socket", Comparison(0, EQUAL, family, 0))
        self.rule(others, ERRNO | errno.EPERM, "mmap", Comparison(2, MASKED_EQUAL, 6, 6))
        for name in ("mprotect", "pkey_mprotect"):
            self.rule(others, ERRNO | errno.EPERM, name, Comparison(2, MASKED_EQUAL, 4, 4))
        for context in (others, calls):
            result = self.library.seccomp_load(ctypes.c_void_p(context))
            assert result == 0, result


def start(root, command, user, environment, folder="/", filter=None, **options):
    """Starts a program in a root as a user (number of user and of group)."""
    libc = ctypes.CDLL(None)

    def enter():
        os.chroot(root)
        os.chdir(folder)
        os.umask(0o077)
        os.setgroups([])
        os.setgid(user[1])
        os.setuid(user[0])
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if filter:
            filter.load()

    return subprocess.Popen(command, env=environment, preexec_fn=enter, **options)


def run(*arguments, **options):
    """The exit code and the output of a program."""
    process = start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output
