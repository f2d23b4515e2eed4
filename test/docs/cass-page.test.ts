import { readdirSync, readFileSync } from "node:fs";
import type {
  CassAuthReason,
  CassClientEvents,
  CassClientOptions,
  CassDebug,
  CassFailureKind,
  CassProgress,
  CassPromptOptions,
  CassRest,
  CassRestOptions,
  CassResult,
} from "agentwire/cass";
import { describe, expect, test } from "vitest";
import { resolveOptions } from "../../src/cass/options.ts";
import { codeIn, names, Page } from "./page.ts";

const doc = new Page("docs/cass.md");

describe("docs/cass.md names", () => {
  test.each([
    [
      "why a login fails",
      "Logging in",
      names<CassAuthReason>({
        rejected: true,
        "identity-mismatch": true,
        anonymous: true,
        timeout: true,
        "refresh-failed": true,
      }),
    ],
    [
      "how far a turn can be",
      "What is in a turn",
      names<CassProgress["kind"]>({
        retrieving: true,
        processing: true,
        generating: true,
        tools: true,
        intro: true,
        demo: true,
        other: true,
      }),
    ],
    [
      "what the tool loop tells",
      "What is in a turn",
      names<CassDebug["kind"]>({
        loop: true,
        result: true,
        submitting: true,
        continuation: true,
        text: true,
        other: true,
      }),
    ],
    [
      "what a turn ends with",
      "What is in a turn",
      names<Exclude<keyof CassResult, "truncated" | "cost">>({
        text: true,
        usage: true,
        conversationId: true,
        reasoning: true,
        animations: true,
        audio: true,
        toolUses: true,
        provider: true,
        model: true,
        recovered: true,
        message: true,
      }),
    ],
    [
      "what the client tells",
      "What is in a turn",
      names<Exclude<keyof CassClientEvents, "approval" | "question" | "settled">>({
        authenticated: true,
        title: true,
        system: true,
        audio: true,
        recovering: true,
        serverError: true,
        stray: true,
        unknownMessage: true,
        status: true,
        reconnecting: true,
        reconnected: true,
        disconnected: true,
        protocolWarning: true,
        turn: true,
        event: true,
        message: true,
        frame: true,
      }),
    ],
    [
      "what a server says of a failed turn",
      "Which error, what now",
      names<CassFailureKind>({
        "missing-ids": true,
        "user-not-found": true,
        "not-available": true,
        initializing: true,
        "unknown-type": true,
        "empty-message": true,
        "unreadable-response": true,
        failed: true,
      }),
    ],
    [
      "every call of REST",
      "REST",
      names<keyof CassRest>({
        login: true,
        register: true,
        refresh: true,
        me: true,
        listConversations: true,
        newConversation: true,
        continuousConversation: true,
        getConversation: true,
        getMessages: true,
        setTitle: true,
        deleteConversation: true,
        getModel: true,
        setProvider: true,
        setModel: true,
        getStatus: true,
        getLibrary: true,
      }),
    ],
    [
      "every option of REST",
      "REST",
      names<Exclude<keyof CassRestOptions, "clock">>({
        url: true,
        token: true,
        refreshToken: true,
        onTokens: true,
        fetch: true,
        timeout: true,
        retries: true,
        maxReceiveBytes: true,
        allowInsecure: true,
        signal: true,
        logger: true,
      }),
    ],
    [
      "every option of a prompt",
      "Timers and limits",
      names<keyof CassPromptOptions>({ recover: true, allowEmpty: true }),
    ],
    [
      "every option of the client",
      "Timers and limits",
      names<keyof CassClientOptions>({
        url: true,
        token: true,
        refreshToken: true,
        onTokens: true,
        auth: true,
        expectedUserId: true,
        allowAnonymous: true,
        requireConnected: true,
        idleTimeout: true,
        requestTimeout: true,
        httpUrl: true,
        fetch: true,
        recover: true,
        recoverTimeout: true,
        cancel: true,
        maxTurnsInFlight: true,
        maxImageBytes: true,
        WebSocket: true,
        createWebSocket: true,
        headers: true,
        connectTimeout: true,
        keepalive: true,
        reconnect: true,
        maxSendBytes: true,
        maxReceiveBytes: true,
        maxQueuedBytes: true,
        maxQueuedTurns: true,
        maxBufferedBytes: true,
        maxTextBytes: true,
        signal: true,
        logger: true,
        debug: true,
        allowInsecure: true,
        clock: true,
      }),
    ],
  ])("%s", (_, title, all) => {
    const named = new Set(codeIn(doc.section(title)).map((code) => code.replace(/^"|[?("].*$/g, "")));
    expect(all.filter((name) => !named.has(name))).toEqual([]);
  });
});

describe("the defaults in docs/cass.md", () => {
  const { socket, ...own } = resolveOptions({ url: "ws://127.0.0.1/ws", allowAnonymous: true });
  const real: Readonly<Record<string, unknown>> = { ...socket, ...own, allowAnonymous: false };
  const UNITS: Readonly<Record<string, number>> = {
    "": 1,
    ms: 1,
    s: 1_000,
    MB: 1_000_000,
    Mi: 2 ** 20,
    MiB: 2 ** 20,
  };
  /** `10 s` as the code has it. */
  const written = (told: string): unknown => {
    const [text = ""] = codeIn(told);
    if (text !== "") return JSON.parse(text);
    const [, figure, unit = ""] = /^(\d+) ?(\w*)$/.exec(told) ?? [];
    return Number(figure) * (UNITS[unit] ?? Number.NaN);
  };

  const told = doc.rows("Timers and limits").flatMap(([options = "", defaults = ""]) => {
    const named = codeIn(options.replace(/, per prompt.*/, ""));
    const values = defaults.split(", ");
    return named.map((option, at) => ({ option, value: values[at] ?? values[0] ?? "" }));
  });
  const checked = told.filter(({ option }) => !["object", "undefined"].includes(typeof real[option]));

  test.each(checked)("equal the code's: $option is $value", ({ option, value }) => {
    expect(written(value)).toBe(real[option]);
  });

  test("are compared with the code for all plain options", () => {
    const plain = Object.keys(real).filter((name) => typeof real[name] !== "object");
    expect(checked.map(({ option }) => option).sort()).toEqual(plain.sort());
  });

  test("state the figures of `keepalive` and `reconnect`", () => {
    const [, keepalive = ""] = doc.rows("Timers and limits").find(([name]) => name === "`keepalive`") ?? [];
    const [, reconnect = ""] = doc.rows("Timers and limits").find(([name]) => name === "`reconnect`") ?? [];
    expect(keepalive).toBe("25 s, 10 s to answer");
    expect(reconnect).toBe("no end, 500 ms to 30 s");
    expect(real).toMatchObject({
      keepalive: { interval: 25_000, timeout: 10_000 },
      reconnect: { maxAttempts: Infinity, minDelay: 500, maxDelay: 30_000 },
    });
  });
});

test("docs/cass.md names every warning that the client gives", () => {
  const folder = new URL("../../src/cass/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const code = files.map((file) => readFileSync(new URL(file, folder), "utf8"));
  const given = code.flatMap((text) =>
    [...text.matchAll(/\bwarn\(\s*"([\w-]+)"/g)].map(([, kind = ""]) => kind),
  );
  const named = codeIn(doc.section("What is in a turn"));
  expect(given).toContain("image-ignored");
  expect(given.filter((kind) => !named.includes(kind))).toEqual([]);
});

test("docs/cass.md lists fourteen differences, and fills each column of their table", () => {
  const [, ...differences] = doc.rows("What differs, and who takes care of it");
  expect(differences).toHaveLength(14);
  for (const cells of differences) {
    expect(cells).toHaveLength(4);
    expect(cells.every((cell) => cell.trim() !== "")).toBe(true);
  }
});
