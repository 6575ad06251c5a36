# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where things are. Importing this makes the tests' modules importable: the builder of
graphs, the networks, and the comparison of results are theirs."""
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
for folder in ("test/models", "test/e2e"):
    sys.path.insert(0, str(REPOSITORY / folder))
