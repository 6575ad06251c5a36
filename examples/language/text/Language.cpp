// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Language.h"

#include "Pairs.h"
#include "language.h"

#include <algorithm>
#include <stdexcept>

struct LanguageGuesser::State {
  fusec::Model model;
  fusec::Session session;
};

LanguageGuesser::LanguageGuesser(const std::string &weights)
    : state(new State) {
  state->model = fusec::Model(fusec_language_query, weights.c_str());
  if (!state->model)
    throw std::runtime_error(state->model.error());
  state->session = fusec::Session(state->model);
  if (!state->session)
    throw std::runtime_error(state->session.error());
}

LanguageGuesser::~LanguageGuesser() = default;

const char *LanguageGuesser::guess(const std::string &text) {
  auto pairs = pairsOf<256>(text);
  float scores[std::size(kLanguages)];
  if (language::run(state->session, {pairs.data()}, {scores}) != FUSEC_OK)
    throw std::runtime_error(state->session.error());
  return kLanguages[std::max_element(scores, std::end(scores)) - scores];
}
