# FileCheck tests. RUN lines find our programs, FileCheck, not, count, split-file and the packaged
# mlir-opt on the path; %plugin is FusePlugin.so, %python the Python that has NumPy, %fake_cuda the
# library that stands for NVIDIA's driver. %openmpi N and %mpich N start N ranks of what follows; tests that
# need them are skipped where they are not installed.
import os
import platform
import shutil

import lit.formats
from lit.llvm import llvm_config

config.name = "fuse"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt", "lib", "unit", "outside", "Inputs", "Output"]
if platform.machine() == "x86_64":
    config.available_features.add("x86-64")
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fuse_binary_dir, "test")

llvm_config.with_environment("PATH", [config.fuse_tools_dir, config.llvm_tools_dir], append_path=True)
# Figures that a user has measured would change what is planned.
config.environment["FUSE_TARGET_FILE"] = ""
# So would code that a user has compiled what is tested.
config.environment["FUSE_CACHE_DIR"] = ""
config.environment.pop("FUSE_CACHE_POLICY", None)
config.substitutions += [
    ("%plugin", os.path.join(config.fuse_binary_dir, "lib", "FusePlugin.so")),
    ("%python", config.python_executable),
    ("%fuse_source", config.fuse_source_dir),
    ("%cc", config.c_compiler),
    ("%mpi_ranks", os.path.join(config.fuse_binary_dir, "test", "mpi", "mpi-ranks")),
    ("%fake_cuda", config.fake_cuda),
]

# More ranks than cores, as any user; each rank with one thread. MPICH's ranks must not hear of another mpirun.
for name, command, options in [
    ("openmpi", "mpirun.openmpi", "--oversubscribe --allow-run-as-root --mca btl_vader_single_copy_mechanism none -x OMP_NUM_THREADS=1"),
    ("mpich", "mpirun.mpich", "-genv OMP_NUM_THREADS 1"),
]:
    path = shutil.which(command)
    if path:
        config.available_features.add(name)
        config.substitutions.append(("%" + name, f"{path} {options} -n"))
