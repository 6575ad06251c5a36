// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The line of a shell by which fusec runs one call of an operator of a user's.
#ifndef FUSEC_DIALECTS_WORDS_TESTLINE_H
#define FUSEC_DIALECTS_WORDS_TESTLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fusec {

/// What stands behind `fusec op test LIBRARY`.
class TestLine {
public:
  /// `op` is its whole name: "acme.Swish".
  explicit TestLine(llvm::StringRef op) : op(op) {}

  /// `element` is the type's name in a module, or what operators call it.
  void addInput(llvm::StringRef element, llvm::ArrayRef<int64_t> dims);
  /// `value` is as `write` writes it.
  void addParameter(llvm::StringRef name, llvm::StringRef value) {
    addOption("--param", name, value);
  }
  void addQuantized(llvm::StringRef input, llvm::ArrayRef<double> scales,
                    llvm::ArrayRef<int64_t> zeroPoints, int64_t axis);

  /// "--op acme.Swish --shapes 4x8 --types f32 --param beta=2".
  std::string text() const;

  static std::string write(bool flag) { return flag ? "true" : "false"; }
  static std::string write(int64_t number) { return std::to_string(number); }
  static std::string write(double number);
  static std::string write(const std::string &text) { return text; }
  /// Lists are containers of these.
  template <typename T> static std::string write(const T &list) {
    std::string text;
    for (const auto &item : list)
      text += (text.empty() ? "" : ",") + write(item);
    return text;
  }

private:
  void addOption(llvm::StringRef option, llvm::StringRef name,
                 llvm::StringRef value);

  std::string op, shapes, types, options;
};

} // namespace fusec

#endif // FUSEC_DIALECTS_WORDS_TESTLINE_H
