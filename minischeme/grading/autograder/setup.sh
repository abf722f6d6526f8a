#!/usr/bin/env bash
# Run once, when the image of the autograder is built.
set -e
root=${AUTOGRADER_ROOT:-/autograder}
is_new_enough='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'
for python in python3 python3.14 python3.13 python3.12 python3.11 ""; do
    if [ -n "$python" ] && "$python" -c "$is_new_enough" 2>/dev/null; then break; fi
done
if [ -z "$python" ]; then
    apt-get update && apt-get install -y python3.11 python3.11-venv
    python=python3.11
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/pip" install --quiet "$root"/source/minischeme-*.whl
chmod -R go-rwx "$root/source/tests"
