#!/usr/bin/env python3
"""Every table and every line of JSON that qdemo writes can be read by duckdb, polars and pandas with their defaults.

    pip install duckdb polars pandas
    scripts/tables-read.py [--qdemo target/release/qdemo] [FOLDER]

FOLDER has recordings; without one they are those of testdata/. Tables must have the columns that `qdemo schema tables`
declares, of types that fit, and as many rows for each reader.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import duckdb
import pandas
import polars

VERBS = ["frags", "chat", "scores", "runs", "highlights", "events", "texts", "players", "timeline"]
# By how many rows polars tells the type of a column.
FIRST = 100
OBJECTS = VERBS + ["stats", "info", "check", "verify", "hash", "state"]


def run(qdemo, *args, path):
    with open(path, "wb") as out:
        done = subprocess.run([qdemo, *map(str, args)], stdout=out, stderr=subprocess.PIPE)
    # 1 is an answer, 2 that some file could not be read: the others are there all the same.
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{args}: exit {done.returncode}: {done.stderr.decode()}")
    return path


def declared(qdemo):
    """Columns and their types, by table."""
    text = subprocess.run([qdemo, "schema", "tables", "--markdown"], stdout=subprocess.PIPE, check=True).stdout.decode()
    tables = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        name = part.split("\n", 1)[0]
        rows = re.findall(r"^\| `(\w+)` \| (integer|number|text|boolean) \|", part, flags=re.M)
        if rows:
            tables[name] = dict(rows)
    return tables


def fits(kind, values):
    """True when values that a reader made of a column are of the declared type."""
    values = [v for v in values if not pandas.isna(v)]
    if kind == "integer":
        # pandas makes floats of whole numbers where some are missing.
        return all(not isinstance(v, (bool, str)) and float(v).is_integer() for v in values)
    if kind == "number":
        return all(not isinstance(v, (bool, str)) for v in values)
    if kind == "boolean":
        return all(v is True or v is False or type(v).__name__ == "bool" for v in values)
    # Texts that all are numbers look like numbers.
    return True


def csv(path, columns, file):
    """Reads a table with each of the three."""
    names = (["file"] if file else []) + list(columns)
    readers = {
        "duckdb": lambda: duckdb.sql(f"select * from read_csv('{path}')").df(),
        "polars": lambda: polars.read_csv(path).to_pandas() if path.stat().st_size else None,
        "pandas": lambda: pandas.read_csv(path),
    }
    counts = {}
    for reader, read in readers.items():
        frame = read()
        if list(frame.columns) != names:
            sys.exit(f"{path.name}: {reader} has the columns {list(frame.columns)}, not {names}")
        for name, kind in columns.items():
            # polars looks at the first rows alone: a column that they do not have is a text to it.
            if reader == "polars" and frame[name].head(FIRST).isna().all():
                continue
            if len(frame) and not fits(kind, frame[name].tolist()):
                sys.exit(f"{path.name}: {reader} reads {name} as {frame[name].dtype}, and it is {kind}")
        counts[reader] = len(frame)
    if len(set(counts.values())) != 1:
        sys.exit(f"{path.name}: rows differ: {counts}")
    return counts["pandas"]


def objects(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    if not lines:
        return 0
    counts = {
        "duckdb": len(duckdb.sql(f"select * from read_json('{path}')").fetchall()),
        "polars": len(polars.read_ndjson(path, infer_schema_length=None)),
        "pandas": len(pandas.read_json(path, lines=True)),
        "json": len(lines),
    }
    if len(set(counts.values())) != 1:
        sys.exit(f"{path.name}: objects differ: {counts}")
    return len(lines)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qdemo", default=root / "target/release/qdemo", type=pathlib.Path)
    parser.add_argument("folder", nargs="?", default=root / "testdata", type=pathlib.Path)
    args = parser.parse_args()
    qdemo, folder = args.qdemo, args.folder
    if not qdemo.exists():
        sys.exit(f"{qdemo} is not there: cargo build --release")
    tables = declared(qdemo)
    stats = {"stats": "players", "weapon_stats": "weapons", "item_stats": "items"}
    demos = sorted(path for path in folder.iterdir() if path.is_file() and not path.suffix == ".md")
    with tempfile.TemporaryDirectory() as place:
        place, rows, lines = pathlib.Path(place), 0, 0
        for name, columns in tables.items():
            path = place / f"{name}.csv"
            if name == "demos":
                run(qdemo, "info", "--csv", folder, path=path)
            elif name in stats:
                run(qdemo, "stats", "--csv", "--table", stats[name], folder, path=path)
            elif name in VERBS:
                run(qdemo, name, "--csv", folder, path=path)
            else:
                for demo in demos:
                    rows += csv(run(qdemo, "export", "--table", name, demo, path=path), columns, file=False)
                continue
            rows += csv(path, columns, file=True)
        for verb in OBJECTS:
            lines += objects(run(qdemo, verb, "--json", folder, path=place / f"{verb}.jsonl"))
    print(f"{len(tables)} tables with {rows} rows, {len(OBJECTS)} verbs with {lines} objects: read by duckdb, polars, pandas")


if __name__ == "__main__":
    main()
