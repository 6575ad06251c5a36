// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fusec-opt %s --split-input-file --verify-diagnostics

func.func @condition_type(%c: tensor<1xi1>) {
  // expected-error @below {{'fuse.if' op has a condition of type 'tensor<1xi1>', expected 'tensor<i1>'}}
  fuse.if %c : (tensor<1xi1>) -> () {
    fuse.yield
  } else {
    fuse.yield
  }
  return
}

// -----

func.func @branch_type(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{needs an else body that yields one value of the same type per result}}
  %0 = fuse.if %c : (tensor<i1>) -> tensor<4xf32> {
    fuse.yield %x : tensor<4xf32>
  } else {
    fuse.yield %c : tensor<i1>
  }
  return
}

// -----

func.func @endless(%x: tensor<4xf32>) {
  // expected-error @below {{never ends: it has neither trips nor a count nor a condition}}
  %0 = fuse.loop carries(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    fuse.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @count_type(%n: tensor<i32>, %x: tensor<4xf32>) {
  // expected-error @below {{has a count of type 'tensor<i32>', expected 'tensor<i64>'}}
  %0 = fuse.loop count(%n) carries(%x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    fuse.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @negative_trips(%x: tensor<4xf32>) {
  // expected-error @below {{has -1 trips}}
  %0 = fuse.loop trips = -1 carries(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<4xf32>):
    fuse.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @slice_rows(%x: tensor<4x3xf32>) {
  // expected-error @below {{slices operand 0 of type 'tensor<4x3xf32>', which has not 5 rows}}
  fuse.loop trips = 5 slices(%x) : (tensor<4x3xf32>) -> () {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>):
    fuse.yield
  }
  return
}

// -----

func.func @slice_trips(%n: tensor<i64>, %x: tensor<4x3xf32>) {
  // expected-error @below {{needs trips for its slices and stacks}}
  fuse.loop count(%n) slices(%x) : (tensor<i64>, tensor<4x3xf32>) -> () {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>):
    fuse.yield
  }
  return
}

// -----

func.func @stack_rows(%x: tensor<3xf32>) {
  // expected-error @below {{stacks 'tensor<4x3xf32>', which has not 5 rows}}
  %0 = fuse.loop trips = 5 : () -> tensor<4x3xf32> {
  ^bb0(%i: tensor<i64>):
    fuse.yield %x : tensor<3xf32>
  }
  return
}

// -----

func.func @carried_type(%x: tensor<3xf32>) {
  // expected-error @below {{carries 'tensor<3xf32>' but results in 'tensor<4xf32>'}}
  %0 = fuse.loop trips = 5 carries(%x) : (tensor<3xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>):
    fuse.yield %a : tensor<3xf32>
  }
  return
}

// -----

func.func @few_results(%x: tensor<3xf32>) {
  // expected-error @below {{has 0 results, fewer than its 1 carried values}}
  fuse.loop trips = 5 carries(%x) : (tensor<3xf32>) -> () {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>):
    fuse.yield %a : tensor<3xf32>
  }
  return
}

// -----

func.func @reversed(%x: tensor<5x3xf32>) {
  // expected-error @below {{has reversed_slices [1], expected increasing numbers below 1}}
  fuse.loop trips = 5 slices(%x) attributes {reversed_slices = array<i64: 1>} : (tensor<5x3xf32>) -> () {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>):
    fuse.yield
  }
  return
}

// -----

func.func @body_arguments(%x: tensor<3xf32>) {
  // expected-error @below {{needs a body that takes the iteration, its carried values and a row per slice}}
  %0 = fuse.loop trips = 5 carries(%x) : (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<3xf32>):
    fuse.yield %a : tensor<3xf32>
  }
  return
}

// -----

func.func @body_results(%c: tensor<i1>, %x: tensor<3xf32>) {
  // expected-error @below {{needs a body that yields the next condition (if there is one), its carried values and a row per stack}}
  %0 = fuse.loop while(%c) carries(%x) : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>):
    fuse.yield %a : tensor<3xf32>
  }
  return
}

// -----

func.func @layer_weights(%x: tensor<5x2x3xf32>, %w: tensor<1x4x4xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'fuse.rnn' op has weights of shape [1, 4, 4], expected [1, 4, 3]}}
  %y, %h = fuse.rnn forward %x, %w, %r {activations = ["Tanh"], alphas = array<f64: 0.0>,
      betas = array<f64: 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @layer_activation(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{has the unknown activation "Gelu"}}
  %y, %h = fuse.rnn forward %x, %w, %r {activations = ["Gelu"], alphas = array<f64: 0.0>,
      betas = array<f64: 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @layer_codes(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xi8>, %r: tensor<1x16x4xi8>, %s: tensor<1x1xf32>, %z: tensor<1x1xi8>, %u: tensor<1x1xui8>, %v: tensor<1x2xf32>) {
  // expected-error @below {{needs codes of 8 bits with scales of floats and zero points of their type}}
  %y, %h, %c = fuse.lstm forward %x, %w, %r {activations = ["Sigmoid", "Tanh", "Tanh"], alphas = array<f64: 0.0, 0.0, 0.0>,
      betas = array<f64: 0.0, 0.0, 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x16x3xi8>, tensor<1x16x4xi8>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @layer_numbers(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %s: tensor<1x1xf32>, %z: tensor<1x1xi8>, %u: tensor<1x1xui8>, %v: tensor<1x2xf32>) {
  // expected-error @below {{needs codes of 8 bits with scales of floats and zero points of their type}}
  %y, %h, %c = fuse.lstm forward %x, %w, %r codes %s, %z, %s, %z {activations = ["Sigmoid", "Tanh", "Tanh"], alphas = array<f64: 0.0, 0.0, 0.0>,
      betas = array<f64: 0.0, 0.0, 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x1xf32>, tensor<1x1xi8>, tensor<1x1xf32>, tensor<1x1xi8>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @layer_zero(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xi8>, %r: tensor<1x16x4xi8>, %s: tensor<1x1xf32>, %z: tensor<1x1xi8>, %u: tensor<1x1xui8>, %v: tensor<1x2xf32>) {
  // expected-error @below {{needs codes of 8 bits with scales of floats and zero points of their type}}
  %y, %h, %c = fuse.lstm forward %x, %w, %r codes %s, %u, %s, %z {activations = ["Sigmoid", "Tanh", "Tanh"], alphas = array<f64: 0.0, 0.0, 0.0>,
      betas = array<f64: 0.0, 0.0, 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x16x3xi8>, tensor<1x16x4xi8>, tensor<1x1xf32>, tensor<1x1xui8>, tensor<1x1xf32>, tensor<1x1xi8>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @layer_scale(%x: tensor<5x2x3xf32>, %w: tensor<1x16x3xi8>, %r: tensor<1x16x4xi8>, %s: tensor<1x1xf32>, %z: tensor<1x1xi8>, %u: tensor<1x1xui8>, %v: tensor<1x2xf32>) {
  // expected-error @below {{has a scale or zero point of shape [1, 2] for codes of shape [1, 16, 4]}}
  %y, %h, %c = fuse.lstm forward %x, %w, %r codes %s, %z, %v, %z {activations = ["Sigmoid", "Tanh", "Tanh"], alphas = array<f64: 0.0, 0.0, 0.0>,
      betas = array<f64: 0.0, 0.0, 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x16x3xi8>, tensor<1x16x4xi8>, tensor<1x1xf32>, tensor<1x1xi8>, tensor<1x2xf32>, tensor<1x1xi8>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @layer_activations(%x: tensor<5x2x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>) {
  // expected-error @below {{needs 2 activations, alphas and betas}}
  %y, %h = fuse.gru forward %x, %w, %r {activations = ["Tanh"], alphas = array<f64: 0.0>,
      betas = array<f64: 0.0>}
    : (tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}
