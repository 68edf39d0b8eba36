"""Tables of demos as a data source of Spark 4, read where Spark's workers are.

    from qdemo.spark import QdemoDataSource
    spark.dataSource.register(QdemoDataSource)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    frags = spark.read.format("qdemo").option("table", "frags").load("archive/")

Every worker needs this package, and the recordings under the same path, which becomes an absolute one. Options:

| option | meaning |
|---|---|
| `table` | which table; `qdemo.tables()` lists them |
| `columns` | only these, with commas; a schema given with `.schema("file string, weapon string")` does the same |
| `every` | leaves out frames, of positions, entities and frames: `100ms` |
| `warmup` | `true`: statistics also of what is played before and after matches |
| `errors` | `rows` (the default): a file that cannot be read, or not to its end, has a row with its name and the column `error`, all else missing; `skip`: it has none; `raise`: the job fails |
| `partition_bytes` | bytes of files that a task reads, 32 MB by default |

Where the columns that are asked for leave out `error`, files that cannot be read have no rows: nothing would tell these from data.

Conditions on columns are tested while a recording is read: rows that do not pass never become Arrow, files that `file` rules
out are not opened, and behind `demo_ms < ...` nothing is read. Spark asks for `spark.sql.python.filterPushdown.enabled` for that,
and reads nothing without it.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow  # type: ignore[import-untyped]
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    LongType,
    StringType,
    StructField,
    StructType,
)

import qdemo

__all__ = ["QdemoDataSource"]

_TYPES: dict[str, tuple[DataType, pyarrow.DataType]] = {
    "integer": (LongType(), pyarrow.int64()),
    "number": (FloatType(), pyarrow.float32()),
    "seconds": (DoubleType(), pyarrow.float64()),
    "text": (StringType(), pyarrow.string()),
    "word": (StringType(), pyarrow.string()),
    "raw": (StringType(), pyarrow.string()),
    "boolean": (BooleanType(), pyarrow.bool_()),
}
_COMPARISONS: dict[type, str] = {
    EqualTo: "==",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
    LessThan: "<",
    LessThanOrEqual: "<=",
}
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "in": lambda told, values: told in values,
}
_PARTITION_BYTES = 32 << 20
_FILE = {"name": "file", "type": "word", "unit": "", "description": "The recording as it was named."}
_ERROR = {
    "name": "error",
    "type": "text",
    "unit": "",
    "description": "Why the file could not be read, or not to its end, in a row of its own.",
}


def _table(options: Any) -> dict[str, Any]:
    name = options.get("table")
    tables = {table["name"]: table for table in qdemo.tables()}
    if name not in tables:
        raise ValueError(f"option table={name}: it is one of {', '.join(tables)}")
    return tables[name]


def _has_errors(options: Any) -> bool:
    """True when there is a column for files that cannot be read. The table demos has it by itself."""
    return options.get("errors", "rows") == "rows" and _table(options)["name"] != "demos"


def _columns(options: Any) -> dict[str, dict[str, Any]]:
    """The columns that there are, by their names."""
    columns = [_FILE, *_table(options)["columns"]]
    if _has_errors(options):
        columns.append(_ERROR)
    return {column["name"]: column for column in columns}


def _checked(names: Iterable[str], columns: dict[str, Any], asker: str) -> list[str]:
    names = list(names)
    for name in names:
        if name not in columns:
            raise ValueError(f"{asker}: there is no column {name}; there are {', '.join(columns)}")
    return names


def _is_true(options: dict[str, str], name: str) -> bool:
    given = options.get(name, "false")
    if given.lower() not in ("true", "false"):
        raise ValueError(f"option {name}={given}: it is true or false")
    return given.lower() == "true"


def _bytes(options: dict[str, str], name: str, default: int) -> int:
    given = options.get(name, str(default)).strip()
    if not given.isdecimal() or int(given) == 0:
        raise ValueError(f"option {name}={given}: it is a number of bytes, at least 1")
    return int(given)


def _holds(told: Any, comparison: str, value: Any) -> bool:
    """Whether a value passes a condition, as in SQL and as `qdemo.scan` has it: what is missing equals nothing."""
    if value is None:
        return (told is None) == (comparison == "==")
    if told is None:
        return False
    return bool(_TESTS[comparison](told, value))


class QdemoDataSource(DataSource):
    """The format `qdemo`: a table of the recordings below a path."""

    @classmethod
    def name(cls) -> str:
        return "qdemo"

    def schema(self) -> StructType:
        def field(column: dict[str, Any]) -> StructField:
            about = {"comment": column["description"], "unit": column["unit"]}
            return StructField(column["name"], _TYPES[column["type"]][0], True, about)

        columns = _columns(self.options)
        wanted = self.options.get("columns")
        names = [name.strip() for name in wanted.split(",")] if wanted else columns
        return StructType([field(columns[name]) for name in _checked(names, columns, "option columns")])

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(dict(self.options), schema)


class _Reader(DataSourceReader):
    def __init__(self, options: dict[str, str], schema: StructType) -> None:
        path = options.get("path", "")
        if not path:
            raise ValueError("which recordings? Give a path to load()")
        # Workers have folders of their own to begin with.
        self.path = os.path.abspath(path)
        self.table = _table(options)
        self.errors = options.get("errors", "rows")
        if self.errors not in ("rows", "skip", "raise"):
            raise ValueError(f"option errors={self.errors}: it is rows, skip or raise")
        columns = _columns(options)
        self.names = _checked((field.name for field in schema.fields), columns, "schema")
        # Without that column nothing would tell their rows from data.
        self.has_errors = _has_errors(options) and "error" in self.names
        self.every = options.get("every")
        self.warmup = _is_true(options, "warmup")
        self.bytes = _bytes(options, "partition_bytes", _PARTITION_BYTES)
        self.where: list[tuple[str, str, Any]] = []
        self.types = {column["name"]: column["type"] for column in self.table["columns"]}
        # What cannot be is said here, and not by each worker.
        qdemo.scan([], table=self.table["name"], every=self.every, warmup=self.warmup)

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        for it in filters:
            condition = self._condition(it)
            if condition is None:
                yield it
            else:
                self.where.append(condition)

    def _condition(self, it: Filter) -> tuple[str, str, Any] | None:
        attribute: tuple[str, ...] = getattr(it, "attribute", ())
        name = ".".join(attribute)
        value: Any = getattr(it, "value", None)
        if name != "file" and name not in self.types:
            return None
        if isinstance(it, IsNull):
            return (name, "==", None)
        if isinstance(it, IsNotNull):
            return (name, "!=", None)
        if isinstance(it, In):
            return (name, "in", list(value))
        for kind, comparison in _COMPARISONS.items():
            if isinstance(it, kind):
                return (name, comparison, value)
        return None

    def partitions(self) -> list[InputPartition]:
        # The largest first, each where there is least: so tasks are of one size.
        found = sorted(qdemo.find([self.path]), key=lambda it: (-(it[1] or 0), it[0]))
        total = sum(size or 0 for _, size in found)
        count = max(1, min(len(found), -(-total // self.bytes)))
        parts: list[tuple[int, list[str]]] = [(0, []) for _ in range(count)]
        for name, size in found:
            least = min(range(count), key=lambda at: (parts[at][0], len(parts[at][1])))
            parts[least] = (parts[least][0] + (size or 0), [*parts[least][1], name])
        return [InputPartition(sorted(names)) for _, names in parts if names]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        wanted = [name for name in self.names if name == "file" or name in self.types]
        table = qdemo.scan(
            partition.value,
            table=self.table["name"],
            # A batch without columns would not say how many rows it has.
            columns=wanted or ["file"],
            where=self.where,
            every=self.every,
            warmup=self.warmup,
            jobs=1,
            errors="raise" if self.errors == "raise" else "skip",
        )
        for batch in table.batches():
            yield self._batch(pyarrow.record_batch(batch))
        if not self.has_errors:
            return
        rows = [{"file": file, "error": error} for file, error in table.errors]
        rows = [row for row in rows if all(_holds(row.get(name), *test) for name, *test in self.where)]
        if rows:
            told = {name: [row[name] for row in rows] for name in rows[0]}
            yield self._made(len(rows), lambda name, ty: pyarrow.array(told[name], ty) if name in told else None)

    def _batch(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        there = set(batch.schema.names)
        return self._made(batch.num_rows, lambda name, ty: batch.column(name).cast(ty) if name in there else None)

    def _made(self, rows: int, column: Any) -> pyarrow.RecordBatch:
        types = {**self.types, "file": "word", **({"error": "text"} if self.has_errors else {})}
        arrays = []
        for name in self.names:
            ty = _TYPES[types[name]][1]
            array = column(name, ty)
            arrays.append(pyarrow.nulls(rows, ty) if array is None else array)
        return pyarrow.RecordBatch.from_arrays(arrays, names=self.names)
