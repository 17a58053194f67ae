// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <type_traits>

#include <fatvec/kernels/registry.hpp>

#include "support.hpp"

namespace fatvec::test {
namespace {

TEST(DistributedProduct, TakesEveryFormatAsLocalPart) {
  const Communicator world;
  std::set<std::string> formats;
  for (const char* const spec : {"stencil27:4:dof=2", "powerlaw:80:6:max=70", "uniform:1x20:4"}) {
    const HostCsr serial = whole(spec);
    const auto a = spread(world, serial);
    for_each_kernel([&]<class Kernel>(Kernel) {
      using Format = typename Kernel::template Matrix<double, std::int32_t, Exec, std::int32_t>;
      if (!std::is_same_v<typename DefaultKernel<Format>::type, Kernel>) return;  // a format once
      SCOPED_TRACE(std::string(Format::name) + ", " + spec);
      formats.insert(Format::name);
      const auto converted = distributed::convert<Format>(Exec(), a);
      expect_product<LayoutRight, LayoutRight>(converted, serial, 8, -1.5, 0.5);
      expect_product<LayoutLeft, LayoutLeft>(converted, serial, 3, 1.0, 0.0);
    });
  }
  EXPECT_EQ(formats, std::set<std::string>(kernel_formats.begin(), kernel_formats.end()));
}

TEST(DistributedProduct, TakesAPlanAsLocalPartAndItsNewValues) {
  const Communicator world;
  for (const char* const kernel : {"csr-row", "hll-row", "bsr-row"}) {
    for (const char* const spec : {"stencil27:4:dof=2", "powerlaw:80:6:max=70", "stencil5:2x2"}) {
      SCOPED_TRACE(std::string(kernel) + ", " + spec);
      const HostCsr serial = whole(spec);
      PlanOptions options;
      options.choice = Choice{.kernel = kernel};
      options.keep_value_map = true;
      auto plan = distributed::analyse(Exec(), spread(world, serial), 4, options);
      EXPECT_EQ(plan.local().choice().kernel, kernel);
      expect_product<LayoutRight, LayoutRight>(plan, serial, 4, 1.0, 0.0);
      plan.update(Exec(), doubled(serial, plan.row_partition(), world.rank()));
      expect_product<LayoutRight, LayoutRight>(plan, twice(serial), 4, 1.0, 0.0);
    }
  }
}

TEST(DistributedProduct, ThatRefusesNewValuesKeepsTheOldOnes) {
  const Communicator world;
  const HostCsr serial = whole("stencil27:4:dof=2");
  const auto a = spread(world, serial);
  auto plan = distributed::analyse(Exec(), a, 4);
  const auto values = doubled(serial, plan.row_partition(), world.rank());
  EXPECT_THROW(plan.update(Exec(), values), UsageError);
  expect_product<LayoutRight, LayoutRight>(plan, serial, 4, 1.0, 0.0);
  expect_product<LayoutRight, LayoutRight>(a, serial, 4, 1.0, 0.0);
}

}  // namespace
}  // namespace fatvec::test
