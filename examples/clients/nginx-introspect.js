// Answers nginx's auth_request by introspection (RFC 7662): 204 for a good token, 401 without one, 403 for one that may not do this.
// Anything unexpected is 500, which auth_request refuses too. See nginx-introspect.conf.

// RFC 6750, section 2.1: the only characters a token may have. Nothing else is sent on.
const BEARER = /^Bearer +([A-Za-z0-9._~+\/-]+=*)$/i;

// A header has printable ASCII only; everything else is told in percent encoding, and so is the percent sign.
const header = (value) => value.replace(/[^ -$&-~]+/g, (text) => encodeURIComponent(text));

function refuse(r, status, error) {
    r.headersOut['Token-Challenge'] = error ? `Bearer error="${error}"` : 'Bearer';
    r.return(status);
}

async function check(r) {
    const given = r.headersIn.Authorization;
    const token = given === undefined ? null : given.match(BEARER);
    if (!token) return refuse(r, 401, given === undefined ? '' : 'invalid_token');

    const answer = await r.subrequest('/postern-introspect', { method: 'POST', body: `token=${encodeURIComponent(token[1])}` });
    if (answer.status !== 200) {
        // The API's own credentials are wrong, or the issuer is not there: nothing that the caller could mend.
        r.error(`introspection answered ${answer.status}`);
        return r.return(500);
    }
    const said = JSON.parse(answer.responseText);  // what is no JSON throws: 500

    // A refresh token is active as well, and is told apart by its type; exactly true, since anything else is no promise.
    if (said.active !== true || said.token_type !== 'Bearer') return refuse(r, 401, 'invalid_token');
    const required = r.variables.required_scope;
    if (required && !(said.scope || '').split(' ').includes(required)) return refuse(r, 403, 'insufficient_scope');

    ['sub', 'username', 'client_id', 'scope'].forEach((name) => {
        if (said[name] !== undefined) r.headersOut[`Token-${name.replace('_', '-')}`] = header(said[name]);
    });
    r.return(204);
}

export default { check };
