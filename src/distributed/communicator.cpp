// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <new>
#include <string>

#include <fatvec/distributed/communicator.hpp>

namespace fatvec::distributed {
namespace {

/// What can be told of an exception to the other ranks.
enum class Kind : int { error, input, shape, capacity, usage, precision };

struct Told {
  Kind kind = Kind::error;
  std::string message;
};

Told tell(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const InputError& e) {
    return {Kind::input, e.what()};
  } catch (const ShapeError& e) {
    return {Kind::shape, e.what()};
  } catch (const CapacityError& e) {
    return {Kind::capacity, e.what()};
  } catch (const UsageError& e) {
    return {Kind::usage, e.what()};
  } catch (const PrecisionError& e) {
    return {Kind::precision, e.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::capacity, "this rank has no memory left."};
  } catch (const std::exception& e) {
    return {Kind::error, e.what()};
  }
}

[[noreturn]] void rethrow(Kind kind, const std::string& message) {
  switch (kind) {
    case Kind::input:
      throw InputError(message);
    case Kind::shape:
      throw ShapeError(message);
    case Kind::capacity:
      throw CapacityError(message);
    case Kind::usage:
      throw UsageError(message);
    case Kind::precision:
      throw PrecisionError(message);
    case Kind::error:
      break;
  }
  throw Error(message);
}

void require_threads() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0)
    throw UsageError(
        "fatvec::distributed: MPI is not initialised; call MPI_Init_thread(..., "
        "MPI_THREAD_FUNNELED, ...) before Kokkos is initialised.");
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_FUNNELED)
    throw UsageError(
        "fatvec::distributed: MPI was initialised for one thread only; call MPI_Init_thread with "
        "MPI_THREAD_FUNNELED or more in place of MPI_Init.");
}

}  // namespace

Communicator::Communicator(MPI_Comm parent) {
  require_threads();
  MPI_Comm duplicate = MPI_COMM_NULL;
  if (MPI_Comm_dup(parent, &duplicate) != MPI_SUCCESS)
    throw Error("fatvec::distributed: MPI_Comm_dup failed.");
  MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_ARE_FATAL);  // it would inherit the parent's
  comm_ = std::shared_ptr<const MPI_Comm>(new MPI_Comm(duplicate), [](const MPI_Comm* comm) {
    int finalised = 0;
    MPI_Finalized(&finalised);
    MPI_Comm owned = *comm;
    if (finalised == 0) MPI_Comm_free(&owned);
    delete comm;
  });
  MPI_Comm_rank(duplicate, &rank_);
  MPI_Comm_size(duplicate, &size_);
}

void Communicator::throw_together(const std::exception_ptr& mine, const char* what,
                                  std::int64_t value) const {
  // The first rank that failed, the least value, and the most, whose complement is the least.
  std::int64_t least[3] = {mine ? rank_ : size_, value, ~value};
  MPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, get());
  const int first = static_cast<int>(least[0]);
  if (first == size_) {
    if (least[1] == ~least[2]) return;
    throw ShapeError(detail::concat("distributed: ", least[1], " ", what, " on one rank, ",
                                    ~least[2], " on another; all must give the same."));
  }
  Told told;
  if (first == rank_) {
    told = tell(mine);
    if (size_ > 1) told.message += detail::concat(" [rank ", rank_, " of ", size_, "]");
  }
  int header[2] = {static_cast<int>(told.kind), static_cast<int>(told.message.size())};
  MPI_Bcast(header, 2, MPI_INT, first, get());
  told.message.resize(static_cast<std::size_t>(header[1]));
  MPI_Bcast(told.message.data(), header[1], MPI_CHAR, first, get());
  rethrow(static_cast<Kind>(header[0]), told.message);
}

void Communicator::abort(const std::exception& failure) const {
  std::fprintf(stderr, "rank %d of %d: %s\n", rank_, size_, failure.what());
  std::fflush(stderr);
  MPI_Abort(get(), 2);
  std::terminate();  // MPI_Abort does not return
}

}  // namespace fatvec::distributed
