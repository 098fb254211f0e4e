// The command itself; only its `main` has another name.
#include "faults/endpoints.h"

#define main postern_main
#include "../../cli/main.cpp"
#undef main

namespace postern::test {

int run_command(int argc, char** argv) { return postern_main(argc, argv); }

}  // namespace postern::test
