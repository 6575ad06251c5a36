// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a model that is compiled for certain extents gives the results of
// smaller ones where its inputs are padded.
#ifndef FUSEC_PASSES_PADDING_PROOF_H
#define FUSEC_PASSES_PADDING_PROOF_H

#include "passes/padding/Constants.h"
#include "passes/padding/Pairing.h"

namespace fusec::padding {

/// A number in the place of whatever a value has behind what is kept.
struct Mask {
  mlir::Value value;
  double number;
};

/// An operation that lets what is padded reach what is kept, and how.
struct Mixing {
  mlir::Operation *op;
  std::string reason;
  /// What would keep it from that: for the operand of a reduction, a number
  /// that leaves its accumulators as they are.
  std::optional<Mask> mask = {};
};

/// The same model for other extents, as it is behind --fuse-expand-composites.
struct Sibling {
  mlir::func::FuncOp main;
  llvm::SmallVector<int64_t> extents; ///< per symbol
};

/// Proves it in two steps. `analyse` follows what is padded through the index
/// maps of the model: which elements of each value are kept, what the others
/// are where that is known, and that no operation takes one of these for one
/// that is kept. `check` then compares the model with that for the extents of a
/// run: it must do the same at each point, with the same constants.
class Proof {
public:
  /// `main` is behind --fuse-expand-composites, for the largest extents;
  /// `probes` has a sibling for each symbol, of which this symbol alone is one
  /// less. All outlive this.
  Proof(mlir::func::FuncOp main, llvm::ArrayRef<Symbol> symbols,
        llvm::ArrayRef<Sibling> probes);

  /// What inputs are padded with, by their numbers; no value: copies of the
  /// last element along the dimension. Values of `masks` are taken to be
  /// masked. Returns what mixes.
  std::vector<Mixing> analyse(llvm::ArrayRef<std::optional<double>> fills,
                              llvm::ArrayRef<Mask> masks = {});
  /// Behind an `analyse` that found nothing: what differs at these extents.
  std::optional<Mixing> check(const Sibling &sibling);

  const Facts &getInput(unsigned number) {
    return facts.at(main.getArgument(number));
  }
  const Facts &getFacts(mlir::Value value) { return facts.at(value); }
  const Facts &getOutput(unsigned number) {
    return facts.at(end->getOperand(number));
  }

private:
  /// Where the coordinates of a primitive lie in its iterations.
  struct Iterations {
    llvm::SmallVector<int64_t> extents;
    /// Per iterator: its coordinates, which are places in it.
    llvm::SmallVector<llvm::SmallVector<std::pair<unsigned, int64_t>, 1>> has;

    const int64_t *find(unsigned iterator, unsigned symbol) const;
    bool add(unsigned iterator, unsigned symbol, int64_t inner);
  };

  void refuse(mlir::Operation *op, const llvm::Twine &reason);
  std::string describe(unsigned symbol, const char *what) const;
  void describeInputs(llvm::ArrayRef<std::optional<double>> fills);
  std::optional<llvm::SmallVector<Coordinate>>
  findWhole(mlir::Value value, llvm::ArrayRef<mlir::Value> probed,
            llvm::ArrayRef<int64_t> free = {}) const;
  const Facts *factsOf(mlir::Operation *op, unsigned operand,
                       llvm::ArrayRef<Counterpart> probed);
  void visit(mlir::Operation *op, llvm::ArrayRef<Counterpart> probed);
  void visitReshape(mlir::Operation *op);
  void visitGrown(mlir::Operation *op);
  void applyMasks(mlir::Value value, Facts &to) const;
  std::optional<Mask> findMask(fuse::PrimitiveOpInterface op,
                               llvm::ArrayRef<const Facts *> operands,
                               unsigned iterator, unsigned symbol) const;
  void visitOpaque(mlir::Operation *op, llvm::ArrayRef<Counterpart> probed);
  void visitPrimitive(fuse::PrimitiveOpInterface op,
                      llvm::ArrayRef<Counterpart> probed);
  bool place(fuse::PrimitiveOpInterface op, unsigned operand,
             llvm::ArrayRef<const Facts *> operands, Iterations &iterations);
  bool widen(fuse::PrimitiveOpInterface op, llvm::ArrayRef<Counterpart> probed,
             Iterations &iterations);
  llvm::SmallVector<Scalar> evaluate(fuse::PrimitiveOpInterface op,
                                     llvm::ArrayRef<const Facts *> operands,
                                     int iterator, unsigned symbol,
                                     int64_t inner) const;
  void checkReductions(fuse::PrimitiveOpInterface op,
                       llvm::ArrayRef<const Facts *> operands,
                       const Iterations &iterations);
  std::string compare(mlir::Operation *op, const Counterpart &other,
                      llvm::ArrayRef<int64_t> extents);

  mlir::func::FuncOp main;
  mlir::Operation *end;
  llvm::ArrayRef<Symbol> symbols;
  llvm::ArrayRef<Sibling> probes;
  Constants constants;
  llvm::DenseSet<mlir::Operation *> constantOps;
  llvm::DenseMap<mlir::Value, Facts> facts;
  /// By their readers, which tell how constants grow.
  llvm::DenseMap<mlir::OpOperand *, Facts> constantFacts;
  llvm::DenseMap<mlir::Operation *, Iterations> known;
  std::vector<Mixing> mixing;
  llvm::DenseMap<mlir::Value, double> masked;
};

} // namespace fusec::padding

#endif // FUSEC_PASSES_PADDING_PROOF_H
