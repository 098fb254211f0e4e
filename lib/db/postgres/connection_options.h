// What libpq is told about a connection. Private to this module.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace postern::db {

/// The parameters of a URI (postgresql://host1,host2/name?parameter=value), with the product's own defaults for those
/// that it leaves out: the role is `postern_PROGRAM`, and a server that is not on this machine has to prove its name by
/// TLS.
class ConnectionOptions {
public:
    /// `{endpoint}` in the files of the URI is replaced by `program`. Host names are resolved once, here, to all of
    /// their addresses: a process that gives up its rights cannot do it later. Throws StoreBusy when no host can be
    /// resolved. Throws StoreUnusable for a URI that libpq does not accept, for one that asks for a standby or names a
    /// service, and for one with a password, which would be seen in the configuration and in messages.
    ConnectionOptions(const std::string& uri, std::string_view program);

    /// As PQconnectdbParams takes them, with a nullptr at the end. The pointers are those of this object.
    std::vector<const char*> names() const;
    std::vector<const char*> values() const;

    /// Files that a new connection reads: certificates, keys and the file with the password.
    std::vector<std::string> files() const;

private:
    std::map<std::string, std::string> options_;
};

}  // namespace postern::db
