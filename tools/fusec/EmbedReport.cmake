# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT, a C++ string literal with the page of ROOT, its style and its scripts
# in it; only the data is left to fusec.
file(READ ${ROOT}/page.html page)
file(READ ${ROOT}/style.css style)
set(script)
foreach(name layout model graph panel)
  file(READ ${ROOT}/${name}.js text)
  # One script may be strict only once, at its beginning.
  string(REPLACE "'use strict';\n" "" text "${text}")
  string(APPEND script "${text}")
endforeach()
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "'use strict';\n${script}" page "${page}")
file(WRITE ${OUTPUT}.tmp "R\"fusec-text(${page})fusec-text\"\n")
file(RENAME ${OUTPUT}.tmp ${OUTPUT})
