#!/usr/bin/env bash
# Builds the Python package and a command with Parquet, and tries both with what their users have: polars, pandas, pyarrow, duckdb,
# and Spark with two workers. Nothing is optimised: it is a test, and the recordings are small.
#
#   scripts/python-test.sh [QDEMO]
#   scripts/python-test.sh --set-up      only fetches what it needs
#
# QDEMO is a command that was built with Parquet; without it one is. What is built goes to CARGO_TARGET_DIR, else target/python; Python's packages to target/python-venv.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/python}
venv=$PWD/target/python-venv

if ! command -v java >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq openjdk-17-jre-headless >/dev/null \
        || echo "not tried: Spark, as there is no Java"
fi
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
# uv fetches several packages at once.
packages=(maturin polars pandas pyarrow duckdb 'pyspark[sql]' matplotlib mypy pytest)
"$venv/bin/pip" install --quiet uv && VIRTUAL_ENV=$venv "$venv/bin/uv" pip install --quiet "${packages[@]}" \
    || "$venv/bin/pip" install --quiet "${packages[@]}"
[ "${1:-}" != --set-up ] || exit 0
echo "== the wheel"
MATURIN_PEP517_ARGS="--profile dev" "$venv/bin/pip" install --quiet --force-reinstall --no-deps ./crates/qdemo-py
echo "== Python's tests, and a Spark job with two workers"
"$venv/bin/python" -m pytest -q crates/qdemo-py/tests
qdemo=${1:-}
if [ -z "$qdemo" ]; then
    echo "== a command with Parquet"
    cargo build --quiet -p qdemo-cli --features parquet --locked
    qdemo=$CARGO_TARGET_DIR/debug/qdemo
fi
echo "== every value, whatever it is written as and whoever reads it"
spark=(); command -v java >/dev/null || spark=(--no-spark)
"$venv/bin/python" scripts/tables-read.py --every 500ms --qdemo "$qdemo" "${spark[@]}"
