// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a library of operators says of itself in a section of its file, so that
// nobody has to load it: its operators, and all that it is made of.
#ifndef FUSEC_COMPILER_OPERATORS_MANIFEST_H
#define FUSEC_COMPILER_OPERATORS_MANIFEST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fusec {
struct TypeInfo;
}

namespace fusec::operators {

/// The section of the ELF file; its content is JSON.
inline constexpr llvm::StringLiteral kSection = ".fusec.ops";

/// The domain of operators that say none, in a library that says none.
inline constexpr llvm::StringLiteral kDefaultDomain = "custom";

/// A value of a parameter, by its kind: flag, integer, number, text, and lists.
using Value =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, std::vector<std::string>>;

/// "a list of integers", for messages.
llvm::StringRef getWords(const Value &value);
/// As C++ and people write it: {1, 2}.
std::string describe(const Value &value);

struct Parameter {
  std::string name;
  Value value; ///< of an operator: its default
};

/// An input or an output, as it is declared.
struct Operand {
  std::string name;
  std::vector<std::string> types; ///< "f32", ...; none: any
  uint32_t leastRank = 0, mostRank = 0;
  bool isQuantized = false;
  /// Of an output: whether it may, or must, lie where an input does.
  bool mayAlias = false, mustAlias = false;
  uint32_t aliasOf = 0;

  /// "x: f32 of rank 2".
  std::string describe() const;
  /// Whether it takes floats alone, or any type: then it has a gradient.
  bool isFloat() const;
};

/// What an operator does to each element, as a function that kernels call.
struct ScalarFunction {
  /// The header that has it: as the operator names it, and once a library is
  /// built the path among its sources.
  std::string file;
  std::string name;       ///< within fusec::scalars: "acme::swoosh"
  int64_t steps = 0;      ///< additions that take as long; 0: not said
  bool takesLanes = true; ///< it takes 16 elements at once
};

/// What the library exports of the form that is made of such a function: that
/// of operator number `index` of a unit.
std::string nameScalarQuery(unsigned unit, unsigned index);

/// One way of several to compute an operator on a device.
struct Algorithm {
  std::string name, device;
  bool isReproducible = true;
  /// Whether it asks for scratch memory of its own, in place of the operator's.
  bool hasWorkspace = false;
};

/// What all threads of a block of a GPU call together, in kernels.
struct BlockFunction {
  /// The header that has it: as the operator names it, and once a library is
  /// built the path among its sources.
  std::string file;
  std::string name; ///< "acme::row_softmax"
};

struct Operator {
  std::string domain, type;
  int64_t version = 1;
  unsigned unit = 0; ///< the translation unit that has it
  std::vector<Operand> inputs, outputs;
  std::vector<Parameter> parameters;
  std::vector<std::string> devices; ///< "cpu", "cuda"
  /// Where there is more to say than that each device has one; else none. Those
  /// of a device stand in the order in which they are preferred.
  std::vector<Algorithm> algorithms;
  std::optional<ScalarFunction> scalar;
  std::string gradient; ///< the operator that computes it; empty: none
  /// The unit that has its form for "cuda", if any: numbers of those in CUDA
  /// follow those of the others.
  std::optional<int64_t> cudaUnit;
  std::optional<BlockFunction> block;

  /// "custom.MatMulScale"
  std::string name() const { return domain + "." + type; }
  bool hasDevice(llvm::StringRef device) const;
  /// The one of that name on a device; null if there is nothing to say of it.
  const Algorithm *findAlgorithm(llvm::StringRef device,
                                 llvm::StringRef name) const;
};

struct Manifest {
  int64_t leastAbi = 1; ///< FUSEC_OP_ABI_VERSION that it needs
  std::string library;  ///< what it is called, an identifier
  std::string hash;     ///< of sources, units and flags: 16 digits
  std::string compiler; ///< for people
  std::vector<std::string> units, flags;
  /// The sources in CUDA, which launch kernels; only programs for GPUs have
  /// them, and the library itself does not.
  std::vector<std::string> cudaUnits;
  std::map<std::string, std::string> sources; ///< texts by path
  /// Of these, text of bodies (.fop), of which the operators were made: it is
  /// what a model gets, and the library is for other programs.
  std::vector<std::string> bodies;
  std::vector<Operator> operators;
};

/// Refuses operators whose gradients are none of `operators`, or do not take
/// and give what they have to. Names of gradients get their domains.
llvm::Error checkGradients(std::vector<Operator> &operators);

/// The type of an operator's tensor.
struct TensorType {
  std::string element; ///< "f32", ...
  std::vector<int64_t> dims;

  bool operator==(const TensorType &other) const {
    return element == other.element && dims == other.dims;
  }
  /// "f32[2, 3]".
  std::string describe() const;
};

/// What a quantised tensor of 8 bits stands for, (value - zero point) * scale:
/// one of each, or as many as dimension `axis` has. No scales: it is none.
struct Quantization {
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  int64_t axis = 0;

  bool isThere() const { return !scales.empty(); }
};

/// The element type that operators call `name` ("f32", "u8", "bool"), or null;
/// and what they call one, or "" where operators do not have it.
const TypeInfo *findElement(llvm::StringRef name);
std::string nameElement(int onnxCode);

llvm::json::Value toJson(const Operator &op);
llvm::json::Value toJson(const std::vector<Parameter> &parameters);
llvm::json::Value toJson(const TensorType &type);
llvm::Expected<Operator> operatorOfJson(const llvm::json::Value &json);
llvm::Expected<std::vector<Parameter>>
parametersOfJson(const llvm::json::Value *json);
llvm::json::Value toJson(const Quantization &quantization);
llvm::Expected<Quantization> quantizationOfJson(const llvm::json::Value &json);
llvm::Expected<TensorType> typeOfJson(const llvm::json::Value &json);

/// Refuses what needs a later version of fusec/op_abi.h than this fusec has.
llvm::Error checkAbi(int64_t leastAbi);

/// The text of the section.
std::string print(const Manifest &manifest);
llvm::Expected<Manifest> parse(llvm::StringRef text);

/// The hash of what a kernel has of a function of elements: of the text `file`,
/// and of how it is called.
std::string hashOf(const ScalarFunction &scalar, llvm::StringRef file);

/// The hash of what a library is made of.
std::string hashOf(const Manifest &manifest);

/// Reads the section of the file `path` and checks that it holds what it says.
/// Errors name the file: not there, no regular file, no library, truncated, not
/// built by `fusec op build`, of a later version.
llvm::Expected<Manifest> readLibrary(llvm::StringRef path);

} // namespace fusec::operators

#endif // FUSEC_COMPILER_OPERATORS_MANIFEST_H
