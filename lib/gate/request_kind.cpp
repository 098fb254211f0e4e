// Decides which requests are of a person who waits for a page.
#include "gate/request_kind.h"

#include <algorithm>

#include "util/text.h"

namespace postern::gate {
namespace {

constexpr const char* kMode = "HTTP_SEC_FETCH_MODE";
constexpr const char* kDest = "HTTP_SEC_FETCH_DEST";
constexpr const char* kAccept = "HTTP_ACCEPT";
constexpr const char* kRequestedWith = "HTTP_X_REQUESTED_WITH";
constexpr const char* kPurposes[] = {"HTTP_SEC_PURPOSE", "HTTP_PURPOSE"};

std::string_view get(const Variables& variables, const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string_view() : std::string_view(found->second);
}

/// "prefetch", "prefetch;prerender", "prefetch, prerender".
bool is_before_time(const Variables& variables) {
    return std::ranges::any_of(kPurposes, [&](const char* name) {
        const std::string purpose = util::to_lower(get(variables, name));
        return purpose.find("prefetch") != purpose.npos || purpose.find("prerender") != purpose.npos ||
               purpose == "preview";
    });
}

bool wants_page(const Variables& variables) {
    const std::string_view mode = get(variables, kMode);
    const std::string_view dest = get(variables, kDest);
    if (!mode.empty() || !dest.empty()) return mode == "navigate" && dest == "document";
    const std::string accept = util::to_lower(get(variables, kAccept));
    return accept.find("text/html") != accept.npos && get(variables, kRequestedWith).empty();
}

}  // namespace

std::vector<std::string> request_kind_variables() {
    return {kMode, kDest, kAccept, kRequestedWith, kPurposes[0], kPurposes[1]};
}

RequestKind request_kind(std::string_view method, const Variables& variables) {
    if (is_before_time(variables) || !wants_page(variables)) return RequestKind::other;
    if (method == "GET" || method == "HEAD") return RequestKind::navigation;
    return method == "POST" ? RequestKind::form : RequestKind::other;
}

}  // namespace postern::gate
