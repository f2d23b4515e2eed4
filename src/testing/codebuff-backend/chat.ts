// The routes for chat completions.
import { isDict } from "../server/dict.ts";
import { STOPPED } from "../server/interruptible.ts";
import type { Backend } from "./backend.ts";
import { type Call, failed, providerError } from "./call.ts";
import { type BackendChat, readChat } from "./chat-request.ts";
import { chunkParts, completionOf } from "./chunks.ts";
import type { Exchange } from "./exchange.ts";
import { admit } from "./gates.ts";
import type { BackendUser } from "./options.ts";
import type { OpenRun } from "./runs.ts";
import type { BackendSse } from "./script.ts";
import { Stream } from "./stream.ts";

const BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>";

/** Seconds since 1970, the same in all chunks. */
const CREATED = 1_700_000_000;

/** `POST /api/v1/chat/completions`. */
export async function chat(call: Call, backend: Backend, exchange: Exchange): Promise<void> {
  const admitted = admit(call, backend);
  if ("refusal" in admitted) {
    exchange.reply(admitted.refusal);
    return;
  }
  const { user, run, body } = admitted;
  if (!isWrong(call, backend.settings.sse, exchange))
    await answer(readChat(body), { call, user, run, number: ++run.chatCalls }, backend, exchange);
}

/** `POST /v1/chat/completions` of a direct provider: without runs, gates and comments. */
export async function directChat(call: Call, backend: Backend, exchange: Exchange): Promise<void> {
  const { user, json } = call;
  if (!user) exchange.reply(providerError(401, "Incorrect API key provided."));
  else if (!json.valid || !isDict(json.value)) exchange.reply(providerError(400, "The body is no JSON."));
  else if (!isWrong(call, backend.settings.sse, exchange)) {
    const caller = { call, user, run: null, number: ++backend.directCalls };
    await answer(readChat(json.value), caller, backend, exchange);
  }
}

interface Caller {
  readonly call: Call;
  readonly user: BackendUser;
  readonly run: OpenRun | null;
  /** 1 for the first call of the run. */
  readonly number: number;
}

async function answer(
  request: BackendChat,
  { call, user, run, number }: Caller,
  backend: Backend,
  exchange: Exchange,
): Promise<void> {
  const { work } = exchange;
  const agentId = run?.agentId ?? null;
  const runId = run?.id ?? null;
  const { clock } = backend;
  const context = { request, agentId, runId, call: number, userId: user.id, signal: work.signal, clock };
  const reply = await work.unlessStopped(backend.model.answerTo(context));
  if (reply === STOPPED) return;
  await exchange.delay(reply.delayMs ?? 0);
  const { refused } = reply;
  if (refused) return exchange.reply(providerError(refused.status ?? 400, refused.message, refused.type));
  const sse: BackendSse = { ...backend.settings.sse, ...reply.sse };
  if (isWrong(call, sse, exchange)) return;
  const head = { id: `gen-${++backend.generations}`, model: request.model, created: CREATED };
  if (request.stream && !sse.asJson) await new Stream(backend, exchange, sse).play(reply, head, run !== null);
  else {
    // An unstreamed answer also waits for all gates and delays of the stream.
    for (const part of chunkParts(reply)) if (part.kind === "gate") await exchange.pass(part.gate);
    exchange.reply({ status: 200, body: completionOf(reply, head, sse, request.n) });
  }
}

/** Answers like an intermediate server. If the switch is set for the whole server, the script is not called. */
function isWrong({ record }: Call, { html502, redirect }: BackendSse, exchange: Exchange): boolean {
  if (html502) exchange.whole(502, { "content-type": "text/html" }, BAD_GATEWAY);
  else if (redirect !== undefined) exchange.whole(307, { location: new URL(record.path, redirect).href }, "");
  return html502 === true || redirect !== undefined;
}

/** The fallback answer to an error. */
export const CHAT_FAILED = failed(500, "Failed to process request");
