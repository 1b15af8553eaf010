// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators come as Fortran handles, which any binding of MPI can give: mpi4py's py2f(). So the
// module needs no header of mpi4py, and one of another MPI can be told before a handle of it is
// used.
#include <array>
#include <map>

#include "comm/attribute_key.hpp"
#include "common.hpp"

namespace kallima::python {

namespace {

/// Starts MPI where nobody did; True where this call did, so that the caller ends it.
bool start_mpi() {
  int started = 0;
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) {
    throw StaleCommunicator("MPI was finalized, and can not be started again in this process");
  }
  MPI_Initialized(&started);
  if (started != 0) return false;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  return true;
}

void end_mpi() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) MPI_Finalize();
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

/// What is to be called when a communicator is freed, by number: MPI keeps the number with the
/// communicator.
std::map<int, py::object>& freed_callbacks() {
  static auto* const callbacks = new std::map<int, py::object>();  // never destroyed: see below
  return *callbacks;
}

/// MPI calls it when a communicator is freed, or when MPI ends; the interpreter may be gone by
/// then.
int when_freed(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  if (Py_IsInitialized() == 0) return MPI_SUCCESS;
  const py::gil_scoped_acquire lock;
  const auto found =
      freed_callbacks().find(static_cast<int>(reinterpret_cast<std::intptr_t>(value)));
  if (found == freed_callbacks().end()) return MPI_SUCCESS;
  const py::object callback = std::move(found->second);
  freed_callbacks().erase(found);
  try {
    callback();
  } catch (const py::error_already_set&) {
    return MPI_ERR_OTHER;
  }
  return MPI_SUCCESS;
}

/// Key of the number. It stays as long as the process.
int freed_key() {
  static const auto* const key = new comm::AttributeKey(when_freed);
  return key->get();
}

/// Of `handle`, the number that call_when_freed() gave it; 0 for none.
int freed_number(MPI_Fint handle) {
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(communicator_of(handle), freed_key(), &value, &found);
  return found == 0 ? 0 : static_cast<int>(reinterpret_cast<std::intptr_t>(value));
}

int call_when_freed(MPI_Fint handle, py::object callback) {
  static int last = 0;
  const int number = ++last;
  freed_callbacks()[number] = std::move(callback);
  MPI_Comm_set_attr(communicator_of(handle), freed_key(),
                    reinterpret_cast<void*>(static_cast<std::intptr_t>(number)));
  return number;
}

/// The bytes of one rank, as many as all have.
py::bytes broadcast(MPI_Fint handle, std::string bytes, int root) {
  const MPI_Comm comm = communicator_of(handle);
  {
    const py::gil_scoped_release unlocked;
    MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, root, comm);
  }
  return bytes;
}

/// By number, of all ranks: the sums of these numbers, and their minima.
std::pair<std::vector<Index>, std::vector<Index>> combined(MPI_Fint handle,
                                                           const std::vector<Index>& mine) {
  const MPI_Comm comm = communicator_of(handle);
  const py::gil_scoped_release unlocked;
  std::vector<Index> sum(mine.size());
  std::vector<Index> least(mine.size());
  const int count = static_cast<int>(mine.size());
  MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(mine.data(), least.data(), count, MPI_INT64_T, MPI_MIN, comm);
  return {sum, least};
}

/// The sum of all ranks' numbers.
double sum(MPI_Fint handle, double mine) {
  const MPI_Comm comm = communicator_of(handle);
  const py::gil_scoped_release unlocked;
  double result = 0.;
  MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_SUM, comm);
  return result;
}

}  // namespace

MPI_Comm communicator_of(MPI_Fint handle) {
  const MPI_Comm comm = MPI_Comm_f2c(handle);
  if (comm == MPI_COMM_NULL) {
    throw InvalidOption("handle " + std::to_string(handle) +
                        " is of no communicator; give mpi4py's, its py2f(), or kallima.world()");
  }
  return comm;
}

void add_communicators(py::module_& module) {
  module.def("start_mpi", start_mpi);
  module.def("mpi_started", [] {
    int started = 0;
    MPI_Initialized(&started);
    return started != 0;
  });
  module.def("end_mpi", end_mpi);
  module.def("mpi_library_version", library_version);
  module.def("world_handle", [] { return MPI_Comm_c2f(MPI_COMM_WORLD); });
  module.def("self_handle", [] { return MPI_Comm_c2f(MPI_COMM_SELF); });
  module.def("comm_rank", [](MPI_Fint handle) {
    int rank = 0;
    MPI_Comm_rank(communicator_of(handle), &rank);
    return rank;
  });
  module.def("comm_size", [](MPI_Fint handle) {
    int size = 0;
    MPI_Comm_size(communicator_of(handle), &size);
    return size;
  });
  module.def(
      "barrier", [](MPI_Fint handle) { MPI_Barrier(communicator_of(handle)); },
      py::call_guard<py::gil_scoped_release>());
  module.def("broadcast", broadcast);
  module.def("combined", combined);
  module.def("sum", sum);
  module.def("freed_number", freed_number);
  module.def("call_when_freed", call_when_freed);
}

}  // namespace kallima::python
