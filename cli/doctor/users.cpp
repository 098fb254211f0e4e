// Checks whether applications will find in the users' claims what they commonly require.
#include "cli/doctor/findings.h"

namespace postern::cli {
namespace {

// The walk over the table is bounded; so many show what a hint is about.
constexpr std::int64_t kUsersLookedAt = 100000;

struct Emails {
    std::int64_t users = 0;
    std::int64_t unverified = 0;  ///< with `email` and without `email_verified`, be it true or false
};

/// Claims are stored without white space, and quotation marks in their texts are escaped: a name with its colon is
/// found only where it is the name of a claim.
Emails count_emails(db::Database& database) {
    auto row = database.query(
        "SELECT count(*), count(CASE WHEN claims LIKE '%\"email\":%' AND claims NOT LIKE '%\"email_verified\":%' THEN 1 "
        "END) FROM (SELECT claims FROM users LIMIT $1) AS looked_at",
        kUsersLookedAt);
    Emails emails;
    if (row.step()) row >> emails.users >> emails.unverified;
    return emails;
}

}  // namespace

void check_users(Findings& findings, db::Database& database, const oauth::Settings& settings) {
    if (!settings.oidc) return;
    const Emails emails = count_emails(database);
    if (emails.unverified == 0) return;
    const std::string all = (emails.users < kUsersLookedAt ? "" : "the first ") + std::to_string(emails.users);
    findings.ok("users",
                std::to_string(emails.unverified) + " of " + all +
                    " users have an `email` without `email_verified`, and some applications refuse them; once you know "
                    "that an address is the user's own, `postern user set NAME --claim email_verified=true` says so "
                    "(for many users: `postern user import --update --email-verified FILE`)");
}

}  // namespace postern::cli
