// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the descriptor of a program for a GPU has in place of tables of kernels.
#include "codegen/DescriptorRows.h"
#include "codegen/Emitters.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace fusec::codegen {

void emitDevice(const ModelInfo &model, Names &names, SourceWriter &out) {
  SmallVector<std::string> lists, kernels, operands;
  for (const GroupInfo &group : model.groups) {
    out.raw();
    const auto declare = [&](StringRef suffix) {
      return names.declare(group.identifier, "group", suffix);
    };
    const std::string variants = declare("_variants");
    openVariants(variants, out);
    for (const VariantInfo &variant : group.variants)
      out.indented(variantRow(group, variant, "nullptr"));
    out.raw("};");
    const std::string variantList = declare("_list");
    lists.push_back("&" + variantList);
    out.line("const fusec_variant_list {} = FUSEC_VARIANT_LIST({});",
             variantList, variants);
    kernels.push_back(declare("_kernels"));
    out.line("const fusec_device_kernel {}[] = {{", kernels.back());
    for (const VariantInfo &variant : group.variants)
      out.indented(
          row({{"symbol", quoted(model.getSymbol(variant))},
               {"grid", std::to_string(variant.grid)},
               {"block", std::to_string(variant.block)},
               {"shared_bytes", std::to_string(variant.sharedBytes)},
               {"num_operands", std::to_string(group.parameters.size())},
               {"zeroed_bytes", std::to_string(variant.zeroedBytes)},
               {"reserved", "0"}}));
    out.raw("};");
    operands.push_back(declare("_operands"));
    kernel::FuncOp func = group.variants.front().func;
    out.line("const fusec_device_operand {}[] = {{", operands.back());
    for (BlockArgument argument : func.getArguments())
      out.indented(
          row({{"bytes",
                std::to_string(byteSize(cast<MemRefType>(argument.getType())))},
               {"is_written",
                argument.getArgNumber() < func.getNumInputs() ? "0" : "1"},
               {"reserved", "0"}}));
    out.raw("};");
  }
  out.raw();
  if (!model.groups.empty()) {
    out.line("const fusec_variant_list *const device_variants[] = {{{}}};",
             llvm::join(lists, ", "));
    out.line("const fusec_device_kernel *const device_kernels[] = {{{}}};",
             llvm::join(kernels, ", "));
    out.line("const fusec_device_operand *const device_operands[] = {{{}}};",
             llvm::join(operands, ", "));
  }
  out.line("const fusec_device_desc device_descriptor = {");
  const std::pair<StringRef, std::string> fields[] = {
      {"image", "FUSEC_DEVICE_IMAGE(" + model.files + ")"},
      {"variants", model.groups.empty() ? "nullptr" : "device_variants"},
      {"kernels", model.groups.empty() ? "nullptr" : "device_kernels"},
      {"operands", model.groups.empty() ? "nullptr" : "device_operands"},
      {"architecture",
       std::to_string(model.target->multiprocessor->getNumber())},
      {"reserved", "0"},
      {"weights_begin", std::to_string(model.weightsBegin)},
      {"weights_end", std::to_string(model.weightsEnd)},
      {"open", "FUSEC_DEVICE_OPEN"},
      {"close", "FUSEC_DEVICE_CLOSE"}};
  for (const auto &[field, value] : fields)
    out.indented("/*" + field.str() + "=*/" + value + ",");
  out.raw("};");
}

} // namespace fusec::codegen
