#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stop-tune.py FUSEC MODEL FOLDER: ends fusec tune while a compiler runs that never comes to
an end: by a budget, and by ^C that nobody but fusec gets. Prints how each ended."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

fusec, model, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
LONG = 1000  # seconds that a compilation takes
MOST = 100  # that a busy machine may take for what takes one
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
compiler = folder / "compiler.sh"
compiler.write_text(f"""case $1 in
  --version) echo "a compiler 1.0" ;;
  *) echo $$ >> {folder}/compilers; sleep {LONG}; true ;;
esac
""")
environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "built"), CXX=f"/bin/sh {compiler}")


def tune(*options):
    return subprocess.Popen([fusec, "tune", model, "-o", folder / "cache", "--json", *options],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True, env=environment)


def compilers():
    """Those that were started and are still there."""
    started = folder / "compilers"
    numbers = started.read_text().split() if started.exists() else []
    return [number for number in numbers if pathlib.Path(f"/proc/{number}").exists()]


def report(what, process, begin):
    output, said = process.communicate(timeout=MOST)
    assert time.monotonic() - begin < MOST
    found = json.loads(output)
    one = found["models"][0]
    assert not compilers(), compilers()
    assert not list((folder / "built" / "fusec").glob("tune.fusec-*"))
    print(what, "exit code", process.returncode, "timings", found["timings"],
          sorted(group["name"] for group in one["undone"]))
    print(said, end="")


report("budget:", tune("--budget", "2s"), time.monotonic())
process = tune()
while not compilers():
    time.sleep(0.05)
os.kill(process.pid, signal.SIGINT)
report("interrupt:", process, time.monotonic())
