"""Recordings: opened, asked, written, edited."""

import gzip
import hashlib
import json
import os
import pathlib
import warnings
from concurrent.futures import ThreadPoolExecutor

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
    with pytest.raises(FileExistsError, match="overwrite"):
        demo.save(path)
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
    with pytest.raises(OSError, match="circle"):
        demo.save(circle)
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
