# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of whole arrays, by NumPy and by sums as FFTW's manual defines them (4.8, "What FFTW Really Computes")."""

import numpy as np


def matrix(kind: str, n: int) -> np.ndarray:
    """A cosine or sine transform of n elements, not scaled."""
    name, number = kind.split("-")
    k, j = np.mgrid[0:n, 0:n]
    if name == "cosine":
        if number == "1":
            m = 2 * np.cos(np.pi * j * k / (n - 1))
            m[:, 0] = 1
            m[:, -1] = (-1.0) ** k[:, 0]
            return m
        if number == "2":
            return 2 * np.cos(np.pi * (j + 0.5) * k / n)
        if number == "3":
            m = 2 * np.cos(np.pi * j * (k + 0.5) / n)
            m[:, 0] = 1
            return m
        return 2 * np.cos(np.pi * (j + 0.5) * (k + 0.5) / n)
    if number == "1":
        return 2 * np.sin(np.pi * (j + 1) * (k + 1) / (n + 1))
    if number == "2":
        return 2 * np.sin(np.pi * (j + 0.5) * (k + 1) / n)
    if number == "3":
        m = 2 * np.sin(np.pi * (j + 1) * (k + 0.5) / n)
        m[:, -1] = (-1.0) ** k[:, 0]
        return m
    return 2 * np.sin(np.pi * (j + 0.5) * (k + 0.5) / n)


def logical(kind: str, n: int) -> int:
    """FFTW's logical size of an axis, by which it is scaled."""
    if kind in ("fourier", "real"):
        return n
    if kind in ("none", "batch"):
        return 1
    return {"cosine-1": 2 * (n - 1), "sine-1": 2 * (n + 1)}.get(kind, 2 * n)


def transformed(whole: np.ndarray, kinds) -> np.ndarray:
    """Along each axis what its kind says; "real" keeps n // 2 + 1."""
    result = whole.astype(np.complex128 if whole.dtype.kind == "c" else np.float64)
    for axis, kind in enumerate(kinds):
        if kind.startswith(("cosine", "sine")):
            result = np.moveaxis(np.tensordot(matrix(kind, whole.shape[axis]), result, (1, axis)), 0, axis)
    for axis, kind in enumerate(kinds):
        if kind == "real":
            result = np.fft.rfft(result, axis=axis)
    for axis, kind in enumerate(kinds):
        if kind == "fourier":
            result = np.fft.fft(result, axis=axis)
    return result
