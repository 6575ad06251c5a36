# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import multiprocessing.pool
import sys
import time

import batch


class Runner:
    """Maps stages over tests in parallel, and remembers what failed."""

    def __init__(self, jobs):
        self.pool = multiprocessing.pool.ThreadPool(jobs)
        self.begin = time.monotonic()
        self.results = {}  # name -> why it failed, or None

    def stage(self, name, function, tests, suffix=""):
        """The tests whose `function` did not raise."""
        def attempt(test):
            try:
                function(test)
                return test, None
            except batch.Failure as failure:
                return test, str(failure)
            # A file that is missing, or is not what it should be.
            except (OSError, ValueError, KeyError) as error:
                return test, f"{type(error).__name__}: {error}"
        passed = []
        for done, (test, failure) in enumerate(self.pool.imap_unordered(attempt, tests), 1):
            self.results[test.name + suffix] = failure and f"{name}: {failure}"
            if not failure:
                passed.append(test)
            self.show(name, done, len(tests))
        return passed

    def show(self, name, done, total):
        """A line for each stage, rewritten as it goes on where that can be seen."""
        seconds = time.monotonic() - self.begin
        if done == total:
            print(f"  {name}: {done} models ({seconds:.0f} s)", flush=True)
        elif sys.stdout.isatty():
            print(f"  {name}: {done} of {total}", end="\r", flush=True)
