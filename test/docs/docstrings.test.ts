import { describe, expect, test } from "vitest";
import { resolveOptions as cassOptions } from "../../src/cass/options.ts";
import { resolveOptions as codebuffOptions } from "../../src/codebuff/options.ts";
import { resolveOptions as codeyOptions } from "../../src/codey/options.ts";
import { docOf, memberDocs } from "./docstrings.ts";

// The reference of the API shows these comments. The pages leave the options, defaults and events to them.

const url = "ws://127.0.0.1/ws";
const { socket: ofCodebuff, handlers: _h, approval: _a, ...codebuff } = codebuffOptions({ url });
const { socket: ofCodey, approval: _b, ...codey } = codeyOptions({ url });
const { socket: ofCass, ...cass } = cassOptions({ url, allowAnonymous: true });

const SHARED = ["src/core/client/options.ts", "SocketClientOptions"] as const;
const GATE = ["src/core/gate/options.ts", "ApprovalOptions"] as const;
const CREDENTIALS = ["src/cass/auth/credentials.ts", "CassCredentialOptions"] as const;

const clients = [
  {
    name: "CodebuffClientOptions",
    file: "src/codebuff/options.ts",
    inherited: [SHARED, GATE, ["src/codebuff/requests/handlers.ts", "CodebuffHandlers"]],
    // `maxSendBytes` depends on the server, the ids are random.
    real: { ...ofCodebuff, ...codebuff, clientSessionId: undefined, fingerprintId: undefined },
    maxSendBytes: 1_048_576,
  },
  {
    name: "CodeyClientOptions",
    file: "src/codey/options.ts",
    inherited: [SHARED, GATE],
    real: { ...ofCodey, ...codey },
    maxSendBytes: codey.maxSendBytes,
  },
  {
    name: "CassClientOptions",
    file: "src/cass/options.ts",
    inherited: [SHARED, CREDENTIALS],
    real: { ...ofCass, ...cass, allowAnonymous: false },
    maxSendBytes: cass.maxSendBytes,
  },
] as const;

describe.each(clients)("the comments of $name", ({ name, file, inherited, real, maxSendBytes }) => {
  const docs = new Map([
    ...inherited.flatMap(([from, type]) => [...memberDocs(from, type)]),
    ...memberDocs(file, name),
  ]);
  const plain = Object.entries(real).filter(
    ([option, value]) => !["object", "undefined"].includes(typeof value) && option !== "maxSendBytes",
  );

  test("state the default of every plain option", () => {
    const told = plain.map(([option]) => {
      const [, value = "null"] = /@default ("[^"]*"|true|false|[\d_]+)/.exec(docs.get(option) ?? "") ?? [];
      return [option, JSON.parse(value.replaceAll("_", ""))];
    });
    expect(plain.length).toBeGreaterThan(5);
    expect(told).toEqual(plain);
  });

  test("state the defaults of the shared options that differ between clients", () => {
    const { interval, timeout } = real.keepalive;
    const figure = (value: number): string => value.toLocaleString("en").replaceAll(",", "_");
    const doc = docOf(file, name);
    expect(doc).toContain(`\`keepalive\` \`{ interval: ${figure(interval)}, timeout: ${figure(timeout)} }\``);
    expect(doc).toContain(`\`maxSendBytes\` ${figure(maxSendBytes)}`);
    if (real.reconnect === undefined) expect(doc).toContain("`reconnect` is off");
    else {
      expect(real.reconnect).toEqual({
        maxAttempts: Number.POSITIVE_INFINITY,
        minDelay: 500,
        maxDelay: 30_000,
      });
      expect(doc).toContain("`reconnect` without a limit of attempts");
    }
  });
});

test.each([
  ["src/core/client/options.ts", "SocketClientOptions"],
  ["src/core/client/options.ts", "KeepaliveOptions"],
  ["src/core/link/backoff.ts", "ReconnectOptions"],
  ["src/core/gate/options.ts", "ApprovalOptions"],
  ["src/core/turn/turn.ts", "TurnOptions"],
  ["src/core/client/agent-client.ts", "ClientEvents"],
  ["src/codebuff/options.ts", "CodebuffClientOptions"],
  ["src/codebuff/requests/handlers.ts", "CodebuffHandlers"],
  ["src/codebuff/events.ts", "CodebuffClientEvents"],
  ["src/codey/options.ts", "CodeyClientOptions"],
  ["src/codey/events.ts", "CodeyClientEvents"],
  ["src/cass/options.ts", "CassClientOptions"],
  ["src/cass/options.ts", "CassPromptOptions"],
  ["src/cass/auth/credentials.ts", "CassCredentialOptions"],
  ["src/cass/events.ts", "CassClientEvents"],
  ["src/cass/turn.ts", "CassResult"],
  ["src/cass/rest/options.ts", "CassRestOptions"],
  ["src/cass/rest/rest.ts", "CassRest"],
] as const)("each member in %s of %s has a comment", (file, name) => {
  const docs = [...memberDocs(file, name)];
  expect(docs.length).toBeGreaterThan(0);
  expect(docs.filter(([, doc]) => doc === "").map(([member]) => member)).toEqual([]);
});
