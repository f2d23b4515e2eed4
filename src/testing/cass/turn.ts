// One turn, from its first `thinking` to the frames after the response.
import { checkMockNames } from "../names.ts";
import { ENOUGH, ScriptRunner } from "../server/script-runner.ts";
import { changed } from "../server/switches.ts";
import { audioFrame } from "./audio.ts";
import type { CassBackend } from "./backend.ts";
import { CASS_SWITCHES, type CassMockSettings } from "./profiles.ts";
import type { CassConnection, CassServerFrame, ReceivedTurn } from "./record.ts";
import {
  type CassRound,
  LEAKS,
  type MockCassReply,
  type ReplyContext,
  readingOf,
  replyOf,
  responseFrame,
} from "./response.ts";
import type { CassScript, CassStep, CassTool, ScriptedUsage } from "./script.ts";
import type { CassMessage } from "./store.ts";
import type { CassEnd, MockCassSwitches } from "./switches.ts";
import { textOf } from "./tags.ts";
import { consolidationFrames, continuation, executing, firstWord, generating } from "./words.ts";

/** The client's turn. `message` is undefined if the model cannot handle it. */
export type AskedOfUser = Omit<ReceivedTurn, "number" | "message"> & { readonly message: string | undefined };

export interface TurnConnection extends CassConnection {
  readonly settings: CassMockSettings;
  /** Ends the connection with a failure of the server. */
  kill(by: CassEnd | number): void;
  /** Frames to send during the next turn. */
  deferred: readonly CassServerFrame[];
}

const ROUNDS_OVER_RELAY = 10;
const TITLE_LENGTH = 60;
const EXTRA_TOOL: CassTool = { name: "recall_journal" };
const FAILURES = {
  chat: "Failed to generate response",
  intro: "Failed to generate introduction: ",
  demo: "Failed to generate demo response: ",
};

/** One running turn. A client cannot cancel it: the turn completes even after the client has left. */
export class CassMockTurn {
  readonly #asked: AskedOfUser;
  readonly #backend: CassBackend;
  readonly #connection: TurnConnection;
  readonly #settle: () => void;
  readonly #runner: ScriptRunner<CassStep, undefined>;
  #switches: MockCassSwitches = {};
  #rounds: CassRound[] = [];
  #text = "";
  #usage: ScriptedUsage = {};
  #fields: Readonly<Record<string, unknown>> = {};
  #title: string | undefined;
  #unexecuted: readonly CassTool[] = [];
  #conversationId: string | null = null;

  /** @param settle called just before the client gets its response or error */
  constructor(asked: AskedOfUser, connection: TurnConnection, backend: CassBackend, settle: () => void) {
    this.#asked = asked;
    this.#connection = connection;
    this.#backend = backend;
    this.#settle = settle;
    this.#runner = new ScriptRunner(backend.clock);
  }

  /** Stops the turn without a frame. */
  stop(): void {
    this.#runner.stop();
  }

  /** Settles when the turn ends or is stopped. Never rejects. */
  async perform(): Promise<void> {
    const script = this.#plan();
    const { failure } = this.#settings;
    const conversationId = this.#conversation();
    if (conversationId === undefined) {
      this.#connection.kill(failure === "error" ? "drop" : failure);
      return;
    }
    this.#conversationId = conversationId;
    if (!this.#open()) return;
    if ("problem" in script) {
      this.#fail(script.problem);
      return;
    }
    try {
      for (let round = 0; round < this.#settings.toolRounds; round++) this.#endRound([EXTRA_TOOL]);
      const outcome = await this.#runner.follow(script.steps, (step) => this.#take(step));
      if (this.#runner.stopped || (outcome === "returned" && !this.#isCapped)) return;
    } catch (error) {
      this.#backend.journal.threw(error);
      this.#fail(messageOf(error));
      return;
    }
    this.#finish();
  }

  get #settings(): CassMockSettings {
    return changed(this.#connection.settings, this.#switches);
  }

  get #context(): ReplyContext {
    const { kind, model } = this.#asked;
    return { kind, model, profile: this.#backend.profile, settings: this.#settings };
  }

  get #isCapped(): boolean {
    return this.#backend.profile === "relay" && this.#rounds.length === ROUNDS_OVER_RELAY;
  }

  /** Gets the script before the first frame, since the script may set switches for the whole turn. */
  #plan(): { readonly steps: CassScript } | { readonly problem: string } {
    const { message } = this.#asked;
    if (message === undefined) return { problem: "message is not a string" };
    const { clock, journal } = this.#backend;
    const turn: ReceivedTurn = { ...this.#asked, message, number: journal.turns.length + 1 };
    journal.add(journal.turns, turn);
    try {
      const answer = this.#backend.answer(turn, { signal: this.#runner.signal, clock });
      // A string is one step. Iterating it would send one step per character.
      if (typeof answer === "string") return { steps: [answer] };
      if (!("script" in answer)) return { steps: answer };
      checkMockNames(answer, { switches: true, script: true }, "answer's field");
      checkMockNames(answer.switches, CASS_SWITCHES, "switch");
      this.#switches = answer.switches;
      return { steps: answer.script };
    } catch (error) {
      journal.threw(error);
      return { problem: messageOf(error) };
    }
  }

  /**
   * Returns the id of the turn's conversation, known or not; null for none.
   * @returns undefined if the user's account is deleted, so the server cannot decide
   */
  #conversation(): string | null | undefined {
    const { kind, conversationId, userId } = this.#asked;
    const { store } = this.#backend;
    if (kind === "demo") return null;
    if (conversationId !== null) return conversationId;
    switch (this.#settings.withoutConversation) {
      case "none":
        return null;
      case "new":
        return store.create({ userId }).id;
      case "continuous":
        return store.continuous(userId).id;
      case "continuousOrNew":
        if (userId === null) return store.create().id;
        return this.#backend.accountOf(userId, this.#settings) ? store.continuous(userId).id : undefined;
    }
  }

  /** Sends the frames before the model's text. @returns whether the connection is still usable */
  #open(): boolean {
    const { kind, model } = this.#asked;
    const connection = this.#connection;
    if (this.#diesAt(0)) return false;
    connection.push(firstWord(kind, model, this.#settings, this.#backend.profile));
    const { deferred } = connection;
    connection.deferred = [];
    for (const frame of deferred) connection.push(frame);
    if (this.#diesAt(1)) return false;
    if (kind === "chat") connection.push(generating(model, this.#settings));
    return !this.#diesAt(2);
  }

  #take(step: CassStep): Promise<undefined> | typeof ENOUGH | undefined {
    if (typeof step === "string") {
      this.#text += step;
      return undefined;
    }
    switch (step.kind) {
      case "tools":
        return this.#endRound(step.tools);
      case "unexecuted":
        this.#unexecuted = step.tools;
        return undefined;
      case "usage":
        this.#usage = { ...this.#usage, ...step.usage };
        return undefined;
      case "fields":
        this.#fields = { ...this.#fields, ...step.fields };
        return undefined;
      case "title":
        this.#title = step.title;
        return undefined;
      case "say":
        this.#connection.push(step.message);
        return undefined;
      case "fail":
        throw new Error(step.message);
      case "die":
        this.#connection.kill(step.by);
        return ENOUGH;
      case "delay":
        return this.#runner.delay(step.ms).then(() => undefined);
      case "hang":
        return this.#runner.hang().then(() => undefined);
      case "raw":
        this.#connection.send(step.frame);
        return undefined;
      case "drop-mid-frame":
        this.#connection.dropMidFrame(step.frame);
        return undefined;
    }
  }

  /** Ends a round: the server runs the tools. */
  #endRound(tools: readonly CassTool[]): typeof ENOUGH | undefined {
    if (this.#isCapped) return ENOUGH;
    this.#closeRound(tools, "tool_use");
    const { model } = this.#asked;
    const { profile } = this.#backend;
    const frames = executing(this.#rounds.length, tools, model, this.#settings, profile);
    for (const frame of frames) this.#connection.push(frame);
    if (profile === "relay") this.#connection.push(generating(model, this.#settings));
    return undefined;
  }

  #closeRound(tools: readonly CassTool[], stopReason: string): void {
    const round = { text: this.#text, usage: this.#usage, tools };
    if (this.#rounds.length > 0) {
      const text = textOf(round.text, readingOf(this.#context));
      const frames = continuation(round, text, stopReason, this.#asked.model, this.#backend.profile);
      for (const frame of frames) this.#connection.push(frame);
    }
    this.#rounds.push(round);
    this.#text = "";
    this.#usage = {};
  }

  #finish(): void {
    const settings = this.#settings;
    const backend = this.#backend;
    const connection = this.#connection;
    const id = this.#conversationId;
    if (settings.tagLeaks) this.#text += LEAKS;
    if (settings.unexecutedToolUses && this.#unexecuted.length === 0) this.#unexecuted = [EXTRA_TOOL];
    // The tools that the model requested but the server did not run.
    this.#closeRound(this.#unexecuted, this.#unexecuted.length > 0 ? "max_tokens" : "end_turn");
    const toolUses = this.#unexecuted.map((tool) => backend.toolUse(tool));
    const reply = replyOf(this.#rounds, this.#context);
    const stored = backend.persist(id, this.#messages(reply), settings);
    if (this.#diesAt("stored")) return;

    const title = this.#asked.kind === "chat" && stored === 2 ? this.#titleFrame() : undefined;
    if (title && settings.title === "before") connection.push(title);
    this.#settle();
    if (settings.errorThenResponse) connection.push({ type: "error", message: "Speech failed, going on" });
    const frame = responseFrame(reply, this.#context, id, backend.time.stamp(), toolUses);
    const response = { ...frame, ...this.#fields };
    connection.push(response);
    if (settings.extraResponse === "duplicate") connection.push(response);
    if (settings.audio === "url" || settings.audio === "legacy") {
      const audioId = backend.newId();
      backend.audio.add(audioId);
      const audio = audioFrame(settings, `${backend.basePath}/audio/${audioId}.wav`, backend.origins);
      this.#afterwards(settings.audioTiming === "late", [audio]);
    }
    if (title && settings.title === "after") connection.push(title);
    this.#consolidate(reply.raw);
  }

  /** Returns the messages to store. Without a reply, the model has failed. */
  #messages(reply?: MockCassReply): readonly Omit<CassMessage, "timestamp">[] {
    const { kind, message = "", userId, model } = this.#asked;
    if (kind === "demo") return [];
    const user = { role: "user" as const, content: message, animations: [], userId, reply: undefined };
    const asked = kind === "chat" ? [user] : [];
    if (!reply) return asked;
    const { text, animations, usage } = reply;
    const content = this.#settings.emptyText ? "" : text;
    const facts = { inputTokens: usage.input, outputTokens: usage.output, ...model };
    return [...asked, { role: "assistant", content, animations, userId, reply: facts }];
  }

  #titleFrame(): CassServerFrame | undefined {
    const conversation_id = this.#conversationId;
    const { profile, store } = this.#backend;
    if (conversation_id === null || this.#settings.title === "none") return undefined;
    const title = (this.#title ?? this.#asked.message ?? "").slice(0, TITLE_LENGTH);
    store.rename(conversation_id, title);
    return { type: profile === "documented" ? "title_update" : "title_updated", conversation_id, title };
  }

  #consolidate(raw: string): void {
    const { systemFrames, consolidateAfter, consolidation } = this.#settings;
    const { profile, store } = this.#backend;
    const conversation = store.get(this.#conversationId ?? "");
    if (!conversation || systemFrames === "none") return;
    const count = conversation.messages.length - conversation.summarized;
    const isDue = consolidateAfter !== "off" && count >= consolidateAfter;
    if (!isDue && !raw.includes("<memory:summarize>")) return;
    if (consolidation === "complete") store.summarize(conversation.id);
    this.#afterwards(systemFrames === "nextTurn", consolidationFrames(count, consolidation, profile));
  }

  #afterwards(late: boolean, frames: readonly CassServerFrame[]): void {
    const connection = this.#connection;
    if (late) connection.deferred = [...connection.deferred, ...frames];
    else for (const frame of frames) connection.push(frame);
  }

  /** Handles a failure of the model or the server. */
  #fail(problem: string): void {
    const { kind } = this.#asked;
    const settings = this.#settings;
    const isRelay = this.#backend.profile === "relay";
    // The relay stores the user's message before it calls the model.
    if (isRelay) this.#backend.persist(this.#conversationId, this.#messages(), settings);
    if (kind === "chat" && settings.failure !== "error") {
      this.#connection.kill(settings.failure);
      return;
    }
    const ofChat = isRelay ? problem : FAILURES.chat;
    this.#settle();
    this.#connection.push({ type: "error", message: kind === "chat" ? ofChat : FAILURES[kind] + problem });
  }

  #diesAt(at: 0 | 1 | 2 | "stored"): boolean {
    const { death } = this.#settings;
    if (death === "off" || death.at !== at) return false;
    this.#connection.kill(death.by);
    return true;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
