// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has argument x of type 'memref<?xf32>'; it needs a row-major memref of static shape}}
sched.scop @shape ins(%x: memref<?xf32>) {
}

// -----

// expected-error@+1 {{has argument x of type 'memref<4xf80>'; it needs a row-major memref of static shape and a supported element type}}
sched.scop @element ins(%x: memref<4xf80>) {
}

// -----

// expected-error@+1 {{has argument x of type 'memref<4xf32, #kernel.space<shared>>'; it needs a row-major memref of static shape and a supported element type, in no memory space}}
sched.scop @space ins(%x: memref<4xf32, #kernel.space<shared>>) {
}

// -----

// expected-error@+1 {{has 1 arguments, fewer than its 2 inputs and 0 outputs}}
"sched.scop"() <{sym_name = "count", num_inputs = 2 : i64, num_outputs = 0 : i64}> ({
^bb0(%x: memref<4xf32>):
}) : () -> ()

// -----

// expected-error@+1 {{holds sched.stmt operations only}}
sched.scop @body ins(%x: memref<4xf32>) {
  // expected-note@+1 {{this is a arith.constant}}
  %0 = arith.constant 0.0 : f32
}

// -----

sched.scop @names outs(%y: memref<4xi64>) {
  // expected-note@+1 {{first used here}}
  sched.stmt @a [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i64
    sched.yield %0 : i64
  }
  // expected-error@+1 {{has the name of another statement}}
  sched.stmt @a [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i64
    sched.yield %0 : i64
  }
}

// -----

sched.scop @order outs(%y: memref<4xf32>) {
  // expected-error@+1 {{reads %y before any statement writes it}}
  sched.stmt @a [i: 4] reads %y[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @input ins(%x: memref<4xf32>) {
  // expected-error@+1 {{writes %x, an input of the scop}}
  sched.stmt @a [i: 4] reads %x[i] writes %x[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error@+1 {{never writes its output %y}}
sched.scop @output outs(%y: memref<4xf32>) {
}

// -----

module {
  // expected-error@+1 {{belongs into a sched.scop}}
  "sched.stmt"() <{sym_name = "a", dims = [], extents = array<i64>, reduced = array<i64>, read_maps = [],
    paddings = [], write_maps = [], operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0:
    "sched.yield"() : () -> ()
  }) : () -> ()
}

// -----

sched.scop @iterators ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{names 1 iterators but bounds 2}}
  "sched.stmt"(%x, %y) <{sym_name = "a", dims = ["i"], extents = array<i64: 4, 4>, reduced = array<i64>,
    read_maps = [affine_map<(d0) -> (d0)>], paddings = [unit], write_maps = [affine_map<(d0) -> (d0)>],
    operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%0: f32):
    "sched.yield"(%0) : (f32) -> ()
  }) : (memref<4xf32>, memref<4xf32>) -> ()
}

// -----

sched.scop @reserved ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{has an iterator named "mod"; it needs an identifier other than mod, floordiv and ceildiv}}
  sched.stmt @a [mod: 4] reads %x[0] writes %y[0] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @twice ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{has two iterators named i}}
  sched.stmt @a [i: 4, i: 4] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @negative ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{has iterator i of negative extent -4}}
  sched.stmt @a [i: -4] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @reduced outs(%y: memref<4xf32>) {
  sched.stmt @init [i: 4] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
  // expected-error@+1 {{needs its reduced iterators in order, each once}}
  sched.stmt @a [i: 4, j: 2, k: 2] reduces [k, j] reads %y[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @unknown outs(%y: memref<4xf32>) {
  // expected-error@+1 {{no iterator is named k}}
  sched.stmt @a [i: 4] reduces [k] reads %y[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @elsewhere outs(%y: memref<4xf32>) {
  // expected-error@+1 {{%z is not an argument of the enclosing sched.scop}}
  sched.stmt @a [i: 4] reads %z[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @rank ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{read 0 has 2 subscripts for 'memref<4xf32>'}}
  sched.stmt @a [i: 4] reads %x[i, i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @dims ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{read 0 has a map of 2 iterators, the statement has 1}}
  "sched.stmt"(%x, %y) <{sym_name = "a", dims = ["i"], extents = array<i64: 4>, reduced = array<i64>,
    read_maps = [affine_map<(d0, d1) -> (d0)>], paddings = [unit], write_maps = [affine_map<(d0) -> (d0)>],
    operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%0: f32):
    "sched.yield"(%0) : (f32) -> ()
  }) : (memref<4xf32>, memref<4xf32>) -> ()
}

// -----

sched.scop @maps ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{needs one map per read and write, and one padding per read}}
  "sched.stmt"(%x, %y) <{sym_name = "a", dims = ["i"], extents = array<i64: 4>, reduced = array<i64>,
    read_maps = [], paddings = [unit], write_maps = [affine_map<(d0) -> (d0)>],
    operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%0: f32):
    "sched.yield"(%0) : (f32) -> ()
  }) : (memref<4xf32>, memref<4xf32>) -> ()
}

// -----

sched.scop @outside ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{reads outside its array: subscript i - 1 takes [-1, 2] in dimension 0 of extent 4}}
  sched.stmt @a [i: 4] reads %x[i - 1] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @write ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{writes outside its array: subscript i * 2 takes [0, 6] in dimension 0 of extent 4}}
  sched.stmt @a [i: 4] reads %x[i] writes %y[i * 2] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @fill ins(%x: memref<4xf16>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{read 0 has a padding of type 'f16', not 'f32'}}
  sched.stmt @a [i: 4] reads %x[i - 1] else 0.0 : f16 writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @dynamic ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{read 0 is data-dependent; sched.gather is for that}}
  "sched.stmt"(%x, %y) <{sym_name = "a", dims = ["i"], extents = array<i64: 4>, reduced = array<i64>,
    read_maps = [affine_map<(d0)[s0] -> (s0)>], paddings = [unit], write_maps = [affine_map<(d0) -> (d0)>],
    operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%0: f32):
    "sched.yield"(%0) : (f32) -> ()
  }) : (memref<4xf32>, memref<4xf32>) -> ()
}

// -----

sched.scop @gathered ins(%n: memref<4xi64>) outs(%y: memref<4xi64>) arrays(%a: memref<4xi64>) {
  sched.stmt @a [i: 4] reads %n[i] writes %a[i] {
  ^bb0(%0: i64):
    sched.yield %0 : i64
  }
  // expected-error@+1 {{gathers from what is no input of the scop}}
  sched.stmt @b [i: 4] reads %n[i] writes %y[i] {
  ^bb0(%0: i64):
    // expected-note@+1 {{here}}
    %1 = sched.gather %a at affine_map<(d0)[s0] -> (s0)> [%0] : memref<4xi64>, i64 -> i64
    sched.yield %1 : i64
  }
}

// -----

sched.scop @subscripts ins(%n: memref<4xi64>) outs(%y: memref<4xi64>) {
  // expected-error@+1 {{a gather has 2 subscripts for 'memref<4xi64>'}}
  sched.stmt @a [i: 4] reads %n[i] writes %y[i] {
  ^bb0(%0: i64):
    %1 = sched.gather %n at affine_map<(d0)[s0] -> (s0, d0)> [%0] : memref<4xi64>, i64 -> i64
    sched.yield %1 : i64
  }
}

// -----

sched.scop @beyond ins(%n: memref<4x4xi64>) outs(%y: memref<4xi64>) {
  // expected-error@+1 {{gathers outside its array: subscript i + 1 takes [1, 4] in dimension 1 of extent 4}}
  sched.stmt @a [i: 4] reads %n[i, i] writes %y[i] {
  ^bb0(%0: i64):
    %1 = sched.gather %n at affine_map<(d0)[s0] -> (s0, d0 + 1)> [%0] : memref<4x4xi64>, i64 -> i64
    sched.yield %1 : i64
  }
}

// -----

sched.scop @indices ins(%n: memref<4xi64>) outs(%y: memref<4xi64>) {
  // expected-error@+1 {{gathers by 2 indices with a map of 1 symbols}}
  sched.stmt @a [i: 4] reads %n[i] writes %y[i] {
  ^bb0(%0: i64):
    %1 = sched.gather %n at affine_map<(d0)[s0] -> (s0)> [%0, %0] : memref<4xi64>, i64, i64 -> i64
    sched.yield %1 : i64
  }
}

// -----

sched.scop @stored_element ins(%n: memref<4xi64>, %x: memref<4xf16>) outs(%y: memref<4xi64>) {
  sched.stmt @a [i: 4] reads %n[i] writes %y[i] {
  ^bb0(%0: i64):
    // expected-error@+1 {{result #0 must be scalar of a compute type, but got 'f16'}}
    %1 = sched.gather %x at affine_map<(d0)[s0] -> (s0)> [%0] : memref<4xf16>, i64 -> f16
    sched.yield %0 : i64
  }
}

// -----

sched.scop @element ins(%n: memref<4xi64>) outs(%y: memref<4xi64>) {
  // expected-error@+1 {{gathers 'i32' from 'memref<4xi64>', not 'i64'}}
  sched.stmt @a [i: 4] reads %n[i] writes %y[i] {
  ^bb0(%0: i64):
    %1 = sched.gather %n at affine_map<(d0)[s0] -> (s0)> [%0] : memref<4xi64>, i64 -> i32
    sched.yield %0 : i64
  }
}

// -----

sched.scop @scatter ins(%n: memref<4xi64>) outs(%y: memref<4xi64>) {
  // expected-error@+1 {{write 0 is data-dependent; only reads may be}}
  "sched.stmt"(%n, %y) <{sym_name = "a", dims = ["i"], extents = array<i64: 4>, reduced = array<i64>,
    read_maps = [affine_map<(d0) -> (d0)>], paddings = [unit], write_maps = [affine_map<(d0)[s0] -> (s0)>],
    operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%0: i64):
    "sched.yield"(%0) : (i64) -> ()
  }) : (memref<4xi64>, memref<4xi64>) -> ()
}

// -----

sched.scop @spread ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{write 0 uses the reduced iterator i}}
  sched.stmt @a [i: 4] reduces [i] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @accumulator ins(%x: memref<4xf32>) outs(%y: memref<f32>) {
  // expected-error@+1 {{reduces, so its read 0 needs to be its write 0, the accumulator}}
  sched.stmt @a [i: 4] reduces [i] reads %x[i] writes %y[] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @arguments ins(%x: memref<4xf16>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{needs body arguments of the reads' compute types ('f32'), has ('f16')}}
  sched.stmt @a [i: 4] reads %x[i] writes %y[i] {
  ^bb0(%0: f16):
    %1 = arith.extf %0 : f16 to f32
    sched.yield %1 : f32
  }
}

// -----

sched.scop @terminator outs(%y: memref<4xf32>) {
  sched.stmt @a [i: 4] writes %y[i] {
    // expected-error@+1 {{block with no terminator}}
    %0 = arith.constant 0.0 : f32
  }
}

// -----

sched.scop @yields outs(%y: memref<4xi8>) {
  // expected-error@+1 {{needs to yield the writes' compute types ('i32'), yields ('i64')}}
  sched.stmt @a [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i64
    sched.yield %0 : i64
  }
}

// -----

sched.scop @yields_stored outs(%y: memref<4xi8>) {
  sched.stmt @a [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i8
    // expected-error@+1 {{operand #0 must be variadic of scalar of a compute type, but got 'i8'}}
    sched.yield %0 : i8
  }
}

// -----

sched.scop @pure ins(%x: memref<4xf32>) outs(%y: memref<4xf32>) {
  // expected-error@+1 {{needs a body of pure scalar operations}}
  sched.stmt @a [i: 4] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    // expected-note@+1 {{this operation is not one}}
    func.call @f() : () -> ()
    sched.yield %0 : f32
  }
}
func.func private @f()

// -----

sched.scop @which outs(%y: memref<4xi64>) {
  // expected-error@+1 {{has 1 iterators}}
  sched.stmt @a [i: 4] writes %y[i] {
    // expected-note@+1 {{this asks for number 1}}
    %0 = sched.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    sched.yield %1 : i64
  }
}

// -----

sched.scop @nothing ins(%x: memref<4xf32>) {
  // expected-error@+1 {{writes nothing}}
  "sched.stmt"(%x) <{sym_name = "a", dims = ["i"], extents = array<i64: 4>, reduced = array<i64>,
    read_maps = [affine_map<(d0) -> (d0)>], paddings = [unit], write_maps = [],
    operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%0: f32):
    "sched.yield"() : () -> ()
  }) : (memref<4xf32>) -> ()
}

// -----

// expected-error @below {{has no statement; leave it out}}
sched.scop @nothing ins(%x: memref<4xf32>) {
}

// -----

// expected-error @below {{has isa = "neon", for which target generic has no tiles; it has them for avx2, avx512}}
sched.scop @unknown outs(%y: memref<8xf32>) attributes {isa = "neon"} {
  sched.stmt @zero [i: 8] writes %y[i] {
    %0 = arith.constant 0.0 : f32
    sched.yield %0 : f32
  }
}

// -----

module attributes {fuse.target = "zen4"} {
  // expected-error @below {{has isa = "avx2", for which target zen4 has no tiles; it has them for avx512}}
  sched.scop @other outs(%y: memref<8xf32>) attributes {isa = "avx2"} {
    sched.stmt @zero [i: 8] writes %y[i] {
      %0 = arith.constant 0.0 : f32
      sched.yield %0 : f32
    }
  }
}

// -----

// expected-error @below {{says that input 1 is a weight, but has 1 inputs}}
sched.scop @weight ins(%x: memref<8xf32>) outs(%y: memref<8xf32>) attributes {weights = array<i64: 0, 1>} {
  sched.stmt @copy [i: 8] reads %x[i] writes %y[i] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

// expected-error@+1 {{has key = "1", which is no hash; it needs 16 lower-case hexadecimal digits}}
sched.scop @key outs(%y: memref<4xi64>) attributes {key = "1"} {
  sched.stmt @a [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i64
    sched.yield %0 : i64
  }
}

// -----

sched.scop @words outs(%y: memref<4xi64>) {
  // expected-error@+1 {{has the name "a] : x["; it needs an identifier}}
  sched.stmt @"a] : x[" [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i64
    sched.yield %0 : i64
  }
}

// -----

sched.scop @config outs(%y: memref<4xi64>)
    // expected-error@+1 {{has the name 'a"b'; it needs letters, digits and underscores, and no digit first}}
    config(#sched.config<"a\22b", []>) {
  sched.stmt @a [i: 4] writes %y[i] {
    %0 = arith.constant 0 : i64
    sched.yield %0 : i64
  }
}

// -----

sched.scop @needed ins(%x: memref<8x8xf32>) outs(%y: memref<8x8xf32>) {
  // expected-error@+1 {{says what is needed by i + j; it needs a difference of two iterators, of which one may number what is in a block, and a constant}}
  sched.stmt @copy [i: 8, j: 8] needed [i + j] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}

// -----

sched.scop @runs ins(%x: memref<8x8xf32>) outs(%y: memref<8x8xf32>) {
  // expected-error@+1 {{says which points are needed or run by other iterators than its own, or by none}}
  sched.stmt @copy [i: 8, j: 8] runs [] reads %x[i, j] writes %y[i, j] {
  ^bb0(%0: f32):
    sched.yield %0 : f32
  }
}
