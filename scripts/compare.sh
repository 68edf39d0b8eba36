#!/usr/bin/env bash
# How fast is qdemo beside other programs, on this machine, now?
#
#   scripts/compare.sh QDEMO [--lmpc LMPC] [--udt UDT_json] [--cores] RECORDING...
#
# QDEMO is an optimised build. LMPC is a built lmpc 3.4, UDT_json that tool of uberdemotools (built with -O3 -flto): what is
# not named is left out. Each command runs five times, in turn with the one it is compared with, on one core; the least
# time of a processor (user and system together) counts, so that other work on the machine matters little. A ratio of 2
# says that qdemo takes half the time.
#
# --cores compares qdemo with itself instead: time on the clock with one thread and with two. A machine that has other
# work shows less there than it would alone.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'; exit 2; }
qdemo=$(realpath "$1")
shift
lmpc='' udt='' cores='' files=()
while [ $# -gt 0 ]; do
    case $1 in
        --lmpc) lmpc=$(realpath "$2"); shift 2 ;;
        --udt) udt=$(realpath "$2"); shift 2 ;;
        --cores) cores=yes; shift ;;
        *) files+=("$(realpath "$1")"); shift ;;
    esac
done
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
least=1000000

# Milliseconds that a command takes: of a processor, or with --cores on the clock.
measure() {
    local TIMEFORMAT='%U %S %R'
    { time "$@" >/dev/null 2>&1 || true; } 2>"$work/time"
    if [ -n "$cores" ]; then awk '{ print int($3 * 1000) }' "$work/time"; else awk '{ print int(($1 + $2) * 1000) }' "$work/time"; fi
}

# Two commands, each a name of a function: the least times of five, and their ratio.
compare() {
    local what=$1 ours=$2 theirs=$3 a=$least b=$least t
    for _ in 1 2 3 4 5; do
        t=$(measure "$ours"); [ "$t" -ge "$a" ] || a=$t
        t=$(measure "$theirs"); [ "$t" -ge "$b" ] || b=$t
    done
    printf '%-44s %8d ms %8d ms %8s\n' "$what" "$a" "$b" "$(awk -v a="$a" -v b="$b" 'BEGIN { print a ? sprintf("%.1f", b / a) : "-" }')"
}

threads=1
decompile() { "$qdemo" -q "-j$threads" decompile "$file" -o "$work/ours.txt"; }
lmpc_style() { "$qdemo" -q -j1 decompile --style lmpc "$file" -o "$work/ours.lmpc"; }
compile() { "$qdemo" -q "-j$threads" compile "$work/text" -o "$work/ours.demo"; }
verify() { "$qdemo" -q "-j$threads" verify "$file"; }
events() { "$qdemo" -q "-j$threads" events --json "$file"; }
alone() { threads=1; "$verb"; }
both() { threads=2; "$verb"; }
their_text() { "$lmpc" ${game:+-g "$game"} -s "$file" "$work/theirs.txt"; }
their_demo() { "$lmpc" ${game:+-g "$game"} -l "$work/theirs.txt" "$work/theirs.demo"; }
our_demo() { "$qdemo" -q -j1 compile "$work/theirs.txt" -o "$work/ours.demo"; }
udt_stats() { "$udt" "$file" -t=1 -a=gcds "-o=$work"; }
our_stats() { "$qdemo" -q -j1 stats --json "$file"; }

for file in "${files[@]}"; do
    name=$(basename "$file") game=''
    case $name in
        *.dm_*) game=QUAKE3 ;;
        *.dm2) game=QUAKE2 ;;
        *.qwd) game=QUAKEWORLD ;;
        *.dem) game=QUAKE ;;
    esac
    echo "$name"
    if [ -n "$cores" ]; then
        "$qdemo" -q decompile "$file" -o "$work/text"
        for verb in decompile compile verify events; do
            compare "  $verb: two threads, one" both alone
        done
        continue
    fi
    if [ -n "$lmpc" ]; then
        compare '  decompile: qdemo, LMPC' decompile their_text
        compare '  decompile --style lmpc: qdemo, LMPC' lmpc_style their_text
        compare "  compile LMPC's text: qdemo, LMPC" our_demo their_demo
    fi
    if [ -n "$udt" ] && [ "$game" = QUAKE3 ]; then
        compare '  events: qdemo, UDT game, chat, deaths, stats' events udt_stats
        compare '  stats: qdemo, UDT game, chat, deaths, stats' our_stats udt_stats
    fi
done
