// The form for the code that a device shows: what a user may send, and how often.
#include <utility>

#include "login/password_check.h"
#include "oauth/device_approval.h"
#include "oauth/user_code.h"
#include "store/users.h"
#include "text/message.h"
#include "web/device/visit.h"

namespace postern::web {
namespace {

using text::tr;

constexpr const char* kRefused = tr(
    "No device waits with that code. Codes last for some minutes: look at your device again, it may show another one.");
/// nullopt: the code is looked at.
std::optional<http::Response> refuse_guessing(const DeviceVisit& visit, const std::string& typed) {
    const auto wait = oauth::count_typed_code(visit.context(), visit.session().subject);
    if (!wait) return std::nullopt;
    visit.context().trail.add(audit::Event::user_code_guessed,
                              {audit::subject(visit.session().subject), audit::session(visit.session().sid)});
    http::Response page = show_code(visit, typed, login::wait_message(*wait), false, 429);
    page.set("Retry-After", std::to_string(wait->count()));
    page.refusal = http::Refusal{refusal::Reason::device_code_limited, "the form for the code was shown again",
                                 "more than 20 codes in ten minutes", ""};
    return page;
}

/// The visit with the code that its user has sent.
model::AuthorizationRequest with_sent_code(const DeviceVisit& visit, const std::string& letters) {
    model::AuthorizationRequest request = visit.request;
    request.account_page = path_with(visit.settings(), letters, true);
    return request;
}

}  // namespace

http::Response show_code(const DeviceVisit& visit, const std::string& typed, const text::Message& problem,
                         bool code_wrong, int status) {
    DeviceCodePage page;
    page.username = store::find_username(visit.context().store, visit.session().subject);
    page.action = visit.settings().url(visit.path());
    page.csrf = csrf_token(visit.context(), Form::device, visit.interaction.browser, visit.request.id);
    page.resume = visit.sealed;
    page.user_code = typed;
    page.problem = problem;
    page.code_wrong = code_wrong;
    return visit.own.code(page, status);
}

http::Response refuse_code(const DeviceVisit& visit, const std::string& typed, const std::string& detail) {
    http::Response page = show_code(visit, typed, kRefused, true);
    page.refusal =
        http::Refusal{refusal::Reason::device_code_refused, "the form for the code was shown again", detail, ""};
    return page;
}

http::Response submit_code(const DeviceVisit& visit) {
    if (auto foreign = refuse_foreign_form(visit.interaction, Form::device, visit.request)) return *std::move(foreign);
    const auto typed = visit.interaction.request.form.find_typed(kUserCode);
    if (!typed)
        return refuse_and_offer(visit.interaction, refusal::Reason::form_malformed, visit.request, "field: user_code");
    if (typed->empty()) return show_code(visit, "", "");
    if (auto guessing = refuse_guessing(visit, *typed)) return *std::move(guessing);
    const auto letters = oauth::parse_user_code(*typed);
    if (!letters || !oauth::find_asking_device(visit.context(), *letters))
        return refuse_code(visit, *typed, "mistyped, expired, or answered before");
    return continue_at(visit.interaction, visit.path(), with_sent_code(visit, *letters), "");
}

}  // namespace postern::web
