// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program `fusec` of a later version, as far as libraries of operators see
// it: its child process that loads them (`fusec op host`), compiled with a
// grown interface.
#include "tools/fusec/op/HostCommand.h"

#include <cstdlib>

int main(int argc, char **argv) {
  // NAME op host LIBRARY UNITS
  return argc == 5 ? fusec::tool::op::hostLibrary(argv[3], std::atoi(argv[4]))
                   : 64;
}
