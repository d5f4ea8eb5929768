# For scripts that source it: what installs missing programs.
# shellcheck shell=bash

# Installs Debian packages whose programs are missing, and says so.
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
