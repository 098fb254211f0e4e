// Decides what a connection has unless the URI says otherwise.
#include "db/postgres/connection_options.h"

#include <netdb.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "db/error.h"
#include "db/maintenance.h"
#include "db/postgres/libpq.h"
#include "util/text.h"

namespace postern::db {
namespace {

struct Option {
    const char* name;
    const char* value;
};
// Seconds, but tcp_user_timeout: milliseconds.
constexpr Option kDefaults[] = {
    {"target_session_attrs", "read-write"},
    {"connect_timeout", "2"},
    {"tcp_user_timeout", "5000"},
    {"keepalives_idle", "30"},
    {"gssencmode", "disable"},
    {"client_encoding", "UTF8"},
};

constexpr const char* kFiles[] = {"passfile", "sslcert", "sslkey", "sslrootcert", "sslcrl"};

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { libpq().PQconninfoFree(options); }
};

std::map<std::string, std::string> parse(const std::string& uri) {
    // Without libpq's reason, which may repeat a password.
    const std::unique_ptr<PQconninfoOption, FreeOptions> parsed(libpq().PQconninfoParse(uri.c_str(), nullptr));
    if (!parsed)
        throw StoreUnusable(
            "\"database\" is not a URI that libpq reads: check its form, postgresql://HOST/NAME?PARAMETER=VALUE, and the "
            "names of its parameters");
    std::map<std::string, std::string> options;
    for (const PQconninfoOption* option = parsed.get(); option->keyword; ++option) {
        if (option->val) options[option->keyword] = option->val;
    }
    return options;
}

/// Returns none when the name cannot be resolved now.
std::vector<std::string> addresses_of(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return {};
    std::vector<std::string> addresses;
    for (const addrinfo* each = found; each; each = each->ai_next) {
        char address[NI_MAXHOST] = "";
        ::getnameinfo(each->ai_addr, each->ai_addrlen, address, sizeof address, nullptr, 0, NI_NUMERICHOST);
        addresses.emplace_back(address);
    }
    ::freeaddrinfo(found);
    return addresses;
}

bool is_socket(std::string_view host) { return host.empty() || host.front() == '/' || host.front() == '@'; }

bool is_this_machine(std::string_view host) {
    return is_socket(host) || host == "localhost" || host == "127.0.0.1" || host == "::1";
}

bool is_address(const std::string& host) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return false;
    ::freeaddrinfo(found);
    return true;
}

void replace_all(std::string& text, std::string_view mark, std::string_view by) {
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + by.size()))
        text.replace(at, mark.size(), by);
}

}  // namespace

ConnectionOptions::ConnectionOptions(const std::string& uri, std::string_view program) : options_(parse(uri)) {
    for (const char* secret : {"password", "sslpassword"}) {
        if (options_.contains(secret))
            throw StoreUnusable(std::string("\"database\" has a ") + secret +
                                " in its URI: put it into a file and name that with passfile=, or use a client "
                                "certificate whose key has no password");
    }
    if (options_.contains("service"))
        throw StoreUnusable(
            "\"database\" names a service: name the host, the database and the files in the URI instead");
    for (const Option& option : kDefaults) options_.try_emplace(option.name, option.value);
    if (const auto& wanted = options_["target_session_attrs"]; wanted != "read-write" && wanted != "primary")
        throw StoreUnusable("\"database\" has target_session_attrs=" + wanted +
                            ": leave it out, because a standby does not know yet what was revoked at the primary");
    for (const char* file : kFiles) {
        if (const auto at = options_.find(file); at != options_.end()) replace_all(at->second, "{endpoint}", program);
    }
    options_.try_emplace("user", "postern_" + std::string(program));
    options_.try_emplace("application_name", "postern-" + std::string(program));

    const bool names_address = options_.contains("hostaddr");
    const std::string hosts = options_["host"];
    if (!names_address) resolve_hosts();
    if (names_address || !std::ranges::all_of(util::split(hosts, ','), is_this_machine))
        options_.try_emplace("sslmode", "verify-full");
}

/// Makes lists that libpq reads side by side: each host once for each of its addresses. A host that cannot be resolved
/// beside others is left to libpq.
void ConnectionOptions::resolve_hosts() {
    const std::string host_list = options_["host"];
    const std::string port_list = options_["port"];
    const auto hosts = util::split(host_list, ',');
    const auto ports = util::split(port_list, ',');
    if (ports.size() != 1 && ports.size() != hosts.size()) return;  // libpq refuses them
    struct {
        std::string hosts, addresses, ports;
    } each;
    bool is_any_resolved = false;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const std::string host(hosts[i]);
        has_names_ |= !is_this_machine(host) && !is_address(host);
        auto addresses = is_socket(host) ? std::vector<std::string>{""} : addresses_of(host);
        is_any_resolved |= !addresses.empty();
        if (addresses.empty()) addresses = {""};
        for (const std::string& address : addresses) {
            each.hosts.append(host) += ',';
            each.addresses.append(address) += ',';
            each.ports.append(ports[ports.size() == 1 ? 0 : i]) += ',';
        }
    }
    if (!is_any_resolved) fault_ = "no host of \"database\" can be resolved: " + host_list;
    options_["host"] = each.hosts.substr(0, each.hosts.size() - 1);
    options_["hostaddr"] = each.addresses.substr(0, each.addresses.size() - 1);
    options_["port"] = each.ports.substr(0, each.ports.size() - 1);
}

std::vector<const char*> ConnectionOptions::names() const {
    std::vector<const char*> names;
    for (const auto& option : options_) names.push_back(option.first.c_str());
    names.push_back(nullptr);
    return names;
}

std::vector<const char*> ConnectionOptions::values() const {
    std::vector<const char*> values;
    for (const auto& option : options_) values.push_back(option.second.c_str());
    values.push_back(nullptr);
    return values;
}

UriSockets ConnectionOptions::sockets() const {
    constexpr std::uint16_t kUnlessNamed = 5432;
    const auto value = [&](const char* name, const char* variable) {
        const auto at = options_.find(name);
        if (at != options_.end() && !at->second.empty()) return at->second;
        const char* const of_environment = std::getenv(variable);
        return std::string(of_environment ? of_environment : "");
    };
    const std::string host_list = value("host", "PGHOST");
    const std::string address_list = value("hostaddr", "PGHOSTADDR");
    const std::string port_list = value("port", "PGPORT");
    const char* const usual_port = std::getenv("PGPORT");
    const auto hosts = util::split(host_list, ',');
    const auto addresses = util::split(address_list, ',');
    const auto ports = util::split(port_list, ',');
    const auto of = [](const std::vector<std::string_view>& values, std::size_t i) {
        return values[std::min(i, values.size() - 1)];
    };
    UriSockets sockets;
    for (std::size_t i = 0; i < std::max(hosts.size(), addresses.size()); ++i) {
        const std::string_view host = of(hosts, i);
        if (of(addresses, i).empty() && is_socket(host)) {
            sockets.has_unix_sockets = true;
            sockets.has_abstract_sockets |= host.starts_with('@');
            continue;
        }
        std::string_view port = of(ports, i);
        if (port.empty() && usual_port) port = usual_port;
        const auto number = util::parse_digits(port, std::numeric_limits<std::uint16_t>::max());
        sockets.ports.push_back(number ? static_cast<std::uint16_t>(*number) : kUnlessNamed);
    }
    return sockets;
}

std::vector<std::string> ConnectionOptions::files() const {
    std::vector<std::string> files;
    for (const char* file : kFiles) {
        if (const auto at = options_.find(file); at != options_.end()) files.push_back(at->second);
    }
    return files;
}

}  // namespace postern::db
