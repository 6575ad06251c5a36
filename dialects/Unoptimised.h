// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Around what TableGen defines for operations: tens of thousands of lines that run
// seldom. Optimising them took longer than compiling all that is written by hand in
// the dialects, and no model compiles faster for it.
#ifndef FUSEC_DIALECTS_UNOPTIMISED_H
#define FUSEC_DIALECTS_UNOPTIMISED_H

#ifdef __clang__
#define FUSEC_UNOPTIMISED_BEGIN _Pragma("clang optimize off")
#define FUSEC_UNOPTIMISED_END _Pragma("clang optimize on")
#else
#define FUSEC_UNOPTIMISED_BEGIN
#define FUSEC_UNOPTIMISED_END
#endif

#endif // FUSEC_DIALECTS_UNOPTIMISED_H
