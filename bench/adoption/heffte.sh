#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/adoption/bricks.cpp with heFFTe and with Kallima, in turns: the same frequencies, and how long both take.
#
#     bench/adoption/heffte.sh BRICKS_OF_KALLIMA BRICKS_OF_HEFFTE [RANKS [LAUNCHES [SIZE...]]]
#
# The first is built as kallima_bricks. The second is the same source compiled against an installed heFFTe with its
# FFTW backend: mpicxx -std=c++14 -O3 -IHEFFTE/include bench/adoption/bricks.cpp -LHEFFTE/lib -lheffte.
set -euo pipefail
if [[ $# -lt 2 ]]; then
  sed -n '4,9s/^# \{0,1\}//p' "$0"
  exit 2
fi
ours=$1
theirs=$2
ranks=${3:-2}
launches=${4:-3}
shift $(($# < 4 ? $# : 4))
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for ((i = 0; i < launches; ++i)); do
  for side in ours theirs; do
    ${MPIRUN:-mpirun} -n "$ranks" "${!side}" 11 "$@" >>"$scratch/$side"
  done
done
python3 - "$scratch" "$ranks" <<'PYTHON'
import sys
from statistics import median

folder, ranks = sys.argv[1:]
sides = {}
for side in ("ours", "theirs"):
    sides[side] = {}
    with open(f"{folder}/{side}", encoding="utf-8") as file:
        for line in file:
            name, seconds, planning, total = line.split()
            sides[side].setdefault(name, []).append((float(seconds), float(planning), float(total)))
print(f"{ranks} ranks         Kallima     heFFTe    ratio   of launches      planning: Kallima    heFFTe   same result")
failed = 0
for name, ours in sides["ours"].items():
    theirs = sides["theirs"][name]
    ratios = sorted(a[0] / b[0] for a, b in zip(ours, theirs))
    same = abs(ours[0][2] - theirs[0][2]) <= 1e-9 * max(abs(ours[0][2]), 1.0)
    failed += not same
    mine, other = (median(s[0] for s in side) for side in (ours, theirs))
    print(f"{name:12} {1e3 * mine:9.2f} ms {1e3 * other:7.2f} ms {mine / other:7.2f}   {ratios[0]:.2f} to {ratios[-1]:.2f}"
          f"   {median(s[1] for s in ours):12.3f} s {median(s[1] for s in theirs):8.3f} s   {'yes' if same else 'NO'}")
sys.exit(failed != 0)
PYTHON
