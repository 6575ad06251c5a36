// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of operators that there are and that no converter is for, so that who
// uses one is not told that it is misspelt; and what to say of others.
#include "compiler/import/KnownOperators.h"
#include "compiler/import/Message.h"
#include "compiler/import/Registry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec {

/// ONNX Runtime's schemas of com.microsoft, less those of the registry.
static constexpr llvm::StringLiteral kMicrosoftOperators[] = {
    "AttnLSTM",
    "BeamSearch",
    "BiasAdd",
    "BiasDropout",
    "BiasSoftmax",
    "BiasSplitGelu",
    "BifurcationDetector",
    "BitmaskBiasDropout",
    "BitmaskDropout",
    "BranchwiseRMSNorm",
    "CDist",
    "CausalConvWithState",
    "ComplexMul",
    "ComplexMulConj",
    "ConvTransposeWithDynamicPads",
    "CropAndResize",
    "DecoderAttention",
    "DecoderMaskedMultiHeadAttention",
    "DecoderMaskedSelfAttention",
    "DequantizeBFP",
    "DequantizeWithOrder",
    "DynamicQuantizeLSTM",
    "DynamicSparseAttention",
    "DynamicTimeWarping",
    "EPContext",
    "EngramGate",
    "ExpandDims",
    "FusedMatMulActivation",
    "GatedAdd",
    "GatedDeltaNet",
    "GatedRMSNorm",
    "GatedRelativePositionBias",
    "GatherND",
    "GemmFastGelu",
    "GemmFloat8",
    "GemmaRotaryEmbedding",
    "GreedySearch",
    "GridSample",
    "GroupNorm",
    "HyperConnectionPostMix",
    "HyperConnectionPreMix",
    "Inverse",
    "Irfft",
    "IsAllFinite",
    "LinearAttention",
    "LinearAttentionGate",
    "LongformerAttention",
    "MRotaryEmbedding",
    "MatMulBlockQuantizedFp4Weight",
    "MatMulBlockQuantizedFp8Weight",
    "MatMulBnb4",
    "MatMulFpQ4",
    "MatMulInteger16",
    "MatMulNBitsMlp",
    "MatMulNBitsQkv",
    "MaxpoolWithMask",
    "MoE",
    "MulInteger",
    "MurmurHash3",
    "NGramHashMapping",
    "NGramRepeatBlock",
    "NhwcConv",
    "NhwcFusedConv",
    "NhwcMaxPool",
    "PackedAttention",
    "PackedMultiHeadAttention",
    "PackedSparseAttentionIndexer",
    "Pad",
    "PagedAttention",
    "QEmbedLayerNormalization",
    "QLinearConv",
    "QLinearReduceMean",
    "QMoE",
    "QOrderedAttention",
    "QOrderedGelu",
    "QOrderedLayerNormalization",
    "QOrderedLongformerAttention",
    "QOrderedMatMul",
    "QuantizeBFP",
    "QuantizeWithOrder",
    "Range",
    "ReduceSumInteger",
    "RelativePositionBias",
    "RemovePadding",
    "RestorePadding",
    "Rfft",
    "SampleOp",
    "Sampling",
    "ScaledSiLU",
    "SkipGroupNorm",
    "Snpe",
    "SparseAttention",
    "SparseAttentionIndexer",
    "SparsePagedAttention",
    "SparseToDenseMatMul",
    "Tokenizer",
    "TorchEmbedding",
    "TransposeMatMul",
    "Trilu",
    "UnfoldTensor",
    "Unique",
    "VarlenCausalConvWithState",
    "VarlenNGramHashMapping",
    "WhisperBeamSearch",
    "WordConvEmbedding",
};

/// Early operators of ONNX's own domain that never left their trial.
static constexpr llvm::StringLiteral kTried[] = {
    "Affine",          "Crop",        "DynamicSlice",       "GRUUnit",
    "GivenTensorFill", "ImageScaler", "ParametricSoftplus", "Scale",
    "ScaledTanh",
};

bool isKnownOperator(llvm::StringRef domain, llvm::StringRef op) {
  if (domain == "com.microsoft")
    return llvm::is_contained(kMicrosoftOperators, op);
  return domain.empty() && llvm::is_contained(kTried, op);
}

std::string howToReplace(llvm::StringRef domain, llvm::StringRef op) {
  const bool isReserved = operators::isReservedDomain(domain);
  return ("write it with ONNX's operators, as a function of the model "
          "(onnx.helper.make_function with the domain '" +
          domain + "' and the name " + op + ", appended to model.functions)" +
          (isReserved
               ? ""
               : ", or of another one that --ops names, or in C++ (fusec "
                 "op build)") +
          "; or " + howToComputeOutside())
      .str();
}

std::string suggestOperator(llvm::StringRef domain, llvm::StringRef op,
                            const operators::OperatorSet &operators) {
  if (std::optional<int64_t> since = operators.findFirst(domain, op))
    return "--ops has it from version " + std::to_string(*since) +
           " of the domain on; import that or a newer one in the model";
  const Registry &registry = Registry::get();
  if (std::optional<int64_t> since = registry.findFirst(domain, op))
    return "it is known from version " + std::to_string(*since) +
           " of its operator set on; export the model with that or a newer one";
  const std::vector<std::string> declared = operators.getDomains();
  for (const std::string &other : declared)
    if (operators.findFirst(other, op))
      return "--ops has it in the domain " + other;
  if (std::string hint = didYouMean(op, operators.getTypes(domain));
      !hint.empty())
    return hint;
  if (std::vector<std::string> names = registry.getNames(domain);
      !names.empty()) {
    for (const std::string &other : registry.getDomains())
      if (other != domain && registry.findFirst(other, op))
        return "it is known in the domain " + other;
    if (!domain.empty() && registry.findFirst("", op))
      return "it is known in ONNX's own domain";
    if (std::string hint = didYouMean(op, names); !hint.empty())
      return hint;
  }
  std::vector<std::string> domains = registry.getDomains();
  llvm::append_range(domains, declared);
  std::string hint = didYouMean(domain, domains);
  return hint.empty() ? howToReplace(domain, op)
                      : "domain '" + domain.str() + "': " + hint;
}

std::string suggestParameter(llvm::StringRef attribute,
                             const operators::Operator &op) {
  std::vector<std::string> names;
  for (const operators::Parameter &parameter : op.parameters)
    names.push_back(parameter.name);
  if (names.empty())
    return op.name() + " has no parameters; leave it out";
  std::string hint = didYouMean(attribute, names);
  return hint.empty()
             ? op.name() + " has the parameters " + llvm::join(names, ", ")
             : hint;
}

} // namespace fusec
