// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extents that a model leaves open, from the data that it is to run on.
#ifndef FUSEC_TOOLS_FUSEC_DATASHAPES_H
#define FUSEC_TOOLS_FUSEC_DATASHAPES_H

#include "compiler/CompileOptions.h"

namespace fusec::tool {

/// Sets the shapes of inputs whose extents neither the model nor the options
/// fix, as their files have them: `inputs` are NAME=FILE, and `testData` a
/// folder with input_0.pb, input_1.pb, ..., or empty. What does not fit is left
/// for who reads the data, and says what is wrong with it.
void takeShapes(CompileOptions &options, llvm::ArrayRef<std::string> inputs,
                llvm::StringRef testData);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_DATASHAPES_H
