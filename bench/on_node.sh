#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How fast on this node: every problem of docs/performance.md against all rivals that are built in,
# each several times, and the tables and the plot of it. Takes about an hour on two cores; leave the
# machine alone meanwhile.
#
#   bench/on_node.sh PROGRAM FOLDER [problems|targets|reals]
#
# PROGRAM is the command line built with Open MPI (build/release/apps/kallima/kallima); FOLDER keeps
# the JSON of every run and FFTW's wisdom, and gets report.md and report.svg. `problems` runs only
# the five problems that all rivals are listed for, `targets` the other ones of complex data, `reals`
# those of real data. RANKS (2), REPEATS (3), RUNS (15), MPIRUN (mpirun), NAMES (all; a regular
# expression of problems' names) and RIVALS (of the five problems) can be set.
set -euo pipefail
program=$1
folder=$2
what=${3:-all}
here=$(cd "$(dirname "$0")" && pwd)
RANKS=${RANKS:-2}
REPEATS=${REPEATS:-3}
RUNS=${RUNS:-15}
MPIRUN=${MPIRUN:-mpirun --bind-to core}
NAMES=${NAMES:-.}
mkdir -p "$folder"

# once NAME REPEAT RANKS RUNS PROBLEM [ARGUMENT...]
once() {
  local name=$1 repeat=$2 ranks=$3 runs=$4
  shift 4
  local file="$folder/$name.$repeat.json"
  [[ -s $file || ! $name =~ $NAMES ]] && return
  echo "$name, $repeat of $REPEATS" >&2
  local more=()
  [[ $ranks -gt $(nproc) ]] && more=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
  [[ $ranks -eq 1 ]] && more=(--bind-to none)
  # FFTW's wisdom is of use only to the same parts of FFTW: a file for every list of rivals.
  local rivals=none word
  for word in "$@"; do [[ $word == *fftw-mpi* ]] && rivals=$word; done
  # shellcheck disable=SC2086 # words of MPIRUN are words
  $MPIRUN "${more[@]}" -n "$ranks" "$program" bench "$@" -i "$runs" --wisdom "$folder/wisdom.$rivals" \
    --json >"$file.part"
  mv "$file.part" "$file"
}

# bench NAME RANKS RUNS RIVALS PROBLEM [ARGUMENT...]
bench() {
  local name=$1 ranks=$2 runs=$3 rivals=$4 repeat
  shift 4
  for ((repeat = 1; repeat <= REPEATS; ++repeat)); do
    once "$name" "$repeat" "$ranks" "$runs" "$@" --against "$rivals"
  done
}

# threads NAME RUNS PROBLEM: one rank with threads, and as many ranks, in turns.
threads() {
  local repeat
  for ((repeat = 1; repeat <= REPEATS; ++repeat)); do
    once "$1_ranks" "$repeat" "$RANKS" "$2" "$3" --engine-effort measure
    once "$1_threads" "$repeat" 1 "$2" "$3" --engine-effort measure --threads "$RANKS"
  done
}

# reals NAME RUNS PROBLEM: real data, and complex data of the same shape, in turns.
reals() {
  local repeat
  for ((repeat = 1; repeat <= REPEATS; ++repeat)); do
    once "r2c_$1_real" "$repeat" "$RANKS" "$2" "r2c:$3" --engine-effort measure
    once "c2c_$1_complex" "$repeat" "$RANKS" "$2" "c2c:$3" --engine-effort measure
  done
}

all=${RIVALS:-fftw-mpi,fftw-threads,spfft,bare,copy}
few=fftw-mpi,bare,copy
known=$("$program" bench --help | sed -n 's/^LIST: some of //p')
cubes=$all  # those of three axes only, where the program has them
for rival in heffte 2decomp; do
  [[ ,${known//[[:space:]]/}, == *,$rival,* ]] && cubes+=,$rival
done
if [[ $what == all || $what == problems ]]; then
  for n in 64 128 256; do bench "c2c_$n" "$RANKS" "$RUNS" "$cubes" "c2c:$n^3"; done
  for e in 20 22; do bench "c2c_2^$e" "$RANKS" "$RUNS" $all "c2c:2^$e"; done
fi
if [[ $what == all || $what == reals ]]; then
  for n in 128 256; do bench "r2c_$n" "$RANKS" "$RUNS" $few "r2c:$n^3"; done
  reals 256 "$RUNS" "256^3"
  reals 2^24 "$RUNS" "2^24"
fi
if [[ $what == all || $what == targets ]]; then
  for n in 32 48; do bench "c2c_$n" "$RANKS" "$((10 * RUNS))" $few "c2c:$n^3"; done
  bench c2c_512 "$RANKS" 5 $few "c2c:512^3"
  bench c2c_256_f32 "$RANKS" "$RUNS" $few "c2c:256^3:f32"
  bench c2c_256_alone 1 "$RUNS" fftw-threads,copy "c2c:256^3"
  for n in 128 256; do bench "c2c_${n}_same" "$RANKS" "$RUNS" $few "c2c:$n^3" --in slab --out same; done
  bench c2c_512_same "$RANKS" 5 $few "c2c:512^3" --in slab --out same
  bench c2c_2^24 "$RANKS" "$RUNS" $few,fftw-threads "c2c:2^24"
  for e in 22 24; do
    bench "c2c_2^${e}_block" "$RANKS" "$RUNS" $few "c2c:2^$e" --in "x:block/$RANKS" --out same
  done
  bench c2c_125 "$RANKS" "$RUNS" $few "c2c:125^3"
  bench c2c_243x250x256 "$RANKS" "$RUNS" $few "c2c:243x250x256"
  bench c2c_257 "$RANKS" "$RUNS" $few "c2c:257^3"
  bench c2c_128_crowded "$((2 * RANKS))" "$RUNS" $few "c2c:128^3"
  threads c2c_128 "$RUNS" "c2c:128^3"
  threads c2c_256 "$RUNS" "c2c:256^3"
  threads c2c_2^22 "$RUNS" "c2c:2^22"
  KALLIMA_SHARED=off bench c2c_256_messages "$RANKS" "$RUNS" $few "c2c:256^3"
fi
python3 "$here/report.py" "$folder" >"$folder/report.md"
cat "$folder/report.md"
