// SPDX-License-Identifier: Apache-2.0
#include "message_hooks.hpp"

#include <mpi.h>

#include <chrono>
#include <optional>
#include <random>
#include <thread>

namespace {

fatvec::test::Sent sent;
std::optional<std::mt19937> delays;

void be_late() {
  if (delays) std::this_thread::sleep_for(std::chrono::microseconds((*delays)() % 3000));
}

}  // namespace

namespace fatvec::test {

Sent take_sent() {
  const Sent taken = sent;
  sent = {};
  return taken;
}

RandomDelays::RandomDelays(unsigned seed) {
  delays.emplace(seed);
}
RandomDelays::~RandomDelays() {
  delays.reset();
}

}  // namespace fatvec::test

extern "C" {

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++sent.messages;
  sent.bytes += static_cast<std::int64_t>(count) * size;
  be_late();
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm) {
  ++sent.rounds;
  return PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++sent.rounds;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  be_late();
  return PMPI_Waitall(count, requests, statuses);
}
}
