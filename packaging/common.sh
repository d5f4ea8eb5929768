# Functions for the scripts of this folder, which source it at the root of the repository.
# shellcheck shell=bash

version=$(sed -n '/^\[workspace\.package\]/,/^version/s/^version = "\(.*\)"/\1/p' Cargo.toml)
target=x86_64-unknown-linux-gnu
# The same sources give the same packages: every time in them is that of the commit, or the one that the builder states.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
# The language of the builder must not change an order or a message.
export SOURCE_DATE_EPOCH LC_ALL=C
umask 022

# How hard to compress. Tests that pack a large debug build set 1.
level=${TILL_PACKAGE_LEVEL:-9}

# Sets `out` to the absolute path of the folder for packages, and makes it.
find_out() { # [FOLDER]
  out=${1:-${CARGO_TARGET_DIR:-target}/packages}
  mkdir -p "$out"
  out=$(realpath "$out")
}

# Sets TILL_BINARY to an absolute path; builds the static binary unless the variable names one.
find_release() {
  if [ -z "${TILL_BINARY:-}" ]; then
    [ "$(uname -m)" = x86_64 ] || { echo "packages are built on x86_64 only" >&2; exit 1; }
    local build
    build=$(realpath -m "${CARGO_TARGET_DIR:-target}")
    mkdir -p "$build"
    ${CC:-cc} -O2 -Wall -Werror -c packaging/resolver.c -o "$build/resolver.o"
    # The binary names no folder of the builder.
    local flags="-C target-feature=+crt-static --remap-path-prefix=$PWD=/till"
    flags+=" --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    # The linker's object is an argument of the last crate alone, so that its path changes no other crate. No wrapper: ./test
    # sets one that lints.
    RUSTC_WORKSPACE_WRAPPER='' RUSTFLAGS=$flags \
      cargo rustc --quiet --release --locked --target "$target" --package till --bin till -- -C "link-arg=$build/resolver.o"
    TILL_BINARY=$build/$target/release/till
    ! grep -q FAIL_POINT "$TILL_BINARY" || { echo "the binary has the fail points of the tests" >&2; exit 1; }
  fi
  TILL_BINARY=$(realpath "$TILL_BINARY")
  export TILL_BINARY
}

# Copies the binary without symbols. A panic names its file and line without them.
copy_binary() { # TO
  install -D -m 0755 "$TILL_BINARY" "$1"
  strip --strip-all "$1"
}

# Writes completions and manual pages as the binary's command line describes them.
write_help() { # BASH-FILE ZSH-FILE FISH-FILE MANUAL-FOLDER
  mkdir -p "${1%/*}" "${2%/*}" "${3%/*}" "$4"
  "$TILL_BINARY" completions bash >"$1"
  "$TILL_BINARY" completions zsh >"$2"
  "$TILL_BINARY" completions fish >"$3"
  "$TILL_BINARY" man --into "$4" >/dev/null
}

# Gives everything below a folder the time of the commit.
set_times() { # FOLDER
  find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

# Packs a folder's contents as tar on standard output, the same for the same contents.
pack() { # FOLDER
  tar --create --directory "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=gnu --transform='s,^\./,,' .
}
