// Elements whose width is no power of two, of ops that stay as they are, take in memory what LLVM gives them: 8 bytes for an
// i48. A convolution of i16 sums to i48, which is rescaled to i16.
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.savez('%t-in.npz', arg0=r.integers(-2**15, 2**15, (1, 6, 7, 3)).astype('i2'), arg1=r.integers(-128, 128, (4, 3, 2, 3)).astype('i1'))"
// RUN: %python -c "import numpy as np; a = np.load('%t-in.npz'); x, w = (a[n].astype(int) for n in ('arg0', 'arg1')); s = sum(np.tensordot(x[:, i:i + 4, j:j + 6], w[:, i, j].T, 1) for i in range(3) for j in range(2)) + 5; np.savez('%t-out.npz', result0=np.clip((s * 19000 + (1 << 22)) >> 23, -2**15, 2**15 - 1).astype('i2'))"
// RUN: fuse-run %s --inputs %t-in.npz --expect %t-out.npz
// RUN: fuse-run %s --inputs %t-in.npz --expect %t-out.npz --mode unfused
func.func @main(%x: tensor<1x6x7x3xi16>, %w: tensor<4x3x2x3xi8>) -> tensor<1x4x6x4xi16> {
  %bias = "tosa.const"() <{values = dense<5> : tensor<4xi48>}> : () -> tensor<4xi48>
  %wide = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %byte = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %sums = tosa.conv2d %x, %w, %bias, %zero, %byte {acc_type = i48, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x7x3xi16>, tensor<4x3x2x3xi8>, tensor<4xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x4x6x4xi48>
  %factor = "tosa.const"() <{values = dense<19000> : tensor<1xi16>}> : () -> tensor<1xi16>
  %shift = "tosa.const"() <{values = dense<23> : tensor<1xi8>}> : () -> tensor<1xi8>
  %result = tosa.rescale %sums, %factor, %shift, %wide, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<1x4x6x4xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x4x6x4xi16>
  return %result : tensor<1x4x6x4xi16>
}
