#include "config/outbound.h"

#include <algorithm>

#include "http/url.h"
#include "util/text.h"

namespace postern::config {
namespace {

constexpr std::size_t kMostPorts = 16;
constexpr std::size_t kMostNetworks = 64;

}  // namespace

Problems read_ports(Config& config, const json::Value& value) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->empty() || list->size() > kMostPorts)
        return wrong("must be a list of 1 to 16 TCP ports");
    std::vector<std::uint16_t> ports;
    for (const json::Value& item : *list) {
        const std::int64_t* port = item.if_integer();
        if (port == nullptr || *port < 1 || *port > 65535) return wrong("must hold whole numbers from 1 to 65535");
        ports.push_back(static_cast<std::uint16_t>(*port));
    }
    config.settings.outbound.ports = std::move(ports);
    return {};
}

Problems read_allowed_networks(Config& config, const json::Value& value) {
    const json::Array* list = value.if_array();
    if (list == nullptr || list->size() > kMostNetworks) return wrong("must be a list of up to 64 networks");
    Problems problems;
    std::vector<fetch::Network> networks;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string* text = (*list)[i].if_string();
        const auto network = text == nullptr ? std::nullopt : fetch::parse_network(*text);
        if (network) {
            networks.push_back(*network);
        } else {
            problems.push_back({"[" + std::to_string(i) + "]",
                                "must be a network like \"10.0.0.0/8\" or \"fd00::/8\", with zeros behind its prefix, "
                                "or one address"});
        }
    }
    config.settings.outbound.allow = std::move(networks);
    return problems;
}

Fault proxy_fault(std::string_view proxy) {
    const auto url = http::parse_url(proxy);
    const bool fits = url && url->scheme == "http" && !url->host.empty() && util::parse_port(url->port) &&
                      !url->has_user_info && (url->path.empty() || url->path == "/") && !url->query && !url->fragment;
    return fits ? Fault() : Fault("must be \"http://HOST:PORT\": the proxy is asked to CONNECT");
}

}  // namespace postern::config
