// SPDX-License-Identifier: Apache-2.0
#include <KokkosSparse_CrsMatrix.hpp>

#include <fatvec/formats/csr.hpp>

#include "peers/kokkoskernels.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

template <class ExecSpace>
struct CsrOperand {
  using Source = CsrMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t>;
  using PeerMatrix = KokkosSparse::CrsMatrix<Scalar, std::int32_t, typename ExecSpace::device_type,
                                             void, std::int32_t>;

  static PeerMatrix of(const Source& csr) {
    return PeerMatrix("A", csr.rows(), csr.cols(), static_cast<std::int32_t>(csr.nnz()),
                      typename PeerMatrix::values_type(csr.values),
                      typename PeerMatrix::row_map_type(csr.row_map),
                      typename PeerMatrix::index_type(csr.entries));
  }
  static std::vector<SpmvAlgorithm> algorithms() {
    return {{"merge-path", KokkosSparse::SPMV_NATIVE_MERGE_PATH, true}};
  }
  template <class Make>
  static std::unique_ptr<product::Product> make(const product::Case& task, const Make& make) {
    return make(task);
  }
};

void add_kokkoskernels(Registry& registry) {
  add_kokkoskernels_operand<CsrOperand>(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
