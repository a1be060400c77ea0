// RUN: %python %S/any_module.py fuse-opt %S/..

module {}

// -----

// No op of the project.
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

"test.top"() : () -> ()

// -----

func.func @unregistered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "test.op"(%x) ({
    "test.inner"() : () -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @declaration(tensor<4xf32>, index) -> tensor<4xf32>
func.func private @no_arguments()

// -----

func.func @blocks(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^a, ^b(%x : tensor<4xf32>)
^a:
  %0 = fuse.unary exp %x : tensor<4xf32>
  cf.br ^b(%0 : tensor<4xf32>)
^b(%1: tensor<4xf32>):
  return %1 : tensor<4xf32>
}

// -----

module @outer {
  module @inner {
    func.func private @inner(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = fuse.unary exp %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  }
  module {}
}

// -----

// Buffers, loops, and a scratch that no pass of the project gave.
module @buffers {
  func.func @buffers(%x: memref<?x4xf32, strided<[?, 1], offset: ?>>, %y: memref<4xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = memref.alloc(%n) : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      %0 = memref.load %y[%i] : memref<4xf32>
      memref.store %0, %a[%i] : memref<?xf32>
    }
    memref.dealloc %a : memref<?xf32>
    return
  }
}

// -----

module @linalg {
  func.func @linalg(%x: tensor<4x?xf32>, %y: tensor<?x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = linalg.matmul ins(%x, %y : tensor<4x?xf32>, tensor<?x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module @memrefs {
  func.func @memrefs(%x: memref<4x8xf32>, %y: memref<8x4xf32>, %z: memref<4x4xf32>, %begin: index, %end: index) {
    linalg.matmul ins(%x, %y : memref<4x8xf32>, memref<8x4xf32>) outs(%z : memref<4x4xf32>)
    return
  }
}

// -----

module @scalars {
  func.func @scalars(%x: f32, %n: index, %v: vector<4xf32>, %u: tensor<*xf32>, %m: memref<*xf32>) -> f32 {
    return %x : f32
  }
}

// -----

llvm.func @llvm(%p: !llvm.ptr, %n: i64) -> i64 {
  llvm.return %n : i64
}

// -----

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: memref<4xf32>) kernel {
      gpu.return
    }
  }
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %x : tensor<4xcomplex<f32>>
}

// -----

func.func @encoded(%x: tensor<4xf32, "odd">) -> tensor<4xf32, "odd"> {
  return %x : tensor<4xf32, "odd">
}

// -----

// A kernel that does nothing, one in a loop, one in another op's region.
func.func @kernels(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  fuse.kernel () : () -> () {
    fuse.yield
  }
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<4xf32> {
    %1 = fuse.kernel (%a = %s) : (tensor<4xf32>) -> tensor<4xf32> {
      %2 = fuse.unary exp %a : tensor<4xf32>
      fuse.yield %2 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A view whose rank is unknown, before it and behind it.
func.func @unranked(%x: tensor<*xf32>, %y: tensor<2xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<2xf32>) {
  %0 = tensor.cast %x : tensor<*xf32> to tensor<*xf32>
  %1 = tensor.cast %y : tensor<2xf32> to tensor<*xf32>
  %2 = tensor.cast %x : tensor<*xf32> to tensor<2xf32>
  return %0, %1, %2 : tensor<*xf32>, tensor<*xf32>, tensor<2xf32>
}

// -----

// A buffer of open size in a function that has no range of blocks.
func.func @buffer(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%size) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  return
}
