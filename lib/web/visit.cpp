// One request of a person's browser to the pages.
#include "web/visit.h"

#include "crypto/digest.h"
#include "http/url.h"

namespace postern::web {

util::Result<Resumed, http::Response> resume(Visit& visit, const http::Params& params, Unbound unbound) {
    const auto text = params.find("resume");
    if (!text) return visit.refuse(params.fault_of("resume") ? PageFault::resume_invalid : PageFault::resume_missing);
    auto sealed = oauth::open_request(visit.context, *text);
    if (!sealed)
        return visit.refuse(sealed.error() == oauth::SealFault::expired ? PageFault::resume_expired
                                                                        : PageFault::resume_invalid);
    const std::string client_id = sealed->request.client_id.str();

    // A request that somebody else started must not be finished here, nor ours by somebody else (consent fixation).
    const bool is_bound = !sealed->browser.empty();
    if (!is_bound && unbound == Unbound::refused)
        return visit.refuse(PageFault::other_browser, client_id, "the request is bound to no browser");
    if (is_bound && !visit.browser.id)
        return visit.refuse(PageFault::cookie_missing, client_id,
                            "no browser cookie came back; the issuer is " + visit.context.settings.issuer);
    if (is_bound && !crypto::equal_constant_time(sealed->browser, visit.browser.binding()))
        return visit.refuse(PageFault::other_browser, client_id);

    // Whoever opens it begins a request of his own, as with an authorize URL: what somebody does about it in one
    // browser must count in no other.
    if (!is_bound) sealed->request.id = crypto::random_token(visit.context.random);

    auto target = oauth::verify_redirect(visit.context, sealed->request);
    if (!target) return refusal_page(visit.pages, visit.request, target.error());
    return Resumed{std::move(sealed->request), std::move(*target)};
}

http::Response continue_at(Visit& visit, const std::string& path, const model::AuthorizationRequest& request) {
    http::Response response = http::see_other("");
    ensure_browser_id(visit.context, visit.browser, response);
    const std::string sealed = oauth::seal_request(visit.context, {request, visit.browser.binding()});
    response.set("Location", http::with_query(visit.context.settings.url(path), {{"resume", sealed}}));
    return response;
}

}  // namespace postern::web
