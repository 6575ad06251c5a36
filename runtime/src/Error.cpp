// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Error.h"

#include <cstdarg>
#include <cstdio>

namespace fusec::rt {

fusec_status Error::set(fusec_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return status;
}

Error &threadError() {
  static thread_local Error error;
  return error;
}

} // namespace fusec::rt

extern "C" const char *fusec_status_name(fusec_status status) {
  switch (status) {
  case FUSEC_OK:
    return "ok";
  case FUSEC_INVALID_ARGUMENT:
    return "invalid argument";
  case FUSEC_ABI_MISMATCH:
    return "ABI mismatch";
  case FUSEC_IO_ERROR:
    return "input/output error";
  case FUSEC_BAD_WEIGHTS:
    return "bad weights";
  case FUSEC_OUT_OF_MEMORY:
    return "out of memory";
  case FUSEC_UNSUPPORTED:
    return "unsupported";
  case FUSEC_BUSY:
    return "busy";
  case FUSEC_DEVICE_ERROR:
    return "device error";
  case FUSEC_OP_FAILED:
    return "an operator failed";
  case FUSEC_BAD_STATE:
    return "bad state";
  }
  return "unknown status";
}

extern "C" const char *fusec_dtype_name(fusec_dtype dtype) {
  switch (dtype) {
  case FUSEC_F32:
    return "f32";
  case FUSEC_U8:
    return "u8";
  case FUSEC_I8:
    return "i8";
  case FUSEC_U16:
    return "u16";
  case FUSEC_I16:
    return "i16";
  case FUSEC_I32:
    return "i32";
  case FUSEC_I64:
    return "i64";
  case FUSEC_BOOL:
    return "bool";
  case FUSEC_F16:
    return "f16";
  case FUSEC_F64:
    return "f64";
  case FUSEC_U32:
    return "u32";
  case FUSEC_U64:
    return "u64";
  case FUSEC_BF16:
    return "bf16";
  case FUSEC_F8E4M3FN:
    return "f8E4M3FN";
  case FUSEC_F8E4M3FNUZ:
    return "f8E4M3FNUZ";
  case FUSEC_F8E5M2:
    return "f8E5M2";
  case FUSEC_F8E5M2FNUZ:
    return "f8E5M2FNUZ";
  case FUSEC_U4:
    return "u4";
  case FUSEC_I4:
    return "i4";
  case FUSEC_F4E2M1FN:
    return "f4E2M1FN";
  case FUSEC_F8E8M0FNU:
    return "f8E8M0FNU";
  case FUSEC_U2:
    return "u2";
  case FUSEC_I2:
    return "i2";
  case FUSEC_F6E2M3FN:
    return "f6E2M3FN";
  case FUSEC_F6E3M2FN:
    return "f6E3M2FN";
  }
  return "?";
}

extern "C" uint64_t fusec_dtype_bytes(fusec_dtype dtype) {
  switch (dtype) {
  case FUSEC_U8:
  case FUSEC_I8:
  case FUSEC_BOOL:
  case FUSEC_F8E4M3FN:
  case FUSEC_F8E4M3FNUZ:
  case FUSEC_F8E5M2:
  case FUSEC_F8E5M2FNUZ:
  case FUSEC_U4:
  case FUSEC_I4:
  case FUSEC_F4E2M1FN:
  case FUSEC_F8E8M0FNU:
  case FUSEC_U2:
  case FUSEC_I2:
  case FUSEC_F6E2M3FN:
  case FUSEC_F6E3M2FN:
    return 1;
  case FUSEC_F16:
  case FUSEC_BF16:
  case FUSEC_U16:
  case FUSEC_I16:
    return 2;
  case FUSEC_F32:
  case FUSEC_I32:
  case FUSEC_U32:
    return 4;
  case FUSEC_I64:
  case FUSEC_F64:
  case FUSEC_U64:
    return 8;
  }
  return 0;
}
