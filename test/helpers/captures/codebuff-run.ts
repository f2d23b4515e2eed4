// Plays captured answers of the Codebuff backend to the run client: each file gives one stream.
import { readFile } from "node:fs/promises";
import { CodebuffRun, type CodebuffRunToolHandler, toUniversal } from "agentwire/codebuff-run";
import { ManualClock } from "agentwire/testing";
import type { UniversalEvent } from "agentwire/universal";
import { isControl } from "../../../src/codebuff-run/calls/builtins.ts";
import { allOf } from "../../universal/all-of.ts";
import { GOLDEN_TIME, goldenOptions } from "../../universal/golden-options.ts";

/** What the captured SDK sent, and what the backend answered. */
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body?: {
    readonly action?: "START" | "FINISH";
    readonly status?: string;
    readonly messages?: readonly Message[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
  readonly answer: { readonly status: number; readonly body?: unknown; readonly sse?: Pieces };
}

/** A piece of a stream, and when it came, in ms. */
interface Piece {
  readonly s: string;
  readonly t: number;
}

type Pieces = readonly (string | Piece)[];

/** A message of the history, as the model gets it. */
interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text: string }[];
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
}

export async function playRun(file: string): Promise<readonly (readonly UniversalEvent[])[]> {
  const exchanges = exchangesOf(await readFile(file, "utf8"));
  if (exchanges.length === 0) return [];
  const chats = exchanges.filter(({ path }) => path.endsWith("/chat/completions"));
  const prompts = promptsOf(chats);
  const names = [
    ...new Set(chats.flatMap(({ body }) => body?.tools ?? []).map((tool) => tool.function.name)),
  ];
  const toolNames = names.length > 0 ? names : ["end_turn"];
  const backend = new PlayedBackend(exchanges);
  await using client = new CodebuffRun({
    baseUrl: "http://127.0.0.1",
    apiKey: "key",
    agent: { id: "tester", displayName: "Tester", model: "openai/gpt-5-mini", toolNames },
    overrideTools: handlersOf(toolNames, chats),
    clock: new ManualClock({ epoch: GOLDEN_TIME }),
    fetch: (url, init) => backend.fetch(url, init),
  });
  const talk = client.conversation();
  const stream = toUniversal(talk, goldenOptions());
  for (const prompt of prompts) {
    const turn = talk.prompt(prompt);
    backend.cancel = () => void turn.cancel();
    await turn.outcome;
  }
  await client.close();
  // The captured SDK repeats some requests that were refused; this client does not.
  if (chats.some((chat) => chat.answer.sse && !backend.hasPlayed(chat)))
    throw new Error("the client did not ask for all answers");
  return [await allOf(stream)];
}

function exchangesOf(text: string): readonly Exchange[] {
  const lines = text.split("\n").filter((line) => line !== "");
  const all = lines.map((line) => JSON.parse(line));
  return all
    .filter(({ dir }) => dir === "req")
    .map((request) => ({
      ...request,
      answer: all.find(({ id, dir }) => id === request.id && dir === "res"),
    }));
}

/** What the user asked, in order. The last request has the whole history. */
function promptsOf(chats: readonly Exchange[]): readonly string[] {
  const messages = chats.at(-1)?.body?.messages ?? [];
  const prompts = messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap(({ text }) => /<user_message>(.*)<\/user_message>/s.exec(text)?.[1] ?? []),
  );
  return prompts.length > 0 ? prompts : ["hi"]; // the backend refused the key
}

/** Tools that give the captured outputs, in order. */
function handlersOf(
  names: readonly string[],
  chats: readonly Exchange[],
): Readonly<Record<string, CodebuffRunToolHandler>> {
  const messages = chats.at(-1)?.body?.messages ?? [];
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls);
  const outputsOf = (name: string): readonly string[] =>
    calls
      .filter((call) => call.function.name === name)
      .flatMap(({ id }) =>
        messages.filter(({ tool_call_id }) => tool_call_id === id).map(({ content }) => String(content)),
      );
  return Object.fromEntries(
    names
      .filter((name) => !isControl(name))
      .map((name) => {
        const outputs = outputsOf(name).values();
        return [name, () => [{ type: "json" as const, value: JSON.parse(outputs.next().value ?? "{}") }]];
      }),
  );
}

/** The backend of a capture: it gives its answers in order, for each route. */
class PlayedBackend {
  /** Cancels the turn under way. */
  cancel: () => void = () => {};
  readonly #exchanges: readonly Exchange[];
  readonly #played = new Set<Exchange>();
  readonly #isCancelled: boolean;

  constructor(exchanges: readonly Exchange[]) {
    this.#exchanges = exchanges;
    this.#isCancelled = exchanges.some(({ body }) => body?.status === "cancelled");
  }

  hasPlayed(exchange: Exchange): boolean {
    return this.#played.has(exchange);
  }

  async fetch(url: string, init: { readonly method: string; readonly body?: string }): Promise<Response> {
    const { pathname } = new URL(url);
    const route = routeOf({ method: init.method, path: pathname, body: JSON.parse(init.body ?? "{}") });
    const next = this.#exchanges.find((each) => routeOf(each) === route && !this.#played.has(each));
    if (!next) return Response.json({ inputTokens: 1_234, stepId: "step" }); // what the captured SDK did not ask
    this.#played.add(next);
    const { status, body, sse } = next.answer;
    return sse
      ? this.#streamOf(this.#isCancelled ? untilPause(sse) : sse)
      : Response.json(body ?? {}, { status });
  }

  #streamOf(pieces: Pieces): Response {
    const left = pieces.map((piece) => (typeof piece === "string" ? piece : piece.s)).values();
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const { done, value } = left.next();
      if (!done) controller.enqueue(new TextEncoder().encode(value));
      else if (this.#isCancelled) this.cancel();
      else controller.close();
    };
    const headers = { "content-type": "text/event-stream" };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers });
  }
}

/** A captured user cancelled in the first long pause. */
function untilPause(pieces: Pieces): Pieces {
  const times = pieces.map((piece) => (typeof piece === "string" ? 0 : piece.t));
  const pause = times.findIndex((time, at) => time - (times[at - 1] ?? time) > 1_000);
  return pieces.slice(0, pause < 0 ? undefined : pause);
}

const routeOf = ({ method, path, body }: Pick<Exchange, "method" | "path" | "body">): string =>
  `${method} ${path.replace(/[0-9a-f-]{36}/, "ID")} ${body?.action ?? ""}`;
