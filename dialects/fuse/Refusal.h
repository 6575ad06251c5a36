// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why neighbours are not one kernel. Fusion says it in remarks; their metadata
// has the same as an attribute, which the module keeps until it is emitted, so
// that a folder can tell what a compilation said.
#ifndef FUSEC_FUSE_REFUSAL_H
#define FUSEC_FUSE_REFUSAL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

namespace fusec::fuse {

/// The attribute of a module: an array of what `describeRefusal` returns.
inline constexpr llvm::StringLiteral kRefusalsAttr = "fuse.refusals";

/// `node` was not joined with its reader `reader`, which lies in `group`, or
/// whose routine `group` names. Without a reader: all of `group` was refused.
inline mlir::DictionaryAttr describeRefusal(mlir::MLIRContext *context,
                                            llvm::StringRef node,
                                            llvm::StringRef reader,
                                            llvm::StringRef group,
                                            llvm::StringRef reason) {
  mlir::Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("group", builder.getStringAttr(group)),
       builder.getNamedAttr("node", builder.getStringAttr(node)),
       builder.getNamedAttr("reader", builder.getStringAttr(reader)),
       builder.getNamedAttr("reason", builder.getStringAttr(reason))});
}

/// Makes `remark` one about a refusal.
inline void attachRefusal(mlir::InFlightDiagnostic &remark,
                          mlir::DictionaryAttr refusal) {
  remark.getUnderlyingDiagnostic()->getMetadata().push_back(
      mlir::DiagnosticArgument(mlir::Attribute(refusal)));
}

/// What was attached, or null: a diagnostic about something else.
inline mlir::DictionaryAttr getRefusal(mlir::Diagnostic &diagnostic) {
  for (mlir::DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() ==
        mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      return llvm::dyn_cast<mlir::DictionaryAttr>(argument.getAsAttribute());
  return {};
}

} // namespace fusec::fuse

#endif // FUSEC_FUSE_REFUSAL_H
