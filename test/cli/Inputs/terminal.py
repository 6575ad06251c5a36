# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
r"""Runs a command on a terminal and prints what it says, with escapes as \e.

  terminal.py COMMAND...
"""
import os
import pty
import sys

os.environ.setdefault("TERM", "xterm-256color")
said = []

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:  # The command is gone.
        break
    if not data:
        break
    said.append(data)
os.waitpid(pid, 0)
print(b"".join(said).decode().replace("\r\n", "\n").replace("\033", "\\e"), end="")
