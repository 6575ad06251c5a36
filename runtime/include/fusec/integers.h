// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The integers of <stdint.h>, which NVRTC has no file for.
#ifndef FUSEC_INTEGERS_H
#define FUSEC_INTEGERS_H

#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
static_assert(sizeof(int64_t) == 8, "64-bit Linux");
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807L - 1)
#else
#include <stdint.h>
#endif

#endif
