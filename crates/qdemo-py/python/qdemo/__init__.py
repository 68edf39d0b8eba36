"""Tables, messages and edits of Quake demos: Quake, QuakeWorld, Quake II, Quake III and their kin.

>>> import qdemo
>>> demo = qdemo.open("testdata/oa-dm4.dm_71")
>>> demo.frags().rows()[0]["victim"]
'Angelyss'

Tables hand out Arrow by the PyCapsule interface: `polars.DataFrame(demo.frags())`, `duckdb.sql`, `pyarrow.table`,
`pandas.DataFrame.from_arrow` take them as they are. `qdemo.scan` reads many recordings, on all processors. docs/python.md
of the repository is the tutorial, docs/tables.md tells every column.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ._qdemo import (
    Batch,
    Batches,
    Demo,
    Error,
    Rows,
    Table,
    __version__,
    compile,
    find,
    join,
    merge,
    open,
    scan,
    tables,
)

__all__ = [
    "Batch",
    "Batches",
    "Demo",
    "Error",
    "Rows",
    "Table",
    "__version__",
    "compile",
    "decompile",
    "find",
    "join",
    "merge",
    "open",
    "scan",
    "tables",
    "verify",
]


def _opened(source: Demo | bytes | str | os.PathLike[str]) -> Demo:
    return source if isinstance(source, Demo) else open(source)


def decompile(source: Demo | bytes | str | os.PathLike[str], style: str = "text") -> str:
    """The text of a recording, which `compile` makes the same recording of; as `Demo.decompile`.

    >>> qdemo.decompile("testdata/clip.dem").startswith("// ")
    True
    """
    return _opened(source).decompile(style)


def verify(source: Demo | bytes | str | os.PathLike[str]) -> dict[str, Any]:
    """Whether every byte of a recording is understood, as `qdemo verify --json` writes it.

    >>> qdemo.verify("testdata/clip.dem")["sound"]
    True
    """
    return _opened(source).verify()


def _method(about: dict[str, Any]) -> Callable[..., Table]:
    name = about["name"]

    def with_frames(self: Demo, *, columns: Any = None, where: Any = None, every: Any = None) -> Table:
        return self.table(name, columns=columns, where=where, every=every)

    def with_warmup(self: Demo, *, columns: Any = None, where: Any = None, warmup: bool = False) -> Table:
        return self.table(name, columns=columns, where=where, warmup=warmup)

    def plain(self: Demo, *, columns: Any = None, where: Any = None) -> Table:
        return self.table(name, columns=columns, where=where)

    method: Any = with_frames if about["has_frames"] else with_warmup if about["has_warmup"] else plain
    method.__name__ = name
    method.__qualname__ = f"Demo.{name}"
    method.__doc__ = f"The table {name}. {about['description']}"
    return method  # type: ignore[no-any-return]


# Every table is a method, under the name that the library gives it. What is there already hands out dictionaries.
for _table in tables():
    if not hasattr(Demo, _table["name"]):
        setattr(Demo, _table["name"], _method(_table))
del _table
