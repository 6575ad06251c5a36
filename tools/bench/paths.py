# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where things are. Importing this makes the tests' modules importable: the builder of
graphs, the networks, and the comparison of results are theirs. They come last, for the
tests have a run.py too."""
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
for folder in ("test/models", "test/e2e"):
    sys.path.append(str(REPOSITORY / folder))
