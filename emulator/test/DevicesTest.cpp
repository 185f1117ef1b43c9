//===- DevicesTest.cpp - Several devices of one process -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {
namespace {

class DevicesTest : public EmuTest {
protected:
  DevicesTest() {
    Options options = defaults();
    options.diagnose = [this](std::string_view t) { diagnostics += t; };
    options.limits.globalBytes = 1 << 20;
    Status status;
    second = Device::create(options, status, device.get());
  }

  static std::string kernels() {
    return kHeader + R"(
.visible .global .align 4 .u32 own = 1;
.visible .global .attribute(.managed) .align 4 .u32 common = 5;
.visible .func twice(.param .b32 x) { ret; }
.visible .entry store(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %r;
  ld.param.u64 %p, [p]; mov.u32 %r, 7; st.global.u32 [%p], %r;
  ret;
}
.visible .entry grow(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %r;
  ld.global.u32 %r, [own]; add.u32 %r, %r, 1; st.global.u32 [own], %r;
  ld.global.u32 %r, [common]; add.u32 %r, %r, 1; st.global.u32 [common], %r;
  ret;
}
.visible .entry address(.param .u64 p) {
  .reg .b64 %p, %f;
  ld.param.u64 %p, [p]; mov.u64 %f, twice; st.global.u64 [%p], %f;
  ret;
}
.visible .entry call(.param .u64 p) {
  .reg .b64 %p;
  ld.param.u64 %p, [p];
  { .param .b32 x; st.param.b32 [x], 1;
    prototype: .callprototype _ (.param .b32 _);
    call %p, (x), prototype; }
  ret;
}
)";
  }
  std::unique_ptr<Module>
  loadOn(Device &on, std::shared_ptr<const ManagedVariables> managed = {}) {
    Status status;
    auto module =
        on.loadModule({{"test.ptx", kernels()}}, status, std::move(managed));
    EXPECT_TRUE(module) << status.text;
    return module;
  }
  static Status run(Device &on, Module &module, const char *kernel,
                    uint64_t p) {
    return on.launch(*module.findKernel(kernel), blocks(1, 1), &p);
  }
  static uint32_t wordAt(uint64_t address) {
    return *reinterpret_cast<uint32_t *>(address);
  }

  std::unique_ptr<Device> second;
};

TEST_F(DevicesTest, MemoryIsOfOneDevice) {
  EXPECT_EQ(device->ordinal(), 0u);
  EXPECT_EQ(second->ordinal(), 1u);
  uint64_t p = second->allocate(1 << 19, AllocationKind::Device);
  ASSERT_TRUE(p);
  Allocation allocation;
  ASSERT_TRUE(device->findAllocation(p, allocation));
  EXPECT_EQ(allocation.device, 1u);
  EXPECT_EQ(device->allocatedBytes(), 0u);
  EXPECT_EQ(second->allocatedBytes(), 1u << 19);
  EXPECT_FALSE(second->allocate(1 << 20, AllocationKind::Device));
  EXPECT_TRUE(device->free(p, AllocationKind::Device).ok());
  EXPECT_EQ(second->allocatedBytes(), 0u);
}

TEST_F(DevicesTest, PeersShareMemoryWhenTheyMay) {
  auto module = loadOn(*device);
  uint64_t p = second->allocate(4, AllocationKind::Device);
  Status s = run(*device, *module, "store", p);
  EXPECT_EQ(s.kind, ErrorKind::IllegalAddress);
  EXPECT_NE(s.text.find("of device 1, to which device 0 has no access"),
            std::string::npos)
      << s.text;
  EXPECT_EQ(wordAt(p), 0u);
  device->resetSticky();
  device->setPeers(3);
  EXPECT_TRUE(run(*device, *module, "store", p).ok());
  EXPECT_EQ(wordAt(p), 7u);
  // What a pool says counts alone.
  second->setPoolAccess(p, 2);
  EXPECT_FALSE(run(*device, *module, "store", p).ok());
  device->resetSticky();
  device->setPeers(1);
  second->setPoolAccess(p, 3);
  EXPECT_TRUE(run(*device, *module, "store", p).ok());
}

TEST_F(DevicesTest, HostAndManagedMemoryIsOfAll) {
  auto module = loadOn(*second);
  int registered = 0;
  ASSERT_TRUE(device->registerHost(&registered, sizeof(int)).ok());
  for (AllocationKind kind : {AllocationKind::Managed, AllocationKind::Host}) {
    uint64_t p = device->allocate(4, kind);
    EXPECT_TRUE(run(*second, *module, "store", p).ok());
    EXPECT_EQ(wordAt(p), 7u);
  }
  EXPECT_TRUE(
      run(*second, *module, "store", reinterpret_cast<uint64_t>(&registered))
          .ok());
  EXPECT_EQ(registered, 7);
  ASSERT_TRUE(second->unregisterHost(&registered).ok());
}

TEST_F(DevicesTest, VariablesAreOfOneDeviceUnlessManaged) {
  auto first = loadOn(*device);
  ASSERT_TRUE(run(*device, *first, "grow", 0).ok());
  auto other = loadOn(*second, first->managedVariables());
  ASSERT_TRUE(run(*second, *other, "grow", 0).ok());
  ASSERT_TRUE(run(*second, *other, "grow", 0).ok());
  EXPECT_EQ(wordAt(first->findVariable("own")->address), 2u);
  EXPECT_EQ(wordAt(other->findVariable("own")->address), 3u);
  uint64_t common = first->findVariable("common")->address;
  EXPECT_EQ(other->findVariable("common")->address, common);
  EXPECT_EQ(wordAt(common), 8u);
  // It stays as long as one device has it.
  first.reset();
  EXPECT_EQ(wordAt(common), 8u);
  other.reset();
  Allocation allocation;
  EXPECT_FALSE(device->findAllocation(common, allocation));
}

TEST_F(DevicesTest, FunctionsAndImagesOfAnotherDeviceAreNone) {
  auto first = loadOn(*device), other = loadOn(*second);
  uint64_t p = device->allocate(8, AllocationKind::Managed);
  ASSERT_TRUE(run(*device, *first, "address", p).ok());
  uint64_t function = *reinterpret_cast<uint64_t *>(p);
  EXPECT_TRUE(run(*device, *first, "call", function).ok());
  EXPECT_EQ(run(*second, *other, "call", function).kind, ErrorKind::InvalidPc);
  Image image;
  EXPECT_NE(device->addImage(image), second->addImage(image));
}

TEST_F(DevicesTest, AFaultBreaksOneDevice) {
  auto first = loadOn(*device), other = loadOn(*second);
  EXPECT_FALSE(run(*device, *first, "store", 0).ok());
  EXPECT_FALSE(device->stickyError().ok());
  uint64_t p = second->allocate(4, AllocationKind::Device);
  EXPECT_TRUE(run(*second, *other, "store", p).ok());
  EXPECT_TRUE(second->stickyError().ok());
}

} // namespace
} // namespace gpulto::emu::test
