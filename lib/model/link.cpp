// The names of what links are for.
#include "model/link.h"

#include <stdexcept>

namespace postern::model {
namespace {

struct Name {
    LinkPurpose purpose;
    std::string_view name;
};
constexpr Name kNames[] = {
    {LinkPurpose::invite, "invite"},
    {LinkPurpose::password, "password"},
    {LinkPurpose::factors, "factors"},
    {LinkPurpose::email, "email"},
};

}  // namespace

std::string_view to_string(LinkPurpose purpose) {
    for (const Name& row : kNames)
        if (row.purpose == purpose) return row.name;
    throw std::logic_error("purpose of a link without a name");
}

std::optional<LinkPurpose> parse_link_purpose(std::string_view name) {
    for (const Name& row : kNames)
        if (row.name == name) return row.purpose;
    return std::nullopt;
}

}  // namespace postern::model
