// `agentwire serve`: a relay over a backend, on this machine.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import { type Authorize, createRelay, type Relay } from "../../server/index.ts";
import { relayListener } from "../../server/node.ts";
import type { CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { wrongCall } from "../failure.ts";
import { LOOPBACK, listenOnPort, MAX_PORT } from "../listen.ts";
import { backendOf, openBackend } from "../open-backend.ts";
import { openLog } from "../open-log.ts";
import { exitCodeOfSignal, onSignals } from "../signals.ts";

const PORT = 8_787;
const PATH = "/chats";
/** The variable of the token, which `agentwire chat remote` reads too. */
const TOKEN = "AGENTWIRE_TOKEN";
/** Characters: as many as nobody guesses. */
const LEAST_TOKEN = 16;

export async function serveCommand(call: CommandCall): Promise<number> {
  const { given, isJson } = call;
  const backend = backendOf(call);
  if (backend.name === "remote")
    throw wrongCall(
      "A relay cannot serve a relay.",
      "Pass the backend itself, or use the relay that is there.",
    );
  const port = given.number("port", 0, MAX_PORT) ?? PORT;
  const host = given.text("host") ?? LOOPBACK;
  const names = given.list("name");
  const token = tokenOf();
  const opened = await openBackend(backend, call, "");
  const log = await openLog(given.text("log"), backend.name);
  try {
    const relay = createRelay({
      source: opened.source,
      log: log.log,
      authorize: authorizeBy(token.value),
      basePath: PATH,
      origins: given.list("origin"),
      logger: { debug() {}, info() {}, warn: say, error: say },
      ...(names.length === 0 && host === LOOPBACK
        ? {}
        : { hosts: [...names, inUrl(host), "localhost", LOOPBACK] }),
    });
    const server = createServer(relayListener(relay.handler));
    try {
      const bound = await listenOnPort(server, port, host);
      const url = `http://${inUrl(host)}:${bound}${PATH}`;
      const ended = untilSignal(); // before anybody learns that the server is there
      tellReady({ isJson, url, token, log: log.place, backend: backend.name });
      const signal = await ended;
      say("ending: turns that run get 5 s");
      return signal === "SIGINT" ? exitCodeOfSignal(signal) : EXIT.done;
    } finally {
      await close(server, relay);
    }
  } finally {
    await log.close();
    await opened.close?.();
  }
}

/** An address of IPv6 stands in brackets. */
const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

interface Token {
  readonly value: string;
  /** Whether it is a new one, which nobody knows yet. */
  readonly isNew: boolean;
}

/** @throws Failure for a token that can be guessed */
function tokenOf(): Token {
  const value = process.env[TOKEN]?.trim();
  if (!value) return { value: randomBytes(24).toString("base64url"), isNew: true };
  if (value.length >= LEAST_TOKEN) return { value, isNew: false };
  throw wrongCall(
    `${TOKEN} is too short.`,
    `Set ${LEAST_TOKEN} characters at least, or unset it for a random one.`,
  );
}

/** Whoever has the token may do everything. Comparing takes as long for a token that is nearly right as for any other. */
function authorizeBy(token: string): Authorize {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return (request) => {
    const given = (request as Request).headers.get("authorization") ?? "";
    return timingSafeEqual(digest(given), expected) && { user: "owner" };
  };
}

interface Ready {
  readonly isJson: boolean;
  readonly url: string;
  readonly token: Token;
  readonly log: string;
  readonly backend: string;
}

/** The token is printed if nobody else can know it. */
function tellReady({ isJson, url, token, log, backend }: Ready): void {
  if (isJson) {
    const line = {
      type: "ready",
      url,
      ...(token.isNew ? { token: token.value } : {}),
      log,
      pid: process.pid,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const words = [
    `agentwire serves ${backend} at ${url}`,
    token.isNew ? `The token, shown this once: ${token.value}` : `The token is that of ${TOKEN}.`,
    `Chats are kept in ${log}.`,
    "",
    "In another terminal:",
    `  ${token.isNew ? `${TOKEN}=${token.value} ` : ""}agentwire chat remote --url ${url}`,
    "",
    "Ctrl-C ends.",
  ];
  process.stdout.write(`${words.join("\n")}\n`);
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => onSignals(resolve));
}

/** First the relay: its streams end, and their viewers come back elsewhere. */
async function close(server: Server, relay: Relay): Promise<void> {
  await relay.close();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}
