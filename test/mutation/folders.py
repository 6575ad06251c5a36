#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a full disk, another user, a kill and a second compilation do to a folder: it is as
it was, or whole, and the next compilation works. So it is with the folder where
`fusec run` keeps what it built.

  .venv/bin/python test/mutation/folders.py [--build build] [TOPIC...]

Prints what is wrong; exit code 1 if anything is. Small disks and other users need rights
that not every machine gives; test/lit.cfg.py finds out.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import checking

KILLS, ROUNDS = 20, 6
BUILD_KILLS, BUILDS_AT_ONCE = 4, 4
BAD_INPUT = 4


def write_model(path, rows):
    """y = x w, of which w is 1024 bytes a row."""
    weight = np.arange(rows * 256, dtype=np.float32).reshape(rows, 256)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, rows))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 256))],
        [numpy_helper.from_array(weight, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def read_folder(folder):
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def run(command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          errors="replace")


class Place:
    """A folder with two models and what each becomes."""

    def __init__(self, fusec, folder):
        self.fusec, self.folder, self.out = fusec, folder, folder / "out"
        self.models = [write_model(folder / "small.onnx", 3),
                       write_model(folder / "large.onnx", 2048)]
        self.wholes = [self.compile_alone(model) for model in self.models]

    def command(self, model, out=None):
        return [self.fusec, "compile", model, "-o", out or self.out]

    def compile_alone(self, model):
        alone = self.folder / "alone"
        done = run(self.command(model, alone))
        if done.returncode:
            sys.exit(f"{model.name} does not compile: {done.stderr}")
        files = read_folder(alone)
        shutil.rmtree(alone)
        return files

    def leftovers(self):
        return [path.name for path in self.folder.glob("out?*")]

    def complain(self, when):
        """Something is wrong with `out`: it is there and not one of the two."""
        if self.out.exists() and read_folder(self.out) not in self.wholes:
            yield f"{when}: the folder is neither of the models"

    def complain_next(self, when):
        for model, whole in zip(self.models, self.wholes):
            done = run(self.command(model))
            if done.returncode:
                yield f"{when}: the next run fails: {done.stderr[-500:]}"
            elif read_folder(self.out) != whole:
                yield f"{when}: the next run writes something else"
        if self.leftovers():
            yield f"{when}: {self.leftovers()} are left"
        shutil.rmtree(self.out, ignore_errors=True)


def check_refusal(done, text, when):
    if done.returncode != BAD_INPUT or text not in done.stderr:
        yield f"{when}: exit code {done.returncode}: {done.stderr[-500:]}"


def full_disk(place):
    """Two disks of 1 MB and of 64 KB: one is too small for the weights, one for all."""
    disk = place.folder / "disk"
    disk.mkdir()
    script = ('mount -t tmpfs -o size=$1 tmpfs $2 || exit 99; shift 2; '
              '"$@"; code=$?; ls -A disk >&2; exit $code')
    for size in ("1m", "64k"):
        command = place.command(place.models[1], disk / "out")
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", size, str(disk),
                               *map(str, command)], cwd=place.folder, capture_output=True,
                              text=True)
        yield from check_refusal(done, "No space left", f"a disk of {size}")
        if done.stderr.splitlines()[-1].startswith("out"):
            yield f"a disk of {size}: left {done.stderr.splitlines()[-1]}"


def another_user(place):
    """A folder that is another user's, one inside of such a folder, and no right to read."""
    run(place.command(place.models[0]))
    before = read_folder(place.out)
    for out in (place.out, place.folder / "new", place.out / "inner"):
        done = run(["setpriv", "--reuid=65534", "--clear-groups",
                    *place.command(place.models[1], out)])
        yield from check_refusal(done, "ermission denied", f"{out.name} of another user")
    if read_folder(place.out) != before or place.leftovers():
        yield "another user's attempt changed the folder"
    yield from place.complain_next("after another user")


def kills(place):
    """At any moment, over nothing and over another model's folder."""
    rng = random.Random("kill")
    begin = time.monotonic()
    run(place.command(place.models[1]))
    duration = time.monotonic() - begin
    killed = 0
    for number in range(KILLS):
        if number % 4 == 0:
            shutil.rmtree(place.out, ignore_errors=True)
        process = subprocess.Popen(list(map(str, place.command(place.models[number % 2]))),
                                   stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, duration))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        yield from place.complain(f"kill {number}")
    print(f"{killed} of {KILLS} compilations were killed before they ended")
    yield from place.complain_next("after kills")


def at_once(place):
    for number in range(ROUNDS):
        started = [subprocess.Popen(list(map(str, place.command(model))),
                                    stderr=subprocess.PIPE, text=True)
                   for model in place.models * 2]
        for process in started:
            _, text = process.communicate()
            if process.returncode:
                yield f"at once, round {number}: exit code {process.returncode}: {text}"
        if not place.out.exists():
            yield f"at once, round {number}: there is no folder"
        yield from place.complain(f"at once, round {number}")
        if place.leftovers():
            yield f"at once, round {number}: {place.leftovers()} are left"
    yield from place.complain_next("after several at once")


class Cache:
    """Where `fusec run` builds two models, and what it prints for each."""

    def __init__(self, fusec, folder):
        self.fusec, self.folder = fusec, folder / "fusec"
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(folder))
        self.models = [write_model(folder / "a.onnx", 3), write_model(folder / "b.onnx", 5)]

    def start(self, model, **options):
        return subprocess.Popen([str(self.fusec), "run", str(model)], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **options)

    def run(self, model):
        process = self.start(model)
        text, errors = process.communicate()
        if process.returncode:
            sys.exit(f"{model.name} does not run: {errors}")
        return text

    def names(self):
        return sorted(path.name for path in self.folder.glob("*"))

    def unfinished(self):
        return [name for name in self.names() if ".fusec-" in name]

    def drop(self, model):
        for name in set(self.names()) - set(self.unfinished()):
            if name.startswith(model.stem):
                shutil.rmtree(self.folder / name)

    def complain(self, when):
        """Something is wrong with an entry: it lacks what a build writes last."""
        for name in set(self.names()) - set(self.unfinished()):
            if not (self.folder / name / "model.so").exists():
                yield f"{when}: {name} is not whole"


def build_kills(fusec, folder):
    """At any moment of a build; what is left goes with the build of another model."""
    cache = Cache(fusec, folder)
    model, other = cache.models
    begin = time.monotonic()
    expected = cache.run(model)
    duration = time.monotonic() - begin
    rng = random.Random("build")
    for number in range(BUILD_KILLS):
        cache.drop(model)
        # The C++ compiler outlives its parent: it is over when nobody can write here.
        over, inherited = os.pipe()
        process = cache.start(model, pass_fds=[inherited])
        os.close(inherited)
        if number:
            time.sleep(rng.uniform(0, duration))
        while number == 0 and process.poll() is None and not cache.unfinished():
            time.sleep(0.001)
        process.kill()
        process.communicate()
        os.read(over, 1)
        os.close(over)
        if number == 0 and not cache.unfinished():
            yield "a killed build left nothing: it was not killed in time"
        yield from cache.complain(f"build kill {number}")
        if number == 0:
            cache.run(other)
            if cache.unfinished():
                yield f"the build of another model leaves {cache.unfinished()}"
            cache.drop(other)
    if cache.run(model) != expected:
        yield "after kills: the next run prints something else"
    if cache.unfinished():
        yield f"after kills: {cache.unfinished()} are left"


def builds_at_once(fusec, folder):
    cache = Cache(fusec, folder)
    model = cache.models[0]
    started = [cache.start(model) for _ in range(BUILDS_AT_ONCE)]
    results = {(process.communicate(), process.returncode) for process in started}
    if results != {((cache.run(model), ""), 0)}:
        yield f"builds at once do not agree: {results}"
    yield from cache.complain("builds at once")
    if len(cache.names()) != 1:
        yield f"builds at once leave {cache.names()}"


def is_cached(cache, model, **variables):
    """Runs a model; whether it was built before."""
    done = subprocess.run([str(cache.fusec), "run", str(model), "--json"], text=True,
                          capture_output=True, env=cache.environment | variables)
    if done.returncode:
        sys.exit(f"{model.name} does not run with {variables}: {done.stderr}")
    return json.loads(done.stdout)["cached"]


def write_script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def build_compilers(fusec, folder):
    """What CXX may say, and which compilers are the same."""
    cache = Cache(fusec, folder)
    model = cache.models[0]
    calls = folder / "calls"
    script = write_script(folder / "my cxx", 'exec c++ "$@"')
    launcher = write_script(folder / "launch", f'echo "$*" >> {calls}; exec "$@"')
    linked = folder / "linked"
    linked.symlink_to(script)
    expected = [  # the value of CXX, whether that is a compiler met before, and what it is
        (f"{launcher} c++", False, "a launcher and its compiler"),
        (f"{launcher} c++", True, "the same words"),
        (f"{launcher} c++ -DUNUSED", False, "an argument more"),
        (str(script), False, "a path with a space in it"),
        (str(linked), True, "the same compiler by another name")]
    for value, known, what in expected:
        if is_cached(cache, model, CXX=value) != known:
            yield f"{what}: " + ("built again" if known else "taken for another")
    if "-shared" not in calls.read_text():
        yield "the launcher did not link"
    write_script(script, 'exec c++ -O1 "$@"')
    if is_cached(cache, model, CXX=str(script)):
        yield "another compiler under an old name: taken for the old one"


def build_damage(fusec, folder):
    """An entry of which a file was cut short, changed or removed is built anew: what is not
    a library, or says or weighs something else, is never used."""
    cache = Cache(fusec, folder)
    model = cache.models[0]
    expected = cache.run(model)
    entry, = cache.folder.iterdir()
    library, weights = entry / "model.so", entry / "model" / "weights.bin"
    metadata, seal = entry / "model" / "model.json", entry / "built-by-fusec"
    nans = weights.read_bytes()[:64] + b"\xff" * (weights.stat().st_size - 64)
    for path, damage in ((library, b""), (library, library.read_bytes()[:3000]),
                         (library, b"no library" * 1000), (weights, nans),
                         (metadata, metadata.read_bytes().replace(b'"bytes": ', b'"bytes": 1')),
                         (seal, None)):
        path.unlink() if damage is None else path.write_bytes(damage)
        if cache.run(model) != expected:
            yield f"{path.name} that was changed is used"
        if path.exists() and path.read_bytes() == damage:
            yield f"{path.name} that was changed was kept"
    if not is_cached(cache, model):
        yield "what was built anew is not kept"


def build_limit(fusec, folder):
    """What was not used for longest goes, and never what was built just now."""
    cache = Cache(fusec, folder)
    a, b = cache.models
    c = write_model(folder / "c.onnx", 7)
    is_cached(cache, a), is_cached(cache, b)
    if not is_cached(cache, a):
        yield "two small models are more than 2 GB"
    # Two of the three, which are about as large.
    size = sum(path.stat().st_size for path in cache.folder.rglob("*") if path.is_file())
    limit = f"{size // 1024 + 100}K"
    is_cached(cache, c, FUSEC_CACHE_LIMIT=limit)
    if {name[0] for name in cache.names()} != {"a", "c"}:
        yield f"used were b, a, c, and {cache.names()} are left of {limit}"
    is_cached(cache, b, FUSEC_CACHE_LIMIT="0")
    if [name[0] for name in cache.names()] != ["b"]:
        yield f"0 bytes keep {cache.names()}"
    done = subprocess.run([str(fusec), "run", str(a)], text=True, capture_output=True,
                          env=cache.environment | {"FUSEC_CACHE_LIMIT": "much"})
    yield from check_refusal(done, "FUSEC_CACHE_LIMIT is 'much'", "a limit that is no size")


def on_place(check):
    return lambda fusec, folder: check(Place(fusec, folder))


if __name__ == "__main__":
    sys.exit(checking.main(__doc__, {
        "full-disk": on_place(full_disk), "another-user": on_place(another_user),
        "kills": on_place(kills), "at-once": on_place(at_once),
        "build-kills": build_kills, "builds-at-once": builds_at_once,
        "build-compilers": build_compilers, "build-damage": build_damage,
        "build-limit": build_limit}))
