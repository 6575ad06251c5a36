# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What fuzzers share: tests by their seeds, the command line, and a bug to be found."""
import argparse
import json
import os
import pathlib
import re
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CHUNK = 1000  # graphs that are built and linked together: what one core does alone is rare


class Fuzzer:
    """Those of graphs have
    run_chunk(seeds)     seed -> what failed
    signature(failed)    equal where failures look alike
    reason(failed)       a line
    shrunk(seed, failed) makes it small and saves it; returns the small one and its file
    told()               what has been seen of them"""

    def __init__(self, build, folder, name, jobs):
        """Works in a folder of the build; `name` and a seed name a graph."""
        self.build, self.work, self.name, self.jobs = build, build / folder, name, jobs
        self.begin = time.monotonic()

    def say(self, text):
        print(f"{text} ({time.monotonic() - self.begin:.0f} s)", flush=True)

    def run(self, seeds):
        """seed -> what failed."""
        failed, done = {}, 0
        for at in range(0, len(seeds), CHUNK):
            part = seeds[at:at + CHUNK]
            found = self.run_chunk(part)
            for seed, what in found.items():
                print(f"FAILED {self.name} {seed}: {self.reason(what)}")
            failed |= found
            done += len(part)
            self.say(f"  {done} graphs, {len(failed)} failed")
        return failed

    def one_of_each(self, failed):
        """The seeds, those first whose failures look different."""
        first = {}
        for seed, what in failed.items():
            first.setdefault(self.signature(what), seed)
        return list(first.values()) + [seed for seed in failed if seed not in first.values()]


def make_parser(name, doc, count):
    """The command line of tests that follow from their seeds, each called `name` SEED."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=REPOSITORY / "build")
    parser.add_argument("--first", type=int, default=0, help=f"the seed of the first {name}")
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--only", default=".", help=f"a regular expression of names: {name} 12")
    parser.add_argument("--print", type=int, metavar="SEED", dest="shown")
    parser.add_argument("--json", type=pathlib.Path, help="where to write the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser


def wanted_seeds(name, args):
    return [seed for seed in range(args.first, args.first + args.count)
            if re.search(args.only, f"{name} {seed}")]


def main(make, name, doc, count, text_of, options=()):
    """`make` a fuzzer of (build, arguments), whose graphs have this name; `text_of` a seed
    is for --print; `options` are further ones, (flag, help)."""
    parser = make_parser(name, doc, count)
    parser.add_argument("--shrink", type=int, default=5, help="how many failures to make small")
    for flag, text in options:
        parser.add_argument(flag, action="store_true", help=text)
    args = parser.parse_args()
    if args.shown is not None:
        print(text_of(args.shown))
        return 0

    seeds = wanted_seeds(name, args)
    failed = {}
    if seeds:
        print(f"seeds {seeds[0]} to {seeds[-1]}: --first {args.first} --count {args.count}")
        fuzzer = make(args.build.resolve(), args)
        failed = fuzzer.run(seeds)
    reasons = {seed: fuzzer.reason(what) for seed, what in failed.items()}
    if args.json:
        args.json.write_text(json.dumps([
            {"name": f"{name} {seed}", "outcome": "failed" if seed in failed else "passed",
             "reason": reasons.get(seed, "")} for seed in seeds]))
    if not seeds:
        return 0
    for seed in fuzzer.one_of_each(failed)[:args.shrink]:
        print(f"left {fuzzer.shrunk(seed, failed[seed])[1]}")
    fuzzer.say(f"{len(seeds) - len(failed)} of {len(seeds)} graphs are right: {fuzzer.told()}")
    return 1 if failed else 0


def plant(folder):
    """The bug of the self-tests: emitted kernels take the sine where they should take the
    tanh."""
    for path in [*folder.glob("*_kernels*.cpp"), *folder.glob("*_kernels_naive*.h")]:
        path.write_text(re.sub(r"\btanh\(", "sin(", path.read_text()))


def check_candidates(test, candidates, graph):
    """What shrinking tries next is smaller."""
    found = candidates(graph)
    test.assertTrue(found)
    for smaller in found:
        test.assertLess(smaller.size(), graph.size())
