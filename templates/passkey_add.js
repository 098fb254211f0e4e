// Asks the browser for a new passkey, and posts what it answers. It relies on nothing that password managers leave out.
(() => {
    const supported = Boolean(window.PublicKeyCredential && navigator.credentials);
    const list = document.getElementById("passkeys");
    if (list && list.dataset.accepted && supported) {
        try {
            PublicKeyCredential.signalAllAcceptedCredentials?.(JSON.parse(list.dataset.accepted))?.catch?.(() => {});
        } catch {} // a password manager's own object
    }
    const form = document.getElementById("add");
    if (!form || !supported) return;

    const decode = (text) => {
        const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
        return Uint8Array.from(binary, (character) => character.charCodeAt(0));
    };
    const encode = (buffer) => {
        const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
        return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    };
    const optional = (read) => {
        try {
            return read() ?? "";
        } catch {
            return "";
        }
    };
    const publicKey = JSON.parse(form.dataset.options);
    publicKey.challenge = decode(publicKey.challenge);
    publicKey.user.id = decode(publicKey.user.id);
    for (const known of publicKey.excludeCredentials) known.id = decode(known.id);

    const reasons = {
        NotAllowedError: "cancelled",
        InvalidStateError: "there",
        SecurityError: "address",
        NotSupportedError: "unusable",
    };
    const problem = document.getElementById("passkey-problem");
    const say = (text) => {
        problem.textContent = text;
        problem.hidden = !text;
    };
    const button = document.getElementById("add-passkey");
    const ask = async () => {
        const made = await navigator.credentials.create({ publicKey });
        const values = {
            id: encode(made.rawId),
            client_data: encode(made.response.clientDataJSON),
            attestation_object: encode(made.response.attestationObject),
            transports: optional(() => made.response.getTransports().join(" ")),
            discoverable: optional(() => ({ true: "yes", false: "no" })[made.getClientExtensionResults().credProps.rk]),
        };
        for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
        form.submit();
    };
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        say("");
        button.disabled = true; // a browser has one request at a time
        try {
            await ask();
        } catch (error) {
            say(form.dataset[reasons[error.name]] ?? form.dataset.failed);
        }
        button.disabled = false;
    });
    document.getElementById("needs-script").hidden = true;
    form.hidden = false;
})();
