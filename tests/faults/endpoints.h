// The endpoints as they are built, for a program that is not a web server's.
#pragma once

#include <string>

#include "server/serve.h"

namespace postern::test {

struct EndpointProgram {
    server::Endpoint endpoint;
    server::Handler handler;
};

/// Returns the endpoint that the `main` of cgi-bin/<name>.cpp would serve.
const EndpointProgram& endpoint_program(const std::string& name);

/// `main` of cli/main.cpp.
int run_command(int argc, char** argv);

}  // namespace postern::test
