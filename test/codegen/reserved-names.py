# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the functions and types of the kernel vocabulary that codegen/Names.cpp does
not reserve: a value of that name would hide them in an emitted kernel.

  reserved-names.py ROOT
"""
import pathlib
import re
import sys


def vocabulary(text):
    """The names that a header defines in namespace fusec itself."""
    text = re.sub(r"namespace detail \{.*?\} // namespace detail", "", text, flags=re.S)
    # Parameters of macros stand where names do.
    parameters = {name.strip() for line in re.findall(r"#define \w+\(([^)]*)\)", text)
                  for name in line.split(",")}
    functions = re.findall(r"FUSEC_INLINE (?:[\w:<>]+ )+\**([a-z]\w*)\(", text)
    types = re.findall(r"^(?:struct|using) ([a-z]\w*)", text, flags=re.M)
    return set(functions + types) - parameters - {"operator", "namespace"}


def main():
    root = pathlib.Path(sys.argv[1])
    headers = sorted(header for folder in ("kernel", "kernel/isa", "cuda")
                     for header in (root / "runtime/include/fusec" / folder).glob("*.h"))
    defined = set().union(*(vocabulary(header.read_text()) for header in headers))
    if len(defined) < 80:
        sys.exit(f"found {len(defined)} names in {len(headers)} headers; the search is wrong")
    source = (root / "codegen/Names.cpp").read_text()
    lists = source[source.index("bool isKeyword"):source.index("static void collect(")]
    reserved = {word for line in re.findall(r'"([^"]*)"', lists) for word in line.split()}
    for name in sorted(defined - reserved):
        print(f"codegen/Names.cpp: does not reserve {name}")
    return 1 if defined - reserved else 0


sys.exit(main())
