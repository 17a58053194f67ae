// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <latch>
#include <thread>
#include <vector>

namespace fatvec::test {

/// work(t) by `threads` threads of the host, which begin together.
template <class Work>
void at_once(int threads, const Work& work) {
  std::latch all(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      all.arrive_and_wait();
      work(t);
    });
  for (auto& thread : running) thread.join();
}

}  // namespace fatvec::test
