// The policy of logins, a row per situation. docs/decisions/0114-login-is-one-step.md
#include "login/step.h"

#include <doctest/doctest.h>

#include <string>

using namespace postern;
using model::Level;
using model::Prompt;

namespace {

constexpr util::Time kNow = util::from_epoch(1'800'000'000);
constexpr util::Seconds kTtl{600};

/// A password was right, for a client that demands nothing, of a user without a second factor, where every user may set
/// one up.
struct Case {
    login::LoginPolicy policy{.highest = Level::phishing_resistant};
    store::SecondFactorState user;
    model::AuthorizationRequest request;
    model::Client client;
    bool is_for_account = false;
    model::HalfLogin half{
        .subject = model::Subject("alice"), .expires_at = {}, .done = model::by_password(), .sid = {}};
    bool has_half = true;
    std::optional<model::Authentication> proved;
    std::optional<model::Session> session;

    Case() { request.expires_at = kNow + kTtl; }
    void has_app() { user.code = user.available = true; }
    void has_passkey() { user.passkey = user.available = true; }
    void remembers() { policy.remembers_devices = true; }
    void requires_second_factor() { policy.requires_second_factor = true; }
    /// The session that the browser has, begun so long ago.
    void signed_in(long age, const model::Authentication& how = model::by_password()) {
        session.emplace();
        session->sid = model::Sid("sid");
        session->auth_time = session->created_at = kNow - util::Seconds(age);
        session->how = how;
    }
    void raises(long age, const model::Authentication& how = model::by_password()) {
        signed_in(age, how);
        half.sid = session->sid;
        half.done = how;
    }
    void by_web_server(int level) {
        policy.level_of_web_server = level;
        half.done = {static_cast<Level>(level), ""};
        half.auth_time = kNow;
    }
    login::LoginStep next() {
        if (has_half) request.half_login = half;
        return login::next_step({.policy = policy,
                                 .user = user,
                                 .request = request,
                                 .client = is_for_account ? nullptr : &client,
                                 .proved = proved,
                                 .session = session ? &*session : nullptr,
                                 .now = kNow});
    }
};

struct See {
    std::string operator()(const login::AskPassword&) const { return "password"; }
    std::string operator()(const login::AskSecondFactor& step) const {
        return std::string("second factor") + (step.code ? ", code" : "") + (step.device ? ", device" : "");
    }
    std::string operator()(const login::Enrol& step) const { return step.app ? "enrol" : "enrol a passkey"; }
    std::string operator()(const login::ChooseNewPassword& step) const {
        return step.then_enrol ? "new password, then enrol" : "new password";
    }
    std::string operator()(const login::StartSession& step) const {
        return "session " + std::to_string(static_cast<int>(step.how.level)) +
               (step.is_for_request ? "" : ", not for the request");
    }
    std::string operator()(const login::RaiseSession& step) const {
        return "raise to " + std::to_string(static_cast<int>(step.how.level));
    }
    std::string operator()(const login::TellUser& step) const {
        switch (step.fault) {
            case login::LoginFault::second_factor_missing:
                return "no second factor";
            case login::LoginFault::passkey_suspended:
                return "passkey suspended";
            case login::LoginFault::password_change_nowhere:
                break;
        }
        return "nowhere to change the password";
    }
};

struct Row {
    const char* rule;
    const char* when;
    void (*arrange)(Case&);
    const char* step;
};

template <std::size_t size>
void check(const Row (&rows)[size]) {
    for (const Row& row : rows) {
        CAPTURE(row.rule);
        CAPTURE(row.when);
        Case situation;
        row.arrange(situation);
        CHECK(std::visit(See{}, situation.next()) == row.step);
    }
}

}  // namespace

TEST_CASE(
    "step: who is asked for a second factor, and by whom it is demanded [POLICY-1, POLICY-2, POLICY-3, POLICY-6, "
    "LEVEL-2, LEVEL-4, LEVEL-5, STEP-2, GROUP-3]") {
    const Row rows[] = {
        {"POLICY-2", "nothing is demanded, and nothing set up", [](Case&) {}, "session 1"},
        {"POLICY-2", "nothing is demanded, and there is an app", [](Case& s) { s.has_app(); }, "second factor, code"},
        {"POLICY-2", "or a passkey", [](Case& s) { s.has_passkey(); }, "second factor"},
        {"POLICY-2", "or both",
         [](Case& s) {
             s.has_app();
             s.has_passkey();
         },
         "second factor, code"},
        {"POLICY-2", "second factors are switched off",
         [](Case& s) {
             s.policy.highest = Level::password;
             s.requires_second_factor();
             s.user.demanded = true;
             s.has_app();
         },
         "session 1"},
        {"POLICY-1", "the configuration demands it", [](Case& s) { s.requires_second_factor(); }, "enrol"},
        {"POLICY-1", "the user's or a group's flag does", [](Case& s) { s.user.demanded = true; }, "enrol"},
        {"POLICY-6", "the client does", [](Case& s) { s.client.level = Level::second_factor; }, "enrol"},
        {"POLICY-6", "the client wants a passkey: an app does not do",
         [](Case& s) { s.client.level = Level::phishing_resistant; }, "enrol a passkey"},
        {"POLICY-6", "the client wants a passkey: a code does not help",
         [](Case& s) {
             s.client.level = Level::phishing_resistant;
             s.has_app();
             s.has_passkey();
         },
         "second factor"},
        {"POLICY-3", "the client's demand is none of the account",
         [](Case& s) {
             s.client.level = Level::second_factor;
             s.is_for_account = true;
         },
         "session 1, not for the request"},
        {"LEVEL-5", "an essential acr", [](Case& s) { s.request.acr.demanded = Level::second_factor; }, "enrol"},
        {"LEVEL-5", "an essential acr that a password meets", [](Case& s) { s.request.acr.demanded = Level::password; },
         "session 1"},
        {"LEVEL-4", "acr_values alone", [](Case& s) { s.request.acr.wished = Level::phishing_resistant; }, "session 1"},
        {"WEBAUTHN-15", "the only passkey is suspended: a password does not take its place",
         [](Case& s) { s.user.suspended = true; }, "passkey suspended"},
        {"WEBAUTHN-15", "a passkey is suspended, and there is an app",
         [](Case& s) {
             s.user.suspended = true;
             s.has_app();
         },
         "second factor, code"},
    };
    check(rows);
}

TEST_CASE("step: a second factor that was proved completes the login, whatever it is [STEP-6, LEVEL-1, LEVEL-2]") {
    const Row rows[] = {
        {"LEVEL-2", "a code",
         [](Case& s) {
             s.has_app();
             s.proved = model::with_code(s.half.done);
         },
         "session 2"},
        {"LEVEL-1", "a passkey behind the password",
         [](Case& s) {
             s.has_passkey();
             s.proved = model::with_passkey(s.half.done);
         },
         "session 3"},
        {"LEVEL-1", "a code for a client that wants a passkey: authorize asks on",
         [](Case& s) {
             s.client.level = Level::phishing_resistant;
             s.has_app();
             s.proved = model::with_code(s.half.done);
         },
         "session 2"},
        {"WEBAUTHN-9", "a passkey alone, of a user who has an app, too",
         [](Case& s) {
             s.has_app();
             s.half.done = model::by_passkey();
         },
         "session 3"},
        {"POLICY-4", "the factor that was set up just now",
         [](Case& s) {
             s.requires_second_factor();
             s.proved = model::with_code(s.half.done);
         },
         "session 2"},
        {"STEP-6", "password, factors or user have changed since the half was proved",
         [](Case& s) {
             s.has_app();
             s.user.stamp = 1;
             s.proved = model::with_code(s.half.done);
         },
         "password"},
        {"STEP-6", "the same before anything was proved", [](Case& s) { s.user.stamp = 1; }, "password"},
        {"STEP-3", "nothing was proved", [](Case& s) { s.has_half = false; }, "password"},
    };
    check(rows);
}

TEST_CASE(
    "step: a first second factor is set up behind the password, or needs a link [POLICY-4, LEVEL-5, ACCOUNT-14]") {
    const Row rows[] = {
        {"POLICY-4", "only with a link",
         [](Case& s) {
             s.requires_second_factor();
             s.policy.may_enrol = login::MayEnrol::after_link;
         },
         "no second factor"},
        {"POLICY-4", "a link was used just now",
         [](Case& s) {
             s.requires_second_factor();
             s.policy.may_enrol = login::MayEnrol::after_link;
             s.user.enrol_until = kNow + util::Seconds(1);
         },
         "enrol"},
        {"POLICY-4", "a link was used 30 minutes ago",
         [](Case& s) {
             s.requires_second_factor();
             s.policy.may_enrol = login::MayEnrol::after_link;
             s.user.enrol_until = kNow;
         },
         "no second factor"},
        {"ACCOUNT-14", "there is no page for it, whatever link was used",
         [](Case& s) {
             s.requires_second_factor();
             s.policy.may_enrol = login::MayEnrol::nobody;
             s.user.enrol_until = kNow + util::Seconds(1);
         },
         "no second factor"},
        {"POLICY-4", "a link does not take the place of a factor that is there",
         [](Case& s) {
             s.policy.may_enrol = login::MayEnrol::after_link;
             s.user.enrol_until = kNow + util::Seconds(1);
             s.has_app();
         },
         "second factor, code"},
        {"POLICY-4", "nor of one that is suspended",
         [](Case& s) {
             s.requires_second_factor();
             s.user.suspended = true;
         },
         "passkey suspended"},
        {"POLICY-4", "the client demands it, and a link is needed",
         [](Case& s) {
             s.client.level = Level::second_factor;
             s.policy.may_enrol = login::MayEnrol::after_link;
         },
         "no second factor"},
        {"LEVEL-5", "an essential acr, and a link is needed: the client is told, behind the login",
         [](Case& s) {
             s.request.acr.demanded = Level::second_factor;
             s.policy.may_enrol = login::MayEnrol::after_link;
         },
         "session 1"},
        {"LEVEL-5", "the same of a user who must have one",
         [](Case& s) {
             s.request.acr.demanded = Level::second_factor;
             s.policy.may_enrol = login::MayEnrol::after_link;
             s.user.demanded = true;
         },
         "no second factor"},
    };
    check(rows);
}

TEST_CASE("step: a password that must be changed is changed as soon as all else is proved [PASSWORD-5]") {
    const Row rows[] = {
        {"PASSWORD-5", "nothing else", [](Case& s) { s.half.must_change_password = true; }, "new password"},
        {"PASSWORD-5", "also where there are no levels",
         [](Case& s) {
             s.policy.highest = Level::password;
             s.half.must_change_password = true;
         },
         "new password"},
        {"PASSWORD-5", "behind the second factor",
         [](Case& s) {
             s.half.must_change_password = true;
             s.has_app();
             s.remembers();
         },
         "second factor, code"},
        {"PASSWORD-5", "which was given",
         [](Case& s) {
             s.half.must_change_password = true;
             s.has_app();
             s.proved = model::with_code(s.half.done);
         },
         "new password"},
        {"PASSWORD-5", "which was given on the page before",
         [](Case& s) {
             s.half.must_change_password = true;
             s.has_app();
             s.half.done = model::with_code(s.half.done);
         },
         "new password"},
        {"PASSWORD-5", "before the first second factor",
         [](Case& s) {
             s.half.must_change_password = true;
             s.requires_second_factor();
         },
         "new password, then enrol"},
        {"PASSWORD-5", "which needs a link",
         [](Case& s) {
             s.half.must_change_password = true;
             s.requires_second_factor();
             s.policy.may_enrol = login::MayEnrol::after_link;
         },
         "no second factor"},
        {"ACCOUNT-14", "there is no page of the account",
         [](Case& s) {
             s.half.must_change_password = true;
             s.policy.has_account = false;
         },
         "nowhere to change the password"},
        {"PASSWORD-5", "it was changed, behind a second factor",
         [](Case& s) {
             s.has_app();
             s.half.done = model::with_code(s.half.done);
         },
         "session 2"},
    };
    check(rows);
}

TEST_CASE("step: when a remembered device is enough [DEVICE-1, DEVICE-3, POLICY-2, POLICY-7, LEVEL-4, STEP-8]") {
    const Row rows[] = {
        {"DEVICE-3", "nothing is demanded",
         [](Case& s) {
             s.remembers();
             s.has_app();
         },
         "second factor, code, device"},
        {"DEVICE-1", "devices are not remembered", [](Case& s) { s.has_app(); }, "second factor, code"},
        {"DEVICE-3", "configuration, user or group demand a second factor",
         [](Case& s) {
             s.remembers();
             s.requires_second_factor();
             s.user.demanded = true;
             s.has_app();
         },
         "second factor, code, device"},
        {"DEVICE-3", "and it was remembered",
         [](Case& s) {
             s.remembers();
             s.requires_second_factor();
             s.has_app();
             s.proved = model::Authentication{Level::password, "pwd", true};
         },
         "session 1"},
        {"DEVICE-3", "the client demands a second factor",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.client.level = Level::second_factor;
         },
         "second factor, code"},
        {"DEVICE-3", "an essential acr does",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.request.acr.demanded = Level::second_factor;
         },
         "second factor, code"},
        {"LEVEL-4", "the client wishes for one",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.request.acr.wished = Level::second_factor;
         },
         "second factor, code"},
        {"POLICY-7", "prompt=login",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.request.prompt = {Prompt::login};
         },
         "second factor, code"},
        {"STEP-8", "max_age=0",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.request.max_age = util::Seconds(0);
         },
         "second factor, code"},
        {"STEP-8", "a max_age for which the session is too old",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.request.max_age = util::Seconds(60);
             s.signed_in(61);
         },
         "second factor, code"},
        {"STEP-8", "a max_age for which it is not",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.request.max_age = util::Seconds(60);
             s.signed_in(60);
         },
         "second factor, code, device"},
        {"STEP-8", "a max_age without a session: a login like any other",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.request.max_age = util::Seconds(60);
         },
         "second factor, code, device"},
    };
    check(rows);
}

TEST_CASE("step: a session is raised by the rest alone, or the login comes first [STEP-8, POLICY-4, LEVEL-5]") {
    const Row rows[] = {
        {"STEP-8", "however old it is",
         [](Case& s) {
             s.has_app();
             s.raises(100'000);
         },
         "second factor, code"},
        {"STEP-8", "a remembered device raises nothing",
         [](Case& s) {
             s.remembers();
             s.has_app();
             s.raises(5);
         },
         "second factor, code"},
        {"STEP-8", "by a code",
         [](Case& s) {
             s.has_app();
             s.raises(5);
             s.proved = model::with_code(s.half.done);
         },
         "raise to 2"},
        {"LEVEL-1", "by a passkey, behind a code: another code does not help",
         [](Case& s) {
             s.has_app();
             s.has_passkey();
             s.raises(5, model::with_code(model::by_password()));
         },
         "second factor"},
        {"POLICY-4", "a factor is set up behind a password of just now", [](Case& s) { s.raises(599); }, "enrol"},
        {"POLICY-4", "and not behind an older one", [](Case& s) { s.raises(600); }, "password"},
        {"POLICY-4", "a link is needed",
         [](Case& s) {
             s.policy.may_enrol = login::MayEnrol::after_link;
             s.raises(5);
         },
         "no second factor"},
        {"WEBAUTHN-15", "the only passkey is suspended",
         [](Case& s) {
             s.user.suspended = true;
             s.raises(5);
         },
         "passkey suspended"},
        {"POLICY-9", "the web server's word has the age of its session, where its time is not told",
         [](Case& s) {
             s.policy.level_of_web_server = 1;
             s.raises(599, {Level::password, ""});
             s.session->auth_time = model::kAuthTimeUnknown;
         },
         "enrol"},
    };
    check(rows);
}

TEST_CASE("step: what the web server's word is worth, and for which request [POLICY-9, OIDC Core §3.1.2.1k]") {
    const Row rows[] = {
        {"POLICY-9", "nothing is known of it",
         [](Case& s) {
             s.policy.highest = Level::unknown;
             s.has_app();
             s.by_web_server(0);
         },
         "session 0"},
        {"POLICY-9", "a password", [](Case& s) { s.by_web_server(1); }, "session 1"},
        {"POLICY-9", "a password, of a user with an app",
         [](Case& s) {
             s.by_web_server(1);
             s.has_app();
         },
         "second factor, code"},
        {"POLICY-9", "both halves: what a client demands beyond that raises the session later",
         [](Case& s) {
             s.by_web_server(2);
             s.has_passkey();
             s.client.level = Level::phishing_resistant;
         },
         "session 2"},
        {"OIDC Core §3.1.2.1", "a login of before the request",
         [](Case& s) {
             s.by_web_server(1);
             s.half.auth_time = s.request.expires_at - kTtl - util::Seconds(1);
         },
         "session 1, not for the request"},
        {"OIDC Core §3.1.2.1", "its time is not known",
         [](Case& s) {
             s.by_web_server(1);
             s.half.auth_time = model::kAuthTimeUnknown;
         },
         "session 1, not for the request"},
        {"OIDC Core §3.1.2.1", "its time is that of the request",
         [](Case& s) {
             s.by_web_server(1);
             s.half.auth_time = s.request.expires_at - kTtl;
         },
         "session 1"},
    };
    check(rows);
}

TEST_CASE("step: a half login counts until its second, and only where something is asked for [STEP-3, PASSWORD-5]") {
    const login::LoginPolicy policy{.highest = Level::second_factor}, passwords{.highest = Level::password};
    model::HalfLogin half{.subject = {}, .expires_at = kNow + util::Seconds(1), .done = {}, .sid = {}};
    CHECK_FALSE(login::is_over(policy, half, kNow));
    CHECK(login::is_over(policy, half, half.expires_at));
    CHECK(login::is_over(passwords, half, kNow));
    half.must_change_password = true;
    CHECK_FALSE(login::is_over(passwords, half, kNow));
}

TEST_CASE("policy_of: the configuration as logins see it [POLICY-1, POLICY-4, POLICY-9, DEVICE-1, ACCOUNT-14]") {
    oauth::Settings settings;
    settings.paths.account = "/account";
    settings.paths.recover = "/recover";
    CHECK(login::policy_of(settings).may_enrol == login::MayEnrol::everybody);
    settings.login.enrolment = login::Enrolment::link;
    CHECK(login::policy_of(settings).may_enrol == login::MayEnrol::after_link);
    settings.paths.recover.reset();
    CHECK(login::policy_of(settings).may_enrol == login::MayEnrol::nobody);
    settings.login.enrolment = login::Enrolment::login;
    settings.paths.account.reset();
    CHECK(login::policy_of(settings).may_enrol == login::MayEnrol::nobody);
    CHECK_FALSE(login::policy_of(settings).has_account);

    CHECK_FALSE(login::policy_of(settings).remembers_devices);
    settings.login.remember_device = util::Seconds(60);
    CHECK(login::policy_of(settings).remembers_devices);
    settings.login.second_factor = login::SecondFactor::off;
    CHECK_FALSE(login::policy_of(settings).remembers_devices);
    CHECK(login::policy_of(settings).highest == Level::password);
    settings.login.method = login::Method::remote_user;
    CHECK(login::policy_of(settings).highest == Level::unknown);
}

TEST_CASE("standing_of: what is demanded, and what is within reach [POLICY-1, DEVICE-3, LEVEL-1]") {
    const login::LoginPolicy policy{.highest = Level::phishing_resistant, .remembers_devices = true};
    const model::Authentication remembered{Level::password, "pwd", true};
    store::SecondFactorState user;
    CHECK(login::standing_of(policy, user, kNow).demanded == Level::unknown);
    CHECK(login::standing_of(policy, user, kNow).within_reach == Level::password);
    user.demanded = true;
    user.code = true;
    CHECK(login::standing_of(policy, user, kNow).demanded == Level::second_factor);
    CHECK(login::standing_of(policy, user, kNow).within_reach == Level::second_factor);
    CHECK(login::standing_of(policy, user, kNow, remembered).demanded == Level::unknown);
    user.passkey = true;
    CHECK(login::standing_of(policy, user, kNow).within_reach == Level::phishing_resistant);
    // With the option off again a session of it counts for nothing (POLICY-3).
    login::LoginPolicy off = policy;
    off.remembers_devices = false;
    CHECK(login::standing_of(off, user, kNow, remembered).demanded == Level::second_factor);
    login::LoginPolicy by_web_server{.highest = Level::second_factor, .level_of_web_server = 2};
    CHECK(login::standing_of(by_web_server, {}, kNow).within_reach == Level::second_factor);
}
