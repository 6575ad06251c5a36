# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says in how many bits the PTX in stdin multiplies by numbers.

  wide-products.py 'NUMBER|...'
"""
import re
import sys

number = sys.argv[1]
products = re.findall(rf"\b(?:mul|mad)\.(\S+)\s[^;]*\b(?:{number})\b", sys.stdin.read())
widths = {64 if kind in ("lo.s64", "wide.u32", "wide.s32") else 32 for kind in products}
if len(widths) != 1:
    sys.exit(f"products of {number}: {products}")
print(f"products of {number} have {widths.pop()} bits")
