// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/generate.hpp>

namespace {

using fatvec::generate::parse_spec;

template <class Exception>
std::string message_of(const std::string& text) {
  try {
    fatvec::generate::generate(parse_spec(text));
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << text << " was accepted";
  return "";
}

void expect_contains(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "\"" << part << "\" is not in: " << message;
}

TEST(GenerateCapacity, TooLargeSizesAreRefusedBeforeAllocation) {
  expect_contains(message_of<fatvec::CapacityError>("gen:stencil27:3000"),
                  "gen:stencil27:3000: 27000000000 rows");
  expect_contains(message_of<fatvec::CapacityError>("gen:diagonal:2147483648"), "2147483648 rows");
  expect_contains(message_of<fatvec::CapacityError>("gen:stencil7:1000:dof=3"), "3000000000 rows");
  expect_contains(message_of<fatvec::CapacityError>("gen:empty:1x3000000000"),
                  "3000000000 columns");
  expect_contains(message_of<fatvec::CapacityError>("gen:stencil27:9000000000000000000"), " rows");
  // 10^6 × 10^6 full: 12 TB.
  expect_contains(message_of<fatvec::CapacityError>("gen:uniform:1000000:1000000"), "12.0 TB");
  expect_contains(message_of<fatvec::CapacityError>("gen:banded:1000000:999999"),
                  "1000000000000 entries");
}

TEST(GenerateCapacity, TheMemoryLimitHolds) {
  const auto spec = parse_spec("diagonal:1000");
  const std::uint64_t bytes = fatvec::generate::generate(spec).bytes();
  EXPECT_NO_THROW(fatvec::generate::generate(spec, bytes));
  EXPECT_THROW(fatvec::generate::generate(spec, bytes - 1), fatvec::CapacityError);
}

TEST(ParseSpec, ReadsEveryField) {
  EXPECT_TRUE(fatvec::generate::is_spec("gen:stencil5:3"));
  EXPECT_FALSE(fatvec::generate::is_spec("generated.mtx"));
  const auto stencil = parse_spec("gen:stencil27:4x5x6:seed=18446744073709551615:dof=3");
  EXPECT_EQ(stencil.kind, "stencil27");
  EXPECT_EQ(stencil.sizes, (std::vector<std::int64_t>{4, 5, 6}));
  EXPECT_EQ(stencil.dof, 3);
  EXPECT_EQ(stencil.seed, 18446744073709551615U);
  EXPECT_EQ(stencil.text, "gen:stencil27:4x5x6:seed=18446744073709551615:dof=3");
  const auto tail = parse_spec("powerlaw:10x20:2.5:exponent=3:max=7");
  EXPECT_EQ(tail.text, "gen:powerlaw:10x20:2.5:exponent=3:max=7");
  EXPECT_EQ(tail.mean, 2.5);
  EXPECT_EQ(tail.exponent, 3);
  EXPECT_EQ(tail.max, 7);
  EXPECT_EQ(tail.seed, 1U);
  EXPECT_EQ(parse_spec("banded:10:4").half_bandwidth, 4);
  EXPECT_EQ(parse_spec("uniform:10:4").per_row, 4);
}

TEST(ParseSpec, BadTextsAreRefusedWithTheReason) {
  const std::map<std::string, std::string> cases = {
      {"gen:", "unknown kind of matrix \"\""},
      {"gen:stencil8:4", "unknown kind of matrix \"stencil8\""},
      {"gen:stencil5", "incomplete, the syntax is gen:stencil5:NX[xNY]"},
      {"gen:stencil5:", "the size must be NX[xNY] of integers from 0, not \"\""},
      {"gen:stencil5:3x", "not \"3x\""},
      {"gen:stencil5:-3", "not \"-3\""},
      {"gen:stencil5:3.5", "not \"3.5\""},
      {"gen:stencil5:1x2x3", "not \"1x2x3\""},
      {"gen:stencil27:1x2", "not \"1x2\""},
      {"gen:diagonal:3x3", "not \"3x3\""},
      {"gen:diagonal:99999999999999999999", "not \"99999999999999999999\""},
      {"gen:stencil5:3:dof=0", "dof must be an integer from 1, not \"0\""},
      {"gen:stencil5:3:dof=", "dof must be"},
      {"gen:stencil5:3:dof", "\"dof\" is no option of stencil5"},
      {"gen:stencil5:3:max=3", "\"max=3\" is no option of stencil5"},
      {"gen:stencil5:3:2", "\"2\" is no option of stencil5"},
      {"gen:stencil5:3:", "\"\" is no option of stencil5"},
      {"gen:stencil5:3:seed=-1", "seed must be"},
      {"gen:banded:9", "incomplete, the syntax is gen:banded:N:HALFBANDWIDTH"},
      {"gen:banded:9:x", "HALFBANDWIDTH must be an integer from 0, not \"x\""},
      {"gen:banded:9:-1", "HALFBANDWIDTH must be"},
      {"gen:uniform:9:seed=3", "PER_ROW must be an integer"},
      {"gen:uniform:9:10", "PER_ROW = 10 distinct columns do not exist in 9"},
      {"gen:powerlaw:9:0", "MEAN must be a number above 0"},
      {"gen:powerlaw:9:nan", "MEAN must be"},
      {"gen:powerlaw:9:inf", "MEAN must be"},
      {"gen:powerlaw:9:10", "MEAN = 10 exceeds the longest row, 9"},
      {"gen:powerlaw:9:3:max=10", "max = 10 exceeds the 9 columns"},
      {"gen:powerlaw:9:3:max=2", "MEAN = 3 exceeds the longest row, 2"},
      {"gen:powerlaw:9:3:exponent=1", "exponent must be a number above 1, up to 1000"},
      {"gen:powerlaw:9:3:exponent=1e308", "exponent must be a number above 1, up to 1000"},
      {"gen:powerlaw:9:3:max=0", "max must be an integer from 1"},
  };
  for (const auto& [text, reason] : cases)
    expect_contains(message_of<fatvec::UsageError>(text), reason);
}

TEST(ParseSpec, MessagesListEveryKind) {
  const std::string message = message_of<fatvec::UsageError>("gen:nonsense:3");
  expect_contains(message, fatvec::generate::spec_help());
  for (const std::string kind : {"stencil5", "stencil9", "stencil7", "stencil27", "banded",
                                 "uniform", "powerlaw", "arrow", "diagonal", "empty"}) {
    expect_contains(message, "gen:" + kind + ":");
  }
  fatvec::generate::Spec unknown;
  unknown.kind = "nonsense";
  EXPECT_THROW(fatvec::generate::generate(unknown), fatvec::UsageError);
}

}  // namespace
