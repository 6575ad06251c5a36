// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of an operator whose elements a function computes: the C++ that `fusec op
// build` compiles to see whether kernels can call it, and to put a form of it
// into the library.
#ifndef FUSEC_TOOLS_FUSEC_OP_SCALARFORMS_H
#define FUSEC_TOOLS_FUSEC_OP_SCALARFORMS_H

#include "compiler/operators/Manifest.h"

namespace fusec::tool::op {

/// Why the text of a header cannot be put into kernels; "" where it can.
std::string refuseScalarText(llvm::StringRef text);

/// The element types that the operator takes, of all its inputs.
std::vector<std::string> listScalarTypes(const operators::Operator &op);

/// Calls the function of `op` as kernels do, for each of its types. `header` is
/// the path of the file that has it.
std::string writeScalarCheck(const operators::Operator &op,
                             llvm::StringRef header);

/// The translation unit that has the form.
std::string writeScalarForm(const operators::Operator &op,
                            llvm::StringRef header);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_SCALARFORMS_H
