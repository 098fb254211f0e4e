// The records of one FastCGI request as they come from a socket: which may be believed, and what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace postern::server {

/// Variables, and what frames them, are at most so large: more than any web server takes from a client.
constexpr std::size_t kLongestHead = std::size_t{128} * 1024;

/// The header of each record (FastCGI 1.0 §3.3), as it comes.
class FcgiRecord {
public:
    /// Takes a byte of the header; true when it was the last.
    bool take(std::uint8_t byte);
    void begin_next() { have_ = 0; }
    bool is_known() const { return have_ == sizeof header_; }

    std::uint8_t version() const { return header_[0]; }
    std::uint8_t type() const { return header_[1]; }
    std::size_t id() const { return header_[2] * 256U + header_[3]; }
    std::size_t content() const { return header_[4] * 256U + header_[5]; }
    std::size_t padding() const { return header_[6]; }

private:
    std::uint8_t header_[8] = {};
    std::size_t have_ = 0;
};

/// Looks at the head of a request: its beginning and its variables. The library believes lengths before the bytes are
/// there, adds them up without looking, ends the process when there is no memory for them, and takes variables that are
/// cut between two of them for all there are. So it only gets what this has found good: one beginning as responder, and
/// then variables, whole, in records of one request (§3.4, §5.1, §5.2). Web servers send nothing else before a body.
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
    /// The same head in as few records as it takes, without padding. Only when it is good.
    std::string rewritten() const;

private:
    enum class Part { header, content, padding };
    enum class Pair { name_length, value_length, bytes };

    Verdict take_header(std::uint8_t byte);
    Verdict take_content(std::uint8_t byte);
    Verdict take_pair(std::uint8_t byte);
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

/// Reads the body that follows a head (§5.3). The library is not asked: among the records of a body it answers
/// questions about itself, and believes their lengths, too.
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

}  // namespace postern::server
