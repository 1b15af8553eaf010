# SPDX-License-Identifier: BSD-3-Clause
"""The Taylor-Green vortex: Navier-Stokes in a periodic box, pseudo-spectral, with the 2/3 rule.

    mpirun -n 4 python3 vortex.py [N [TIME [PICTURE]]]

Prints the energy; draws a slice of the vorticity. Reference: Brachet et al., J. Fluid Mech. 130 (1983), 411-452.
"""

import sys

import numpy as np

import kallima

n = int(sys.argv[1]) if len(sys.argv) > 1 else 32
end = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
viscosity, step = 1.0 / 100.0, 0.02

comm = kallima.world()
shape, box = (n, n, n), [2 * np.pi] * 3
# Three components at once: a batch makes a leading axis. Frequencies in the layout that is cheapest.
fft = kallima.Transform(comm, shape, float, batch=3, lengths=[1.0, *box], out="any")
k = np.broadcast_arrays(*fft.wavenumbers())
k = np.stack([np.asarray(one)[0] for one in k])
k2 = (k**2).sum(axis=0)
one_over_k2 = 1.0 / np.where(k2 == 0, 1.0, k2)
kept = (np.abs(k) < n / 3).all(axis=0)

u, w, u_k = fft.empty_input(), fft.empty_input(), fft.empty_output()
rhs = fft.empty_output()
to_box, to_frequencies = fft.bind(rhs, w, "backward"), fft.bind(w, rhs)
velocity = fft.bind(u_k, u, "backward")


def change(u_k):
    """d u / d t of frequencies: u x curl u - nu k^2 u, made free of divergence."""
    rhs[...] = 1j * np.cross(k, u_k, axis=0)
    to_box()
    w[...] = np.cross(u, w, axis=0)
    to_frequencies()
    rhs[...] *= kept
    rhs[...] -= k * ((k * rhs).sum(axis=0) * one_over_k2) + viscosity * k2 * u_k
    return rhs


def energy():
    return 0.5 * comm.sum((np.abs(u_k) ** 2 * fft.weights).sum()) / n**6


x, y, z = np.meshgrid(*[2 * np.pi * np.arange(n) / n] * 3, indexing="ij", sparse=True)
start = np.stack(np.broadcast_arrays(np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x * y * z))
u[...] = start[fft.layout_in.local_slice]
fft.forward(u, u_k)
first = energy()
for _ in range(round(end / step)):  # Heun's method
    velocity()
    slope = change(u_k).copy()
    before = u_k.copy()
    u_k += step * slope
    velocity()
    u_k[...] = before + 0.5 * step * (slope + change(u_k))
last = energy()
if comm.rank == 0:
    print(f"energy {first:.6f} at the start, {last:.6f} at time {end:g}")
assert abs(first - 0.125) < 1e-9 and last < first

rhs[...] = 1j * np.cross(k, u_k, axis=0)
to_box()
vorticity = kallima.DistArray(comm, shape)  # slabs, too
vorticity[...] = np.sqrt((w**2).sum(axis=0))
slices = vorticity.gather()
if slices is not None and len(sys.argv) > 3:
    import matplotlib.pyplot as plt

    plt.imshow(slices[:, :, n // 8].T, origin="lower", extent=(0, 2 * np.pi, 0, 2 * np.pi), cmap="magma")
    plt.colorbar(label="vorticity")
    plt.xlabel("x")
    plt.ylabel("y")
    plt.title(f"Taylor-Green vortex at time {end:g}")
    plt.savefig(sys.argv[3], dpi=120)
