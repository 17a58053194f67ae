// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fatvec/fused/fused.hpp>

#include "operands.hpp"
#include "session.hpp"

namespace fatvec::python {

/// The products of a matrix or of a plan, and the workspace that fused ones share.
template <class T, class Exec, class A>
class Products : Kept {
 public:
  using Sum = DotOf<Multivector<T, Exec>>;

  explicit Products(A a) : a_(std::move(a)) {}

  /// Throws Error where Python has ended.
  [[nodiscard]] const A& get() const {
    if (!a_) throw Error("Python is ending: nothing is multiplied any more.");
    return *a_;
  }

  /// Y = beta · Y + alpha · A · X.
  void multiply(double alpha, const Readable& X, double beta, const Writable& Y,
                std::uintptr_t stream) const {
    const auto x = multivector<const T, Exec>("X", X);
    const auto y = multivector<T, Exec>("Y", Y);
    const Turn turn;
    const A& a = get();
    spmm(on_stream(stream), alpha, a, x, beta, y);
  }

  /// R = B - A · X, and the squares of the norms of its columns where there is room for them.
  void form_residual(const Readable& B, const Readable& X, const Writable& R,
                     const std::optional<Writable>& norms, std::uintptr_t stream) {
    const auto b = multivector<const T, Exec>("B", B);
    const auto x = multivector<const T, Exec>("X", X);
    const auto r = multivector<T, Exec>("R", R);
    if (!norms) {
      const Turn turn;
      const A& a = get();
      return residual(on_stream(stream), b, a, x, r);
    }
    const auto squares = vector<double, Exec>("norms", *norms);
    const Turn turn;
    const A& a = get();
    const Exec exec = on_stream(stream);
    residual(exec, b, a, x, r, squares, workspace(exec, x));
  }

  /// Y = beta · Y + alpha · A · X, and the dot products of the columns of X and Y.
  void multiply_and_dot(double alpha, const Readable& X, double beta, const Writable& Y,
                        const Writable& dots, std::uintptr_t stream) {
    const auto x = multivector<const T, Exec>("X", X);
    const auto y = multivector<T, Exec>("Y", Y);
    const auto sums = vector<Sum, Exec>("dots", dots);
    const Turn turn;
    const A& a = get();
    const Exec exec = on_stream(stream);
    spmm_dot(exec, alpha, a, x, beta, y, sums, workspace(exec, x));
  }

 protected:
  A& get() { return const_cast<A&>(std::as_const(*this).get()); }

  /// The instance for a stream. Scratch memory serves one product at a time: where the last one was
  /// on another stream, this waits for it.
  [[nodiscard]] Exec on_stream(std::uintptr_t stream) const {
    if (stream != last_stream_) Kokkos::fence("fatvec: a product on another stream");
    last_stream_ = stream;
    return instance_of<Exec>(stream);
  }

 private:
  void let_go() override {
    a_.reset();
    workspace_.reset();
  }

  template <class X>
  const fused::Workspace<Exec>& workspace(const Exec& exec, const X& x) {
    const std::int64_t k = multivector_columns(x);
    if (!workspace_ || workspace_->columns() < k)
      workspace_.emplace(exec, std::max<std::int64_t>(k, 1), 1);
    return *workspace_;
  }

  std::optional<A> a_;
  mutable std::uintptr_t last_stream_ = 0;
  std::optional<fused::Workspace<Exec>> workspace_;
};

}  // namespace fatvec::python
