"""docs/python.md is carried out block by block; the examples of docstrings run; the stubs are those of the library."""

import contextlib
import doctest
import io
import os
import pathlib
import re
import subprocess
import sys

import qdemo

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/python.md"


def test_the_tutorial():
    text = PAGE.read_text()
    names, made = {"__name__": "tutorial"}, []
    parts = re.split(r"^(```python\n.*?^```\n\n```text\n)(.*?)(^```\n)", text, flags=re.M | re.S)
    # What stands between blocks, a block, what it printed, the end of that.
    assert len(parts) > 4 * 8
    for at, part in enumerate(parts):
        if at % 4 == 2:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(parts[at - 1].split("```")[1].removeprefix("python\n"), str(PAGE), "exec"), names)
            made.append(out.getvalue())
        else:
            made.append(part)
    if os.environ.get("QDEMO_BLESS"):
        PAGE.write_text("".join(made))
    assert "".join(made) == PAGE.read_text()


def test_the_examples_of_docstrings():
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    objects = [qdemo, *(getattr(qdemo, name) for name in qdemo.__all__ if name != "__version__")]
    objects += [it for it in vars(qdemo.Demo).values() if getattr(it, "__doc__", None) and ">>>" in it.__doc__]
    for it in objects:
        for test in finder.find(it, getattr(it, "__name__", "it"), globs={"qdemo": qdemo}, module=False):
            runner.run(test)
    done = runner.summarize()
    assert done.attempted > 30 and done.failed == 0, done


def test_the_stubs_have_the_tables_of_the_library():
    done = subprocess.run([sys.executable, ROOT / "crates/qdemo-py/stubs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_mypy_and_stubtest():
    for args in (["mypy.stubtest", "qdemo", "--ignore-disjoint-bases"], ["mypy", "--strict", "-c", USE]):
        done = subprocess.run([sys.executable, "-m", *args], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


USE = """
import qdemo
demo: qdemo.Demo = qdemo.open("x.dem")
names: list[str] = [row["name"] for row in demo.positions(every="1s", where={"seen_through": True})]
table: qdemo.Table = qdemo.scan(["a", "b"], table="frags", jobs=2)
size: int = sum(len(batch) for batch in table.batches())
member: qdemo.Demo = qdemo.open(b"PK", name="a.zip", member="a.dem")
sha256: str = demo.sha256 or "of no whole recording"
"""
