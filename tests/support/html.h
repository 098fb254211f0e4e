// As much of HTML as a test needs to use a form the way a person does.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::test {

using Attributes = std::map<std::string, std::string>;

/// Returns every start tag of that name with its attributes, character references resolved.
std::vector<Attributes> find_tags(std::string_view html, std::string_view tag);

struct Form {
    std::string method;
    std::string action;
    std::map<std::string, std::string> fields;  ///< by name, with the values they came with
    std::map<std::string, std::string> boxes;   ///< likewise those that are not ticked
    std::vector<Attributes> buttons;
};

/// Returns the one form of the page; nullopt when the page has no form.
std::optional<Form> find_form(std::string_view html);
/// Returns the form that has the button with that id, of perhaps several forms.
std::optional<Form> find_form_with(std::string_view html, std::string_view button);

/// Returns true when an element of the page has that id.
bool has_id(std::string_view html, std::string_view id);

/// Returns the address of the link with that id, or "".
std::string link_in(std::string_view html, std::string_view id);

/// Returns the text that a reader sees: without tags, character references resolved, white space runs as one blank.
std::string visible_text(std::string_view html);

}  // namespace postern::test
