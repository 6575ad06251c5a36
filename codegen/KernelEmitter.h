// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel.func as a C++ function. Operations print through patterns, found
// by the operation's name; this class keeps what they share: the text of each
// value, names, and which values fold into their user's expression.
#ifndef FUSEC_CODEGEN_KERNELEMITTER_H
#define FUSEC_CODEGEN_KERNELEMITTER_H

#include "codegen/AffinePrinter.h"
#include "codegen/Expr.h"
#include "codegen/FoldPlan.h"
#include "codegen/Names.h"
#include "codegen/SourceWriter.h"
#include "codegen/TargetSyntax.h"
#include "dialects/kernel/KernelOps.h"
#include <functional>

namespace fusec::codegen {

class KernelEmitter;

/// How operations print. An expression pattern returns the text of the
/// operation's result; a statement pattern writes lines.
class PatternSet {
public:
  using ExprPattern =
      std::function<std::optional<Expr>(mlir::Operation *, KernelEmitter &)>;
  using StatementPattern =
      std::function<mlir::LogicalResult(mlir::Operation *, KernelEmitter &)>;

  template <typename Op, typename Fn> void expression(Fn print) {
    expressions[Op::getOperationName()] = [print](mlir::Operation *op,
                                                  KernelEmitter &emitter) {
      return std::optional<Expr>(print(llvm::cast<Op>(op), emitter));
    };
  }
  template <typename Op, typename Fn> void statement(Fn print) {
    statements[Op::getOperationName()] = [print](mlir::Operation *op,
                                                 KernelEmitter &emitter) {
      return print(llvm::cast<Op>(op), emitter);
    };
  }

  const ExprPattern *findExpression(mlir::Operation *op) const;
  const StatementPattern *findStatement(mlir::Operation *op) const;

private:
  llvm::StringMap<ExprPattern> expressions;
  llvm::StringMap<StatementPattern> statements;
};

void addArithPatterns(PatternSet &patterns);
void addMathPatterns(PatternSet &patterns);
void addValuePatterns(PatternSet &patterns);
void addMemoryPatterns(PatternSet &patterns);
void addLoopPatterns(PatternSet &patterns);
void addTermPatterns(PatternSet &patterns);
void addThreadPatterns(PatternSet &patterns);

/// All of them.
PatternSet makePatterns();

class KernelEmitter {
public:
  KernelEmitter(const TargetSyntax &syntax, const PatternSet &patterns,
                Names &names, SourceWriter &out)
      : syntax(syntax), patterns(patterns), names(names), out(out) {}

  /// Prints `func` as `void name(...)`; `parameters` are the names of its
  /// arguments. Fails with a located error where an operation has no pattern,
  /// and marks the place in the text.
  mlir::LogicalResult emit(kernel::FuncOp func, llvm::StringRef name,
                           llvm::ArrayRef<std::string> parameters);

  //===--- for patterns ---------------------------------------------------===//

  /// The text of `value`.
  Expr use(mlir::Value value) const;
  /// The same where no subscript is made of it: the indices of unrolled loops
  /// have a type of their own, which only subscripts and sums for them take.
  Expr useAsInteger(mlir::Value value) const;
  /// The texts of `values` as arguments of a vocabulary function: splats stay
  /// scalars as long as one argument is a vector, integer literals get a type.
  llvm::SmallVector<Expr> arguments(mlir::ValueRange values) const;
  /// The name of a constant array with the numbers of `table`.
  Expr useTable(mlir::DenseI32ArrayAttr table) const {
    return tables.lookup(table);
  }
  /// A printer whose dims, then symbols, are `values`.
  Expr affine(mlir::ValueRange values, unsigned numDims,
              llvm::function_ref<Expr(const AffinePrinter &)> print) const;

  /// The C++ type of values in this kernel: `valueTypeName`, and its indices'.
  std::string typeName(mlir::Type type) const;
  const IndexSyntax &getIndexSyntax() const { return *index; }

  /// Prints the operations of a block.
  mlir::LogicalResult emitBlock(mlir::Block &block);

  /// Gives `value` a name in the current scope.
  Expr declare(mlir::Value value, llvm::StringRef wish,
               llvm::StringRef fallback);
  /// The same for the index of a loop, whose name is `wish` if it has one.
  Expr declareIndex(mlir::Value index, llvm::StringRef wish,
                    llvm::StringRef fallback) {
    return texts[index] = Expr::name(names.declare(wish, fallback));
  }
  bool isDeclared(mlir::Value value) const { return texts.contains(value); }
  void bind(mlir::Value value, Expr expr) { texts[value] = std::move(expr); }
  void setRange(mlir::Value value, IndexRange range) {
    rangeOfValue[value] = range;
  }
  IndexRange getRange(mlir::Value value) const {
    return rangeOfValue.lookup(value);
  }

  /// A local variable whose declaration waits for its first value.
  void deferDeclaration(mlir::Value local, std::string type) {
    undeclared[local] = std::move(type);
  }
  /// Its type, once.
  std::string takeDeclaration(mlir::Value local) {
    auto found = undeclared.find(local);
    if (found == undeclared.end())
      return "";
    std::string type = std::move(found->second);
    undeclared.erase(found);
    return type;
  }

  /// Sets up the matrix registers of the thread that runs `around`, a kernel or
  /// a parallel loop, if it needs them.
  void declareTiles(mlir::Operation *around);
  /// Ends what the thread that runs `around`, a kernel or a parallel loop, has
  /// stored past the caches: others see it from then on.
  void finishStreams(mlir::Operation *around);

  /// What combines values of the threads of a block; empty if nothing does.
  std::string reduction;

  /// Whether we are in the body of a parallel_for: loops inside run on the
  /// thread that got there.
  bool inParallel = false;

  const TargetSyntax &syntax;
  const PatternSet &patterns;
  Names &names;
  SourceWriter &out;

private:
  mlir::LogicalResult emitOp(mlir::Operation *op, const FoldPlan &plan);
  mlir::LogicalResult emitValue(mlir::Operation *op, Expr expr,
                                const FoldPlan &plan);
  mlir::LogicalResult missingPattern(mlir::Operation *op);
  void declareReduction(kernel::FuncOp func);
  void declareTables(kernel::FuncOp func);

  const IndexSyntax *index = &kWideIndices;
  llvm::DenseMap<mlir::Value, Expr> texts;
  llvm::DenseMap<mlir::Value, IndexRange> rangeOfValue;
  llvm::DenseMap<mlir::Value, std::string> undeclared;
  llvm::DenseMap<mlir::Attribute, Expr> tables;
  std::optional<NameCounts> nameCounts;
};

/// Prints a loop that is mapped to blocks, warps or threads of a GPU.
mlir::LogicalResult emitShared(kernel::ForOp loop, KernelEmitter &emitter);

/// A literal that reads back to exactly `value`.
Expr floatLiteral(const llvm::APFloat &value);
Expr integerLiteral(const llvm::APInt &value);

/// A name for the result of `op` by what it does: `sum`, `x_ik`, `in_j`.
std::string roleName(mlir::Operation *op, const KernelEmitter &emitter);

/// What loads and stores take: `&x(i, k)`, `&tile[i][0]`.
Expr address(mlir::Value memref, mlir::AffineMap map, mlir::ValueRange indices,
             KernelEmitter &emitter);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_KERNELEMITTER_H
