// The names of the purposes of links.
#include "model/link.h"

#include "model/named.h"

namespace postern::model {
namespace {

constexpr Named<LinkPurpose> kNames[] = {
    {LinkPurpose::invite, "invite"},
    {LinkPurpose::password, "password"},
    {LinkPurpose::factors, "factors"},
    {LinkPurpose::email, "email"},
};

}  // namespace

std::string_view to_string(LinkPurpose purpose) { return name_of(kNames, purpose); }

std::optional<LinkPurpose> parse_link_purpose(std::string_view name) { return find_named(kNames, name); }

}  // namespace postern::model
