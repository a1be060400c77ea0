// RUN: fuse-opt %s --fuse-prepare-parameters --split-input-file --verify-diagnostics
// RUN: fuse-opt %s --fuse-check-program --split-input-file --verify-diagnostics

// expected-error @+1 {{expected @nowhere, which 'fuse.prepare' names, to be a function '(tensor<8xf32>) -> tensor<8xf32>' with a body, found none}}
func.func @none(%w: tensor<8xf32> {fuse.param}, %p: tensor<8xf32> {fuse.param, fuse.prepared}) -> tensor<8xf32> attributes {fuse.prepare = @nowhere} {
  %n = fuse.unary neg %p : tensor<8xf32>
  return %n : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected 'fuse.prepare' on a function that has arguments marked 'fuse.prepared', and on no other}}
func.func @unnamed(%w: tensor<8xf32> {fuse.param}, %p: tensor<8xf32> {fuse.param, fuse.prepared}) -> tensor<8xf32> {
  %n = fuse.unary neg %p : tensor<8xf32>
  return %n : tensor<8xf32>
}

// -----

// expected-error @+1 {{expected @few, which 'fuse.prepare' names, to be a function '(tensor<8xf32>) -> tensor<8xf32>' with a body, found '(tensor<8xf32>) -> ()'}}
func.func @results(%w: tensor<8xf32> {fuse.param}, %p: tensor<8xf32> {fuse.param, fuse.prepared}) -> tensor<8xf32> attributes {fuse.prepare = @few} {
  %n = fuse.unary neg %p : tensor<8xf32>
  return %n : tensor<8xf32>
}
func.func @few(%w: tensor<8xf32> {fuse.param}) {
  return
}

// -----

// expected-error @+1 {{to be a function '(tensor<8xf32>) -> tensor<8xf32>' with a body, found '() -> tensor<8xf32>'}}
func.func @arguments(%w: tensor<8xf32> {fuse.param}, %p: tensor<8xf32> {fuse.param, fuse.prepared}) -> tensor<8xf32> attributes {fuse.prepare = @constant} {
  %n = fuse.unary neg %w : tensor<8xf32>
  return %n : tensor<8xf32>
}
func.func @constant() -> tensor<8xf32> {
  %c = arith.constant dense<1.0> : tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// expected-error @+1 {{to be a function '(tensor<8xf32>) -> tensor<8xf32>' with a body, found a declaration}}
func.func @declared(%w: tensor<8xf32> {fuse.param}, %p: tensor<8xf32> {fuse.param, fuse.prepared}) -> tensor<8xf32> attributes {fuse.prepare = @elsewhere} {
  %n = fuse.unary neg %p : tensor<8xf32>
  return %n : tensor<8xf32>
}
func.func private @elsewhere(%w: tensor<8xf32>) -> tensor<8xf32>
