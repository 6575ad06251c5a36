// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/op/ScalarForms.h"

#include "codegen/TargetSyntax.h"
#include "dialects/TypeInfo.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

namespace fusec::tool::op {

using operators::Operator;
using operators::Parameter;

std::string refuseScalarText(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    llvm::StringRef rest = line.ltrim();
    if (!rest.consume_front("#") || !rest.ltrim().starts_with("include"))
      continue;
    rest = rest.ltrim().drop_front(7).trim();
    if (!rest.starts_with("\"fusec/scalars.h\""))
      return fmt::format("includes {} in line {}; the text of such a header is "
                         "put into kernels, and includes \"fusec/scalars.h\" "
                         "only",
                         rest.str(), number + 1);
  }
  return "";
}

std::vector<std::string> listScalarTypes(const Operator &op) {
  std::vector<std::string> types = op.inputs.front().types;
  llvm::erase_if(types, [&](const std::string &type) {
    return llvm::any_of(op.inputs, [&](const operators::Operand &input) {
      return !llvm::is_contained(input.types, type);
    });
  });
  return types;
}

/// The function as a member of a struct, which is called with elements and
/// parameters as arrays.
static std::string writeFunction(const Operator &op) {
  std::vector<std::string> arguments, names;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    arguments.push_back(fmt::format("x[{}]", i));
  for (const Parameter &parameter : op.parameters) {
    arguments.push_back(fmt::format("p[{}]", names.size()));
    names.push_back("\"" + parameter.name + "\"");
  }
  names.push_back("nullptr"); // an array has elements
  return fmt::format(
      "namespace {{\n"
      "struct Function {{\n"
      "  static constexpr int kInputs = {}, kNumParams = {};\n"
      "  static constexpr const char *kParams[] = {{{}}};\n"
      "  static constexpr bool kTakesLanes = {};\n"
      "  template <class V, class P>\n"
      "  static FUSEC_INLINE V call(const V *x, [[maybe_unused]] const P *p) "
      "{{\n"
      "    const auto result = ::fusec::scalars::{}{}({});\n"
      "    static_assert(std::is_same<decltype(result), const V>::value,\n"
      "                  \"the function gives another type than it takes\");\n"
      "    return result;\n"
      "  }}\n"
      "}};\n"
      "}} // namespace\n",
      op.inputs.size(), op.parameters.size(), llvm::join(names, ", "),
      op.scalar->takesLanes, op.scalar->name,
      op.scalar->takesLanes ? "<V>" : "", llvm::join(arguments, ", "));
}

static std::string writeInclude(llvm::StringRef path) {
  std::string text;
  for (char c : path)
    text += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return "#include \"" + text + "\"\n";
}

std::string writeScalarCheck(const Operator &op, llvm::StringRef header) {
  std::string text = writeInclude("fusec/scalars.h") +
                     "#include <type_traits>\n" + writeInclude(header) +
                     writeFunction(op);
  mlir::MLIRContext context;
  std::vector<std::string> done;
  for (const std::string &type : listScalarTypes(op)) {
    mlir::Type scalar =
        getComputeType(operators::findElement(type)->get(&context));
    const std::string element = codegen::valueTypeName(scalar);
    if (llvm::is_contained(done, element))
      continue;
    done.push_back(element);
    std::vector<std::string> forms = {element};
    if (op.scalar->takesLanes)
      forms.push_back(
          codegen::valueTypeName(mlir::VectorType::get({16}, scalar)));
    for (const std::string &form : forms)
      text += fmt::format(
          "template {0} Function::call<{0}, {1}>(const {0} *, "
          "const {1} *);\n",
          form.find("x16") == form.npos ? form : "fusec::" + form, element);
  }
  return text;
}

std::string writeScalarForm(const Operator &op, llvm::StringRef header) {
  std::string text = writeInclude("fusec/op_scalars.h") + writeInclude(header) +
                     writeFunction(op) +
                     "using namespace fusec::op;\n"
                     "static void compute(const Tensors &in, const Param "
                     "&params, Tensors &out,\n"
                     "                    const Context &context) {\n"
                     "  switch (in[0].dtype().abi()) {\n";
  mlir::MLIRContext context;
  for (const std::string &type : listScalarTypes(op)) {
    const TypeInfo &info = *operators::findElement(type);
    text += fmt::format("  case {}:\n    return computeElements<{}, Function>"
                        "(in, params, out, context);\n",
                        info.onnxCode,
                        codegen::storageTypeName(info.get(&context), true));
  }
  return text +
         fmt::format("  }}\n"
                     "  throw std::invalid_argument(\"takes no elements of "
                     "this type\");\n"
                     "}}\n"
                     "FUSEC_OP(Scalar).inputs({}).outputs(1).compute(\"cpu\", "
                     "compute);\n",
                     op.inputs.size());
}

} // namespace fusec::tool::op
