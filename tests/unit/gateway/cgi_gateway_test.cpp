#include "gateway/exchange.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace postern::gateway {
namespace {

/// Two pipes in the place of standard input and output.
struct Pipes {
    int input[2] = {-1, -1};
    int output[2] = {-1, -1};

    Pipes() {
        REQUIRE(pipe(input) == 0);
        REQUIRE(pipe(output) == 0);
    }
    ~Pipes() {
        for (const int descriptor : {input[0], input[1], output[0], output[1]}) close(descriptor);
    }
};

struct ContentLength {
    explicit ContentLength(const char* length) { setenv("CONTENT_LENGTH", length, 1); }
    ~ContentLength() { unsetenv("CONTENT_LENGTH"); }
};

TEST_CASE("CgiExchange: takes the announced bytes from standard input while the other end stays open") {
    const ContentLength length("5");
    Pipes pipes;
    REQUIRE(write(pipes.input[1], "a=b&cXX", 7) == 7);
    CgiExchange exchange(pipes.input[0], pipes.output[1]);
    exchange.read_variables({});
    CHECK(exchange.variables().get("CONTENT_LENGTH") == "5");
    const Body body = exchange.receive(4096);
    CHECK(body.state == BodyState::whole);
    CHECK(body.bytes == "a=b&c");
}

TEST_CASE("CgiExchange: an end before the announced length is an incomplete body") {
    const ContentLength length("5");
    Pipes pipes;
    REQUIRE(write(pipes.input[1], "a=b", 3) == 3);
    close(pipes.input[1]);
    pipes.input[1] = -1;
    CgiExchange exchange(pipes.input[0], pipes.output[1]);
    exchange.read_variables({});
    CHECK(exchange.receive(4096).state == BodyState::incomplete);
}

TEST_CASE("CgiExchange: after send the reader sees the end of the answer, though the process lives on") {
    Pipes pipes;
    CgiExchange exchange(pipes.input[0], pipes.output[1]);
    exchange.send("Status: 200 OK\r\n\r\n");
    char buffer[64];
    CHECK(read(pipes.output[0], buffer, sizeof buffer) == 18);
    CHECK(read(pipes.output[0], buffer, sizeof buffer) == 0);
    CHECK(write(pipes.output[1], "late", 4) == 4);  // goes nowhere
}

}  // namespace
}  // namespace postern::gateway
