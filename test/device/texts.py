#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources for GPUs follow from the model alone, however and wherever it is written.

  .venv/bin/python test/device/texts.py              as in the suite
  .venv/bin/python test/device/texts.py --only norm  those whose name matches

NAME@stages: the text after each stage compiles on to the same files (of a model in SOME,
after some of the stages, which together are all). NAME@place: in another folder,
with another home and locale, fusec writes the same. NAME@spelled:
a model gets the kernels of another one that computes the same. Works in <build>/texts.
"""
import multiprocessing.pool
import re
import shutil
import sys

import kernels

import batch  # noqa: E402  (kernels.py says where it is)
import structure  # noqa: E402
from properties import read_folder, require_equal  # noqa: E402

# A model of each class of kernel: elements, rows, tiles, several blocks a row, loops.
ALL_STAGES = ("softmax_axis_1", "gemm_alpha_beta", "parts_mean")
SOME = ("conv_3x3", "layer_norm_function", "loop_nested", "mix_of_movement", "attention_masked")
SPELLED = [names for names in structure.SAME_KERNELS
           if re.match("layer_norm|spelled_norm|spelled_attention_plain", names[0])]


class Compiled:
    """A model with its sources."""

    def __init__(self, case, work, program):
        self.name, self.folder, self.program = case.name, work / case.name, program
        self.case = case
        self.options = [f"--target={kernels.TARGET}", *case.options]
        self.model = kernels.write_model(case, self.folder)
        self.compile(self.model, self.folder / "src")

    def compile(self, model, out, **environment):
        batch.run_program(["env", *(f"{k}={v}" for k, v in environment.items()), self.program,
                           "compile", model, *self.options, "-o", out], batch.COMPILE_SECONDS)
        return out

    def print_stage(self, stage):
        return batch.run_program([self.program, "compile", self.model, *self.options,
                                  f"--until={stage}"], batch.COMPILE_SECONDS)


def check_stages(test):
    stages = batch.run_program([test.program, "compile", "--list-stages"],
                               batch.COMPILE_SECONDS).split()
    if test.name in SOME:
        stages = stages[SOME.index(test.name)::len(SOME)]
    expected = read_folder(test.folder / "src")
    if not any(name.endswith(".cuh") for name in expected):
        raise batch.Failure(f"there is no .cuh among {sorted(expected)}")
    for stage in stages:
        place = test.folder / "stages" / stage
        place.mkdir(parents=True)
        text = place / f"{test.name}.mlir"
        text.write_text(test.print_stage(stage))
        # The text says for which target it is.
        batch.run_program([test.program, "compile", text, *test.case.options, "-o",
                           place / "out"], batch.COMPILE_SECONDS)
        require_equal(expected, read_folder(place / "out"), f"going through {stage}")
        shutil.rmtree(place)


def check_place(test):
    place = test.folder / "elsewhere" / "deeper"
    place.mkdir(parents=True)
    model = shutil.copy(test.model, place)
    out = test.compile(model, place / "out", HOME=place, USER="nobody", LC_ALL="C",
                       TZ="Asia/Tokyo")
    require_equal(read_folder(test.folder / "src"), read_folder(out), "another place")


def check_spelled(test, first):
    if structure.read_keys(test) != structure.read_keys(first):
        raise batch.Failure(f"other keys than {first.name}")
    texts = [structure.without_names(one.print_stage(structure.LAST_STAGE))
             for one in (test, first)]
    if not texts[0] or texts[0] != texts[1]:
        raise batch.Failure(f"other kernels than {first.name}")


def list_checks(only):
    """(name, function, names of the models it takes)."""
    checks = [(f"{name}@stages", check_stages, (name,)) for name in ALL_STAGES + SOME]
    checks += [(f"{name}@place", check_place, (name,)) for name in ALL_STAGES + SOME]
    checks += [(f"{name}@spelled", check_spelled, (name, first))
               for first, *others in SPELLED for name in others]
    return [check for check in checks if re.search(only, check[0])]


def main():
    args = kernels.make_parser(__doc__).parse_args()
    work = args.build / "texts"
    shutil.rmtree(work, ignore_errors=True)
    checks = list_checks(args.only)
    needed = sorted({model for _, _, models in checks for model in models})

    def make(case):
        return Compiled(case, work, args.build / "bin" / "fusec")

    def attempt(check):
        name, function, models = check
        try:
            function(*(compiled[model] for model in models))
            return name, ""
        except batch.Failure as failure:
            return name, str(failure)

    with multiprocessing.pool.ThreadPool(args.jobs) as pool:
        compiled = {test.name: test for test in pool.imap(make, kernels.named_cases(needed))}
        results = dict(pool.imap(attempt, checks))
    return kernels.tell_results(args.json, " of GPUs", results)


if __name__ == "__main__":
    sys.exit(main())
