#!/usr/bin/env bash
# A second opinion from a real engine: ioquake3 plays each demo, and what it prints of every field must be what qdemo
# reads; then the demo is decompiled and compiled, and the copy must play the same way.
#
#   QDEMO_PLAY=PROGRAM scripts/engine-trace.sh DEMO...
#
# QDEMO_PLAY plays a demo:   PROGRAM DEMO --trace=FILE --limit SECONDS
# It leaves the engine's output with `cl_shownet 3` in FILE. Status 0: it plays to its end; 1: it does not; 2: cannot
# run, as the engine is missing or does not know this kind of file.
# QDEMO_PLAY_LIMIT is the limit for one play in seconds (600).
#
# Status: 0 all is the same, or skipped as nothing can be played; 1 something differs or does not play; 2 usage.
set -euo pipefail

[ $# -gt 0 ] || { sed -n '2,5p' "$0" >&2; exit 2; }
if [ -z "${QDEMO_PLAY:-}" ]; then
    echo "skipped: QDEMO_PLAY is not set, so that there is no engine to play demos"
    exit 0
fi
command -v "$QDEMO_PLAY" >/dev/null || { echo "skipped: $QDEMO_PLAY is no program"; exit 0; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(cd "$root" && cargo build --quiet --release -p qdemo-cli && cargo build --quiet --release -p qdemo --example engine_trace)
bin=$(cd "$root" && mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)/release
limit=${QDEMO_PLAY_LIMIT:-600}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

play() { # play DEMO TRACE: its status, and its words in $work/said
    "$QDEMO_PLAY" "$1" --trace="$2" --limit "$limit" >"$work/said" 2>&1
}

# What depends on the demo alone: no paths, no times.
messages() {
    grep -aE '^ *[0-9]+:|^   snapshot:|^-{18}$' "$1" | sed 's/  ping:.*//'
}

# check DEMO: 0 the same, 1 different, 2 skipped
check() {
    local demo=$1 copy status=0
    copy=$work/copy.${demo##*.}
    rm -f "$work"/*
    play "$demo" "$work/trace" || status=$?
    if [ $status -eq 2 ]; then
        echo "  skipped: $(tail -n 1 "$work/said")"
        return 2
    elif [ $status -ne 0 ]; then
        echo "  the engine does not play it to its end:"
        sed 's/^/    /' "$work/said"
        [ -s "$work/trace" ] || return 1
    fi
    "$bin/examples/engine_trace" "$work/trace" "$demo" || status=1

    "$bin/qdemo" decompile "$demo" -o "$work/text" && "$bin/qdemo" compile "$work/text" -o "$copy" || { echo "  no copy"; return 1; }
    if cmp -s "$demo" "$copy"; then echo "  copy: the same bytes"; else echo "  copy: other bytes"; fi
    if play "$copy" "$work/copy-trace"; then echo "  copy: plays"; else
        echo "  copy: does not play"
        sed 's/^/    /' "$work/said"
        status=1
    fi
    if cmp <(messages "$work/trace") <(messages "$work/copy-trace"); then echo "  copy: the same trace"; else
        echo "  copy: another trace"
        status=1
    fi
    return $status
}

same=0 others=0 skipped=0
for demo; do
    echo "== ${demo##*/}"
    result=0
    check "$demo" || result=$?
    case $result in
        0) same=$((same + 1)) ;;
        2) skipped=$((skipped + 1)) ;;
        *) others=$((others + 1)) ;;
    esac
done
echo "$same the same, $others different or not played, $skipped skipped"
[ $others -eq 0 ]
