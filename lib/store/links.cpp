// Decides which links of the operator count, and that each counts once.
#include "store/links.h"

#include "store/users.h"

namespace postern::store {
namespace {

model::LinkPurpose purpose_of(const std::string& name) {
    const auto purpose = model::parse_link_purpose(name);
    if (!purpose) throw db::StoreError("links.purpose holds something else than a purpose");
    return *purpose;
}

}  // namespace

bool insert_link(db::Transaction& transaction, const model::Link& link) {
    const std::string_view purpose = model::to_string(link.purpose);
    lock_user(transaction, link.subject);
    transaction.run("DELETE FROM links WHERE subject = $1 AND purpose = $2", link.subject, purpose);
    return transaction.run(
               "INSERT INTO links (token_hash, purpose, subject, stamp, made_by, created_at, expires_at, used_at,"
               " email) SELECT CAST($1 AS text), CAST($2 AS text), u.subject, u.stamp, CAST($4 AS text), CAST($5 AS bigint),"
               " CAST($6 AS bigint), NULL, CAST($7 AS text) FROM users u WHERE u.subject = $3",
               link.token_hash, purpose, link.subject, link.made_by, link.created_at, link.expires_at, link.email) == 1;
}

std::optional<FoundLink> find_link(db::Database& database, const model::ValueHash& token_hash) {
    auto row = database.query(
        "SELECT l.token_hash, l.purpose, l.subject, l.made_by, l.created_at, l.expires_at, l.used_at, l.email, u.username,"
        " CASE WHEN u.enabled = 1 AND u.stamp = l.stamp THEN 0 ELSE 1 END"
        " FROM links l JOIN users u ON u.subject = l.subject WHERE l.token_hash = $1",
        token_hash);
    if (!row.step()) return std::nullopt;
    FoundLink found;
    std::string purpose;
    row >> found.link.token_hash >> purpose >> found.link.subject >> found.link.made_by >> found.link.created_at >>
        found.link.expires_at >> found.link.used_at >> found.link.email >> found.username >> found.is_void;
    found.link.purpose = purpose_of(purpose);
    return found;
}

bool spend_link(db::Transaction& transaction, const model::Link& link, util::Time now) {
    lock_user(transaction, link.subject);
    return transaction.run(
               "UPDATE links SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2"
               " AND stamp = (SELECT u.stamp FROM users u WHERE u.subject = links.subject AND u.enabled = 1)",
               link.token_hash, now) == 1;
}

}  // namespace postern::store
