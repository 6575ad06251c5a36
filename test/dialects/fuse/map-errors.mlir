// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has a scalar that needs file and function, texts, lanes, a boolean, and parameters, a list of texts}}
fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true}}

// -----

// expected-error @below {{has a scalar that needs file and function, texts, lanes, a boolean, and parameters, a list of texts}}
fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = 1, parameters = ["beta"]}}

// -----

// expected-error @below {{has its function in "b.h", which is none of its sources}}
fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "b.h", function = "a::swish", lanes = true, parameters = ["beta"]}}

// -----

// expected-error @below {{has the function "a swish"; it needs identifiers with :: between, as in acme::swish}}
fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a swish", lanes = true, parameters = ["beta"]}}

// -----

// expected-error @below {{has a scalar whose parameters are not its own}}
fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["gamma"]}}

// -----

// expected-error @below {{has a scalar whose parameters are not its own}}
fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = []}}

// -----

// expected-error @below {{has a scalar, and needs inputs and one output}}
fuse.op @a.Swish version 1 inputs [] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}

// -----

// expected-error @below {{has a scalar, and needs inputs and one output}}
fuse.op @a.Swish version 1 inputs ["x"] outputs ["y", "z"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}

// -----

func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{'fuse.map' op of @a.Swish, which no fuse.op of the module declares with a function of elements}}
  %0 = fuse.map @a.Swish(%x) [1.0] hash "0123456789abcdef" : tensor<4xf32>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{of @a.Swish has 2 operands, needs 1}}
  %0 = fuse.map @a.Swish(%x, %x) [1.0] hash "0123456789abcdef" : tensor<4xf32>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{of @a.Swish has 2 parameters, needs 1}}
  %0 = fuse.map @a.Swish(%x) [1.0, 2.0] hash "0123456789abcdef" : tensor<4xf32>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{expected 1 or more operands, but found 0}}
  %0 = fuse.map @a.Swish() [1.0] hash "0123456789abcdef" : tensor<4xf32>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{has hash = "12", which is no hash}}
  %0 = fuse.map @a.Swish(%x) [1.0] hash "12" : tensor<4xf32>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xf32>) {
  // expected-error @below {{takes 0 steps; there is at least one}}
  %0 = fuse.map @a.Swish(%x) [1.0] hash "0123456789abcdef" {steps = 0} : tensor<4xf32>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xi1>) {
  // expected-error @below {{is of 'i1'; functions take floats of 16 bits and more, and integers but for booleans and ui64}}
  %0 = fuse.map @a.Swish(%x) [1.0] hash "0123456789abcdef" : tensor<4xi1>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xui64>) {
  // expected-error @below {{is of 'ui64'; functions take floats of 16 bits and more, and integers but for booleans and ui64}}
  %0 = fuse.map @a.Swish(%x) [1.0] hash "0123456789abcdef" : tensor<4xui64>
  return
}

// -----

fuse.op @a.Swish version 1 inputs ["x"] outputs ["y"] parameters {beta = 1.0 : f64} of "acts" hash "0123456789abcdef"
    attributes {flags = [], sources = {a.cpp = "", a.h = ""}, unit = 0, units = ["a.cpp"], scalar = {file = "a.h", function = "a::swish", lanes = true, parameters = ["beta"]}}
func.func @case(%x: tensor<4xf8E4M3FN>) {
  // expected-error @below {{is of 'f8E4M3FN'; functions take floats of 16 bits and more, and integers but for booleans and ui64}}
  %0 = fuse.map @a.Swish(%x) [1.0] hash "0123456789abcdef" : tensor<4xf8E4M3FN>
  return
}
