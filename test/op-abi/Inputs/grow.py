# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of operators as a later fusec may have it, and what may not change.

  grow.py copy FOLDER OUT           copies the headers of FOLDER to OUT, where they include each
                                    other and no others, wherever they lie
  grow.py grow FOLDER OUT [LEAST]   the same, of a version more and with a field more at the end
                                    of each struct; what is built with them says that it needs
                                    version LEAST (default: 1)
  grow.py constants OLD NEW         each constant of OLD/op_abi.h has the same value in NEW's
"""
import pathlib
import re
import sys

HEADERS = ["op.h", "op_abi.h", "op_define.h", "op_grid.h", "op_param.h", "op_types.h",
           "op_unit.h"]
VERSION = re.compile(r"(#define FUSEC_OP_ABI_VERSION )(\d+)u")
# What begins with its size may grow; a field of a function has lines of its own.
STRUCT = re.compile(r"(typedef struct (\w+) \{\n  uint32_t struct_bytes;\n.*?)(\n\} \2;)", re.DOTALL)
LEAST = "/*least_abi=*/1;"


def substitute(pattern, replacement, text, least):
    text, count = re.subn(pattern, replacement, text)
    assert count >= least, f"{pattern}: {count} places"
    return text


def copy(source, target, change=lambda name, text: text):
    target = pathlib.Path(target)
    target.mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        if not (pathlib.Path(source) / name).exists():
            continue  # younger than those
        text = (pathlib.Path(source) / name).read_text()
        text = text.replace('#include "fusec/', '#include "')
        (target / name).write_text(change(name, text))


def grow(source, target, needs="1"):
    def change(name, text):
        if name == "op_abi.h":
            text = substitute(VERSION, lambda match: f"{match[1]}{int(match[2]) + 1}u", text, 1)
            text = substitute(STRUCT, r"\1\n  uint64_t grown; /* of the next version */\3", text, 8)
        if name == "op_unit.h":
            text = substitute(re.escape(LEAST), f"/*least_abi=*/{needs};", text, 1)
        return text

    copy(source, target, change)


def constants(folder):
    text = (pathlib.Path(folder) / "op_abi.h").read_text()
    found = re.findall(r"\b(FUSEC_OP_\w+) = (\d+)", text)
    found += re.findall(r"#define (FUSEC_OP_MAX\w+) (\w+)", text)
    return dict(found)


def hold(old, new):
    known, now = constants(old), constants(new)
    changed = [name for name in known if now.get(name) != known[name]]
    print(f"{len(known)} constants, changed: {', '.join(changed) or 'none'}")
    return bool(changed)


if __name__ == "__main__":
    sys.exit({"copy": copy, "grow": grow, "constants": hold}[sys.argv[1]](*sys.argv[2:]))
