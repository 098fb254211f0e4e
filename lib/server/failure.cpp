// An answer that the server gives in the endpoint's place: fixed texts, in the endpoint's own form.
#include "server/failure.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "db/error.h"
#include "json/value.h"
#include "server/wire.h"
#include "util/tr.h"

namespace postern::server {
namespace {

using refusal::Reason;
using util::tr;

struct Words {
    int status;
    const char* title;
    const char* message;
    const char* who;
};

constexpr const char* kApplication =
    tr("If a link or button of an application brought you here, the people who run that application can fix it.");
constexpr const char* kOperator =
    tr("If it keeps happening, tell the people who run this sign-in service, with the number below.");

constexpr Words kWords[] = {
    {400, tr("This request could not be understood"), tr("Nothing was changed."), kApplication},
    {404, tr("There is no page here"), tr("The address does not belong to this sign-in service."), kApplication},
    {405, tr("This page cannot be used that way"), tr("Nothing was changed."), kApplication},
    {411, tr("This request could not be understood"), tr("Its length was not announced. Nothing was changed."),
     kApplication},
    {413, tr("This request is too large"), tr("Nothing was changed."), kApplication},
    {414, tr("This address is too long"), tr("Nothing was changed."), kApplication},
    {431, tr("This request is too large"), tr("Deleting this site's cookies may help."), kApplication},
    {503, tr("Please try again in a moment"), tr("The sign-in service is busy."), kOperator},
    {500, tr("Something went wrong"), tr("It is our fault, not yours."),
     kOperator},  // the last row is for everything else
};

const Words& words_for(int status) {
    const auto found = std::ranges::find(kWords, status, &Words::status);
    return found == std::end(kWords) ? *std::prev(found) : *found;
}

http::Response plain_text(const Words& words, int status, const std::string& request_id) {
    http::Response response;
    response.status = status;
    response.set("Content-Type", "text/plain; charset=utf-8");
    response.body = std::string(words.title) + ". " + words.message + "\n" + request_id + "\n";
    return response;
}

/// Adds to `detail` why the page could not be shown.
http::Response page(int status, const pages::Pages* pages, const std::string& request_id, const std::string& sign_out,
                    std::string& detail) {
    const Words& words = words_for(status);
    if (pages == nullptr) return plain_text(words, status, request_id);
    try {
        return pages->error(
            {status, words.title, words.message, words.who, request_id, "", status == 404 ? "" : sign_out});
    } catch (const std::exception& error) {
        detail.append(detail.empty() ? "" : "; ").append("no error page: ").append(error.what());
        return plain_text(words, status, request_id);
    }
}

}  // namespace

Failure refused_request(int status, std::string description, std::string detail) {
    return {.status = status, .description = std::move(description), .detail = std::move(detail)};
}

Failure store_failure() {
    Failure failure{.status = 503,
                    .reason = Reason::temporarily_unavailable,
                    .description = "The server is busy. Try again in a moment."};
    failure.headers.emplace_back("Retry-After", "5");
    return failure;
}

Failure internal_failure() {
    return {.status = 500, .reason = Reason::server_error, .description = "The server could not answer this request."};
}

http::Response render_failure(const Failure& failure, OnFailure form, const pages::Pages* pages,
                              const std::string& request_id, const std::string& sign_out) {
    std::string detail = failure.detail;
    http::Response response = form == OnFailure::page
                                  ? page(failure.status, pages, request_id, sign_out, detail)
                                  : http::json(json::Object{{"error", refusal::error_word(failure.reason)},
                                                            {"error_description", failure.description}},
                                               failure.status);
    for (const auto& header : failure.headers) response.set(header.first, header.second);
    response.refusal = http::Refusal{failure.reason, failure.description, detail, ""};
    return response;
}

std::string start_failure(const std::exception& error) {
    const bool is_storage = dynamic_cast<const db::StoreError*>(&error) != nullptr;
    const bool is_for_good = dynamic_cast<const db::StoreUnusable*>(&error) != nullptr;
    return is_storage && !is_for_good ? bare_unavailability() : bare_failure();
}

}  // namespace postern::server
