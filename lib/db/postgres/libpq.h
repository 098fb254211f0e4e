// The functions of libpq, which is loaded when a database is a URI: it brings twenty libraries along, and a process
// that works on a file needs none of them. Private to this module.
#pragma once

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

#include <memory>

namespace postern::db {

// clang-format off
#define POSTERN_LIBPQ(EACH) \
    EACH(PQconninfoParse) EACH(PQconninfoFree) \
    EACH(PQconnectdbParams) EACH(PQfinish) EACH(PQstatus) EACH(PQerrorMessage) EACH(PQsetNoticeReceiver) \
    EACH(PQsetnonblocking) EACH(PQsocket) EACH(PQflush) EACH(PQconsumeInput) EACH(PQisBusy) \
    EACH(PQsendQuery) EACH(PQsendPrepare) EACH(PQsendQueryPrepared) EACH(PQgetResult) EACH(PQclear) \
    EACH(PQbackendPID) EACH(PQuser) EACH(PQsendQueryParams) \
    EACH(PQenterPipelineMode) EACH(PQpipelineSync) EACH(PQexitPipelineMode) \
    EACH(PQresultStatus) EACH(PQresultErrorField) EACH(PQcmdStatus) EACH(PQcmdTuples) \
    EACH(PQntuples) EACH(PQnfields) EACH(PQgetisnull) EACH(PQgetlength) EACH(PQgetvalue)
// clang-format on

struct Libpq {
#define POSTERN_MEMBER(name) decltype(&::name) name = nullptr;
    POSTERN_LIBPQ(POSTERN_MEMBER)
#undef POSTERN_MEMBER
};

/// Loads the library at the first call. Throws StoreUnusable with the name of its package.
const Libpq& libpq();

struct FreeResult {
    void operator()(PGresult* result) const { libpq().PQclear(result); }
};
using Result = std::unique_ptr<PGresult, FreeResult>;

}  // namespace postern::db
