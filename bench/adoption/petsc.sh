#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# PETSc's MATFFTW with FFTW's own library and with libkallima_fftw3_mpi loaded before it: bench/adoption/petsc_fft.c, and
# PETSc's own tests of FFTW. Programs are the same in both; what they print must be.
#
#     bench/adoption/petsc.sh LIBKALLIMA_FFTW3_MPI [PETSC_DIR...]
#
# PETSC_DIR: folders with lib/pkgconfig/PETSc.pc; Debian's of libpetsc-real-dev and libpetsc-complex-dev by default.
# PETSC_EXAMPLES: its examples/src; those of Debian's libpetsc3.18-dev-examples by default. MPICC, MPIRUN: as its MPI's.
set -euo pipefail
if [[ $# -lt 1 ]]; then
  sed -n '4,11s/^# \{0,1\}//p' "$0"
  exit 2
fi
library=$(realpath "$1")
shift
if [[ $# -eq 0 ]]; then
  set -- /usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-{real,complex}
fi
examples=${PETSC_EXAMPLES:-/usr/share/petsc/3.18/share/petsc/examples/src}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# launch RANKS PROGRAM ARGUMENT...; with our library where LIBRARY is set.
launch() {
  local ranks=$1
  shift
  ${MPIRUN:-mpirun} ${LIBRARY:+-x LD_PRELOAD="$LIBRARY"} -x KALLIMA_VERBOSE=1 -n "$ranks" "$@"
}

compiled() {
  PKG_CONFIG_PATH=$1/lib/pkgconfig
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046 # words are wanted
  "${MPICC:-mpicc}" -O2 "$2" -o "$3" $(pkg-config --cflags --libs PETSc) -lm >"$scratch/log" 2>&1
}

for folder in "$@"; do
  kind=$(basename "$folder")
  echo "== $kind: $(PKG_CONFIG_PATH=$folder/lib/pkgconfig pkg-config --modversion PETSc)"
  compiled "$folder" "$here/petsc_fft.c" "$scratch/petsc_fft"
  printf '%-12s %5s %12s %12s %7s   %s\n' shape ranks FFTW Kallima ratio 'frequencies; there and back'
  for ranks in 1 2 3; do
    for round in 1 2 3; do
      LIBRARY='' launch "$ranks" "$scratch/petsc_fft" 20 >"$scratch/theirs$round"
      LIBRARY=$library launch "$ranks" "$scratch/petsc_fft" 20 >"$scratch/ours$round"
    done
    python3 - "$scratch" "$ranks" <<'PYTHON' || failed=1
import sys
from statistics import median

def read(side):
    found = {}
    for round in "123":
        with open(f"{sys.argv[1]}/{side}{round}", encoding="utf-8") as file:
            for line in file:
                shape, total, error, seconds = line.split()
                found.setdefault(shape, []).append((float(total), float(error), float(seconds)))
    return found

ours, theirs = read("ours"), read("theirs")
bad = ours.keys() != theirs.keys()
for shape in ours:
    same = abs(ours[shape][0][0] - theirs[shape][0][0]) <= 1e-9 * abs(theirs[shape][0][0])
    bad |= not same
    mine, other = (median(run[2] for run in runs) for runs in (ours[shape], theirs[shape]))
    print(f"{shape:12} {sys.argv[2]:>5} {1e3 * other:9.3f} ms {1e3 * mine:9.3f} ms {mine / other:7.2f}   "
          f"{'same' if same else 'DIFFER'}; {ours[shape][0][1]:.0e}")
sys.exit(bad)
PYTHON
  done
  for number in 112 121 143 148 149 150 153 155 157 158 228; do
    source=$examples/mat/tests/ex$number.c
    [[ -e $source ]] || continue
    if ! compiled "$folder" "$source" "$scratch/ex$number"; then
      echo "ex$number: does not compile for $kind"
      continue
    fi
    for ranks in 1 2 3; do
      status=0 their_status=0
      (cd "$scratch" && LIBRARY='' launch "$ranks" "$scratch/ex$number") >"$scratch/theirs" 2>/dev/null || their_status=$?
      (cd "$scratch" && LIBRARY=$library launch "$ranks" "$scratch/ex$number") >"$scratch/ours" 2>"$scratch/words" || status=$?
      verdict=same
      # Ranks print in any order, and differences that are rounding have no digits in common.
      for side in theirs ours; do
        sed -E 's/[0-9.]+e-(0[89]|1[0-9])/tiny/g' "$scratch/$side" | sort >"$scratch/$side.sorted"
      done
      if [[ $status -ne $their_status ]] || ! cmp -s "$scratch/theirs.sorted" "$scratch/ours.sorted"; then
        verdict="DIFFERS, status $status and $their_status: $(diff "$scratch/theirs.sorted" "$scratch/ours.sorted" | head -n 4 | tr '\n' ' ' || true)"
        failed=1
      elif [[ $status -ne 0 ]]; then
        verdict="not for this kind or number of ranks: status $status in both"
      fi
      echo "ex$number on $ranks: $verdict$(grep -q "^kallima: .*goes to FFTW" "$scratch/words" && echo ", some of it by FFTW's own library")"
    done
  done
done
exit $failed
