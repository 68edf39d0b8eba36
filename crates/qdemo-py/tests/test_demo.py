"""Recordings: opened, asked, written, edited."""

import errno
import gzip
import hashlib
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pyarrow
import pytest

import qdemo

DEMOS = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"]


@pytest.mark.parametrize("name", DEMOS)
def test_text_and_back(name):
    demo = qdemo.open(f"testdata/{name}")
    file = pathlib.Path(f"testdata/{name}").read_bytes()
    assert demo.data == file and demo.sha256 == hashlib.sha256(file).hexdigest()
    for style in ("text", "json"):
        assert qdemo.compile(demo.decompile(style)) == file
    assert demo.verify()["exact"] and qdemo.verify(file)["exact"]


@pytest.mark.parametrize("name", DEMOS)
def test_messages_are_those_of_the_text(name):
    demo = qdemo.open(f"testdata/{name}")
    told = [message for message in demo.messages() if message["within"] is None]
    blocks = [json.loads(line) for line in demo.decompile("json").splitlines() if '"piece"' in line]
    texts = [message for block in blocks for message in block.get("messages", [])]
    assert len(told) == len(texts) > 100
    for message, text in zip(told, texts):
        name = text.pop("message")
        assert (message["message"], message["fields"]) == (name, text)


def test_bytes_and_packed_files():
    file = pathlib.Path("testdata/clip.dem").read_bytes()
    assert qdemo.open(file).data == file
    packed = qdemo.open(gzip.compress(file), name="clip.dem.gz")
    assert (packed.data, packed.containers) == (file, ["gzip"])
    assert qdemo.open(pathlib.Path("testdata/clip.dem")).format == "dem"
    # What stands in front of the damage of a container is there.
    cut = qdemo.open("testdata/bad/cut.dem.gz")
    assert "truncated" in cut.error and len(cut.data) > 0
    same = qdemo.open(pathlib.Path("testdata/bad/cut.dem.gz").read_bytes())
    assert (same.data, same.containers) == (cut.data, cut.containers) and "truncated" in same.error


def packed(**files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return made.getvalue()


def test_bytes_of_archives_are_opened_as_files_are(tmp_path):
    file = pathlib.Path("testdata/clip.dem").read_bytes()
    other = qdemo.open("testdata/oa-dm4.dm_71").data
    one, two = packed(a_dem=file, readme_txt=b"hello"), packed(a_dem=file, b_dm_71=other)
    nested = packed(in_zip=two)
    for data, member, wanted in [
        (one, None, file),
        (gzip.compress(one), None, file),
        (packed(only_zip=one), None, file),
        (two, "a.dem", file),
        (two, "b.dm.71", other),
        (nested, "in.zip:a.dem", file),
    ]:
        (tmp_path / "x.zip").write_bytes(data)
        for source in (data, tmp_path / "x.zip"):
            assert qdemo.open(source, member=member).data == wanted
        name = "x.zip" if member is None else f"x.zip:{member}"
        assert qdemo.open(data, name="x.zip", member=member).name == name
        assert qdemo.open(f"{tmp_path}/{name}").name == f"{tmp_path}/{name}"
        assert qdemo.open(data, member=member).containers == qdemo.open(f"{tmp_path}/{name}").containers
    with pytest.raises(qdemo.Error, match="no member 'c.dem'"):
        qdemo.open(two, member="c.dem")


def test_of_several_demos_an_error_says_how_to_name_one(tmp_path):
    file = pathlib.Path("testdata/clip.dem").read_bytes()
    two = packed(a_dem=file, b_dem=file)
    path = str(tmp_path / "two.zip")
    pathlib.Path(path).write_bytes(two)
    with pytest.raises(qdemo.Error, match="holds 2 demos.*a.dem, b.dem") as raised:
        qdemo.open(path)
    told = raised.value
    assert (told.file, told.kind) == (path, "other") and told.advice in str(told) and "*" not in told.advice.split(";")[0]
    assert qdemo.open(re.search(r"\((.*?)\)", told.advice)[1]).data == file
    # The advice leads on, for bytes too.
    for data, name in [(two, "two.zip"), (packed(in_zip=two), "two.zip:in.zip")]:
        with pytest.raises(qdemo.Error) as raised:
            qdemo.open(data, name="two.zip")
        assert (raised.value.file, raised.value.kind) == (name, "other")
        assert eval(f"qdemo.open(data, {re.search(r'[(](.*)[)]', raised.value.advice)[1]})").data == file
    with pytest.raises(qdemo.Error, match="empty") as raised:
        qdemo.open(packed())
    assert raised.value.advice == "there is nothing to read"


def test_a_part_of_a_recording_has_no_hash():
    # Of the part it would be another one than of the recording, by which it is found.
    for source in ("testdata/bad/cut.dem.gz", pathlib.Path("testdata/bad/cut.dem.gz").read_bytes()):
        demo = qdemo.open(source)
        assert demo.error and demo.sha256 is None and demo.demos().rows()[0]["sha256"] is None
        metadata = pyarrow.table(demo.frames()).schema.metadata
        assert b"qdemo.sha256" not in metadata and b"qdemo.file" in metadata
        assert demo.convert("dem", protocol=666).sha256 is not None


def test_pages_do_not_tell_where_the_recording_lay(tmp_path):
    shutil.copy("testdata/oa-dm4.dm_71", tmp_path / "duel.dm_71")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.write("testdata/oa-dm4.dm_71", "in/duel.dm_71")
    for demo in (qdemo.open(tmp_path / "duel.dm_71"), qdemo.open(f"{tmp_path}/x.zip:in/duel.dm_71")):
        for page in (demo.view(), demo.report()):
            assert "<title>duel.dm_71</title>" in page and str(tmp_path) not in page


def test_recordings_are_split_as_the_command_splits_them():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    for by in ("level", "match", "gamestate", "run", "round"):
        demo.split(by)
    assert [(part.name, part.data) for part in demo.split("gamestate")] == [(part.name, part.data) for part in demo.split("level")]
    for by in ("frag", "chat", "highlight", "player", "nonsense"):
        with pytest.raises(ValueError, match=f"by={by}: .* level, match, gamestate, run, round"):
            demo.split(by)


def test_what_lmpc_has_no_words_for_is_told():
    with pytest.warns(UserWarning, match=r"\d+ pieces are beyond LMPC's language; compile and LMPC will not") as told:
        text = qdemo.open("testdata/oa-dm4.dm_71").decompile("lmpc")
    assert len(told) == 1 and qdemo.compile(text) != qdemo.open("testdata/oa-dm4.dm_71").data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = qdemo.open("testdata/dm13-15.dem").decompile("lmpc")
    assert qdemo.compile(text) == qdemo.open("testdata/dm13-15.dem").data


def test_seeks():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    assert demo.at(20)["demo_ms"] == demo.at("0:20")["demo_ms"] == 20_000
    assert demo.at("end")["demo_ms"] >= 42_000
    with pytest.raises(ValueError):
        demo.at("noon")
    for wrong in (-1, float("nan"), float("inf")):
        for ask in (demo.at, lambda at: demo.positions(every=at), lambda at: demo.cut(at, 5)):
            with pytest.raises(ValueError, match="never negative"):
                ask(wrong)
    with pytest.raises(TypeError, match="a text such as"):
        demo.at([])


def test_edits_give_recordings():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    clip = demo.cut("0:10", "0:20")
    assert clip.verify()["sound"] and clip.account["end_made"] and 9_000 < clip.at("end")["demo_ms"] < 11_000
    assert demo.retime(freeze=("0:10", "2s")).at("end")["demo_ms"] > demo.at("end")["demo_ms"]
    assert demo.retime(reverse=True).verify()["sound"]
    with pytest.raises(ValueError, match="give one of"):
        demo.retime()
    for given in ({"shift_ms": 5}, {"freeze": ("0:10", "2s")}, {"loop": ("0:10", "0:12", 2)}):
        with pytest.raises(ValueError, match="start and end"):
            demo.retime(**given, start=1)
    damaged = bytearray(demo.data)
    damaged[20_000:20_200] = b"\x5a" * 200
    assert qdemo.open(bytes(damaged), name="x.dm_71").repair().verify()["sound"]
    assert demo.convert("dm_68").protocol == 68
    player = qdemo.open("testdata/ez-dm.mvd").players().rows()[0]["name"]
    assert qdemo.open("testdata/ez-dm.mvd").convert("qwd", player=player).format == "qwd"
    assert qdemo.join([clip, demo.cut("0:30")]).verify()["sound"]
    toml = "[[rename]]\nfrom = 'Sarge'\nto = 'Tom'\n"
    assert demo.edit(toml).data == demo.edit({"rename": [{"from": "Sarge", "to": "Tom"}]}).data != demo.data
    assert [part.data for part in demo.split()] == [part.data for part in demo.split("level")]
    assert demo.view().lower().startswith("<!doctype html>") and demo.report().lower().startswith("<!doctype html>")
    assert "findings" in demo.check()


def test_saving(tmp_path):
    demo = qdemo.open("testdata/clip.dem")
    path = tmp_path / "copy.dem"
    demo.save(path)
    assert path.read_bytes() == demo.data
    with pytest.raises(FileExistsError, match="overwrite") as raised:
        demo.save(path)
    assert (raised.value.errno, raised.value.filename) == (errno.EEXIST, str(path))
    missing = str(tmp_path / "missing/copy.dem")
    with pytest.raises(FileNotFoundError) as raised:
        demo.save(missing)
    assert (raised.value.errno, raised.value.filename) == (errno.ENOENT, missing)
    # As Python itself has it.
    with pytest.raises(FileNotFoundError) as pythons:
        open(missing, "wb")
    assert str(raised.value) == str(pythons.value)
    demo.save(path, overwrite=True)
    assert [it.name for it in tmp_path.iterdir()] == ["copy.dem"]
    # A link stays one, and what may be done with the file.
    link = tmp_path / "link.dem"
    link.symlink_to(path)
    path.chmod(0o600)
    demo.cut("0:01").save(link, overwrite=True)
    assert link.is_symlink() and path.read_bytes() == link.read_bytes() != demo.data
    assert path.stat().st_mode & 0o777 == 0o600
    # Also one to what is not there yet.
    link = tmp_path / "new_link.dem"
    link.symlink_to("new.dem")
    demo.save(link)
    assert link.is_symlink() and (tmp_path / "new.dem").read_bytes() == demo.data
    circle = tmp_path / "circle.dem"
    circle.symlink_to(circle)
    with pytest.raises(OSError) as raised:
        demo.save(circle)
    assert (raised.value.errno, raised.value.filename) == (errno.ELOOP, str(circle))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_bytes)
        demo.save(pipe, overwrite=True)
        assert read.result() == demo.data and pipe.is_fifo()


def test_the_row_of_a_recording():
    for path in ["testdata/clip.dem", "testdata/qizmo.qwz"]:
        demo = qdemo.open(path)
        row = demo.demos().rows()[0]
        assert (row["sha256"], row["containers"] or "") == (demo.sha256, ",".join(demo.containers))


def test_whatever_holds_bytes_is_opened(tmp_path):
    path = pathlib.Path("testdata/clip.dem")
    file = path.read_bytes()
    for source in (bytearray(file), memoryview(file), io.BytesIO(file), pyarrow.py_buffer(file)):
        assert qdemo.open(source).data == file
    with path.open("rb") as stream:
        assert (qdemo.open(stream).data, qdemo.open(path.open("rb")).name) == (file, str(path))
    for wrong in (5, None, path.open("r", encoding="latin-1")):
        with pytest.raises(TypeError, match="by its path"):
            qdemo.open(wrong)


def test_a_copy_is_the_same():
    cut = qdemo.open("testdata/bad/cut.dem.gz")
    edited = qdemo.open("testdata/oa-dm4.dm_71").cut("0:10", "0:20")
    for demo in (cut, edited):
        same = pickle.loads(pickle.dumps(demo))
        for key in ("name", "data", "containers", "error", "account", "sha256"):
            assert getattr(same, key) == getattr(demo, key), key


def test_a_moment_behind_the_end_is_warned_of():
    demo = qdemo.open("testdata/oa-dm4.dm_71")
    with pytest.warns(UserWarning, match="ends at 0:42.050, in front of 1:39:00"):
        assert demo.at("99:00")["demo_ms"] == 42050
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert demo.at("0:42.050") == demo.at("end")


def test_a_pipe_is_written_into():
    code = "import qdemo; qdemo.open('testdata/clip.dem').save('/dev/stdout', overwrite=True)"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert done.stdout == pathlib.Path("testdata/clip.dem").read_bytes()


def test_all_of_an_archive_as_the_error_says(tmp_path):
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("clip.dem", "dm13-15.dem"):
            archive.write(f"testdata/{name}", name)
    with pytest.raises(qdemo.Error) as raised:
        qdemo.open(path)
    named = re.search(r"qdemo\.scan\((\".*\")\)", str(raised.value)).group(1)
    assert len(qdemo.scan(json.loads(named), table="demos").rows()) == 2
