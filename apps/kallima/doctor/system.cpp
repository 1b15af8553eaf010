// SPDX-License-Identifier: BSD-3-Clause
#include "system.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>

#include "base/text.hpp"
#include "cores.hpp"
#include "kallima/error.hpp"
#include "local/fftw.hpp"

namespace kallima::cli::doctor {

namespace {

/// First line of a file; empty where it cannot be read.
std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The number behind a key, or first in the file where the key is empty; negative where none is.
Index number_in(const std::string& path, const std::string& key = {}) {
  std::ifstream file(path);
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

/// What the container leaves of its limit; the largest number where there is none.
Index container_leaves() {
  constexpr Index all = std::numeric_limits<Index>::max();
  struct Files {
    const char* limit;
    const char* used;
  };
  for (const Files& files : {Files{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
                             Files{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                   "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    const Index limit = number_in(files.limit);  // "max" is no number
    const Index used = number_in(files.used);
    if (limit >= 0 && used >= 0) return std::max<Index>(0, limit - used);
  }
  return all;
}

/// Files of the control group (version 2) of this process, then those of the whole container.
std::vector<std::string> group_files(const std::string& name) {
  std::vector<std::string> paths;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/") && line.size() > 4) {
      paths.push_back("/sys/fs/cgroup" + line.substr(3) + "/" + name);
    }
  }
  paths.push_back("/sys/fs/cgroup/" + name);
  return paths;
}

void read_quota(NodeFacts& node) {
  for (const std::string& path : group_files("cpu.max")) {
    std::ifstream file(path);
    double quota = 0.0;
    double period = 0.0;
    if (!(file >> quota >> period) || period <= 0.0) continue;  // "max" is no number
    node.quota = quota / period;
    node.quota_file = path;
    return;
  }
  const Index old_quota = number_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");  // -1: none
  const Index old_period = number_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (old_quota <= 0 || old_period <= 0) return;
  node.quota = static_cast<double>(old_quota) / static_cast<double>(old_period);
  node.quota_file = "/sys/fs/cgroup/cpu/cpu.cfs_quota_us";
}

/// Cores that the control group may use; 0 where it does not tell. Throws nothing: only one rank of
/// a node looks.
int granted_cores() {
  for (const std::string& path : group_files("cpuset.cpus.effective")) {
    try {
      const auto count = static_cast<int>(cores_in(line_of(path)).size());
      if (count > 0) return count;
    } catch (const Error&) {  // not the text that is expected
      continue;
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
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) {
      return line.substr(line.find(':') + 1);
    }
  }
  return {};
}

/// A string of the engine that not every library with FFTW's interface has.
std::string engine_version(const char* symbol) {
  const void* const found = dlsym(RTLD_DEFAULT, symbol);
  return found == nullptr ? std::string() : static_cast<const char*>(found);
}

/// Plans of some lengths, contiguous and interleaved, as FFTW prints them.
template <class T, class Make, class Print>
std::string printed_plans(Make make, Print print) {
  constexpr int most = 512;
  constexpr int lines = 16;
  std::vector<std::complex<T>> from(static_cast<std::size_t>(most * lines));
  std::vector<std::complex<T>> to(from.size());
  using Complex = typename local::Fftw<T>::Complex;
  auto* const in = reinterpret_cast<Complex*>(from.data());
  auto* const out = reinterpret_cast<Complex*>(to.data());
  std::string text;
  const std::lock_guard lock(local::planner_lock());
  for (const int n : {16, 64, most}) {
    for (const bool interleaved : {false, true}) {
      const int stride = interleaved ? lines : 1;
      const int distance = interleaved ? 1 : n;
      auto* const plan = make(1, &n, lines, in, nullptr, stride, distance, out, nullptr, stride,
                              distance, FFTW_FORWARD, FFTW_ESTIMATE);
      if (plan == nullptr) continue;
      if (char* const words = print(plan)) {
        text += words;
        local::Fftw<T>::release(words);
      }
      local::Fftw<T>::destroy(plan);
    }
  }
  return text;
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
  node.memory_available = kibibytes("MemAvailable:");
  if (node.memory_available >= 0) {
    node.memory_available = std::min(node.memory_available, container_leaves());
  }
  const Index swap = kibibytes("SwapTotal:");
  node.swap_used = swap < 0 ? -1 : swap - kibibytes("SwapFree:");
  const std::string clock = "/sys/devices/system/cpu/cpu0/cpufreq/";
  node.governor = line_of(clock + "scaling_governor");
  node.driver = line_of(clock + "scaling_driver");
  node.processor = instructions_of(processor_flags());
  node.engines[0] = {engine_version("fftw_version"),
                     instructions_in(printed_plans<double>(fftw_plan_many_dft, fftw_sprint_plan))};
  node.engines[1] = {engine_version("fftwf_version"),
                     instructions_in(printed_plans<float>(fftwf_plan_many_dft, fftwf_sprint_plan))};
  return node;
}

}  // namespace kallima::cli::doctor
