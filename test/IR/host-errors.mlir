// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @log_mel_types(%s: tensor<8x32xf32>, %f: tensor<4x9xf16>) -> tensor<8x4xf32> {
  // expected-error@+1 {{expected element type 'f32' throughout, found 'f16'}}
  %0 = fuse.log_mel %s, %f : (tensor<8x32xf32>, tensor<4x9xf16>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @log_mel_rank(%s: tensor<f32>, %f: tensor<4x9xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected a spectrum of rank 1 at least and static filters of rank 2, found 'tensor<f32>' and 'tensor<4x9xf32>'}}
  %0 = fuse.log_mel %s, %f : (tensor<f32>, tensor<4x9xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @log_mel_filters(%s: tensor<8x32xf32>, %f: tensor<?x9xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{expected a spectrum of rank 1 at least and static filters of rank 2}}
  %0 = fuse.log_mel %s, %f : (tensor<8x32xf32>, tensor<?x9xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @log_mel_bins(%s: tensor<8x32xf32>, %f: tensor<4x10xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{a spectrum of 8x32 has 2·n_fft columns and filters have n_fft/2 + 1, found 4x10}}
  %0 = fuse.log_mel %s, %f : (tensor<8x32xf32>, tensor<4x10xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @log_mel_odd(%s: tensor<8x31xf32>, %f: tensor<4x9xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{a spectrum of 8x31 has 2·n_fft columns}}
  %0 = fuse.log_mel %s, %f : (tensor<8x31xf32>, tensor<4x9xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @log_mel_result(%s: tensor<8x32xf32>, %f: tensor<4x9xf32>) -> tensor<8x9xf32> {
  // expected-error@+1 {{expected a result of shape 8x4, found 8x9}}
  %0 = fuse.log_mel %s, %f : (tensor<8x32xf32>, tensor<4x9xf32>) -> tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}

// -----

func.func @log_mel_backward_types(%s: tensor<8x32xf32>, %f: tensor<4x9xf32>, %g: tensor<8x4xf64>) -> tensor<8x32xf32> {
  // expected-error@+1 {{expected element type 'f32' throughout, found 'f64'}}
  %0 = fuse.log_mel_backward %s, %f, %g : (tensor<8x32xf32>, tensor<4x9xf32>, tensor<8x4xf64>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

func.func @log_mel_backward_bins(%s: tensor<8x32xf32>, %f: tensor<4x8xf32>, %g: tensor<8x4xf32>) -> tensor<8x32xf32> {
  // expected-error@+1 {{a spectrum of 8x32 has 2·n_fft columns}}
  %0 = fuse.log_mel_backward %s, %f, %g : (tensor<8x32xf32>, tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

func.func @log_mel_backward_gradient(%s: tensor<8x32xf32>, %f: tensor<4x9xf32>, %g: tensor<8x5xf32>) -> tensor<8x32xf32> {
  // expected-error@+1 {{expected a gradient of shape 8x4, found 8x5}}
  %0 = fuse.log_mel_backward %s, %f, %g : (tensor<8x32xf32>, tensor<4x9xf32>, tensor<8x5xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

func.func @log_mel_backward_result(%s: tensor<8x32xf32>, %f: tensor<4x9xf32>, %g: tensor<8x4xf32>) -> tensor<8x31xf32> {
  // expected-error@+1 {{expected a result of shape 8x32, found 8x31}}
  %0 = fuse.log_mel_backward %s, %f, %g : (tensor<8x32xf32>, tensor<4x9xf32>, tensor<8x4xf32>) -> tensor<8x31xf32>
  return %0 : tensor<8x31xf32>
}

// -----

func.func @welch_peaks_type(%x: tensor<8x32xf32>) -> tensor<4x6xf64> {
  // expected-error@+1 {{expected element type 'f64' throughout, found 'f32'}}
  %0 = fuse.welch_peaks %x k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}

// -----

func.func @welch_peaks_rank(%x: tensor<2x8x32xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{expected a spectrum of shape batch·n_segments x 2·n_fft, found 2x8x32}}
  %0 = fuse.welch_peaks %x k = 3 n_segments = 2 : tensor<2x8x32xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @welch_peaks_odd(%x: tensor<8x33xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{expected a spectrum of shape batch·n_segments x 2·n_fft, found 8x33}}
  %0 = fuse.welch_peaks %x k = 3 n_segments = 2 : tensor<8x33xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @welch_peaks_k(%x: tensor<8x32xf32>) -> tensor<4x20xf32> {
  // expected-error@+1 {{expected k from 1 to 9 bins, found 10}}
  %0 = fuse.welch_peaks %x k = 10 n_segments = 2 : tensor<8x32xf32> -> tensor<4x20xf32>
  return %0 : tensor<4x20xf32>
}

// -----

func.func @welch_peaks_no_k(%x: tensor<8x32xf32>) -> tensor<4x0xf32> {
  // expected-error@+1 {{expected k from 1 to 9 bins, found 0}}
  %0 = fuse.welch_peaks %x k = 0 n_segments = 2 : tensor<8x32xf32> -> tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}

// -----

func.func @welch_peaks_segments(%x: tensor<8x32xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{expected n_segments to divide 8 rows, found 3}}
  %0 = fuse.welch_peaks %x k = 3 n_segments = 3 : tensor<8x32xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @welch_peaks_no_segment(%x: tensor<8x32xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{expected n_segments to divide 8 rows, found 0}}
  %0 = fuse.welch_peaks %x k = 3 n_segments = 0 : tensor<8x32xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @welch_peaks_result(%x: tensor<8x32xf32>) -> tensor<8x6xf32> {
  // expected-error@+1 {{expected a result of shape 4x6, found 8x6}}
  %0 = fuse.welch_peaks %x k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

func.func @host_call_dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected results of static shape, found 'tensor<?xf32>'}}
  %0 = fuse.host_call @g(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
