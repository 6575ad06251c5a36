// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Padding.h"

#include "compiler/Siblings.h"
#include "dialects/fuse/Padded.h"
#include "dialects/fuse/State.h"

using namespace mlir;

namespace fusec {

namespace {
using Fills = std::vector<std::optional<double>>;

class Prover {
public:
  Prover(ModuleOp module, const CompileOptions &options,
         std::vector<Problem> &problems)
      : module(module), options(options), problems(problems),
        siblings(*module.getContext(), options, problems) {}

  void run();

private:
  func::FuncOp import(llvm::ArrayRef<int64_t> extents);
  bool takeProbes();
  Fills chooseFills(padding::Proof &proof,
                    std::vector<padding::Mixing> &mixing);
  bool checkAll(padding::Proof &proof);
  bool checkStates(padding::Proof &proof);
  void mark(padding::Proof &proof, const Fills &fills);
  ArrayAttr describe(const padding::Facts &facts, Type type,
                     std::optional<double> fill);
  void refuse(const padding::Mixing &mixing);

  ModuleOp module;
  const CompileOptions &options;
  std::vector<Problem> &problems;
  std::vector<padding::Symbol> symbols;
  std::vector<unsigned> numbers; ///< of them, among the options' symbols
  Siblings siblings;
  std::vector<padding::Sibling> probes;
};
} // namespace

/// The same model for other extents of the symbols.
func::FuncOp Prover::import(llvm::ArrayRef<int64_t> extents) {
  CompileOptions other = options;
  std::string text;
  for (auto [symbol, extent] : llvm::zip_equal(symbols, extents)) {
    other.import.dims[symbol.name] = extent;
    text += " " + symbol.name + "=" + std::to_string(extent);
  }
  return siblings.import(other,
                         "cannot be padded, for it is refused at" + text);
}

/// The models that tell where symbols lie.
bool Prover::takeProbes() {
  std::vector<int64_t> all;
  for (const padding::Symbol &symbol : symbols)
    all.push_back(symbol.extent);
  for (size_t number = 0; number < symbols.size(); ++number) {
    padding::Sibling probe;
    probe.extents.assign(all.begin(), all.end());
    --probe.extents[number];
    probe.main = import(probe.extents);
    if (!probe.main)
      return false;
    probes.push_back(std::move(probe));
  }
  return true;
}

/// What inputs are padded with: copies of their last elements, unless a number
/// leaves fewer operations that mix.
Fills Prover::chooseFills(padding::Proof &proof,
                          std::vector<padding::Mixing> &mixing) {
  func::FuncOp main = module.lookupSymbol<func::FuncOp>("main");
  Fills fills(main.getNumArguments());
  mixing = proof.analyse(fills);
  for (unsigned input = 0; input < fills.size() && !mixing.empty(); ++input) {
    if (proof.getInput(input).coordinates.empty())
      continue;
    Type element = cast<RankedTensorType>(main.getArgument(input).getType())
                       .getElementType();
    // In (1 - mask) * -10000, the first is far below what a mask of zeros
    // gives.
    llvm::SmallVector<double> candidates;
    if (isa<FloatType>(element) ||
        (element.getIntOrFloatBitWidth() >= 16 && !element.isUnsignedInteger()))
      candidates.push_back(-1000);
    candidates.append({0, 1});
    for (double candidate : candidates) {
      Fills next = fills;
      next[input] = candidate;
      std::vector<padding::Mixing> left = proof.analyse(next);
      if (left.size() >= mixing.size())
        continue;
      mixing = std::move(left);
      fills = std::move(next);
    }
  }
  proof.analyse(fills);
  return fills;
}

void Prover::refuse(const padding::Mixing &mixing) {
  const std::string pad = optionName(options.import.hints, "pad");
  siblings.refuse(
      mixing, "with " + pad + ", what is padded may reach a result",
      "leave out " + pad +
          ", and name each extent that is needed; or have the model mask what "
          "is padded, by an input, as passes/padding/README.md of fusec says");
}

/// Compares the model with itself at each extent that a run may have.
bool Prover::checkAll(padding::Proof &proof) {
  std::vector<int64_t> extents;
  for (const padding::Symbol &symbol : symbols)
    extents.push_back(symbol.extent);
  while (true) {
    padding::Sibling sibling;
    sibling.extents.assign(extents.begin(), extents.end());
    sibling.main = import(sibling.extents);
    if (!sibling.main)
      return false;
    if (auto mixing = proof.check(sibling)) {
      refuse(*mixing);
      return false;
    }
    siblings.drop();
    size_t number = symbols.size();
    while (number-- > 0) {
      if (--extents[number] >= symbols[number].least)
        break;
      extents[number] = symbols[number].extent;
    }
    if (number == size_t(-1))
      return true;
  }
}

/// A state has one length, in which nothing says where what is kept ends.
bool Prover::checkStates(padding::Proof &proof) {
  func::FuncOp main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto output = main.getArgAttrOfType<IntegerAttr>(i, fuse::kStateAttr))
      if (!proof.getInput(i).coordinates.empty() ||
          !proof.getOutput(output.getInt()).coordinates.empty()) {
        auto name = main.getArgAttrOfType<StringAttr>(i, "fuse.name");
        problems.push_back(
            {ProblemKind::Unsupported, options.input, "", "", "", 0,
             "the state '" + (name ? name.str() : "") +
                 "' has a dimension of " +
                 optionName(options.import.hints, "pad") +
                 ", of which a run would leave what is padded to the next",
             "leave it out, or give the state one extent"});
        return false;
      }
  return true;
}

ArrayAttr Prover::describe(const padding::Facts &facts, Type type,
                           std::optional<double> fill) {
  Builder builder(module.getContext());
  llvm::SmallVector<Attribute> rows;
  for (const padding::Coordinate &coordinate : facts.coordinates) {
    padding::Place place = *padding::findPlace(
        coordinate, cast<RankedTensorType>(type).getShape());
    NamedAttrList row;
    row.set("symbol", builder.getI64IntegerAttr(numbers[coordinate.symbol]));
    row.set("axis", builder.getI64IntegerAttr(place.axis));
    row.set("inner", builder.getI64IntegerAttr(place.inner));
    if (fill)
      row.set("fill", builder.getF64FloatAttr(*fill));
    rows.push_back(row.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(rows);
}

void Prover::mark(padding::Proof &proof, const Fills &fills) {
  func::FuncOp main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (const padding::Facts &facts = proof.getInput(i);
        !facts.coordinates.empty())
      main.setArgAttr(i, fuse::kPaddedAttr,
                      describe(facts, main.getArgument(i).getType(), fills[i]));
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (const padding::Facts &facts = proof.getOutput(i);
        !facts.coordinates.empty())
      main.setResultAttr(i, fuse::kPaddedAttr,
                         describe(facts, main.getResultTypes()[i], {}));
}

void Prover::run() {
  const std::vector<int64_t> least = options.getLeast(options.entry);
  module->setAttr(codegen::kLeastAttr,
                  Builder(module.getContext()).getDenseI64ArrayAttr(least));
  for (auto [number, name] : llvm::enumerate(options.symbols)) {
    const int64_t extent = options.entries[options.entry][number];
    if (least[number] == extent)
      continue;
    symbols.push_back({name, extent, least[number]});
    numbers.push_back(number);
  }
  if (symbols.empty() || !takeProbes())
    return;
  func::FuncOp main = siblings.expand(OwningOpRef<ModuleOp>(module.clone()));
  if (!main)
    return;
  padding::Proof proof(main, symbols, probes);
  std::vector<padding::Mixing> mixing;
  Fills fills = chooseFills(proof, mixing);
  if (!mixing.empty())
    return refuse(mixing.front());
  if (checkStates(proof) && checkAll(proof))
    mark(proof, fills);
}

void provePadding(ModuleOp module, const CompileOptions &options,
                  std::vector<Problem> &problems) {
  Prover(module, options, problems).run();
}

} // namespace fusec
