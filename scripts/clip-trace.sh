#!/usr/bin/env bash
# A second opinion on clips: ioquake3 plays a demo and a clip cut from it, and what it prints of every field must be the
# same in both, from the first block on that the clip has unchanged.
#
#   QDEMO_PLAY=PROGRAM scripts/clip-trace.sh DEMO FROM TO
#
# QDEMO_PLAY plays a demo: see scripts/engine-trace.sh. FROM and TO are places as `qdemo cut` takes them.
#
# Status: 0 the same, or skipped as nothing can be played; 1 something differs or does not play; 2 usage.
set -euo pipefail

[ $# -eq 3 ] || { sed -n '2,5p' "$0" >&2; exit 2; }
if [ -z "${QDEMO_PLAY:-}" ]; then
    echo "skipped: QDEMO_PLAY is not set, so that there is no engine to play demos"
    exit 0
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
qdemo=${QDEMO:-$root/target/release/qdemo}
limit=${QDEMO_PLAY_LIMIT:-600}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clip=$work/clip.${1##*.}

"$qdemo" cut "$1" --from "$2" --to "$3" -o "$clip" --json >"$work/account"
number() { # number KEY: the number behind the last such key in the account
    grep -oE "\"$1\":[0-9]+" "$work/account" | tail -n 1 | grep -oE '[0-9]+$'
}
first=$(grep -oE '"first":\{"block":[0-9]+' "$work/account" | grep -oE '[0-9]+$')
kept=$(number blocks_kept) changed=$(number blocks_changed) made=$(number blocks_made)

for which in "$1" "$clip"; do
    "$QDEMO_PLAY" "$which" --trace="$work/trace" --limit "$limit" >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
    mv "$work/trace" "$work/trace-$([ "$which" = "$clip" ] && echo clip || echo whole)"
done

# messages FROM COUNT TRACE: what the engine prints of so many messages, without what depends on when it was played, and
# without what stood before in the memory that an entity is read into (`#115`: its number is on the line before).
messages() {
    awk -v from="$1" -v count="$2" '/^------------------$/ { n++ } n > from && n <= from + count' "$3" |
        grep -aE '^ *[0-9]+:|^   snapshot:|^-{18}$' | sed 's/  ping:.*//; s/^\( *[0-9]*: \)#[0-9]* */\1/'
}
# The blocks that were based anew are the first ones.
messages $((first + changed)) "$kept" "$work/trace-whole" >"$work/whole"
messages $((made + changed)) "$kept" "$work/trace-clip" >"$work/ours"
lines=$(wc -l <"$work/whole")
if [ "$lines" -gt 0 ] && cmp -s "$work/whole" "$work/ours"; then
    echo "the same: $kept messages, $lines lines; $changed messages were based anew"
else
    diff "$work/whole" "$work/ours" | head -n 10
    exit 1
fi
