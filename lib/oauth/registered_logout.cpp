// Reads and writes the members of a registration about logouts.
#include "oauth/registered_logout.h"

#include <string>
#include <vector>

#include "oauth/logout_uris.h"
#include "refusal/reason.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

using json::Value;
using model::LogoutUris;

struct Kind {
    const char* uri;
    std::string LogoutUris::*address;
    const char* session_required;
    bool LogoutUris::*needs_session;
    bool Settings::*is_on;
};
constexpr Kind kKinds[] = {
    {"backchannel_logout_uri", &LogoutUris::backchannel, "backchannel_logout_session_required",
     &LogoutUris::backchannel_session_required, &Settings::backchannel_logout},
    {"frontchannel_logout_uri", &LogoutUris::frontchannel, "frontchannel_logout_session_required",
     &LogoutUris::frontchannel_session_required, &Settings::frontchannel_logout},
};

OAuthError refuse(const std::string& description, std::string detail = {}) {
    return make_error(ErrorCode::invalid_client_metadata, description, std::move(detail));
}

/// The member, unless it is null.
const Value* find(const json::Object& request, const char* name) {
    const Value* value = request.find(name);
    return value != nullptr && value->is_null() ? nullptr : value;
}

/// Without an address the other member says nothing, and is left out.
Outcome<void> read(const json::Object& request, const Settings& settings, const Kind& kind, LogoutUris& uris) {
    const Value* uri = find(request, kind.uri);
    const Value* session = find(request, kind.session_required);
    if (uri != nullptr && uri->if_string() == nullptr) return refuse(std::string(kind.uri) + " must be a string");
    if (session != nullptr && session->if_bool() == nullptr)
        return refuse(std::string(kind.session_required) + " must be true or false");
    if (uri == nullptr) return {};
    if (!(settings.*kind.is_on))
        return make_error(refusal::Reason::invalid_client_metadata_not_offered,
                          "a member demands what this server does not offer", std::string("member: ") + kind.uri);
    uris.*kind.address = *uri->if_string();
    uris.*kind.needs_session = session != nullptr && *session->if_bool();
    return {};
}

}  // namespace

Outcome<void> read_registered_logout(const json::Object& request, const Settings& settings, model::Client& client) {
    for (const Kind& kind : kKinds) RETURN_IF_ERROR(read(request, settings, kind, client.logout));
    if (const auto problems = logout_uri_problems(client, settings); !problems.empty())
        return refuse(
            "an address for logouts must be https on a host that this server may reach, and in the front "
            "channel have the scheme, host and port of a redirect URI",
            problems.front());
    return {};
}

void write_registered_logout(const LogoutUris& uris, json::Object& document) {
    for (const Kind& kind : kKinds) {
        if ((uris.*kind.address).empty()) continue;
        document.set(kind.uri, uris.*kind.address);
        document.set(kind.session_required, uris.*kind.needs_session);
    }
}

}  // namespace postern::oauth
