# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian package, on a system that has what it depends on and nothing else.

That system is a folder: the files of the packages that fusec.deb depends on, directly
and in turn, as this machine has them, with a dpkg database of its own."""
import os
import pathlib
import re
import shutil

from support import EXAMPLES, fresh, require, run

# What Debian takes for granted (Essential), as far as a program needs it to start.
ESSENTIAL = ["base-files", "libc-bin"]


def installed_packages():
    """Name -> the paragraph of this machine's dpkg database."""
    packages = {}
    architectures = ("all", run("dpkg", "--print-architecture").strip())
    for paragraph in pathlib.Path("/var/lib/dpkg/status").read_text().split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+): *(.*)", paragraph, re.M))
        if "ok installed" in fields.get("Status", "") and \
                fields.get("Architecture") in architectures:
            packages[fields["Package"]] = (fields, paragraph)
    return packages


def names_of(relation):
    """"a (>= 1), b | c": [["a"], ["b", "c"]]."""
    return [[re.split(r"[ :(]", choice.strip())[0] for choice in group.split("|")]
            for group in relation.split(",") if group.strip()]


def closure(relation, packages):
    """The packages that satisfy `relation`, and those that satisfy theirs."""
    found, todo = {}, names_of(relation)
    while todo:
        choices = todo.pop()
        name = next((c for c in choices if c in packages), None)
        if name is None:  # a virtual package: somebody here provides it
            name = next((p for p, (fields, _) in packages.items()
                         if any(c in sum(names_of(fields.get("Provides", "")), [])
                                for c in choices)), None)
        require(name, f"nothing installed satisfies {' | '.join(choices)}")
        if name not in found:
            fields, found[name] = packages[name]
            todo += names_of(fields.get("Depends", "") + "," + fields.get("Pre-Depends", ""))
    return found


def place(name, root):
    """Puts the files of an installed package below `root`."""
    for line in run("dpkg", "-L", name).splitlines():
        source = pathlib.Path(line)
        # Where /lib is a link to /usr/lib, so it is there.
        target = root / source.parent.resolve().relative_to("/") / source.name
        if line in ("/.", "") or target.is_symlink() or target.is_file():
            continue
        if source.is_dir() and not source.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
        elif os.path.lexists(source) and not re.match("/usr/share/(doc|man|locale)", line):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target, follow_symlinks=False)
            except OSError:
                shutil.copy2(source, target, follow_symlinks=False)


def make_system(root, packages):
    """A system with these packages; what dpkg keeps, and /lib where programs want it."""
    database = fresh(root) / "var/lib/dpkg"
    for folder in (database / "info", database / "updates", root / "tmp", root / "usr"):
        folder.mkdir(parents=True)
    for name in ("lib", "lib64", "bin"):
        if pathlib.Path(f"/{name}").is_symlink():
            (root / name).symlink_to(f"usr/{name}")
    for name in packages:
        place(name, root)
    (database / "status").write_text("\n\n".join(packages.values()) + "\n")


def files_below(root):
    return {str(p.relative_to(root)) for p in root.rglob("*")
            if not str(p.relative_to(root)).startswith(("var/", "tmp/"))}


def deb(work, _):
    folder = fresh(work / "deb")
    run("cpack", "--config", work.parents[1] / "CPackConfig.cmake", "-B", folder)
    archive, = folder.glob("fusec_*.deb")
    check(archive, folder / "system")


def check(archive, root):
    depends = run("dpkg-deb", "-f", archive, "Depends").strip()
    for library in ("libmlir-22", "libllvm22", "libisl23", "libc6", "libstdc++6"):
        require(any([library] == names for names in names_of(depends)),
                f"does not depend on {library}: {depends}")
    require("-dev" not in depends, f"depends on what only a build needs: {depends}")

    wanted = closure(depends + "," + ",".join(ESSENTIAL), installed_packages())
    make_system(root, wanted)
    before = files_below(root)
    # A user who is not root is one in a name space of his own.
    as_root = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
    dpkg = [*as_root, "dpkg", f"--root={root}", "--force-not-root", "--log=/dev/null"]

    # Without one of them it must not be installed.
    status = root / "var/lib/dpkg/status"
    complete = status.read_text()
    status.write_text("\n\n".join(p for p in complete.split("\n\n")
                                  if not p.startswith("Package: libisl23\n")))
    text = run(*dpkg, "--install", archive, code=1)
    require("libisl23" in text, f"dpkg does not miss libisl23:\n{text}")
    run(*dpkg, "--purge", "fusec")
    status.write_text(complete)

    run(*dpkg, "--install", archive)
    shutil.copy(EXAMPLES / "digits/digits.onnx", root / "tmp")
    run(*as_root, "chroot", root, "/usr/bin/fusec", "compile", "/tmp/digits.onnx",
        "-o", "/tmp/out")
    require((root / "tmp/out/digits_kernels.cpp").exists(), "nothing was compiled")
    # The package for CMake is where CMake looks.
    require((root / "usr/share/cmake/fusec/fusecConfig.cmake").exists(), "no fusecConfig")
    run(*dpkg, "--remove", "fusec")
    left = files_below(root) - before
    require(not left, f"removed, but left {sorted(left)}")
    shutil.rmtree(root)
