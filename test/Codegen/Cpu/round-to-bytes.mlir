// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Rounding, a zero point and saturation: bounds first, then one instruction that rounds and converts.
// CHECK-LABEL: module @unsigned
// CHECK-DAG:   %[[LOW:.*]] = arith.constant dense<-3.000000e+00> : vector<64xf32>
// CHECK-DAG:   %[[HIGH:.*]] = arith.constant dense<2.520000e+02> : vector<64xf32>
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant dense<3> : vector<64xi32>
// CHECK:       %[[X:.*]] = vector.load
// CHECK:       %[[ABOVE:.*]] = arith.cmpf ogt, %[[X]], %[[LOW]]
// CHECK:       %[[AT_LEAST:.*]] = arith.select %[[ABOVE]], %[[X]], %[[LOW]]
// CHECK:       %[[BEYOND:.*]] = arith.cmpf ogt, %[[AT_LEAST]], %[[HIGH]]
// CHECK:       %[[BOUNDED:.*]] = arith.select %[[BEYOND]], %[[HIGH]], %[[AT_LEAST]]
// CHECK:       %[[NUMBER:.*]] = llvm.intr.lrint(%[[BOUNDED]])
// CHECK:       %[[MOVED:.*]] = arith.addi %[[NUMBER]], %[[ZERO]]
// CHECK:       arith.trunci %[[MOVED]] overflow<nuw> : vector<64xi32> to vector<64xi8>
// CHECK-NOT:   math.roundeven
// CHECK-NOT:   arith.fptoui
module @unsigned {
  func.func private @k(%x: memref<64xf32>, %y: memref<64xi8>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xi8>) {
    ^bb0(%a: f32, %out: i8):
      %zero = arith.constant 3.0 : f32
      %low = arith.constant 0.0 : f32
      %high = arith.constant 255.0 : f32
      %0 = math.roundeven %a : f32
      %1 = arith.addf %0, %zero : f32
      %2 = arith.cmpf ogt, %1, %low : f32
      %3 = arith.select %2, %1, %low : f32
      %4 = arith.cmpf ogt, %3, %high : f32
      %5 = arith.select %4, %high, %3 : f32
      %6 = arith.fptoui %5 : f32 to i8
      linalg.yield %6 : i8
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// A zero point that is no integer moves what is rounded; nor is what was not rounded a matter of this.
// CHECK-LABEL: module @stays
// CHECK:       arith.fptoui
// CHECK-LABEL: module @truncated
// CHECK:       arith.fptoui
// CHECK-NOT:   lrint
module @stays {
  func.func private @k(%x: memref<64xf32>, %y: memref<64xi8>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xi8>) {
    ^bb0(%a: f32, %out: i8):
      %zero = arith.constant 0.5 : f32
      %low = arith.constant 0.0 : f32
      %high = arith.constant 255.0 : f32
      %0 = math.roundeven %a : f32
      %1 = arith.addf %0, %zero : f32
      %2 = arith.cmpf ogt, %1, %low : f32
      %3 = arith.select %2, %1, %low : f32
      %4 = arith.cmpf ogt, %3, %high : f32
      %5 = arith.select %4, %high, %3 : f32
      %6 = arith.fptoui %5 : f32 to i8
      linalg.yield %6 : i8
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

module @truncated {
  func.func private @k(%x: memref<64xf32>, %y: memref<64xi8>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%y : memref<64xi8>) {
    ^bb0(%a: f32, %out: i8):
      %low = arith.constant 0.0 : f32
      %high = arith.constant 255.0 : f32
      %2 = arith.cmpf ogt, %a, %low : f32
      %3 = arith.select %2, %a, %low : f32
      %4 = arith.cmpf ogt, %3, %high : f32
      %5 = arith.select %4, %high, %3 : f32
      %6 = arith.fptoui %5 : f32 to i8
      linalg.yield %6 : i8
    }
    return
  }
}
