import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type Api, type ModelRequest, readRequest, streamOf } from "./model-apis.ts";
import { type Action, toolCallFor } from "./model-tools.ts";

/** A part of an answer of the model. */
export type Step =
  | { readonly text: readonly string[]; readonly gap?: number }
  | Action
  /** Nothing more until the agent hangs up. */
  | { readonly hold: true };

/** What the model answers to a prompt that contains `[[name]]`: one list of steps for each request of the turn. */
export type Scripts = Readonly<Record<string, readonly (readonly Step[])[]>>;

const MARK = /\[\[([a-z]+)\]\]/g;
/** The answer to requests that are no turn: titles, summaries. */
const ASIDE: readonly Step[] = [{ text: ["A short title"] }];

/**
 * A model on loopback that answers by scripts: OpenAI (chat completions, Responses), Anthropic (messages) and Gemini, as
 * far as agents use them here. Emits the script's name when it begins an answer.
 */
export class ScriptedModel extends EventEmitter implements AsyncDisposable {
  readonly #server: Server;
  readonly #scripts: Scripts;
  /** The folder of the project: the paths of the tools are absolute. */
  project = "";
  /** The marks in the history of the last scripted request, oldest first. */
  history: readonly string[] = [];
  /** Scripted requests that are being answered, and the most of them at once. */
  #open = 0;
  mostOpen = 0;
  /** A line for each request, for a report of a failure. */
  readonly log: string[] = [];

  private constructor(scripts: Scripts) {
    super();
    this.#scripts = scripts;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.log.push(`the model has failed: ${error instanceof Error ? error.message : error}`);
        response.destroy();
      });
    });
  }

  static async start(scripts: Scripts): Promise<ScriptedModel> {
    const model = new ScriptedModel(scripts);
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = "/"] = (request.url ?? "/").split("?");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const api = apiOf(path);
    if (request.method !== "POST" || !api) {
      this.log.push(`${request.method} ${path}`);
      sendJson(response, ...besides(path));
      return;
    }
    const asked = readRequest(api, path, JSON.parse(Buffer.concat(chunks).toString()));
    const turn = asked.tools.length > 0 ? this.#turnOf(asked) : undefined;
    this.log.push(`${api}: ${turn ? `${turn.name}, round ${turn.round}` : "no turn"}`);
    if (!turn) {
      await this.#send(response, api, asked, ASIDE);
      return;
    }
    this.history = asked.messages
      .filter(({ role }) => role === "user")
      .flatMap(({ text }) => [...text.matchAll(MARK)].map((mark) => mark[1] ?? ""));
    this.mostOpen = Math.max(this.mostOpen, ++this.#open);
    try {
      if (turn.round === 0) this.emit(turn.name);
      await this.#send(response, api, asked, this.#scripts[turn.name]?.[turn.round] ?? [{ text: ["Done."] }]);
    } finally {
      this.#open--;
    }
  }

  /** The script of the newest prompt, and how many groups of tool results the agent has sent since. */
  #turnOf({ messages }: ModelRequest) {
    const at = messages.findLastIndex(({ role, text }) => role === "user" && text.match(MARK) !== null);
    const name = [...(messages[at]?.text.matchAll(MARK) ?? [])].at(-1)?.[1];
    if (name === undefined) return undefined;
    const later = messages.slice(at + 1);
    const round = later.filter(
      ({ role }, index) => role === "tool" && later[index - 1]?.role !== "tool",
    ).length;
    return { name, round };
  }

  async #send(
    response: ServerResponse,
    api: Api,
    asked: ModelRequest,
    steps: readonly Step[],
  ): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const out = streamOf(api, response, asked);
    for (const step of steps) {
      if ("hold" in step) {
        out.begin();
        if (!response.closed) await once(response, "close");
      } else if ("text" in step) {
        for (const text of step.text) {
          if (gone.signal.aborted) return;
          out.text(text);
          if (step.gap) await wait(step.gap, undefined, { signal: gone.signal }).catch(() => {});
        }
      } else {
        const call = toolCallFor(step, asked.tools, this.project);
        if (call) out.call(call);
        else {
          const has = asked.tools.map(({ name }) => name).join(", ");
          this.log.push(`the agent offers no tool to ${step.action}: ${has}`);
          out.text(`(no tool to ${step.action})`);
        }
      }
      if (gone.signal.aborted) return;
    }
    out.end();
  }
}

function apiOf(path: string): Api | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  if (path.endsWith("/responses")) return "responses";
  if (path.endsWith("/messages")) return "anthropic";
  return /:(streamG|g)enerateContent$/.test(path) ? "gemini" : undefined;
}

/** What agents ask for besides answers. */
function besides(path: string): [status: number, body: object] {
  if (path.endsWith("/models"))
    return [
      200,
      { object: "list", data: [{ id: "scripted", object: "model" }], models: [], has_more: false },
    ];
  if (/count_?tokens$/i.test(path)) return [200, { input_tokens: 10, totalTokens: 10 }];
  return [404, { error: { message: "there is no such path" } }];
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
