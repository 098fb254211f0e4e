#include "db/sqlite/write_lock.h"

#include <sys/time.h>

#include <csignal>

#include "db/error.h"
#include "unit/db/fixture.h"
#include "unit/db/refused_lock.h"

using namespace postern;
using namespace postern::test;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kShort{30};

/// A child that says when it is ready and holds the write lock until it is told to go.
class Holder {
public:
    explicit Holder(const std::string& path) {
        REQUIRE(::pipe(ready_) == 0);
        REQUIRE(::pipe(go_) == 0);
        child_ = start_child([&] {
            db::WriteLock gate(path);
            gate.lock(Clock::now());
            char byte = 'x';
            if (::write(ready_[1], &byte, 1) != 1) return 1;
            ::close(go_[1]);
            return ::read(go_[0], &byte, 1) >= 0 ? 0 : 1;
        });
        char byte = 0;
        REQUIRE(::read(ready_[0], &byte, 1) == 1);
    }
    ~Holder() {
        ::kill(child_, SIGKILL);
        exit_code_of(child_);
        for (const int descriptor : {ready_[0], ready_[1], go_[0], go_[1]}) ::close(descriptor);
    }
    pid_t pid() const { return child_; }

private:
    int ready_[2]{};
    int go_[2]{};
    pid_t child_ = -1;
};

}  // namespace

TEST_CASE("WriteLock: a second holder waits for the given time, then throws StoreBusy") {
    const TemporaryDirectory directory;
    db::WriteLock first(directory / "db.gate");
    db::WriteLock second(directory / "db.gate");
    first.lock(Clock::now());
    CHECK_FALSE(second.try_lock());

    const auto begin = Clock::now();
    CHECK_THROWS_AS(second.lock(begin + kShort), db::StoreBusy);
    CHECK(Clock::now() - begin >= kShort);

    first.unlock();
    CHECK_NOTHROW(second.lock(Clock::now()));
    CHECK_FALSE(first.try_lock());
}

TEST_CASE("WriteLock: the wait leaves neither a timer nor a signal handler behind") {
    const TemporaryDirectory directory;
    db::WriteLock first(directory / "db.gate");
    db::WriteLock second(directory / "db.gate");
    first.lock(Clock::now());
    CHECK_THROWS_AS(second.lock(Clock::now() + kShort), db::StoreBusy);

    itimerval timer{};
    ::getitimer(ITIMER_REAL, &timer);
    CHECK(timer.it_value.tv_usec == 0);
    CHECK(timer.it_interval.tv_usec == 0);
    struct sigaction action {};
    ::sigaction(SIGALRM, nullptr, &action);
    CHECK((action.sa_handler == SIG_DFL));
}

TEST_CASE("WriteLock: a waiting process gets it when the holder dies [S02]") {
    const TemporaryDirectory directory;
    const Holder holder(directory / "db.gate");
    db::WriteLock gate(directory / "db.gate");
    REQUIRE_FALSE(gate.try_lock());
    const auto killer = start_child([&] { return ::kill(holder.pid(), SIGKILL) == 0 ? 0 : 1; });
    CHECK_NOTHROW(gate.lock(Clock::now() + std::chrono::seconds(20)));
    CHECK(exit_code_of(killer) == 0);
}

TEST_CASE("WriteLock: made with mode 0660, and only a regular file will do") {
    const TemporaryDirectory directory;
    const auto former = ::umask(0077);
    { const db::WriteLock gate(directory / "db.gate"); }
    ::umask(former);
    CHECK(mode_of(directory / "db.gate") == 0660);

    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    CHECK_THROWS_AS(db::WriteLock(directory / "fifo"), db::StoreUnusable);
    std::filesystem::create_symlink(directory / "db.gate", directory / "link");
    const auto message = refusal<db::StoreUnusable>([&] { db::WriteLock(directory / "link"); });
    CHECK(mentions(message, directory / "link"));
    CHECK_THROWS_AS(db::WriteLock(directory / "missing/db.gate"), db::StoreUnusable);
}

TEST_CASE("WriteLock: a lock that the kernel refuses is an error of the store, with or without waiting [S14]") {
    const TemporaryDirectory directory;
    const auto path = directory / "db.gate";
    db::WriteLock gate(path);
    refuse_locks(path);
    CHECK(mentions(refusal<db::StoreError>([&] { (void)gate.try_lock(); }), path));
    CHECK(mentions(refusal<db::StoreError>([&] { gate.lock(Clock::now()); }), path));
}
