// What this server says about itself (OpenID Connect Discovery §3, RFC 8414 §2): only what is true of it.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "oauth/settings.h"

namespace postern::oidc {

/// The document of both well-known addresses. Without OpenID Connect it has RFC 8414's members only.
json::Object discovery(const oauth::Settings& settings);

}  // namespace postern::oidc
