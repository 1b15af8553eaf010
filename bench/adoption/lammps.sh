#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# LAMMPS with PPPM, built with its heFFTe option against Kallima's package of that name, beside LAMMPS with
# other FFTs: energies of each step, time of kspace and of the whole step.
#
#     bench/adoption/lammps.sh SCRIPT NAME=LAMMPS... [-- RANKS [STEPS [LAUNCHES [MESH...]]]]
#
# SCRIPT is LAMMPS's bench/POTENTIALS/in.spce; the first NAME is what the others are compared with, such as
# fftw3=b-fftw3/lmp kallima=b-kallima/lmp. PROCESSORS: LAMMPS's process grid; by default that of its FFTs, which hold x
# whole. With other grids its FFTs go back from one layout to another, and LAMMPS hands heFFTe the boxes in the order of
# forward transforms for that, too: energies differ then, with heFFTe as with Kallima.
set -euo pipefail
if [[ $# -lt 2 ]]; then
  sed -n '4,13s/^# \{0,1\}//p' "$0"
  exit 2
fi
script=$(realpath "$1")
shift
programs=()
while [[ $# -gt 0 && $1 != -- ]]; do
  programs+=("$1")
  shift
done
[[ $# -eq 0 ]] || shift
ranks=${1:-2}
steps=${2:-20}
launches=${3:-3}
shift $(($# < 3 ? $# : 3))
meshes=("$@")
[[ ${#meshes[@]} -gt 0 ]] || meshes=(32 64 128)
# As square as it can be, y fastest.
rows=1
for ((d = 1; d * d <= ranks; ++d)); do
  ((ranks % d != 0)) || rows=$d
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$(dirname "$script")"/data.spce "$scratch"
# The same water, with every step's energies, and the mesh that is asked for.
for mesh in "${meshes[@]}"; do
  sed -e "s/^read_data.*/processors ${PROCESSORS:-1 $rows $((ranks / rows)) map xyz}\n&/" \
    -e "s/^kspace_style.*/&\nkspace_modify mesh $mesh $mesh $mesh fftbench yes/" \
    -e 's/^thermo_style.*/thermo_style custom step temp evdwl ecoul elong etotal press\nthermo_modify format float %.15g/' \
    -e 's/^thermo[[:space:]]\+50/thermo 1/' -e "s/^run.*/run $steps/" "$script" >"$scratch/$mesh.in"
done
for ((i = 0; i < launches; ++i)); do
  for mesh in "${meshes[@]}"; do
    for program in "${programs[@]}"; do
      name=${program%%=*}
      path=$(realpath "${program#*=}")
      (cd "$scratch" && ${MPIRUN:-mpirun} -n "$ranks" "$path" -in "$mesh.in" -log "$name.$mesh.$i" -screen none) ||
        { tail -5 "$scratch/$name.$mesh.$i" >&2; exit 1; }
    done
  done
done
python3 - "$scratch" "$ranks" "$launches" "${#meshes[@]}" "${meshes[@]}" "${programs[@]%%=*}" <<'PYTHON'
import re
import sys
from statistics import median

folder, ranks, launches, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
meshes, names = sys.argv[5:5 + count], sys.argv[5 + count:]

def read(name, mesh, launch):
    """Energies of each step, and seconds: of a loop, of kspace, of FFTs alone."""
    energies, reading = [], False
    seconds = {}
    with open(f"{folder}/{name}.{mesh}.{launch}", encoding="utf-8") as file:
        for line in file:
            if line.split()[:1] == ["Step"]:
                reading = True
            elif line.startswith("Loop time"):
                reading, seconds["step"] = False, float(line.split()[3])
            elif reading and re.match(r"\s*\d", line):
                energies.append([float(word) for word in line.split()[1:]])
            elif line.startswith("Kspace"):
                seconds["kspace"] = float(line.split("|")[2])
            elif line.startswith("FFT time"):
                seconds["FFTs"] = float(line.split("=")[1].split()[0])
    assert energies, "no energies"
    return energies, seconds

failed = False
print(f"{ranks} ranks   {'mesh':>6} {'FFT':10} {'step':>10} {'kspace':>10} {'FFTs':>10}   "
      f"ratio to {names[0]}: {'step':>18} {'kspace':>18} {'FFTs':>18}   energies apart")
for mesh in meshes:
    runs = {name: [read(name, mesh, i) for i in range(launches)] for name in names}
    steps = len(runs[names[0]][0][0]) - 1
    for name in names:
        apart = max(abs(a - b) / max(abs(b), 1.0) for mine, theirs in zip(runs[name][0][0], runs[names[0]][0][0])
                    for a, b in zip(mine, theirs))
        failed |= apart > 1e-6
        parts = ("step", "kspace", "FFTs")
        times = [median(run[1][part] for run in runs[name]) / steps for part in parts]
        text = f"          {mesh + '^3':>6} {name:10} " + " ".join(f"{1e3 * time:7.2f} ms" for time in times)
        text += " " * (13 + len(names[0]))
        for part in parts:
            ratios = sorted(a[1][part] / b[1][part] for a, b in zip(runs[name], runs[names[0]]))
            text += f" {median(ratios):5.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})"
        print(text + f"   {apart:.1e}")
sys.exit(failed)
PYTHON
