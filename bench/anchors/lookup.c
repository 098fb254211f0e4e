// hello with the work that an endpoint about a token cannot do without (lookup.h), everything prepared beforehand.
#include "lookup.h"

#include <fcgiapp.h>

int main(void) {
    struct Anchor anchor;
    FCGX_Request request;
    if (!anchor_open(&anchor) || FCGX_Init() != 0 || FCGX_InitRequest(&request, 0, 0) != 0) return 1;
    while (FCGX_Accept_r(&request) == 0) {
        const char* body = anchor_find(&anchor, FCGX_GetParam("HTTP_AUTHORIZATION", request.envp));
        if (body)
            FCGX_FPrintF(request.out, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", (int)strlen(body), body);
        else
            FCGX_FPrintF(request.out, "Status: 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        anchor_done(&anchor);
    }
    return 0;
}
