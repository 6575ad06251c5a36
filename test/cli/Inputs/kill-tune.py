#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""kill-tune.py FUSEC MODEL FOLDER COUNT: ends fusec tune COUNT times at random moments, with
and without its children, and once by ^C; no record that was there is ever lost, nothing goes
on running, and who goes on measures no group twice. Prints what happened."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

fusec, model, folder, count = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
cache = folder / "cache"
environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "built"))
choose = random.Random(count)


def tune(**others):
    return subprocess.Popen([fusec, "tune", model, "-o", cache, "--json"], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, start_new_session=True,
                            env=dict(environment, **others))


def records():
    if not cache.exists():
        return set()
    listed = subprocess.run([fusec, "cache", "ls", cache, "--json"], check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return {json.dumps(record, sort_keys=True) for record in json.loads(listed)["records"]}


def running(session):
    """The processes of a session that have not ended."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, own = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(own) == session and state not in "ZX":
            found.append(stat.parent.name)
    return found


def wait_until_gone(session):
    # Compilers end by themselves; they have been asked for a library and no more.
    for _ in range(600):
        if not running(session):
            return
        time.sleep(0.1)
    sys.exit(f"still running: {running(session)}")


def run_whole():
    process = tune()
    output = process.communicate()[0]
    return process.returncode, json.loads(output)


def kill(length):
    """Ends a run after so many seconds, unless it is over by then."""
    before = records()
    process = tune()
    try:
        process.wait(timeout=choose.uniform(0.05, length))
        ended = False
    except subprocess.TimeoutExpired:
        ended = True
        if choose.random() < 0.5:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()
    wait_until_gone(process.pid)
    if not before <= records():
        sys.exit("a record is lost")
    return ended


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
begin = time.monotonic()
code, whole = run_whole()
length = time.monotonic() - begin
assert code == 0 and whole["timings"] > 0, whole
groups = len(whole["models"][0]["groups"])
kills = 0
while kills < count:
    # What is finished has nothing left to be stopped in.
    if len(records()) > groups:
        shutil.rmtree(cache)
    kills += kill(length)
known = sum(1 for record in records() if json.loads(record)["kind"] == "group")
code, last = run_whole()
assert code == 0, last
assert sum(group["known"] for group in last["models"][0]["groups"]) == known, last
again = tune(CXX="/bin/false")
output = json.loads(again.communicate()[0])
assert again.returncode == 0 and output["timings"] == output["compilations"] == 0, output

# ^C keeps what is measured, says so by its exit code, and leaves nothing.
for part in (2, 4, 8, 16):  # of a machine that has more to spare now
    shutil.rmtree(cache, ignore_errors=True)
    process = tune()
    time.sleep(length / part)
    os.killpg(process.pid, signal.SIGINT)
    output = process.communicate()[0]
    if process.returncode != 0:
        break
wait_until_gone(process.pid)
assert process.returncode == 130 and json.loads(output)["interrupted"], (process.returncode, output)
assert not list((folder / "built" / "fusec").glob("tune.fusec-*"))
print(f"{kills} kills, 0 records lost")
