// Applies the options about a client's access tokens.
#include "cli/client/tokens.h"

#include "cli/command.h"
#include "util/text.h"

namespace postern::cli {
namespace {

/// Undoes --access-token-profile.
constexpr const char* kAsConfigured = "default";

model::ResourceUris trimmed(const std::vector<std::string>& given) {
    model::ResourceUris uris;
    for (const std::string& uri : given) uris.emplace_back(util::trim(uri));
    return uris;
}

}  // namespace

void add_token_options(const Command& command, TokenOptions& options) {
    command
        .option("--access-token-profile", "PROFILE", options.profile,
                "interface, rfc9068, or default, which is \"accessTokenProfile\" of the configuration; rfc9068 is for "
                "APIs that verify tokens themselves")
        .one_of({kAsConfigured, "interface", "rfc9068"});
    command.flag("--groups-in-access-token", options.groups, true,
                 "With profile rfc9068 and the scope groups, put the names of the user's groups into the access token");
    command.option(
        "--default-resource", "URI", options.default_resource,
        "With profile rfc9068, the audience of tokens whose request names none (default: \"defaultResource\")");
    command.option("--resource", "URI", options.resources,
                   "What its tokens may be for; repeatable (default: any API, but see `postern resource disable`)");
}

void add_token_set_options(const Command& command, TokenOptions& options) {
    command.flag("--no-groups-in-access-token", options.groups, false, "Undo --groups-in-access-token");
    command.flag("--no-default-resource", options.no_default_resource, "Undo --default-resource");
    command.flag("--no-resource", options.no_resource, "Undo --resource: its tokens may be for any API");
}

void apply(const TokenOptions& options, model::Client& client) {
    if (options.no_resource && !options.resources.empty())
        throw UsageError("--no-resource and --resource contradict each other");
    if (options.no_default_resource && options.default_resource)
        throw UsageError("--no-default-resource and --default-resource contradict each other");
    if (options.profile) client.access_token_profile = model::parse_token_profile(*options.profile);
    if (options.groups) client.groups_in_access_token = *options.groups;
    if (options.default_resource) client.default_resource = util::trim(*options.default_resource);
    if (options.no_default_resource) client.default_resource.clear();
    if (options.no_resource || !options.resources.empty()) client.resources = trimmed(options.resources);
}

}  // namespace postern::cli
