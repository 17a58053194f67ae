// SPDX-License-Identifier: Apache-2.0
#include <fatvec/distributed/exchange.hpp>

#include <cstdlib>

#include <fatvec/core/error.hpp>

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace fatvec::distributed {
namespace {

/// Whether the MPI says that it takes pointers to memory of CUDA's GPUs.
bool mpi_says_that_it_reads_cuda() {
#if defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported != 0;
#else
  return false;
#endif
}

[[noreturn]] void throw_other_size(int rank, std::size_t row_bytes) {
  throw ShapeError(fatvec::detail::concat(
      "distributed matrix: rows of X that came from rank ", rank, " have not the ", row_bytes,
      " bytes of this rank's; X must have the same number of columns on all."));
}

}  // namespace

bool mpi_reads_gpus(std::string_view space) {
  const char* const told = std::getenv("FATVEC_GPU_AWARE_MPI");
  const std::string_view value(told == nullptr ? "" : told);
  if (value == "1") return true;
  if (value == "0") return false;
  if (!value.empty())
    throw UsageError(fatvec::detail::concat("FATVEC_GPU_AWARE_MPI is '", value,
                                            "'; set it to 1 where MPI reads GPU memory, to 0 where "
                                            "it must not, or unset it to ask MPI."));
  return space == "Cuda" && mpi_says_that_it_reads_cuda();
}

Messages::Messages(Communicator communicator, const HaloPlan& plan)
    : communicator_(std::move(communicator)), receives_(plan.receives), sends_(plan.sends) {
  requests_.reserve(receives_.size() + sends_.size());
  statuses_.resize(receives_.size() + sends_.size());
}

Messages::~Messages() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (row_ != MPI_DATATYPE_NULL && finalised == 0) MPI_Type_free(&row_);
}

void Messages::start(const std::byte* packed, std::byte* received, std::size_t row_bytes) {
  set_row(row_bytes);
  for (const Neighbour& from : receives_)
    MPI_Irecv(received + static_cast<std::size_t>(from.first) * row_bytes,
              static_cast<int>(from.rows), row_, from.rank, 0, communicator_.get(),
              &requests_.emplace_back());
  for (const Neighbour& to : sends_)
    MPI_Isend(packed + static_cast<std::size_t>(to.first) * row_bytes, static_cast<int>(to.rows),
              row_, to.rank, 0, communicator_.get(), &requests_.emplace_back());
}

void Messages::wait() {
  complete(row_, [](const Neighbour& from) { return from.rows; }, row_bytes_);
}

void Messages::compare(std::size_t row_bytes) {
  const std::uint64_t mine = row_bytes;
  std::vector<std::uint64_t> sizes(receives_.size());
  // First messages without a byte, which nobody takes for rows, then those with the size.
  for (const int count : {0, 1}) {
    for (std::size_t n = 0; n < receives_.size(); ++n)
      MPI_Irecv(&sizes[n], count, MPI_UINT64_T, receives_[n].rank, 0, communicator_.get(),
                &requests_.emplace_back());
    for (const Neighbour& to : sends_)
      MPI_Isend(&mine, count, MPI_UINT64_T, to.rank, 0, communicator_.get(),
                &requests_.emplace_back());
    complete(MPI_UINT64_T, [&](const Neighbour&) { return count; }, row_bytes);
  }
  for (std::size_t n = 0; n < receives_.size(); ++n)
    if (sizes[n] != mine) throw_other_size(receives_[n].rank, row_bytes);
}

template <class Count>
void Messages::complete(MPI_Datatype type, const Count& count, std::size_t row_bytes) {
  // Larger rows are an error of MPI's; it is told as that of smaller ones.
  MPI_Comm_set_errhandler(communicator_.get(), MPI_ERRORS_RETURN);
  const int result =
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data());
  MPI_Comm_set_errhandler(communicator_.get(), MPI_ERRORS_ARE_FATAL);
  requests_.clear();  // keeps its memory
  for (std::size_t n = 0; n < receives_.size(); ++n) {
    const int error = result == MPI_ERR_IN_STATUS ? statuses_[n].MPI_ERROR : result;
    int error_class = MPI_SUCCESS;
    MPI_Error_class(error, &error_class);
    if (error_class != MPI_SUCCESS && error_class != MPI_ERR_TRUNCATE) continue;
    int came = 0;
    MPI_Get_count(&statuses_[n], type, &came);
    if (error_class == MPI_ERR_TRUNCATE || came != count(receives_[n]))
      throw_other_size(receives_[n].rank, row_bytes);
  }
  if (result != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(result, text, &length);
    throw Error(fatvec::detail::concat("MPI_Waitall: ", text, "."));
  }
}

void Messages::set_row(std::size_t row_bytes) {
  if (row_bytes == row_bytes_) return;
  if (row_ != MPI_DATATYPE_NULL) MPI_Type_free(&row_);
  MPI_Type_contiguous(static_cast<int>(row_bytes), MPI_BYTE, &row_);
  MPI_Type_commit(&row_);
  row_bytes_ = row_bytes;
}

}  // namespace fatvec::distributed
