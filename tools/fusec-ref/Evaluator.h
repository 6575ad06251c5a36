// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the evaluators of single operations share: their operands, their
// results, and the registry by operation name.
#ifndef FUSEC_TOOLS_FUSEC_REF_EVALUATOR_H
#define FUSEC_TOOLS_FUSEC_REF_EVALUATOR_H

#include "compiler/io/ElementValue.h"
#include "dialects/fuse/FuseOps.h"
#include "tools/fusec-ref/Interpreter.h"
#include "llvm/ADT/StringMap.h"

namespace fusec::ref {

/// An operation in evaluation. Numbers are double where elements are floats
/// and int64_t where they are integers or booleans.
class Evaluation {
public:
  Evaluation(mlir::Operation *op, llvm::ArrayRef<TensorPtr> operands,
             bool wantsScale)
      : op(op), operands(operands), results(op->getNumResults()),
        wantsScale(wantsScale) {}

  mlir::Operation *const op;
  const llvm::ArrayRef<TensorPtr> operands;
  std::vector<TensorPtr> results;
  /// Whether a contraction is to fill `scale` (see Observation).
  const bool wantsScale;
  /// Options::userOperators.
  operators::OperatorSet *userOperators = nullptr;
  std::vector<double> scale;

  io::ElementType resultType(unsigned index = 0) const {
    return getElementType(op->getResult(index).getType());
  }
  std::vector<int64_t> resultShape(unsigned index = 0) const {
    return getShape(op->getResult(index).getType());
  }
  bool isFloat() const { return io::isFloat(resultType()); }

  /// The elements of an operand as numbers.
  template <typename T> std::vector<T> load(unsigned operand) const {
    if constexpr (std::is_same_v<T, double>)
      return io::toDoubles(*operands[operand]);
    else
      return io::toInts(*operands[operand]);
  }

  /// Sets a result from numbers: rounded or wrapped to its element type.
  llvm::Error store(llvm::ArrayRef<double> values, unsigned index = 0) {
    return store(io::fromDoubles(resultType(index), resultShape(index), values),
                 index);
  }
  llvm::Error store(llvm::ArrayRef<int64_t> values, unsigned index = 0) {
    return store(io::fromInts(resultType(index), resultShape(index), values),
                 index);
  }
  llvm::Error store(io::Tensor tensor, unsigned index = 0) {
    results[index] = std::make_shared<const io::Tensor>(std::move(tensor));
    return llvm::Error::success();
  }

  /// Calls `f(double())` or `f(int64_t())`, as the first result's elements are.
  template <typename F> llvm::Error withNumber(F f) {
    return isFloat() ? f(double()) : f(int64_t());
  }

  /// An error that says where, which operation, and `reason`.
  llvm::Error fail(const llvm::Twine &reason) const;
};

/// An error at `op`, as of Evaluation::fail.
llvm::Error errorAt(mlir::Operation *op, const llvm::Twine &reason);

/// Computes and stores all results of one operation.
using Evaluator = std::function<llvm::Error(Evaluation &)>;

/// The same of a call of one of the library's routines.
using RoutineEvaluator = llvm::Error (*)(fuse::CallOp, Evaluation &);

/// The same of a call of an operator that the module declares.
llvm::Error evaluateUserOperator(fuse::CallOp op, Evaluation &e);
llvm::Error evaluateMap(fuse::MapOp op, Evaluation &e);

/// Evaluators by operation name, and of calls by the routine's.
class Registry {
public:
  struct Entry {
    io::OpClass opClass;
    Evaluator evaluate;
  };

  static const Registry &get();

  void add(llvm::StringRef name, io::OpClass opClass, Evaluator evaluate) {
    entries[name] = {opClass, std::move(evaluate)};
  }
  /// Adds an evaluator that takes the operation as its class `Op`.
  template <typename Op, typename F> void add(io::OpClass opClass, F evaluate) {
    add(Op::getOperationName(), opClass, [evaluate](Evaluation &e) {
      return evaluate(llvm::cast<Op>(e.op), e);
    });
  }
  const Entry *find(llvm::StringRef name) const {
    auto it = entries.find(name);
    return it == entries.end() ? nullptr : &it->second;
  }

  void addRoutine(llvm::StringRef name, RoutineEvaluator evaluate) {
    routines[name] = evaluate;
  }
  /// Null where there is none.
  RoutineEvaluator findRoutine(llvm::StringRef name) const {
    return routines.lookup(name);
  }

private:
  llvm::StringMap<Entry> entries;
  llvm::StringMap<RoutineEvaluator> routines;
};

// One per file of evaluators.
void addActivations(Registry &registry);
void addAttention(Registry &registry);
void addCalls(Registry &registry);
void addContractions(Registry &registry);
void addElementwise(Registry &registry);
void addMovement(Registry &registry);
void addNormalisations(Registry &registry);
void addNorms(Registry &registry);
void addPooling(Registry &registry);
void addQuantized(Registry &registry);
void addRecurrent(Registry &registry);
void addReductions(Registry &registry);
void addResize(Registry &registry);
void addSampling(Registry &registry);
void addWindows(Registry &registry);

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_EVALUATOR_H
