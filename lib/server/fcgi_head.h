// Whether the head of a FastCGI request, its beginning and its variables, is one that the FastCGI library can read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace postern::server {

/// Variables, and what frames them, are at most so large: more than any web server takes from a client, and less than
/// the kernel keeps for a socket that is not read from.
constexpr std::size_t kLongestHead = std::size_t{128} * 1024;

/// Looks at a request as its bytes come. The library believes lengths before the bytes are there, adds them up without
/// looking, and ends the process when there is no memory for them; it takes variables that are cut between two of them
/// for all there are. So it only gets what this has found good: one beginning of eight bytes and then its variables,
/// whole, in records of one request (FastCGI 1.0 §3.3, §3.4, §5.1, §5.2). Web servers send nothing else before a body.
class FcgiHead {
public:
    enum class Verdict {
        incomplete,  ///< good so far
        good,        ///< the variables have ended; what follows was not looked at
        bad,
    };

    /// Takes the next bytes. Once it is good or bad, so it stays.
    Verdict take(std::string_view bytes);

private:
    enum class Part { header, content, padding };
    enum class Pair { name_length, value_length, bytes };

    Verdict take_header();
    Verdict take_content(std::uint8_t byte);
    bool take_length(std::uint8_t byte);
    Verdict end_record();

    Verdict verdict_ = Verdict::incomplete;
    std::size_t seen_ = 0;

    Part part_ = Part::header;
    std::uint8_t header_[8] = {};
    std::size_t have_ = 0;  ///< bytes of the header
    std::size_t content_left_ = 0;
    std::size_t padding_left_ = 0;
    bool has_begun_ = false;
    std::uint8_t id_[2] = {};

    Pair pair_ = Pair::name_length;
    std::size_t length_left_ = 0;  ///< bytes of a length that are to come
    std::size_t length_ = 0;
    std::size_t pair_left_ = 0;  ///< bytes of name and value that are to come
};

}  // namespace postern::server
