// SPDX-License-Identifier: BSD-3-Clause
#include "system.hpp"

#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "base/text.hpp"
#include "comm/node_memory.hpp"
#include "cores.hpp"
#include "kallima/error.hpp"

namespace kallima::cli::doctor {

namespace {

/// First line of a file; empty where it cannot be read.
std::string line_of(const std::string& path) {
  std::istringstream file(text_if_readable(path));
  std::string line;
  std::getline(file, line);
  return line;
}

/// The number behind a key, or first in the file where the key is empty; negative where none is.
Index number_in(const std::string& path, const std::string& key = {}) {
  std::istringstream file(text_if_readable(path));
  for (std::string word; !key.empty() && file >> word;) {
    if (word == key) break;
  }
  Index number = 0;
  return file >> number ? number : -1;
}

Index kibibytes(const std::string& key) {
  const Index number = number_in("/proc/meminfo", key);
  return number < 0 ? -1 : number * 1024;
}

/// The least that any of this process's control groups grants.
void read_quota(NodeFacts& node) {
  const auto grants = [&](double quota, double period, const std::string& file) {
    if (quota <= 0.0 || period <= 0.0) return;  // version 1 says -1 where there is none
    if (node.quota > 0.0 && node.quota <= quota / period) return;
    node.quota = quota / period;
    node.quota_file = file;
  };
  for (const std::string& group : comm::control_groups("cpu")) {
    std::istringstream file(text_if_readable(group + "/cpu.max"));
    double quota = 0.0;
    double period = 0.0;
    if (file >> quota >> period) grants(quota, period, group + "/cpu.max");  // "max" is no number
    const std::string old_file = group + "/cpu.cfs_quota_us";
    grants(static_cast<double>(number_in(old_file)),
           static_cast<double>(number_in(group + "/cpu.cfs_period_us")), old_file);
  }
}

/// Cores that the control group may use; 0 where it does not tell. Throws nothing: only one rank of
/// a node looks.
int granted_cores() {
  for (const std::string& group : comm::control_groups("cpuset")) {
    for (const char* const file : {"/cpuset.cpus.effective", "/cpuset.effective_cpus"}) {
      try {
        const auto count = static_cast<int>(cores_in(line_of(group + file)).size());
        if (count > 0) return count;
      } catch (const Error&) {  // not the text that is expected
        continue;
      }
    }
  }
  return 0;
}

int whole_cores(int online) {
  std::set<std::string> siblings;
  for (int core = 0; core < online; ++core) {
    siblings.insert(line_of("/sys/devices/system/cpu/cpu" + std::to_string(core) +
                            "/topology/thread_siblings_list"));
  }
  return siblings.contains("") ? 0 : static_cast<int>(siblings.size());
}

void read_shm(NodeFacts& node) {
  struct statvfs status {};
  if (statvfs("/dev/shm", &status) != 0) return;
  node.shm_total = static_cast<Index>(status.f_blocks * status.f_frsize);
  node.shm_free = static_cast<Index>(status.f_bavail * status.f_frsize);
}

std::string processor_flags() {
  std::istringstream file(text_if_readable("/proc/cpuinfo"));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) {
      return line.substr(line.find(':') + 1);
    }
  }
  return {};
}

}  // namespace

std::vector<int> own_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;  // more than 1024 cores
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

std::string chosen_word(const std::string& line) {
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return line.substr(open + 1, close - open - 1);
}

std::string instructions_in(const std::string& plan) {
  for (const char* const name : {"avx512", "avx2", "avx", "neon", "sse2"}) {
    if (plan.find(std::string("_") + name) != std::string::npos) return name;
  }
  return {};
}

std::string instructions_of(const std::string& flags) {
  const std::vector<std::string> all = text::words(flags);
  const auto has = [&](const char* flag) {
    return std::find(all.begin(), all.end(), flag) != all.end();
  };
  if (has("avx512f")) return "avx512";
  for (const char* const name : {"avx2", "avx", "sse2"}) {
    if (has(name)) return name;
  }
  return has("asimd") ? "neon" : "";
}

NodeFacts system_facts() {
  NodeFacts node;
  node.online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  node.whole = whole_cores(node.online);
  const int granted = granted_cores();
  if (granted > 0) node.online = std::min(node.online, granted);
  read_quota(node);
  read_shm(node);
  const std::string pages = "/sys/kernel/mm/transparent_hugepage/";
  node.huge = chosen_word(line_of(pages + "enabled"));
  node.huge_shared = chosen_word(line_of(pages + "shmem_enabled"));
  node.memory_total = kibibytes("MemTotal:");
  const Index available = comm::NodeMemory().available_bytes();
  if (available < std::numeric_limits<Index>::max()) node.memory_available = available;
  const Index swap = kibibytes("SwapTotal:");
  node.swap_used = swap < 0 ? -1 : swap - kibibytes("SwapFree:");
  const std::string clock = "/sys/devices/system/cpu/cpu0/cpufreq/";
  node.governor = line_of(clock + "scaling_governor");
  node.driver = line_of(clock + "scaling_driver");
  node.processor = instructions_of(processor_flags());
  node.engines = engine_facts();
  return node;
}

}  // namespace kallima::cli::doctor
