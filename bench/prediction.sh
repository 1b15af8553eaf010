#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How true predictions are here: calibrates afresh, then measures transforms that the calibration
# has not seen, on the node and between hosts of the test bed (tests/netbed, needs root; left out
# without), and how much better the best plan would have been than the one that was taken.
#
#     bench/prediction.sh [BUILD [RESULTS]]
#
# BUILD is a release build with Open MPI (default build/release); RESULTS takes machines, figures
# and the plot (default build/bench/prediction). PARTS chooses among "node crowded hosts regret", and
# "quick": calibrations as users make them, quick and full in turns, and their seconds.
# Calibrating and measuring take turns, CYCLES times, and times are the least of bursts, as machines
# with neighbours change their speed by half from second to second. About 40 minutes; nothing else
# should run.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
results=${2:-build/bench/prediction}
parts=${PARTS:-node crowded hosts regret}
mpiexec=${MPIEXEC:-mpiexec.openmpi}
cycles=${CYCLES:-3}
kallima=$build/apps/kallima/kallima
measure=$build/bench/kallima_prediction
mkdir -p "$results"
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

flags=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1
       --mca btl_base_warn_component_unused 0)
on_node() {
  local ranks=$1
  shift
  timeout 1200 "$mpiexec" "${flags[@]}" -n "$ranks" "$@"
}
on_hosts() {
  local hosts=$1 rate=$2
  shift 2
  # What a link that was idle sends at once should be small beside the messages.
  local bucket=256kb
  [[ $rate == 200mbit ]] && bucket=64kb
  timeout 1200 tests/netbed/netbed --hosts "$hosts" --ranks-per-host 1 --rate "$rate" \
    --burst "$bucket" -- "$@"
}

small=(c2c:128x128 c2c:300x300:f32 c2c:32^3 c2c:48^3:f32 c2c:2^14 c2c:2^16:f32 c2c:64^3 c2c:64^3:f32
       c2c:512x512 c2c:512x512:f32 c2c:2^18 c2c:2^18:f32)
middle=(c2c:96^3 c2c:100^3:f32 c2c:128^3 c2c:128^3:f32 c2c:160^3 c2c:1000x1000 c2c:1024x1024:f32
        c2c:2048x2048 c2c:2048x2048:f32 c2c:2^20 c2c:2^22 c2c:2^22:f32)
large=(c2c:192^3 c2c:256^3 c2c:256^3:f32 c2c:4096x4096 c2c:4096x4096:f32 c2c:2^24 c2c:2^24:f32)
huge=(c2c:512^3:f32 c2c:8192x8192 c2c:2^26)
apart=(c2c:128x128 c2c:48^3:f32 c2c:64^3 c2c:2^18:f32 c2c:96^3 c2c:512x512 c2c:2^20 c2c:128^3:f32
       c2c:160^3 c2c:1024x1024)

if [[ $parts == *node* ]]; then
  rm -f "$results"/node*.jsonl
  for ((cycle = 1; cycle <= cycles; ++cycle)); do
    echo "== the node, cycle $cycle of $cycles" >&2
    machine=$results/node-$cycle.toml
    on_node 2 "$kallima" calibrate --name node --rounds 6 -o "$machine" \
      --plot "$results/node-$cycle.svg" >"$results/node-$cycle.calibration"
    for ranks in 1 2; do
      on_node "$ranks" "$measure" predict "$machine" 7 "${small[@]}" "${middle[@]}" "${large[@]}" \
        "${huge[@]}" >>"$results/node.jsonl"
    done
  done
fi
if [[ $parts == *quick* ]]; then
  rm -f "$results"/{quick,full}.jsonl "$results/seconds"
  for ((cycle = 1; cycle <= cycles; ++cycle)); do
    for kind in quick full; do
      echo "== $kind calibration, cycle $cycle of $cycles" >&2
      machine=$results/$kind-$cycle.toml
      flags_of_kind=()
      [[ $kind == quick ]] && flags_of_kind=(--quick)
      begin=$(date +%s.%N)
      on_node 2 "$kallima" calibrate --name here "${flags_of_kind[@]}" -o "$machine" \
        >"$results/$kind-$cycle.calibration"
      echo "$kind $(date +%s.%N) $begin" >>"$results/seconds"
      for ranks in 1 2; do
        on_node "$ranks" "$measure" predict "$machine" 4 "${small[@]}" "${middle[@]}" \
          >>"$results/$kind.jsonl"
      done
    done
  done
  awk '{ printf "%s calibration: %.1f s\n", $1, $2 - $3 }' "$results/seconds"
fi
if [[ $parts == *crowded* ]]; then
  rm -f "$results"/crowded*.jsonl
  for ((cycle = 1; cycle <= (cycles + 2) / 3; ++cycle)); do
    echo "== 4 ranks on the node, cycle $cycle" >&2
    machine=$results/crowded-$cycle.toml
    on_node 4 "$kallima" calibrate --name crowded --rounds 4 --arrays 128 -o "$machine" \
      >"$results/crowded-$cycle.calibration"
    on_node 4 "$measure" predict "$machine" 7 "${small[@]}" "${middle[@]}" "${large[@]}" \
      >>"$results/crowded.jsonl"
  done
fi
if [[ $parts == *hosts* ]]; then
  rm -f "$results"/hosts*.jsonl
  for ((cycle = 1; cycle <= (cycles + 2) / 3; ++cycle)); do
    for hosts in 2 4; do
      for rate in 200mbit 1gbit 5gbit; do
        echo "== $hosts hosts, $rate, cycle $cycle" >&2
        name=hosts-$hosts-$rate
        machine=$results/$name-$cycle.toml
        status=0
        on_hosts "$hosts" "$rate" "$kallima" calibrate --name "$name" --rounds 4 --arrays 64 \
          -o "$machine" >"$results/$name-$cycle.calibration" || status=$?
        if [[ $status -eq 77 ]]; then
          echo "== left out: hosts need root" >&2
          break 3
        fi
        on_hosts "$hosts" "$rate" "$measure" predict "$machine" 4 "${apart[@]}" \
          >>"$results/$name.jsonl"
      done
    done
  done
fi
if [[ $parts == *regret* ]]; then
  echo "== regret on the node" >&2
  on_node 2 "$measure" regret "$results/node-1.toml" 12 "${small[@]}" "${middle[@]}" \
    >"$results/regret.jsonl"
  on_node 1 "$measure" regret "$results/node-1.toml" 12 "${small[@]}" "${middle[@]}" \
    >>"$results/regret.jsonl"
  if [[ -s $results/hosts-4-1gbit-1.toml ]]; then
    on_hosts 4 1gbit "$measure" regret "$results/hosts-4-1gbit-1.toml" 6 "${apart[@]}" \
      >>"$results/regret.jsonl"
  fi
fi
python3 bench/prediction.py "$results"
