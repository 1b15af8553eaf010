#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How much of an exchange hides behind computing, on links that really limit: 2 and 4 hosts of the test
# bed (tests/netbed, needs root), one rank each, at five rates, so that the network takes a quarter to
# four times as long as computing; in one piece and in 2, 4, ..., 64 chunks, and against FFTW-MPI.
#
#     bench/hiding.sh [BUILD [RESULTS]]
#
# BUILD is a release build with Open MPI (default build/release); RESULTS takes machines, figures and
# plots (default build/bench/hiding). HOSTS ("2 4"), RATIOS ("0.25 0.5 1 2 4"), ROUNDS (9) and CALIBRATIONS
# (1, rounds of calibrating) choose; AGAINST= leaves FFTW-MPI out; BED are more words for the test bed
# ("--burst 1mb"). About 40 minutes; nothing else should run.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
results=${2:-build/bench/hiding}
rounds=${ROUNDS:-9}
against=${AGAINST-fftw-mpi}
kallima=$build/apps/kallima/kallima
measure=$build/bench/kallima_hiding
problems=(c2c:256^3 c2c:2^22)
mkdir -p "$results"
export OMP_NUM_THREADS=1

on_hosts() {
  local hosts=$1 rate=$2
  shift 2
  timeout 1800 tests/netbed/netbed --hosts "$hosts" --ranks-per-host 1 --rate "$rate" "${bed[@]}" -- "$@"
}
read -r -a bed <<<"${BED:-}"

for hosts in ${HOSTS:-2 4}; do
  rm -f "$results"/"$hosts"-*
  echo "== $hosts hosts, no limit" >&2
  status=0
  on_hosts "$hosts" none "$measure" built-in 5 "${problems[@]}" >"$results/$hosts-none.jsonl" || status=$?
  if [[ $status -eq 77 ]]; then
    echo "== hosts need root" >&2
    exit 77
  fi
  # One axis is distributed cyclically. Engines of all contenders are planned once, where planning does not
  # wait for a slow link.
  declare -A cards=(["c2c:256^3"]="cyclic:${hosts}x1x1" ["c2c:2^22"]=cyclic)
  for problem in ${against:+"${problems[@]}"}; do
    for layouts in "--out any" "--in ${cards[$problem]} --out same" "--in slab --out same"; do
      # shellcheck disable=SC2086 # several words
      on_hosts "$hosts" none "$kallima" bench "$problem" $layouts --against "$against" -i 1 \
        --wisdom "$results/wisdom-$hosts" >/dev/null
    done
  done
  for ratio in ${RATIOS:-0.25 0.5 1 2 4}; do
    # Of 256^3, what a rank sends over so much of the time that its sweeps take.
    rate=$(python3 - "$results/$hosts-none.jsonl" "$hosts" "$ratio" <<'END'
import json
import sys

first = json.loads(open(sys.argv[1]).readline())
hosts = int(sys.argv[2])
bits = 8 * 16 * 256**3 / hosts * (hosts - 1) / hosts
print(f"{bits / first['times']['sweeps']['median_s'] / float(sys.argv[3]) / 1e6:.0f}mbit")
END
)
    echo "== $hosts hosts, $rate" >&2
    name=$results/$hosts-$ratio
    on_hosts "$hosts" "$rate" "$kallima" calibrate --name "hosts-$hosts-$rate" --rounds "${CALIBRATIONS:-1}" --arrays 256 \
      -o "$name.toml" >"$name.calibration"
    on_hosts "$hosts" "$rate" "$measure" "$name.toml" "$rounds" "${problems[@]}" >"$name.jsonl"
    for problem in ${against:+"${problems[@]}"}; do
      declare -A ends=([any]="--out any" [same]="--in ${cards[$problem]} --out same" [block]="--in slab --out same")
      for end in any same block; do
        # shellcheck disable=SC2086 # several words
        on_hosts "$hosts" "$rate" "$kallima" bench "$problem" ${ends[$end]} --machine "$name.toml" --against "$against" \
          --engine-effort measure --wisdom "$results/wisdom-$hosts" -i 5 --json >"$name-${problem#c2c:}-$end.json"
      done
    done
  done
done
python3 bench/hiding.py "$results"
