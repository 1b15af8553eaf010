#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Messages between ranks against messages between nodes and Bruck's algorithm, on hosts of the test bed
# (tests/netbed, needs root) with two ranks each: small transforms, where starting a message costs more
# than its bytes, and larger ones.
#
#     bench/nodes.sh [BUILD]
#
# BUILD is a build with Open MPI (default build/release). HOSTS ("2 4"), RATES ("1gbit none") and ROUNDS
# (81) choose, PER_HOST (2) how many ranks a host has. About a minute; nothing else should run.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
export OMP_NUM_THREADS=1
for hosts in ${HOSTS:-2 4}; do
  for rate in ${RATES:-1gbit none}; do
    echo "== $hosts hosts, ${PER_HOST:-2} ranks each, rate $rate"
    timeout 600 tests/netbed/netbed --hosts "$hosts" --ranks-per-host "${PER_HOST:-2}" --rate "$rate" -- \
      "$build/bench/kallima_nodes" "${ROUNDS:-81}" c2c:8^3 c2c:12^3 c2c:16^3 c2c:32^3 c2c:64^3 c2c:1024 \
      c2c:4096 c2c:2^16
  done
done
