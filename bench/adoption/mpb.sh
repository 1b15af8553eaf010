#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# MPB, Debian's mpb-mpi, with FFTW's own library and with libkallima_fftw3_mpi loaded before it: the bands of two
# photonic crystals (bench/adoption/bands.ctl), and how long they take.
#
#     bench/adoption/mpb.sh LIBKALLIMA_FFTW3_MPI [RANKS [N [LAUNCHES]]]
#
# MPB: the program, mpb-mpi by default. MPIRUN: of the MPI that it is linked with.
set -euo pipefail
if [[ $# -lt 1 ]]; then
  sed -n '4,9s/^# \{0,1\}//p' "$0"
  exit 2
fi
library=$(realpath "$1")
ranks=${2:-2}
size=${3:-32}
launches=${4:-3}
control=$(cd "$(dirname "$0")" && pwd)/bands.ctl
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
for ((i = 0; i < launches; ++i)); do
  for side in theirs ours; do
    preload=
    [[ $side == theirs ]] || preload="-x LD_PRELOAD=$library"
    start=$(date +%s.%N)
    # shellcheck disable=SC2086 # words are wanted
    ${MPIRUN:-mpirun} $preload -x KALLIMA_VERBOSE=1 -n "$ranks" "${MPB:-mpb-mpi}" n="$size" "$control" >"$side" 2>"$side.words" ||
      { cat "$side.words" >&2; exit 1; }
    echo "$(date +%s.%N) - $start" | bc >>"$side.seconds"
    grep -E 'freqs:' "$side" | grep -v 'k index' >"$side.bands"
  done
done
grep -h '^kallima:' ours.words | sort | uniq -c || true
python3 - "$ranks" <<'PYTHON'
import sys
from statistics import median

def read(side):
    bands = []
    with open(side + ".bands", encoding="utf-8") as file:
        for line in file:
            bands += [float(number) for number in line.split(",")[6:]]
    with open(side + ".seconds", encoding="utf-8") as file:
        return bands, [float(line) for line in file]

(ours, our_seconds), (theirs, their_seconds) = read("ours"), read("theirs")
assert ours and len(ours) == len(theirs), "bands are missing"
apart = max(abs(a - b) for a, b in zip(ours, theirs))
ratios = sorted(a / b for a, b in zip(our_seconds, their_seconds))
print(f"{sys.argv[1]} ranks: {len(ours)} band frequencies, at most {apart:.1e} apart; FFTW {median(their_seconds):.2f} s, "
      f"Kallima {median(our_seconds):.2f} s, ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
sys.exit(apart > 1e-6)
PYTHON
