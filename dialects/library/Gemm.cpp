// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @<vendor>_gemm (x, w) -> y: a contraction of f32 that is a product of
// matrices, or one for each point of some loops. `terms` has a letter for each
// dimension of x, w and y, as in "mk,kn->mn": letters that y lacks are summed
// over.
#include "dialects/library/Registry.h"

#include "dialects/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using llvm::StringRef;

namespace fusec::library {

static constexpr Parameter kGemmParameters[] = {{"terms", kText}};

namespace {
/// y = x w for each point of the loops around, where x is rows x depth, w is
/// depth x columns, and all of them lie in row-major tensors.
struct Gemm {
  /// The lines of a matrix begin `stride` elements apart: its rows, or its
  /// columns where it is transposed.
  struct Matrix {
    int64_t stride = 1;
    bool isTransposed = false;
  };
  /// A loop around, with how many elements each of the three moves on by.
  struct Loop {
    int64_t extent, x, w, y;
  };

  int64_t rows = 1, columns = 1, depth = 1;
  Matrix x, w;
  int64_t yStride = 1; ///< y is never transposed
  llvm::SmallVector<Loop> loops;
  /// The part of y that is computed at once, by one thread. It follows from the
  /// shapes alone, and so do the bits of the result.
  int64_t taskRows = 1, taskColumns = 1;

  int64_t countTasks() const;
};

/// A tensor with the letters of its dimensions.
struct Term {
  StringRef letters;
  llvm::ArrayRef<int64_t> shape;

  bool has(char letter) const { return letters.contains(letter); }
  int64_t extentOf(char letter) const { return shape[letters.find(letter)]; }
  /// How many elements a step along the letter's dimension is; 0 where the
  /// tensor has none.
  int64_t stepOf(char letter) const {
    return has(letter) ? ShapedType::getNumElements(
                             shape.drop_front(letters.find(letter) + 1))
                       : 0;
  }
  /// Whether the dimensions of `group` lie side by side in this order, so that
  /// they are one.
  bool areOne(StringRef group) const { return letters.contains(group); }
};

struct Terms {
  Term x, w, y;
};
} // namespace

/// Splits the text, which has to fit the shapes.
static Refusal readTerms(const Call &call, Terms &terms) {
  StringRef text = call.getText("terms");
  auto [operands, result] = text.split("->");
  auto [x, w] = operands.split(',');
  terms = {{x, call.operandShape(0)},
           {w, call.operandShape(1)},
           {result, call.resultShape(0)}};
  auto refuse = [&](StringRef why) {
    return ("has the terms '" + text + "', " + why).str();
  };
  for (const Term &term : {terms.x, terms.w, terms.y}) {
    if (!llvm::all_of(term.letters,
                      [](char c) { return c >= 'a' && c <= 'z'; }))
      return refuse("which are not of the form 'mk,kn->mn'");
    if (term.letters.size() != term.shape.size())
      return refuse("where '" + term.letters.str() + "' is of shape " +
                    shapeText(term.shape));
    for (char letter : term.letters) {
      if (term.letters.count(letter) > 1)
        return refuse("where a letter stands twice in a tensor");
      for (const Term &other : {terms.x, terms.w, terms.y})
        if (other.has(letter) && other.letters.size() == other.shape.size() &&
            other.extentOf(letter) != term.extentOf(letter))
          return refuse(std::string("where '") + letter +
                        "' has several extents");
    }
  }
  for (char letter : terms.y.letters)
    if (!terms.x.has(letter) && !terms.w.has(letter))
      return refuse(std::string("where '") + letter +
                    "' is of the result only");
  return std::nullopt;
}

static int64_t countPoints(const Term &term, StringRef group) {
  int64_t points = 1;
  for (char letter : group)
    points *= term.extentOf(letter);
  return points;
}

/// The matrix of `lines` x `along` of a tensor; nothing if elements lie side by
/// side in neither direction.
static std::optional<Gemm::Matrix> findMatrix(const Term &term, StringRef lines,
                                              StringRef along) {
  const char line = lines.back(), element = along.back();
  const int64_t count = countPoints(term, lines),
                length = countPoints(term, along);
  if (term.stepOf(element) == 1)
    return Gemm::Matrix{std::max(term.stepOf(line), length), false};
  if (term.stepOf(line) == 1)
    return Gemm::Matrix{std::max(term.stepOf(element), count), true};
  return std::nullopt;
}

/// Libraries multiply whole tiles, of so many rows and columns at least.
static constexpr int64_t kTile = 16;

/// The last letters of `letters`, up to `end`, that are in `with` and not in
/// `without`.
static StringRef findGroup(StringRef letters, size_t end, const Term &with,
                           const Term &without) {
  size_t begin = end;
  while (begin > 0 && with.has(letters[begin - 1]) &&
         !without.has(letters[begin - 1]) &&
         with.areOne(letters.slice(begin - 1, end)))
    --begin;
  return letters.slice(begin, end);
}

/// Parts of y of at least some 128 x 256, which repay copying what they
/// multiply, and 16 of them if there is enough: for the cores of most machines,
/// about evenly.
static void cutIntoTasks(Gemm &gemm) {
  constexpr int64_t kTasks = 16, kLeast = 128, kLeastElements = 128 * 256;
  gemm.taskRows = gemm.rows;
  gemm.taskColumns = gemm.columns;
  while (gemm.countTasks() < kTasks &&
         gemm.taskRows * gemm.taskColumns >= 2 * kLeastElements) {
    int64_t &longer =
        gemm.taskRows >= gemm.taskColumns ? gemm.taskRows : gemm.taskColumns;
    if (longer < 2 * kLeast)
      break;
    longer = llvm::alignTo(llvm::divideCeil(longer, 2), kTile);
  }
}

int64_t Gemm::countTasks() const {
  int64_t tasks =
      llvm::divideCeil(rows, taskRows) * llvm::divideCeil(columns, taskColumns);
  for (const Loop &loop : loops)
    tasks *= loop.extent;
  return tasks;
}

static Refusal readGemm(const Call &call, Gemm &gemm) {
  for (const auto *types : {&call.operands, &call.results})
    for (ShapedType type : *types)
      if (!type.getElementType().isF32() || !type.hasStaticShape())
        return "multiplies f32, and not elements of another type";
  Terms terms;
  if (Refusal reason = readTerms(call, terms))
    return reason;
  const auto &[x, w, y] = terms;
  StringRef result = y.letters;
  std::string summed;
  for (char letter : x.letters)
    if (w.has(letter) && !y.has(letter))
      summed += letter;
  for (const Term *term : {&x, &w})
    for (char letter : term->letters)
      if (!y.has(letter) && !StringRef(summed).contains(letter))
        return "sums over a dimension of one operand alone";
  if (call.operands[0].getNumElements() == 0 ||
      call.operands[1].getNumElements() == 0)
    return "has operands without elements";
  // Columns are what lies side by side in y, rows the next of what x has alone.
  StringRef columns = findGroup(result, result.size(), w, x);
  if (summed.empty() || columns.empty())
    return "is no product of matrices: the last dimension of the result is not "
           "one of the second operand alone, or nothing is summed over";
  size_t end = result.size() - columns.size();
  while (end > 0 && (!x.has(result[end - 1]) || w.has(result[end - 1])))
    --end;
  StringRef rows = findGroup(result, end, x, w);
  if (rows.empty())
    return "is a product with a vector: the result has no dimension of the "
           "first operand alone";
  if (!x.areOne(summed) || !w.areOne(summed))
    return "sums over dimensions that do not lie side by side, or not in one "
           "order";
  std::optional<Gemm::Matrix> left = findMatrix(x, rows, summed),
                              right = findMatrix(w, summed, columns);
  if (!left || !right)
    return "has an operand whose elements lie side by side neither in rows nor "
           "in columns";
  gemm = {};
  gemm.rows = countPoints(x, rows);
  gemm.columns = countPoints(w, columns);
  gemm.depth = countPoints(x, summed);
  gemm.x = *left;
  gemm.w = *right;
  gemm.yStride = y.stepOf(rows.back());
  // Interfaces of Fortran's time take 32 bits.
  for (int64_t number : {gemm.rows, gemm.columns, gemm.depth, gemm.x.stride,
                         gemm.w.stride, gemm.yStride})
    if (number > INT32_MAX)
      return "has more than 2^31 elements in a row or column";
  for (char letter : result)
    if (!rows.contains(letter) && !columns.contains(letter))
      gemm.loops.push_back({y.extentOf(letter), x.stepOf(letter),
                            w.stepOf(letter), y.stepOf(letter)});
  cutIntoTasks(gemm);
  return std::nullopt;
}

static Refusal refuseGemm(const Call &call) {
  Gemm gemm;
  return readGemm(call, gemm);
}

static Gemm getGemm(const Call &call) {
  Gemm gemm;
  (void)readGemm(call, gemm); // it was checked
  return gemm;
}

static std::vector<Argument> getGemmArguments(const Call &call) {
  Gemm gemm = getGemm(call);
  // An array has an element at least.
  if (gemm.loops.empty())
    gemm.loops.push_back({1, 0, 0, 0});
  llvm::SmallVector<int64_t> extents, x, w, y;
  for (const Gemm::Loop &loop : gemm.loops) {
    extents.push_back(loop.extent);
    x.push_back(loop.x);
    w.push_back(loop.w);
    y.push_back(loop.y);
  }
  return {{"rows", gemm.rows},
          {"columns", gemm.columns},
          {"depth", gemm.depth},
          {"x_stride", gemm.x.stride},
          {"x_transposed", gemm.x.isTransposed},
          {"w_stride", gemm.w.stride},
          {"w_transposed", gemm.w.isTransposed},
          {"y_stride", gemm.yStride},
          {"task_rows", gemm.taskRows},
          {"task_columns", gemm.taskColumns},
          {"loops", extents},
          {"x_steps", x},
          {"w_steps", w},
          {"y_steps", y}};
}

namespace {
/// What a library's calls take, in steps that are each a multiply-add of a
/// generated kernel.
struct GemmCosts {
  double call;    ///< until the first product, and until it is over
  double product; ///< a multiply-add
  double crowded; ///< the same where rows of w take each other's place
  double copied;  ///< each element of the operands
  /// Each element of the result, which is written before products are added to
  /// it: of a part that stays in the second-level cache, and of a larger one.
  double written, missed;
};
} // namespace

/// By 31 products on a core with AVX2 (Zen 3), of 32^3 to 4096 x 1024 x 64:
/// generated kernels run at what the core can do, and so do both libraries but
/// for what they do besides. OpenBLAS copies what it multiplies; oneDNN does
/// not, and loses where rows of w crowd a cache.
static constexpr GemmCosts kOpenBlasCosts = {4096, 1, 1, 9, 15, 60};
static constexpr GemmCosts kOneDnnCosts = {12288, 1, 3, 0, 5, 5};

/// Whether the elements of a column of w lie so that the second-level cache has
/// no place for the lines of all, although it is large enough.
static bool isCrowded(const Gemm &gemm, const TargetInfo &target) {
  const Cache cache = target.getSecondCache();
  const int64_t step = gemm.w.stride * int64_t(sizeof(float));
  if (gemm.w.isTransposed || step % cache.line != 0)
    return false;
  const int64_t sets =
      cache.getSets() / std::gcd(cache.getSets(), step / cache.line);
  return gemm.depth > sets * cache.ways;
}

/// A launch, and the tasks of the core that has most of them. Each copies what
/// it multiplies, and multiplies whole tiles.
template <const GemmCosts &costs>
static double getGemmSteps(const Call &call, const TargetInfo &target) {
  const Gemm gemm = getGemm(call);
  const int64_t tasks = gemm.countTasks();
  const double rows = double(llvm::alignTo(gemm.taskRows, kTile)),
               columns = double(llvm::alignTo(gemm.taskColumns, kTile)),
               depth = double(gemm.depth);
  const bool crowded = isCrowded(gemm, target);
  const bool stays =
      rows * columns * sizeof(float) <= double(target.getPanelBytes());
  double task =
      costs.call +
      (crowded ? costs.crowded : costs.product) * rows * columns * depth +
      costs.copied * depth * (rows + columns) +
      (stays ? costs.written : costs.missed) * rows * columns;
  // A generated kernel copies only what is constant.
  if (crowded && !call.isConstant(1))
    task /= target.costs.crowded;
  return double(target.launchSteps) +
         task * double(tasks) * target.getLargestShare(tasks);
}

//===- The libraries ------------------------------------------------------===//

static constexpr llvm::StringLiteral kOpenBlasLibraries[] = {"openblas"};
static constexpr Vendor kOpenBlas = {"openblas", "OpenBLAS", "libopenblas-dev",
                                     kOpenBlasLibraries};

// The second for the number of threads: Debian's is built with OpenMP.
static constexpr llvm::StringLiteral kOneDnnLibraries[] = {"dnnl", "gomp"};
static constexpr Vendor kOneDnn = {"onednn", "oneDNN", "libdnnl-dev",
                                   kOneDnnLibraries};

static Routine makeGemm(llvm::StringLiteral name, CpuForm cpu,
                        const Vendor &vendor,
                        double (*getSteps)(const Call &, const TargetInfo &)) {
  Routine gemm = {
      name, /*numOperands=*/2, /*numResults=*/1, kGemmParameters, refuseGemm,
      cpu};
  gemm.getSteps = getSteps;
  gemm.vendor = &vendor;
  gemm.contracts = true;
  return gemm;
}

void addGemm(Registry &registry) {
  registry.add(makeGemm("openblas_gemm",
                        {"fusec::library::openblas_gemm",
                         "fusec/library/openblas.h", getGemmArguments},
                        kOpenBlas, getGemmSteps<kOpenBlasCosts>));
  registry.add(makeGemm("onednn_gemm",
                        {"fusec::library::onednn_gemm",
                         "fusec/library/onednn.h", getGemmArguments},
                        kOneDnn, getGemmSteps<kOneDnnCosts>));
}

} // namespace fusec::library
