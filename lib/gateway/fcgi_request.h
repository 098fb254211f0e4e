// The records of one FastCGI request and its answer: which may be believed, and what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/variables.h"

namespace postern::gateway {

/// Variables, and what frames them, are at most so large: more than any web server takes from a client.
constexpr std::size_t kLongestHead = std::size_t{128} * 1024;

/// The header of each record (FastCGI 1.0 §3.3), as it comes.
class FcgiRecord {
public:
    /// Takes of these bytes what belongs to the header, and gives how many that were.
    std::size_t take(std::string_view bytes);
    void begin_next() { have_ = 0; }
    std::size_t missing() const { return sizeof header_ - have_; }
    bool is_known() const { return missing() == 0; }

    std::uint8_t version() const { return header_[0]; }
    std::uint8_t type() const { return header_[1]; }
    std::size_t id() const { return header_[2] * 256U + header_[3]; }
    std::size_t content() const { return header_[4] * 256U + header_[5]; }
    std::size_t padding() const { return header_[6]; }

private:
    std::uint8_t header_[8] = {};
    std::size_t have_ = 0;
};

/// Reads the head of a request: its beginning and its variables. Lengths are added up as they come, and nothing is kept
/// for bytes that are only promised. What is not one beginning as responder and then variables, whole, in records of
/// one request (§3.4, §5.1, §5.2), is bad: web servers send nothing else before a body. So is a variable with a NUL,
/// which none of a CGI program can have.
class FcgiHead {
public:
    enum class Verdict {
        incomplete,  ///< good so far
        good,        ///< the variables have ended; what follows was not looked at
        bad,
    };

    /// Takes the next bytes, none behind the head. Once it is good or bad, so it stays.
    Verdict take(std::string_view bytes);

    std::size_t size() const { return seen_; }  ///< bytes taken so far
    std::size_t id() const { return id_; }
    bool keeps_connection() const;  ///< FCGI_KEEP_CONN. Only when it is good, as the next.
    /// In the order in which they came. They look into this object.
    NamedValues variables() const;

private:
    enum class Part { header, content, padding };
    enum class Pair { name_length, value_length, bytes };

    std::size_t take_some(std::string_view bytes);
    Verdict judge_header();
    Verdict take_beginning(std::string_view piece);
    Verdict take_pairs(std::string_view piece);
    bool take_length(std::uint8_t byte);
    Verdict end_record();

    Verdict verdict_ = Verdict::incomplete;
    std::size_t seen_ = 0;
    std::size_t id_ = 0;
    std::string beginning_;
    std::string variables_;

    Part part_ = Part::header;
    FcgiRecord record_;
    std::size_t content_left_ = 0;
    std::size_t padding_left_ = 0;
    bool has_begun_ = false;

    Pair pair_ = Pair::name_length;
    std::size_t length_left_ = 0;  ///< bytes of a length that are to come
    std::size_t length_ = 0;
    std::size_t pair_left_ = 0;  ///< bytes of name and value that are to come
};

/// Reads the body that follows a head (§5.3), and nothing else: among its records the protocol allows questions about
/// the program, with lengths of their own.
class FcgiBody {
public:
    /// Gives at most so many bytes; 0 when there are no more, as after a broken connection.
    using Source = std::function<std::size_t(char* buffer, std::size_t size)>;

    FcgiBody(std::size_t id, Source source) : id_(id), source_(std::move(source)) {}

    /// At most `size` bytes of it: 0 at its end; nullopt when it was aborted or cut off, or something else came.
    std::optional<std::size_t> read(char* buffer, std::size_t size);

    bool has_ended() const { return ended_; }

private:
    bool begin_record();
    bool skip_padding();

    std::size_t id_;
    Source source_;
    std::size_t content_left_ = 0;
    std::size_t padding_left_ = 0;
    bool ended_ = false;
    bool broken_ = false;
};

/// The records that answer the request `id` with this output, whole: FCGI_STDOUT, its end, and FCGI_END_REQUEST (§5.3,
/// §5.5).
std::string fcgi_answer(std::size_t id, std::string_view output);

}  // namespace postern::gateway
