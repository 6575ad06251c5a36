// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The models of the pack, and one of them with its inputs and results.
#ifndef PACK_MODELS_H
#define PACK_MODELS_H

#include "data.h"

#include "fusec/runtime.hpp"

struct Packed {
  const char *name;
  fusec_query_fn query;
  const fusec_device_image *image;
};
const std::vector<Packed> &allModels();

class Loaded {
public:
  /// Reads FOLDER/models/NAME; throws std::runtime_error.
  Loaded(const Packed &packed, const std::string &folder);

  const fusec_model_desc &desc;
  fusec::Model model;
  Data data;
  std::vector<std::vector<char>> results; ///< memory of the host
  std::vector<fusec_tensor> in, out;      ///< in that memory

  fusec_session_options options(const fusec_device *gpu) const;
  int run(fusec::Session &session) const;
  /// Adds up what is seen of `results`; its text is that of the first output
  /// that is not as expected, and empty where all are.
  Difference compare() const;
  /// So that what is not written is seen.
  void spoil();

private:
  const fusec_device_image *image;
};

#endif
