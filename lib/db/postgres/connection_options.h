// The options of a connection for libpq. Private to this module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/maintenance.h"

namespace postern::db {

/// The parameters of a URI (postgresql://host1,host2/name?parameter=value), with the product's own defaults for those
/// that it leaves out: the role is `postern_PROGRAM`, and a server that is not on this machine has to prove its name by
/// TLS.
class ConnectionOptions {
public:
    /// `{endpoint}` in the files of the URI is replaced by `program`. Host names are resolved once, here, to all of
    /// their addresses: a process that gives up its rights cannot do it later. Throws StoreUnusable for a URI that
    /// libpq does not accept, for one that asks for a standby or names a service, and for one with a password, which
    /// would be seen in the configuration and in messages.
    ConnectionOptions(const std::string& uri, std::string_view program);

    /// Returns the names of the parameters, and their values, as PQconnectdbParams takes them, each list with a nullptr
    /// at the end. The pointers are those of this object.
    std::vector<const char*> names() const;
    std::vector<const char*> values() const;

    /// Returns whether a host has a name whose addresses may change: it is no socket, no address, and another machine.
    bool has_names() const { return has_names_; }
    /// Returns why there is no address to connect to; "" when there is one.
    const std::string& fault() const { return fault_; }

    /// The sockets that connections to all hosts need.
    UriSockets sockets() const;

    /// The files that a new connection reads: certificates, keys and the file with the password.
    std::vector<std::string> files() const;

private:
    void resolve_hosts();

    std::map<std::string, std::string> options_;
    bool has_names_ = false;
    std::string fault_;
};

}  // namespace postern::db
