#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How the library scales to ranks that are not here, under SimGrid's SMPI, against what is predicted:
# docs/studies/scale.md.
#
#     bench/scale.sh [BUILD [SIMULATED [RESULTS]]]
#
# BUILD has the command line (default build/release), SIMULATED the program that is simulated (default
# build/simgrid, configured with -DKALLIMA_MPI=simgrid); RESULTS takes platforms, figures and plots
# (default build/bench/scale). RANKS chooses among "64 128 256 1024" (4096: pencils and group-cyclic
# plans only, 16 GB), NETWORKS among "fat-tree torus dragonfly", PLANS among
# "pencil group-cyclic one-exchange". A figure that is there already is not
# simulated again. Outputs are verified up to 256 ranks. About 30 minutes of one core and 7 GB of
# memory, most of it for one exchange among 1024 ranks.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
simulated=${2:-build/simgrid}
results=${3:-build/bench/scale}
ranks=${RANKS:-64 128 256 1024}
networks=${NETWORKS:-fat-tree torus dragonfly}
plans=${PLANS:-pencil group-cyclic one-exchange}
kallima=$build/apps/kallima/kallima
export KALLIMA_SIMULATED=$simulated/apps/simulated/kallima_simulated
mkdir -p "$results"

# simulate NETWORK RANKS SERIES PLAN PROBLEM OPTION...
simulate() {
  local network=$1 ranks=$2 series=$3 plan=$4 problem=$5
  shift 5
  local name=$network-$ranks-$series-$plan
  local out=$results/$name.json
  [[ -s $out || $plans != *$plan* ]] && return
  local platform=$results/$network-$ranks.xml
  if [[ ! -s $platform ]]; then
    "$kallima" export simgrid bench/scale.toml --nodes "$ranks" --topology "$network" --taper 2 \
      --groups 8 -o "$platform" >/dev/null
  fi
  local verify=()
  [[ $ranks -le 256 ]] && verify=(--verify 4)
  local start=$SECONDS
  if ! timeout "${LIMIT:-3000}" "$kallima" simulate "$problem" -n "$ranks" --platform "$platform" \
    --method point-to-point "${verify[@]}" --json "$@" >"$out.part"; then
    echo "== $name: not simulated" >&2
    rm -f "$out.part"
    return
  fi
  mv "$out.part" "$out"
  echo "== $name: $((SECONDS - start)) s" >&2
}

# Squares of ranks, and axes distributed so far that p^2 no longer divides n: two exchanges.
declare -A pencil=([64]=8x8 [128]=16x8 [256]=16x16 [1024]=32x32 [4096]=64x64)
declare -A cyclic=([64]=32x2x1 [128]=32x4x1 [256]=32x8x1 [1024]=32x32x1 [4096]=64x64x1)
# So many elements that a rank has 2^14.
declare -A weak=([64]=128x128x64 [128]=128x128x128 [256]=256x128x128 [4096]=512x512x256)

plans() {
  local network=$1 ranks=$2 series=$3 problem=$4
  simulate "$network" "$ranks" "$series" pencil "$problem" --decomposition pencil --in "pencil:${pencil[$ranks]}"
  if [[ $series == strong ]]; then
    simulate "$network" "$ranks" "$series" group-cyclic "$problem" --in "cyclic:${cyclic[$ranks]}" --out same
  fi
  if [[ $ranks -le 1024 ]]; then
    simulate "$network" "$ranks" "$series" one-exchange "$problem" --decomposition cyclic
  fi
}

for p in $ranks; do
  for network in $networks; do
    plans "$network" "$p" strong c2c:256x256x256:f32
    # On 1024 ranks both are the same.
    [[ $p -eq 1024 ]] || plans "$network" "$p" weak "c2c:${weak[$p]}:f32"
  done
done
python3 bench/scale.py "$results" "$kallima"
