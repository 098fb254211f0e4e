// Answers one request, from its variables to its access line: the only place where exceptions end.
#include "server/service.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>

#include "db/error.h"
#include "db/maintenance.h"
#include "db/write.h"
#include "login/saslauthd.h"
#include "oauth/client_id_url.h"
#include "oauth/dpop.h"
#include "server/wire.h"
#include "store/clients.h"
#include "store/sweep.h"

namespace postern::server {
namespace {

constexpr unsigned kRequestsPerSweep = 16;
constexpr std::chrono::milliseconds kLongestSweepWait{50};
static_assert(store::kSweepBatch >= 2 * kRequestsPerSweep, "more must be deleted than requests can make");

std::vector<http::Method> methods_of(const config::Config& config, const Endpoint& endpoint) {
    auto methods = endpoint.methods(config.settings);
    if (endpoint.cors != oauth::CorsPolicy::none) methods.push_back(http::Method::options);
    return methods;
}

std::vector<std::string> paths_of(const oauth::Settings& settings, const Endpoint& endpoint) {
    auto paths = http::served_paths(settings.issuer, endpoint.paths(settings));
    if (!endpoint.absolute_paths) return paths;
    for (std::string& path : endpoint.absolute_paths(settings)) paths.push_back(std::move(path));
    return paths;
}

std::vector<std::string> server_variables(const App& app, const Endpoint& endpoint) {
    auto names = endpoint.server_variables ? endpoint.server_variables(app.settings()) : std::vector<std::string>();
    if (endpoint.proofs && app.settings().dpop) names.emplace_back(oauth::kProofVariable);
    if (const auto& mtls = app.settings().mtls; mtls && endpoint.certificates)
        names.insert(names.end(), {mtls->certificate, mtls->verify});
    const pages::PageBook* pages = app.pages_if_read();
    if (pages != nullptr && !pages->variable().empty()) names.push_back(pages->variable());
    return names;
}

RequestRules rules_of(const App& app, const Endpoint& endpoint) {
    const config::Config& config = app.config();
    return {paths_of(config.settings, endpoint),
            methods_of(config, endpoint),
            config.limits,
            endpoint.authorization ? config.authorization_variables : std::vector<std::string>(),
            server_variables(app, endpoint),
            endpoint.takes_json,
            endpoint.wrong_post,
            endpoint.takes_questions};
}

/// The variables that only the configuration knows.
std::vector<std::string> named_variables(const RequestRules& rules) {
    std::vector<std::string> names = rules.server_variables;
    names.insert(names.end(), rules.authorization_variables.begin(), rules.authorization_variables.end());
    return names;
}

}  // namespace

std::string make_request_id(crypto::Random& random, const std::string& node) {
    constexpr char kAlphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
    std::string id = random.bytes(kRequestIdLength);
    for (char& c : id) c = kAlphabet[static_cast<unsigned char>(c) % 32];
    return node + id;
}

Service::Service(App& app, const Endpoint& endpoint, const Handler& handler)
    : app_(app),
      endpoint_(endpoint),
      handler_(handler),
      rules_(rules_of(app, endpoint)),
      allowed_methods_(allowed_methods(rules_)),
      variables_(named_variables(rules_)),
      refusals_(app.config().ring_path()) {}

http::Response Service::fail(Failure failure, const std::string& id, const char* event, const char* reason) {
    if (rules_.takes_questions && failure.status == internal_failure().status) failure = store_failure();
    app_.log().error(event, {{"id", id}, {"reason", reason}});
    failure.detail = reason;
    return render_failure(failure, endpoint_.on_failure, pages_, id);
}

/// In the language that the browser and its user want, as far as it is known before the request is read.
const pages::Pages* Service::pages_for(const gateway::Variables& variables) const {
    const pages::PageBook* pages = app_.pages_if_read();
    if (pages == nullptr) return nullptr;
    return &pages->for_failure(variables.get("HTTP_COOKIE"), variables.get("HTTP_ACCEPT_LANGUAGE"));
}

http::Response Service::handle(const gateway::Variables& variables, const gateway::Body& body, const std::string& id) {
    pages_ = pages_for(variables);
    try {
        app_.keys().reload_if_changed();
        auto request =
            rules_.takes_questions ? parse_question(variables, body, rules_) : parse_request(variables, body, rules_);
        if (!request)
            return render_failure(request.error(), endpoint_.on_failure, pages_, id,
                                  endpoint_.sign_out ? endpoint_.sign_out(app_.settings()) : "");
        request->id = id;
        request->remote_address = client_.address;
        app_.trail().begin(id, request->remote_address);
        if (request->method == http::Method::options && !rules_.takes_questions) return describe_options();
        http::Response response = handler_(app_, *request);
        if (const pages::PageBook* pages = app_.pages_if_read()) pages->remember(*request, response);
        return response;
    } catch (const db::StoreUnsynced& error) {
        app_.trail().add(audit::Event::commit_unsynced, {});
        return fail(store_failure(), id, "store_failed", error.what());
    } catch (const db::StoreError& error) {
        return fail(store_failure(), id, "store_failed", error.what());
    } catch (const login::SaslauthdError& error) {
        Failure failure = store_failure();
        failure.reason = error.reason;
        return fail(std::move(failure), id, "saslauthd_failed", error.what());
    } catch (const std::exception& error) {
        return fail(internal_failure(), id, "failed", error.what());
    } catch (...) {
        return fail(internal_failure(), id, "failed", "an exception of unknown type");
    }
}

/// OPTIONS says what may be asked (RFC 9110 §9.3.7); `apply_cors` adds the headers of a preflight.
http::Response Service::describe_options() const {
    http::Response response;
    response.status = 204;
    response.set("Allow", allowed_methods_);
    return response;
}

/// Applied to every answer, refusals and failures of the server's own included: without it an application in a browser
/// cannot tell a busy server from a broken network.
void Service::apply_cors(http::Response& response, const gateway::Variables& variables) {
    oauth::PageRequest page;
    page.origin = std::string(variables.get("HTTP_ORIGIN"));
    page.preflight = response.status == 204 && variables.get("REQUEST_METHOD") == "OPTIONS" && !page.origin.empty() &&
                     !variables.get("HTTP_ACCESS_CONTROL_REQUEST_METHOD").empty();
    page.requested_headers = std::string(variables.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS"));
    switch (endpoint_.cors) {
        case oauth::CorsPolicy::none:
            return;
        case oauth::CorsPolicy::any_origin:
            return oauth::allow_any_origin(response, page, allowed_methods_);
        case oauth::CorsPolicy::registering:
            return oauth::allow_registering_origins(response, page, allowed_methods_, app_.settings());
        case oauth::CorsPolicy::client_origins:
            break;
    }
    try {
        oauth::allow_client_origins(response, page, allowed_methods_, app_.context());
    } catch (const std::exception& error) {  // without the database no origin can be allowed
        app_.log().error("origin_unknown", {{"reason", error.what()}});
    }
}

std::string Service::serialize(http::Response& response, const std::string& id, bool head) {
    // The gate speaks for the hosts of other applications, which may have http services.
    const bool is_own_host = !endpoint_.takes_questions;
    const WireFacts facts{id, is_own_host && app_.settings().issuer.starts_with("https:"), head};
    try {
        return to_wire(response, facts);
    } catch (const std::exception& error) {
        response = fail(internal_failure(), id, "answer_refused", error.what());
        return to_wire(response, facts);
    }
}

/// An unknown client_id may be a secret pasted into the wrong field. Log only its beginning: enough to spot a typo,
/// useless to an attacker.
std::string Service::name_of_client(const std::string& sent) {
    std::string beginning = beginning_of_client_id(sent);
    const bool is_url =
        oauth::is_client_id_url(sent) && !oauth::client_id_url_problem(sent, app_.settings().outbound.ports);
    if (beginning == sent || is_url) return sent;
    try {
        db::Database* database = app_.database_if_open();
        if (database && store::is_client(*database, model::ClientId(sent))) return sent;
    } catch (const std::exception&) {  // a database that fails has a line of its own
    }
    return beginning;
}

void Service::record_refusal(const http::Response& response, const std::string& id) {
    if (!response.refusal) return;
    const http::Refusal& refusal = *response.refusal;
    const std::string_view error = refusal::error_word(refusal.reason);
    const std::string status = std::to_string(response.status);
    const bool is_named = !refusal.client_id.empty() || !response.client_id;
    const std::string client_id = is_named ? name_of_client(refusal.client_id) : *response.client_id;
    refusals_.record({id, app_.clock().now(), endpoint_.name, response.status, std::string(error),
                      refusal::row_of(refusal.reason).word, refusal.description, refusal.detail, client_id,
                      client_.unknown_because, app_.trail().user()});
    app_.log().info("refused", {{"id", id},
                                {"endpoint", endpoint_.name},
                                {"status", status},
                                {"error", std::string(error)},
                                {"description", refusal.description},
                                {"detail", refusal.detail},
                                {"client_id", client_id}});
}

/// Told once: it holds for every request that takes the same way.
void Service::find_client(const gateway::Variables& variables, const std::string& id) {
    client_ = gateway::client_address(variables.get("REMOTE_ADDR"), variables.get("HTTP_X_FORWARDED_FOR"),
                                      app_.config().trusted_proxies);
    if (client_.unknown_because.empty() || has_told_of_address_) return;
    has_told_of_address_ = true;
    app_.log().warn("client_address_unknown", {{"id", id}, {"reason", client_.unknown_because}});
}

void Service::tell_warning() {
    db::Database* database = app_.database_if_open();
    const std::string warning = database ? db::take_warning(*database) : std::string();
    if (!warning.empty()) app_.log().warn("database_warning", {{"reason", warning}});
}

/// Committed events are written even when the handler has thrown afterwards.
void Service::write_audit() {
    const audit::Trail& trail = app_.trail();
    for (const auto& [event, members] : trail.entries()) {
        std::vector<util::Log::Field> fields = {{"id", trail.request_id()}, {"address", trail.address()}};
        fields.insert(fields.end(), members.begin(), members.end());
        app_.log().write(util::LogLevel::audit, audit::row(event).name, fields);
    }
}

void Service::run(gateway::Exchange& exchange) noexcept {
    try {
        const auto started = std::chrono::steady_clock::now();
        exchange.read_variables(variables_);
        const std::string id = make_request_id(app_.random(), app_.config().node);
        const gateway::Body body = exchange.receive(app_.config().limits.body);
        const std::string_view method = exchange.variables().get("REQUEST_METHOD");
        app_.trail().begin(id, "");
        find_client(exchange.variables(), id);
        http::Response response = handle(exchange.variables(), body, id);
        if (os::WakeFile* wake = app_.mail_wake_if_open()) wake->wake_if_requested();
        if (os::WakeFile* wake = app_.logout_wake_if_open()) wake->wake_if_requested();
        tell_warning();
        write_audit();  // before the answer, and whatever becomes of it
        apply_cors(response, exchange.variables());
        const std::string wire = serialize(response, id, method == "HEAD");
        record_refusal(response, id);  // before the answer: a reader of the id may ask `postern why` about it at once
        const auto spent =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started);
        app_.log().write(response.is_routine ? util::LogLevel::debug : util::LogLevel::info, "request",
                         {{"id", id},
                          {"method", method},
                          {"endpoint", endpoint_.name},
                          {"status", std::to_string(response.status)},
                          {"milliseconds", std::to_string(spent.count())}});
        exchange.send(wire);
    } catch (...) {  // no random bytes, no memory
        exchange.send(bare_failure());
    }
}

void Service::sweep() {
    try {
        if (!store::may_sweep(*app_.database_if_open())) return;
        const util::Time before = app_.clock().now() - store::kExpiredRetention;
        db::write(*app_.database_if_open(), db::Durability::lazy, kLongestSweepWait, [&](db::Transaction& transaction) {
            store::sweep(transaction, before);
            transaction.commit();
        });
    } catch (const db::StoreBusy&) {
        return;  // left to another process: the next request must not wait for work without hurry
    }
}

void Service::tidy_up() noexcept {
    if (endpoint_.after_answer) endpoint_.after_answer(app_);
    if (endpoint_.takes_questions) return;  // they are many, and the other programs sweep
    if (endpoint_.store != StoreUse::write) return;
    try {
        db::checkpoint_if_due(*app_.database_if_open());
        if (static_cast<unsigned char>(app_.random().bytes(1)[0]) % kRequestsPerSweep == 0) sweep();
    } catch (const std::exception& error) {
        app_.log().warn("sweep_failed", {{"reason", error.what()}});
    }
}

}  // namespace postern::server
