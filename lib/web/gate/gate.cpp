// Finds out what a request to the gate is: a question, or one for a page of its own.
#include "web/gate/gate.h"

#include "db/read.h"
#include "fetch/allowed.h"
#include "gate/check.h"
#include "gate/location.h"
#include "gate/question.h"
#include "gate/request_kind.h"
#include "http/url.h"
#include "pages/page_language.h"
#include "web/gate/check_answer.h"
#include "web/gate/pages.h"
#include "web/gate/small_page.h"

namespace postern::web {
namespace {

using gate::Route;
using gate::Way;
using refusal::Reason;

constexpr const char* kPeer = "REMOTE_ADDR";
constexpr const char* kReferer = "HTTP_REFERER";
constexpr std::string_view kPages = "/pages";

bool is_believed(const oauth::Settings& settings, const http::Request& request) {
    const auto peer = fetch::parse_address(std::string(request.variable(kPeer)));
    if (!peer) return false;
    for (const fetch::Network& network : settings.gate.proxies)
        if (network.contains(*peer)) return true;
    return false;
}

struct Asked {
    Route route;
    std::string pages_path = {};  ///< in front of the path of a page, where a proxy has put it there
};

/// nullopt: the request is for no address of the gate.
std::optional<Asked> route_of(const oauth::Settings& settings, const http::Request& request) {
    if (request.is_question) return Asked{Route::authorizer};
    for (const char* name : {"POSTERN_GATE_URI", "POSTERN_GATE_METHOD", "POSTERN_GATE_PAGE"})
        if (!request.variable(name).empty()) return Asked{Route::gate};
    if (!request.variable("POSTERN_GATE_SITE").empty()) return Asked{Route::pages};
    if (!settings.paths.gate) return std::nullopt;
    const std::string_view path = gate::split_target(request.variable("REQUEST_URI")).path;
    for (const std::string& own : http::served_paths(settings.issuer, {*settings.paths.gate})) {
        if (path == own) return Asked{Route::gate};
        if (path.starts_with(own + std::string(kPages) + "/")) return Asked{Route::pages, own + std::string(kPages)};
    }
    return std::nullopt;
}

/// A page of the gate, or a question about one. Asked about its pages, the gate answers only for the callback and for
/// those that do not exist, because these answers let no request through.
GateAnswer answer_about_own(const GateVisit& visit) {
    const std::string& name = *visit.found.own;
    if (visit.question.way == Way::own) return answer_own_page(visit, name);
    const bool lets_nothing_pass = name == kCallback || !is_own_page(name);
    if (visit.question.way != Way::subrequest && lets_nothing_pass) return answer_own_page(visit, name);
    return {refuse_question(Reason::gate_route_missing, "the web server asked for a check of " +
                                                            visit.found.url.own(is_own_page(name) ? name : "") +
                                                            "; it has no route from .postern/ to the gate")};
}

/// All that is read for an answer, of one moment.
struct Examined {
    util::Result<gate::Found, gate::NotFound> found;
    std::optional<oauth::Outcome<gate::Checked>> checked = std::nullopt;  ///< of a question about the application alone
};

Examined examine(oauth::Context& context, const http::Request& request, const gate::Question& question) {
    context.trail.note_user({});  // whom a read that was lost has noted
    Examined examined{gate::find_site(context, question)};
    const bool is_about_application = examined.found && !examined.found->own && question.way != Way::own;
    if (is_about_application) examined.checked = check_request(context, *examined.found, request);
    return examined;
}

GateAnswer answer_question(oauth::Context& context, const pages::PageBook& pages, const http::Request& request,
                           const gate::Question& question) {
    Examined examined = db::read(context.store, [&] { return examine(context, request, question); });
    if (!examined.found) return {refuse_question(examined.found.error().reason, examined.found.error().detail)};
    const GateVisit visit{context, pages, request, question, *examined.found};
    if (visit.found.own) return answer_about_own(visit);
    if (examined.checked) return answer_check(visit, *std::move(examined.checked));
    return {refuse_question(Reason::gate_question_refused,
                            "POSTERN_GATE_URI is missing: the address is not below "
                            ".postern/, so this is no page of the gate")};
}

}  // namespace

std::vector<std::string> gate_variables() {
    std::vector<std::string> names = gate::question_variables();
    for (std::string& name : gate::request_kind_variables()) names.push_back(std::move(name));
    names.emplace_back(kPeer);
    names.emplace_back(kReferer);
    return names;
}

GateAnswer answer_gate(oauth::Context& context, const pages::PageBook& pages, const http::Request& request) {
    const auto asked = route_of(context.settings, request);
    if (!asked) return {gate_text(404, "There is no page here.")};
    if (!context.settings.paths.gate)
        return {refuse_question(Reason::gate_question_refused, "paths.gate is not set, so there is no gate")};
    const gate::Proxy proxy{is_believed(context.settings, request), asked->pages_path};
    const auto question = gate::parse_question(asked->route, request.server_variables, proxy);
    if (!question) return {refuse_question(Reason::gate_question_refused, question.error().detail)};

    GateAnswer answered = answer_question(context, pages, request, *question);
    if (question->way == Way::authorizer) answered.response = small_page(std::move(answered.response));
    if (question->way == Way::subrequest) {  // the page behind it is asked for next, and recorded
        answered.response.refusal.reset();
        answered.response.is_routine = true;
    }
    return answered;
}

}  // namespace postern::web
