// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host program and the table know of the kernels.
#include "codegen/Emitters.h"
#include "codegen/SourceWriter.h"

using namespace mlir;

namespace fusec::codegen {

std::string emitKernelsHeader(const ModelInfo &model) {
  SourceWriter out;
  std::string guard = StringRef(model.identifier).upper() + "_KERNELS_H";
  out.comment(kEmittedBy);
  const bool isForDevice = model.isForDevice();
  out.comment("The kernels of `" + model.identifier +
              "`: one signature per group" +
              (isForDevice ? "." : ", one table per instruction set."));
  out.raw("#ifndef " + guard);
  out.raw("#define " + guard);
  out.raw();
  out.raw("#include \"fusec/abi.h\"");
  out.raw("#include \"fusec/element.h\"");
  out.raw();
  out.raw("namespace " + model.identifier + " {");
  for (const GroupInfo &group : model.groups) {
    out.raw();
    std::string head = "using " + group.identifier + "_fn = void(";
    std::string indent(head.size(), ' ');
    if (!isForDevice)
      out.raw(head + "const fusec_kernel_ctx *ctx,");
    kernel::FuncOp func = group.variants.front().func;
    // Comments stand in one column.
    size_t width = 0;
    SmallVector<std::string> lines;
    for (BlockArgument argument : func.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto type = cast<MemRefType>(argument.getType());
      std::string line = number < func.getNumInputs() ? "const " : "";
      line += storageTypeName(type, /*qualified=*/true);
      line += " *" + group.parameters[number];
      line += number + 1 == func.getNumArguments() ? ");" : ",";
      width = std::max(width, line.size());
      lines.push_back((isForDevice && !number ? head : indent) + line);
    }
    for (auto [line, argument] : llvm::zip_equal(lines, func.getArguments()))
      out.raw(line + std::string(indent.size() + width - line.size(), ' ') +
              " // " + describeType(cast<MemRefType>(argument.getType())));
  }
  out.raw();
  out.raw("} // namespace " + model.identifier);
  if (!model.groups.empty() && !isForDevice) {
    out.raw();
    for (StringRef isa : model.furtherIsas)
      out.line("#define FUSEC_WANTS_" + isa.upper() + "_KERNELS");
    for (const KernelTable &table : model.tables)
      for (StringRef isa : model.getIsas())
        if (!isa.empty())
          out.line("extern \"C\" const fusec_variant_list *const " +
                   table.identifier + "_kernels_" + isa + "[];");
  }
  out.raw();
  out.raw("#endif");
  return out.text();
}

} // namespace fusec::codegen
