# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests each operator of libhostile.so: its exit code and the first line of what is said.

hostile-ops.py FOLDER
"""
import os
import re
import subprocess
import sys
import time
from pathlib import Path

folder = Path(sys.argv[1])
library = folder / "libhostile.so"
listed = subprocess.run(["fusec", "op", "ls", library], capture_output=True, text=True,
                        check=True).stdout
for name in re.findall(r"custom\.(\w+)", listed):
    begin = time.monotonic()
    done = subprocess.run(
        ["fusec", "op", "test", library, "--op", name, "--shapes", "4x8",
         "--timeout", "2" if name == "Endless" else "60"],
        capture_output=True, text=True, timeout=60)
    took = time.monotonic() - begin
    lines = done.stderr.splitlines() or done.stdout.splitlines()[1:]
    text = re.sub(r"^\S*libhostile\.so: error: ", "", lines[0])
    print(f"{name}: {done.returncode}: {text}")
    if took > 15:
        print(f"took {took:.0f} s")
# What a library starts ends with the process that runs it, also where that is killed.
killed = subprocess.Popen(["fusec", "op", "test", library, "--op", "Endless", "--shapes", "4x8"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(2)
assert killed.poll() is None
killed.kill()
killed.wait()
time.sleep(1)
left = 0
for entry in Path("/proc").iterdir():
    try:
        command = (entry / "cmdline").read_bytes().decode().split("\0")
    except (OSError, UnicodeDecodeError):
        continue
    if str(library) in command and "host" in command and int(entry.name) != os.getpid():
        left += 1
print(f"{left or 'none'} left behind")
