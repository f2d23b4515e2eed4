// `ServedSession`: one session of a client, with its chat.
import type { AgentContext, PromptResponse, SessionModeState, StopReason } from "@agentclientprotocol/sdk";
import { caughtUp } from "../chat/caught-up.ts";
import type { Chat } from "../chat/chat.ts";
import { createChat } from "../chat/create-chat.ts";
import { unsentIn } from "../chat/turn-feed.ts";
import { isObject } from "../core/checks.ts";
import type { PromptInput } from "../core/turn/prompt-input.ts";
import type { ErrorData, TurnEndMetadata, UniversalEvent } from "../universal/events.ts";
import type { AgentSource } from "../universal/stream.ts";
import type { AcpAgentSettings } from "./options.ts";
import { Outlet } from "./outlet.ts";
import { AcpRefusal } from "./refusal.ts";
import { replayMessages } from "./replay.ts";
import { UserRequests } from "./requests.ts";
import type { ClientOffers } from "./statuses.ts";
import { Updates } from "./updates.ts";

interface SessionSetup {
  readonly id: string;
  readonly source: AgentSource;
  readonly settings: Pick<AcpAgentSettings, "store" | "maxToolOutput">;
  readonly client: AgentContext;
  readonly offers: ClientOffers;
}

/** How a turn has ended. */
interface TurnOver {
  readonly promptId: string;
  readonly end: TurnEndMetadata;
  readonly error: ErrorData | undefined;
}

const STOP_REASONS: readonly string[] = ["max_tokens", "max_turn_requests", "refusal"] satisfies StopReason[];

export class ServedSession {
  readonly id: string;
  readonly #chat: Chat;
  readonly #outlet: Outlet;
  readonly #updates: Updates;
  readonly #requests: UserRequests;
  readonly #maxToolOutput: number;
  #isPrompted = false;
  /** The id of the prompt, once the chat has it. */
  #promptId: string | undefined;
  #isCancelled = false;
  /** The turn of the prompt, and the error that may end the turn. */
  #running: (Pick<TurnOver, "promptId"> & { turn: string; error?: ErrorData }) | undefined;
  #over: TurnOver | undefined;
  #onOver = (): void => {};

  /** @throws InvalidInputError for a value that is not a source */
  constructor({ id, source, settings, client, offers }: SessionSetup) {
    const { store, maxToolOutput } = settings;
    this.id = id;
    this.#chat = createChat(source, { store, id });
    const chat = this.#chat;
    this.#outlet = new Outlet((update) => client.notify("session/update", { sessionId: id, update }));
    const outlet = this.#outlet;
    this.#maxToolOutput = maxToolOutput;
    this.#updates = new Updates({ outlet, offers, maxToolOutput, snapshot: chat.getSnapshot });
    this.#requests = new UserRequests({
      sessionId: id,
      chat,
      client,
      offers,
      outlet,
      updates: this.#updates,
    });
    chat.on("event", (event) => this.#onEvent(event));
  }

  get isPrompted(): boolean {
    return this.#isPrompted;
  }

  get takesImages(): boolean {
    return this.#chat.getSnapshot().capabilities?.images !== false;
  }

  /** The modes, if the source has said them. No other one is offered if the source cannot change it. */
  get modes(): SessionModeState | undefined {
    const { modes, capabilities } = this.#chat.getSnapshot();
    const { current, available = [] } = modes ?? {};
    if (typeof current !== "string") return undefined;
    const mode = available.find(({ id }) => id === current) ?? { id: current, name: current };
    const offered = capabilities?.modes && available.includes(mode) ? available : [mode];
    return { currentModeId: current, availableModes: offered.map((each) => ({ ...each })) };
  }

  /** @throws AcpRefusal if the source cannot, or has no such mode */
  async setMode(id: string): Promise<void> {
    const done = await this.#chat.setMode(id);
    if (done.ok) {
      this.#updates.statuses.tellState();
      return;
    }
    const { code, message } = done.error;
    const reason = code === "unsupported" ? code : code === "invalid-input" ? "invalid" : "failed";
    throw new AcpRefusal(reason, message);
  }

  /** Waits for the store. @throws AcpRefusal if the chat cannot be opened, or if `signal` aborts */
  async opened(signal: AbortSignal): Promise<void> {
    const { problem, queue } = await caughtUp(this.#chat, signal);
    if (signal.aborted) throw new AcpRefusal("cancelled", "The request was cancelled.");
    if (problem)
      throw new AcpRefusal("failed", `${problem.title}: ${problem.detail}`, { code: problem.code });
    // A prompt that an earlier program has left must not be sent with the next one.
    for (const { id } of queue) this.#chat.unqueue(id);
  }

  /** Tells the client all messages. */
  replay(): Promise<void> {
    replayMessages(this.#chat.getSnapshot().messages, {
      updates: this.#updates,
      maxToolOutput: this.#maxToolOutput,
    });
    return this.#outlet.drained();
  }

  /**
   * Sends a prompt. Resolves at the end of its turn, once all updates are written.
   * @param signal aborts if the client cancels the request, and if the connection is lost
   * @throws AcpRefusal if the prompt is refused, and if the turn fails
   */
  async prompt(input: PromptInput, signal: AbortSignal): Promise<PromptResponse> {
    this.#isPrompted = true;
    this.#isCancelled = false;
    const onAbort = (): void => this.cancel();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const sent = this.#chat.send(input);
      if (!sent.ok)
        throw new AcpRefusal(sent.error.code === "invalid-input" ? "invalid" : "failed", sent.error.message);
      this.#promptId = sent.id;
      if (signal.aborted) this.cancel();
      const over = await this.#outcomeOf(sent.id);
      await this.#outlet.drained();
      return this.#answer(over);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#isPrompted = false;
      this.#promptId = undefined;
    }
  }

  /** Takes back the prompt of this session, or cancels its turn. Other clients of the same chat go on. */
  cancel(): void {
    const id = this.#promptId;
    if (id === undefined || this.#over?.promptId === id) return; // its updates may still be written
    this.#isCancelled = true;
    const isQueued = this.#chat.getSnapshot().queue.some((queued) => queued.id === id);
    if (isQueued) this.#chat.unqueue(id);
    else if (this.#running?.promptId === id || !unsentIn(this.#chat, id)) this.#chat.cancel(); // its own turn
  }

  /** Ends the turn, and rejects the open requests. */
  async close(): Promise<void> {
    this.cancel();
    await this.#chat.close();
    await this.#outlet.drained();
    this.#outlet.close();
  }

  /** The connection is lost: nothing more can be said. */
  lost(): void {
    this.#outlet.close();
  }

  #onEvent(event: UniversalEvent): void {
    this.#updates.take(event);
    this.#requests.take(event);
    if (event.type === "turn.started") {
      const { turn_id, metadata } = event.data;
      const promptId = metadata?.prompt_id;
      const isOwn = this.#running !== undefined && this.#running.promptId === this.#promptId;
      if (promptId !== undefined && !isOwn)
        this.#running = { promptId, turn: `${event.session_id}.${turn_id}` };
    }
    const running = this.#running;
    if (event.type === "error" && running?.turn === `${event.session_id}.${event.data.turn_id}`)
      running.error = event.data;
    if (event.type !== "turn.ended" || running?.turn !== `${event.session_id}.${event.data.turn_id}`) return;
    this.#running = undefined;
    this.#over = { promptId: running.promptId, end: event.data.metadata, error: running.error };
    this.#onOver();
  }

  #outcomeOf(promptId: string): Promise<TurnOver> {
    const chat = this.#chat;
    return new Promise((resolve) => {
      const look = (): void => {
        const isRunning = this.#running?.promptId === promptId;
        if (isRunning) off(); // its end is an event
        const known = this.#over?.promptId === promptId ? this.#over : undefined;
        const over = known ?? (isRunning ? undefined : this.#unsent(promptId));
        if (!over) return;
        off();
        this.#onOver = () => {};
        resolve(over);
      };
      const off = chat.subscribe(look);
      this.#onOver = look;
      look(); // it may have ended in `send`
    });
  }

  #unsent(promptId: string): TurnOver | undefined {
    const unsent = unsentIn(this.#chat, promptId);
    if (!unsent) return undefined;
    const { status, error } = unsent;
    const message = error ? `${error.title}: ${error.detail}` : "The prompt could not be sent.";
    return { promptId, end: { status }, error: { message, code: error?.code ?? null, details: null } };
  }

  #answer({ end, error }: TurnOver): PromptResponse {
    if (end.status === "cancelled" || (this.#isCancelled && end.status === "failed"))
      return { stopReason: "cancelled" };
    if (end.status === "failed") {
      const { message, code, details } = error ?? { message: "The turn failed.", code: null, details: null };
      throw new AcpRefusal(isAboutSignIn(code, details) ? "signIn" : "failed", message, { code, details });
    }
    const reason = STOP_REASONS.find((known) => known === end.stop_reason) as StopReason | undefined;
    return { stopReason: reason ?? "end_turn", ...usageOf(end) };
  }
}

/** The tokens of the turn. Clients read this field, although the stable types do not have it. */
function usageOf({ usage }: TurnEndMetadata): object {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage ?? {};
  if (input_tokens === undefined || output_tokens === undefined) return {};
  return {
    usage: {
      inputTokens: input_tokens,
      outputTokens: output_tokens,
      totalTokens: input_tokens + output_tokens,
      ...(cache_read_tokens === undefined ? {} : { cachedReadTokens: cache_read_tokens }),
      ...(cache_write_tokens === undefined ? {} : { cachedWriteTokens: cache_write_tokens }),
    },
  };
}

/** Whether the user has to sign in. Backends name such errors `auth`, `auth_error` or by the HTTP status. */
function isAboutSignIn(code: string | null, details: unknown): boolean {
  const { reason, status, error } = isObject(details) ? details : {};
  const words = [code, reason, error].some(
    (word) => typeof word === "string" && /(^|[._-])auth([._-]|$)/.test(word),
  );
  return words || status === 401 || /http_401$/.test(code ?? "");
}
