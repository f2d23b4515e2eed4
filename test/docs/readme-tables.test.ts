import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as agentwire from "agentwire";
import {
  AgentwireError,
  type Capabilities,
  CassClient,
  CodebuffClient,
  type CodebuffClientOptions,
  CodeyClient,
  type ErrorByCode,
  type ErrorCode,
  type HandshakeReason,
} from "agentwire";
import { AcpClient } from "agentwire/acp";
import * as cliEntry from "agentwire/codebuff-cli";
import * as runEntry from "agentwire/codebuff-run";
import { describe, expect, test } from "vitest";
import { readPages } from "../../scripts/support/snippets.ts";

const read = (page: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), "utf8");
const readme = read("README.md");

/** The rows of the table of a page whose heading begins so: cells by the names of their columns. */
function table(page: string, heading: string): Record<string, string>[] {
  const [, text = ""] = read(page).split(`\n${heading}`);
  const [first = "", , ...rows] = `${heading}${text}`.split("\n\n")[0]?.split("\n") ?? [];
  const cells = (line: string): string[] =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const columns = cells(first).map((name) => name.replace(/\[(.*)\]\(.*\)/, "$1").replaceAll("`", ""));
  return rows.map((row) => Object.fromEntries(cells(row).map((cell, at) => [columns[at], cell])));
}

const codeIn = (text = ""): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("the README has at most 900 words", () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
});

test("the README and the pages of docs/ have at most 26,000 words", async () => {
  const pages = await readPages(fileURLToPath(new URL("../..", import.meta.url)));
  const texts = pages
    .filter(({ file }) => file === "README.md" || file.startsWith("docs/"))
    .map(({ text }) => text);
  const words = texts.join("\n").split(/\s+/).length;
  expect(words).toBeLessThanOrEqual(26_000);
});

test("the README names the options `logger` and `debug`", () => {
  expect(readme).toMatch(/`logger: console`.*`debug: true`/);
});

describe("the list of capabilities", () => {
  const url = "ws://127.0.0.1:1/ws";
  const codebuff = (options: Partial<CodebuffClientOptions>): Capabilities =>
    new CodebuffClient({ url, ...options }).capabilities;
  const proxy = codebuff({ profile: "proxy", authToken: "a token" });
  const original = codebuff({ profile: "codebuff", authToken: "a token" });
  const nobody = codebuff({ profile: "codebuff" });
  const codey = new CodeyClient({ url }).capabilities;
  const cass = new CassClient({ url, allowAnonymous: true }).capabilities;

  /** A backend, perhaps with a condition, and what it can do. */
  type Ability = readonly [backend: string, value: boolean | string];
  /** What both servers can do, or one of them. */
  const ofCodebuff = (name: keyof Capabilities): readonly Ability[] => {
    if (original[name] === proxy[name]) return [["Codebuff", proxy[name]]];
    if (proxy[name] === true) return [["Codebuff (proxy)", true]];
    const token = original[name] === nobody[name] ? "" : ", with an `authToken`";
    return [[`Codebuff (original${token})`, original[name]]];
  };
  const cli = (profile: cliEntry.CodebuffCliProfile): Capabilities =>
    new cliEntry.CodebuffCli({ profile }).capabilities;
  /** What its default profile can do, and which others cannot. */
  const ofCli = (name: keyof Capabilities): readonly Ability[] => {
    const best = cli("stream-json")[name];
    const others = (["json", "print", "text"] as const).filter((profile) => cli(profile)[name] !== best);
    const but = others.map((profile) => `\`${profile}\``).join(", ");
    return [[others.length === 0 ? "CLI" : `CLI (not ${but})`, best]];
  };
  const run = (options: runEntry.CodebuffRunOptions): Capabilities =>
    new runEntry.CodebuffRun(options).capabilities;
  const provider: runEntry.ModelProvider = {
    name: "own",
    supports: () => true,
    stream: async function* () {},
  };
  /** What it can do with the backend, and without. */
  const ofRun = (name: keyof Capabilities): readonly Ability[] => {
    const best = run({ apiKey: "a-key" })[name];
    const alone = run({ providers: [provider] })[name];
    return [["run", best], ...(alone === best ? [] : [["run (without the backend)", alone] as const])];
  };
  const acp = new AcpClient({ command: "agent" }).capabilities;
  const lines = [...read("docs/backends.md").matchAll(/^- `(\w+)`: (.*)$/gm)].map(
    ([, name = "", text = ""]) => ({ name, told: text.split(". ")[0] ?? "" }),
  );

  test("has a line for each capability", () => {
    expect(lines.map(({ name }) => name)).toEqual(Object.keys(cass));
  });

  test.each(Object.keys(cass) as (keyof Capabilities)[])("is right about %s", (name) => {
    const real = [
      ...ofCodebuff(name),
      ["Codey", codey[name]] as const,
      ["Cass", cass[name]] as const,
      ...ofCli(name),
      ...ofRun(name),
      ["ACP", acp[name]] as const,
    ];
    const { told = "" } = lines.find((line) => line.name === name) ?? {};
    const groups = told.startsWith("`") ? told.split("; ") : [told];
    const said = groups.flatMap((group) => {
      const [, value, backends = ""] = /^(?:`(\w+)`: )?(.*)$/.exec(group) ?? [];
      const isNone = backends === "none" || backends.startsWith("only "); // unless an option is set
      const named = isNone ? [] : backends.split(/, (?![^(]*\))/);
      return named.map((backend) => [backend, value ?? true]);
    });
    expect(said.map(String).sort()).toEqual(
      real
        .filter(([, value]) => value !== false)
        .map(String)
        .sort(),
    );
  });
});

describe("the table of errors", () => {
  const rows = table("docs/errors.md", "| `code` | class |");
  const rowOf = (code: string) => rows.find((row) => codeIn(row["code"])[0] === code) ?? {};
  const size = { bytes: 2, limit: 1 };

  /** One of each, as it is made where nobody says anything else. */
  const plain: { readonly [Code in ErrorCode]: ErrorByCode[Code] } = {
    "invalid-input": new agentwire.InvalidInputError("", ""),
    "already-consumed": new agentwire.InvalidInputError("", "", { code: "already-consumed" }),
    unsupported: new agentwire.UnsupportedError("", ""),
    "connect-failed": new agentwire.ConnectError(""),
    "connect-timeout": new agentwire.ConnectTimeoutError(1),
    "handshake-refused": new agentwire.HandshakeError("nack", ""),
    "connection-lost": new agentwire.ConnectionLostError(""),
    "context-lost": new agentwire.ConnectionLostError("", { code: "context-lost" }),
    "request-refused": new agentwire.RequestError("", { serverMessage: "" }),
    "request-timeout": new agentwire.RequestTimeoutError("", { timeout: 1 }),
    "turn-failed": new agentwire.TurnError({ origin: "", kind: "", serverMessage: "" }),
    "turn-cancelled": new agentwire.TurnCancelledError("user"),
    "turn-timeout": new agentwire.TurnTimeoutError("idle", 1),
    "buffer-overflow": new agentwire.BufferOverflowError(2, 1),
    "queue-full": new agentwire.QueueFullError("turns", 2, 1),
    "payload-too-large": new agentwire.PayloadTooLargeError("", size),
    closed: new agentwire.ClosedError(""),
  };

  test("has each code once, and no other", () => {
    expect(rows.map((row) => codeIn(row["code"])[0])).toEqual(Object.keys(plain));
  });

  test.each(Object.values(plain))("is right about $code", (error) => {
    const { class: classes, retryable = "", delivery } = rowOf(error.code);
    if (error.code !== "turn-failed") expect(codeIn(classes)).toContain(error.name.split(" ")[0]); // that is always a protocol's own
    if (!retryable.startsWith("see ")) expect(retryable.split(";")[0]).toBe(error.retryable ? "yes" : "no");
    if (error.delivery !== undefined) expect(codeIn(delivery)).toEqual([error.delivery]);
  });

  test("names every error class that a caller can get", () => {
    const classes = Object.entries({ ...agentwire, ...cliEntry, ...runEntry })
      .filter(([, value]) => typeof value === "function" && value.prototype instanceof AgentwireError)
      .map(([name]) => name);
    const named = rows.flatMap((row) => codeIn(row["class"]));
    expect(classes).toEqual(expect.arrayContaining(["CassApiError", "CodebuffCliError", "CodebuffRunError"]));
    expect(classes.filter((name) => name !== "TurnError" && !named.includes(name))).toEqual([]);
  });
});

describe("the table of reasons for a refused handshake", () => {
  const rows = table("docs/errors.md", "| `reason` | protocol |");
  const reasons: Readonly<Record<HandshakeReason, readonly string[]>> = {
    nack: ["Codebuff", "ACP"],
    policy: ["Codebuff", "ACP"],
    duplicate: ["Codebuff"],
    full: ["Codebuff"],
    closed: ["Codebuff"],
    timeout: ["Codebuff", "Cass"],
    rejected: ["Codey", "Cass", "run", "CLI"],
    "identity-mismatch": ["Cass"],
    anonymous: ["Cass"],
    "refresh-failed": ["Codebuff", "Cass"],
    initializing: ["Cass"],
    auth: ["ACP"],
    version: ["ACP"],
  };

  test.each(Object.entries(reasons))("has the reason %s, for the protocols %j", (reason, protocols) => {
    const found = rows.filter((row) => codeIn(row["reason"]).includes(reason));
    expect(found.flatMap((row) => row["protocol"]?.split(", "))).toEqual(protocols);
  });

  test("names no other reason", () => {
    const named = rows.flatMap((row) => codeIn(row["reason"]));
    expect(named.filter((reason) => !(reason in reasons))).toEqual([]);
  });
});

describe("the table of entry points", () => {
  const rows = table("docs/start.md", "| import from |");
  const { exports } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

  test("has each entry of the package once, and no other", () => {
    const entries = Object.keys(exports).filter((path) => !/\.(?:json|css)$/.test(path));
    const named = rows.flatMap((row) => codeIn(row["import from"]));
    expect(named).toEqual(entries.map((path) => path.replace(/^\./, "agentwire")));
  });

  test("keeps clients without a socket out of the main entry", () => {
    expect(Object.keys(agentwire)).not.toContain("CodebuffCli");
    expect(Object.keys(agentwire)).not.toContain("CodebuffRun");
    expect(rows[0]?.["what is there"]).toContain("the WebSocket clients (Codebuff, Codey, Cass)");
  });
});
