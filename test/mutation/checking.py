# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts of this folder that check fusec in a folder of their own share."""
import argparse
import pathlib
import shutil

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def main(doc, checks):
    """`checks[topic](fusec, folder)` yields what is wrong; the exit code."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("topics", nargs="*", metavar="TOPIC",
                        help=f"of {', '.join(checks)}; default: all")
    args = parser.parse_args()
    if unknown := set(args.topics) - set(checks):
        parser.error(f"there is no topic {', '.join(unknown)}")
    build = args.build.resolve()
    total = 0
    for topic in args.topics or checks:
        folder = build / "mutation" / topic
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        problems = list(checks[topic](build / "bin" / "fusec", folder))
        for problem in problems:
            print(problem)
        print(f"{len(problems)} problems with {topic}")
        total += len(problems)
    return 1 if total else 0
