# What the benches share: the release binary, a store of their own, a service on it. Sourced, not run.

# Installs a Debian package whose program is missing, and says so.
need() { # PROGRAM PACKAGE
  command -v "$1" >/dev/null && return
  echo "installing $2 (for $1)" >&2
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null
}

# A program of PostgreSQL, wherever the distribution keeps it.
postgres_program() { # NAME
  command -v "$1" || ls -d /usr/lib/postgresql/*/bin/"$1" 2>/dev/null | sort -V | tail -1
}

# What goes before a command so that it runs as a user that may run PostgreSQL.
as_server=()
[ "$(id -u)" != 0 ] || as_server=(setpriv --reuid=nobody --regid=nogroup --clear-groups)

# TILL_BINARY names a binary with the feature `bench` to measure; without it one is built.
build() {
  if [ -n "${TILL_BINARY:-}" ]; then
    till=$(realpath "$TILL_BINARY")
    make_folder
    return
  fi
  target=${CARGO_TARGET_DIR:-target}
  cargo build --release --quiet --package till --features bench
  till=$PWD/$target/release/till
  case $target in /*) till=$target/release/till ;; esac
  make_folder
}

# On the machine's real disk, and where another user may go.
make_folder() {
  folder=$(mktemp -d "${TILL_BENCH_DIR:-/var/tmp}/till-bench.XXXXXX")
  chmod 755 "$folder"
  trap clean_up EXIT
}

clean_up() {
  stop_service
  stop_plain_server
  stop_postgres
  rm -rf "$folder"
}

start_postgres() {
  [ -n "$(postgres_program initdb)" ] || need initdb postgresql
  mkdir "$folder/pg"
  [ "$(id -u)" != 0 ] || chown nobody:nogroup "$folder/pg"
  "${as_server[@]}" "$(postgres_program initdb)" --auth=trust --username=till --encoding=UTF8 --locale=C.UTF-8 \
    --pgdata "$folder/pg/data" >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; return 1; }
  # Settings that any production server has; nothing that trades durability for speed.
  "${as_server[@]}" "$(postgres_program postgres)" -D "$folder/pg/data" -c unix_socket_directories="$folder/pg" \
    -c listen_addresses= -c shared_buffers=1GB -c max_wal_size=4GB -c log_min_messages=error \
    >"$folder/pg.log" 2>&1 &
  postgres=$!
  export BENCH_POSTGRES=$postgres
  for _ in $(seq 200); do
    grep -qs '^ready' "$folder/pg/data/postmaster.pid" && break
    sleep 0.1
  done
  export TILL_DATABASE_URL=postgres://till@${folder//\//%2F}%2Fpg/postgres
}

stop_postgres() {
  [ -z "${postgres:-}" ] || { kill -INT "$postgres" 2>/dev/null; wait "$postgres" 2>/dev/null || true; }
  postgres=
  unset TILL_DATABASE_URL BENCH_POSTGRES
}

# Starts the service on a store of an engine, with a vendor; sets url and metrics. Another name is another store.
start_service() { # ENGINE [NAME]
  local name=${2:-data} log=$folder/${2:-data}.log
  mkdir -p "$folder/$name"
  export TILL_DATA_DIR=$folder/$name TILL_LISTEN=127.0.0.1:0 TILL_METRICS_LISTEN=127.0.0.1:0
  export TILL_SIMULATOR=on TILL_RATE_LIMITS=off TILL_LOG=warn,till=info
  TILL_MASTER_KEY=${TILL_MASTER_KEY:-$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')}
  export TILL_MASTER_KEY
  [ "$1" != postgres ] || [ -n "${TILL_DATABASE_URL:-}" ] || start_postgres
  : >"$log"
  "$till" serve 2>"$log" &
  service=$!
  services+=("$service")
  url= metrics=
  for _ in $(seq 100); do
    url=$(sed -n 's/.* serves \(http[^ ]*\).*/\1/p' "$log")
    metrics=$(sed -n 's/.*metrics are at \(http[^ ]*\).*/\1/p' "$log")
    [ -z "$url" ] || [ -z "$metrics" ] || break
    sleep 0.1
  done
  [ -n "$url" ] && [ -n "$metrics" ] || { cat "$log" >&2; return 1; }
  [ -s "$folder/vendor.json" ] || "$till" vendor create --name Bench --sandbox --json >"$folder/vendor.json"
}

# Starts plain handlers beside the service: one that answers as a create does, and one that takes callbacks. Sets plain_url.
start_plain_server() {
  "$till" plain-server >"$folder/plain.url" &
  plain_server=$!
  for _ in $(seq 100); do
    plain_url=$(cat "$folder/plain.url")
    [ -z "$plain_url" ] || return 0
    sleep 0.1
  done
  echo "the plain server did not start" >&2
  return 1
}

stop_plain_server() {
  [ -z "${plain_server:-}" ] || { kill "$plain_server" 2>/dev/null && wait "$plain_server" 2>/dev/null || true; }
  plain_server=
}

services=()

stop_service() {
  local pid
  for pid in "${services[@]}"; do
    kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
  done
  services=() service=
}

headline() { # WHAT
  echo "$1: commit $(git rev-parse --short HEAD), $(date -u +%F), $(nproc) cores"
}
