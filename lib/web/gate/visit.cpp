// The answers that the parts of the gate share.
#include "web/gate/visit.h"

#include <array>
#include <utility>

#include "gate/location.h"
#include "gate/place.h"
#include "gate/readings.h"
#include "gate/request_kind.h"
#include "pages/page_language.h"

namespace postern::web {

const pages::Pages& GateVisit::pages() const {
    return all_pages.for_failure("", request.variable(pages::kAcceptLanguageVariable));
}

http::Response GateVisit::refuse(refusal::Reason reason, const std::string& detail, pages::RefusalFacts facts) const {
    facts.client_id = found.site.id.str();
    facts.detail = detail;
    facts.issuer = found.url.str();
    return pages::refusal_page(pages(), request, reason, facts);
}

std::string GateVisit::location() const { return gate::location_of({question.path, question.query}); }

http::Params GateVisit::query() const {
    constexpr std::size_t kMostParameters = 16;
    auto params = http::Params::parse(question.query, kMostParameters);
    return params ? std::move(*params) : http::Params();
}

std::string GateVisit::path_in_site(std::string_view wanted) const {
    const auto readings = gate::readings_of(gate::split_target(wanted).path);
    const std::array sites = {found.url};
    const auto place = readings ? gate::find_place(*readings, sites) : gate::PlaceFault::no_site;
    return place && !place->own ? std::string(wanted) : found.url.path;
}

bool GateVisit::wants_page() const {
    return question.way != gate::Way::subrequest &&
           gate::request_kind(question.method, request.server_variables) != gate::RequestKind::other;
}

http::Response gate_text(int status, std::string text) {
    http::Response response;
    response.status = status;
    response.set("Content-Type", "text/plain; charset=utf-8");
    response.body = std::move(text) + "\n";
    return response;
}

http::Response found_at(std::string absolute_url) {
    http::Response response;
    response.status = 302;
    response.set("Location", std::move(absolute_url));
    return response;
}

}  // namespace postern::web
