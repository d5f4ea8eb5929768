"""Multiplies the sessions of a filled sandbox, with the service stopped, each copy older than the next.

The rows are copied as the service wrote them, with ids and times moved into the past and orders of their own. Triggers
do not fire for copies, and SQLite's indexes are created again at the end.
    multiply.py FOLDER SESSIONS [PSQL with its arguments, for a store on PostgreSQL]
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import uuid

FOLDER, SESSIONS, PSQL = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
VENDOR = json.load(open(FOLDER / "vendor.json"))["vendor_id"].replace("-", "")
# Figures are counted by quarters of an hour; the copies go back over two months.
QUARTER_MS, PAST_MS = 15 * 60 * 1000, 60 * 24 * 60 * 60 * 1000
TIMES = {"created_at", "updated_at", "at", "quarter", "card_ends_at", "sbp_ends_at", "crypto_ends_at"}
IDS = {"id", "session_id", "transaction_id", "moved_id"}
# Columns that an index keeps unique, or that tell a copy from its original.
NAMES = {"order_id", "reference"}
# What a session that ended leaves behind: its rows, and the order in which they are appended.
TABLES = {
    "sessions": ("id >= {first} AND vendor_id = {vendor} AND due_at IS NULL", "id"),
    "history": (
        "session_id >= {first} AND EXISTS (SELECT 1 FROM sessions AS s"
        " WHERE s.id = session_id AND s.vendor_id = {vendor} AND s.due_at IS NULL)",
        "session_id, seq",
    ),
    "transactions": ("id >= {first} AND vendor_id = {vendor}", "id"),
    "refunds": ("id >= {first} AND vendor_id = {vendor} AND moved_id IS NOT NULL", "id"),
    "callbacks": ("id >= {first} AND vendor_id = {vendor} AND due_at IS NULL", "id"),
    "figures": ("quarter >= {quarter} AND vendor_id = {vendor}", "quarter"),
    "total_figures": ("quarter >= {quarter}", "quarter"),
}


class Sqlite:
    """The file of an embedded store."""

    def __init__(self):
        self.database = sqlite3.connect(FOLDER / "data" / "sandbox.db", isolation_level=None)
        for setting in ["journal_mode = OFF", "synchronous = OFF", "cache_size = -4000000", "foreign_keys = OFF"]:
            self.database.execute(f"PRAGMA {setting}")
        self.database.create_function("older", 2, older)

    def rows(self, sql):
        return self.database.execute(sql).fetchall()

    def blob(self, hex):
        return f"x'{hex}'"

    def columns(self, table):
        return [row[1] for row in self.rows(f"PRAGMA table_info({table})")]

    def older(self, column, shift):
        return f"older({column}, {shift})"

    def begin(self):
        kept = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
        self.dropped = sorted(row for row in self.rows(kept) if any(f" ON {table}" in row[2] for table in TABLES))
        for kind, name, _ in self.dropped:
            self.rows(f"DROP {kind} {name}")

    def end(self):
        for number, (_, _, sql) in enumerate(self.dropped, 1):
            progress("indexes and triggers", number, len(self.dropped))
            self.rows(sql)
        self.rows("PRAGMA journal_mode = WAL")
        self.database.close()


class Postgres:
    """The schema of a server, by psql."""

    def rows(self, sql):
        # Triggers do not fire in a session of a replica.
        setup = "SET search_path = sandbox; SET session_replication_role = replica;"
        command = [*PSQL, "-qAtX", "-v", "ON_ERROR_STOP=1", "-F", "\t", "-c", f"{setup} {sql}"]
        out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        return [line.split("\t") for line in out.splitlines()]

    def blob(self, hex):
        return f"'\\x{hex}'::bytea"

    def columns(self, table):
        known = "SELECT column_name FROM information_schema.columns WHERE table_schema = 'sandbox'"
        return [row[0] for row in self.rows(f"{known} AND table_name = '{table}'")]

    def older(self, column, shift):
        ms = f"('x' || encode(substring({column} FROM 1 FOR 6), 'hex'))::bit(48)::bigint - {shift}"
        return f"decode(lpad(to_hex({ms}), 12, '0'), 'hex') || substring({column} FROM 7)"

    def begin(self):
        pass

    def end(self):
        # As a database that has stood for a while: otherwise autovacuum works while pages are measured.
        for command in ("VACUUM (ANALYZE)", "CHECKPOINT"):
            subprocess.run([*PSQL, "-qX", "-v", "ON_ERROR_STOP=1", "-c", command], check=True)


def older(id, shift):
    """An id that was made so many milliseconds before this one."""
    return (int.from_bytes(id[:6]) - shift).to_bytes(6) + id[6:]


def progress(what, done, total):
    share = done / total
    end = "\n" if done == total else ""
    print(f"\r[{'#' * int(share * 40):40}] {share:4.0%} of {total:,} {what}", end=end, file=sys.stderr, flush=True)


def chosen(store, columns, number, shift):
    for column in columns:
        if column in IDS:
            yield store.older(column, shift)
        elif column in TIMES:
            yield f"{column} - {shift}"
        elif column in NAMES:
            yield f"'copy{number}-' || {column}"
        else:
            yield column


def main():
    store = Postgres() if PSQL else Sqlite()
    vendor = store.blob(VENDOR)
    [[count, began]] = store.rows(
        f"SELECT COUNT(*), MIN(created_at) FROM sessions WHERE vendor_id = {vendor} AND due_at IS NULL"
    )
    copies, began = (SESSIONS - 1) // int(count), int(began)
    if copies < 1:
        return
    step = PAST_MS // copies // QUARTER_MS * QUARTER_MS
    first = store.blob(began.to_bytes(6).hex() + "00" * 10)
    known = {"vendor": vendor, "first": first, "quarter": began - began % QUARTER_MS}
    columns = {table: store.columns(table) for table in TABLES}
    store.begin()
    for number in range(copies, 0, -1):
        for table, (condition, order) in TABLES.items():
            values = chosen(store, columns[table], number, number * step)
            source = f"FROM {table} WHERE {condition.format(**known)} ORDER BY {order}"
            store.rows(f"INSERT INTO {table} ({', '.join(columns[table])}) SELECT {', '.join(values)} {source}")
        progress("copies", copies - number + 1, copies)
    store.end()
    filled = json.loads((FOLDER / "filled.json").read_text())
    first = older(uuid.UUID(filled["first"]).bytes, copies * step)
    (FOLDER / "filled.json").write_text(json.dumps(filled | {"first": str(uuid.UUID(bytes=first))}))


main()
