// A command that is printed for an operator to copy: what comes from elsewhere stands in it as one word.
#pragma once

#include <string>
#include <string_view>

namespace postern::util {

/// Writes `value` as one word of a shell: as it is when no character means something to a shell, else in quotes. With
/// characters that cannot be seen or that reorder a line it is $'...' with octal escapes (POSIX.1-2024, bash, zsh,
/// ksh); a shell that does not know this form takes another word, and runs nothing of it.
std::string shell_word(std::string_view value);

/// Writes `name` as an identifier of SQL, in quotes unless it is plain; characters that cannot be seen are escapes
/// (U&"...").
std::string sql_identifier(std::string_view name);

/// A text that is known when the program is compiled, so that no value from elsewhere can be one.
struct OwnWords {
    consteval OwnWords(const char* words) : text(words) {}
    std::string_view text;
};

/// Collects the words of a command in their order. Paths and values come from elsewhere, everything else is ours:
///
///     ShellCommand("postern client set").value(id).words("--acr any").text()
class ShellCommand {
public:
    explicit ShellCommand(const OwnWords& program) : text_(program.text) {}
    ShellCommand& words(OwnWords words) { return add(words.text); }
    /// Adds an argument. Options come before it, because after one that begins with a dash all words are arguments.
    ShellCommand& value(std::string_view value);
    /// Adds the path of a file.
    ShellCommand& path(std::string_view path);
    /// Adds `--name=` and its value.
    ShellCommand& option(OwnWords name, std::string_view value) {
        return add(std::string(name.text) + shell_word(value));
    }
    std::string text() const { return text_; }
    /// Returns the command in backquotes, for a place in a sentence.
    std::string quoted() const { return '`' + text_ + '`'; }

private:
    ShellCommand& add(std::string_view word) {
        text_.append(" ").append(word);
        return *this;
    }
    std::string text_;
    bool has_ended_options_ = false;
};

}  // namespace postern::util
