// Marks of what was used once, on a server that several nodes ask at the same moment (JTI-3).
#include "store/replays.h"

#include "postgresql/race.h"

using namespace postern;
using test::Driver;
using test::Verdict;

namespace {

constexpr std::int64_t kRoom = 1 << 20;

store::Marked use(oauth::Context& context, const std::string& owner, const std::string& jti,
                  std::int64_t room = kRoom) {
    const auto until = context.now() + util::Seconds(60);
    return store::mark_used(context.store, store::ReplayKind::assertion, store::mark_of(owner, jti, until), room,
                            context.now());
}

Verdict uses_at_once(Driver driver) {
    test::RaceWorld world(driver);
    const auto answers = race(world, test::times(8, [&](oauth::Context& own, int round, int) {
                                  return use(own, "app", std::to_string(round)) == store::Marked::first ? 1 : 0;
                              }));
    Verdict verdict(answers);
    for (int round = 0; round < answers.rounds(); ++round)
        verdict.expect(round, "first uses", answers.count(round, 1), 1);
    return verdict;
}

}  // namespace

TEST_CASE("replays: of processes that use the same name at once, one is the first, on a server, too [JTI-3]") {
    test::must_hold(uses_at_once);
}

TEST_CASE("replays: one context has a quarter of the room on a server, too [JTI-6]") {
    test::RaceWorld world(Driver::shipped);
    auto context = world.fixture.context();
    constexpr std::int64_t kSmall = 1280;  // two marks
    CHECK(use(context, "app", "1", kSmall) == store::Marked::first);
    CHECK(use(context, "app", "2", kSmall) == store::Marked::first);
    CHECK(use(context, "app", "3", kSmall) == store::Marked::crowded);
    CHECK(use(context, "app", "1", kSmall) == store::Marked::again);
    CHECK(use(context, "other", "3", kSmall) == store::Marked::first);
    CHECK(store::count_marks(context.store, store::ReplayKind::assertion) == 3);
}
