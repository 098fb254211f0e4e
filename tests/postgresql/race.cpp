// Starts the processes of a race, and holds them back until all are ready.
#include "postgresql/race.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "db/postgres/connection.h"
#include "oauth/access_token.h"
#include "oauth/refresh_token.h"
#include "store/access_tokens.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "store/sessions.h"
#include "store/token_list.h"
#include "support/database.h"
#include "support/rows.h"

namespace postern::test {
namespace {

constexpr int kMostRounds = 300;
constexpr int kMostProcesses = 8;
constexpr int kMostAnswersOfBusy = 100;

/// What the processes share, made before they are.
struct Board {
    pthread_barrier_t start;
    std::atomic<long> conflicts{0};
    int answers[kMostRounds][kMostProcesses] = {};
    char failure[1024] = {};
};

struct Unmap {
    void operator()(Board* board) const { ::munmap(board, sizeof(Board)); }
};

std::unique_ptr<Board, Unmap> make_board(unsigned processes) {
    void* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    std::unique_ptr<Board, Unmap> board(new (memory) Board);
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&board->start, &attributes, processes);
    return board;
}

/// A connection that stops for moments between statements, so that few rounds show many orders of events.
class RacingConnection final : public db::PostgresConnection {
public:
    RacingConnection(const std::string& uri, Driver driver, Board& board)
        : PostgresConnection(uri, db::kCommand, db::Access::read_write, std::chrono::seconds(30),
                             db::Versions::this_one),
          driver_(driver),
          board_(board),
          random_(static_cast<unsigned>(::getpid())) {}

    void pause() {
        if (chance(4)) ::usleep(std::uniform_int_distribution<useconds_t>(0, 500)(random_));
    }
    db::PostgresStatement& prepare(const char* sql) override {
        if (in_transaction()) pause();
        return PostgresConnection::prepare(sql);
    }
    void begin(db::Durability durability, std::chrono::milliseconds lock_wait) override {
        PostgresConnection::begin(durability, lock_wait);
        if (driver_ == Driver::serializable) run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    }
    void commit(db::Durability durability) override {
        pause();
        if (driver_ == Driver::conflicting && chance(2))
            throw db::StoreConflict("put in by the test", db::StoreConflict::Kind::transient);
        PostgresConnection::commit(durability);
    }
    void roll_back() noexcept override {
        if (std::uncaught_exceptions() > 0) ++board_.conflicts;
        PostgresConnection::roll_back();
    }
    bool has_row_locks() const override { return driver_ != Driver::unlocked; }

private:
    bool chance(int of) { return std::uniform_int_distribution<int>(1, of)(random_) == 1; }

    Driver driver_;
    Board& board_;
    std::minstd_rand random_;
};

int ask(const Act& act, oauth::Context& context, int round, int process) {
    for (int asked = 1;; ++asked) {
        try {
            return act(context, round, process);
        } catch (const db::StoreBusy&) {
            if (asked == kMostAnswersOfBusy) throw;
        }
    }
}

/// In a process of its own, which leaves without taking down what its parent has opened.
[[noreturn]] void take_part(const RaceWorld& world, Board& board, const Act& act, int process) {
    try {
        auto connection = std::make_unique<RacingConnection>(world.uri, world.driver, board);
        RacingConnection& racing = *connection;
        RulesFixture own(db::Database(std::move(connection)), "process " + std::to_string(process));
        own.settings = world.fixture.settings;
        for (int round = 0; round < world.rounds(); ++round) {
            oauth::Context context = own.context();
            pthread_barrier_wait(&board.start);
            racing.pause();
            board.answers[round][process] = ask(act, context, round, process);
        }
    } catch (const std::exception& error) {
        std::snprintf(board.failure, sizeof board.failure, "process %d: %s", process, error.what());
        ::_exit(1);
    }
    ::_exit(0);
}

/// One that fails leaves the others at the barrier, so they are ended.
bool all_succeed(std::vector<pid_t> processes) {
    bool good = true;
    while (!processes.empty()) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, 0);
        if (ended < 0) return false;
        processes.erase(std::remove(processes.begin(), processes.end(), ended), processes.end());
        if (status == 0 || !good) continue;
        good = false;
        for (const pid_t other : processes) ::kill(other, SIGKILL);
    }
    return good;
}

const char* name_of(Driver driver) {
    switch (driver) {
        case Driver::shipped:
            return "READ COMMITTED, rows locked";
        case Driver::serializable:
            return "SERIALIZABLE";
        case Driver::conflicting:
            return "conflicts put in";
        case Driver::unlocked:
            return "READ COMMITTED, no row locked";
    }
    return "";
}

std::string uri_of_new_schema() {
    std::string uri = empty_schema();
    if (uri.empty()) throw std::runtime_error("POSTERN_TEST_DATABASE names no server; races.test.mjs starts one");
    return uri;
}

}  // namespace

RaceWorld::RaceWorld(Driver racing)
    : driver(racing), uri(uri_of_new_schema()), fixture(db::Database(uri, db::Access::read_write), "world") {}

model::Grant RaceWorld::add_grant(const model::User& user, const model::Sid& sid) {
    model::Grant grant;
    grant.id = model::GrantId(crypto::random_id(fixture.random));
    grant.client_id = client.id;
    grant.subject = user.subject;
    grant.scope = *model::Scope::parse("openid email");
    grant.sid = sid;
    grant.auth_time = grant.created_at = fixture.clock.now();
    write([&](db::Transaction& transaction) { store::insert_grant(transaction, grant); });
    return grant;
}

std::string RaceWorld::add_code(const model::Grant& grant) {
    std::string value = crypto::random_token(fixture.random);
    model::AuthorizationCode code;
    code.code_hash = oauth::hash_of(value);
    code.grant_id = grant.id;
    code.redirect_uri = client.redirect_uris.front();
    code.expires_at = fixture.clock.now() + fixture.settings.authorization_code_ttl;
    write([&](db::Transaction& transaction) { store::insert_code(transaction, code); });
    return value;
}

std::string RaceWorld::add_access(const model::Grant& grant) {
    auto issue = oauth::make_access_token(context, {grant, grant.scope});
    write([&](db::Transaction& transaction) { store::insert_access_token(transaction, issue.record); });
    return std::move(issue.value);
}

std::string RaceWorld::add_refresh(const model::Grant& grant) {
    auto issue = oauth::make_refresh_token(context, grant, std::nullopt);
    write([&](db::Transaction& transaction) { store::insert_refresh_token(transaction, issue.record); });
    return std::move(issue.value);
}

model::AuthorizationRequest RaceWorld::make_request(const std::string& scope) {
    model::AuthorizationRequest request;
    request.id = "request " + std::to_string(++requests_);
    request.client_id = client.id;
    request.redirect_uri = client.redirect_uris.front();
    request.scope = *model::Scope::parse(scope);
    request.expires_at = fixture.clock.now() + fixture.settings.authorization_request_ttl;
    return request;
}

std::int64_t RaceWorld::count_active(const char* kind, const model::Grant& grant) {
    const store::GrantFilter filter{.client = {}, .subject = grant.subject, .before = {}};
    const auto all = all_of(store::list_tokens(fixture.database, filter, fixture.clock.now(), store::Listed::active));
    return std::count_if(all.begin(), all.end(),
                         [&](const auto& each) { return each.kind == kind && each.grant_id == grant.id; });
}

std::size_t RaceWorld::count_living_grants(const model::User& user) {
    return store::find_living_grants(fixture.database, {.client = {}, .subject = user.subject, .before = {}}).size();
}

std::size_t RaceWorld::count_sessions(const model::User& user) {
    const util::Time now = fixture.clock.now();
    return all_of(store::list_sessions(fixture.database, {now, now - fixture.settings.session_idle_ttl}, user.subject))
        .size();
}

long Answers::count(int round, int answer) const {
    const auto& answers = of_rounds.at(static_cast<std::size_t>(round));
    return std::count(answers.begin(), answers.end(), answer);
}

long Answers::sum() const {
    long sum = 0;
    for (const auto& answers : of_rounds) sum = std::accumulate(answers.begin(), answers.end(), sum);
    return sum;
}

int RaceWorld::rounds() const {
    if (std::getenv("POSTERN_LONG")) return kMostRounds;
    return driver == Driver::shipped || driver == Driver::unlocked ? 40 : 15;
}

Answers race(const RaceWorld& world, const std::vector<Act>& acts) {
    if (acts.size() > kMostProcesses) throw std::logic_error("more processes than answers");
    const auto board = make_board(static_cast<unsigned>(acts.size()));
    std::vector<pid_t> processes;
    std::fflush(nullptr);
    for (std::size_t i = 0; i < acts.size(); ++i) {
        const pid_t started = ::fork();
        if (started < 0) throw std::runtime_error("fork");
        if (started == 0) take_part(world, *board, acts[i], static_cast<int>(i));
        processes.push_back(started);
    }
    if (!all_succeed(std::move(processes))) throw std::runtime_error(board->failure);
    Answers answers;
    answers.conflicts = board->conflicts;
    for (int round = 0; round < world.rounds(); ++round)
        answers.of_rounds.emplace_back(board->answers[round], board->answers[round] + acts.size());
    return answers;
}

std::vector<Act> times(int count, const Act& act) { return {static_cast<std::size_t>(count), act}; }

std::vector<Act> beside(std::vector<Act> some, const Act& other) {
    some.push_back(other);
    return some;
}

void Verdict::expect(int round, const char* what, std::int64_t found, std::int64_t wanted) {
    if (found == wanted) return;
    broken.insert(round);
    if (first.empty())
        first = "round " + std::to_string(round) + ": " + what + ": " + std::to_string(found) + ", not " +
                std::to_string(wanted);
}

namespace {

Verdict decide(const Rule& rule, Driver driver) {
    Verdict verdict = rule(driver);
    std::printf("%s: %d rounds, %zu broken, %ld conflicts\n", name_of(driver), verdict.rounds, verdict.broken.size(),
                verdict.conflicts);
    return verdict;
}

}  // namespace

void must_hold(const Rule& rule) {
    for (const Driver driver : {Driver::shipped, Driver::serializable, Driver::conflicting}) {
        const Verdict verdict = decide(rule, driver);
        CAPTURE(name_of(driver));
        CAPTURE(verdict.first);
        CHECK(verdict.broken.empty());
        if (driver == Driver::conflicting) CHECK(verdict.conflicts > 0);
    }
}

void must_hold_by_locks(const Rule& rule) {
    must_hold(rule);
    constexpr int kMostRaces = 20;
    for (int races = 0; races < kMostRaces; ++races) {
        if (!decide(rule, Driver::unlocked).broken.empty()) return;
    }
    FAIL("the rule holds without the locks");
}

}  // namespace postern::test
