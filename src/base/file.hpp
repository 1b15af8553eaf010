// SPDX-License-Identifier: BSD-3-Clause
//
// Files are read and written here and nowhere else.
//
// A file is replaced as a whole: the new version is written beside it under a name that nobody else
// has, brought to the disk, and renamed. Whoever reads sees one version or the other, of several
// writers one is the last, and a write that fails leaves what was there. Rejected: a fixed name for
// the new version, such as FILE.new, into which two writers write at once; and mkstemp, whose files
// only their owner may read: what the process would have let others do (its umask) cannot be asked
// for without setting it, for all threads.
#pragma once

#include <string>
#include <string_view>

namespace kallima {

/// Replaces a file, or makes it. A link stays, and what it leads to is replaced. The new version
/// has the permissions of the one before and, where the system allows it, its owner; a file that
/// was not there has those of any new file. What cannot be replaced (a device, a pipe, /dev/stdout,
/// what lies in /proc) is written into. FileError where it fails, with the fix; the folder is left
/// as it was.
void write_file(const std::string& path, std::string_view bytes);

/// True where there is something of that name, whether it can be read or not.
bool is_there(const std::string& path);

/// All of a file. FileError where it cannot be read, with the fix.
std::string text_of_file(const std::string& path);

/// The same of what need not be there, as files in which the system tells about itself: empty then.
std::string text_if_readable(const std::string& path);

}  // namespace kallima
