// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --args of the command line: what a kernel gets, and how it is printed
// afterwards.
#ifndef FUSEC_TOOLS_PTXSIM_ARGUMENTS_H
#define FUSEC_TOOLS_PTXSIM_ARGUMENTS_H

#include "tools/ptx-sim/Device.h"

namespace fusec::ptx {

/// One word of --args: f32[1024]=rand is a buffer, i32=5 a value.
struct Argument {
  std::string text, type, fill;
  uint64_t count = 1;
  bool isBuffer = false;
  uint64_t address = 0; ///< of a buffer, once it is there
  std::vector<uint8_t> bytes;

  unsigned elementSize() const;
  /// "0.5", of the bytes of an element.
  std::string format(const uint8_t *element) const;
};

/// Throws Error for what is wrong, which it names.
std::vector<Argument> parseArguments(const std::string &text);

/// That no float is given for an integer or the other way round, whose bits
/// would mean something else; PTX may leave open (.b32) what a parameter is.
/// Throws Error.
void checkKinds(const Module &module, const Function &kernel,
                const std::vector<Argument> &arguments);

/// Allocates the buffer and fills it, unless it is to stay poisoned.
void place(Device &device, Argument &argument, size_t number);

/// "4,2" to a size; Y and Z default to 1.
Dim3 parseDim(const std::string &option, const std::string &text);

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_ARGUMENTS_H
