// Describes this server (OpenID Connect Discovery §3, RFC 8414 §2): only what is true of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "oauth/settings.h"

namespace postern::oidc {

/// The document of all well-known addresses. Without OpenID Connect it has RFC 8414's members only. Members of the
/// option `metadata` are added behind; they replace nothing.
/// `ui_locales` are the languages of the pages, told where there are several.
json::Object discovery(const oauth::Settings& settings, const std::vector<std::string>& ui_locales = {});

/// Members that this server computes under some settings, and so are never configured.
bool is_computed_member(std::string_view name);

/// The well-known addresses that stand in front of the issuer's path (RFC 8414 §3.1):
/// `/.well-known/oauth-authorization-server/auth` for `https://host/auth`, and then for an issuer with a path
/// `/.well-known/openid-configuration/auth`, which clients that follow §5 of it try as well.
std::vector<std::string> inserted_paths(const oauth::Settings& settings);

}  // namespace postern::oidc
