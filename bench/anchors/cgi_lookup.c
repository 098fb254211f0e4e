// The same as a plain CGI program: one process for one answer, linked statically.
#include "lookup.h"

#include <stdio.h>

int main(void) {
    struct Anchor anchor;
    if (!anchor_open(&anchor)) return 1;
    const char* body = anchor_find(&anchor, getenv("HTTP_AUTHORIZATION"));
    if (body)
        printf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", (int)strlen(body), body);
    else
        printf("Status: 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    return fflush(stdout) == 0 ? 0 : 1;
}
