// Decides which statements the server is sent together: on a network each flight costs a round trip, however much is in
// it. libpq's pipeline mode lasts for one flight, so that the connection is an ordinary one in between.
#include <span>
#include <utility>

#include "db/error.h"
#include "db/postgres/connection.h"
#include "db/postgres/errors.h"

namespace postern::db {

void PostgresConnection::queue(PostgresStatement& statement, std::vector<PostgresValue> values) {
    queue_.push_back({&statement, std::move(values)});
}

Result PostgresConnection::fly() {
    const auto flight = std::exchange(queue_, {});
    connect_if_needed();
    begun_ = open_;
    refused_ = false;
    return wait_for_answers(send(flight));
}

std::vector<PostgresConnection::Awaited> PostgresConnection::send(const std::vector<Queued>& flight) {
    std::vector<Awaited> awaited;
    const char* sql = flight.front().statement->sql();
    const auto check = [&](int was_sent) {
        if (!was_sent) throw_broken(sql);
    };
    check(libpq().PQenterPipelineMode(connection_));
    for (const auto& [statement, values] : flight) {
        sql = statement->sql();
        const auto count = static_cast<int>(values.size());
        std::vector<Oid> types;
        std::vector<const char*> texts;
        for (const PostgresValue& each : values) {
            types.push_back(each.type);
            texts.push_back(each.is_null ? nullptr : each.text.c_str());
        }
        if (is_pooled_) {  // in another session the name is unknown, or another process's statement
            check(libpq().PQsendQueryParams(connection_, sql, count, types.data(), texts.data(), nullptr, nullptr, 0));
            awaited.push_back({statement, false});
            continue;
        }
        if (statement->prepared_in != session_) {
            check(libpq().PQsendPrepare(connection_, statement->name().c_str(), sql, count, types.data()));
            statement->prepared_in = session_;
            awaited.push_back({statement, true});
        }
        check(libpq().PQsendQueryPrepared(connection_, statement->name().c_str(), count, texts.data(), nullptr, nullptr,
                                          0));
        awaited.push_back({statement, false});
    }
    check(libpq().PQpipelineSync(connection_));
    return awaited;
}

Result PostgresConnection::wait_for_answers(const std::vector<Awaited>& awaited) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    Result answer;
    for (std::size_t i = 0; i < awaited.size(); ++i) {
        const char* sql = awaited[i].statement->sql();
        answer = next_result(deadline, sql);
        if (!answer) throw_broken(sql);
        if (is_error(answer)) refuse(answer, std::span(awaited).subspan(i), deadline);
        next_result(deadline, sql);  // none: the end of this answer
    }
    end_flight(deadline);
    return answer;
}

void PostgresConnection::refuse(const Result& error, std::span<const Awaited> unanswered, os::Deadline deadline) {
    for (const Awaited& each : unanswered) {
        if (each.is_preparation) each.statement->prepared_in = 0;
    }
    // A pooler answers the first of them with an error of its own when the server is gone.
    refused_ = unanswered.size() > 1 && !state_of(error).empty() && !is_pooled_;
    after(state_of(error)) == After::broken ? close() : end_flight(deadline);
    throw_postgres_error(error, unanswered.front().statement->sql(), libpq().PQuser(connection_));
}

void PostgresConnection::end_flight(os::Deadline deadline) {
    constexpr const char* kDoing = "the end of a flight";
    for (;;) {
        const Result next = next_result(deadline, kDoing);
        if (libpq().PQresultStatus(next.get()) == PGRES_PIPELINE_SYNC) break;
        if (libpq().PQstatus(connection_) != CONNECTION_OK) throw_broken(kDoing);
    }
    if (!libpq().PQexitPipelineMode(connection_)) throw_broken(kDoing);
}

}  // namespace postern::db
