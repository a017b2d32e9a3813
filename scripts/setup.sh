#!/bin/sh
# Makes .venv with the locked packages and lpb-gen itself, and what the suite's pictures and browser need.
# Usage: scripts/setup.sh [--browser]. Does nothing where everything is there already.
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=.venv
say() { printf '%s\n' "setup: $*"; }
fail() { printf '%s\n' "setup: $*" >&2; exit 1; }

command -v "$PYTHON" >/dev/null 2>&1 || fail "there is no $PYTHON; install Python 3.11 or newer, or name one: make PYTHON=python3.12"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "$("$PYTHON" --version) is too old; 3.11 or newer is needed"

apt_install() { # packages of Debian and its relatives, for root; says what to do elsewhere
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing $* (apt)"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -q && apt-get install -y -q --no-install-recommends "$@"; } >.setup-apt.log 2>&1 || {
      tail -n 5 .setup-apt.log >&2
      fail "apt could not install $*; the log is .setup-apt.log"
    }
    rm -f .setup-apt.log
  else
    fail "this machine lacks $*: on Debian and Ubuntu run 'sudo apt-get install $*', then the same command again"
  fi
}

# Debian splits the venv module from Python
"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null || apt_install python3-venv

[ -x "$VENV/bin/python" ] || { say "making $VENV"; "$PYTHON" -m venv "$VENV"; }
stamp=$(cat requirements.lock pyproject.toml | sha256sum | cut -d' ' -f1)
if [ "$(cat "$VENV/.installed" 2>/dev/null)" != "$stamp" ]; then
  say "installing the locked packages into $VENV (a few minutes the first time)"
  log=$VENV/pip.log
  # the lock is complete: without --no-deps pip would look for newest versions of what has extras, and refuse them
  "$VENV/bin/python" -m pip install --disable-pip-version-check --require-hashes --no-deps --progress-bar off \
    -r requirements.lock >"$log" 2>&1 &
  pip=$!
  trap 'kill "$pip" 2>/dev/null' INT TERM
  total=$(grep -c '==' requirements.lock)
  seconds=0
  while kill -0 "$pip" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    [ $((seconds % 10)) -ne 0 ] || say "… $(grep -c '^Collecting' "$log") of $total packages collected, $seconds s"
  done
  wait "$pip" || { tail -n 5 "$log" >&2; fail "pip could not install requirements.lock; the whole log is $log"; }
  trap - INT TERM
  "$VENV/bin/python" -m pip install --disable-pip-version-check -q --no-deps --no-build-isolation -e .
  "$VENV/bin/lpb-gen" --version >/dev/null || fail "lpb-gen was installed but does not start"
  echo "$stamp" >"$VENV/.installed"
fi

# the renderer links against these
"$VENV/bin/python" -c 'import skia' 2>/dev/null || apt_install libgl1 libegl1
"$VENV/bin/python" -c 'import skia' || fail "the renderer (skia-python) does not load"

if [ "${1:-}" = "--browser" ]; then
  # Playwright's driver is a Node.js that Debian's smallest installations cannot run
  node=$("$VENV/bin/python" -c 'from playwright._impl._driver import compute_driver_executable as c; print(c()[0])')
  "$node" --version >/dev/null 2>&1 || apt_install libatomic1
  if ! "$VENV/bin/python" -m lpb_gen.runners.finding >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
      apt_install chromium
    else
      say "downloading Chromium (playwright install chromium)"
      "$VENV/bin/python" -m playwright install chromium || fail "no browser: install Chromium or Chrome, or set LPB_BROWSER to one"
    fi
    "$VENV/bin/python" -m lpb_gen.runners.finding
  fi
  # the code setting isolates agents with it, and says "not isolated" where it is missing
  if ! command -v bwrap >/dev/null 2>&1 && [ ! -e "$VENV/.no-bubblewrap" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && (apt_install bubblewrap); then
      :
    else
      say "bubblewrap is not installed: the code setting will not isolate agents (apt-get install bubblewrap)"
      touch "$VENV/.no-bubblewrap" # said once
    fi
  fi
fi
