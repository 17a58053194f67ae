// SPDX-License-Identifier: Apache-2.0
// Buffers of a halo whose exchange sends nothing.
#include <fatvec/distributed/halo.hpp>
#include <memory>
#include <vector>

#include "support.hpp"

namespace fatvec::test {
namespace {

using Csr = distributed::LocalCsr<double>;

class NoExchange final : public distributed::Exchange<Exec> {
 public:
  explicit NoExchange(const bool& captured) : captured_(captured) {}
  [[nodiscard]] std::string_view name() const override { return "none"; }
  void allocate(std::size_t) override { ++allocations; }
  [[nodiscard]] bool was_captured() const override { return captured_; }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  [[nodiscard]] std::byte* packed() const override { return nullptr; }
  [[nodiscard]] const std::byte* received() const override { return nullptr; }
  void start(const Exec&, std::size_t) override {}
  void finish(const Exec&) override {}

  int allocations = 0;

 private:
  const bool& captured_;
};

class HaloBuffers : public testing::Test {
 protected:
  static distributed::Halo<Csr> halo_of(const std::vector<std::int32_t>& boundary,
                                        const bool& captured) {
    const Csr matrix(static_cast<std::int32_t>(boundary.size()), 0,
                     Csr::Offsets("row_map", boundary.size() + 1), {}, {});
    return {prepare(Exec(), matrix, 1), boundary, {}, std::make_unique<NoExchange>(captured)};
  }
  [[nodiscard]] static int allocations(const distributed::Halo<Csr>& halo) {
    return dynamic_cast<const NoExchange&>(halo.exchange()).allocations;
  }

  Communicator world_;
};

/// A rank without neighbours captures no messages, and does not know of the graph of another.
TEST_F(HaloBuffers, ThatAGraphOfOneRankHoldsStayOnAll) {
  for (const int rank : {0, world_.size() - 1}) {
    bool captured = false;
    auto halo = halo_of({}, captured);
    halo.make_room_for_sums(world_, 0, 16, {});
    captured = world_.rank() == rank;
    EXPECT_THROW(halo.make_room(world_, 24, {}), UsageError);
    EXPECT_THROW(halo.make_room_for_sums(world_, 0, 24, {}), UsageError);
    halo.make_room_for_sums(world_, 0, 16, {});  // serves on
    EXPECT_EQ(allocations(halo), 1);
  }
}

TEST_F(HaloBuffers, AreMeasuredWithoutThePlacesThatAreThere) {
  if constexpr (!detail::is_host<Exec>) GTEST_SKIP() << "a device's memory is not counted before";
  constexpr std::int64_t rows = 1000;
  const bool captured = false;
  auto halo = halo_of({1, 5}, captured);
  const auto make_room = [&](std::size_t row_bytes, std::uint64_t limit) {
    halo.make_room_for_sums(world_, rows, row_bytes, limit);
  };
  EXPECT_THROW(make_room(8, 2 * 8), CapacityError) << "places of all rows";
  make_room(8, 2 * 8 + 2 * sizeof(std::int32_t) * rows);
  make_room(64, 2 * 64);
  EXPECT_THROW(make_room(128, 2 * 64), CapacityError);
}

}  // namespace
}  // namespace fatvec::test
