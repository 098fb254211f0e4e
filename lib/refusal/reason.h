// The reasons why a request is refused: each reason with its word, the error code that it belongs to, and the
// operator's advice.
#pragma once

#include <cstdint>
#include <string_view>

namespace postern::refusal {

/// An error code or the word of a page, and behind it the cases that `postern why` tells apart.
enum class Reason : std::uint8_t {
    // RFC 6749 §5.2 and §4.1.2.1, RFC 6750 §3.1, RFC 7009 §2.2.1, OpenID Connect Core §3.1.2.6
    invalid_request,
    invalid_request_pkce_required,
    invalid_request_pkce_of_public_client,
    invalid_request_challenge_not_s256,
    invalid_request_query_mode,
    invalid_request_jarm_off,
    invalid_request_response_mode,
    invalid_request_id_token_without_openid,
    invalid_request_nonce_required,
    invalid_request_method,
    invalid_request_post_to_authorize,
    invalid_request_not_pushed,
    invalid_request_pushed_redirect,
    invalid_request_uri_in_push,
    invalid_request_proof_missing,
    invalid_request_not_signed,
    invalid_request_certificate_missing,
    invalid_client,
    invalid_client_disabled,
    invalid_client_documents_off,
    invalid_client_registration_not_open,
    invalid_client_public_with_secret,
    invalid_client_other_method,
    invalid_client_assertion,
    invalid_client_assertion_audience,
    invalid_client_assertion_replayed,
    invalid_client_assertion_time,
    invalid_client_assertions_off,
    invalid_client_certificate,
    invalid_client_certificate_chain,
    invalid_client_certificate_missing,
    invalid_client_mtls_off,
    invalid_client_public_pushes,
    invalid_client_pushes,
    invalid_client_profile,
    invalid_client_public_introspects,
    invalid_client_document_introspects,
    invalid_client_dynamic_introspects,
    invalid_grant,
    invalid_grant_other_key,
    invalid_grant_other_certificate,
    unauthorized_client,
    unauthorized_client_response_type,
    unauthorized_client_demand_off,
    unauthorized_client_profile,
    unsupported_grant_type,
    unsupported_response_type,
    unsupported_response_type_off,
    access_denied,
    access_denied_may_not_use,
    access_denied_on_device_page,
    access_denied_device_right_lost,
    access_denied_registration_disabled,
    authorization_pending,  // RFC 8628 §3.5
    slow_down,
    slow_down_device_requests,
    expired_token,
    server_error,
    invalid_token,
    invalid_token_bound,
    invalid_token_certificate,
    invalid_token_initial,
    invalid_token_registration,
    invalid_redirect_uri,  // RFC 7591 §3.2.2
    invalid_redirect_uri_of_stranger,
    invalid_client_metadata,
    invalid_client_metadata_not_offered,
    invalid_dpop_proof,  // RFC 9449 §12.2
    invalid_dpop_proof_replayed,
    invalid_dpop_proof_time,
    insufficient_scope,
    unsupported_token_type,
    login_required,
    login_required_second_factor,
    consent_required,
    consent_required_each_time,
    unmet_authentication_requirements,
    unmet_requirements_not_offered,
    unmet_requirements_no_passkey,
    request_not_supported,
    request_not_supported_in_push,
    invalid_request_object,  // RFC 9101 §7
    invalid_request_object_time,
    request_uri_not_supported,
    registration_not_supported,
    // RFC 6749 §3.3, RFC 8707 §2
    invalid_scope,
    invalid_scope_openid_off,
    invalid_scope_unknown,
    invalid_scope_malformed,
    invalid_scope_beyond_grant,
    invalid_scope_openid_without_user,
    invalid_scope_of_claim,
    invalid_scope_not_of_resources,
    invalid_scope_none_of_resource,
    invalid_target,
    invalid_target_this_server,
    invalid_target_client,
    invalid_target_two_audiences,
    invalid_target_audience_and_resource,
    invalid_target_malformed,
    invalid_target_several,
    invalid_target_too_many,
    invalid_target_disabled,
    invalid_target_not_listed,
    invalid_target_not_granted,
    invalid_target_ambiguous,
    invalid_target_required,
    invalid_target_unregistered,
    // pages: requests, forms, links, logouts
    request_malformed,
    client_missing,
    client_unknown,
    client_unknown_documents_off,
    client_disabled,
    client_disabled_registration_not_open,
    client_disabled_profile,
    redirect_missing,  ///< omitted, and the client has not exactly one registered
    redirect_unregistered,
    redirect_unregistered_in_document,
    redirect_unregistrable,          ///< nor could it be
    invalid_request_uri,             ///< of a pushed request: forged, cut, sealed under an older key, or given twice
    invalid_request_uri_of_another,  ///< pushed by another client
    invalid_request_uri_expired,
    invalid_request_uri_used,
    resume_missing,  ///< a page was opened without a request to resume
    resume_invalid,  ///< forged, cut, or sealed under an older key
    resume_expired,
    cookie_missing,          ///< the request was started in another browser, or in this one, which keeps no cookies
    session_cookie_missing,  ///< the cookie of a login that was whole a moment ago did not come back
    other_browser,           ///< the request was started in another browser
    other_browser_unbound,
    already_used,
    form_foreign,  ///< CSRF: not a form of ours, or shown to another user
    form_malformed,
    account_form_foreign,  ///< as form_foreign, on a page of the account
    account_form_malformed,
    link_not_good,      ///< a link of the operator: unknown, used, expired, void or cut
    link_form_foreign,  ///< as form_foreign, on the page of such a link
    link_form_malformed,
    recover_form_refused,
    device_code_refused,  ///< on the page on which a device's code is typed: unknown, expired or answered
    device_code_limited,  ///< the user has typed too many
    device_login_unproved,
    mail_limited,
    access_refused,  ///< the user may not use the application
    logout_malformed,
    logout_hint_invalid,  ///< not an ID token that this server signed; an expired one is valid (RP-Initiated Logout 1.0
                          ///< §2)
    logout_client_mismatch,  ///< client_id is not the audience of the hint
    logout_redirect_unregistered,
    logout_redirect_unregistrable,
    logout_hint_missing,
    logout_unconfirmed,
    logout_client_document,
    logout_resume_invalid,
    logout_resume_expired,
    logout_form_foreign,  ///< the answer to the question "sign out?" is not of this browser or not of this session
    // signing in
    too_busy,
    login_failed,
    login_failed_saslauthd_refused,
    login_failed_saslauthd_no_user,
    login_throttled,
    password_refused,
    password_change_missing,  ///< the user must choose another password, and there is no page for that
    remote_user_missing,      ///< method remote_user, and the web server names no user
    remote_user_unusable,     ///< its name is not a possible user name
    account_unknown,          ///< its name is not that of a user here
    account_disabled,
    profile_refused,
    app_refused,
    app_refused_no_factor_key,
    app_refused_clock_off,
    codes_refused,
    passkey_change_refused,
    passkey_change_refused_origin,
    passkey_refused,
    passkey_suspended,  ///< it is the only second factor of the user
    second_factor_failed,
    second_factor_failed_clock_off,
    second_factor_failed_used_before,
    second_factor_failed_no_app,
    second_factor_failed_recovery_code,
    second_factor_throttled,
    second_factor_throttled_everywhere,  ///< a hundred wrong codes in a row from places not known
    second_factor_missing,  ///< the user must log in with one, has none, and may not set one up at the login
    second_factor_missing_no_factor_key,
    temporarily_unavailable,
    temporarily_unavailable_device_codes,
    temporarily_unavailable_assertions,
    temporarily_unavailable_proofs,
    temporarily_unavailable_client_keys,
    temporarily_unavailable_registrations,
    temporarily_unavailable_registration_max,
    temporarily_unavailable_saslauthd,
    temporarily_unavailable_not_saslauthd,
    temporarily_unavailable_no_factor_key,
    temporarily_unavailable_other_factor_key,
    temporarily_unavailable_other_codes_key,
    // clients that a document describes
    client_document_refused,  ///< the document cannot be read, or is not one to trust
    client_document_refused_silent_host,
    client_document_refused_not_allowed,
    client_document_refused_denied,
    client_document_refused_resource,
    client_document_refused_url,
    client_document_refused_method,
    client_document_refused_invalid,
    client_document_busy,  ///< too many documents are being fetched
    client_document_busy_slots,
    client_document_busy_address,
    client_document_busy_user,
    client_document_busy_time,  ///< hosts have kept the fetching processes waiting
    client_document_changed,    ///< since the sign-in was started
    client_document_no_room,    ///< `clientDocuments.max` are kept, or as many as one user may bring
    client_document_no_room_for_user,
    client_document_error,  ///< an error for an application that is not checked: the user decides whether to go there
    // the gate
    gate_question_refused,  ///< the web server's question is incomplete, or contradicts itself
    gate_no_site,
    gate_path_refused,   ///< the path can be read as one of several sites, or as none
    gate_route_missing,  ///< an authorizer was asked for an address of the gate itself
    gate_cookie_forged,
    gate_user_untold,  ///< the application cannot be told the user
    gate_form_lost,    ///< a form was sent by a user who is not signed in any more
};

inline constexpr int kReasons = static_cast<int>(Reason::gate_form_lost) + 1;

struct Row {
    Reason reason;
    const char* word;    ///< for the record of refusals: never given to another reason
    Reason error;        ///< for the log, and for clients where it is a registered code; itself unless it is a case
    const char* advice;  ///< for the operator; "{client}" stands for the client's id as a word of a shell
    const char* advice_for_described = nullptr;  ///< in place of `advice`, where a document describes the client
};

/// Returns the row of the reason. Throws std::logic_error without one.
const Row& row_of(Reason reason);

/// Returns the row with that word; nullptr for a word of another version.
const Row* find_row(std::string_view word);

/// Returns the word of the error code or page that the reason belongs to.
std::string_view error_word(Reason reason);

}  // namespace postern::refusal
