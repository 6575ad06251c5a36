# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts of this folder that check fusec in a folder of their own share."""
import argparse
import pathlib
import shutil

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def main(doc, topic, check):
    """`check(fusec, folder)` yields what is wrong; the exit code."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    build = parser.parse_args().build.resolve()
    folder = build / "mutation" / topic
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    problems = list(check(build / "bin" / "fusec", folder))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems with {topic}")
    return 1 if problems else 0
