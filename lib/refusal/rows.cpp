// Finds the row of a reason.
#include "refusal/rows.h"

#include <stdexcept>

namespace postern::refusal {
namespace {

template <class Matches>
const Row* find_if(const Matches& matches) {
    for (const auto& part :
         {kOAuthRows, kScopeRows, kPageRows, kSignInRows, kDocumentRows, kRegistrationRows, kGateRows})
        for (const Row& row : part)
            if (matches(row)) return &row;
    return nullptr;
}

}  // namespace

const Row& row_of(Reason reason) {
    if (const Row* row = find_if([&](const Row& each) { return each.reason == reason; })) return *row;
    throw std::logic_error("refusal without a row");
}

const Row* find_row(std::string_view word) {
    return find_if([&](const Row& each) { return word == each.word; });
}

std::string_view error_word(Reason reason) { return row_of(row_of(reason).error).word; }

}  // namespace postern::refusal
