// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of ONNX that fusec knows and cannot compile, each with its reason.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

namespace fusec {
namespace {

void refuseRandom(Node &node) {
  node.unsupported("draws random numbers, which no two runs share",
                   "feed them as an input of the model");
}
void refuseStrings(Node &node) {
  node.unsupported("works on strings, which fusec has no tensors of",
                   "take it out of the model and run it before");
}
void refuseImages(Node &node) {
  node.unsupported("decodes image files",
                   "decode before, and feed the pixels as an input");
}
void refuseMaps(Node &node) {
  node.unsupported("makes or reads a map, which fusec has no values of",
                   "take it out of the model, and feed a tensor in its "
                   "place");
}
void refuseGradient(Node &node) {
  node.unsupported("differentiates a graph",
                   "export the gradient's own nodes, or the model for "
                   "inference");
}

} // namespace

void registerUnsupported(Registry &r) {
  for (const char *name :
       {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike",
        "RandomUniform", "RandomUniformLike"})
    r.add(name, 1, refuseRandom);
  for (const char *name :
       {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"})
    r.add(name, 1, refuseStrings);
  for (const char *name : {"CastMap", "DictVectorizer"})
    r.addTo("ai.onnx.ml", name, 1, refuseMaps);
  r.add("ImageDecoder", 20, refuseImages);
  r.addTo("ai.onnx.preview.training", "Gradient", 1, refuseGradient);
}

} // namespace fusec
