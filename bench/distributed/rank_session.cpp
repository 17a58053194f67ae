// SPDX-License-Identifier: Apache-2.0
// The suites weak and strong. Compiled where CMake finds MPI.
#include "distributed/rank_session.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fatvec/app/ranks/product.hpp>
#include <fatvec/statistics/traffic.hpp>

#include "harness/cases.hpp"
#include "harness/grouped_session.hpp"
#include "harness/provenance.hpp"
#include "harness/run.hpp"

namespace fatvec::bench {
namespace {

using ranks::Communicator, ranks::Part, ranks::Product, ranks::Range, ranks::range_of;

/// The communicator of the first ranks; on the others, none.
class FirstRanks {
 public:
  FirstRanks(const Communicator& world, int ranks) {
    const bool inside = world.rank() < ranks;
    MPI_Comm_split(world.get(), inside ? 0 : MPI_UNDEFINED, 0, &part_);
    if (inside) communicator_.emplace(part_);
  }
  ~FirstRanks() {
    communicator_.reset();
    if (part_ != MPI_COMM_NULL) MPI_Comm_free(&part_);
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;

  [[nodiscard]] const std::optional<Communicator>& get() const { return communicator_; }
  /// What get() is a duplicate of.
  [[nodiscard]] MPI_Comm part() const { return part_; }

 private:
  MPI_Comm part_ = MPI_COMM_NULL;
  std::optional<Communicator> communicator_;
};

/// What a case has beside its timing.
struct RankDetails {
  double base_seconds = 0;    ///< of one rank, in the same run
  double local_seconds = 0;   ///< of the local part alone, on the slowest rank
  double halo_seconds = 0;    ///< of the rest alone
  double waited_seconds = 0;  ///< of a product that the host waits for
  int slowest = 0;            ///< rank, in the median repetition
  std::string exchange;       ///< how rows of X travel
  std::int64_t rows = 0;
  Range nnz, received, neighbours, matrix_bytes, memory_bytes;
};

double median_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
}

/// Products between two waits: enough that starting them together takes no part of the time.
int batch_for(double seconds) {
  constexpr double long_enough = 1e-2;
  return static_cast<int>(std::clamp(std::ceil(long_enough / seconds), 1.0, 50.0));
}

/// Whole products and their parts take turns. All ranks see the slowest one's times, so that they
/// agree when to end.
void time_parts(Product& product, const TimingPolicy& policy, bool exchanges, Timing& timing,
                RankDetails& details) {
  const int batch = batch_for(product.run(Part::whole).seconds);
  std::vector<ranks::Time> whole;
  std::vector<double> waited, local, halo;
  double total = 0;
  const auto wants_more = [&] {
    const int done = static_cast<int>(whole.size());
    if (done < policy.fewest) return true;
    if (total >= policy.most_seconds) return false;
    return done < policy.repetitions || total < policy.least_seconds;
  };
  while (wants_more()) {
    waited.push_back(product.run(Part::whole).seconds);  // and warms up the caches
    whole.push_back(product.run(Part::whole, batch));
    total += whole.back().seconds * batch;
    product.run(Part::local);
    local.push_back(product.run(Part::local, batch).seconds);
    if (exchanges) halo.push_back(product.run(Part::halo, batch).seconds);
  }
  std::sort(whole.begin(), whole.end(),
            [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  details.slowest = whole[whole.size() / 2].slowest;
  for (const auto& time : whole) timing.seconds.push_back(time.seconds);
  timing.capped = static_cast<int>(whole.size()) < policy.repetitions;
  details.waited_seconds = median_of(waited);
  details.local_seconds = median_of(local);
  if (exchanges) details.halo_seconds = median_of(halo);
}

class RankSession final : public GroupedSession<RankCase> {
 public:
  RankSession(const Communicator& world, const Options& options, const Suite& suite)
      : world_(world),
        options_(options),
        scaling_(suite.scaling),
        timing_(options.timing(suite.max_seconds)) {}

  [[nodiscard]] bool unreadable_input() const override { return unreadable_; }

 private:
  /// The same but for the number of ranks.
  [[nodiscard]] bool same_group(const RankCase& a, const RankCase& b) const override {
    return a.matrix.name == b.matrix.name && a.format == b.format && a.layout == b.layout &&
           a.k == b.k;
  }

  std::vector<Outcome> measure(const Group& group) override {
    RankCase alone = group.front();
    alone.ranks = 1;
    Outcome base;
    if (group.front().ranks > 1) base = measure_case(alone);  // resumed, or filtered
    std::vector<Outcome> outcomes;
    for (const auto& rank_case : group) {
      outcomes.push_back(measure_case(rank_case));
      if (rank_case.ranks == 1) base = outcomes.back();
      details_[rank_case.name()].base_seconds =
          base.timing.seconds.empty() ? std::nan("") : base.timing.median();
    }
    return outcomes;
  }

  Outcome measure_case(const RankCase& rank_case) {
    Outcome outcome;
    const FirstRanks first(world_, rank_case.ranks);
    if (first.get()) {
      guarded(outcome, [&] { run_case(*first.get(), rank_case, outcome); });
      if (outcome.kind != Outcome::Kind::verified)
        ranks::end_all_unless_all_failed(
            first.part(), Exit::failure,
            detail::concat("fatvec-bench: ", rank_case.name(), ": ", outcome.reason));
    }
    ranks::wait_for_all(world_);
    return outcome;
  }

  void run_case(const Communicator& communicator, const RankCase& rank_case, Outcome& outcome) {
    RankDetails& details = details_[rank_case.name()];
    Product product(communicator, rows_of(communicator, rank_case), rank_case.format, {},
                    rank_case.exchange == "nccl");
    ranks::Operands operands;
    operands.k = rank_case.k;
    operands.layout = rank_case.layout;
    operands.alpha = options_.alpha;
    operands.beta = options_.beta;
    product.load(operands);
    outcome.timing.seconds = {product.run(Part::whole).seconds};
    require_right(product);
    fill_details(communicator, product, details);
    outcome.setup_seconds = product.setup_seconds();
    outcome.matrix_bytes = static_cast<std::uint64_t>(details.matrix_bytes.sum);
    if (options_.dry_run) return;
    outcome.timing = {};
    time_parts(product, timing_, details.received.sum > 0, outcome.timing, details);
    product.reset_y();
    product.run(Part::whole);
    require_right(product);  // still: a race may show only now
  }

  ranks::Rows rows_of(const Communicator& communicator, const RankCase& rank_case) {
    const auto spread = ranks::spread_of(rank_case.partition);
    const std::string& text = rank_case.matrix.text;
    if (!generate::is_spec(text)) {
      unreadable_ = true;
      const auto rows = ranks::read_rows(communicator, text, spread);
      unreadable_ = false;
      return rows;
    }
    const auto spec = communicator.agree([&] {
      auto one = generate::parse_spec(text);
      if (scaling_ == Scaling::weak) one.sizes.back() *= communicator.size();
      return one;
    });
    return ranks::generate_rows(communicator, spec, spread);
  }

  static void require_right(const Product& product) {
    const auto verdict = product.verify();
    if (!verdict.passed)
      throw WrongResult{detail::concat("verification failed: row ", verdict.worst_row, " column ",
                                       verdict.worst_column, " expected ", verdict.expected,
                                       " got ", verdict.got)};
  }

  static void fill_details(const Communicator& communicator, const Product& product,
                           RankDetails& details) {
    const ranks::Share share = product.share();
    details.exchange = product.exchange();
    details.rows = product.rows();
    details.nnz = range_of(communicator, share.nnz);
    details.received = range_of(communicator, share.received_rows);
    details.neighbours = range_of(communicator, share.neighbours);
    details.matrix_bytes = range_of(communicator, share.matrix_bytes);
    details.memory_bytes = range_of(communicator, share.memory_bytes);
  }

  void report(const RankCase& rank_case, const Outcome& outcome,
              benchmark::State& state) const override {
    const RankDetails& details = details_.at(rank_case.name());
    const double seconds = outcome.timing.median();
    const double work = flops({.nnz = details.nnz.sum, .k = rank_case.k});
    const double speed_up = details.base_seconds / seconds;
    report_timing(outcome.timing, options_.dry_run, state);
    state.SetLabel(details.exchange);
    auto& counters = state.counters;
    const auto set = [&](const char* name, auto value) {
      counters[name] = static_cast<double>(value);
    };
    set("GFLOPS", 1e-9 * work / seconds);
    if (std::isfinite(speed_up))  // else one rank could not take the matrix
      set("efficiency", scaling_ == Scaling::weak ? speed_up : speed_up / rank_case.ranks);
    set("exchanged_bytes", details.received.sum * rank_case.k * 8);
    set("most_received_rows", details.received.most);
    set("most_neighbours", details.neighbours.most);
    set("least_rank_nnz", details.nnz.least);
    set("most_rank_nnz", details.nnz.most);
    set("rank_memory_bytes", details.memory_bytes.most);
    set("slowest_rank", details.slowest);
    set("setup_seconds", outcome.setup_seconds);
    set("matrix_bytes", outcome.matrix_bytes);
    set("rows", details.rows);
    set("nnz", details.nnz.sum);
    if (details.waited_seconds > 0) set("waited_seconds", details.waited_seconds);
    if (details.local_seconds > 0) set("local_seconds", details.local_seconds);
    if (details.halo_seconds <= 0) return;
    set("halo_seconds", details.halo_seconds);
    const double hidden = details.local_seconds + details.halo_seconds - seconds;
    set("overlap", std::clamp(hidden / details.halo_seconds, 0.0, 1.0));
  }

  Communicator world_;
  const Options& options_;
  Scaling scaling_;
  TimingPolicy timing_;
  std::map<std::string, RankDetails> details_;
  bool unreadable_ = false;
};

/// Google Benchmark runs on the first rank alone, and draws an order there that no other one knows.
void require_one_order(const Options& options, const Suite& suite) {
  constexpr const char* flag = "benchmark_enable_random_interleaving";
  if (options.has_benchmark_flag(flag) ||
      std::getenv("BENCHMARK_ENABLE_RANDOM_INTERLEAVING") != nullptr)
    throw UsageError(detail::concat("--suite ", suite.name, ": --", flag,
                                    " is not for suites of ranks, which measure in one order; "
                                    "leave it and BENCHMARK_ENABLE_RANDOM_INTERLEAVING out."));
}

/// The cases that the first rank's result file has not, on all ranks.
void keep_missing(const Communicator& world, const Run* run, std::vector<RankCase>& cases) {
  std::vector<char> done = world.agree([&] {
    std::vector<char> there;
    for (const auto& rank_case : cases)
      there.push_back(run != nullptr && run->has(rank_case.name()) ? 1 : 0);
    return there;
  });
  MPI_Bcast(done.data(), static_cast<int>(done.size()), MPI_CHAR, 0, world.get());
  std::size_t at = 0;
  std::erase_if(cases, [&](const RankCase&) { return done[at++] != 0; });
}

}  // namespace

int run_on_ranks(const Options& options, const Suite& suite) {
  const Communicator world;
  const int sharing = ranks::ranks_per_gpu(world);
  const bool nccl = options.use_nccl && ranks::built_with_nccl() && sharing == 1;
  auto cases = world.agree([&] {
    require_one_order(options, suite);
    static_cast<void>(ranks::spread_of(options.partition));  // may not be in this build
    return select_rank_cases(suite, options, world.size(), nccl ? "nccl" : "mpi");
  });
  std::unique_ptr<Run> run;
  world.agree([&] {
    if (world.rank() > 0) return;
    auto facts = provenance(options, {});
    facts.emplace_back("ranks", std::to_string(world.size()));
    facts.emplace_back("ranks_per_gpu", std::to_string(sharing));
    if (!detail::is_host<ranks::Exec> && !nccl)
      facts.emplace_back("gpu_aware_mpi",
                         distributed::mpi_reads_gpus(ranks::Exec::name()) ? "yes" : "no");
    run = std::make_unique<Run>(
        options, facts,
        detail::concat(world.size(), world.size() == 1 ? " rank; " : " ranks; ", summary({})));
    if (sharing > 1)
      std::fprintf(stderr, "fatvec-bench: note: %d ranks share a GPU; start one rank a GPU.\n",
                   sharing);
  });
  keep_missing(world, run.get(), cases);
  RankSession session(world, options, suite);
  world.agree([&] { session.register_cases(cases); });
  if (!options.has_benchmark_flag("benchmark_list_tests") && world.rank() > 0)
    session.measure_groups();
  if (run) run->run(cases.size());
  int exit_code = 0;
  world.agree([&] {
    if (run) exit_code = run->finish(session);
  });
  MPI_Bcast(&exit_code, 1, MPI_INT, 0, world.get());
  return exit_code;
}

}  // namespace fatvec::bench
