#!/usr/bin/env python3
"""How quick `qdemo find` is in a large catalogue.

    scripts/catalogue-bench.py CATALOGUE [--demos 100000] [--qdemo target/release/qdemo] [--keep FILE]

CATALOGUE is one that `qdemo index` made of real recordings. Its rows are copied until there are as many demos: each copy has
names, days, paths and hashes of its own, texts and numbers as they are. Every query is then run five times by the command, and the
median of the whole run of the program is told, with how many were found.
"""

import argparse
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUERIES = [
    ["--count"],
    ["--limit", "20"],
    ["player:sarge", "--count"],
    ["player:sarge_7", "weapon:rocket", "frags>10", "--json"],
    ["player:sarge", "map:dm3", "weapon:rocket", "after:2024-01", 'chat:"good game"', "frags>20", "--json"],
    ["map:dm3", "--limit", "20"],
    ["map:dm3", "--count"],
    ["game:quake3", "length>10m", "--limit", "20"],
    ['chat:"good game"', "--limit", "20"],
    ['chat:"gg"', "--count"],
    ["weapon:rocket", "--limit", "20"],
    ["weapon:rocket", "victim:xaero", "--limit", "20"],
    ["frags>100", "--count"],
    ["after:2025-06", "before:2025-07", "--json", "--limit", "50"],
    ["on:2025-06", "players>=4", "--count"],
    ["copies>1", "--count"],
    ["is:error", "--limit", "20"],
    ["highlight:midair", "--limit", "20"],
    ["quad", "--limit", "20"],
    ["(map:dm3 OR map:dm2) -player:sarge", "--limit", "20"],
    ["server:quake", "--limit", "20"],
    ["size<1MB", "--count"],
]
# Names, by which copies differ.
NAMES = {"players": ["name"], "frags": ["attacker", "victim"], "chat": ["speaker"], "highlights": ["name"], "runs": ["name"]}


def columns(db, table):
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def multiply(path, demos):
    """Copies the rows of a catalogue."""
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = -400000")
    db.create_function("renamed", 2, lambda name, k: name and (f"{name}_{k % 97}" if k % 3 else name))
    real = db.execute("SELECT max(id) FROM demos").fetchone()[0]
    files = db.execute("SELECT max(id) FROM files").fetchone()[0]
    there = db.execute("SELECT count(*) FROM demos").fetchone()[0]
    for k in range(1, demos // there):
        step, steps = k * real, k * files
        db.execute("BEGIN")

        def copy(table, values):
            names = columns(db, table)
            chosen = ", ".join(values.get(name, f'"{name}"') for name in names)
            db.execute(f"INSERT INTO {table} SELECT {chosen} FROM {table} WHERE {values['where']}")

        copy("files", {"id": f"id + {steps}", "path": f"path || '/{k}'", "where": f"id <= {files}"})
        copy("demos", {
            "id": f"id + {step}",
            "file_id": f"file_id + {steps}",
            "file": f"file || '/{k}'",
            "sha256": f"substr(sha256, 1, 56) || printf('%08x', {k // 2})",
            "date": f"datetime(date, '-{k % 4000} days')",
            "where": f"id <= {real}",
        })
        copy("info", {"demo": f"demo + {step}", "where": f"demo <= {real}"})
        for table in ("levels", "matches", "players", "frags", "chat", "highlights", "runs"):
            renamed = {name: f"renamed({name}, {k})" for name in NAMES.get(table, [])}
            copy(table, {"id": f"id + {step << 24}", "demo": f"demo + {step}", "where": f"demo <= {real}", **renamed})
        db.execute(
            f"INSERT OR IGNORE INTO words (kind, word, folded) SELECT kind, renamed(word, {k}), lower(renamed(word, {k})) "
            f"FROM words WHERE kind = 'name' AND id <= (SELECT max(word) FROM found_in WHERE demo <= {real})"
        )
        db.execute(
            "INSERT OR IGNORE INTO found_in SELECT n.id, f.demo + ? FROM found_in f JOIN words w ON w.id = f.word JOIN words n "
            "ON n.kind = w.kind AND n.word = CASE w.kind WHEN 'name' THEN renamed(w.word, ?) ELSE w.word END WHERE f.demo <= ?",
            (step, k, real),
        )
        db.execute("COMMIT")
    db.executescript("PRAGMA analysis_limit = 1000; ANALYZE; PRAGMA journal_mode = wal")
    return db.execute("SELECT count(*) FROM demos").fetchone()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalogue", type=pathlib.Path)
    parser.add_argument("--demos", type=int, default=100_000)
    parser.add_argument("--qdemo", default=ROOT / "target/release/qdemo", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="where the large catalogue is to stay; one that is there is taken as it is")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        large = args.keep or pathlib.Path(place) / "large.sqlite"
        if not large.exists():
            with sqlite3.connect(args.catalogue) as small, sqlite3.connect(large) as db:
                small.backup(db)
            begun = time.time()
            print(f"{multiply(large, args.demos)} demos in {time.time() - begun:.0f} s, {large.stat().st_size / 1e6:.0f} MB")
        worst = 0
        for query in QUERIES:
            times = []
            for _ in range(5):
                begun = time.perf_counter()
                done = subprocess.run([args.qdemo, "find", "--db", large, *query], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                times.append((time.perf_counter() - begun) * 1000)
                if done.returncode not in (0, 1):
                    sys.exit(done.stderr.decode())
            took = statistics.median(times)
            worst = max(worst, took)
            lines = done.stdout.decode().splitlines()
            found = lines[0] if "--count" in query else f"{len(lines)} lines"
            print(f"{took:7.1f} ms  {' '.join(query)}: {found}", flush=True)
        print(f"{worst:7.1f} ms at most")


if __name__ == "__main__":
    main()
