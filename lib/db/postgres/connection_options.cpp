// Decides what a connection has unless the URI says otherwise.
#include "db/postgres/connection_options.h"

#include <netdb.h>

#include <algorithm>

#include "db/error.h"
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

/// "" when the name cannot be resolved now: libpq then tries it itself.
std::string address_of(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return "";
    char address[NI_MAXHOST] = "";
    ::getnameinfo(found->ai_addr, found->ai_addrlen, address, sizeof address, nullptr, 0, NI_NUMERICHOST);
    ::freeaddrinfo(found);
    return address;
}

bool is_socket(std::string_view host) { return host.empty() || host.front() == '/' || host.front() == '@'; }

bool is_this_machine(std::string_view host) {
    return is_socket(host) || host == "localhost" || host == "127.0.0.1" || host == "::1";
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
    for (const char* file : kFiles) {
        if (const auto at = options_.find(file); at != options_.end()) replace_all(at->second, "{endpoint}", program);
    }
    for (const Option& option : kDefaults) options_.try_emplace(option.name, option.value);
    options_.try_emplace("user", "postern_" + std::string(program));
    options_.try_emplace("application_name", "postern-" + std::string(program));

    const bool names_address = options_.contains("hostaddr") || options_.contains("service");
    const std::string& hosts = options_["host"];
    const auto each = util::split(hosts, ',');
    std::string addresses;  // as many as there are hosts; an empty one leaves the host to libpq
    for (const std::string_view host : each) {
        addresses += is_socket(host) ? "" : address_of(std::string(host));
        addresses += ',';
    }
    addresses.pop_back();
    const bool is_resolved = addresses.find_first_not_of(',') != addresses.npos;
    if (is_resolved) options_.try_emplace("hostaddr", addresses);
    if (!is_resolved && !names_address && !std::ranges::any_of(each, is_socket))
        throw StoreBusy("no host of \"database\" can be resolved: " + hosts);
    if (names_address || !std::ranges::all_of(each, is_this_machine)) options_.try_emplace("sslmode", "verify-full");
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

std::vector<std::string> ConnectionOptions::files() const {
    std::vector<std::string> files;
    for (const char* file : kFiles) {
        if (const auto at = options_.find(file); at != options_.end()) files.push_back(at->second);
    }
    return files;
}

}  // namespace postern::db
