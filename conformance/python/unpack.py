"""Unpacks the sources of a wheel that the drivers read: `unpack.py <wheel> <folder>`."""

import sys
import zipfile

FOLDERS = (
    "arg_groups",
    "disaggregation",
    "managers",
    "metrics",
    "observability",
    "utils",
)


def is_needed(name):
    if not (name.startswith("sglang/srt/") and name.endswith(".py")):
        return False
    inside = name[len("sglang/srt/") :]
    return "/" not in inside or inside.partition("/")[0] in FOLDERS


def main(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [n for n in archive.namelist() if is_needed(n)])


if __name__ == "__main__":
    main(*sys.argv[1:3])
