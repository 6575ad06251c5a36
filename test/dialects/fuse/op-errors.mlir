// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{is called 'Twice'; it needs a domain and a type, words with a point between}}
fuse.op @Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// -----

// expected-error @below {{has version 0; they begin at 1}}
fuse.op @a.Twice version 0 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// -----

// expected-error @below {{has no outputs}}
fuse.op @a.Twice version 1 inputs ["x"] outputs [] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// -----

// expected-error @below {{has inputs = ["a b"], which is no identifier}}
fuse.op @a.Twice version 1 inputs ["a b"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// -----

// expected-error @below {{has hash = "123", which is no hash}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "123"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// -----

// expected-error @below {{has the parameter "scale" = 1.000000e+00 : f32; it needs a word, and a boolean, i64, f64, string, array<i64>, array<f64> or list of strings as default}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f32} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// -----

// expected-error @below {{has a source '../a.cpp', which is no path inside of a folder}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {"../a.cpp" = ""}, unit = 0, units = ["../a.cpp"]}

// -----

// expected-error @below {{has the unit 'b.cpp', which is none of its sources}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["b.cpp"]}

// -----

// expected-error @below {{is registered by unit 1 of 1}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 1, units = ["a.cpp"]}

// -----

// expected-error @below {{has the flag '-D"a b"'; it needs a dash, then letters, digits and _.+-=,/:}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = ["-D\22a b\22"], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice, which no fuse.op of the module declares}}
  %0 = fuse.call @a.Twice(%x) {} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the operator is declared here}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has 2 operands, needs 1}}
  %0 = fuse.call @a.Twice(%x, %x) {} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the operator is declared here}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {scale = 1.0 : f64} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice needs the parameter 'scale', a number}}
  %0 = fuse.call @a.Twice(%x) {scale = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the operator is declared here}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @case(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{'kernel.call' op of @a.Twice has no parameter 'more'}}
  kernel.call @a.Twice(%x) outs(%y) {more = 1 : i64} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.workspace that is no number of bytes above 0}}
  %0 = fuse.call @a.Twice(%x) {op.workspace = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @list(%x: tensor<4xi8>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.quantized that is no list of a dictionary for each operand}}
  %0 = fuse.call @a.Twice(%x) {op.quantized = []} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @members(%x: tensor<4xi8>) {
  // expected-error @below {{'fuse.call' op of @a.Twice op.quantized of operand 0 needs axis, an integer, scales, floats, and zero_points, integers}}
  %0 = fuse.call @a.Twice(%x) {op.quantized = [{axis = 0 : i64, scales = array<f32: 1.0>}]} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @type(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice op.quantized of operand 0 is that of a tensor of other elements than integers of 8 bits}}
  %0 = fuse.call @a.Twice(%x) {op.quantized = [{axis = 0 : i64, scales = array<f32: 1.0>, zero_points = array<i64: 0>}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @count(%x: tensor<4xi8>) {
  // expected-error @below {{'fuse.call' op of @a.Twice op.quantized of operand 0 needs one scale and zero point, or as many as the dimension 'axis' has}}
  %0 = fuse.call @a.Twice(%x) {op.quantized = [{axis = 0 : i64, scales = array<f32: 1.0, 2.0>, zero_points = array<i64: 0, 0>}]} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @length(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.must_alias that is no list of integers, one for each result}}
  %0 = fuse.call @a.Twice(%x) {op.must_alias = array<i64: 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @there(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice op.may_alias of result 0 names operand 1, which there is not}}
  %0 = fuse.call @a.Twice(%x) {op.may_alias = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @other(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice op.must_alias of result 0 names operand 0, which is of another type}}
  %0 = fuse.call @a.Twice(%x) {op.must_alias = array<i64: 0>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y", "z"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @together(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice op.may_alias of result 1 names operand 0, where another result lies}}
  %0:2 = fuse.call @a.Twice(%x) {op.may_alias = array<i64: -1, 0>, op.must_alias = array<i64: 0, -1>}
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @elsewhere(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{'kernel.call' op of @a.Twice has result 0 in other memory than operand 0, where it must lie}}
  kernel.call @a.Twice(%x) outs(%y) {op.must_alias = array<i64: 0>} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @undeclared(%x: memref<4xf32>) {
  // expected-error @below {{'kernel.call' op of @a.Twice has result 0 in the memory of operand 0, and does not say that it may lie there}}
  kernel.call @a.Twice(%x) outs(%x) {} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// expected-error @below {{has cuda that needs alone, a boolean, and unit, an integer}}
fuse.op @a.Own version 1 inputs ["x"] outputs ["y"] parameters {} of "own" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cu = ""}, unit = 0, units = ["a.cpp"], cuda = {unit = 1}, cuda_units = ["a.cu"]}

// -----

// expected-error @below {{has its form for CUDA in unit 2 of 2}}
fuse.op @a.Own version 1 inputs ["x"] outputs ["y"] parameters {} of "own" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cu = ""}, unit = 0, units = ["a.cpp"], cuda = {alone = true, unit = 2}, cuda_units = ["a.cu"]}

// -----

// expected-error @below {{has the unit 'b.cu' in CUDA, which is none of its sources}}
fuse.op @a.Own version 1 inputs ["x"] outputs ["y"] parameters {} of "own" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cu = ""}, unit = 0, units = ["a.cpp"], cuda_units = ["b.cu"]}

// -----

// expected-note @below {{the operator is declared here}}
fuse.op @a.Own version 1 inputs ["x"] outputs ["y"] parameters {} of "own" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cu = ""}, unit = 0, units = ["a.cpp"], cuda_units = ["a.cu"]}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of @a.Own has op.cuda_workspace, and the operator has no form for CUDA}}
  %0 = fuse.call @a.Own(%x) {op.cuda_workspace = 0} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

fuse.op @a.Own version 1 inputs ["x"] outputs ["y"] parameters {} of "own" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cu = ""}, unit = 0, units = ["a.cpp"], cuda = {alone = true, unit = 1}, cuda_units = ["a.cu"]}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of @a.Own has op.cuda_workspace that is no number of bytes}}
  %0 = fuse.call @a.Own(%x) {op.cuda_workspace = -1} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @no_list(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms that is no list of dictionaries}}
  %0 = fuse.call @a.Twice(%x) {op.algorithms = "plain"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @none(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms that is no list of dictionaries}}
  %0 = fuse.call @a.Twice(%x) {op.algorithms = []} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @nameless(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms without a name}}
  %0 = fuse.call @a.Twice(%x) {op.algorithms = [{workspace = 8}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @no_word(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms with name; it needs name, a word, and may have workspace, bytes above 0, and reproducible, false}}
  %0 = fuse.call @a.Twice(%x) {op.algorithms = [{name = "a b"}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @no_bytes(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms with workspace; it needs name}}
  %0 = fuse.call @a.Twice(%x) {op.algorithms = [{name = "a", workspace = 0}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @same(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms with reproducible; it needs name}}
  %0 = fuse.call @a.Twice(%x) {op.algorithms = [{name = "a", reproducible = true}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @twins(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms with two of one name}}
  %0 = fuse.call @a.Twice(%x) {op.algorithms = [{name = "a"}, {name = "a"}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @both(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms and op.algorithm, which is that of one of them}}
  %0 = fuse.call @a.Twice(%x) {op.algorithm = "a", op.algorithms = [{name = "a"}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @space(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithms and op.workspace, which is that of one of them}}
  %0 = fuse.call @a.Twice(%x) {op.workspace = 8, op.algorithms = [{name = "a"}]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @taken(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.algorithm that is no word}}
  %0 = fuse.call @a.Twice(%x) {op.algorithm = "a b"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @varying(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.reproducible other than false, which is left out}}
  %0 = fuse.call @a.Twice(%x) {op.reproducible = true} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @open(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @below {{'kernel.call' op of @a.Twice has several algorithms; only a fuse.call may, until one is taken}}
  kernel.call @a.Twice(%x) outs(%y) {op.algorithms = [{name = "a"}]} : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

// expected-error @below {{has a block that needs file and function, texts, alone, a boolean, and parameters, a list of texts}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"],
    block = {file = "a.cuh", function = "f", parameters = []}}

// -----

// expected-error @below {{has its function in "a.cuh", which is none of its sources}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"],
    block = {alone = false, file = "a.cuh", function = "f", parameters = []}}

// -----

// expected-error @below {{has the function "f()"; it needs identifiers with :: between}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cuh = ""}, unit = 0, units = ["a.cpp"],
    block = {alone = false, file = "a.cuh", function = "f()", parameters = []}}

// -----

// expected-error @below {{has a block whose parameters are not its own}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cuh = ""}, unit = 0, units = ["a.cpp"],
    block = {alone = false, file = "a.cuh", function = "f", parameters = ["scale"]}}

// -----

// expected-error @below {{has both a scalar and a block}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cuh = ""}, unit = 0, units = ["a.cpp"],
    block = {alone = false, file = "a.cuh", function = "f", parameters = []},
    scalar = {file = "a.cuh", function = "f", lanes = true, parameters = []}}

// -----

// expected-note @below {{the operator is declared here}}
fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = ""}, unit = 0, units = ["a.cpp"]}
func.func @none(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice has op.block, and the operator has no function of blocks}}
  %0 = fuse.call @a.Twice(%x) {op.block = {blocks = 1, shared = 0, threads = 32, workspace = 0}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

fuse.op @a.Twice version 1 inputs ["x"] outputs ["y"] parameters {} of "twice" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.cuh = ""}, unit = 0, units = ["a.cpp"],
    block = {alone = false, file = "a.cuh", function = "f", parameters = []}}
func.func @members(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice op.block needs blocks, threads, shared and workspace, integers}}
  %0 = fuse.call @a.Twice(%x) {op.block = {blocks = 1, threads = 32}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @threads(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice in op.block has blocks of 0 threads; a block has whole warps of 32, up to 1024 threads}}
  %0 = fuse.call @a.Twice(%x) {op.block = {blocks = 1, shared = 0, threads = 0, workspace = 0}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @count(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice in op.block has -1 blocks; a grid has 0 to 2147483647}}
  %0 = fuse.call @a.Twice(%x) {op.block = {blocks = -1, shared = 0, threads = 32, workspace = 0}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @bytes(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.call' op of @a.Twice in op.block has blocks of -1 bytes of shared memory; they have 0 or more}}
  %0 = fuse.call @a.Twice(%x) {op.block = {blocks = 1, shared = -1, threads = 32, workspace = 0}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
