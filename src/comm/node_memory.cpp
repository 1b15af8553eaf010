// SPDX-License-Identifier: BSD-3-Clause
#include "comm/node_memory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "base/file.hpp"

namespace kallima::comm {

namespace {

constexpr Index unknown = std::numeric_limits<Index>::max();

/// A number in a file of its own, or behind a key; `otherwise` where there is none, as for "max".
Index number_in(const std::string& path, const std::string& key, Index otherwise) {
  std::istringstream file(text_if_readable(path));
  for (std::string word; !key.empty() && file >> word;) {
    if (word == key) break;
  }
  Index number = 0;
  return file >> number && number >= 0 ? number : otherwise;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

bool lists(const std::string& text, const std::string& word) {
  const std::vector<std::string> words = split(text, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A group of this process, by its path from the root of its hierarchy.
struct Group {
  bool unified = false;  ///< version 2
  std::string path;
};

/// A line of /proc/self/cgroup, as "4:cpu,memory:/job/step" or, of version 2, "0::/job/step".
std::optional<Group> group_of(const std::string& line, const std::string& controller) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  if (!controllers.empty() && !lists(controllers, controller)) return std::nullopt;
  return Group{controllers.empty(), line.substr(second + 1)};
}

/// Paths in mountinfo have blanks and the like as three octal digits.
std::string unescaped(const std::string& text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                  (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// Where a hierarchy of groups is seen: `folder` shows the group `root` and those within it.
struct Mount {
  bool unified = false;
  std::string root;
  std::string folder;
};

/// A line of /proc/self/mountinfo: number, parent, device, root, folder, options, any number of
/// further fields, "-", type, source, options of the file system, which name controllers.
std::optional<Mount> mount_of(const std::string& line, const std::string& controller) {
  const std::vector<std::string> words = split(line, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (dash - words.begin() < 6 || words.end() - dash < 3) return std::nullopt;
  const Mount mount{dash[1] == "cgroup2", unescaped(words[3]), unescaped(words[4])};
  const bool fits = mount.unified || (dash[1] == "cgroup" && lists(words.back(), controller));
  return fits ? std::optional(mount) : std::nullopt;
}

/// The names that lead from a mount's root to a group; nothing where it is not seen there. Both
/// paths begin at the root of this process's namespace, and may lead above it: then they begin with
/// "..". The names between a mount's root above and that root are not told, so that only the
/// mount's root itself can be looked at.
std::optional<std::vector<std::string>> names_between(const std::string& root,
                                                      const std::string& path) {
  const std::vector<std::string> from = split(root, '/');
  const std::vector<std::string> to = split(path, '/');
  const auto ups = [](const std::vector<std::string>& names) {
    return std::find_if(names.begin(), names.end(), [](const auto& n) { return n != ".."; }) -
           names.begin();
  };
  if (ups(to) > ups(from)) return std::nullopt;
  if (ups(to) < ups(from)) {
    const bool above = ups(from) == static_cast<std::ptrdiff_t>(from.size());
    return above ? std::optional(std::vector<std::string>()) : std::nullopt;
  }
  if (from.size() > to.size() || !std::equal(from.begin(), from.end(), to.begin())) {
    return std::nullopt;
  }
  return std::vector<std::string>(to.begin() + static_cast<std::ptrdiff_t>(from.size()), to.end());
}

/// How limits are told. Beyond memory.high a group is not killed but slowed down until it stands
/// still.
struct Files {
  const char* most;
  const char* used;
  const char* cached;
  const char* anonymous;
};
constexpr std::array files = {
    Files{"/memory.max", "/memory.current", "inactive_file", "anon"},
    Files{"/memory.high", "/memory.current", "inactive_file", "anon"},
    Files{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file", "total_rss"},
    Files{"/memory.memsw.limit_in_bytes", "/memory.memsw.usage_in_bytes", "total_inactive_file",
          "total_rss"}};

/// Version 1 tells the largest number of pages where there is no limit.
constexpr Index most_limit = Index{1} << 62;

}  // namespace

std::vector<std::string> control_groups(const std::string& controller, const std::string& root) {
  std::vector<std::string> folders;
  std::istringstream groups(text_if_readable(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const std::optional<Group> group = group_of(line, controller);
    if (!group) continue;
    std::istringstream mounts(text_if_readable(root + "/proc/self/mountinfo"));
    while (std::getline(mounts, line)) {
      const std::optional<Mount> mount = mount_of(line, controller);
      if (!mount || mount->unified != group->unified) continue;
      auto names = names_between(mount->root, group->path);
      if (!names) continue;
      std::vector<std::string> inwards = {root + mount->folder};
      for (const std::string& name : *names) inwards.push_back(inwards.back() + "/" + name);
      folders.insert(folders.end(), inwards.rbegin(), inwards.rend());
    }
  }
  return folders;
}

NodeMemory::NodeMemory(std::string root) : root_(std::move(root)) {
  for (const std::string& group : control_groups("memory", root_)) {
    for (const Files& its : files) {
      const Index most = number_in(group + its.most, {}, unknown);
      if (most > most_limit) continue;
      limits_.push_back(
          {most, group + its.used, group + "/memory.stat", its.cached, its.anonymous});
    }
  }
}

/// What /proc/meminfo says.
Index NodeMemory::machine_bytes(const char* key, Index otherwise) const {
  const Index kibibytes = number_in(root_ + "/proc/meminfo", key, unknown);
  return kibibytes > unknown / 1024 ? otherwise : kibibytes * 1024;
}

/// What the system would drop of a group's memory that is in use. The group's own statistics lag
/// behind by seconds. A group at its limit that reserves shared memory loses as much of what it
/// holds of files: what is used stays the same, and old statistics still show the files. So these
/// can be no more than the machine has at this moment, nor than what is left beside shared memory
/// of the machine, both of which are counted at once.
Index NodeMemory::droppable_bytes(const Limit& limit, Index used) const {
  const Index cached = std::min(number_in(limit.statistics, limit.cached, 0),
                                machine_bytes("Inactive(file):", unknown));
  const Index others = number_in(limit.statistics, limit.anonymous, 0) + machine_bytes("Shmem:", 0);
  return std::clamp<Index>(used - others, 0, cached);
}

Index NodeMemory::available_bytes() const {
  Index least = machine_bytes("MemAvailable:", unknown);
  for (const Limit& limit : limits_) {
    const Index used = number_in(limit.used, {}, 0);
    if (limit.most - used >= least) continue;
    least = std::clamp<Index>(limit.most - used + droppable_bytes(limit, used), 0, least);
  }
  return least;
}

}  // namespace kallima::comm
