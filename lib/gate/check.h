// The check: may this browser see this page, and who is it?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/place.h"
#include "gate/question.h"
#include "gate/site_url.h"
#include "gate/step.h"
#include "gate/told.h"
#include "model/client.h"
#include "model/session.h"
#include "oauth/context.h"
#include "refusal/reason.h"
#include "util/result.h"

namespace postern::gate {

/// The site of a request, and the page of the gate that it is for.
struct Found {
    model::Client site;
    SiteUrl url;
    std::optional<std::string> own;  ///< as Place has it
};

/// The reason why a question is of no site; such a request never passes.
struct NotFound {
    refusal::Reason reason;
    std::string detail;  ///< for the operator
};

/// Finds the site of a question.
util::Result<Found, NotFound> find_site(oauth::Context& context, const Question& question);

/// The result of a check.
struct Checked {
    Verdict verdict = Verdict::sign_in;
    std::optional<model::Session> session = std::nullopt;  ///< of the user who passes, or may not use the site
    std::string username = {};                             ///< of that user
    std::optional<ToldHeaders> told = std::nullopt;        ///< there if the user passes
    std::string untold = {};                               ///< why a user who may use the site does not pass, or ""
    bool was_signed_in = false;                            ///< a cookie came that this server made for the site
    bool has_forged = false;                               ///< a cookie of its name came that this server did not make
};

/// Decides about the user of a live session; `signed_in_at` as in verdict_of().
Checked decide(oauth::Context& context, const Found& found, model::Session session, util::Time signed_in_at);

/// Checks the cookies of a browser for the site: the first that passes counts (GATE-13, GATE-20).
Checked check(oauth::Context& context, const Found& found, std::string_view cookie_header);

/// Notes the use of the session, unless it was seen a short while ago or the database is busy: the only write of a
/// check, behind its answer (GATE-14).
void note_use(oauth::Context& context, const model::Session& session) noexcept;

}  // namespace postern::gate
