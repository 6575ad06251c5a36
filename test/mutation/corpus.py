# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that are damaged: the end-to-end tests' small ones."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

# Small models take short to compile, and a change hits what matters.
MAX_BYTES = 3000


def small_models(every):
    """Names and models: each `every`-th of the end-to-end cases, if it is small."""
    import cases  # noqa: F401  (registers the models)
    from builder import all_cases
    found = []
    for case in sorted(all_cases(), key=lambda case: case.name)[::every]:
        if sum(len(tensor.raw_data) for tensor in case.graph.initializers) > MAX_BYTES:
            continue
        model = case.graph.build()
        if model.ByteSize() <= MAX_BYTES:
            found.append((case.name, model))
    return found
