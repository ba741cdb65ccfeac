#!/bin/sh
# Run the Go benchmarks of two worktrees in turn, on this machine, into one stream:
#
#     sh interleave.sh -n 10 base head > results.txt
#     benchlib compare results.txt --col commit --baseline base
#
# Each round runs every package once on either side, and the side that goes first takes turns: what the
# machine does meanwhile, it does to both. The lines "commit: base" and "commit: head" are configuration
# in Go's benchmark format, so the file itself tells the sides apart and the order they were recorded in.
set -eu

usage() {
    echo "usage: sh interleave.sh [-n ROUNDS] [-s LIMIT] [-b BENCHMARKS] [-t BENCHTIME] [-p PACKAGES] BASE HEAD" >&2
    echo "  -n  rounds, and so values a benchmark and side; default: 10" >&2
    echo "  -s  stop as soon as benchlib has decided on changes beyond LIMIT, such as 5%" >&2
    echo "  -b  a regular expression, as for go test -bench; default: ." >&2
    echo "  -t  time of one value, as for go test -benchtime; default: 100ms" >&2
    echo "  -p  package patterns, apart by spaces; default: ./..." >&2
    exit 2
}

rounds=10 limit='' benchmarks=. benchtime=100ms packages=./...
while getopts n:s:b:t:p: option; do
    case "$option" in
    n) rounds=$OPTARG ;;
    s) limit=$OPTARG ;;
    b) benchmarks=$OPTARG ;;
    t) benchtime=$OPTARG ;;
    p) packages=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -eq 2 ] || usage
case "$rounds" in
'' | *[!0-9]*) usage ;;
esac
# With a folder before them no name is taken for an option, or looked up in CDPATH.
case "$1" in /*) base=$1 ;; *) base=./$1 ;; esac
case "$2" in /*) head=$2 ;; *) head=./$2 ;; esac
for tree in "$base" "$head"; do
    [ -d "$tree" ] || {
        echo "interleave: $tree is no folder; name two worktrees" >&2
        exit 2
    }
    # Go builds nothing there, and says so once a package.
    (cd "$tree" && [ "$(printf %s "$PWD" | wc -l)" -eq 0 ]) || {
        echo "interleave: a folder has a line end in its name, where go builds nothing; name another" >&2
        exit 2
    }
done

binaries=$(mktemp -d)
trap 'rm -rf "$binaries"' EXIT
trap 'exit 130' INT TERM

# What a benchmark that panics printed last has no line end: what follows must not become a part of it.
say_side() {
    printf '\ncommit: %s\n' "$1"
}

# Say in the file, as the go command does, that results of a package are missing.
say_failed() {
    printf '\nFAIL\t%s\t%s\n' "$1" "$2"
}

# Build every package that has tests, once a side: a list of "path<TAB>binary<TAB>folder".
build() {
    side=$1 tree=$2 number=0
    mkdir "$binaries/$side"
    # Patterns are words of their own.
    # shellcheck disable=SC2086
    (cd "$tree" && go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' $packages) \
        > "$binaries/$side.packages" || {
        echo "interleave: $side: go list failed; no package of it is measured" >&2
        echo unknown > "$binaries/$side.unlisted"
    }
    : > "$binaries/$side.list"
    while read -r path folder; do
        [ -n "$path" ] || continue
        number=$((number + 1))
        binary="$binaries/$side/$number.test"
        if (cd "$tree" && go test -c -o "$binary" "$path") < /dev/null >&2 && [ -x "$binary" ]; then
            printf '%s\t%s\t%s\n' "$path" "$binary" "$folder" >> "$binaries/$side.list"
        else
            echo "interleave: $side: $path cannot be built; left out" >&2
            say_side "$side"
            say_failed "$path" '[build failed]'
        fi
    done < "$binaries/$side.packages"
    [ -s "$binaries/$side.list" ] || echo "interleave: $side: no package with tests was built" >&2
}

# Whether a side has packages to measure, and none of them could be built.
broken() {
    [ ! -s "$binaries/$1.list" ] && { [ -s "$binaries/$1.packages" ] || [ -e "$binaries/$1.unlisted" ]; }
}

# Run one package of one side once; a side that lacks the package is silent. (sh has no local variables: names
# here are not those of the loop that calls.)
measure() {
    side=$1 wanted=$2
    while IFS='	' read -r found binary folder; do
        [ "$found" = "$wanted" ] || continue
        say_side "$side"
        (cd "$folder" && "$binary" -test.run='^$' -test.bench="$benchmarks" -test.benchmem \
            -test.benchtime="$benchtime" -test.count=1) < /dev/null || {
            echo "interleave: $side: $found failed in round $round" >&2
            say_failed "$found" 0s
        }
    done < "$binaries/$side.list"
}

build base "$base"
build head "$head"
# A base that has nothing to measure leaves nothing to compare with, which is no fault of the head.
if broken head; then
    exit 1
fi
cut -f 1 "$binaries/base.list" "$binaries/head.list" | sort -u > "$binaries/paths"

# Run every package once on either side.
measure_round() {
    while read -r path; do
        if [ $((round % 2)) -eq 1 ]; then
            measure base "$path"
            measure head "$path"
        else
            measure head "$path"
            measure base "$path"
        fi
    done < "$binaries/paths"
}

# Whether benchlib has decided, or never will: it ends with 8 where it asks for more rounds, and with 0 where it does not.
decided() {
    answer=0
    benchlib compare "$binaries/recorded.txt" --sequential --min-effect "$limit" > "$binaries/answer" 2>&1 || answer=$?
    case "$answer" in
    0) sed -n '2,3s/^/interleave: /p' "$binaries/answer" >&2 ;;
    8) return 1 ;;
    *)
        echo "interleave: benchlib cannot say whether to stop (exit code $answer); going on" >&2
        return 1
        ;;
    esac
}

round=1
while [ "$round" -le "$rounds" ]; do
    echo "interleave: round $round of $rounds" >&2
    if [ -z "$limit" ]; then
        measure_round
    else
        measure_round | tee -a "$binaries/recorded.txt"
        if decided; then
            echo "interleave: stopped after round $round of $rounds" >&2
            break
        fi
    fi
    round=$((round + 1))
done
