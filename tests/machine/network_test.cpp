// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "machine/network_here.hpp"

namespace kallima {
namespace {

namespace fs = std::filesystem;

/// A tree like /sys/class, gone in the end.
class Classes {
 public:
  Classes() {
    std::string name = (fs::temp_directory_path() / "kallima-classes-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Classes() { fs::remove_all(path_); }
  Classes(const Classes&) = delete;
  Classes& operator=(const Classes&) = delete;
  Classes(Classes&&) = delete;
  Classes& operator=(Classes&&) = delete;

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text << "\n";
  }

  [[nodiscard]] Network network(const std::map<std::string, std::string>& environment = {}) const {
    return network_of(path_.string(), [&](const char* name) {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
  }

 private:
  fs::path path_;
};

TEST(Network, without_an_adapter_for_rdma_is_tcp) {
  const Classes classes;
  EXPECT_EQ(classes.network().to_text(), "TCP");
  classes.write("net/lo/speed", "100000");
  classes.write("net/eth0/speed", "-1");
  EXPECT_EQ(classes.network().to_text(), "TCP");
  classes.write("net/eth1/speed", "25000");
  EXPECT_EQ(classes.network().to_text(), "TCP, 25 Gbit/s");
}

TEST(Network, has_rdma_where_there_is_an_adapter_and_tcp_is_not_asked_for) {
  const Classes classes;
  classes.write("net/eth0/speed", "1000");
  classes.write("infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)");
  EXPECT_EQ(classes.network().to_text(), "RDMA, 200 Gbit/s");
  EXPECT_EQ(classes.network({{"OMPI_MCA_pml", "ucx"}, {"OMPI_MCA_btl", "self,tcp"}}).to_text(),
            "RDMA, 200 Gbit/s");
  for (const auto& [variable, value] :
       std::map<std::string, std::string>{{"OMPI_MCA_pml", "ob1"},
                                          {"OMPI_MCA_btl", "self,tcp"},
                                          {"UCX_TLS", "tcp,sm,self"},
                                          {"FI_PROVIDER", "tcp;ofi_rxm"}}) {
    EXPECT_EQ(classes.network({{variable, value}}).to_text(), "TCP, 1 Gbit/s") << variable;
  }
}

TEST(Network, of_slingshot_has_rdma) {
  const Classes classes;
  classes.write("cxi/cxi0/device", "");
  EXPECT_EQ(classes.network().to_text(), "RDMA");
}

TEST(Network, is_assumed_only_where_links_were_not_measured) {
  const Machine tcp = with_network(built_in_machine(), {false, 2.5e10});
  EXPECT_EQ(tcp->between_nodes.assumed, "TCP, 25 Gbit/s");
  EXPECT_GT(tcp->between_nodes.latency, built_in_machine()->between_nodes.latency);
  EXPECT_NEAR(tcp->between_nodes.node_per_byte, 8. / 2.5e10, 0.3 * 8. / 2.5e10);
  EXPECT_EQ(Machine::parse(tcp.to_text()), tcp);
  MachineFigures measured = tcp.figures();
  measured.between_nodes.assumed.clear();
  EXPECT_EQ(with_network(measured, {true, 0.}), Machine(measured));
}

}  // namespace
}  // namespace kallima
