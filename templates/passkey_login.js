// Asks the browser for a passkey, and posts what it answers. It relies on nothing that password managers leave out.
(() => {
    const form = document.forms[0];
    const offer = document.getElementById("passkey");
    if (!offer) return;
    const problem = document.getElementById("passkey-problem");
    const say = (text) => {
        problem.textContent = text;
        problem.hidden = !text;
    };
    if (!window.PublicKeyCredential || !navigator.credentials)
        return say(form.dataset.alone ? form.dataset.unusable : "");

    const decode = (text) => {
        const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
        return Uint8Array.from(binary, (character) => character.charCodeAt(0));
    };
    const encode = (buffer) => {
        const binary = Array.from(new Uint8Array(buffer ?? []), (byte) => String.fromCharCode(byte)).join("");
        return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    };
    const publicKey = JSON.parse(form.dataset.options);
    publicKey.challenge = decode(publicKey.challenge);
    for (const allowed of publicKey.allowCredentials) allowed.id = decode(allowed.id);

    const reasons = { NotAllowedError: "cancelled", SecurityError: "address", NotSupportedError: "unusable" };
    let abort;
    let pending = Promise.resolve();
    const ask = async (mediation) => {
        const { signal } = (abort = new AbortController());
        try {
            const { rawId, response } = await navigator.credentials.get({ publicKey, signal, ...mediation });
            const values = {
                id: rawId,
                client_data: response.clientDataJSON,
                authenticator_data: response.authenticatorData,
                signature: response.signature,
                user_handle: response.userHandle,
            };
            for (const [name, value] of Object.entries(values)) form.elements[name].value = encode(value);
            if (form.elements.password) form.elements.password.value = "";
            form.submit();
        } catch (error) {
            if (!signal.aborted && !mediation) say(form.dataset[reasons[error.name]] ?? form.dataset.failed);
        }
    };
    offer.hidden = false;
    document.getElementById("use-passkey").addEventListener("click", async () => {
        abort?.abort();
        say("");
        await pending; // a browser has one request at a time
        pending = ask();
    });
    if (form.dataset.conditional)
        Promise.resolve(PublicKeyCredential.isConditionalMediationAvailable?.())
            .then((available) => {
                if (available && !abort) pending = ask({ mediation: "conditional" });
            })
            .catch(() => {});
})();
