//===- HostOps.td - Ops that run on the host -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_HOSTOPS_TD
#define FUSE_IR_HOSTOPS_TD

include "fuse/IR/FuseOpBase.td"

class Fuse_HostOp<string mnemonic, list<Trait> traits = []> : Fuse_Op<mnemonic, [
    DeclareOpInterfaceMethods<CostOpInterface, []>, HostOpInterface] # traits> {
  code extraHostDeclaration = "";
  let extraClassDeclaration = [{
    bool isHostSync() { return true; }
  }] # extraHostDeclaration;
}

def Fuse_LogMelOp : Fuse_HostOp<"log_mel", [Pure]> {
  let summary = "logarithmic mel spectrogram";
  let description = [{
    spectrum[..., 2·n_fft] (the real plane, then the imaginary) and filters[n_mels, n_fft/2+1] give
    [..., n_mels]: per frame m = log10(max(F·(re² + im²), 1e-10)), result (max(m, max m − 8) + 4) / 4.

    Example:
    ```mlir
    func.func @f(%s: tensor<8x32xf32>, %f: tensor<4x9xf32>) -> tensor<8x4xf32> {
      %0 = fuse.log_mel %s, %f : (tensor<8x32xf32>, tensor<4x9xf32>) -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$spectrum, Fuse_FloatTensor:$filters);
  let results = (outs Fuse_FloatTensor:$result);
  let assemblyFormat = "$spectrum `,` $filters attr-dict `:` functional-type(operands, $result)";
  let extraHostDeclaration = [{
    ::llvm::StringRef getHostCallee() { return "log_mel"; }
    ::llvm::SmallVector<int64_t> getHostAttributes() { return {}; }
  }];
}

def Fuse_LogMelBackwardOp : Fuse_HostOp<"log_mel_backward", [Pure]> {
  let summary = "gradient of log_mel with respect to its spectrum";
  let description = [{
    The operands of `fuse.log_mel` and the gradient of its result give the spectrum's gradient.

    Example:
    ```mlir
    func.func @f(%s: tensor<8x32xf32>, %f: tensor<4x9xf32>, %dy: tensor<8x4xf32>) -> tensor<8x32xf32> {
      %0 = fuse.log_mel_backward %s, %f, %dy : (tensor<8x32xf32>, tensor<4x9xf32>, tensor<8x4xf32>) -> tensor<8x32xf32>
      return %0 : tensor<8x32xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$spectrum, Fuse_FloatTensor:$filters,
                       Fuse_FloatTensor:$gradient);
  let results = (outs Fuse_FloatTensor:$result);
  let assemblyFormat = [{
    $spectrum `,` $filters `,` $gradient attr-dict `:` functional-type(operands, $result)
  }];
  let extraHostDeclaration = [{
    ::llvm::StringRef getHostCallee() { return "log_mel_backward"; }
    ::llvm::SmallVector<int64_t> getHostAttributes() { return {}; }
  }];
}

def Fuse_WelchPeaksOp : Fuse_HostOp<"welch_peaks", [Pure]> {
  let summary = "the strongest bins of an averaged power spectrum";
  let description = [{
    spectrum[batch·n_segments, 2·n_fft], row b·n_segments + s, gives [batch, 2k]: the power is the
    mean over s of re² + im², one-sided, inner bins doubled; the k highest bins as (bin, power)
    pairs, descending, ties to the lower bin. k ≤ n_fft/2 + 1.

    Example:
    ```mlir
    func.func @f(%s: tensor<8x32xf32>) -> tensor<4x6xf32> {
      %0 = fuse.welch_peaks %s k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
      return %0 : tensor<4x6xf32>
    }
    ```
  }];
  let arguments = (ins Fuse_FloatTensor:$spectrum, I64Attr:$k, I64Attr:$n_segments);
  let results = (outs Fuse_FloatTensor:$result);
  let assemblyFormat = [{
    $spectrum `k` `=` $k `n_segments` `=` $n_segments attr-dict `:` type($spectrum) `->` type($result)
  }];
  let extraHostDeclaration = [{
    ::llvm::StringRef getHostCallee() { return "welch_peaks"; }
    ::llvm::SmallVector<int64_t> getHostAttributes() {
      return {static_cast<int64_t>(getK()), static_cast<int64_t>(getNSegments())};
    }
  }];
}

def Fuse_HostCallOp : Fuse_HostOp<"host_call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "calls a named function of the host";
  let description = [{
    The function is looked up in the runtime's host-call table. Its effects are unknown unless the
    op is marked `pure`.

    Example:
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = fuse.host_call @my_filter(%x) pure : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Fuse_Tensor>:$operands, UnitAttr:$pure);
  let results = (outs Variadic<Fuse_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` (`pure` $pure^)? attr-dict `:` functional-type($operands, $results)
  }];
  let extraHostDeclaration = [{
    ::llvm::StringRef getHostCallee() { return getCallee(); }
    ::llvm::SmallVector<int64_t> getHostAttributes() { return {}; }
  }];
}

#endif // FUSE_IR_HOSTOPS_TD
