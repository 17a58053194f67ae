# SPDX-License-Identifier: Apache-2.0
from spack.package import *

try:  # Spack 1: build systems live in the builtin repository
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError:  # Spack 0.23: spack.package has them
    pass


class Fatvec(CMakePackage, CudaPackage):
    """Sparse matrix times fat vector, Y = beta Y + alpha A X: a library on Kokkos, a program, a
    benchmark."""

    homepage = "https://github.com/fatvec/fatvec"
    git = "https://github.com/fatvec/fatvec.git"

    license("Apache-2.0")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("openmp", default=True, description="A Kokkos with OpenMP; without, one with Serial")
    variant(
        "kernels", default=True, description="The library fatvec::kernels; without, headers only"
    )
    variant(
        "instantiate",
        default="double32,double64,float32,float64",
        multi=True,
        when="+kernels",
        values=("double32", "double64", "float32", "float64"),
        description="What fatvec::kernels is compiled for: scalar and bits of an offset",
    )
    variant(
        "shared", default=True, when="+kernels", description="fatvec::kernels as a shared library"
    )
    variant(
        "tools",
        default=False,
        description="The programs fatvec and fatvec-bench, and the library fatvec::io",
    )
    conflicts("~kernels", when="+tools", msg="the programs link fatvec::kernels")
    variant("libarchive", default=True, description="With tools: .mtx.bz2, .mtx.xz and .mtx.zst")
    variant("hdf5", default=True, description="With tools: matrices of Binsparse, .bsp.h5")
    variant("mpi", default=False, description="The library fatvec::mpi: a matrix over MPI ranks")
    conflicts("~tools", when="+mpi", msg="fatvec::mpi reads with fatvec::io")
    variant("metis", default=False, description="With mpi: parts of a matrix that METIS finds")
    conflicts("~mpi", when="+metis", msg="METIS is of use to fatvec::mpi alone")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")

    depends_on("kokkos@4.7:5")
    depends_on("kokkos cxxstd=20", when="^kokkos@4")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+serial", when="~openmp")
    depends_on("kokkos+shared", when="+shared")
    conflicts("%gcc@:10.3", msg="fatvec is C++20")

    conflicts("cuda_arch=none", when="+cuda")
    depends_on("cuda@12.2:", when="+cuda")
    depends_on("kokkos+wrapper", when="+cuda %gcc")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")

    # Spack has no package of NIST's mmio, which the programs want, too: packaging/spack/README.md.
    with when("+tools"):
        depends_on("kokkos-kernels")
        depends_on("zlib-api")
        depends_on("fmt@9:")
        depends_on("cli11@2:")
        depends_on("nlohmann-json@3.11:")
        depends_on("benchmark@1.7:")
        depends_on("googletest@1.12:", type="test")
        depends_on("python@3.9:", type="test")
    with when("+tools+libarchive"):
        depends_on("libarchive@3.4:")
    with when("+tools+hdf5"):
        depends_on("hdf5@1.10.7:~mpi")
    with when("+mpi"):
        depends_on("mpi")
    with when("+metis"):
        depends_on("metis@5:")

    def cmake_args(self):
        spec = self.spec
        backends = ["OPENMP" if spec.satisfies("+openmp") else "SERIAL"]
        args = [
            self.define_from_variant("FATVEC_ENABLE_TOOLS", "tools"),
            self.define_from_variant("FATVEC_ENABLE_KERNELS", "kernels"),
        ]
        for name in ("libarchive", "hdf5", "mpi", "metis"):
            args.append(self.define_from_variant(f"FATVEC_ENABLE_{name.upper()}", name))
        if spec.satisfies("+kernels"):
            args.append(self.define_from_variant("BUILD_SHARED_LIBS", "shared"))
            types = [f"{value[:-2]}:{value[-2:]}" for value in spec.variants["instantiate"].value]
            args.append(self.define("FATVEC_INSTANTIATE", ";".join(types)))
        # The tests take the programs' libraries.
        args.append(self.define("FATVEC_ENABLE_TESTS", self.run_tests and spec.satisfies("+tools")))
        args.append(self.define("Kokkos_ROOT", spec["kokkos"].prefix))
        if spec.satisfies("+cuda"):
            backends.append("CUDA")
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        args.append(self.define("FATVEC_BACKENDS", ";".join(backends)))
        return args
