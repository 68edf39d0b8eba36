#!/usr/bin/env python3
"""Every table that qdemo writes is the same, value by value, whatever it is written as and whoever reads it.

    pip install duckdb polars pandas pyarrow 'pyspark[sql]' ./crates/qdemo-py
    scripts/tables-read.py [--qdemo target/release/qdemo] [--table NAME] [--no-spark] [FOLDER ...]

Each FOLDER has recordings; without one they are those of testdata/. For every table CSV and JSON lines are read by duckdb (with the
types that `qdemo schema tables` declares), Parquet by duckdb, Arrow by polars and by pandas; the Python package gives it to
pyarrow, Spark reads it with two worker processes, and Python's sqlite3 what the catalogue of `qdemo index` has of it. All must be equal: texts character for character, numbers bit for bit.

CSV and JSON lines are also read by duckdb, polars and pandas with their defaults: types must fit.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute as compute
from pyarrow import parquet

ROOT = pathlib.Path(__file__).resolve().parent.parent
# By how many rows polars tells the type of a column.
FIRST = 100
OBJECTS = ["frags", "chat", "scores", "runs", "highlights", "events", "texts", "players", "timeline", "stats", "info", "check", "verify", "hash", "state"]
TYPES = {
    "integer": (pyarrow.int64(), "BIGINT"),
    "number": (pyarrow.float32(), "FLOAT"),
    "seconds": (pyarrow.float64(), "DOUBLE"),
    "text": (pyarrow.string(), "VARCHAR"),
    "word": (pyarrow.string(), "VARCHAR"),
    "raw": (pyarrow.string(), "VARCHAR"),
    "boolean": (pyarrow.bool_(), "BOOLEAN"),
}


def run(qdemo, *args, path=None):
    out = open(path, "wb") if path else subprocess.DEVNULL
    done = subprocess.run([qdemo, *map(str, args)], stdout=out, stderr=subprocess.PIPE)
    # 1 is an answer, 2 that some file could not be read: the others are there all the same.
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{args}: exit {done.returncode}: {done.stderr.decode()}")
    return path


def declared(qdemo):
    """Columns and their types, by table, with that of the names of recordings in front."""
    text = subprocess.run([qdemo, "schema", "tables", "--markdown"], stdout=subprocess.PIPE, check=True).stdout.decode()
    tables = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        rows = re.findall(rf"^\| `(\w+)` \| ({'|'.join(TYPES)}) \|", part, flags=re.M)
        if rows:
            tables[part.split("\n", 1)[0]] = {"file": "word", **dict(rows)}
    return tables


def canonical(table, columns, unescaped=None):
    """A table with plain types; what is missing is null, and so is an empty text, which CSV cannot tell from it."""
    if isinstance(table, pyarrow.RecordBatchReader):
        table = table.read_all()
    if table.schema.names != list(columns):
        sys.exit(f"the columns are {table.schema.names}, not {list(columns)}")
    arrays = []
    for name, kind in columns.items():
        column = table[name].combine_chunks() if table.num_rows else pyarrow.array([], TYPES[kind][0])
        if pyarrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        column = column.cast(TYPES[kind][0])
        if unescaped and kind == "raw":
            column = pyarrow.array([value and json.loads(f'"{quoted(value)}"') for value in column.to_pylist()], column.type)
        if TYPES[kind][0] == pyarrow.string():
            column = compute.if_else(compute.equal(column, ""), pyarrow.scalar(None, column.type), column)
        arrays.append(column)
    return pyarrow.table(arrays, names=list(columns))


def quoted(value):
    return value.replace('"', '\\"')


def same(one, other, columns, what):
    if one.num_rows != other.num_rows:
        sys.exit(f"{what}: {other.num_rows} rows, and not {one.num_rows}")
    for name, kind in columns.items():
        a, b = one[name].combine_chunks(), other[name].combine_chunks()
        # Bit for bit: -0.0 is not 0.0.
        if kind in ("number", "seconds"):
            bits = pyarrow.int32() if kind == "number" else pyarrow.int64()
            a, b = a.view(bits), b.view(bits)
        if not a.equals(b):
            at = next(n for n, pair in enumerate(zip(a.to_pylist(), b.to_pylist())) if pair[0] != pair[1])
            sys.exit(f"{what}: {name} in row {at} is {other[name][at]!r}, and not {one[name][at]!r}")
    return one.num_rows * one.num_columns


def by_duckdb(path, columns, form):
    types = ", ".join(f"'{name}': '{TYPES[kind][1]}'" for name, kind in columns.items())
    # A line of JSON may be long.
    how = {
        "csv": f"read_csv('{path}', columns={{{types}}}, header=true, delim=',', quote='\"', escape='\"', new_line='\\n', max_line_size=67108864, parallel=false)",
        "jsonl": f"read_json('{path}', columns={{{types}}}, format='newline_delimited', maximum_object_size=67108864)",
        "parquet": f"read_parquet('{path}')",
    }[form]
    return duckdb.sql(f"select * from {how}").to_arrow_table()


class Spark:
    """Spark with two workers of its own."""

    def __init__(self):
        from pyspark.sql import SparkSession

        from qdemo.spark import QdemoDataSource

        # What workers and the planner run: a Python that has the package.
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("tables-read")
        settings = {
            "spark.ui.enabled": "false",
            "spark.executor.memory": "1g",
            # A machine may have other things to do.
            "spark.network.timeout": "1200s",
            "spark.rpc.askTimeout": "1200s",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.python.filterPushdown.enabled": "true",
        }
        for key, value in settings.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")
        self.session.dataSource.register(QdemoDataSource)

    def table(self, name, folder, columns, **options):
        read = self.session.read.format("qdemo").option("table", name).option("partition_bytes", 1 << 20)
        for key, value in options.items():
            read = read.option(key, value)
        return read.load(str(folder)).select(*columns)


class Catalogue:
    """The catalogue of a folder, and which tables it has."""

    def __init__(self, qdemo, folder, place):
        path = place / "catalogue.sqlite"
        run(qdemo, "index", "-q", folder, "--db", path)
        self.db = sqlite3.connect(path)
        self.tables = {name for (name,) in self.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}

    def table(self, name, columns, files):
        """A table, but for containers that nobody can open: the catalogue remembers them, and there is nothing to export of them."""
        source = "demos LEFT JOIN info ON info.demo = demos.id" if name == "demos" else f"{name} JOIN demos ON demos.id = {name}.demo"
        of = {"file": "demos.file", "info": "info.info" if name == "demos" else None}
        chosen = ", ".join(of.get(column) or f'{name}."{column}"' for column in columns)
        rows = self.db.execute(f"SELECT demos.file, demos.sha256, {chosen} FROM {source} ORDER BY demos.id" + ("" if name == "demos" else f", {name}.row")).fetchall()
        rows = [row for file, sha256, *row in rows if sha256 is not None or file in files]
        arrays = []
        for at, kind in enumerate(columns.values()):
            values = [row[at] for row in rows]
            if kind == "boolean":
                values = [None if value is None else bool(value) for value in values]
            arrays.append(pyarrow.array(values, pyarrow.float64() if kind == "number" else TYPES[kind][0]))
        return pyarrow.table(arrays, names=list(columns))


def without_negative_zero(table, columns):
    """SQLite has no zero below zero."""
    arrays = [
        compute.if_else(compute.equal(table[name], 0), pyarrow.scalar(0, table[name].type), table[name])
        if kind in ("number", "seconds") else table[name]
        for name, kind in columns.items()
    ]
    return pyarrow.table(arrays, names=list(columns))


def in_order(table, files):
    """Rows by the order of their recordings. Those of one recording are in order."""
    place = {file: at for at, file in enumerate(files)}
    ranks = pyarrow.array([place.get(file, len(place)) for file in table["file"].to_pylist()], pyarrow.int64())
    return table.take(compute.sort_indices(ranks))


def compare(qdemo, folder, place, name, columns, spark, catalogue, every):
    """Writes and reads one table in all forms. Gives how many rows there are, and how many values were compared."""
    paths = {}
    every = {"every": every} if every and name in ("positions", "entities", "frames") else {}
    for form in ("csv", "jsonl", "parquet", "arrow"):
        paths[form] = place / f"{name}.{form}"
        run(qdemo, "export", "-q", folder, "--table", name, "--format", form, "-o", paths[form], *(f"--{k}={v}" for k, v in every.items()))
    values = 0
    rows = canonical(by_duckdb(paths["parquet"], columns, "parquet"), columns)

    def check(table, what):
        nonlocal values
        values += same(rows, table, columns, f"{folder}: {name}: {what}")

    check(canonical(by_duckdb(paths["csv"], columns, "csv"), columns, unescaped=True), "CSV by duckdb")
    check(canonical(by_duckdb(paths["jsonl"], columns, "jsonl"), columns), "JSON lines by duckdb")
    check(canonical(polars.read_ipc(paths["arrow"]).to_arrow(), columns), "Arrow by polars")
    frame = pandas.read_feather(paths["arrow"], dtype_backend="pyarrow")
    check(canonical(pyarrow.Table.from_pandas(frame, preserve_index=False), columns), "Arrow by pandas")
    try:
        import qdemo as package
    except ImportError:
        package = None
    if package:
        check(canonical(pyarrow.table(package.scan(folder, table=name, **every)), columns), "Python's scan by pyarrow")
    if spark:
        files = list(dict.fromkeys(rows["file"].to_pylist()))
        table = canonical(spark.table(name, folder, columns, errors="skip", **every).toArrow(), columns)
        check(in_order(table, files), "Spark")
    if name in catalogue.tables:
        files = list(dict.fromkeys(rows["file"].to_pylist()))
        table = in_order(canonical(catalogue.table(name, columns, set(files)), columns), files)
        values += same(without_negative_zero(rows, columns), table, columns, f"{folder}: {name}: SQLite")
    return rows.num_rows, values


def fits(kind, values):
    """True when values that a reader made of a column are of the declared type."""
    values = [v for v in values if not pandas.isna(v)]
    if kind == "integer":
        # pandas makes floats of whole numbers where some are missing.
        return all(not isinstance(v, (bool, str)) and float(v).is_integer() for v in values)
    if kind in ("number", "seconds"):
        return all(not isinstance(v, (bool, str)) for v in values)
    if kind == "boolean":
        return all(v is True or v is False or type(v).__name__ == "bool" for v in values)
    # Texts that all are numbers look like numbers.
    return True


def with_defaults(path, columns):
    """Reads CSV as those do who say nothing of it."""
    readers = {
        "duckdb": lambda: duckdb.sql(f"select * from read_csv('{path}')").df(),
        "polars": lambda: polars.read_csv(path, infer_schema_length=None).to_pandas(),
        "pandas": lambda: pandas.read_csv(path, low_memory=False),
    }
    counts = {}
    for reader, read in readers.items():
        frame = read()
        if list(frame.columns) != list(columns):
            sys.exit(f"{path.name}: {reader} has the columns {list(frame.columns)}, not {list(columns)}")
        for name, kind in columns.items():
            if reader == "polars" and frame[name].head(FIRST).isna().all():
                continue
            if len(frame) and not fits(kind, frame[name].tolist()):
                sys.exit(f"{path.name}: {reader} reads {name} as {frame[name].dtype}, and it is {kind}")
        counts[reader] = len(frame)
    if len(set(counts.values())) != 1:
        sys.exit(f"{path.name}: rows differ: {counts}")


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


def sources_are_named(qdemo, folder, place):
    """Every file of a data set names the recordings that its rows are of, also where it ends within one."""
    parts = place / "parts"
    run(qdemo, "export", "-q", folder, "--table", "frames", "--format", "parquet", "--rows-per-file", 1000, "-o", f"{parts}/")
    for path in parts.rglob("*.parquet"):
        part = parquet.ParquetFile(path)
        named = {source["file"] for source in json.loads(part.metadata.metadata[b"qdemo.sources"])}
        rows = set(part.read(["file"])["file"].to_pylist())
        if named != rows:
            sys.exit(f"{path}: rows are of {rows}, named are {named}")
    shutil.rmtree(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qdemo", default=ROOT / "target/release/qdemo", type=pathlib.Path)
    parser.add_argument("--table", action="append")
    parser.add_argument("--no-spark", action="store_true")
    parser.add_argument("--every", help="leaves out frames of positions, entities and frames, for large archives: 100ms")
    parser.add_argument("folders", nargs="*", default=[ROOT / "testdata"], type=pathlib.Path)
    args = parser.parse_args()
    qdemo = args.qdemo.resolve()
    if not qdemo.exists():
        sys.exit(f"{qdemo} is not there: cargo build --release --features parquet -p qdemo-cli")
    tables = {name: columns for name, columns in declared(qdemo).items() if not args.table or name in args.table}
    spark = None if args.no_spark else Spark()
    rows, values, lines = 0, 0, 0
    for folder in map(pathlib.Path.resolve, args.folders):
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            catalogue = Catalogue(qdemo, folder, place)
            for name, columns in tables.items():
                some, compared = compare(qdemo, folder, place, name, columns, spark, catalogue, args.every)
                rows, values = rows + some, values + compared
                if folder == ROOT / "testdata":
                    with_defaults(place / f"{name}.csv", columns)
                print(f"{folder}: {name}: {some} rows", flush=True)
                for path in place.iterdir():
                    if not path.name.startswith("catalogue"):
                        path.unlink()
            sources_are_named(qdemo, folder, place)
            if folder == ROOT / "testdata" and not args.table:
                for verb in OBJECTS:
                    lines += objects(run(qdemo, verb, "--json", "-q", folder, path=place / f"{verb}.jsonl"))
    # Else its workers complain at length of the end.
    if spark:
        spark.session.stop()
    print(f"{len(tables)} tables with {rows} rows: {values} values are the same for all readers; {lines} objects of JSON")


if __name__ == "__main__":
    main()
