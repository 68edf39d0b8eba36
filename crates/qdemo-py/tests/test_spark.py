"""The data source of Spark, with two workers of its own."""

import os
import pathlib
import shutil
import sys

import pyarrow
import pytest

import qdemo

pytest.importorskip("pyspark")
if not shutil.which("java"):
    pytest.skip("no Java", allow_module_level=True)

TESTDATA = str(pathlib.Path(__file__).resolve().parents[3] / "testdata")


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    from qdemo.spark import QdemoDataSource

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.python.filterPushdown.enabled", "true")
    # A machine may have other things to do.
    builder = builder.config("spark.network.timeout", "1200s").config("spark.rpc.askTimeout", "1200s")
    # What workers and the planner run: a Python that has this package.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.dataSource.register(QdemoDataSource)
    yield session
    session.stop()


def read(spark, table, path=TESTDATA, **options):
    reader = spark.read.format("qdemo").option("table", table)
    for name, value in options.items():
        reader = reader.option(name, value)
    return reader.load(path)


def key(row):
    return tuple((value is None, str(value)) for value in row.values())


def rows(frame):
    return sorted((row.asDict() for row in frame.collect()), key=key)


def test_a_job_on_two_workers(spark):
    frame = read(spark, "frags", partition_bytes=100_000)
    assert frame.rdd.getNumPartitions() > 2
    by_weapon = frame.where("error is null and frag_kind = 'kill'").groupBy("weapon").count()
    counted = {row["weapon"]: row["count"] for row in by_weapon.collect()}
    ours = [row["weapon"] for row in qdemo.scan(TESTDATA, table="frags", where={"frag_kind": "kill"})]
    assert counted == {weapon: ours.count(weapon) for weapon in ours}


def test_conditions_are_tested_where_it_is_read(spark):
    everything = rows(read(spark, "frags", errors="skip"))
    for condition, test in [
        ("weapon = 'shotgun'", lambda row: row["weapon"] == "shotgun"),
        ("demo_ms >= 5000 and demo_ms < 20000", lambda row: 5000 <= row["demo_ms"] < 20000),
        ("weapon in ('shotgun', null)", lambda row: row["weapon"] == "shotgun"),
        ("attacker is null", lambda row: row["attacker"] is None),
        (f"file = '{TESTDATA}/oa-dm4.dm_71'", lambda row: row["file"] == f"{TESTDATA}/oa-dm4.dm_71"),
        ("weapon in ('lava', 'shotgun') and attacker_x is not null", lambda row: row["weapon"] in ("lava", "shotgun") and row["attacker_x"] is not None),
    ]:
        frame = read(spark, "frags", errors="skip").where(condition)
        assert rows(frame) == [row for row in everything if test(row)], condition
        assert "shotgun" not in frame._jdf.queryExecution().executedPlan().toString() or "Filter" not in str(
            frame._jdf.queryExecution().executedPlan()
        )


def test_columns_that_are_not_asked_for_are_not_read(spark):
    schema = "victim string, demo_ms bigint"
    frame = spark.read.format("qdemo").schema(schema).option("table", "frags").option("errors", "skip").load(TESTDATA)
    ours = pyarrow.table(qdemo.scan(TESTDATA, table="frags", columns=["victim", "demo_ms"])).to_pylist()
    assert rows(frame) == sorted(ours, key=key)
    assert read(spark, "frags", columns="file, weapon").columns == ["file", "weapon"]


def test_files_that_cannot_be_read_are_rows(spark):
    frame = read(spark, "frames", f"{TESTDATA}/bad")
    told = {row["file"]: row["error"] for row in frame.where("error is not null").collect()}
    ours = qdemo.scan(f"{TESTDATA}/bad", table="frames")
    ours.rows()
    assert told == dict(ours.errors) and any("Half-Life" in error for error in told.values())
    assert read(spark, "frames", f"{TESTDATA}/bad", errors="skip").columns == frame.columns[:-1]
    with pytest.raises(Exception, match="Half-Life"):
        read(spark, "frames", f"{TESTDATA}/bad/half_life.dem", errors="raise").collect()
    demos = {row["file"]: row["error"] for row in read(spark, "demos", f"{TESTDATA}/bad").collect()}
    assert "Half-Life" in demos[f"{TESTDATA}/bad/half_life.dem"]


def test_files_that_cannot_be_read_pass_conditions_as_sql_has_it(spark):
    # What Spark tests itself, on rows that are there, is what is tested while reading.
    every = read(spark, "frags")
    every.cache().createOrReplaceTempView("every")
    errors = spark.sql("select * from every where error is not null").count()
    assert errors > 1
    for condition, passing in [
        ("weapon is null and error is not null", errors),
        ("weapon is not null and error is not null", 0),
        ("demo_ms < 5000 and error is not null", 0),
        ("weapon in ('shotgun', 'lava') and error is not null", 0),
        (f"file in ('{TESTDATA}/bad/half_life.dem', 'none') and weapon is null", 1),
        (f"file > '{TESTDATA}/bad/h' and file <= '{TESTDATA}/bad/half_life.dem' and error is not null", 1),
        ("attacker is null", None),
    ]:
        ours = rows(read(spark, "frags").where(condition))
        assert ours == rows(spark.sql(f"select * from every where {condition}")), condition
        assert passing is None or len(ours) == passing, condition
    every.unpersist()


def test_without_the_column_files_that_cannot_be_read_have_no_rows(spark):
    data = rows(read(spark, "frags", columns="weapon", errors="skip"))
    assert rows(read(spark, "frags", columns="weapon")) == data
    frame = spark.read.format("qdemo").schema("weapon string").option("table", "frags").load(TESTDATA)
    assert rows(frame) == data
    assert len(rows(read(spark, "frags", columns="weapon, error"))) > len(data)
    # The table demos is of files.
    assert len(rows(read(spark, "demos", f"{TESTDATA}/bad", columns="file"))) == len(
        qdemo.scan(f"{TESTDATA}/bad", table="demos").rows()
    )


def test_what_cannot_be_is_said(spark):
    def load(schema):
        return spark.read.format("qdemo").schema(schema).option("table", "frags").load(TESTDATA)

    with pytest.raises(Exception, match="schema: there is no column nonsense; there are file, "):
        load("file string, nonsense int").collect()
    for given in ("0", "-5", "many"):
        with pytest.raises(Exception, match=f"option partition_bytes={given}: "):
            read(spark, "frags", partition_bytes=given).collect()
    with pytest.raises(Exception, match="option warmup=yes: it is true or false"):
        read(spark, "stats", warmup="yes").collect()
    with pytest.raises(Exception, match="warmup .* frags has none"):
        read(spark, "frags", warmup="true").collect()
    with pytest.raises(Exception, match="every .* frags has none"):
        read(spark, "frags", every="1s").collect()
    with pytest.raises(Exception, match="it is one of demos"):
        read(spark, "nonsense").collect()
    with pytest.raises(Exception, match="there is no column nonsense"):
        read(spark, "frags", columns="nonsense").collect()


def test_files_of_any_name_are_read(spark, tmp_path):
    for name in (b"a\nb.dem", b"caf\xe9.dem"):
        shutil.copy(f"{TESTDATA}/clip.dem", os.path.join(os.fsencode(tmp_path), name))
    shutil.copy(f"{TESTDATA}/containers/aes-names.7z", tmp_path)
    errors = [row["error"] for row in read(spark, "demos", str(tmp_path)).collect()]
    assert len(errors) == 3 and errors.count(None) == 2 and any("AES" in (error or "") for error in errors)


def test_the_example_of_the_docstring(spark):
    import qdemo.spark

    lines = [line[4:] for line in qdemo.spark.__doc__.splitlines() if line.startswith("    ")]
    assert len(lines) > 2
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
    try:
        names = {"spark": spark}
        exec("\n".join(lines).replace("archive/", TESTDATA), names)
        assert names["frags"].count() > 0
    finally:
        spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
