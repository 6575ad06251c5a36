// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is to hold of any text.
#ifndef FUSEC_TEST_FUZZ_FOP_JUDGE_H
#define FUSEC_TEST_FUZZ_FOP_JUDGE_H

#include "compiler/fop/Instance.h"
#include "mlir/IR/MLIRContext.h"

namespace fusec {

/// How far a text has come.
struct Verdict {
  std::string fault; ///< empty: there is none
  bool isRead = false, isChecked = false, isCompared = false;
};

class Judge {
public:
  Judge();

  /// Takes the text as far as it comes: each definition that is right, with
  /// operands that fit or with `inputs`, is expanded, which has to be a module
  /// that holds, and computed both ways. No other text may do more than be
  /// refused.
  Verdict judge(const std::string &text,
                const std::vector<fop::TensorType> *inputs = nullptr);

private:
  void compare(const fop::Instance &instance, Verdict &verdict);

  mlir::MLIRContext context;
};

} // namespace fusec

#endif // FUSEC_TEST_FUZZ_FOP_JUDGE_H
