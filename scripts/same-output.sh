#!/usr/bin/env bash
# Does a change of the command leave what it writes as it was?
#
#   scripts/same-output.sh REF NEW FILE-OR-FOLDER...
#
# REF and NEW are two builds of qdemo. For every recording that is named, or lies in a folder that is named, the output of
# every verb below is hashed: that of REF, and that of NEW with one thread (-j1) and with two (-j2). What is written to
# standard error and the exit status are hashed with it. Every difference is named; the exit status is 1 when there is one.
# QDEMO_VERBS may name some of the verbs: QDEMO_VERBS='decompile compile' scripts/same-output.sh ...
set -uo pipefail
if [ $# -lt 3 ]; then
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    exit 2
fi
ref=$(realpath "$1") new=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

verbs=${QDEMO_VERBS:-text json lmpc compile compile-json compile-lmpc verify info quick events events-csv texts frags-csv chat \
    scores runs stats stats-text timeline players highlights highlights-csv check positions entities text-events}

# Runs a verb on a recording. Texts to compile were written by REF and lie in the folder of this run.
run() {
    local qdemo=$1 verb=$2 file=$3
    shift 3
    case $verb in
        text) "$qdemo" "$@" decompile "$file" ;;
        json) "$qdemo" "$@" decompile --json "$file" ;;
        lmpc) "$qdemo" "$@" decompile --style lmpc "$file" ;;
        compile) "$qdemo" "$@" compile "$work/text" ;;
        compile-json) "$qdemo" "$@" compile "$work/json" ;;
        compile-lmpc) "$qdemo" "$@" compile "$work/lmpc" ;;
        verify | info | events | stats | timeline | players | highlights | check | chat | scores | runs | texts)
            "$qdemo" "$@" "$verb" --json "$file"
            ;;
        quick) "$qdemo" "$@" info --quick --json "$file" ;;
        *-csv) "$qdemo" "$@" "${verb%-csv}" --csv "$file" ;;
        stats-text) "$qdemo" "$@" stats "$file" ;;
        text-events) "$qdemo" "$@" events "$file" ;;
        positions | entities) "$qdemo" "$@" export --table "$verb" "$file" ;;
        *)
            echo "no such verb: $verb" >&2
            exit 2
            ;;
    esac
}

# A hash of what a verb writes, and how it ends.
hash() {
    run "$@" 2>"$work/errors" | sha256sum
    # Not the state of the hashing program.
    echo "${PIPESTATUS[0]}"
    sha256sum <"$work/errors"
}

files=0 runs=0 different=0
while IFS= read -r -d '' file; do
    files=$((files + 1))
    for form in text json lmpc; do
        case " $verbs " in *" compile"*) run "$ref" "$form" "$file" -j1 >"$work/$form" 2>/dev/null ;; esac
    done
    for verb in $verbs; do
        was=$(hash "$ref" "$verb" "$file" -j1)
        for jobs in 1 2; do
            runs=$((runs + 1))
            if [ "$was" != "$(hash "$new" "$verb" "$file" "-j$jobs")" ]; then
                different=$((different + 1))
                echo "different: $verb -j$jobs $file"
            fi
        done
    done
done < <(find "$@" -type f \( -iname '*.dem' -o -iname '*.qwd' -o -iname '*.mvd' -o -iname '*.dm2' -o -iname '*.mvd2' \
    -o -iname '*.dm_*' -o -iname '*.qwz' -o -iname '*.gz' -o -iname '*.dz' \) -print0 | sort -z)
echo "$files recordings, $runs runs, $different different"
[ "$different" -eq 0 ] && [ "$files" -gt 0 ]
