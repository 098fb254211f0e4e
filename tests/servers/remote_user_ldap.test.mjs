// Apache's mod_authnz_ldap signs people in with a real directory behind it, by examples/apache/login-ldap.conf.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { REDIRECT_URI, authorizationUrl, authorize, newChecks, openProvider } from "../interop/relying_party.mjs";
import { prepared } from "../support/prepared.mjs";
import { Directory } from "./directory.mjs";
import { browser, guarded, loginExample } from "./remote_user.mjs";

/// What the comment in the file says.
const LOGIN = {
  method: "remote_user",
  autoCreate: true,
  claimsFromEnvironment: { name: "AUTHENTICATE_CN", email: "AUTHENTICATE_MAIL" },
};
/// Any attribute of several values will do; memberOf needs an overlay of the directory.
const GROUPS = {
  variable: "AUTHENTICATE_OU",
  separator: "; ", // as the comment says
  groups: { "cn=employees,dc=example": "staff", "cn=it,dc=example": "admins" },
};
const UNCACHED = ["LDAPCacheEntries 0", "LDAPOpCacheEntries 0"];
const MODULES = ["ldap", "authnz_ldap", "auth_basic", "authz_user"];

for (const mode of ["cgid", "fcgid"]) {
  describe(`users of a directory, Apache with mod_authnz_ldap and mod_${mode}`, () => {
    let directory, provider;
    prepared(async (owned) => {
      directory = owned(await Directory.start());
      await directory.add("ada", "analytical engine", { cn: "Ada Løvelace", sn: "Løvelace", mail: "ada@example.org" });
      await directory.add("bob", "builder of things", { cn: "Bob", sn: "B" });
      await directory.add("two", "of everything", { cn: "Two", sn: "T", mail: ["a@example.org", "b@example.org"] });
      const shipped = await loginExample("ldap", {
        LDAP: `${directory.people}?uid,cn,mail,ou?sub?(objectClass=inetOrgPerson)`,
      });
      const options = { outside: UNCACHED, env: { LDAPTLS_CACERT: directory.caFile } };
      provider = owned(
        await openProvider({
          front: guarded(mode, MODULES, async () => shipped, options),
          config: { login: { ...LOGIN, groupsFromEnvironment: GROUPS } },
        }),
      );
    });
    const client = () => provider.clients.client_secret_basic;
    const of = (user) => browser(provider.deployment, { user });
    const signIn = async (...user) => {
      const { checks, answer } = await authorize(provider, client(), { agent: of(user) });
      const tokens = await client().callback(REDIRECT_URI, answer, checks);
      const { updated_at, ...claims } = await client().userinfo(tokens);
      return claims;
    };
    const statusFor = async (...user) => (await of(user).visit(authorizationUrl(client(), newChecks()))).status;

    it("name and password of the directory sign in, with claims from it", async () => {
      const { sub, ...claims } = await signIn("ada", "analytical engine");
      assert.deepEqual(claims, { name: "Ada Løvelace", email: "ada@example.org", preferred_username: "ada" });
      assert.ok(sub);
    });

    it("the directory takes ADA for ada, and it is one person with the directory's spelling", async () => {
      const { sub } = await signIn("ada", "analytical engine");
      assert.equal((await signIn("ADA", "analytical engine")).sub, sub);
      const names = (await provider.deployment.postern(["user", "list"])).map(({ username }) => username);
      assert.deepEqual(
        names.filter((name) => name.toLowerCase() === "ada"),
        ["ada"],
      );
    });

    it("a claim that changes in the directory follows at the next login, and goes when it goes there", async () => {
      const before = await signIn("bob", "builder of things");
      assert.equal(before.email, undefined);
      await directory.change("bob", { mail: "bob@example.org", cn: "Robert" });
      assert.deepEqual(await signIn("bob", "builder of things"), {
        ...before,
        email: "bob@example.org",
        name: "Robert",
      });
      await directory.change("bob", { mail: [] });
      assert.deepEqual(await signIn("bob", "builder of things"), { ...before, name: "Robert" });
    });

    it("groups of the directory are those of the user, by whole values [GROUP-8]", async () => {
      for (const group of ["staff", "admins", "others"])
        await provider.deployment.postern(["group", "add", group]).catch(() => {}); // is there the second time
      const groupsOf = async (name) => (await provider.deployment.postern(["user", "show", name])).groups;
      await directory.add("eva", "of the garden", {
        cn: "Eva",
        sn: "E",
        ou: ["cn=employees,dc=example", "cn=it,dc=example"],
      });
      await signIn("eva", "of the garden");
      assert.deepEqual(await groupsOf("eva"), ["admins", "staff"]);
      await provider.deployment.postern(["group", "member", "add", "others", "eva"]);
      await directory.change("eva", { ou: ["cn=it,dc=example", "cn=employees"] });
      await signIn("eva", "of the garden");
      assert.deepEqual(await groupsOf("eva"), ["admins", "others"]);
      await directory.change("eva", { ou: [] });
      await signIn("eva", "of the garden");
      assert.deepEqual(await groupsOf("eva"), ["others"]);
    });

    it("a password that changes in the directory is the only one that counts", async () => {
      await signIn("bob", "builder of things");
      await directory.change("bob", { userPassword: "another" });
      assert.equal(await statusFor("bob", "builder of things"), 401);
      assert.equal((await signIn("bob", "another")).preferred_username, "bob");
    });

    it("two addresses count as none, and the log says which claim was left out", async () => {
      assert.equal((await signIn("two", "of everything")).email, undefined);
      assert.match(provider.deployment.log, /"claim_unusable","claim":"email"/);
    });

    it("wrong or empty passwords, other names and filters sign no user in [RFC 4513 §5.1.2, RFC 4515 §3]", async () => {
      for (const user of [
        ["ada", "wrong"],
        ["ada", ""],
        ["eve", "x"],
        ["*", "analytical engine"],
        ["a*", "analytical engine"],
        ["ada)(|(uid=*", "analytical engine"],
        ["", ""],
      ])
        assert.equal(await statusFor(...user), 401, user.join(":"));
    });
  });
}
