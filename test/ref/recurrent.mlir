// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-ref %s | FileCheck --match-full-lines %s
// Layers of one unit whose activations are lines, so that values are exact.

// h = 2 x + h + 1 over x = 1, 2, 3
// CHECK: rnn: f32[3x1x1x1] = [3, 8, 15]
// CHECK-NEXT: rnn_last: f32[1x1x1] = [15]
// The same from the end, of which the second row has two steps.
// CHECK-NEXT: reverse: f32[3x1x2x1] = [15, 8, 12, 5, 7, 0]
// CHECK-NEXT: reverse_last: f32[1x2x1] = [15, 8]
// z = r = 0.5: n = 2 + 1 + 0.5 4 + 2, h = 0.5 n + 0.5 4
// CHECK-NEXT: gru: f32[1x1x1x1] = [5.5]
// n = 2 + 1 + 0.5 (4 + 2)
// CHECK-NEXT: gru_after: f32[1x1x1x1] = [5]
// i = o = f = 0.5, g = 2 + 4: c = 0.5 8 + 0.5 6, h = 0.5 c
// CHECK-NEXT: lstm: f32[1x1x1x1] = [3.5]
// CHECK-NEXT: lstm_cell: f32[1x1x1] = [7]
// i = 8, o = 2 c, f = 1 - i, g = 6, all at most 10: c = -7 8 + 8 6 = -8
// CHECK-NEXT: peepholes: f32[1x1x1x1] = [80]
// x = 255 and h = -255 have the scale 1: g = 255 - 255 / 2, c = 0.5 8 + 0.5 g, h = 0.5 c
// CHECK-NEXT: codes: f32[1x1x1x1] = [33.875]
func.func @main() -> (tensor<3x1x1x1xf32> {fuse.name = "rnn"}, tensor<1x1x1xf32> {fuse.name = "rnn_last"},
    tensor<3x1x2x1xf32> {fuse.name = "reverse"}, tensor<1x2x1xf32> {fuse.name = "reverse_last"},
    tensor<1x1x1x1xf32> {fuse.name = "gru"}, tensor<1x1x1x1xf32> {fuse.name = "gru_after"},
    tensor<1x1x1x1xf32> {fuse.name = "lstm"}, tensor<1x1x1xf32> {fuse.name = "lstm_cell"},
    tensor<1x1x1x1xf32> {fuse.name = "peepholes"}, tensor<1x1x1x1xf32> {fuse.name = "codes"}) {
  %x = fuse.constant dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>
  %xx = fuse.constant dense<[[[1.0], [1.0]], [[2.0], [2.0]], [[3.0], [3.0]]]> : tensor<3x2x1xf32>
  %w = fuse.constant dense<2.0> : tensor<1x1x1xf32>
  %r = fuse.constant dense<1.0> : tensor<1x1x1xf32>
  %b = fuse.constant dense<0.5> : tensor<1x2xf32>
  %n = fuse.constant dense<[3, 2]> : tensor<2xi32>
  %rnn, %rnn_last = fuse.rnn forward %x, %w, %r bias %b
    {activations = ["Affine"], alphas = array<f64: 1.0>, betas = array<f64: 0.0>}
    : (tensor<3x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x2xf32>) -> (tensor<3x1x1x1xf32>, tensor<1x1x1xf32>)
  %reverse, %reverse_last = fuse.rnn reverse %xx, %w, %r bias %b lengths %n
    {activations = ["Affine"], alphas = array<f64: 1.0>, betas = array<f64: 0.0>}
    : (tensor<3x2x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x2xf32>, tensor<2xi32>) -> (tensor<3x1x2x1xf32>, tensor<1x2x1xf32>)

  %x2 = fuse.constant dense<2.0> : tensor<1x1x1xf32>
  %h0 = fuse.constant dense<4.0> : tensor<1x1x1xf32>
  %w3 = fuse.constant dense<[[[0.0], [0.0], [1.0]]]> : tensor<1x3x1xf32>
  %b6 = fuse.constant dense<[[0.0, 0.0, 1.0, 0.0, 0.0, 2.0]]> : tensor<1x6xf32>
  %gru, %gru_last = fuse.gru forward %x2, %w3, %w3 bias %b6 initial_h %h0
    {activations = ["Affine", "Affine"], alphas = array<f64: 0.0, 1.0>, betas = array<f64: 0.5, 0.0>}
    : (tensor<1x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x6xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)
  %gru_after, %gru_after_last = fuse.gru forward %x2, %w3, %w3 bias %b6 initial_h %h0
    {activations = ["Affine", "Affine"], alphas = array<f64: 0.0, 1.0>, betas = array<f64: 0.5, 0.0>, reset_after}
    : (tensor<1x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x6xf32>, tensor<1x1x1xf32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)

  %c0 = fuse.constant dense<8.0> : tensor<1x1x1xf32>
  %w4 = fuse.constant dense<[[[0.0], [0.0], [0.0], [1.0]]]> : tensor<1x4x1xf32>
  %p = fuse.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %lstm, %lstm_last, %lstm_cell = fuse.lstm forward %x2, %w4, %w4 initial_h %h0 initial_c %c0
    {activations = ["Affine", "Affine", "Affine"], alphas = array<f64: 0.0, 1.0, 1.0>, betas = array<f64: 0.5, 0.0, 0.0>}
    : (tensor<1x1x1xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
      -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  %peepholes, %peepholes_last, %peepholes_cell = fuse.lstm forward %x2, %w4, %w4 initial_h %h0 initial_c %c0 peepholes %p
    {activations = ["Affine", "Affine", "Affine"], alphas = array<f64: 1.0, 1.0, 1.0>, betas = array<f64: 0.0, 0.0, 0.0>,
     clip = 1.0e+01 : f64, coupled}
    : (tensor<1x1x1xf32>, tensor<1x4x1xf32>, tensor<1x4x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x3xf32>)
      -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)

  %x255 = fuse.constant dense<255.0> : tensor<1x1x1xf32>
  %h255 = fuse.constant dense<-255.0> : tensor<1x1x1xf32>
  %wc = fuse.constant dense<[[[0], [0], [0], [3]]]> : tensor<1x4x1xi8>
  %rc = fuse.constant dense<[[[0], [0], [0], [2]]]> : tensor<1x4x1xi8>
  %ws = fuse.constant dense<0.5> : tensor<1x1xf32>
  %wz = fuse.constant dense<1> : tensor<1x1xi8>
  %rs = fuse.constant dense<[[1.0, 1.0, 1.0, 0.25]]> : tensor<1x4xf32>
  %rz = fuse.constant dense<0> : tensor<1x4xi8>
  %codes, %codes_last, %codes_cell = fuse.lstm forward %x255, %wc, %rc initial_h %h255 initial_c %c0 codes %ws, %wz, %rs, %rz
    {activations = ["Affine", "Affine", "Affine"], alphas = array<f64: 0.0, 1.0, 1.0>, betas = array<f64: 0.5, 0.0, 0.0>}
    : (tensor<1x1x1xf32>, tensor<1x4x1xi8>, tensor<1x4x1xi8>, tensor<1x1x1xf32>, tensor<1x1x1xf32>,
       tensor<1x1xf32>, tensor<1x1xi8>, tensor<1x4xf32>, tensor<1x4xi8>)
      -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return %rnn, %rnn_last, %reverse, %reverse_last, %gru, %gru_after, %lstm, %lstm_cell, %peepholes, %codes
    : tensor<3x1x1x1xf32>, tensor<1x1x1xf32>, tensor<3x1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x1x1x1xf32>,
      tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
}
