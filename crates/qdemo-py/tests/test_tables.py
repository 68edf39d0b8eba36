"""Tables as Arrow, from one recording and from many."""

import gc
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import types
import zipfile

import polars
import pyarrow
import pytest

import qdemo

DEMOS = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"]
TYPES = {"integer": "int64", "number": "float", "seconds": "double", "text": "string", "boolean": "bool"}


@pytest.mark.parametrize("name", DEMOS)
def test_every_table_of_every_game(name):
    demo = qdemo.open(f"testdata/{name}")
    for about in qdemo.tables():
        made = demo.table(about["name"])
        table = pyarrow.table(made)
        assert table.schema.names == [column["name"] for column in about["columns"]] == made.columns
        assert table.schema.metadata[b"qdemo.sha256"].decode() == demo.sha256
        for field, column in zip(table.schema, about["columns"]):
            assert field.metadata[b"description"].decode() == column["description"]
            assert field.metadata.get(b"unit", b"").decode() == column["unit"]
            words = column["type"] in ("word", "raw")
            assert str(field.type) == ("dictionary<values=string, indices=int32, ordered=0>" if words else TYPES[column["type"]])
        rows = made.rows()
        assert len(rows) == table.num_rows == sum(len(batch) for batch in made.batches())
        assert rows == list(made)
        assert polars.DataFrame(made).height == table.num_rows
        if about["name"] != "messages":
            assert pyarrow.table(getattr(demo, about["name"])()).equals(table)


def test_a_row_is_what_the_table_has():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    table = pyarrow.table(demo.positions())
    for got, row in zip(demo.positions(), table.slice(0, 500).to_pylist()):
        assert {k: v for k, v in got.items() if not isinstance(v, float)} == {
            k: v for k, v in row.items() if not isinstance(v, float)
        }
        # The decimal of a row is that of the 32-bit float.
        assert all(pyarrow.scalar(got[k], pyarrow.float32()).as_py() == v for k, v in row.items() if isinstance(v, float) and k != "time")


def test_without_pyarrow():
    code = """
import sys
sys.modules["pyarrow"] = None
import polars, qdemo
print(polars.DataFrame(qdemo.open("testdata/oa-dm4.dm_71").frags()).height)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) > 10, done.stderr


def test_columns_and_conditions():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    rows = demo.frags().rows()
    assert demo.frags(columns=["weapon", "victim"]).rows() == [{k: row[k] for k in ("weapon", "victim")} for row in rows]
    tests = {
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    for name, value in [("demo_ms", rows[5]["demo_ms"]), ("weapon", "shotgun"), ("attacker_x", rows[3]["attacker_x"] or 0.0)]:
        for comparison, test in tests.items():
            wanted = [row for row in rows if row[name] is not None and test(row[name], value)]
            assert demo.frags(where=[(name, comparison, value)]).rows() == wanted
    assert demo.frags(where={"attacker": None}).rows() == [row for row in rows if row["attacker"] is None]
    assert demo.frags(where=[("weapon", "in", ["lava", "shotgun"])]).rows() == [
        row for row in rows if row["weapon"] in ("lava", "shotgun")
    ]
    # Nothing equals what is missing, as in SQL.
    assert demo.frags(where=[("weapon", "in", ["shotgun", None])]).rows() == demo.frags(where={"weapon": "shotgun"}).rows()
    assert demo.frags(where=types.MappingProxyType({"weapon": "shotgun"})).rows() == demo.frags(where={"weapon": "shotgun"}).rows()
    with pytest.raises(qdemo.Error, match="cannot be compared"):
        qdemo.scan("testdata", table="frags", where={"file": 5})
    with pytest.raises(qdemo.Error, match="no column"):
        demo.frags(columns=["nonsense"])
    with pytest.raises(qdemo.Error, match="cannot be compared"):
        demo.frags(where={"demo_ms": "soon"})
    with pytest.raises(ValueError, match="comparisons are"):
        demo.frags(where=[("demo_ms", "~", 1)])
    # A text is a list of letters, to Python.
    for value in ("shotgun", b"shotgun", 5):
        with pytest.raises(TypeError, match="a list of them"):
            demo.frags(where=[("weapon", "in", value)])
    with pytest.raises(TypeError, match="one value is compared with.*'in'"):
        demo.frags(where={"weapon": ["shotgun"]})
    with pytest.raises(ValueError, match="every .* frags has none"):
        demo.table("frags", every="1s")
    # What would do nothing is refused.
    for made in (lambda **given: demo.table("frags", **given), lambda **given: qdemo.scan("testdata", table="frags", **given)):
        with pytest.raises(ValueError, match="warmup .* frags has none"):
            made(warmup=True)
        for columns in ("weapon", b"weapon", 5, [5]):
            with pytest.raises(TypeError, match="columns is a list of names"):
                made(columns=columns)
        assert made(columns=("weapon",), warmup=False).columns == made(columns=iter(["weapon"])).columns == ["weapon"]
    assert demo.table("stats", warmup=True).rows()
    with pytest.raises(ValueError, match="no table"):
        demo.table("nonsense")


def test_many_recordings_in_any_number_of_threads():
    one = pyarrow.table(qdemo.scan("testdata", table="frags", jobs=1)).to_pylist()
    with pytest.raises(ValueError, match="jobs=-1: "):
        qdemo.scan("testdata", table="frags", jobs=-1)
    for jobs in (2, 5, 10**6):
        assert pyarrow.table(qdemo.scan("testdata", table="frags", jobs=jobs)).to_pylist() == one
    files = list(dict.fromkeys(row["file"] for row in one))
    wanted = qdemo.scan("testdata", table="frags", where=[("file", "in", files[:2])])
    assert wanted.rows() == [row for row in one if row["file"] in files[:2]] or len(wanted.rows()) == sum(
        row["file"] in files[:2] for row in one
    )


def test_what_cannot_be_read_is_listed_and_costs_its_own_rows():
    table = qdemo.scan(["testdata/bad", "testdata/clip.dem"], table="frames")
    files = {row["file"] for row in table}
    assert "testdata/clip.dem" in files and "testdata/bad/cut_block.dm_68" in files
    assert "testdata/bad/half_life.dem" in [file for file, _ in table.errors]
    with pytest.raises(qdemo.Error, match="Half-Life"):
        qdemo.scan(["testdata/bad/half_life.dem"], table="frames", errors="raise").rows()
    demos = {row["file"]: row for row in qdemo.scan("testdata/bad", table="demos")}
    assert "Half-Life" in demos["testdata/bad/half_life.dem"]["error"]
    assert demos["testdata/bad/half_life.dem"]["format"] is None
    assert "truncated" in demos["testdata/bad/cut_block.dem"]["fault"]


def test_an_error_is_the_same_whoever_makes_a_table_of_the_rows():
    table = qdemo.scan(["testdata/bad/half_life.dem"], table="frames", errors="raise")
    told = []
    for make in (table.rows, table.to_polars, table.to_pandas, table.to_pyarrow):
        with pytest.raises(qdemo.Error, match="Half-Life") as raised:
            make()
        told.append((str(raised.value), raised.value.file, raised.value.kind, raised.value.advice))
    assert told == [told[0]] * 4 and told[0][1:3] == ("testdata/bad/half_life.dem", "not_a_demo")
    # The interface for other packages carries the words of an error and nothing else.
    with pytest.raises(polars.exceptions.ComputeError, match="half_life.dem: .*Half-Life"):
        polars.DataFrame(table)
    with pytest.raises(pyarrow.ArrowInvalid, match="half_life.dem: .*Half-Life"):
        pyarrow.table(table)
    # What is not about reading is left as it is.
    with pytest.raises(ModuleNotFoundError), pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "polars", None)
        table.to_polars()


def test_errors_are_those_of_the_last_reading_that_is_over():
    table = qdemo.scan(["testdata/bad", "testdata/ez-dm.mvd"], table="frames", columns=["file"], jobs=1)
    assert table.errors == []
    table.rows()
    errors = table.errors
    assert "testdata/bad/half_life.dem" in [file for file, _ in errors]
    rows = iter(table)
    next(rows)
    assert table.errors == errors
    for _ in rows:
        pass
    assert table.errors == errors
    # One that is given up is not over.
    next(iter(table))
    gc.collect()
    time.sleep(0.2)
    assert table.errors == errors


def test_threads_may_share_what_they_go_through():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    for made, size in [(lambda table: iter(table), lambda row: 1), (lambda table: table.batches(), len)]:
        shared, counts, failed = made(demo.positions()), [], []

        def count():
            try:
                counts.append(sum(size(it) for it in shared))
            except Exception as e:
                failed.append(e)

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == [] and sum(counts) == len(demo.positions().rows())


def test_paths_are_texts_or_path_objects():
    for wrong in (b"testdata/clip.dem", [b"testdata/clip.dem"], 5, None, [5]):
        with pytest.raises(TypeError, match="a list of paths"):
            qdemo.scan(wrong, table="frames")
        with pytest.raises(TypeError, match="a list of paths"):
            qdemo.find(wrong)


def test_reading_stops_behind_the_last_moment_that_is_wanted():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    rows = demo.positions(where=[("demo_ms", "<=", 1000)]).rows()
    assert rows == [row for row in demo.positions() if row["demo_ms"] <= 1000]


def test_errors_tell_where():
    e = qdemo.Error("made by hand")
    assert (e.file, e.offset, e.block, e.time, e.message, e.field, e.kind, e.advice) == (None,) * 8
    with pytest.raises(qdemo.Error) as raised:
        qdemo.open("testdata/bad/half_life.dem")
    assert raised.value.file == "testdata/bad/half_life.dem" and raised.value.kind == "not_a_demo"
    with pytest.raises(qdemo.Error) as raised:
        qdemo.open("testdata/containers/aes.7z:demos/one.dem")
    assert "AES" in str(raised.value) and raised.value.file
    with pytest.raises(qdemo.Error, match="check the name"):
        qdemo.open("missing.dem")
    with pytest.raises(qdemo.Error) as raised:
        qdemo.open("testdata/clip.dem").camera("[[shot]]")
    assert raised.value.offset is None


def test_other_threads_go_on_while_it_reads():
    counted, done = 0, threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    for _ in range(3):
        pyarrow.table(qdemo.scan("testdata", table="positions", jobs=1))
    done.set()
    counter.join()
    assert counted > 10


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    "read, ends_with",
    [
        ("table.rows()", "KeyboardInterrupt: "),
        ("for row in table: pass", "KeyboardInterrupt: "),
        ("table.to_pyarrow()", "KeyboardInterrupt: "),
        ("table.to_polars()", "KeyboardInterrupt: "),
        ("table.to_pandas()", "KeyboardInterrupt: "),
        # The interface for other packages has errors of their own alone; there is nothing behind it that ends them otherwise.
        ("polars.DataFrame(table)", "ComputeError: .*interrupted by Ctrl-C"),
        ("pyarrow.table(table)", "ArrowInvalid: .*interrupted by Ctrl-C"),
        ("pandas.DataFrame.from_arrow(table)", "ArrowInvalid: .*interrupted by Ctrl-C"),
    ],
)
def test_ctrl_c_ends_it(read, ends_with):
    code = f"""
import pandas, polars, pyarrow, qdemo, time
print("go", flush=True)
try:
    while True:
        table = qdemo.scan(["testdata"] * 50, table="entities", jobs=1)
        {read}
except BaseException as e:
    print(f"{{type(e).__name__}}: {{e}}")
for _ in range(10):
    time.sleep(0.01)
print("nothing comes later")
raise SystemExit(5)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(0.5)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert re.fullmatch(f"{ends_with}\nnothing comes later\n", out) and err == "" and child.returncode == 5
    assert time.monotonic() - begun < 20


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_what_a_handler_of_signals_raises_ends_it():
    code = """
import qdemo, signal
def late(*_):
    raise TimeoutError("too long")
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    while True:
        qdemo.scan(["testdata"] * 50, table="entities", jobs=1).to_polars()
except TimeoutError as e:
    print(e)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("too long\n", "")


def test_numbers_pass_as_they_are_handed_out():
    demo = qdemo.open("testdata/clip.dem")
    rows = demo.positions(columns=["time", "x"]).rows()
    tests = {"==": lambda a, b: a == b, "<": lambda a, b: a < b, ">=": lambda a, b: a >= b}
    inexact = 0
    for row in rows[:: max(1, len(rows) // 20)]:
        for name, value in row.items():
            inexact += pyarrow.scalar(value, pyarrow.float32()).as_py() != value
            for comparison, test in tests.items():
                wanted = [row for row in rows if test(row[name], value)]
                assert demo.positions(columns=["time", "x"], where=[(name, comparison, value)]).rows() == wanted
    assert inexact > 5
    # As Arrow has it: numbers are 32-bit floats there.
    table = pyarrow.table(demo.positions(columns=["x"]))
    value = table["x"][0].as_py()
    wanted = sum(x == value for x in table["x"].to_pylist())
    assert len(demo.positions(columns=["x"], where={"x": value}).rows()) == wanted > 0


@pytest.mark.skipif(os.name != "posix", reason="names of any bytes")
def test_names_that_are_found_lead_back(tmp_path):
    demo = open("testdata/clip.dem", "rb").read()
    names = [b"a\nb.dem", b"caf\xe9.dem", b"\x1b[31m.dem", b"pl\xc3\xa4in.dem"]
    for name in names:
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(demo)
    with zipfile.ZipFile(os.path.join(tmp_path, os.fsdecode(b"\xe9.zip")), "w") as archive:
        archive.writestr("in/one.dem", demo)
    found = qdemo.find(tmp_path)
    assert sorted(os.fsencode(os.path.basename(name)) for name, size in found if size is not None) == sorted(names)
    for name, size in found:
        assert qdemo.open(name).data == demo and size in (len(demo), None)
    # The column has them fit to be printed. Both names are compared.
    shown = {row["file"] for row in qdemo.scan(tmp_path, table="levels")}
    assert f"{tmp_path}/a\\x0ab.dem" in shown and f"{tmp_path}/caf\\xe9.dem" in shown and f"{tmp_path}/pläin.dem" in shown
    everything = qdemo.scan(tmp_path, table="levels", columns=["file"]).rows()
    for name in [name for name, _ in found] + list(shown):
        rows = qdemo.scan(tmp_path, table="levels", columns=["file"], where={"file": name}).rows()
        assert len(rows) == 1 and [rows[0]] == [row for row in everything if row["file"] == rows[0]["file"]]
        others = qdemo.scan(tmp_path, table="levels", columns=["file"], where=[("file", "!=", name)]).rows()
        assert others == [row for row in everything if row != rows[0]]
    two = [("file", "in", [name for name, _ in found][:2])]
    assert len(qdemo.scan(tmp_path, table="levels", where=two).rows()) == 2
    # No text has such bytes.
    assert qdemo.scan(tmp_path, table="players", where={"name": "\udcff"}).rows() == []
    table = qdemo.scan([name for name, _ in found], table="levels")
    assert len(table.rows()) == len(qdemo.scan(tmp_path, table="levels").rows()) == 5 and table.errors == []


def test_an_archive_that_cannot_be_opened_has_its_name(tmp_path):
    name = str(tmp_path / "names.7z")
    shutil.copy("testdata/containers/aes-names.7z", name)
    shutil.copy("testdata/clip.dem", tmp_path)
    demos = qdemo.scan(tmp_path, table="demos")
    errors = {row["file"]: row["error"] for row in demos}
    assert "AES" in errors[name] and len(errors) == 2
    assert [file for file, _ in demos.errors] == [name]
    assert name in [name for name, _ in qdemo.find(tmp_path)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_table_begun_before_a_fork_says_so():
    """The thread that reads it is in the other process."""
    rows = iter(qdemo.open("testdata/oa-dm4.dm_71").entities())
    next(rows)
    child = os.fork()
    if child == 0:
        try:
            sum(1 for _ in rows)
        except RuntimeError as e:
            os._exit(7 if "begin it anew here" in str(e) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert sum(1 for _ in rows) > 1000


def test_a_column_is_named_once():
    with pytest.raises(ValueError, match="twice"):
        qdemo.open("testdata/clip.dem").table("frags", columns=["weapon", "weapon"])
