#!/bin/sh
# What `make demo` shows: certified levels made to order, frozen in a versioned snapshot, played through a real browser.
# Usage: scripts/demo.sh FOLDER. The catalogue of the demo lives in FOLDER; a second run grows it by another ten levels.
set -eu
folder=$1
PATH=$PWD/.venv/bin:$PATH
export PATH
step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

# the demo's own commits need an author; a name of yours is used where Git knows one
git config user.name >/dev/null || { GIT_AUTHOR_NAME="lpb-gen demo"; GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME; export GIT_AUTHOR_NAME GIT_COMMITTER_NAME; }
git config user.email >/dev/null || { GIT_AUTHOR_EMAIL="demo@localhost"; GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL; export GIT_AUTHOR_EMAIL GIT_COMMITTER_EMAIL; }

[ -e "$folder/params.yaml" ] || step lpb-gen init --seed 0 "$folder"
cd "$folder"
step lpb-gen refresh --game maze --tier hard
step lpb-gen run --game maze --tier hard --agent oracle
step lpb-gen show catalogue/levels/maze/hard.jsonl --png levels.png --limit 40
run=$(ls -td runs/*/ | head -n 1)
printf '\n'
printf '%s\n' "Made in $folder:" \
  "  catalogue/          the snapshot: certified levels and their manifest, versioned by Git and DVC" \
  "  levels.png          a picture of its levels" \
  "  $run   the record of the run: events, screenshots, result"
