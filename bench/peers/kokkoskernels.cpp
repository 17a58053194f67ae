// SPDX-License-Identifier: Apache-2.0
#include <KokkosSparse_CrsMatrix.hpp>

#include <fatvec/formats/csr.hpp>

#include "peers/kokkoskernels.hpp"

namespace fatvec::bench {

template <class ExecSpace>
struct CsrOperand {
  using Ours = CsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;
  using Theirs = KokkosSparse::CrsMatrix<double, std::int32_t, typename ExecSpace::device_type,
                                         void, std::int32_t>;

  static Theirs of(const Ours& csr) {
    return Theirs("A", csr.rows(), csr.cols(), static_cast<std::int32_t>(csr.nnz()),
                  typename Theirs::values_type(csr.values),
                  typename Theirs::row_map_type(csr.row_map),
                  typename Theirs::index_type(csr.entries));
  }
};

void add_kokkoskernels(Registry& registry) {
  add_kokkoskernels_operand<CsrOperand>(registry);
}

}  // namespace fatvec::bench
