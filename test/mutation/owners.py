#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whose folders fusec uses, and which it removes: what it runs lies where only its user may
write, and nothing goes that it did not write.

  .venv/bin/python test/mutation/owners.py [--build build] [TOPIC...]

Prints what is wrong; exit code 1 if anything is.
"""
import os
import shutil
import stat
import subprocess
import sys

import checking
import folders

NOBODY = 65534


def run(fusec, model, environment, **variables):
    return subprocess.run([str(fusec), "run", str(model)], capture_output=True, text=True,
                          env=environment | {key: str(value) for key, value in variables.items()})


def make_strangers(place):
    """Folders that only look as if fusec had written them, and what is in them."""
    outside = place / "outside"
    outside.mkdir(parents=True)
    (outside / "kept").write_text("outside")
    folder = place / "folder"
    folder.mkdir()
    (folder / "model.so").write_text("mine")
    (place / "link").symlink_to(outside)
    return [outside / "kept", folder / "model.so", place / "link" / "kept"]


def make_marked(folder):
    folder.mkdir()
    folder.chmod(0o1700)
    return folder


def complain_gone(kept, when):
    for path in kept:
        if not path.exists():
            yield f"{when}: {path.name} in {path.parent.name} is gone"


def clean_up(fusec, place):
    """Beside an output only what carries the mark goes, whatever it is called."""
    model = folders.write_model(place / "m.onnx", 3)
    backup = place / "out.fusec-backup"
    kept = make_strangers(backup)
    elsewhere = make_marked(place / "elsewhere")
    (place / "out.fusec-linked").symlink_to(elsewhere)
    kept += [elsewhere, make_marked(place / "other.fusec-killed")]
    # Killed in its work; in its first moment or its last.
    left = [make_marked(place / f"out.fusec-{name}") for name in ("work", "first")]
    (left[0] / "new").mkdir()
    (left[0] / "new" / "link").symlink_to(backup)
    done = folders.run([fusec, "compile", model, "-o", place / "out"])
    if done.returncode:
        yield f"a compilation fails: {done.stderr}"
    yield from complain_gone(kept, "a compilation")
    for folder in left:
        if folder.exists():
            yield f"what a killed compilation left stays: {folder.name}"


def find_late(log, entry):
    """Files of an entry that were not on disk when it came to its place, and whether the
    place was afterwards."""
    lines = log.read_text().splitlines()
    if f"rename {entry}" not in lines:
        return ["an entry that nothing put in its place"], False
    rename = lines.index(f"rename {entry}")
    synced = {line.split("/new", 1)[1] for line in lines[:rename] if "/new" in line}
    late = [str(path.relative_to(entry)) for path in [entry, *sorted(entry.rglob("*"))]
            if f"/{path.relative_to(entry)}".removesuffix("/.") not in synced]
    return late, f"sync {entry.parent}" in lines[rename:]


def cache(fusec, place):
    """It is made for its user alone, an entry is on disk before it is in its place, and
    entries alone go where the limit is small. The folder may be a link."""
    model = folders.write_model(place / "m.onnx", 3)
    home, real = place / "home", place / "real"
    real.mkdir(mode=0o755)
    home.mkdir()
    (home / "fusec").symlink_to(real)
    kept = make_strangers(real)
    preload = place / "log.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(preload),
                    str(checking.REPOSITORY / "test/mutation/Inputs/log-syncs.c"), "-ldl"],
                   check=True)
    log = place / "syncs"
    environment = dict(os.environ, XDG_CACHE_HOME=str(home), FUSEC_CACHE_LIMIT="0")
    done = run(fusec, model, environment, LD_PRELOAD=preload, SYNCS=log)
    if done.returncode:
        yield f"a model does not run: {done.stderr}"
        return
    yield from complain_gone(kept, "a small limit")
    entry, = real.glob("m-*")
    late, is_place_synced = find_late(log, entry)
    if late or not is_place_synced:
        yield f"not on disk when the entry came to its place: {late or 'the place'}"
    # Other entries do go.
    shutil.copytree(entry, real / "old-entry")
    os.utime(real / "old-entry", (1, 1))
    (entry / "model" / "model.json").write_text("{}")
    run(fusec, model, environment)
    if (real / "old-entry").exists():
        yield "an entry that was not used stays"
    yield from complain_gone(kept, "another build")


def rights(fusec, place):
    """A folder that others may write to is refused, and nothing in it is run."""
    model = folders.write_model(place / "m.onnx", 3)
    home = place / "deep" / "home"
    environment = dict(os.environ, XDG_CACHE_HOME=str(home))
    mask = os.umask(0)
    # What is wrong with the compiler is said once the folder is there.
    run(fusec, model, environment, CXX="false")
    os.umask(mask)
    for folder in (home.parent, home, home / "fusec"):
        if stat.S_IMODE(folder.stat().st_mode) != 0o700:
            yield f"{folder.name} is made with mode {folder.stat().st_mode:o}"
    shared = home / "fusec"
    wrongs = [(shared, 0o777, "its mode is 0777"), (shared, 0o1770, "its mode is 1770"),
              (home, 0o777, "lies in a folder that all users may write to")]
    for folder, mode, text in wrongs:
        folder.chmod(mode)
        yield from folders.check_refusal(run(fusec, model, environment), text, f"mode {mode:o}")
        folder.chmod(0o700)
    if os.geteuid() == 0:
        for folder, text in ((shared, "belongs to another user (number 65534)"),
                             (home, "lies in a folder of another user")):
            os.chown(folder, NOBODY, -1)
            yield from folders.check_refusal(run(fusec, model, environment), text, "owner")
            os.chown(folder, 0, -1)


def no_home(fusec, place):
    """Without a home of its own nothing is kept, and nothing lies in a shared folder."""
    model = folders.write_model(place / "m.onnx", 3)
    scratch = place / "scratch"
    scratch.mkdir()
    environment = os.environ | {"HOME": "relative", "XDG_CACHE_HOME": "too",
                                "TMPDIR": str(scratch)}
    done = subprocess.run([str(fusec), "run", str(model)], capture_output=True, text=True,
                          cwd=place, env=environment)
    if done.returncode or "so what is built is not kept" not in done.stderr:
        yield f"exit code {done.returncode}: {done.stderr}"
    if os.listdir(scratch) or sorted(os.listdir(place)) != ["m.onnx", "scratch"]:
        yield f"left are {os.listdir(scratch)}, {os.listdir(place)}"


if __name__ == "__main__":
    sys.exit(checking.main(__doc__, {"clean-up": clean_up, "cache": cache, "rights": rights,
                                     "no-home": no_home}))
