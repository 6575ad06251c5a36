// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise table. An operation is a row: its name and the scalar it
// computes. `args` are the operand scalars in their compute type.
#ifndef FUSEC_FUSE_ELEMENTWISE
#define FUSEC_FUSE_ELEMENTWISE

include "dialects/fuse/FuseBase.td"
include "dialects/fuse/FuseInterfaces.td"

class Fuse_Elementwise<string mnemonic, string body, list<Trait> traits = []>
    : Fuse_Op<mnemonic, !listconcat([Pure, SameOperandsAndResultShape,
        DeclareOpInterfaceMethods<PrimitiveOpInterface, ["buildBody"]>], traits)> {
  let results = (outs Fuse_Tensor:$result);
  let extraClassDefinition = [{
    ::llvm::SmallVector<::mlir::Value> $cppClass::buildBody(
        ::mlir::OpBuilder &b, ::mlir::Location loc, ::mlir::ValueRange indices,
        ::mlir::ValueRange args, ::mlir::ValueRange) {
      (void)indices;
      return {(}] # body # [{)};
    }
  }];
}

class Fuse_Unary<string mnemonic, string body, list<Trait> traits = [SameOperandsAndResultElementType]>
    : Fuse_Elementwise<mnemonic, body, traits> {
  let arguments = (ins Fuse_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
class Fuse_UnarySame<string mnemonic, string body, list<Trait> traits = []>
    : Fuse_Unary<mnemonic, body, !listconcat([SameOperandsAndResultType], traits)> {
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}
class Fuse_Binary<string mnemonic, string body, list<Trait> traits = []>
    : Fuse_Elementwise<mnemonic, body, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins Fuse_Tensor:$lhs, Fuse_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

// One operation of math or arith, chosen by the scalar's type.
class ScalarFloat<string op>        { string text = "buildScalar<::mlir::" # op # ", void>(b, loc, args)"; }
class ScalarFloatInt<string f, string i> { string text = "buildScalar<::mlir::" # f # ", ::mlir::" # i # ">(b, loc, args)"; }
class ScalarInt<string op>          { string text = "buildScalar<void, ::mlir::" # op # ">(b, loc, args)"; }

def Fuse_AbsOp   : Fuse_UnarySame<"abs", "buildAbsolute(b, loc, args, computesUnsigned(*this))">;
def Fuse_AcosOp  : Fuse_UnarySame<"acos", ScalarFloat<"math::AcosOp">.text>;
def Fuse_AcoshOp : Fuse_UnarySame<"acosh", ScalarFloat<"math::AcoshOp">.text>;
def Fuse_AsinOp  : Fuse_UnarySame<"asin", ScalarFloat<"math::AsinOp">.text>;
def Fuse_AsinhOp : Fuse_UnarySame<"asinh", ScalarFloat<"math::AsinhOp">.text>;
def Fuse_AtanOp  : Fuse_UnarySame<"atan", ScalarFloat<"math::AtanOp">.text>;
def Fuse_AtanhOp : Fuse_UnarySame<"atanh", ScalarFloat<"math::AtanhOp">.text>;
def Fuse_CeilOp  : Fuse_UnarySame<"ceil", ScalarFloat<"math::CeilOp">.text, [Fuse_Discontinuous]>;
def Fuse_CosOp   : Fuse_UnarySame<"cos", ScalarFloat<"math::CosOp">.text>;
def Fuse_CoshOp  : Fuse_UnarySame<"cosh", ScalarFloat<"math::CoshOp">.text>;
def Fuse_ErfOp   : Fuse_UnarySame<"erf", ScalarFloat<"math::ErfOp">.text>;
def Fuse_ExpOp   : Fuse_UnarySame<"exp", ScalarFloat<"math::ExpOp">.text>;
def Fuse_Expm1Op : Fuse_UnarySame<"expm1", ScalarFloat<"math::ExpM1Op">.text>;
def Fuse_FloorOp : Fuse_UnarySame<"floor", ScalarFloat<"math::FloorOp">.text, [Fuse_Discontinuous]>;
def Fuse_LogOp   : Fuse_UnarySame<"log", ScalarFloat<"math::LogOp">.text>;
def Fuse_Log1pOp : Fuse_UnarySame<"log1p", ScalarFloat<"math::Log1pOp">.text>;
def Fuse_NegOp   : Fuse_UnarySame<"neg", "buildNegation(b, loc, args)">;
def Fuse_NotOp   : Fuse_UnarySame<"not", "buildComplement(b, loc, args)"> {
  let summary = "Logical not of booleans, bitwise not of integers";
}
def Fuse_RoundOp : Fuse_UnarySame<"round", ScalarFloat<"math::RoundEvenOp">.text, [Fuse_Discontinuous]> {
  let summary = "Round to nearest, ties to even";
}
def Fuse_RsqrtOp : Fuse_UnarySame<"rsqrt", ScalarFloat<"math::RsqrtOp">.text>;
def Fuse_SignOp  : Fuse_UnarySame<"sign", "buildSign(b, loc, args, computesUnsigned(*this))", [Fuse_Discontinuous]> {
  let summary = "-1, 0 or 1; NaN stays NaN";
}
def Fuse_SinOp   : Fuse_UnarySame<"sin", ScalarFloat<"math::SinOp">.text>;
def Fuse_SinhOp  : Fuse_UnarySame<"sinh", ScalarFloat<"math::SinhOp">.text>;
def Fuse_SqrtOp  : Fuse_UnarySame<"sqrt", ScalarFloat<"math::SqrtOp">.text>;
def Fuse_TanOp   : Fuse_UnarySame<"tan", ScalarFloat<"math::TanOp">.text>;
def Fuse_TanhOp  : Fuse_UnarySame<"tanh", ScalarFloat<"math::TanhOp">.text>;

def Fuse_AddOp : Fuse_Binary<"add", ScalarFloatInt<"arith::AddFOp", "arith::AddIOp">.text, [Commutative]>;
def Fuse_SubOp : Fuse_Binary<"sub", ScalarFloatInt<"arith::SubFOp", "arith::SubIOp">.text>;
def Fuse_MulOp : Fuse_Binary<"mul", ScalarFloatInt<"arith::MulFOp", "arith::MulIOp">.text, [Commutative]>;
def Fuse_DivOp : Fuse_Binary<"div", "buildDivision(b, loc, args, computesUnsigned(*this))"> {
  let summary = "Quotient; integers truncate towards zero, and x / 0 is 0";
}
def Fuse_PowOp : Fuse_Binary<"pow", ScalarFloatInt<"math::PowFOp", "math::IPowIOp">.text>;
def Fuse_ModOp : Fuse_Binary<"mod", "buildModulo(b, loc, args, computesUnsigned(*this))", [Fuse_Discontinuous]> {
  let summary = "Remainder with the sign of the divisor (Python's %)";
}
def Fuse_FmodOp : Fuse_Binary<"fmod", "buildRemainder(b, loc, args, computesUnsigned(*this))", [Fuse_Discontinuous]> {
  let summary = "Remainder with the sign of the dividend (C's fmod)";
}
def Fuse_MaximumOp : Fuse_Binary<"maximum", "buildExtreme(b, loc, args, true, computesUnsigned(*this))", [Commutative]> {
  let summary = "Maximum; NaN if either operand is NaN";
}
def Fuse_MinimumOp : Fuse_Binary<"minimum", "buildExtreme(b, loc, args, false, computesUnsigned(*this))", [Commutative]> {
  let summary = "Minimum; NaN if either operand is NaN";
}
def Fuse_AndOp : Fuse_Binary<"and", ScalarInt<"arith::AndIOp">.text, [Commutative]>;
def Fuse_OrOp  : Fuse_Binary<"or", ScalarInt<"arith::OrIOp">.text, [Commutative]>;
def Fuse_XorOp : Fuse_Binary<"xor", ScalarInt<"arith::XOrIOp">.text, [Commutative]>;
def Fuse_ShlOp : Fuse_Binary<"shl", "buildShift(b, loc, args, true)"> {
  let summary = "Shift to the left; 0 where the distance is the width or more";
}
def Fuse_ShrOp : Fuse_Binary<"shr", "buildShift(b, loc, args, false)"> {
  let summary = "Shift of unsigned integers to the right; 0 where the distance is the width or more";
}

def Fuse_CmpPredicate : I32EnumAttr<"CmpPredicate", "comparison", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::fusec::fuse";
  let genSpecializedAttr = 0;
}
def Fuse_CmpPredicateAttr : EnumAttr<Fuse_Dialect, Fuse_CmpPredicate, "cmp">;

def Fuse_CmpOp : Fuse_Elementwise<"cmp", "buildComparison(b, loc, getPredicate(), args, computesUnsigned(*this))"> {
  let summary = "Ordered comparison to a boolean; `ne` is true for NaN";
  let arguments = (ins Fuse_CmpPredicateAttr:$predicate, Fuse_Tensor:$lhs, Fuse_Tensor:$rhs);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}
def Fuse_SelectOp : Fuse_Elementwise<"select", "::mlir::arith::SelectOp::create(b, loc, args[0], args[1], args[2])", [Fuse_TakesCodes]> {
  let summary = "Elementwise choice between two tensors";
  let arguments = (ins Fuse_Tensor:$condition, Fuse_Tensor:$lhs, Fuse_Tensor:$rhs);
  let assemblyFormat = "$condition `,` $lhs `,` $rhs attr-dict `:` type($condition) `,` type($lhs) `,` type($rhs) `->` type($result)";
}
def Fuse_CastOp : Fuse_Elementwise<"cast", "buildCast(b, loc, args[0], getOperand().getType().getElementType(), getType().getElementType())", [Fuse_TakesCodes]> {
  let summary = "Conversion between element types";
  let description = [{
    Float to integer truncates towards zero, anything to boolean compares with
    zero, wide to narrow integers wraps, floats round to nearest even. Of a `whole`
    one to i32, each f32 is known to be a whole number within 2^24.
  }];
  let arguments = (ins Fuse_Tensor:$operand, UnitAttr:$whole);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
def Fuse_BitcastOp : Fuse_Unary<"bitcast", "buildBitcast(b, loc, args[0], getOperand().getType().getElementType(), getType().getElementType())", [Fuse_TakesCodes]> {
  let summary = "The bits of each element as another type of the same width";
  let description = [{
    Floats of 16 bits compute in f32: of their NaNs only that they are NaN is kept.
  }];
  let hasVerifier = 1;
}
def Fuse_LookUpOp : Fuse_Unary<"look_up", "buildLookUp(b, loc, args, getTable())", [Fuse_TakesCodes]> {
  let summary = "What a table has for each code of 8 bits";
  let description = [{
    `table` has an entry for each of the 256 codes, those of negative ones behind
    the others. Entries are numbers of the type of the result, integers of 8 bits.
    ```mlir
    %y = fuse.look_up %x table = [0, 1, 3, ...] : tensor<4x9xi8> -> tensor<4x9xui8>
    ```
  }];
  let arguments = (ins Fuse_Tensor:$operand, DenseI32ArrayAttr:$table);
  let assemblyFormat = "$operand `table` `=` $table attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif // FUSEC_FUSE_ELEMENTWISE
