// SPDX-License-Identifier: BSD-3-Clause
#include "gather.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

#include "api/request.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "comm/channel.hpp"
#include "comm/owned_comm.hpp"
#include "cores.hpp"
#include "here.hpp"
#include "measure.hpp"
#include "system.hpp"

namespace kallima::cli::doctor {

// Found by the JSON library where the types are.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EngineFacts, version, instructions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeFacts, host, ranks, online, whole, allowed, quota,
                                   quota_file, shm_total, shm_free, huge, huge_shared, memory_total,
                                   memory_available, swap_used, governor, driver, processor,
                                   engines, segments)

namespace {

using Json = nlohmann::json;

/// Ranks that share a node, and where this one is among them.
class Node {
 public:
  explicit Node(const Session& session) : comm_(comm::OwnedComm::of_node(session.comm)) {
    MPI_Comm_rank(comm(), &rank_);
    MPI_Comm_size(comm(), &size_);
  }

  [[nodiscard]] MPI_Comm comm() const { return comm_.get(); }
  /// Nothing is asked any more. Collective.
  void free() { comm_.free(); }
  [[nodiscard]] bool leads() const { return rank_ == 0; }
  [[nodiscard]] int size() const { return size_; }

  /// True where all ranks of the node bring the same text. Collective.
  [[nodiscard]] bool same(const std::string& text) const {
    const std::uint64_t mine = text::hash(text);
    const std::array<std::uint64_t, 2> own = {mine, ~mine};
    std::array<std::uint64_t, 2> least{};
    MPI_Allreduce(own.data(), least.data(), 2, MPI_UINT64_T, MPI_MIN, comm());
    return least[0] == ~least[1];
  }

  /// Number of this node among all, in the order of their first ranks. Collective.
  [[nodiscard]] int index(const Session& session) const {
    const int leader = leads() ? 1 : 0;
    int before = 0;
    MPI_Scan(&leader, &before, 1, MPI_INT, MPI_SUM, session.comm);
    int mine = before - 1;
    MPI_Bcast(&mine, 1, MPI_INT, 0, comm());
    return mine;
  }

 private:
  comm::OwnedComm comm_;
  int rank_ = 0;
  int size_ = 1;
};

/// The bytes of all ranks on rank 0, in their order. Collective.
std::vector<std::string> texts(const Session& session, const std::string& mine) {
  const int length = narrow<int>(mine.size(), "bytes of a rank's facts");
  std::vector<int> lengths(static_cast<std::size_t>(session.size));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, session.comm);
  if (!session.speaks()) std::fill(lengths.begin(), lengths.end(), 0);
  std::vector<int> offsets(lengths.size(), 0);
  std::partial_sum(lengths.begin(), lengths.end() - 1, offsets.begin() + 1);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
              0, session.comm);
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    parts.push_back(
        all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  }
  return parts;
}

/// Sizes of the job in the words of launchers: Open MPI, MPICH and Slurm's PMI, MVAPICH.
int launched_size() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    if (const char* const value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

const char* thread_level(int level) {
  switch (level) {
    case MPI_THREAD_MULTIPLE:
      return "multiple";
    case MPI_THREAD_SERIALIZED:
      return "serialized";
    case MPI_THREAD_FUNNELED:
      return "funneled";
    default:
      return "single";
  }
}

void look_at_mpi(Facts& facts) {
  facts.library = library_version();
  facts.family = family_of(facts.library);
  facts.built = {MPI_VERSION, MPI_SUBVERSION};
  MPI_Get_version(facts.running.data(), &facts.running[1]);
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  facts.thread_levels = {"funneled", thread_level(provided)};
  facts.launched = launched() ? launched_size() : 0;
  facts.large_counts = comm::has_large_counts();
  const char* const shared = std::getenv("KALLIMA_SHARED");
  facts.shared_off = shared != nullptr && std::string(shared) == "off";
}

}  // namespace

Family family_of(const std::string& library) {
  if (library.find("Open MPI") != std::string::npos) return Family::open_mpi;
  return library.find("MPICH") != std::string::npos ? Family::mpich : Family::other;
}

Facts gathered(const Session& session, Progress& progress) {
  Facts facts;
  progress.show("looking at ranks and nodes");
  look_at_mpi(facts);
  Node node(session);
  NodeFacts mine;
  if (node.leads()) mine = system_facts();
  mine.host = host_name();
  mine.ranks = node.size();
  const std::vector<int> cores = own_cores();
  const std::string mask = core_ranges(cores);
  mine.allowed = node.same(mask) ? narrow<int>(cores.size(), "cores") : 0;
  mine.segments = node.size() > 1 && segments_work(node.comm());
  const int full = node.leads() && oversubscribed(mine) ? 1 : 0;
  int any_full = 0;
  MPI_Allreduce(&full, &any_full, 1, MPI_INT, MPI_MAX, session.comm);

  std::vector<int> nodes(static_cast<std::size_t>(session.size));
  const int index = node.index(session);
  node.free();
  MPI_Allgather(&index, 1, MPI_INT, nodes.data(), 1, MPI_INT, session.comm);
  const auto masks = texts(session, mask);
  const auto leaders = texts(session, node.leads() ? Json(mine).dump() : std::string());
  for (std::size_t r = 0; session.speaks() && r < nodes.size(); ++r) {
    facts.ranks.push_back({nodes[r], cores_in(masks[r])});
    if (!leaders[r].empty()) facts.nodes.push_back(Json::parse(leaders[r]).get<NodeFacts>());
  }
  if (session.size < 2 || any_full != 0) return facts;
  progress.show("computing while a message is on its way");
  facts.overlaps = measured_overlaps(session, nodes);
  facts.all_to_all = measured_all_to_all(session, progress);
  facts.links = assumed_links(session, [&] {
    PlanRequest request;
    request.problem = Problem::parse(typical_problem);
    request.ranks = session.size;
    return placed(request, {}, *comm::Communicator::of(session.comm));
  });
  return facts;
}

}  // namespace kallima::cli::doctor
