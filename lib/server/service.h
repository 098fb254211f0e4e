// Answers one request, from its variables to its access line: the only place where exceptions end.
#pragma once

#include <string>
#include <vector>

#include "gateway/address.h"
#include "gateway/exchange.h"
#include "server/app.h"
#include "server/endpoint.h"
#include "server/refusal_ring.h"
#include "server/request_parser.h"

namespace postern::server {

/// The length of a request id without its node.
inline constexpr std::size_t kRequestIdLength = 12;

/// Makes twelve characters of lower-case Crockford base32 (no i, l, o, u: people read it aloud), 60 bits, behind the
/// name of the node.
std::string make_request_id(crypto::Random& random, const std::string& node = {});

class Service {
public:
    /// Borrows everything for its whole life.
    Service(App& app, const Endpoint& endpoint, const Handler& handler);

    /// Answers one request. Never throws.
    void run(gateway::Exchange& exchange) noexcept;

    /// Uses the time after an answer: for a checkpoint when one is due, and now and then to delete expired rows.
    void tidy_up() noexcept;

private:
    const pages::Pages* pages_for(const gateway::Variables& variables) const;
    http::Response handle(const gateway::Variables& variables, const gateway::Body& body, const std::string& id);
    http::Response describe_options() const;
    void apply_cors(http::Response& response, const gateway::Variables& variables);
    http::Response fail(Failure failure, const std::string& id, const char* event, const char* reason);
    std::string serialize(http::Response& response, const std::string& id, bool head);
    std::string name_of_client(const std::string& sent);
    void record_refusal(const http::Response& response, const std::string& id);
    void find_client(const gateway::Variables& variables, const std::string& id);
    void tell_warning();
    void write_audit();
    void sweep();

    App& app_;
    const Endpoint& endpoint_;
    const Handler& handler_;
    const pages::Pages* pages_ = nullptr;  ///< for failures of this request
    gateway::ClientAddress client_;        ///< of this request
    bool has_told_of_address_ = false;
    const RequestRules rules_;
    const std::string allowed_methods_;
    const std::vector<std::string> variables_;
    server::RefusalRing refusals_;
};

}  // namespace postern::server
