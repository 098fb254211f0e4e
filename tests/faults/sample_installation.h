// An installation with a row of every kind that an operation of the server can work on, restored before each use.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faults/host.h"
#include "support/flow.h"

namespace postern::test {

/// The database file and its log, byte by byte. What shared memory held is gone, as it is when a machine starts.
using Files = std::map<std::string, std::string>;

class SampleInstallation {
public:
    SampleInstallation();

    /// Puts the files back. The database must not be open in any process.
    void restore() const { put(files_); }
    /// Makes the present files what restore() puts back.
    void keep() { files_ = files(); }
    void put(const Files& files) const;
    Files files() const;

    /// A grant of Alice's for the client web, as the client holds it.
    struct Held {
        std::string access_token;
        std::string refresh_token;
        std::string id_token;
        std::string code;  ///< spent for them
    };

    Deployment op;
    UserAgent alice{op};                 ///< has signed in and approved what web asks for
    UserAgent visitor{op, "192.0.2.9"};  ///< looks at the login form
    Landing login;
    UserAgent undecided{op, "192.0.2.10"};  ///< has signed in and looks at the consent form of other
    Landing consent;
    UserAgent invited{op, "192.0.2.11"};  ///< looks at the page of a link for another password of Alice
    Landing link;
    UserAgent bob{op, "192.0.2.12"};       ///< is in his account, where he has set up an app and a passkey
    Landing app;                           ///< where he can remove the app
    Landing password;                      ///< where he can change his password
    UserAgent half_way{op, "192.0.2.13"};  ///< Bob's: has given his password and looks at the second page
    Landing second_step;
    std::string app_code;       ///< unspent, of Bob's app
    std::string recovery_code;  ///< unspent, of Bob
    std::string passkey_login;  ///< what Bob's passkey answers to the login form, as the visitor sends it
    std::string first_passkey;  ///< what Alice sends to add one
    std::string code;           ///< unspent, of web
    Held held;                  ///< the first of its line
    Held rotated;               ///< its refresh token was used once
    std::string successor;      ///< of that refresh token

    std::vector<std::string> secrets() const;  ///< that no failure may tell

private:
    void set_up_factors();
    Files files_;
};

/// The one sample installation of this program: made by the first call, restored by each.
SampleInstallation& sample_installation();
/// Returns the installation without restoring it.
SampleInstallation& unrestored_installation();

/// All rows of all tables, sorted, with a star for values that the sample installation did not have: ids, digests and
/// password hashes that an operation made. Two runs of an operation that did the same have the same. `problem`: what
/// integrity_check and foreign_key_check say, "" when all is well.
struct Contents {
    std::string rows;
    std::string problem;
};
Contents read_contents(const std::string& database);

}  // namespace postern::test
