// Reaches a backend, and shakes hands with it, step by step.

import { isAgentwireError } from "../../core/errors.ts";
import type { AnyAgentClient } from "../../core/index.ts";
import type { BackendRow, OpenedBackend } from "../backend.ts";
import type { CommandCall } from "../command.ts";
import { wrongCall } from "../failure.ts";
import { needed } from "../open-options.ts";
import { handshakeFailure, silenceAdvice } from "./advice.ts";
import { addressIn, checkCertificate, lookUp, openPort, type ServerAddress, TCP_NEXT } from "./reach.ts";
import { serverStep } from "./server.ts";
import { type DoctorStep, type Found, stepFailed, stepOk, stepSkipped, within } from "./steps.ts";

/** Where a run goes without --url: the default of its client. */
const RUN_URL = "https://www.codebuff.com";

/** ms for a client to say goodbye. */
const CLOSING = 3_000;

export interface Limits {
  /** s, of a step of the network. */
  readonly reach: number;
  /** s */
  readonly handshake: number;
}

export interface Visit {
  readonly backend: BackendRow;
  readonly call: CommandCall;
  readonly limits: Limits;
  readonly ended: AbortSignal;
  /** Whether a secret that is needed is missing. */
  readonly lacksKey: boolean;
}

/** @throws Failure for a call that cannot work */
export function addressOf({ name, options }: BackendRow, { given }: CommandCall): ServerAddress | undefined {
  if (!options.some((row) => row.name === "url")) return undefined;
  const url = name === "run" ? (given.text("url") ?? RUN_URL) : needed(given, "url");
  const address = addressIn(url);
  if (address) return address;
  throw wrongCall(
    `--url is ${JSON.stringify(url)}.`,
    "Pass an address such as ws://127.0.0.1:8080/ws or http://127.0.0.1:8787/chats.",
  );
}

/** The steps of the network. The first that fails is the last. */
export async function* reachSteps(
  address: ServerAddress,
  { backend, limits, ended }: Visit,
): AsyncGenerator<DoctorStep> {
  const mocks: Readonly<Record<string, string>> = {
    codebuff: "codebuff",
    codey: "codey",
    cass: "cass",
    run: "backend",
  };
  const mock = Object.hasOwn(mocks, backend.name) ? `agentwire mock ${mocks[backend.name]}` : undefined;
  const steps: readonly (readonly [string, (signal: AbortSignal) => Promise<Found>, string])[] = [
    ["dns", () => lookUp(address), "The name server does not answer: check the network, and a VPN."],
    ["tcp", (signal) => openPort(address, signal, mock), TCP_NEXT],
    ...(address.isSecure
      ? [["tls", (signal: AbortSignal) => checkCertificate(address, signal), TCP_NEXT] as const]
      : []),
  ];
  for (const [name, look, next] of steps) {
    const found = await within(limits.reach, ended, look, next);
    yield { name, ...found };
    if (found.status === "failed" || ended.aborted) return;
  }
}

/** The handshake of the client, and which server it is. */
export async function* handshakeSteps(visit: Visit): AsyncGenerator<DoctorStep> {
  const { backend, call, limits, ended, lacksKey } = visit;
  if (lacksKey) {
    yield { name: "handshake", ...stepSkipped("the key is missing") };
    return;
  }
  const opened = await openedBackend(backend, call);
  if ("status" in opened) {
    yield { name: "handshake", ...opened };
    return;
  }
  const client = opened.source().client();
  try {
    const next = silenceAdvice(backend.name);
    const found = await within(
      limits.handshake,
      ended,
      (signal) => connected(backend.name, client, signal),
      next,
    );
    yield { name: "handshake", ...found };
    if (found.status !== "failed" && !ended.aborted) {
      const look = (): Promise<Found> => serverStep(backend.name, client);
      yield { name: "server", ...(await within(limits.handshake, ended, look, next)) };
    }
  } finally {
    await closed(client, ended);
    await opened.close?.();
  }
}

/** A program that is missing is a step that failed. */
async function openedBackend(backend: BackendRow, call: CommandCall): Promise<OpenedBackend | Found> {
  const { args, rest, given, argv } = call;
  const secret = backend.secret && process.env[backend.secret.variable]?.trim();
  try {
    return await backend.open({
      given,
      agent: args[1],
      rest,
      secret: secret || undefined,
      rules: [],
      chat: "doctor",
      argv,
    });
  } catch (error) {
    if (isAgentwireError(error, "unsupported")) return handshakeFailure(backend.name, error);
    throw error;
  }
}

async function connected(backend: string, client: AnyAgentClient, signal: AbortSignal): Promise<Found> {
  const began = performance.now();
  try {
    await client.connect({ signal });
  } catch (error) {
    return handshakeFailure(backend, error);
  }
  return stepOk(`succeeded after ${Math.round(performance.now() - began)} ms`);
}

async function closed(client: AnyAgentClient, ended: AbortSignal): Promise<void> {
  const limit = new Promise((resolve) => setTimeout(resolve, CLOSING).unref());
  await Promise.race([client.close({ force: ended.aborted }), limit]).catch(() => {}); // it was looked at
}

/** A server with OpenAI's API, whose client asks nothing before the first prompt. */
export async function modelsStep({ call: { given }, limits, ended }: Visit): Promise<Found> {
  const baseUrl = `${given.text("url")?.replace(/\/$/, "")}`;
  const url = `${baseUrl}/models`;
  const key = process.env["OPENAI_API_KEY"];
  const { openAiCompatible } = await import("../../codebuff-run/index.ts");
  try {
    // The provider's own rules: no key leaves over plain http:// unasked.
    openAiCompatible({
      baseUrl,
      allowInsecure: given.flag("allow-insecure"),
      ...(key ? { apiKey: key } : {}),
    });
  } catch (error) {
    if (!isAgentwireError(error)) throw error;
    return stepFailed(
      error.message,
      "Use https://, or a server of this machine. --allow-insecure sends the key all the same.",
    );
  }
  const look = async (signal: AbortSignal): Promise<Found> => {
    try {
      const { status } = await fetch(url, {
        signal,
        redirect: "manual",
        headers: key ? { authorization: `Bearer ${key}` } : {},
      });
      if (status === 200) return stepOk("it lists its models");
      if (status === 401 || status === 403)
        return stepFailed(`it answers ${status}`, "Check OPENAI_API_KEY.");
      return stepFailed(
        `it answers ${status} to ${new URL(url).pathname}`,
        "Check the path of --url: it often ends in /v1.",
      );
    } catch (error) {
      const { cause, message } = error as Error;
      return stepFailed(
        `it does not answer: ${cause instanceof Error ? cause.message : message}`,
        "Check --url: http:// or https://.",
      );
    }
  };
  return within(limits.handshake, ended, look, "Look into the log of the server.");
}
