// Reads the levels of a session and its user.
#include "login/levels.h"

#include "login/complete.h"
#include "login/step.h"
#include "oauth/acr.h"

namespace postern::login {

store::SecondFactorState read_levels(const oauth::Context& context, oauth::AuthorizationInput& input) {
    const oauth::Settings& settings = context.settings;
    input.highest = oauth::highest_level(settings);
    if (!input.session) return {};
    const model::Authentication how = input.session->how;
    input.level = how.level;
    if (input.level >= input.highest) return {};
    const auto user = find_factor_state(context, context.store, input.session->subject);
    const auto standing = standing_of(policy_of(settings), user, context.now(), how);
    input.demanded = standing.demanded;
    input.within_reach = standing.within_reach;
    input.may_set_up = standing.may_enrol;
    return user;
}

}  // namespace postern::login
