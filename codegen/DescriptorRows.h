// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the tables that make up a model's descriptor.
#ifndef FUSEC_CODEGEN_DESCRIPTORROWS_H
#define FUSEC_CODEGEN_DESCRIPTORROWS_H

#include "codegen/ModelInfo.h"
#include "codegen/Names.h"
#include "codegen/SourceWriter.h"

namespace fusec::codegen {

/// A C string literal.
std::string quoted(llvm::StringRef text);

/// A key or hash of 16 hexadecimal digits, which may be empty.
std::string hexNumber(llvm::StringRef digits);

/// A struct: `{/*name=*/"x", /*rank=*/2}`. C++17 has no other names for its
/// fields.
std::string
braced(llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> fields);

/// The same as a row of a table, with a comma behind it.
std::string row(llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> fields);

/// Opens the table `name` of fusec_variant_desc.
void openVariants(const std::string &name, SourceWriter &out);

/// A kernel of a group, as a fusec_variant_desc: `kernel` is its function.
std::string variantRow(const GroupInfo &group, const VariantInfo &variant,
                       const std::string &kernel);

/// An alternative of a choice, which makes `launches`, as a fusec_variant_desc.
std::string alternativeRow(const AlternativeInfo &alternative,
                           const std::string &launches, bool isReproducible);

/// A fusec_selector: from how many threads on, on which instruction sets or
/// stronger ones (FUSEC_ISA_BASELINE: all), variant number `variant` runs.
struct SelectorRow {
  unsigned variant;
  std::string isa;
  int64_t threads;

  bool operator==(const SelectorRow &other) const;
};

/// Those of a group's kernels on `isa`: the first whose condition holds is
/// taken.
std::vector<SelectorRow> listSelectors(const GroupInfo &group,
                                       llvm::StringRef isa);

/// Those of the alternatives of a choice.
std::vector<SelectorRow> listSelectors(const ChoiceInfo &choice,
                                       const TargetInfo &target);

/// The fusec_variant_list `name` of the table `variants`, and the table of its
/// selectors, if it has any, which is called `selectors`.
void emitList(const std::string &name, const std::string &variants,
              const std::string &selectors, llvm::ArrayRef<SelectorRow> rows,
              SourceWriter &out);

/// The name of the array of a tensor's dims; `kind` is "input", "output" or
/// "state".
std::string nameDims(llvm::StringRef kind, const TensorInfo &tensor);

/// A fusec_tensor_desc in braces.
std::string describeTensor(llvm::StringRef kind, const TensorInfo &tensor);

/// The arrays `least` and `padding` of an entry whose runs may have smaller
/// extents, and how many rows the latter has.
void emitPadding(const ModelInfo &model, SourceWriter &out);

size_t countPadding(const ModelInfo &model);

/// Of a program for a GPU: the variants of its kernels, how they are launched,
/// what they access, and where their code is. It declares names.
void emitDevice(const ModelInfo &model, Names &names, SourceWriter &out);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_DESCRIPTORROWS_H
