// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TfIdfVectorizer: how often n-grams of integers occur.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"

using namespace mlir;

namespace fusec {
namespace {

/// The n-grams of one length, one after another, and the column of the result
/// that counts each.
struct Grams {
  int64_t length;
  std::vector<int64_t> items, columns;
  int64_t count() const { return int64_t(columns.size()); }
};

/// What the pool holds of each length, and how many columns there are.
std::pair<std::vector<Grams>, int64_t> readPool(Node &node) {
  if (!node.stringsAttribute("pool_strings").empty())
    node.unsupported("works on strings, which fusec has no tensors of",
                     "take it out of the model and run it before");
  std::vector<int64_t> pool = node.intsAttribute("pool_int64s"),
                       starts = node.intsAttribute("ngram_counts"),
                       columns = node.intsAttribute("ngram_indexes");
  std::vector<Grams> all;
  int64_t known = 0, width = 0;
  for (auto [i, start] : llvm::enumerate(starts)) {
    int64_t end = i + 1 < starts.size() ? starts[i + 1] : int64_t(pool.size());
    int64_t length = int64_t(i) + 1;
    if (start < 0 || end < start || end > int64_t(pool.size()) ||
        (end - start) % length != 0)
      node.invalid("has no whole " + llvm::Twine(length) + "-grams from " +
                   llvm::Twine(start) + " to " + llvm::Twine(end) +
                   " in a pool of " + llvm::Twine(pool.size()));
    Grams grams{length, {pool.begin() + start, pool.begin() + end}, {}};
    for (int64_t i = 0; i < (end - start) / length; ++i, ++known) {
      if (known >= int64_t(columns.size()))
        break;
      int64_t column = columns[known];
      if (column < 0 || column >= int64_t(1) << 24)
        node.invalid("counts an n-gram in column " + llvm::Twine(column));
      grams.columns.push_back(column);
      width = std::max(width, column + 1);
    }
    if (grams.count() * length != end - start)
      node.invalid("has an index for " + llvm::Twine(columns.size()) +
                   " n-grams, and more in its pool");
    all.push_back(std::move(grams));
  }
  if (known != int64_t(columns.size()))
    node.invalid("has an index for " + llvm::Twine(columns.size()) +
                 " n-grams, and " + llvm::Twine(known) + " in its pool");
  return {std::move(all), width};
}

/// How often each of `grams` is in each row of `x`, its items `pace` apart:
/// f32[rows, grams].
Term countGrams(Node &node, Value x, const Grams &grams, int64_t pace) {
  ArrayRef<int64_t> shape = fuse::getTensorType(x).getShape();
  int64_t rows = shape[0], places = shape[1] - (grams.length - 1) * pace;
  OpBuilder &b = node.builder;
  RankedTensorType tests =
      tensorType({rows, grams.count(), places}, b.getI1Type());
  node.requireSize(tests);
  Value isHere;
  for (int64_t item = 0; item < grams.length; ++item) {
    Value window = node.slice(x, 1, item * pace, places);
    window = node.broadcast(node.reshape(window, {rows, 1, places}),
                            tests.getShape());
    std::vector<int64_t> wanted;
    for (int64_t i = 0; i < grams.count(); ++i)
      wanted.push_back(grams.items[i * grams.length + item]);
    Value items = node.tensor(HostTensor::fromInts(
        tensorType({grams.count(), 1}, b.getI64Type()), std::move(wanted)));
    Value same =
        Term(node, window)
            .compare(fuse::CmpPredicate::eq,
                     Term(node, node.broadcast(items, tests.getShape())));
    isHere = isHere ? node.binary<fuse::AndOp>(isHere, same) : same;
  }
  Value counts = node.reduction(fuse::ReductionKind::sum,
                                node.cast(isHere, b.getF32Type()), {2});
  return Term(node, node.reshape(counts, {rows, grams.count()}));
}

/// `sum` and, in the column of each of `grams`, its count.
Term addCounts(Node &node, Term sum, Term counts, const Grams &grams) {
  OpBuilder &b = node.builder;
  RankedTensorType type = sum.type();
  int64_t width = type.getDimSize(1);
  // Columns that several n-grams have take one of them in a turn.
  std::vector<std::vector<int64_t>> turns;
  std::vector<size_t> taken(width);
  for (auto [gram, column] : llvm::enumerate(grams.columns)) {
    size_t turn = taken[column]++;
    if (turn == turns.size()) {
      node.requireComputable(
          tensorType({int64_t(turn) + 1, width}, b.getI64Type()));
      turns.emplace_back(width, -1);
    }
    turns[turn][column] = int64_t(gram);
  }
  for (std::vector<int64_t> &turn : turns) {
    std::vector<double> isCounted;
    for (int64_t &gram : turn) {
      isCounted.push_back(gram >= 0);
      gram = std::max<int64_t>(gram, 0);
    }
    Value from = node.tensor(HostTensor::fromInts(
        tensorType({width}, b.getI64Type()), std::move(turn)));
    Value factors = node.tensor(HostTensor::fromFloats(
        tensorType({width}, b.getF32Type()), std::move(isCounted)));
    Term placed(
        node, node.make<fuse::GatherOp>(type, counts.get(), from, uint64_t(1)));
    sum = sum + placed * Term(node, node.broadcast(factors, type.getShape()));
  }
  return sum;
}

/// How the attributes mode and weights turn counts into results.
struct Weighing {
  bool isTruncated;
  std::vector<double> weights;
};

Weighing readWeighing(Node &node, int64_t numGrams) {
  std::string mode = node.stringAttribute("mode", "");
  std::vector<double> weights = node.floatsAttribute("weights");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    node.invalid("has the mode '" + mode + "', not TF, IDF or TFIDF");
  if (!weights.empty() && int64_t(weights.size()) != numGrams)
    node.invalid("has " + llvm::Twine(weights.size()) + " weights for " +
                 llvm::Twine(numGrams) + " n-grams");
  if (mode == "TF")
    weights.clear();
  return {mode == "IDF", std::move(weights)};
}

/// `counts` of n-grams, the first of which is number `first` of the pool.
Term weigh(Node &node, Term counts, const Weighing &weighing, int64_t first) {
  RankedTensorType type = counts.type();
  if (weighing.isTruncated)
    counts = Term(node, node.cast(counts.compare(fuse::CmpPredicate::gt, 0.0),
                                  type.getElementType()));
  if (weighing.weights.empty())
    return counts;
  int64_t numGrams = type.getDimSize(1);
  auto begin = weighing.weights.begin() + first;
  Value factors = node.tensor(
      HostTensor::fromFloats(tensorType({numGrams}, type.getElementType()),
                             {begin, begin + numGrams}));
  return counts * Term(node, node.broadcast(factors, type.getShape()));
}

/// Each row of the result counts the n-grams of min_gram_length to
/// max_gram_length items in a row of x, side by side and, with max_skip_count,
/// also with up to so many items between each two of them.
void convertTfIdfVectorizer(Node &node) {
  node.requireInputs(1, 1);
  int64_t rank = node.rank(0);
  Type given = node.elementType(0);
  OpBuilder &b = node.builder;
  if (rank < 1 || rank > 2 ||
      (!given.isSignlessInteger(32) && !given.isSignlessInteger(64)))
    node.invalid("needs a vector or a matrix of i32 or i64, has " +
                 typeText(node.type(0)));
  int64_t least = node.intAttribute("min_gram_length"),
          most = node.intAttribute("max_gram_length"),
          skips = node.intAttribute("max_skip_count");
  auto [pool, width] = readPool(node);
  int64_t numGrams = 0;
  for (const Grams &grams : pool)
    numGrams += grams.count();
  Weighing weighing = readWeighing(node, numGrams);
  if (least < 1 || most < least || most > int64_t(pool.size()) || skips < 0 ||
      skips >= int64_t(1) << 31)
    node.invalid("counts n-grams of " + llvm::Twine(least) + " to " +
                 llvm::Twine(most) + " items with " + llvm::Twine(skips) +
                 " skipped, of a pool with up to " + llvm::Twine(pool.size()));
  int64_t columns = node.shape(0).back();
  int64_t rows = rank == 2 ? node.shape(0)[0] : 1;
  Value x = node.reshape(node.input(0), {rows, columns});
  if (!given.isInteger(64))
    x = node.cast(x, b.getI64Type());

  RankedTensorType type = tensorType({rows, width}, b.getF32Type());
  node.requireSize(type);
  Term sum(node, node.splat(0, type.clone(b.getF32Type())));
  int64_t first = 0;
  for (const Grams &grams : pool) {
    int64_t number = first, gaps = grams.length - 1;
    first += grams.count();
    if (grams.length < least || grams.length > most || grams.count() == 0 ||
        grams.length > columns)
      continue;
    // Nothing lies between the items of one.
    int64_t paces = gaps ? std::min(skips + 1, (columns - 1) / gaps) : 1;
    if (paces > 1024)
      node.unsupported("counts n-grams with up to " + llvm::Twine(paces - 1) +
                           " items between each two of theirs",
                       "1023 are supported");
    Term counts = countGrams(node, x, grams, 1);
    for (int64_t pace = 2; pace <= paces; ++pace)
      counts = counts + countGrams(node, x, grams, pace);
    sum = addCounts(node, sum, weigh(node, counts, weighing, number), grams);
  }
  node.setOutput(0, rank == 2 ? sum.get() : node.reshape(sum.get(), {width}));
}

} // namespace

void registerNgrams(Registry &r) {
  r.add("TfIdfVectorizer", 9, convertTfIdfVectorizer);
}

} // namespace fusec
