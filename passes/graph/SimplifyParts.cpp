// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors: slices move behind reshapes, and contractions that share an
// operand become one, of whose result they are parts.
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// A slice of a reshaped tensor.
struct PartPlan {
  SmallVector<int64_t> shape, offsets, strides;
};
/// A slice: a part of shape `part` of a tensor of shape `whole`.
struct PartOf {
  ArrayRef<int64_t> whole, part, offsets, strides;
};
} // namespace

/// `run` of the reshape of a part, of several dimensions: only its first wide
/// one may be cut, at multiples of what follows it in the result. Appends to
/// `plan`.
static bool planRun(const PartOf &slice, const ReshapeRun &run,
                    ArrayRef<int64_t> to, PartPlan &plan) {
  size_t cut = run.fromBegin;
  while (cut + 1 < run.fromEnd && slice.whole[cut] == 1)
    ++cut;
  int64_t inner = 1;
  for (size_t d = cut + 1; d < run.fromEnd; ++d) {
    if (slice.whole[d] != slice.part[d] || slice.strides[d] != 1)
      return false;
    inner *= slice.whole[d];
  }
  if (run.toBegin == run.toEnd)
    return false;
  size_t lead = run.toBegin;
  while (lead + 1 < run.toEnd && to[lead] == 1)
    ++lead;
  int64_t rows = 1;
  for (size_t d = lead + 1; d < run.toEnd; ++d)
    rows *= to[d];
  int64_t elements = slice.whole[cut] * inner,
          begin = slice.offsets[cut] * inner;
  bool isOneDim = inner == 1 && rows == 1;
  if (elements % rows != 0 || begin % rows != 0 ||
      (slice.strides[cut] != 1 && !isOneDim))
    return false;
  for (size_t d = run.toBegin; d < run.toEnd; ++d) {
    plan.shape.push_back(d == lead ? elements / rows : to[d]);
    plan.offsets.push_back(d == lead ? begin / rows : 0);
    plan.strides.push_back(d == lead ? slice.strides[cut] : 1);
  }
  return true;
}

/// The part of a reshaped whole that is `slice` reshaped to `to`.
static std::optional<PartPlan> planReshape(const PartOf &slice,
                                           ArrayRef<int64_t> to) {
  auto runs = matchShapes(slice.part, to);
  if (!runs)
    return std::nullopt;
  PartPlan plan;
  for (const ReshapeRun &run : *runs) {
    bool isCut = false;
    for (size_t d = run.fromBegin; d < run.fromEnd; ++d)
      isCut |= slice.whole[d] != slice.part[d] || slice.strides[d] != 1;
    bool isKept =
        run.fromEnd == run.fromBegin + 1 && run.toEnd == run.toBegin + 1;
    if (isCut && !isKept) {
      if (!planRun(slice, run, to, plan))
        return std::nullopt;
      continue;
    }
    for (size_t d = run.toBegin; d < run.toEnd; ++d) {
      plan.shape.push_back(isCut ? slice.whole[run.fromBegin] : to[d]);
      plan.offsets.push_back(isCut ? slice.offsets[run.fromBegin] : 0);
      plan.strides.push_back(isCut ? slice.strides[run.fromBegin] : 1);
    }
  }
  return plan;
}

/// Whether `value` is a reduction's result, or follows one point by point: then
/// it is stored as a whole, whoever reads a part of it.
static bool followsReduction(Value value,
                             llvm::SmallDenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return false;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return followsReduction(reshape.getOperand(), seen);
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (primitive && primitive.hasReduction())
    return true;
  return isPointByPoint(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return followsReduction(operand, seen);
         });
}

namespace {
/// reshape(slice x) = slice(reshape x), which needs no copy of the part where x
/// is stored as a whole. Constants are cut at compile time.
struct ReshapeOfSlice : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getOperand().getDefiningOp<SliceOp>();
    if (!slice || hasConstantData(slice.getOperand()))
      return failure();
    llvm::SmallDenseSet<Operation *> seen;
    if (!isView(slice.getOperand()) &&
        !followsReduction(slice.getOperand(), seen))
      return failure();
    auto whole = getTensorType(slice.getOperand());
    std::optional<PartPlan> plan =
        planReshape({whole.getShape(), slice.getType().getShape(),
                     slice.getOffsets(), slice.getStrides()},
                    op.getType().getShape());
    if (!plan)
      return failure();
    TensorBuilder b(rewriter, slice.getLoc());
    Value reshaped = b.reshape(slice.getOperand(), plan->shape);
    rewriter.replaceOp(op,
                       SliceOp::create(rewriter, slice.getLoc(), op.getType(),
                                       reshaped, plan->offsets, plan->strides));
    return success();
  }
};
} // namespace

//===- Contractions that share an operand --------------------------------===//

namespace {
/// Where two dimensions of a contraction's constant operand and result lie that
/// only they have, so that longer ones are contractions side by side.
struct JoinedDims {
  unsigned constant, result;
};

/// A contraction that may become a part of a larger one.
struct Member {
  ContractOp contraction;
  /// The constant that is added to it, if it is; rank 1.
  BroadcastOp bias;
  /// What others read: the contraction or the sum.
  Value end;
};
} // namespace

/// The only such dimensions if operand `shared` is shared.
static std::optional<JoinedDims> findJoinedDims(ContractOp op,
                                                unsigned shared) {
  AffineMap constant = getMap(op, 1 - shared), result = getMap(op, 2);
  std::optional<JoinedDims> found;
  for (auto [position, expr] : llvm::enumerate(constant.getResults())) {
    std::optional<unsigned> to = result.getResultPosition(expr);
    if (!to || getMap(op, shared)
                   .isFunctionOfDim(cast<AffineDimExpr>(expr).getPosition()))
      continue;
    if (found)
      return std::nullopt;
    found = JoinedDims{unsigned(position), *to};
  }
  return found;
}

bool fusec::fuse::isReadAsPart(Value value, unsigned dim, int64_t offset,
                               int64_t total) {
  ArrayRef<int64_t> part = getTensorType(value).getShape();
  SmallVector<int64_t> whole(part), offsets(part.size(), 0),
      strides(part.size(), 1);
  whole[dim] = total;
  offsets[dim] = offset;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    auto reshape = dyn_cast<ReshapeOp>(user);
    if (!reshape)
      return isa<PrimitiveOpInterface>(user) && !isPointByPoint(user);
    return planReshape({whole, part, offsets, strides},
                       reshape.getType().getShape()) &&
           llvm::all_of(reshape->getUsers(), [](Operation *reader) {
             return isa<PrimitiveOpInterface>(reader) &&
                    !isPointByPoint(reader);
           });
  });
}

void fusec::fuse::replaceByPart(Value value, Value whole, unsigned dim,
                                int64_t offset, PatternRewriter &rewriter) {
  auto type = getTensorType(value);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  offsets[dim] = offset;
  PartOf part{getTensorType(whole).getShape(), type.getShape(), offsets,
              strides};
  TensorBuilder b(rewriter, value.getLoc());
  for (Operation *user : SmallVector<Operation *>(value.getUsers())) {
    auto reshape = dyn_cast<ReshapeOp>(user);
    if (!reshape)
      continue;
    PartPlan plan = *planReshape(part, reshape.getType().getShape());
    rewriter.setInsertionPoint(reshape);
    Value reshaped = b.reshape(whole, plan.shape);
    rewriter.replaceOpWithNewOp<SliceOp>(reshape, reshape.getType(), reshaped,
                                         plan.offsets, plan.strides);
  }
  rewriter.setInsertionPointAfterValue(whole);
  rewriter.replaceOpWithNewOp<SliceOp>(value.getDefiningOp(), type, whole,
                                       offsets, strides);
}

static std::optional<Member> matchMember(ContractOp op, unsigned shared,
                                         JoinedDims dims) {
  // A weight that others read too would be stored twice.
  Value constant = op->getOperand(1 - shared);
  if (!constant.hasOneUse() || !isWholeConstant(constant))
    return std::nullopt;
  Member member{op, {}, op.getResult()};
  if (!op->hasOneUse())
    return member;
  auto add = dyn_cast<AddOp>(*op->user_begin());
  auto bias = add ? add.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (bias && bias.getDims().size() == 1 && bias.getDims()[0] == dims.result &&
      isWholeConstant(bias.getOperand()) &&
      getTensorType(bias.getOperand()).getDimSize(0) ==
          op.getType().getDimSize(dims.result))
    member = {op, bias, add.getResult()};
  return member;
}

/// The contractions in the block of `op`, which is the first of them, that read
/// the same operand by the same maps and have constants of one form. Empty if
/// joining them does not pay.
static SmallVector<Member> findMembers(ContractOp op, unsigned shared,
                                       JoinedDims dims) {
  SmallVector<Member> members;
  for (Operation *user : op->getOperand(shared).getUsers()) {
    auto other = dyn_cast<ContractOp>(user);
    if (!other || other->use_empty() || other->getBlock() != op->getBlock() ||
        other->getOperand(shared) != op->getOperand(shared) ||
        other.getMaps() != op.getMaps())
      continue;
    auto isAlike = [&](Value a, Value b, unsigned joined) {
      SmallVector<int64_t> shape(getTensorType(a).getShape());
      shape[joined] = getTensorType(b).getDimSize(joined);
      return getTensorType(a).clone(shape) == getTensorType(b);
    };
    if (!isAlike(op->getOperand(1 - shared), other->getOperand(1 - shared),
                 dims.constant) ||
        !isAlike(op, other, dims.result))
      continue;
    std::optional<Member> member = matchMember(other, shared, dims);
    bool isFirst = op == other || op->isBeforeInBlock(other);
    if (member && !isFirst)
      return {};
    if (member)
      members.push_back(*member);
  }
  llvm::sort(members, [](const Member &a, const Member &b) {
    return a.contraction->isBeforeInBlock(b.contraction);
  });
  int64_t total = 0, offset = 0;
  for (Member &member : members)
    total += member.contraction.getType().getDimSize(dims.result);
  for (Member &member : members) {
    if (bool(member.bias) != bool(members.front().bias) ||
        !isReadAsPart(member.end, dims.result, offset, total))
      return {};
    offset += member.contraction.getType().getDimSize(dims.result);
  }
  return members;
}

/// Constants of one type but for dimension `dim`, one after the other along it.
static Value concatenate(ArrayRef<Value> parts, unsigned dim,
                         OpBuilder &builder, Location loc) {
  auto type = getTensorType(parts.front());
  SmallVector<int64_t> shape(type.getShape());
  int64_t outer = 1, total = 0, elements = 1;
  for (unsigned d = 0; d < dim; ++d)
    outer *= shape[d];
  std::string hint;
  WeightOp weight;
  SmallVector<ConstantData> data;
  for (Value part : parts) {
    data.push_back(*getConstantData(part));
    total += getTensorType(part).getDimSize(dim);
    if (!data.back().weight)
      continue;
    weight = data.back().weight;
    hint += (hint.empty() ? "" : "_") + data.back().weight.getSymName().str();
  }
  shape[dim] = total;
  for (int64_t extent : shape)
    elements *= extent;
  std::vector<char> bytes;
  bytes.reserve(elements * getTypeInfo(type.getElementType())->storageBytes());
  for (int64_t row = 0; row < outer; ++row)
    for (const ConstantData &part : data) {
      size_t length = part.bytes.size() / outer;
      const char *from = part.bytes.data() + row * length;
      bytes.insert(bytes.end(), from, from + length);
    }
  return createConstant(builder, loc,
                        RankedTensorType::get(shape, type.getElementType()),
                        bytes, hint.empty() ? "constants" : hint, weight);
}

namespace {
/// contract(x, v), contract(x, w) = the two parts of contract(x, v beside w),
/// with constant v and w; constants added to both go the same way. So x is read
/// once: queries, keys and values are one product.
struct JoinContractions : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned shared : {0u, 1u}) {
      std::optional<JoinedDims> dims = findJoinedDims(op, shared);
      if (!dims || !hasConstantData(op->getOperand(1 - shared)))
        continue;
      SmallVector<Member> members = findMembers(op, shared, *dims);
      if (members.size() < 2)
        continue;
      join(members, shared, *dims, rewriter);
      return success();
    }
    return failure();
  }

private:
  static void join(ArrayRef<Member> members, unsigned shared, JoinedDims dims,
                   PatternRewriter &rewriter) {
    ContractOp first = members.front().contraction;
    rewriter.setInsertionPoint(first);
    SmallVector<Value> constants, biases;
    SmallVector<Location> locations;
    SmallVector<int64_t> shape(first.getType().getShape());
    shape[dims.result] = 0;
    for (Member member : members) {
      ContractOp contraction = member.contraction;
      constants.push_back(contraction->getOperand(1 - shared));
      locations.push_back(contraction.getLoc());
      shape[dims.result] += contraction.getType().getDimSize(dims.result);
      if (member.bias)
        biases.push_back(member.bias.getOperand());
    }
    Location loc = rewriter.getFusedLoc(locations);
    SmallVector<Value> operands(2, first->getOperand(shared));
    operands[1 - shared] = concatenate(constants, dims.constant, rewriter, loc);
    Value whole =
        ContractOp::create(rewriter, loc, first.getType().clone(shape),
                           operands[0], operands[1], first.getMaps());
    TensorBuilder b(rewriter, loc);
    if (!biases.empty()) {
      Value bias = concatenate(biases, 0, rewriter, loc);
      whole = b.add(whole, b.broadcast(bias, shape, {int64_t(dims.result)}));
    }
    SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
    for (Member member : members) {
      Value end = member.end;
      auto type = getTensorType(end);
      Value part = SliceOp::create(rewriter, end.getLoc(), type, whole, offsets,
                                   strides);
      offsets[dims.result] += type.getDimSize(dims.result);
      rewriter.replaceOp(end.getDefiningOp(), part);
    }
  }
};
} // namespace

void fusec::fuse::populateSimplifyParts(RuleSet &rules) {
  rules.add<ReshapeOfSlice>(
      {"parts.reshape-of-slice", RuleArea::Transposes, /*level=*/1, Bits::Kept,
       "Moves slices behind reshapes of what is stored as a whole."});
  rules.add<JoinContractions>({"parts.join-contractions", RuleArea::Transposes,
                               /*level=*/1, Bits::Kept,
                               "Makes one contraction of several that share an "
                               "operand and have constant weights."});
}
