// SPDX-License-Identifier: Apache-2.0
#include <KokkosSparse_BsrMatrix.hpp>

#include <fatvec/formats/bsr.hpp>

#include "peers/kokkoskernels.hpp"
#include "peers/whole_blocks.hpp"

namespace fatvec::bench {

/// Row-major blocks of the size with the fewest bytes; the others with --sweep block_size.
template <class ExecSpace>
struct BsrOperand {
  using Source = BsrMatrix<double, std::int32_t, ExecSpace, std::int32_t, Kokkos::LayoutRight>;
  using PeerMatrix =
      KokkosSparse::Experimental::BsrMatrix<double, std::int32_t, typename ExecSpace::device_type,
                                            void, std::int32_t>;

  static PeerMatrix of(const Source& bsr) {
    require_whole_blocks(bsr, "Kokkos Kernels");
    return PeerMatrix("A", static_cast<std::int32_t>(bsr.block_rows()),
                      static_cast<std::int32_t>(bsr.block_cols()),
                      static_cast<std::int32_t>(bsr.blocks()),
                      typename PeerMatrix::values_type(bsr.values),
                      typename PeerMatrix::row_map_type(bsr.row_map),
                      typename PeerMatrix::index_type(bsr.entries), bsr.block_size());
  }
};

void add_kokkoskernels_bsr(Registry& registry) {
  add_kokkoskernels_operand<BsrOperand>(registry);
}

}  // namespace fatvec::bench
