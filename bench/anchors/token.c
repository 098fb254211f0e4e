// hello with the work that an issued token cannot do without: a signature (ES256), its digest, one row in one table. The log is synced
// when ANCHOR_SYNC is FULL, as for a right that is spent, and not when it is NORMAL. Everything is prepared beforehand, nothing is checked,
// nothing is indexed, nobody is named: what a server adds to this is what it knows about the token.
#include "lookup.h"

#include <fcgiapp.h>
#include <fcntl.h>
#include <openssl/ec.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>

enum { CLAIMS = 240, TEXT = 4 * CLAIMS / 3, SIGNATURE = 72 };  // DER has so many bytes at most: all tokens are of one length

struct Signer {
    EVP_PKEY* key;
    EVP_MD_CTX *prepared, *context;
};

static sqlite3_stmt* steps[3];  // begin, insert, commit
static int gate;

static int run(sqlite3* database, const char* sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK; }

static int open_all(struct Anchor* anchor, struct Signer* signer) {
    const char* sync = getenv("ANCHOR_SYNC");
    char text[4096];
    static const char* const sql[] = {"BEGIN IMMEDIATE", "INSERT INTO issued VALUES(?, ?, 'machine', 'api')", "COMMIT"};
    if (!sync || !anchor_open(anchor)) return 0;
    snprintf(text, sizeof text, "%s.gate", getenv("ANCHOR_DATABASE"));
    gate = open(text, O_RDWR | O_CREAT | O_CLOEXEC, 0660);
    snprintf(text, sizeof text, "PRAGMA synchronous=%s", sync);
    if (gate < 0 || !run(anchor->database, text)) return 0;
    for (int i = 0; i < 3; ++i)
        if (sqlite3_prepare_v2(anchor->database, sql[i], -1, &steps[i], NULL) != SQLITE_OK) return 0;
    signer->key = EVP_EC_gen("P-256");
    signer->prepared = EVP_MD_CTX_new();
    signer->context = EVP_MD_CTX_new();
    return signer->key && signer->prepared && signer->context &&
           EVP_DigestSignInit_ex(signer->prepared, NULL, "SHA256", NULL, NULL, signer->key, NULL) == 1;
}

// "CLAIMS.SIGNATURE", or 0.
static int make_token(struct Signer* signer, char token[TEXT + SIGNATURE * 2]) {
    static unsigned long count;
    char claims[CLAIMS + 1];
    unsigned char signature[SIGNATURE] = {0};
    size_t size = sizeof signature;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    memset(claims, 'x', CLAIMS);
    snprintf(claims, sizeof claims, "%ld.%09ld.%lu", (long)time.tv_sec, time.tv_nsec, ++count);
    const int text = EVP_EncodeBlock((unsigned char*)token, (const unsigned char*)claims, CLAIMS);
    // OpenSSL 3.5 does not copy into a context that has signed.
    if (EVP_MD_CTX_reset(signer->context) != 1 || EVP_MD_CTX_copy_ex(signer->context, signer->prepared) != 1 ||
        EVP_DigestSign(signer->context, signature, &size, (const unsigned char*)token, (size_t)text) != 1)
        return 0;
    token[text] = '.';
    return EVP_EncodeBlock((unsigned char*)token + text + 1, signature, SIGNATURE) > 0;
}

static int store(struct Anchor* anchor, const char* token) {
    char hex[HEX];
    if (!anchor_hex(anchor, token, hex) || flock(gate, LOCK_EX) != 0) return 0;
    sqlite3_bind_text(steps[1], 1, hex, HEX, SQLITE_TRANSIENT);
    sqlite3_bind_int64(steps[1], 2, (sqlite3_int64)time(NULL));
    int is_good = 1;
    for (int i = 0; i < 3; ++i) is_good &= sqlite3_step(steps[i]) == SQLITE_DONE && sqlite3_reset(steps[i]) == SQLITE_OK;
    return flock(gate, LOCK_UN) == 0 && is_good;
}

int main(void) {
    struct Anchor anchor;
    struct Signer signer;
    FCGX_Request request;
    if (!open_all(&anchor, &signer) || FCGX_Init() != 0 || FCGX_InitRequest(&request, 0, 0) != 0) return 1;
    while (FCGX_Accept_r(&request) == 0) {
        static const char head[] = "{\"access_token\":\"", tail[] = "\",\"token_type\":\"Bearer\",\"expires_in\":3600,\"scope\":\"api\"}";
        char token[TEXT + SIGNATURE * 2];
        if (make_token(&signer, token) && store(&anchor, token))
            FCGX_FPrintF(request.out, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s%s%s",
                         (int)(strlen(head) + strlen(token) + strlen(tail)), head, token, tail);
        else
            FCGX_FPrintF(request.out, "Status: 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
    }
    return 0;
}
