// Clients that a document describes: draft-ietf-oauth-client-id-metadata-document.
#include "refusal/rows.h"

namespace postern::refusal {
namespace {

using enum Reason;

constexpr Row kRows[] = {
    {client_document_refused, "client_document_refused", client_document_refused,
     "The document at the URL of the client_id could not be fetched; the detail says why. Ask for it from this machine with "
     "curl. A host of your own network needs outbound.allow, a certificate authority of your own outbound.ca. It is not "
     "asked for again for 30 seconds."},
    {client_document_refused_silent_host, "client_document_refused_silent_host", client_document_refused,
     "The host kept this server waiting. It is asked again after 30 seconds, then after twice as long each time, up to 8 "
     "minutes."},
    {client_document_refused_not_allowed, "client_document_refused_not_allowed", client_document_refused,
     "Add the host to clientDocuments.allow if you trust who publishes there, or register the application with `postern client "
     "add`."},
    {client_document_refused_denied, "client_document_refused_denied", client_document_refused,
     "The operator does not want applications of this host; clientDocuments.deny names it."},
    {client_document_refused_resource, "client_document_refused_resource", client_document_refused,
     "An API and an application have the same URL, and a token for one would be good for the other. Let the application "
     "publish its document elsewhere; an MCP server and its client are two things."},
    {client_document_refused_url, "client_document_refused_url", client_document_refused,
     "The URL cannot name a document, for the reason in the detail. The application must use the URL in the spelling that "
     "its document has."},
    {client_document_refused_method, "client_document_refused_method", client_document_refused,
     "The application wants to authenticate by a key, which this server cannot verify yet, and its document does not offer none "
     "in token_endpoint_auth_methods_supported. Register it with `postern client add`, as a client of its own with a secret, if "
     "it can have one."},
    {client_document_refused_invalid, "client_document_refused_invalid", client_document_refused,
     "The document at the URL of the client_id cannot be accepted, for the reason in the detail. The people who publish it "
     "can correct it; register the application with `postern client add` otherwise."},
    {client_document_busy, "client_document_busy", client_document_busy,
     "More documents were to be fetched than in one minute may be. If strangers cause it, name the hosts that you trust in "
     "clientDocuments.allow: others are refused before anything is fetched."},
    {client_document_busy_slots, "client_document_busy_slots", client_document_busy,
     "Other processes of this machine waited for hosts, and no more may than outbound.slots says. The user can try again. If it "
     "happens often, raise that, and start more processes of authorize than it says."},
    {client_document_busy_address, "client_document_busy_address", client_document_busy,
     "One address has asked for more documents than their share. It ends within a minute, and fetches for others go on."},
    {client_document_busy_user, "client_document_busy_user", client_document_busy,
     "The documents of clients that one user has brought are slow, fail, or are many. It ends within a minute, and fetches for "
     "others go on."},
    {client_document_busy_time, "client_document_busy_time", client_document_busy,
     "Hosts answer slowly. Name the hosts that you trust in clientDocuments.allow, or raise outbound.slots, with more processes of "
     "authorize than it says."},
    {client_document_changed, "client_document_changed", client_document_changed,
     "The document of the client, or its registration here, has changed since the user began to sign in. The user should "
     "start again at the application. If it happens every time, the document changes with each request, which it must not."},
    {client_document_no_room, "client_document_no_room", client_document_no_room,
     "As many clients of documents are kept as clientDocuments.max allows. `postern client list` shows them; raise it, or "
     "name the hosts that you trust in clientDocuments.allow."},
    {client_document_no_room_for_user, "client_document_no_room_for_user", client_document_no_room,
     "Of clients that registered without an initial access token one user is the first to approve ten at most, or a tenth of "
     "registration.max if that is more. A program that registers at each start should keep its client_id, or have an initial "
     "access token: `postern registration token add`. `postern client remove` makes room, and so does any change with `postern "
     "client set`: what the operator decides about does not count. A consent that is taken back makes none.",
     "One user brings ten clients of documents at most, or a tenth of clientDocuments.max if that is more: those that the "
     "user was the first to approve. The event client_registered of the audit log names user and client. `postern client "
     "remove` makes room, and so does any change with `postern client set`: what the operator decides about does not count. "
     "A consent that is taken back makes none."},
    {client_document_error, "client_document_error", client_document_error,
     "The request of a client with a document, or of one that registered itself without a token, was answered by a "
     "page, which asks the user before the error goes to the client's address. The detail names the error; fix the "
     "client."},
};

}  // namespace

constinit const std::span<const Row> kDocumentRows = kRows;

}  // namespace postern::refusal
