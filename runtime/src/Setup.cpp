// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Setup.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "Cpu.h"
#include "Model.h"

namespace fusec::rt {

uint32_t countThreads(const fusec_session_options &options) {
  if (options.pool && !options.parallel_for)
    return fusec_thread_pool_threads(options.pool);
  return std::max(options.threads, 1u);
}

const int64_t *valuesOf(const fusec_model_desc &desc,
                        const fusec_session_options &options) {
  return desc.extents ? desc.extents : options.symbols;
}

fusec_status Setup::select(const fusec_model_desc &desc,
                           const fusec_session_options &options, Error &error) {
  if (const fusec_status status = pickIsa(desc, options.isa, error))
    return status;
  if (!variants.allocate(desc.num_groups) || !chosen.allocate(desc.num_groups))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  for (uint32_t g = 0; g < desc.num_groups; ++g)
    if (const fusec_status status = selectVariant(desc, options, g, error))
      return status;
  if (options.num_choices && !options.choices)
    return error.set(FUSEC_INVALID_ARGUMENT, "%u choices, but no list of them",
                     options.num_choices);
  for (uint32_t i = 0; i < options.num_choices; ++i)
    if (const fusec_status status = choose(desc, options.choices[i], error))
      return status;
  return FUSEC_OK;
}

fusec_status Setup::pickIsa(const fusec_model_desc &desc, const char *limit,
                            Error &error) {
  fusec_isa best = detectIsa();
  if (limit) {
    fusec_isa named = 0;
    while (named < FUSEC_ISA_COUNT && strcmp(isaName(named), limit) != 0)
      ++named;
    if (named == FUSEC_ISA_COUNT)
      return error.set(FUSEC_INVALID_ARGUMENT,
                       "unknown instruction set '%s': expected baseline, "
                       "avx2, avx512, avx512vnni, avx512bf16 or amx",
                       limit);
    best = named < best ? named : best;
  }
  for (fusec_isa candidate = best + 1; candidate-- > 0;) {
    // A model that only moves data has no kernels, and runs on any CPU.
    if (desc.device || desc.kernels[candidate] || desc.num_kernels == 0) {
      isa = candidate;
      return FUSEC_OK;
    }
  }
  return error.set(FUSEC_UNSUPPORTED,
                   "model '%s' has no kernels for this CPU (%s)", desc.name,
                   isaName(best));
}

/// Whether all symbols have their value in `least` or a larger one.
static bool reaches(const fusec_model_desc &desc,
                    const fusec_session_options &options,
                    const int64_t *least) {
  const int64_t *values = valuesOf(desc, options);
  for (uint32_t i = 0; least && i < desc.num_symbols; ++i)
    if (!values || values[i] < least[i])
      return false;
  return true;
}

static bool fits(const fusec_variant_desc &variant,
                 const fusec_session_options &options) {
  return !options.workspace_limit ||
         variant.workspace_bytes <= options.workspace_limit;
}

fusec_status Setup::selectVariant(const fusec_model_desc &desc,
                                  const fusec_session_options &options,
                                  uint32_t group, Error &error) {
  const fusec_variant_list &list = variantsOf(desc, isa, group);
  const uint32_t threads = countThreads(options);
  for (uint32_t i = 0; i < list.num_selectors; ++i) {
    const fusec_selector &selector = list.selectors[i];
    if (isa >= selector.isa && threads >= selector.threads &&
        reaches(desc, options, selector.least) &&
        fits(list.variants[selector.variant], options)) {
      variants[group] = selector.variant;
      return FUSEC_OK;
    }
  }
  // Of those that fit, the default, which is the first, or else one that is not
  // naive.
  for (const uint32_t unwanted : {uint32_t(FUSEC_VARIANT_NAIVE), 0u})
    for (uint32_t v = 0; v < list.num_variants; ++v) {
      const fusec_variant_desc &variant = list.variants[v];
      if (fits(variant, options) &&
          (v == 0 || !(variant.attributes & unwanted))) {
        variants[group] = v;
        return FUSEC_OK;
      }
    }
  uint64_t least = UINT64_MAX;
  for (uint32_t v = 0; v < list.num_variants; ++v)
    least = std::min(least, list.variants[v].workspace_bytes);
  return error.set(FUSEC_UNSUPPORTED,
                   "group '%s' needs a workspace of %" PRIu64
                   " bytes at least, more than the limit of %" PRIu64,
                   desc.groups[group].name, least, options.workspace_limit);
}

fusec_status Setup::choose(const fusec_model_desc &desc,
                           const fusec_choice &choice, Error &error) {
  if (!choice.variant)
    return error.set(FUSEC_INVALID_ARGUMENT, "a choice names no variant");
  bool groupFound = false, found = false;
  for (uint32_t g = 0; g < desc.num_groups; ++g) {
    const fusec_group_desc &group = desc.groups[g];
    if (choice.group && strcmp(choice.group, group.name) != 0)
      continue;
    groupFound = true;
    const fusec_variant_list &list = variantsOf(desc, isa, g);
    for (uint32_t v = 0; v < list.num_variants; ++v) {
      if (strcmp(list.variants[v].name, choice.variant) == 0) {
        variants[g] = v;
        chosen[g] = found = true;
      }
    }
  }
  // A model without groups has every variant of them.
  if (found || (!choice.group && desc.num_groups == 0))
    return FUSEC_OK;
  if (choice.group && !groupFound)
    return error.set(FUSEC_UNSUPPORTED, "model '%s' has no group '%s'",
                     desc.name, choice.group);
  return error.set(FUSEC_UNSUPPORTED, "%s '%s' has no variant '%s'",
                   choice.group ? "group" : "model",
                   choice.group ? choice.group : desc.name, choice.variant);
}

fusec_status Setup::plan(const fusec_model_desc &desc, const int64_t *symbols,
                         Error &error) {
  if (desc.num_symbols && !symbols)
    return error.set(FUSEC_INVALID_ARGUMENT,
                     "model '%s' needs values for its symbolic dimensions, the "
                     "first of them '%s'",
                     desc.name, desc.symbols[0]);
  uint64_t ranks = 0;
  for (uint32_t i = 0; i < desc.num_outputs; ++i)
    ranks += desc.outputs[i].rank;
  if (!outputDims.data() && !outputDims.allocate(ranks))
    return error.set(FUSEC_OUT_OF_MEMORY, "cannot allocate the session");
  fusec_plan result = {0, 0, outputDims.data(), 0};
  if (const fusec_status status = desc.plan(symbols, variants.data(), &result))
    return error.set(
        status, "model '%s' cannot be planned for these dimensions", desc.name);
  arenaBytes = std::max(arenaBytes, result.arena_bytes);
  hostArenaBytes = std::max(hostArenaBytes, result.host_arena_bytes);
  workspaceBytes = std::max(workspaceBytes, result.workspace_bytes);
  for (uint32_t g = 0; g < desc.num_groups; ++g) {
    const fusec_variant_desc &variant =
        variantsOf(desc, isa, g).variants[variants[g]];
    if (variant.launches) // what lies between them is in the arena
      continue;
    const uint64_t zeroed =
        desc.device ? desc.device->kernels[g][variants[g]].zeroed_bytes : 0;
    zeroedBytes = std::max(zeroedBytes, zeroed);
    workspaceBytes = std::max(workspaceBytes, variant.workspace_bytes - zeroed);
  }
  return FUSEC_OK;
}

} // namespace fusec::rt
