// Keeps lines in memory, and long lists in a temporary file.
#include "cli/spool.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/refused.h"

namespace postern::cli {
namespace {

constexpr std::size_t kInMemory = 1 << 20;

void check(bool was_done) {
    if (!was_done) throw Refused(std::string("a temporary file in /tmp cannot be written: ") + std::strerror(errno));
}

}  // namespace

void Spool::add(std::string_view line) {
    latest_.append(line) += '\n';
    if (latest_.size() > kInMemory) spill();
}

void Spool::spill() {
    if (!earlier_) earlier_.reset(std::tmpfile());
    check(earlier_ && std::fwrite(latest_.data(), 1, latest_.size(), earlier_.get()) == latest_.size());
    latest_.clear();
}

void Spool::each_line(const std::function<void(std::string_view)>& visit) {
    if (earlier_) {
        check(std::fflush(earlier_.get()) == 0);
        std::rewind(earlier_.get());
        char* line = nullptr;
        std::size_t size = 0;
        ssize_t length = 0;
        while ((length = ::getline(&line, &size, earlier_.get())) > 0)
            visit({line, static_cast<std::size_t>(length) - 1});
        std::free(line);
        check(std::ferror(earlier_.get()) == 0);
    }
    std::string_view rest = latest_;
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        visit(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
}

}  // namespace postern::cli
