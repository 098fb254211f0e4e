// The least that a FastCGI program can do: 200 bytes, the same for everybody. What others reach is told in parts of this.
#include <fcgiapp.h>
#include <string.h>

enum { BODY = 200 };

int main(void) {
    FCGX_Request request;
    char body[BODY];
    memset(body, 'h', sizeof body);
    if (FCGX_Init() != 0 || FCGX_InitRequest(&request, 0, 0) != 0) return 1;
    while (FCGX_Accept_r(&request) == 0) {
        FCGX_FPrintF(request.out, "Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n", BODY);
        FCGX_PutStr(body, sizeof body, request.out);
    }
    return 0;
}
