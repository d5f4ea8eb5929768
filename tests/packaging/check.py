"""Checks the packages in a folder: installs, runs and removes them in scratch folders, as the machines of operators would.

Needs root, and namespaces of its own for mounts, processes and the network; tests/packaging/run makes them.
"""

import json, os, re, shutil, signal, socket, subprocess, sys, time, urllib.error, urllib.request
from pathlib import Path

from ruamel.yaml import YAML
from sandbox import Filter, Unit, run, seal, start

packages, scratch, mode = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
LIBRARIES = ("/lib/x86_64-linux-gnu", "/lib64")
KEY = "0123456789abcdef" * 4
# What the service needs: the network, and the files of the machine's own root. ProtectClock= allows reading the clock.
NEEDED = {
    "RootDirectoryOrRootImage", "RestrictAddressFamilies_AF_UNIX", "RestrictAddressFamilies_AF_INET_INET6", "PrivateNetwork",
    "DeviceAllow", "IPAddressDeny",
}
READY = "http://127.0.0.1:8080/readyz"


def command(*words, **options):
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    expect(done.returncode == 0, f"{words[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def expect(holds, what):
    if not holds:
        sys.exit(f"wrong: {what}")


def only(pattern):
    found = list(packages.glob(pattern))
    expect(len(found) == 1, f"{pattern} is {found}")
    return found[0]


def is_static(binary):
    return "INTERP" not in command("readelf", "--program-headers", "--wide", binary)


def wait_until_ready(process):
    for _ in range(200):
        expect(process.poll() is None, f"the service ended with {process.returncode}")
        try:
            with urllib.request.urlopen(READY, timeout=5) as response:
                return expect(response.status == 200, f"/readyz is {response.status}")
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    sys.exit("wrong: the service is not ready after 20 seconds")


def stop(process):
    process.send_signal(signal.SIGTERM)
    expect(process.wait(timeout=15) == 0, f"the service ended with {process.returncode} after SIGTERM")


def check_sums():
    command("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=packages)
    listed = {line.split()[1] for line in (packages / "SHA256SUMS").read_text().splitlines()}
    expect(listed == {file.name for file in packages.iterdir()} - {"SHA256SUMS"}, f"SHA256SUMS lists {sorted(listed)}")
    bom = json.loads(only("till-*.cdx.json").read_text())
    names = {each["name"] for each in bom["components"]}
    expect({"libsqlite3-sys", "libmimalloc-sys", "glibc", "gcc"} <= names, "the SBOM lacks what is linked")


def check_archive():
    folder = scratch / "archive"
    folder.mkdir()
    command("tar", "--extract", "--file", only("till-*-linux-x86_64.tar.gz"), "--directory", folder, "--strip-components", 1)
    expect(command(folder / "till", "--version").startswith("till "), "the binary of the archive does not run")
    expect(mode != "long" or is_static(folder / "till"), "the binary of the archive is not static")
    completes = command("bash", "-c", 'source "$0"; complete -p till', folder / "completions/till.bash")
    expect("_till" in completes, f"bash completes till with {completes}")
    pages = {page.name for page in (folder / "man").iterdir()}
    expect({"till.1", "till-serve.1", "till-vendor-create.1"} <= pages, f"the manual pages are {sorted(pages)}")


def check_unit(file):
    """Statically: no error, and the score. `check_service` tries what it restricts."""
    analyze = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--json=short", file]
    found = subprocess.run(analyze, stdout=subprocess.PIPE, text=True)
    left = {each["json_field"] for each in json.loads(found.stdout) if each["exposure"]}
    # The score alone would not show that a single line is missing.
    expect(found.returncode == 0 and left == NEEDED, f"the unit's exposure is 2.0 or more, or not for {sorted(NEEDED ^ left)}")
    unit = Unit(file)
    for key, value in {"Type": "notify", "NotifyAccess": "main", "RestartForceExitStatus": "70", "StateDirectory": "till"}.items():
        expect(unit[key] == value, f"{key} of the unit is {unit[key]}")
    expect(int(unit["WatchdogSec"]) > 0, "the unit has no watchdog")
    # The program is not installed on this machine.
    copy = scratch / "till.service"
    copy.write_text(file.read_text().replace("/usr/bin/till", "/bin/true"))
    verdict = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", copy], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    about = [line for line in verdict.stdout.splitlines() if "till.service" in line]
    expect(not about, f"systemd-analyze verify says: {about}")
    return unit


def dpkg(root, *arguments):
    options = ("--force-script-chrootless", "--force-depends", f"--log={root}/dpkg.log", f"--root={root}")
    done = subprocess.run(["dpkg", *options, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, f"dpkg {arguments} failed:\n{done.stdout}")
    return done.stdout


def account(root):
    line = next(line for line in (root / "etc/passwd").read_text().splitlines() if line.startswith("till:"))
    return tuple(map(int, line.split(":")[2:4]))


def mode_of(path):
    stat = path.stat()
    return f"{stat.st_mode & 0o7777:o} {stat.st_uid}:{stat.st_gid}"


def install(package):
    root = scratch / "debian"
    for folder in ("info", "updates", "triggers"):
        (root / "var/lib/dpkg" / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    (root / "etc").mkdir()
    dpkg(root, "--install", package)
    user, group = account(root)
    expect(user > 0, "the service's user is root")
    expected = {
        "etc/till": f"750 0:{group}", "etc/till/till.toml": f"640 0:{group}", "var/lib/till": f"700 {user}:{group}",
        "usr/bin/till": "755 0:0", "usr/lib/systemd/system/till.service": "644 0:0", "usr/share/man/man1/till.1.gz": "644 0:0",
        "usr/share/bash-completion/completions/till": "644 0:0", "usr/share/zsh/vendor-completions/_till": "644 0:0",
        "usr/share/fish/vendor_completions.d/till.fish": "644 0:0", "usr/share/doc/till/copyright": "644 0:0",
    }
    for path, wanted in expected.items():
        expect(mode_of(root / path) == wanted, f"/{path} is {mode_of(root / path)} and not {wanted}")
    key = root / "etc/till/master.key"
    key.write_text(KEY + "\n")
    key.chmod(0o640)
    os.chown(key, 0, group)
    return root


def check_service(root, unit):
    """Runs the installed service under the unit's restrictions, and speaks with it as systemd does."""
    user, filter = account(root), Filter(unit)
    words = unit["ExecStart"].split()
    data, run_folder, etc = root / "var/lib/till", scratch / "run", scratch / "etc"
    run_folder.mkdir()
    os.chown(run_folder, *user)
    shutil.copytree(root / "etc", etc)
    for path in etc.rglob("*"):
        twin = (root / "etc" / path.relative_to(etc)).stat()
        os.chown(path, twin.st_uid, twin.st_gid)
    os.chown(etc / "till", 0, user[1])
    (etc / "resolv.conf").write_text("nameserver 127.0.0.1\n")
    sealed = scratch / "sealed"
    sealed.mkdir()
    subprocess.run(["mount", "--bind", root, sealed], check=True)
    shown = () if is_static(root / "usr/bin/till") else LIBRARIES
    seal(sealed, {"/var/lib/till": data, "/run": run_folder, "/etc": etc}, shown)

    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(run_folder / "notify"))
    os.chown(run_folder / "notify", *user)
    manager.settimeout(20)
    environment = {"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1000000"}
    folder = unit["WorkingDirectory"]
    service = start(sealed, words, user, environment, folder, filter)
    wait_until_ready(service)

    def heard(word):
        try:
            while word not in manager.recv(4096).decode().split("\n"):
                pass
        except TimeoutError:
            sys.exit(f"wrong: the service does not send {word}")

    heard("READY=1")
    for _ in range(3):
        heard("WATCHDOG=1")
    # Another process on the same store, and a name that only DNS has.
    mail = {"TILL_SMTP_URL": "smtps://mail.till.test:1025", "TILL_MAIL_FROM": "till@till.test"}
    code, text = run(sealed, [words[0], "doctor", *words[2:]], user, mail, folder, filter)
    expect("till serve is running on this folder" in text, f"till doctor does not find the service:\n{text}")
    expect("refused" in re.search(r"mail .*", text).group(), f"the name of the mail server was not found:\n{text}")
    code, text = run(sealed, [words[0], "user", "create", "--email", "a@till.test", "--role", "operator", *words[2:]], user, {}, folder, filter)
    expect(code == 0, f"till user create ended with {code}:\n{text}")
    stop(service)
    heard("STOPPING=1")
    expect(mode_of(data / "live.db") == f"600 {user[0]}:{user[1]}", f"live.db is {mode_of(data / 'live.db')}")
    for folder in ("dev", "proc", "etc", "run", "var/lib/till", *(name.lstrip("/") for name in shown), ""):
        subprocess.run(["umount", "--lazy", sealed / folder], check=True)


def check_upgrade_and_removal(root, package):
    def kept(when):
        for path in ("etc/till/master.key", "var/lib/till/live.db", "var/lib/till/accounts.db"):
            expect((root / path).exists(), f"{path} is gone after {when}")

    settings = root / "etc/till/till.toml"
    settings.write_text(settings.read_text() + '\nbase_url = "https://pay.till.test"\n')
    newer = scratch / "newer"
    command("dpkg-deb", "--raw-extract", package, newer)
    control = newer / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*", "Version: 99.0", control.read_text()))
    command("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", newer, scratch / "newer.deb")
    dpkg(root, "--install", scratch / "newer.deb")
    expect("pay.till.test" in settings.read_text(), "the upgrade changed the operator's settings")
    expect(mode_of(settings).startswith("640"), f"till.toml is {mode_of(settings)} after the upgrade")
    kept("the upgrade")
    enabled = root / "etc/systemd/system/multi-user.target.wants/till.service"
    enabled.parent.mkdir(parents=True)
    enabled.symlink_to("/usr/lib/systemd/system/till.service")
    dpkg(root, "--remove", "till")
    expect(not (root / "usr/bin/till").exists() and settings.exists(), "the removal took the settings or left the program")
    kept("the removal")
    said = dpkg(root, "--purge", "till")
    expect(not settings.exists() and not enabled.is_symlink(), "till.toml or the link of systemd is there after the purge")
    kept("the purge")
    for path in ("/var/lib/till", "/etc/till/master.key"):
        expect(f"{path} is kept" in said, f"the purge does not say that {path} is kept")
    dpkg(root, "--install", package)
    kept("another installation")


def unpack_image():
    archive, layout, bundle = only("till-*-image.tar"), scratch / "layout", scratch / "bundle"
    for kind in ("oci-archive", "docker-archive"):
        command("skopeo", "inspect", f"{kind}:{archive}")
    layout.mkdir()
    command("tar", "--extract", "--file", archive, "--directory", layout)
    tag = json.loads((layout / "index.json").read_text())["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
    config = json.loads(command("skopeo", "inspect", "--config", f"oci:{layout}:{tag}"))["config"]
    command("umoci", "unpack", "--image", f"{layout}:{tag}", bundle)
    root = bundle / "rootfs"
    expect((root / "etc/ssl/certs/ca-certificates.crt").read_text().count("BEGIN CERTIFICATE") > 50, "the CA certificates")
    programs = [path for path in (root / "usr").rglob("*") if path.is_file()]
    expect(programs == [root / "usr/bin/till"], f"the image has {programs}")
    # The runtime mounts these.
    (root / "etc/resolv.conf").write_text("nameserver 127.0.0.1\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
    return root, config


def add_trap(root):
    """A source of names that ends every process that loads it, where the machine's own sources would be."""
    (root / "etc/nsswitch.conf").write_text("passwd: trap\ngroup: trap\nhosts: trap files dns\n")
    source, library = scratch / "trap.c", root / "usr/lib/x86_64-linux-gnu/libnss_trap.so.2"
    source.write_text("__attribute__((constructor)) static void trap(void) { __builtin_trap(); }\n")
    library.parent.mkdir(parents=True)
    command("cc", "-shared", "-fPIC", "-nostdlib", "-o", library, source)


def check_image(services):
    root, config = unpack_image()
    if is_static(root / "usr/bin/till"):
        add_trap(root)
    user = tuple(map(int, config["User"].split(":")))
    expect(min(user) > 0, f"the image runs as {config['User']}")
    expect(config["ExposedPorts"] == {"8080/tcp": {}} and config["Volumes"] == {"/var/lib/till": {}}, f"the image has {config}")
    volume = scratch / "volume"
    volume.mkdir(mode=0o700)
    os.chown(volume, *user)
    tmp = scratch / "tmp"
    tmp.mkdir()
    tmp.chmod(0o1777)
    seal(root, {"/var/lib/till": volume, "/tmp": tmp})
    expect(mode_of(root / "var/lib/till") == f"700 {user[0]}:{user[1]}", "the volume")

    environment = dict(pair.split("=", 1) for pair in config["Env"])
    program, folder = [*config["Entrypoint"], *config["Cmd"]], config["WorkingDir"]
    alone = environment | {"TILL_MASTER_KEY": KEY}
    log = scratch / "image.log"
    service = start(root, program, user, alone, folder, stderr=log.open("w"))
    wait_until_ready(service)
    expect("no trusted root certificates" not in log.read_text(), "the service does not find the CA certificates of the image")
    code, text = run(root, ["/usr/bin/till", "backup", "/backup.tar"], user, alone, folder)
    expect(code != 0 and not (root / "backup.tar").exists(), f"the root can be written to:\n{text}")
    stop(service)
    expect((volume / "live.db").exists(), "the volume has no data")

    # As the compose file starts it, with its database.
    service = services["till"]
    expect(service["user"] == config["User"], "the compose file and the image name different users")
    composed = environment | fill(service["environment"])
    process = start(root, ["/usr/bin/till", *service["command"]], user, composed, folder)
    wait_until_ready(process)
    health = service["healthcheck"]["test"]
    expect(health[0] == "CMD", f"the health check is {health}")
    code, text = run(root, health[1:], user, composed, folder)
    expect(code == 0, f"the health check of a ready service ended with {code}:\n{text}")
    code, text = run(root, ["/usr/bin/till", "user", "create", "--email", "a@till.test", "--role", "operator"], user, composed, folder)
    expect(code == 0, f"till user create ended with {code}:\n{text}")
    stop(process)
    code, text = run(root, health[1:], user, composed, folder)
    expect(code == 1, f"the health check of a stopped service ended with {code}:\n{text}")


SECRETS = {"TILL_MASTER_KEY": KEY, "POSTGRES_PASSWORD": "secret"}


def fill(variables):
    """The variables of a service as compose fills them in: ${NAME:?why it is needed} and ${NAME:-default}."""

    def value(found):
        return SECRETS[found[1]] if found[2] == "?" else SECRETS.get(found[1], found[3])

    return {name: re.sub(r"\$\{(\w+):([?-])([^}]*)\}", value, text) for name, text in variables.items()}


def check_compose():
    file = packages / "compose.yaml"
    command(Path(sys.executable).with_name("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", file)
    services = YAML(typ="safe").load(file)["services"]
    for name, service in services.items():
        hardened = {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"]}
        for key, value in hardened.items():
            expect(service.get(key) == value, f"{key} of {name} in the compose file is {service.get(key)}")
        expect(not service["user"].startswith("0"), f"{name} runs as {service['user']} in the compose file")
        expect(service["healthcheck"]["test"] and service["tmpfs"], f"{name} lacks a health check or a tmpfs")
        expect(all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), f"{name} publishes a port to the world")
    return services


def start_database(services):
    """A server with the names of the compose file, from this machine's PostgreSQL."""
    folder = scratch / "postgres"
    folder.mkdir()
    shutil.chown(folder, "postgres", "postgres")
    bin = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    settings = fill(services["database"]["environment"])
    (folder / "password").write_text(settings["POSTGRES_PASSWORD"])
    as_postgres = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--")
    options = settings["POSTGRES_INITDB_ARGS"].split()
    account = f"--username={settings['POSTGRES_USER']}"
    command(*as_postgres, bin / "initdb", "--pgdata", folder / "data", account, f"--pwfile={folder}/password", "--auth-local=trust", *options, cwd=folder)
    server = subprocess.Popen(
        [*as_postgres, bin / "postgres", "-D", folder / "data", "-c", "listen_addresses=127.0.0.1", "-k", folder],
        stderr=(folder / "log").open("w"), cwd=folder,
    )
    for _ in range(100):
        if subprocess.run([bin / "pg_isready", "--quiet", "--host=127.0.0.1"]).returncode == 0:
            break
        time.sleep(0.1)
    # The role of the administrator is also the owner of the database, as in the image of PostgreSQL.
    access = {**os.environ, "PGPASSWORD": settings["POSTGRES_PASSWORD"]}
    command(bin / "createdb", "--host=127.0.0.1", account, settings["POSTGRES_DB"], env=access)
    return server


def check_install_document():
    """Three ways, each of at most five lines."""
    text = Path("docs/install.md").read_text()
    ways = re.findall(r"(?ms)^## (.*?)\n.*?```sh\n(.*?)```", text)[:3]
    expect(len(ways) == 3, f"docs/install.md has the ways {[name for name, _ in ways]}")
    for name, lines in ways:
        expect(len(lines.splitlines()) <= 5, f"{name} in docs/install.md has more than five lines")


def main():
    command("ip", "link", "set", "lo", "up")
    names = subprocess.Popen([sys.executable, Path(__file__).with_name("names.py")])
    check_sums()
    check_archive()
    check_install_document()
    services = check_compose()
    database = start_database(services)
    check_image(services)
    package = only("till_*_amd64.deb")
    root = install(package)
    unit = check_unit(root / "usr/lib/systemd/system/till.service")
    check_service(root, unit)
    check_upgrade_and_removal(root, package)
    if mode == "long":
        command("lintian", "--fail-on=error,warning", package, env={**os.environ, "LC_ALL": "C"})
    database.send_signal(signal.SIGINT)
    database.wait()
    names.kill()
    print("the packages can be installed, run and removed")


main()
