# Functions for scripts that source it at the root of the repository: they install missing programs and find
# the binary to test.
# shellcheck shell=bash

# Installs Debian packages whose programs are missing, and prints them.
install() { # PROGRAM PACKAGE
  command -v "$1" >/dev/null && return
  echo "installing $2 (for $1)"
  local sudo=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "please install $2: neither root nor sudo here" >&2; exit 1; }
    sudo=sudo
  fi
  [ -n "${apt_updated:-}" ] || { $sudo apt-get update -qq; apt_updated=1; }
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null
}

# Installs a Python package into .tools/FOLDER, an environment of its own.
install_python() { # FOLDER PACKAGE VERSION
  install python3 python3
  python3 -c 'import ensurepip' 2>/dev/null || install missing-ensurepip python3-venv
  local python=.tools/$1/bin/python found="from importlib.metadata import version; print(version('${2%%[*}'))"
  [ "$("$python" -c "$found" 2>/dev/null)" != "$3" ] || return 0
  echo "installing $2 $3 into .tools/$1"
  python3 -m venv ".tools/$1"
  "$python" -m pip install --quiet --disable-pip-version-check "$2==$3"
}

# Compiles a program from crates.io into .tools/FOLDER, with little optimisation, because it runs for seconds,
# unless another profile is named, and at low priority, because a build may run at the same time.
install_cargo() { # FOLDER CRATE VERSION [PROFILE]
  local tools=.tools/$1
  [ "$("$tools/bin/$2" --version 2>/dev/null)" != "$2 $3" ] || return 0
  echo "installing $2 $3 into $tools (compiles for one or two minutes)"
  # No wrapper: ./test sets one that lints, and this is not our code.
  RUSTC_WORKSPACE_WRAPPER='' CARGO_TARGET_DIR=$tools/target \
    CARGO_PROFILE_DEV_DEBUG=false CARGO_PROFILE_DEV_CODEGEN_UNITS=1 \
    nice cargo install --quiet --locked --profile "${4:-dev}" --root "$tools" --version "$3" "$2"
  rm -rf "$tools/target"
}

# Installs the npm packages that tests/FOLDER locks into .tools/FOLDER.
install_npm() { # FOLDER
  install node nodejs
  install npm npm
  local lock=tests/$1/package-lock.json tools=.tools/$1
  ! { cmp -s "$lock" "$tools/package-lock.json" && [ -f "$tools/complete" ]; } || return 0
  echo "installing what $lock lists into $tools"
  rm -rf "$tools"
  mkdir -p "$tools"
  cp "tests/$1/package.json" "$lock" "$tools"
  (cd "$tools" && npm ci --silent --no-audit --no-fund && touch complete)
}

# Sets TILL_BINARY to an absolute path; builds the binary unless the variable names one.
find_binary() {
  if [ -z "${TILL_BINARY:-}" ]; then
    # The whole workspace: one package alone would have its dependencies built again, with fewer features.
    cargo build --quiet --workspace
    TILL_BINARY=${CARGO_TARGET_DIR:-target}/debug/till
  fi
  TILL_BINARY=$(realpath "$TILL_BINARY")
  export TILL_BINARY
}
