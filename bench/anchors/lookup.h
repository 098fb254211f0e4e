// The work that no endpoint about a token can do without: its digest, and one row by that digest.
#ifndef ANCHOR_LOOKUP_H
#define ANCHOR_LOOKUP_H

#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST = 32, HEX = 2 * DIGEST };

struct Anchor {
    sqlite3* database;
    sqlite3_stmt* find;
    const EVP_MD* sha256;
    EVP_MD_CTX* context;
};

// 1 when it is ready. The database is the one that `commit fill` makes.
static inline int anchor_open(struct Anchor* anchor) {
    const char* file = getenv("ANCHOR_DATABASE");
    anchor->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    anchor->context = EVP_MD_CTX_new();
    return file && anchor->sha256 && anchor->context &&
           sqlite3_open_v2(file, &anchor->database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
           sqlite3_busy_timeout(anchor->database, 1000) == SQLITE_OK &&
           sqlite3_prepare_v2(anchor->database, "SELECT body FROM tokens WHERE hash = ?", -1, &anchor->find, NULL) ==
               SQLITE_OK;
}

static inline int anchor_hex(struct Anchor* anchor, const char* text, char hex[HEX]) {
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[DIGEST];
    if (EVP_DigestInit_ex2(anchor->context, anchor->sha256, NULL) != 1 ||
        EVP_DigestUpdate(anchor->context, text, strlen(text)) != 1 ||
        EVP_DigestFinal_ex(anchor->context, digest, NULL) != 1)
        return 0;
    for (int i = 0; i < DIGEST; ++i) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    return 1;
}

// The row of the token, good until anchor_done(); NULL when there is none.
static inline const char* anchor_find(struct Anchor* anchor, const char* token) {
    char hex[HEX];
    if (!token || !anchor_hex(anchor, token, hex)) return NULL;
    sqlite3_bind_text(anchor->find, 1, hex, HEX, SQLITE_TRANSIENT);
    return sqlite3_step(anchor->find) == SQLITE_ROW ? (const char*)sqlite3_column_text(anchor->find, 0) : NULL;
}

static inline void anchor_done(struct Anchor* anchor) { sqlite3_reset(anchor->find); }

#endif
