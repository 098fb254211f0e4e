// The counts and sizes that `postern stats` shows.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "keys/keys.h"
#include "oauth/settings.h"
#include "store/login_attempts.h"
#include "store/logout_outbox.h"
#include "store/mail_requests.h"
#include "store/second_factor.h"
#include "store/statistics.h"
#include "store/sweep.h"
#include "util/clock.h"

namespace postern::cli {

/// Everything that is shown, in all formats.
struct Report {
    util::Time now{};
    store::Statistics statistics;
    store::FactorCounts factors;
    store::LoginPressure logins;
    store::MailCounts mail;
    store::NoticeCounts logouts;
    store::RowCounts purgeable;
    std::int64_t database_bytes = 0;
    std::int64_t log_bytes = 0;
    std::vector<keys::KeyInfo> keys;
    store::RowCounts marks;  ///< by the name of their kind
};

/// Reads the report. Prints a note in place of keys and marks that this user cannot read.
Report read_report(const config::Config& config);

/// Prints the report in Prometheus' text format.
void print_metrics(const Report& report, const oauth::Settings& settings);

}  // namespace postern::cli
