# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""help.py FOLDER: all options of each --help of fusec must be in the files of FOLDER: the
scripts bash, zsh and fish, and the page man. Where a shell or groff is there, it parses
its file without a word."""
import pathlib
import re
import shutil
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
texts = {name: (folder / name).read_text() for name in ("bash", "zsh", "fish", "man")}


def read_help(path):
    """The options of a command and of those in it, each with its command."""
    text = subprocess.run([*path, "--help"], capture_output=True, text=True,
                          check=True).stdout
    options = [(path, name) for name in re.findall(r"^  (?:-\w,)?--([\w-]+)", text, re.M)]
    commands = text.partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    for name in re.findall(r"^  (\w\S*)", commands, re.M):
        options += read_help([*path, name])
    return options


def section(name, path):
    """What a file says of one command."""
    title, text = " ".join(path), texts[name]
    if name == "bash":
        return re.search(rf"^    '{title}'\) options=.*$", text, re.M).group()
    if name == "zsh":
        return re.search(rf"^_{title.replace(' ', '_')}\(\) {{\n.*?^}}$", text,
                         re.M | re.S).group()
    if name == "man":
        heading = "OPTIONS" if len(path) == 1 else title.upper()
        return text.partition(f".SH {heading}\n")[2].partition("\n.SH ")[0].replace("\\-", "-")
    words = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in path[1:])
    return "\n".join(line for line in text.splitlines() if f"-n '{words}" in line)


options = read_help(["fusec"])
for path, option in options:
    for name in texts:
        part, word = section(name, path), option if name == "fish" else "--" + option
        assert re.search(rf"{word}(?![\w-])", part), f"{' '.join(path)}: {word} is not in {name}"
for name in ("bash", "zsh", "fish"):
    if shutil.which(name):
        subprocess.run([name, "-n", folder / name], check=True)
if shutil.which("groff"):
    said = subprocess.run(["groff", "-man", "-ww", "-z", folder / "man"], check=True,
                          capture_output=True, text=True).stderr
    assert not said, said
print(f"all of {len(options)} options in {', '.join(texts)}")
