// How many durable commits one process makes when it does nothing else. Also makes the database of the other anchors.
//     commit fill DATABASE ROWS          the rows 'Bearer token-0' ... by their digests
//     commit loop DATABASE MILLISECONDS  of a database that was filled: prints how many commits, and in how many nanoseconds
#include "lookup.h"

#include <stdio.h>
#include <time.h>

enum { LOG_FRAMES = 1000 };  // after so many SQLite writes from the beginning again

static sqlite3* database;

static int run(const char* sql) { return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK; }

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// A body of as many bytes as hello's.
static int fill(long rows) {
    struct Anchor anchor = {.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL), .context = EVP_MD_CTX_new()};
    sqlite3_stmt* insert = NULL;
    if (!run("PRAGMA journal_mode=WAL; CREATE TABLE tokens(hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID; "
             "CREATE TABLE issued(hash TEXT PRIMARY KEY, at INTEGER, client TEXT, scope TEXT) STRICT, WITHOUT ROWID; BEGIN") ||
        sqlite3_prepare_v2(database, "INSERT INTO tokens VALUES(?, ?)", -1, &insert, NULL) != SQLITE_OK)
        return 0;
    for (long i = 0; i < rows; ++i) {
        char token[64], hex[HEX], body[201];
        snprintf(token, sizeof token, "Bearer token-%ld", i);
        const int length = snprintf(body, sizeof body, "{\"active\":true,\"jti\":\"%ld\",\"filler\":\"", i);
        memset(body + length, 'x', sizeof body - 3 - (size_t)length);
        memcpy(body + sizeof body - 3, "\"}", 3);
        if (!anchor_hex(&anchor, token, hex)) return 0;
        sqlite3_bind_text(insert, 1, hex, HEX, SQLITE_TRANSIENT);
        sqlite3_bind_text(insert, 2, body, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(insert) != SQLITE_DONE) return 0;
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return run("COMMIT");
}

// As much as spending a right changes: one row by its key.
static int commit_once(sqlite3_stmt* const steps[3]) {
    for (int i = 0; i < 3; ++i)
        if (sqlite3_step(steps[i]) != SQLITE_DONE || sqlite3_reset(steps[i]) != SQLITE_OK) return 0;
    return 1;
}

static int loop(long milliseconds) {
    sqlite3_stmt *begin, *change, *commit;
    if (!run("CREATE TABLE IF NOT EXISTS spent(id INTEGER PRIMARY KEY, at INTEGER); INSERT OR IGNORE INTO spent VALUES(1, 0); "
             "PRAGMA synchronous=OFF") ||
        sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, "UPDATE spent SET at = at + 1 WHERE id = 1", -1, &change, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL) != SQLITE_OK)
        return 0;
    sqlite3_stmt* const steps[] = {begin, change, commit};
    // The log first grows to its usual length, since a file that grows costs the file system more than one that is written over.
    for (int i = 0; i < 2 * LOG_FRAMES; ++i)
        if (!commit_once(steps)) return 0;
    if (!run("PRAGMA synchronous=FULL") || !commit_once(steps)) return 0;
    const long long start = now(), end = start + milliseconds * 1000000LL;
    long count = 0;
    long long time = start;
    for (; time < end; ++count, time = now())
        if (!commit_once(steps)) return 0;
    return printf("%ld %lld\n", count, time - start) > 0;
}

int main(int count, char** words) {
    if (count != 4 || sqlite3_open(words[2], &database) != SQLITE_OK) return 2;
    const int done = strcmp(words[1], "fill") == 0 ? fill(atol(words[3])) : loop(atol(words[3]));
    if (!done) fprintf(stderr, "commit: %s\n", sqlite3_errmsg(database));
    return done ? 0 : 1;
}
