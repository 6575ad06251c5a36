#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the install tree of a build, as ctest's install-* tests.

  run.py TEST --build BUILD

`tree` installs and moves what the others use, so it comes first.
"""
import argparse
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from support import Failure, require, run  # noqa: E402


def tree(work, moved):
    """Installs, and moves the tree: nothing in it may know where it was."""
    first = work / "first"
    for folder in (first, moved):
        shutil.rmtree(folder, ignore_errors=True)
    run("cmake", "--install", work.parents[1], "--prefix", first)
    first.rename(moved)
    require("fusec" in run(moved / "bin/fusec", "--version"), "no version")
    for path in moved.rglob("*.cmake"):
        require(str(work) not in path.read_text(), f"{path} knows where it was installed")


def main():
    import debian
    import examples
    import projects
    tests = {"tree": tree, "examples": examples.examples, "alone": examples.alone,
             "projects": projects.projects, "refusals": projects.refusals,
             "python": projects.python, "targets": projects.targets, "user": projects.user, "cross": projects.cross,
             "deb": debian.deb}
    parser = argparse.ArgumentParser()
    parser.add_argument("test", choices=tests)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    work = arguments.build.resolve() / "test/install-work"
    work.mkdir(parents=True, exist_ok=True)
    try:
        tests[arguments.test](work, work / "moved")
    except Failure as failure:
        print(f"{arguments.test}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
