// Parsers of a fetched document that describes a client, and of the messages about it.
#include <algorithm>
#include <string>

#include "fetch/allowed.h"
#include "fetch/document.h"
#include "fetch/messages.h"
#include "fuzz/targets.h"
#include "http/url.h"
#include "oauth/client_document.h"
#include "oauth/client_id_url.h"
#include "oauth/redirect_rules.h"
#include "oauth/redirect_uri.h"
#include "oauth/registration.h"
#include "util/text.h"

namespace postern::test {
namespace {

const std::string kUrl = "https://app.example/client.json";

oauth::Settings settings() {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.client_documents.scope = *model::Scope::parse("openid notes:read");
    return settings;
}

}  // namespace

FUZZ_TARGET(client_id_url) {
    if (oauth::client_id_url_problem(input, {443, 8443})) return;
    const auto url = http::parse_url(input);
    promise(url && url->scheme == "https" && input.starts_with("https://"), "an id is an https URL");
    promise(input.size() <= oauth::kMaxClientIdUrlBytes, "it is bounded");
    promise(!url->has_user_info && !url->fragment && !url->path.empty(),
            "it has a path, and neither user nor fragment");
    promise(url->host == util::to_lower(url->host) && !url->host.empty(), "its host is in lower case");
    promise(!url->has_port || url->port == "443" || url->port == "8443", "its port is a named one");
    promise(util::is_vschar(input) && input.find_first_of(" \\") == input.npos, "it is printable ASCII");
    for (const std::string_view segment : util::split(url->path, '/'))
        promise(segment != "." && segment != "..", "it has no dot segment");
}

FUZZ_TARGET(client_document) {
    static const oauth::Settings kSettings = settings();
    const auto read = oauth::read_client_document({"application/json", std::string(input)}, kUrl, kSettings);
    if (!read) {
        promise(!read.error().reason.empty(), "a refusal has a reason");
        promise(!util::has_control_bytes(read.error().reason), "which fits into a line");
        return;
    }
    promise(read->id.str() == kUrl && read->origin == model::Origin::document, "a client is that of its document");
    promise(read->type == model::ClientType::public_ && read->auth_method == model::AuthMethod::none, "it is public");
    promise(read->pkce == model::Pkce::required && !read->first_party, "it needs PKCE, and consent");
    promise(read->has_grant(model::GrantType::authorization_code) && read->grants.size() <= 2,
            "it has two grants at most");
    promise(!read->has_grant(model::GrantType::client_credentials) && !read->has_grant(model::GrantType::implicit),
            "and never another");
    promise(read->scope.is_subset_of(kSettings.client_documents.scope), "it has no scope beyond the configuration");
    promise(util::displayable(read->name) == read->name && !util::trim(read->name).empty() &&
                read->name.size() <= oauth::kMaxClientNameBytes,
            "its name can be shown");
    promise(!read->redirect_uris.empty() && read->redirect_uris.size() <= oauth::kMaxDocumentUris, "it has addresses");
    for (const std::string& uri : read->redirect_uris) {
        promise(!oauth::redirect_uri_problem(uri, read->native), "each could be registered");
        promise(oauth::match_redirect_uri(*read, uri) == uri, "and is matched by itself");
        promise(std::ranges::count(read->redirect_uris, uri) == 1, "and stands there once");
    }
    promise(oauth::digest_of(*read) == oauth::digest_of(oauth::described_again(*read, *read)),
            "a digest is of what is said");
}

/// A reply through the child: its body and header fields are a stranger's.
FUZZ_TARGET(fetch_reply) {
    const auto reply = fetch::read_reply(input);
    if (!reply) {
        promise(!reply.error().empty(), "a failure has a reason");
        return;
    }
    promise(reply->body.size() <= input.size(), "a body is a part of the bytes");
    const auto again = fetch::read_reply(fetch::write_reply(*reply));
    promise(again && again->body == reply->body && again->status == reply->status, "a reply is read as it was written");
    const auto fresh = fetch::freshness(*reply, util::from_epoch(784123140));
    promise(fresh >= fetch::kShortestFreshness && fresh <= fetch::kLongestFreshness, "freshness has bounds");
}

/// The order that the program reads: the endpoint's question behind its limits.
FUZZ_TARGET(fetch_order) {
    const auto order = fetch::read_order(input);
    if (!order) return;
    const auto again = fetch::read_order(fetch::write_order(*order));
    promise(again && again->limits.allow.size() == order->limits.allow.size(), "an order is read as it was written");
    const auto question = fetch::read_question(order->question);
    if (!question || fetch::url_fault(question->url, order->limits.ports)) return;
    promise(question->url.size() <= fetch::kLongestUrl, "a URL without fault is short");
    promise(!fetch::host_of(question->url).empty(), "a URL without fault has a host");
}

}  // namespace postern::test
