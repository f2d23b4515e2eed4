import { describe, expect, test } from "vitest";
import { targetOf } from "../../../../src/codebuff-run/tools/mcp/config.ts";
import { mcpServers } from "../../../../src/codebuff-run/tools/mcp/mcp-servers.ts";
import { loadPeer } from "../../../../src/codebuff-run/tools/mcp/peer.ts";
import { mcpWorld, program, textOf } from "./mcp-world.ts";

// Configurations of MCP servers, and what they are filled in with.

describe("an invalid configuration is refused at once", () => {
  test.each<[unknown, string]>([
    ["npx server", "is a string"],
    [{}, "neither `command` nor `url`"],
    [{ command: "" }, "`command`"],
    [{ command: "a", args: "b" }, "`args`"],
    [{ command: "a", env: { A: 1 } }, "`env`"],
    [{ command: "a", envs: {} }, "Did you mean `env`"],
    [{ type: "http", command: "a" }, "`type`"],
    [{ url: "not an address" }, "cannot be read"],
    [{ url: "ftp://host/" }, "begins with ftp:"],
    [{ url: "https://a:b@host/" }, "user name"],
    [{ url: "https://host/", type: "stdio" }, "`type`"],
    [{ url: "https://host/", headers: { a: 1 } }, "`headers`"],
  ])("%j", (config, words) => {
    expect(() => mcpServers({ s: config as never })).toThrow(
      expect.objectContaining({ code: "invalid-input", message: expect.stringContaining(words) }),
    );
  });

  test.each([
    { url: "http://example.com/mcp", headers: { authorization: "x" } },
    { url: "http://example.com/mcp", params: { key: "x" } },
    { url: "http://example.com/mcp?key=x" },
  ])("credentials over plain http to another machine: %j", (config) => {
    expect(() => mcpServers({ s: config })).toThrow("unencrypted");
    expect(mcpServers({ s: config }, { allowInsecure: true })).toHaveLength(1);
  });

  test("plain HTTP is allowed without credentials, or to this machine", () => {
    expect(mcpServers({ a: { url: "http://example.com/mcp" } })).toHaveLength(1);
    expect(mcpServers({ a: { url: "http://127.0.0.1/mcp", headers: { a: "b" } } })).toHaveLength(1);
  });
});

describe("the variable $NAME in a configuration", () => {
  const variables = { TOKEN: "secret", A1_B: "x" };

  test.each([
    ["$TOKEN", "secret"],
    ["Bearer $TOKEN!", "Bearer secret!"],
    ["$A1_B$TOKEN", "xsecret"],
    ["$MISSING", "$MISSING"],
    ["$token", "$token"],
    ["$$TOKEN", "$secret"],
    ["$1TOKEN", "$1TOKEN"],
  ])("%s becomes %s", (written, value) => {
    expect(targetOf({ command: "c", env: { V: written } }, variables, undefined)).toMatchObject({
      env: { V: value },
    });
    expect(targetOf({ url: "https://h/", headers: { v: written } }, variables, undefined)).toMatchObject({
      headers: { v: value },
    });
  });

  test("is not replaced in arguments and parameters", () => {
    expect(targetOf({ command: "c", args: ["$TOKEN"] }, variables, undefined)).toMatchObject({
      args: ["$TOKEN"],
    });
    const target = targetOf({ url: "https://h/", params: { a: "$TOKEN" } }, variables, undefined);
    expect(target).toMatchObject({ url: new URL("https://h/?a=%24TOKEN") });
  });
});

test("a server's program gets this process's environment without credentials, and its own variables", async () => {
  process.env["CODEBUFF_API_KEY"] = "cb-key-of-the-user";
  process.env["AGENTWIRE_TEST_PLAIN"] = "seen";
  try {
    await using at = mcpWorld(program("plain", { OWN_TOKEN: "given" }));
    const variable = async (name: string) => textOf(await at.call("environment", { name }));
    expect(await variable("CODEBUFF_API_KEY")).toBe("undefined");
    expect(await variable("AGENTWIRE_TEST_PLAIN")).toBe("seen");
    expect(await variable("OWN_TOKEN")).toBe("given");
  } finally {
    delete process.env["CODEBUFF_API_KEY"];
    delete process.env["AGENTWIRE_TEST_PLAIN"];
  }
});

test("a server's program gets the environment that the option `environment` makes", async () => {
  const environment = (env: Readonly<Record<string, string>>) => ({
    PATH: process.env["PATH"],
    MADE: "yes",
    ...env,
  });
  await using at = mcpWorld(program("plain", { OWN: "given" }), { environment });
  expect(textOf(await at.call("environment", { name: "MADE" }))).toBe("yes");
  expect(textOf(await at.call("environment", { name: "HOME" }))).toBe("undefined");
});

describe("the package of the MCP client", () => {
  test("is not installed: the error's hint is the install command with the version", async () => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    await expect(loadPeer(() => Promise.reject(missing))).rejects.toMatchObject({
      code: "unsupported",
      hint: "Run `npm install @modelcontextprotocol/client@2`.",
    });
  });

  test("is older than version 2: the error's hint is the install command", async () => {
    await expect(loadPeer(() => Promise.resolve({} as never))).rejects.toMatchObject({
      code: "unsupported",
      hint: "Run `npm install @modelcontextprotocol/client@2`.",
    });
  });

  test("is broken: its own error is thrown", async () => {
    await expect(loadPeer(() => Promise.reject(new SyntaxError("broken")))).rejects.toThrow("broken");
  });
});
