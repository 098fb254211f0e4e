// One request to the gate: its question, and the site that it is about.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gate/check.h"
#include "gate/question.h"
#include "http/message.h"
#include "http/params.h"
#include "model/session.h"
#include "oauth/context.h"
#include "pages/page.h"
#include "pages/refusal_page.h"
#include "refusal/reason.h"

namespace postern::web {

/// An answer, and the session whose use is noted behind it.
struct GateAnswer {
    http::Response response;
    std::optional<model::Session> used = std::nullopt;
};

struct GateVisit {
    oauth::Context& context;
    const pages::PageBook& all_pages;
    const http::Request& request;
    const gate::Question& question;
    const gate::Found& found;

    /// Returns the pages in the language that the browser wants.
    const pages::Pages& pages() const;
    /// Returns the page of a refusal, with the site's URL where a page names an address.
    http::Response refuse(refusal::Reason reason, const std::string& detail, pages::RefusalFacts facts = {}) const;
    /// Returns the address of a page of the gate for this site.
    std::string own(std::string_view page) const { return found.url.own(page); }
    /// Returns the parameters of the address; none if they are malformed.
    http::Params query() const;
    /// Returns the page of the question, as it can stand in a Location behind the origin.
    std::string location() const;
    /// Returns `wanted` if it is a path of the application at this site, with its query; else the path of the site.
    std::string path_in_site(std::string_view wanted) const;
    /// Returns whether the request is of a person who waits for a page, and the answer may be one.
    bool wants_page() const;
};

/// Makes an answer of one line.
http::Response gate_text(int status, std::string text);
/// Makes `302 Found`, which web servers pass on from an authorizer.
http::Response found_at(std::string absolute_url);

}  // namespace postern::web
