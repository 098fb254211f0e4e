#include "transfer.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "fetch/allowed.h"

namespace {

using namespace postern;

constexpr long kConnectMilliseconds = 3000;
constexpr long kTotalMilliseconds = 5000;
constexpr std::size_t kLongestField = 1024;

/// The state that the callbacks of one transfer share.
struct Transfer {
    const fetch::Outbound& limits;
    std::size_t most;
    bool drops_body;  ///< the status is the answer
    std::string body;
    std::string refusal;  ///< why it was ended here; "" when it was not
};

/// nullopt: another family.
std::optional<fetch::Address> address_of(const curl_sockaddr& connected) {
    fetch::Address address = fetch::kMapped;
    if (connected.family == AF_INET) {
        sockaddr_in ipv4{};
        std::memcpy(&ipv4, &connected.addr, sizeof ipv4);
        std::memcpy(address.data() + 12, &ipv4.sin_addr, 4);
        return address;
    }
    if (connected.family != AF_INET6 || connected.addrlen < sizeof(sockaddr_in6)) return std::nullopt;
    sockaddr_in6 ipv6{};
    std::memcpy(&ipv6, &connected.addr, sizeof ipv6);  // libcurl keeps room for it behind `addr`
    std::memcpy(address.data(), &ipv6.sin6_addr, address.size());
    return address;
}

/// FETCH-5, on the address that is connected: a name may have another one each time that it is resolved. A proxy is the
/// operator's, and connects itself.
curl_socket_t open_socket(void* given, curlsocktype, curl_sockaddr* connected) {
    auto& transfer = *static_cast<Transfer*>(given);
    const auto address = address_of(*connected);
    if (!address || (!transfer.limits.proxy && !fetch::may_connect(*address, transfer.limits.allow))) {
        const fetch::Network one{address.value_or(fetch::Address{}), 128};
        transfer.refusal = "the address " + fetch::format_network(one) +
                           " of the host is not one of the public Internet, and is not in \"outbound.allow\"";
        return CURL_SOCKET_BAD;
    }
    return ::socket(connected->family, connected->socktype, connected->protocol);
}

std::size_t take_body(const char* bytes, std::size_t, std::size_t count, void* given) {
    auto& transfer = *static_cast<Transfer*>(given);
    if (count > transfer.most - transfer.body.size()) {
        if (transfer.drops_body) return 0;
        transfer.refusal = "the body is longer than " + std::to_string(transfer.most) + " bytes";
        return 0;
    }
    transfer.body.append(bytes, count);
    return count;
}

struct Cleanup {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Handle = std::unique_ptr<CURL, Cleanup>;
using List = std::unique_ptr<curl_slist, Cleanup>;

/// An option that is refused would leave a transfer without its limit.
template <class Value>
void set(const Handle& curl, CURLoption option, Value value) {
    if (curl_easy_setopt(curl.get(), option, value) != CURLE_OK)
        throw std::runtime_error("libcurl does not know option " + std::to_string(option));
}

/// FETCH-6. What libcurl does not do unless it is told to is not forbidden once more: redirects, cookies, .netrc.
void set_request(const Handle& curl, const fetch::Question& question, const fetch::Outbound& limits) {
    set(curl, CURLOPT_URL, question.url.c_str());
    set(curl, CURLOPT_PROTOCOLS_STR, "https");
    set(curl, CURLOPT_FOLLOWLOCATION, 0L);
    set(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(curl, CURLOPT_PROXY, limits.proxy.value_or("").c_str());  // "": nor one of the environment
    set(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set(curl, CURLOPT_USERAGENT, "Postern");
    set(curl, CURLOPT_NOSIGNAL, 1L);
    set(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectMilliseconds);
    set(curl, CURLOPT_TIMEOUT_MS, kTotalMilliseconds);
#if LIBCURL_VERSION_NUM >= 0x075700
    set(curl, CURLOPT_QUICK_EXIT, 1L);  // does not wait for a thread that still resolves the name
#endif
}

/// The question outlives the transfer: libcurl does not copy the body.
void set_post(const Handle& curl, const fetch::Question& question) {
    if (question.purpose != fetch::Purpose::logout_token) return;
    set(curl, CURLOPT_POST, 1L);
    set(curl, CURLOPT_POSTFIELDS, question.body.c_str());
    set(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(question.body.size()));
}

/// FETCH-7.
void set_tls(const Handle& curl, const fetch::Outbound& limits) {
    set(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set(curl, CURLOPT_SSL_VERIFYPEER, 1L);
    set(curl, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!limits.ca) return;
    set(curl, CURLOPT_CAINFO, limits.ca->c_str());
    set(curl, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
}

/// "" when the answer has none, or a longer one than is of use.
std::string field_of(const Handle& curl, const char* name) {
    curl_header* found = nullptr;
    if (curl_easy_header(curl.get(), name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK) return "";
    const std::string value = found->value;
    return value.size() <= kLongestField ? value : "";
}

fetch::Answer answer_of(const Handle& curl, std::string body) {
    fetch::Answer answer;
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
    answer.content_type = field_of(curl, "Content-Type");
    answer.cache_control = field_of(curl, "Cache-Control");
    answer.expires = field_of(curl, "Expires");
    answer.date = field_of(curl, "Date");
    answer.age = field_of(curl, "Age");
    answer.body = std::move(body);
    return answer;
}

/// A receiver of a logout token has answered when its status is there, whatever becomes of the body.
bool has_status(const Handle& curl) {
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    return status >= 200;
}

}  // namespace

void start_transfers() {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw std::runtime_error("libcurl cannot be initialised");
}

fetch::Reply transfer(const fetch::Question& question, const fetch::Outbound& limits) {
    const Handle curl(curl_easy_init());
    const bool is_post = question.purpose == fetch::Purpose::logout_token;
    // A receiver of a logout token need not know `Expect: 100-continue`.
    const List accepted(curl_slist_append(nullptr, is_post ? "Expect:" : "Accept: application/json"));
    if (!curl || !accepted) throw std::runtime_error("libcurl has no memory");
    Transfer state{limits, fetch::most_bytes(question.purpose), is_post, "", ""};
    char error[CURL_ERROR_SIZE] = "";
    set(curl, CURLOPT_ERRORBUFFER, error);
    set(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    set(curl, CURLOPT_OPENSOCKETDATA, &state);
    set(curl, CURLOPT_WRITEFUNCTION, take_body);
    set(curl, CURLOPT_WRITEDATA, &state);
    set(curl, CURLOPT_HTTPHEADER, accepted.get());
    set_request(curl, question, limits);
    set_post(curl, question);
    set_tls(curl, limits);
    const CURLcode result = curl_easy_perform(curl.get());
    if (is_post && has_status(curl)) return answer_of(curl, "");
    if (result == CURLE_OK) return answer_of(curl, std::move(state.body));
    if (!state.refusal.empty()) return state.refusal;
    return std::string(error[0] != '\0' ? error : curl_easy_strerror(result));
}
