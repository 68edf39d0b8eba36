#!/usr/bin/env bash
# Has something become slower? Counts the instructions that verbs take on recordings in testdata, which are the same from
# run to run where times are not, and compares them with those in benches/instructions.tsv.
#
#   scripts/instructions.sh QDEMO            exit status 1 where a count is more than 3 % higher
#   scripts/instructions.sh QDEMO --keep     writes the counts down as those to compare with
#
# QDEMO is a build with `cargo build --release`. Counts are those of one version of Rust: with another one this says so and
# compares nothing. It needs valgrind.
set -euo pipefail
if [ $# -lt 1 ]; then
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    exit 2
fi
qdemo=$(realpath "$1")
cd "$(dirname "$0")/.."
kept=benches/instructions.tsv
rust=$(rustc --version)
if ! command -v valgrind >/dev/null; then
    echo "not compared: there is no valgrind here"
    exit 0
fi
if [ "${2:-}" != --keep ] && ! grep -qxF "# $rust" "$kept"; then
    echo "not compared: $kept was counted with $(sed -n 's/^# \(rustc .*\)$/\1/p' "$kept"), this is $rust"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Instructions of a command.
count() {
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/^==[0-9]*== I *refs: *//p' | tr -d ,
}

measure() {
    local file verb
    for file in e0m1-666.dem ez-dm.qwd ez-dm.mvd q2-demo1.dm2 q2pro-dm.mvd2 oa-dm4.dm_71; do
        local demo=testdata/$file
        "$qdemo" -q -j1 decompile "$demo" -o "$work/text"
        "$qdemo" -q -j1 decompile --json "$demo" -o "$work/json"
        for verb in decompile 'decompile --style=lmpc' 'decompile --json' verify info 'events --json' timeline highlights check; do
            printf '%s\t%s\t%s\n' "$verb" "$file" "$(count "$qdemo" -q -j1 $verb "$demo")"
        done
        printf 'compile\t%s\t%s\n' "$file" "$(count "$qdemo" -q -j1 compile "$work/text" -o "$work/demo")"
        printf 'compile json\t%s\t%s\n' "$file" "$(count "$qdemo" -q -j1 compile "$work/json" -o "$work/demo")"
    done
}

if [ "${2:-}" = --keep ]; then
    {
        echo "# Instructions, as scripts/instructions.sh counts them."
        echo "# $rust"
        measure
    } >"$work/kept"
    mv "$work/kept" "$kept"
    exit 0
fi
measure >"$work/now"
awk -F '\t' '
    /^#/ { next }
    NR == FNR { was[$1 FS $2] = $3; next }
    {
        before = was[$1 FS $2]
        if (before == "") { printf "%s %s is not in the list\n", $1, $2; bad = 1; next }
        percent = 100 * ($3 - before) / before
        if (percent > 3) { printf "slower: %s %s takes %d instructions, %+.1f %%\n", $1, $2, $3, percent; bad = 1 }
        if (percent < -3) { printf "faster: %s %s takes %d instructions, %+.1f %%: keep that with --keep\n", $1, $2, $3, percent }
        compared++
    }
    END { printf "%d counts compared\n", compared; exit bad }
' "$kept" "$work/now"
