/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What abidw describes: every type of the interface is reached from here. */
#include "fusec/op_abi.h"

const fusec_op_unit *fusec_op_query(uint32_t abi_version) {
  static const fusec_op_unit unit;
  (void)abi_version;
  return &unit;
}
