// Each function by fuse-run, converted, and by upstream's own lowering.
// RUN: %python %S/Inputs/compare.py %s | FileCheck %s --check-prefix=REPORT
// REPORT-NOT: {{: .*(differ|error|got|Command)}}
// REPORT: {{^[1-9][0-9]* of [0-9]+ agree}}

func.func @elementwise(%x: tensor<5x7xf32>, %t: tensor<7x5xf32>, %r: tensor<7xf32>, %c: tensor<5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t, %r, %c : tensor<5x7xf32>, tensor<7x5xf32>, tensor<7xf32>, tensor<5xf32>) outs(%e : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %f: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    %2 = arith.subf %1, %d : f32
    %3 = math.exp %f : f32
    %4 = arith.divf %2, %3 : f32
    %5 = math.atan %4 : f32
    %6 = arith.cmpf ugt, %5, %a : f32
    %7 = arith.select %6, %5, %b : f32
    %8 = arith.maxnumf %7, %f : f32
    linalg.yield %8 : f32
  } -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

// -----

func.func @named(%x: tensor<4x5xf32>, %y: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x3x5xf32>, tensor<5x4xf32>) {
  %e = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.mul ins(%x, %y : tensor<4x5xf32>, tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = linalg.square ins(%0 : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = linalg.sqrt ins(%1 : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %3 = linalg.elementwise kind=#linalg.elementwise_kind<tanh> ins(%2 : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %4 = linalg.map { arith.addf } ins(%3, %y : tensor<4x5xf32>, tensor<4x5xf32>) outs(%e : tensor<4x5xf32>)
  %e0 = tensor.empty() : tensor<4x3x5xf32>
  %5 = linalg.broadcast ins(%4 : tensor<4x5xf32>) outs(%e0 : tensor<4x3x5xf32>) dimensions = [1]
  %e1 = tensor.empty() : tensor<5x4xf32>
  %6 = linalg.transpose ins(%4 : tensor<4x5xf32>) outs(%e1 : tensor<5x4xf32>) permutation = [1, 0]
  return %4, %5, %6 : tensor<4x5xf32>, tensor<4x3x5xf32>, tensor<5x4xf32>
}

// -----

// range 1 1 31
func.func @integers(%x: tensor<60xi32>, %n: tensor<60xi32>) -> (tensor<60xi32>, tensor<60xi8>, tensor<60xf32>) {
  %e = tensor.empty() : tensor<60xi32>
  %e1 = tensor.empty() : tensor<60xi8>
  %e2 = tensor.empty() : tensor<60xf32>
  %0:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %n : tensor<60xi32>, tensor<60xi32>) outs(%e, %e1, %e2 : tensor<60xi32>, tensor<60xi8>, tensor<60xf32>) {
  ^bb0(%a: i32, %b: i32, %o: i32, %p: i8, %q: f32):
    %1 = arith.divui %a, %b : i32
    %2 = arith.remsi %a, %b : i32
    %3 = arith.shrui %1, %b : i32
    %4 = arith.shrsi %a, %b : i32
    %5 = arith.xori %3, %4 : i32
    %6 = arith.maxui %5, %2 : i32
    %7 = arith.trunci %a : i32 to i8
    %8 = arith.uitofp %a : i32 to f32
    linalg.yield %6, %7, %8 : i32, i8, f32
  } -> (tensor<60xi32>, tensor<60xi8>, tensor<60xf32>)
  return %0#0, %0#1, %0#2 : tensor<60xi32>, tensor<60xi8>, tensor<60xf32>
}

// -----

func.func @reductions(%x: tensor<4x6x5xf32>, %init: tensor<4x5xf32>, %i: tensor<6x5xi32>) -> (tensor<4x5xf32>, tensor<6xf32>, tensor<5xi32>, tensor<5x6xf32>, tensor<f32>) {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x6x5xf32>) outs(%init : tensor<4x5xf32>) dimensions = [1]
  %least = arith.constant dense<0xFF800000> : tensor<6xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%x : tensor<4x6x5xf32>) outs(%least : tensor<6xf32>) dimensions = [0, 2]
  %most = arith.constant dense<30> : tensor<5xi32>
  %2 = linalg.reduce { arith.minsi } ins(%i : tensor<6x5xi32>) outs(%most : tensor<5xi32>) dimensions = [0]
  %zero = arith.constant dense<0.0> : tensor<5x6xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (k, i, j)>, affine_map<(k, i, j) -> (j, i)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x : tensor<4x6x5xf32>) outs(%zero : tensor<5x6xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %5 = arith.mulf %a, %a : f32
    %6 = arith.addf %5, %acc : f32
    linalg.yield %6 : f32
  } -> tensor<5x6xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %4 = linalg.dot ins(%1, %1 : tensor<6xf32>, tensor<6xf32>) outs(%one : tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<4x5xf32>, tensor<6xf32>, tensor<5xi32>, tensor<5x6xf32>, tensor<f32>
}

// -----

func.func @matmul(%a: tensor<9x4xf32>, %b: tensor<4x5xf32>, %c: tensor<9x5xf32>) -> tensor<9x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<9x4xf32>, tensor<4x5xf32>) outs(%c : tensor<9x5xf32>) -> tensor<9x5xf32>
  return %0 : tensor<9x5xf32>
}

// -----

func.func @transposed(%a: tensor<2x3x4xf32>, %b: tensor<2x5x4xf32>, %c: tensor<4x3xf32>, %d: tensor<4x5xf32>, %v: tensor<4xf32>) -> (tensor<2x3x5xf32>, tensor<3x5xf32>, tensor<5xf32>) {
  %z0 = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %0 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%a, %b : tensor<2x3x4xf32>, tensor<2x5x4xf32>) outs(%z0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %z1 = arith.constant dense<0.0> : tensor<3x5xf32>
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%c, %d : tensor<4x3xf32>, tensor<4x5xf32>) outs(%z1 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %z2 = arith.constant dense<0.0> : tensor<5xf32>
  %2 = linalg.vecmat ins(%v, %d : tensor<4xf32>, tensor<4x5xf32>) outs(%z2 : tensor<5xf32>) -> tensor<5xf32>
  return %0, %1, %2 : tensor<2x3x5xf32>, tensor<3x5xf32>, tensor<5xf32>
}

// -----

func.func @joined(%a: tensor<3x4xi8>, %b: tensor<5x4x2xi8>) -> tensor<5x3x2xi32> {
  %zero = arith.constant dense<0> : tensor<5x3x2xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, o, k) -> (m, k)>, affine_map<(m, n, o, k) -> (n, k, o)>, affine_map<(m, n, o, k) -> (n, m, o)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<3x4xi8>, tensor<5x4x2xi8>) outs(%zero : tensor<5x3x2xi32>) {
  ^bb0(%l: i8, %r: i8, %acc: i32):
    %1 = arith.extsi %l : i8 to i32
    %2 = arith.extsi %r : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %3, %acc : i32
    linalg.yield %4 : i32
  } -> tensor<5x3x2xi32>
  return %0 : tensor<5x3x2xi32>
}

// -----

func.func @convolutions(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x6xf32>, %init: tensor<1x4x5x6xf32>, %d: tensor<3x3x4xf32>, %m: tensor<3x3x4x2xf32>) -> (tensor<1x4x5x6xf32>, tensor<1x7x7x4xf32>, tensor<1x7x7x4x2xf32>) {
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>} ins(%x, %w : tensor<1x9x9x4xf32>, tensor<3x3x4x6xf32>) outs(%init : tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32>
  %z1 = arith.constant dense<0.0> : tensor<1x7x7x4xf32>
  %1 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %d : tensor<1x9x9x4xf32>, tensor<3x3x4xf32>) outs(%z1 : tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
  %z2 = arith.constant dense<0.0> : tensor<1x7x7x4x2xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwcm ins(%x, %m : tensor<1x9x9x4xf32>, tensor<3x3x4x2xf32>) outs(%z2 : tensor<1x7x7x4x2xf32>) -> tensor<1x7x7x4x2xf32>
  return %0, %1, %2 : tensor<1x4x5x6xf32>, tensor<1x7x7x4xf32>, tensor<1x7x7x4x2xf32>
}

// -----

func.func @channels_first(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %d: tensor<4x3x3xf32>) -> (tensor<2x6x6x6xf32>, tensor<2x4x6x6xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) {
  %z0 = arith.constant dense<0.0> : tensor<2x6x6x6xf32>
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) outs(%z0 : tensor<2x6x6x6xf32>) -> tensor<2x6x6x6xf32>
  %z1 = arith.constant dense<0.0> : tensor<2x4x6x6xf32>
  %1 = linalg.depthwise_conv_2d_nchw_chw ins(%x, %d : tensor<2x4x8x8xf32>, tensor<4x3x3xf32>) outs(%z1 : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %k = tensor.empty() : tensor<2x2xf32>
  %z2 = arith.constant dense<0.0> : tensor<2x4x4x4xf32>
  %2 = linalg.pooling_nchw_sum {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<2x4x8x8xf32>, tensor<2x2xf32>) outs(%z2 : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %least = arith.constant dense<0xFF800000> : tensor<2x4x4x4xf32>
  %3 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<2x4x8x8xf32>, tensor<2x2xf32>) outs(%least : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  return %0, %1, %2, %3 : tensor<2x6x6x6xf32>, tensor<2x4x6x6xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>
}

// -----

func.func @pools(%x: tensor<1x8x8x4xf32>, %i: tensor<1x8x8x4xi32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>) {
  %k = tensor.empty() : tensor<2x2xf32>
  %most = arith.constant dense<0x7F800000> : tensor<1x4x4x4xf32>
  %0 = linalg.pooling_nhwc_min {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%most : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %half = arith.constant dense<0.5> : tensor<1x4x4x4xf32>
  %1 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%x, %k : tensor<1x8x8x4xf32>, tensor<2x2xf32>) outs(%half : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %l = tensor.empty() : tensor<2x2xi32>
  %high = arith.constant dense<2147483647> : tensor<1x4x4x4xi32>
  %2 = linalg.pooling_nhwc_min {strides = dense<2> : tensor<2xi64>} ins(%i, %l : tensor<1x8x8x4xi32>, tensor<2x2xi32>) outs(%high : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  return %0, %1, %2 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>
}

// -----

func.func @tensors(%x: tensor<6x4xf32>) -> (tensor<2x3x4xf32>, tensor<24xf32>, tensor<2xf32>, tensor<7x6xf32>) {
  %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %1 = tensor.collapse_shape %x [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %2 = tensor.extract_slice %x[1, 0] [1, 2] [1, 2] : tensor<6x4xf32> to tensor<2xf32>
  %c = arith.constant 0.5 : f32
  %3 = tensor.pad %x low[0, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<6x4xf32> to tensor<7x6xf32>
  return %0, %1, %2, %3 : tensor<2x3x4xf32>, tensor<24xf32>, tensor<2xf32>, tensor<7x6xf32>
}

// -----

// Between two kernels an op that is not recognized: its body asks for the index, and branches.
func.func @mixed(%x: tensor<5x7xf32>, %w: tensor<7x3xf32>) -> tensor<5x3xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %0 = linalg.exp ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %above = arith.cmpi ugt, %i, %j : index
    %r = scf.if %above -> f32 {
      %log = math.log1p %a : f32
      scf.yield %log : f32
    } else {
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      %s = arith.addf %a, %f : f32
      scf.yield %s : f32
    }
    linalg.yield %r : f32
  } -> tensor<5x7xf32>
  %zero = arith.constant dense<0.0> : tensor<5x3xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<5x7xf32>, tensor<7x3xf32>) outs(%zero : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// -----

// Diagonals, and an insertion.
func.func @mixed_views(%x: tensor<5x5xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<5x5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5xf32>
  %1 = linalg.exp ins(%0 : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %2 = tensor.insert_slice %1 into %y[2] [5] [1] : tensor<5xf32> into tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %3 = linalg.abs ins(%2 : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
