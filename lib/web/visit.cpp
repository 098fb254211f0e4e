// One request of a person's browser to the pages.
#include "web/visit.h"

#include "crypto/digest.h"
#include "http/url.h"
#include "store/authorization_requests.h"

namespace postern::web {
namespace {

bool is_of_this_browser(const Visit& visit, const oauth::SealedRequest& sealed) {
    return visit.browser.id && crypto::equal_constant_time(sealed.browser, visit.browser.binding());
}

/// Only the browser that it was sealed for may take it up again.
http::Response refuse_expired(const Visit& visit, const std::string& text) {
    const auto sealed = oauth::open_stale_request(visit.context, text);
    if (sealed && is_of_this_browser(visit, *sealed))
        return refuse_and_offer(visit, PageFault::resume_expired, sealed->request);
    return visit.refuse(PageFault::resume_expired);
}

}  // namespace

util::Result<Resumed, http::Response> resume(Visit& visit, const http::Params& params, Unbound unbound) {
    const auto text = params.find("resume");
    if (!text) return visit.refuse(params.fault_of("resume") ? PageFault::resume_invalid : PageFault::resume_missing);
    auto sealed = oauth::open_request(visit.context, *text);
    if (!sealed)
        return sealed.error() == oauth::SealFault::expired ? refuse_expired(visit, *text)
                                                           : visit.refuse(PageFault::resume_invalid);
    const std::string client_id = sealed->request.client_id.str();

    // A request that somebody else started must not be finished here, nor ours by somebody else (consent fixation).
    const bool is_bound = !sealed->browser.empty();
    if (!is_bound && unbound == Unbound::refused)
        return visit.refuse(PageFault::other_browser, client_id, "the request is bound to no browser");
    if (is_bound && !visit.browser.id)
        return visit.refuse(PageFault::cookie_missing, client_id,
                            "no browser cookie came back; the issuer is " + visit.context.settings.issuer);
    if (is_bound && !is_of_this_browser(visit, *sealed)) return visit.refuse(PageFault::other_browser, client_id);

    // Whoever opens it begins a request of his own, as with an authorize URL: what somebody does about it in one
    // browser must count in no other.
    if (!is_bound) sealed->request.id = crypto::random_token(visit.context.random);

    auto target = oauth::verify_redirect(visit.context, sealed->request);
    if (!target) return refusal_page(visit.pages, visit.request, target.error());
    return Resumed{std::move(sealed->request), std::move(*target)};
}

http::Response refuse_and_offer(const Visit& visit, PageFault fault, const model::AuthorizationRequest& request,
                                const std::string& detail) {
    oauth::Context& context = visit.context;
    model::AuthorizationRequest anew = request;
    anew.id = crypto::random_token(context.random);
    anew.session_sent = false;
    anew.expires_at = context.now() + context.settings.authorization_request_ttl;
    const std::string sealed = oauth::seal_request(context, {anew, visit.browser.binding()});
    const std::string url =
        http::with_query(context.settings.url(context.settings.paths.authorize), {{"resume", sealed}});
    return refusal_page(visit.pages, visit.request, fault,
                        {request.client_id.str(), detail, context.settings.issuer, url});
}

std::optional<http::Response> refuse_if_used(const Visit& visit, const model::AuthorizationRequest& request) {
    const auto progress = store::find_progress(visit.context.store, oauth::request_key(request));
    if (!progress || !progress->used) return std::nullopt;
    return refuse_and_offer(visit, PageFault::already_used, request);
}

http::Response continue_at(Visit& visit, const std::string& path, const model::AuthorizationRequest& request) {
    http::Response response = http::see_other("");
    ensure_browser_id(visit.context, visit.browser, response);
    const std::string sealed = oauth::seal_request(visit.context, {request, visit.browser.binding()});
    response.set("Location", http::with_query(visit.context.settings.url(path), {{"resume", sealed}}));
    return response;
}

}  // namespace postern::web
