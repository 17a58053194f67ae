// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include <fatvec/core/output_file.hpp>

#include "support.hpp"

/// What OutputFile does with targets that are no plain files.
namespace fatvec::io::test {
namespace {

using fatvec::detail::OutputFile;

class OutputTarget : public IoTest {
 protected:
  static void write(const std::filesystem::path& path) {
    OutputFile output(path);
    output.write("new");
    output.commit();
  }
  static std::string refusal(const std::filesystem::path& path) {
    try {
      write(path);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OutputTarget, FoldersAndLinksInACircleAreRefused) {
  std::filesystem::create_symlink("a", path("b"));
  std::filesystem::create_symlink("b", path("a"));
  EXPECT_NE(refusal(folder()).find("it is a folder"), std::string::npos);
  EXPECT_NE(refusal(path("a")).find("too many links"), std::string::npos);
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal(path("none/a")).find("No such file"), std::string::npos);
}

TEST_F(OutputTarget, BlockDevicesAreRefused) {
  const auto device = path("device");
  if (mknod(device.c_str(), S_IFBLK | 0600, 0) != 0) GTEST_SKIP() << "may not make devices";
  EXPECT_NE(refusal(device).find("it is a block device"), std::string::npos);
}

TEST_F(OutputTarget, ALinkToNothingMakesItsFile) {
  std::filesystem::create_directory(path("there"));
  std::filesystem::create_symlink("there/target", path("link"));
  write(path("link"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(contents(path("there/target")), "new");
}

TEST_F(OutputTarget, CharacterDevicesStayDevices) {
  write("/dev/null");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(OutputTarget, PipesAreWrittenAndAreNotOpenedForATrial) {
  const auto pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  OutputFile::require_writable(pipe);  // would wait for a reader
  std::thread writer([&] { write(pipe); });
  EXPECT_EQ(contents(pipe), "new");
  writer.join();
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(OutputTarget, ATrialChangesNothing) {
  file("old", "a.gz");
  OutputFile::require_writable(path("a.gz"));
  OutputFile::require_writable(path("b"));
  EXPECT_EQ(contents(path("a.gz")), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder()), {}), 1);
  EXPECT_THROW(OutputFile::require_writable(path("none/a")), UsageError);
}

TEST_F(OutputTarget, NewFilesHaveThePermissionsOfTheirProcess) {
  const mode_t before = umask(027);
  write(path("a"));
  umask(before);
  struct stat status{};
  ASSERT_EQ(stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

/// A library may open the unfinished file by its name although the old one is read-only.
TEST_F(OutputTarget, APlaceCanBeOpenedAndTheFileKeepsItsPermissions) {
  file("old", "a");
  ASSERT_EQ(chmod(path("a").c_str(), 0440), 0);
  struct stat status{};
  OutputFile output(path("a"));
  ASSERT_EQ(stat(output.place().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0600, 0600U);
  output.write("new");
  output.commit();
  ASSERT_EQ(stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(contents(path("a")), "new");
  EXPECT_EQ(status.st_mode & 0777, 0440U);
}

TEST_F(OutputTarget, TheLongestNameIsNoProblem) {
  const auto long_name = path(std::string(255, 'n').c_str());
  write(long_name);
  EXPECT_EQ(contents(long_name), "new");
}

}  // namespace
}  // namespace fatvec::io::test
