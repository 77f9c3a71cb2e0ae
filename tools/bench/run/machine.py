# SPDX-License-Identifier: MIT
"""Describes the machine and the programs of a measurement."""

import os
import platform
import subprocess


def first_line(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return ""
    lines = done.stdout.splitlines()
    return lines[0] if done.returncode == 0 and lines else ""


def processor():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
        for line in info:
            if line.startswith(("model name", "uarch", "CPU part")):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def describe():
    return {
        "processor": processor(),
        "isa": platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "virtual": first_line("systemd-detect-virt") or "not known",
        "gcc": first_line("gcc", "--version"),
        "clang": first_line("clang", "--version"),
        "rustc": first_line("/usr/bin/rustc", "--version"),
        "commit": first_line("git", "describe", "--always", "--dirty"),
        "flags": "gcc and clang -O3; rustc --release, lto, one unit; go build",
    }
