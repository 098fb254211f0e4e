// Answers nginx's auth_request by introspection (RFC 7662): 204 for a valid token, 401 without one, 403 without the
// scope. Anything unexpected is 500, which auth_request refuses too. See nginx-introspect.conf.

// RFC 6750, section 2.1: the only characters a token may have. Nothing else is forwarded.
const BEARER = /^Bearer +([A-Za-z0-9._~+\/-]+=*)$/i;

// A header has printable ASCII only; everything else is percent-encoded, and so is the percent sign.
const header = (value) => value.replace(/[^ -$&-~]+/g, (text) => encodeURIComponent(text));

function refuse(r, status, error) {
    r.headersOut["Token-Challenge"] = error ? `Bearer error="${error}"` : "Bearer";
    r.return(status);
}

async function check(r) {
    const given = r.headersIn.Authorization;
    const token = given === undefined ? null : given.match(BEARER);
    if (!token) return refuse(r, 401, given === undefined ? "" : "invalid_token");

    const answer = await r.subrequest("/postern-introspect", {
        method: "POST",
        body: `token=${encodeURIComponent(token[1])}`,
    });
    if (answer.status !== 200) {
        // The API's own credentials are wrong, or the issuer is unavailable: the caller cannot fix that.
        r.error(`introspection answered ${answer.status}`);
        return r.return(500);
    }
    const said = JSON.parse(answer.responseText); // throws if it is not JSON: 500

    // A refresh token is active too; its type differs. Only exactly `true` counts as active.
    if (said.active !== true || said.token_type !== "Bearer") return refuse(r, 401, "invalid_token");
    const required = r.variables.required_scope;
    if (required && !(said.scope || "").split(" ").includes(required)) return refuse(r, 403, "insufficient_scope");

    ["sub", "username", "client_id", "scope"].forEach((name) => {
        if (said[name] !== undefined) r.headersOut[`Token-${name.replace("_", "-")}`] = header(said[name]);
    });
    r.return(204);
}

export default { check };
