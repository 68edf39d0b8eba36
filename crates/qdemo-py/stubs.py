#!/usr/bin/env python3
"""Writes what in python/qdemo/_qdemo.pyi follows from the tables of the library.

    crates/qdemo-py/stubs.py [--check]
"""

import pathlib
import sys

import qdemo

STUB = pathlib.Path(__file__).resolve().parent / "python/qdemo/_qdemo.pyi"
BEGIN, END = "    # Tables, written by stubs.py.\n", "    # The end of them.\n"
NAMES, NAMES_END = "# Names, written by stubs.py.\n", "# The end of these.\n"


def method(about):
    more = ", every: _Time | None = None" if about["has_frames"] else ""
    more += ", warmup: bool = False" if about["has_warmup"] else ""
    return (
        f"    def {about['name']}(\n"
        f"        self, *, columns: Iterable[str] | None = None, where: _Where | None = None{more}\n"
        f"    ) -> Table: ...\n"
    )


def main():
    text = STUB.read_text()
    tables = qdemo.tables()
    front, rest = text.split(NAMES)
    names = ", ".join(f'"{about["name"]}"' for about in tables)
    exported = ", ".join(f'"{name}"' for name in qdemo._qdemo.__all__)
    made = f"_TableName: TypeAlias = Literal[{names}]\n__all__ = [{exported}]\n"
    text = front + NAMES + made + NAMES_END + rest.split(NAMES_END)[1]
    front, rest = text.split(BEGIN)
    made = "".join(method(about) for about in tables if about["name"] != "messages")
    text = front + BEGIN + made + END + rest.split(END)[1]
    if "--check" in sys.argv:
        sys.exit(0 if text == STUB.read_text() else f"{STUB}: out of date; run crates/qdemo-py/stubs.py")
    STUB.write_text(text)


if __name__ == "__main__":
    main()
