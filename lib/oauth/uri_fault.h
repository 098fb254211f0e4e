// What is wrong with a redirect URI that is not one, in words for the operator who typed it.
#pragma once

#include <string>
#include <string_view>

namespace postern::oauth {

/// Returns why http::parse_url refuses `uri`, as the words after it ("contains ..."), and what to write instead.
std::string uri_fault(std::string_view uri);

/// Whether the host of a URL is another name or address of the machine itself than the three that count as loopback
/// (http::is_loopback_http): 127.0.0.2, 127.1, 0.0.0.0, [::ffff:127.0.0.1], localhost. and names below localhost.
bool is_other_loopback(std::string_view host);

}  // namespace postern::oauth
