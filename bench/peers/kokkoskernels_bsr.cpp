// SPDX-License-Identifier: Apache-2.0
#include <KokkosSparse_BsrMatrix.hpp>

#include <fatvec/formats/bsr.hpp>

#include "peers/kokkoskernels.hpp"
#include "peers/whole_blocks.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// Row-major blocks of the size with the fewest bytes, the others with --sweep block_size; the last
/// block padded.
template <class ExecSpace>
struct BsrOperand {
  using Source = BsrMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t, Kokkos::LayoutRight>;
  using PeerMatrix =
      KokkosSparse::Experimental::BsrMatrix<Scalar, std::int32_t, typename ExecSpace::device_type,
                                            void, std::int32_t>;

  static PeerMatrix of(const Source& bsr) {
    return PeerMatrix("A", static_cast<std::int32_t>(bsr.block_rows()),
                      static_cast<std::int32_t>(bsr.block_cols()),
                      static_cast<std::int32_t>(bsr.blocks()),
                      typename PeerMatrix::values_type(bsr.values),
                      typename PeerMatrix::row_map_type(bsr.row_map),
                      typename PeerMatrix::index_type(bsr.entries), bsr.block_size());
  }
  /// The one that is not the default.
  static std::vector<SpmvAlgorithm> algorithms() {
    if constexpr (Kokkos::SpaceAccessibility<ExecSpace, Kokkos::HostSpace>::accessible)
      return {{"v42", KokkosSparse::SPMV_BSR_V42}};
    else
      return {{"v41", KokkosSparse::SPMV_BSR_V41}};
  }
  template <class Make>
  static std::unique_ptr<product::Product> make(const product::Case& task, const Make& make) {
    return make_in_whole_blocks<ExecSpace>(task, make);
  }
};

void add_kokkoskernels_bsr(Registry& registry) {
  add_kokkoskernels_operand<BsrOperand>(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
