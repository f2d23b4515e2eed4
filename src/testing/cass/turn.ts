// One turn, from its first `thinking` to what follows the response.
import type { Clock } from "../../core/clock.ts";
import { checkNames } from "../names.ts";
import { ENOUGH, ScriptRunner } from "../server/script-runner.ts";
import { changed } from "../server/switches.ts";
import type { Asked } from "./asking.ts";
import { type AudioHost, audioFrame, isOwnFrame } from "./audio-frame.ts";
import { consolidationFrames, isDue } from "./consolidation.ts";
import type { CassJournal } from "./journal.ts";
import { conversationOf, type Keeper, messagesOf } from "./keeping.ts";
import { SWITCHES } from "./names.ts";
import { firstWord, generating } from "./opening-words.ts";
import type { ProfileName, Settings } from "./profiles.ts";
import type { ReceivedTurn } from "./record.ts";
import { responseFrame } from "./response.ts";
import { LEAKS, type Reader, type Round, readingOf, replyOf } from "./rounds.ts";
import type { CassAnswer, CassScript, CassStep, CassTool, CassUsage } from "./script.ts";
import type { CassServerFrame } from "./server-frame.ts";
import type { ServerTime } from "./server-time.ts";
import type { CassMessage } from "./store.ts";
import type { CassEnd, MockCassSwitches } from "./switches.ts";
import { textOf } from "./tags.ts";
import { ToolTalk } from "./tool-talk.ts";

/** What a turn needs of its connection. */
export interface TurnPort {
  readonly settings: Settings;
  say(frame: CassServerFrame): void;
  send(frame: string | Uint8Array): void;
  dropMidFrame(text: string): void;
  /** The connection ends in a failure of the server. */
  kill(by: CassEnd | number): void;
  /** Says these in the middle of the next turn. */
  defer(frames: readonly CassServerFrame[]): void;
  /** What was put off until now. */
  takeDeferred(): readonly CassServerFrame[];
}

/** What a turn needs of its server. */
export interface TurnHost extends Keeper, AudioHost {
  readonly profile: ProfileName;
  readonly clock: Clock;
  readonly time: ServerTime;
  readonly journal: CassJournal;
  readonly answer: CassAnswer;
  toolUse(tool: CassTool): object;
  /** @returns how many messages the conversation has then; undefined where they are not kept yet, or nowhere */
  persist(
    conversationId: string | null,
    messages: readonly Omit<CassMessage, "timestamp">[],
    settings: Settings,
  ): number | undefined;
}

const ROUNDS_OVER_RELAY = 10;
const TITLE_LENGTH = 60;
const TOOL_OF_EXTRA_ROUNDS: CassTool = { name: "recall_journal" };
const FAILURES = {
  chat: "Failed to generate response",
  intro: "Failed to generate introduction: ",
  demo: "Failed to generate demo response: ",
};

/**
 * One turn under way, from the first `thinking` to what follows upon the response. Nobody can cancel it: a client that
 * has gone is answered too, only that it does not hear it.
 */
export class Turn {
  readonly #asked: Asked;
  readonly #host: TurnHost;
  readonly #port: TurnPort;
  readonly #settle: () => void;
  readonly #runner: ScriptRunner<CassStep, undefined>;
  readonly #talk: ToolTalk;
  #switches: MockCassSwitches = {};
  #rounds: Round[] = [];
  #text = "";
  #usage: CassUsage = {};
  #fields: Readonly<Record<string, unknown>> = {};
  #title: string | undefined;
  #unexecuted: readonly CassTool[] = [];
  #conversationId: string | null = null;

  /** @param settle called when the client is about to have its answer, good or bad */
  constructor(asked: Asked, port: TurnPort, host: TurnHost, settle: () => void) {
    this.#asked = asked;
    this.#host = host;
    this.#port = port;
    this.#settle = settle;
    this.#runner = new ScriptRunner(host.clock);
    this.#talk = new ToolTalk(host.profile, asked.model.provider);
  }

  /** Ends it where it is, without a word. */
  stop(): void {
    this.#runner.stop();
  }

  /** Settles when the turn is over or stopped; never rejects. */
  async perform(): Promise<void> {
    const script = this.#plan();
    const conversationId = conversationOf(this.#asked, this.#settings, this.#host);
    if (conversationId === undefined) {
      this.#port.kill(this.#deadly());
      return;
    }
    this.#conversationId = conversationId;
    if (!this.#open()) return;
    if ("problem" in script) {
      this.#fail(script.problem);
      return;
    }
    try {
      for (let round = 0; round < this.#settings.toolRounds; round++) this.#endRound([TOOL_OF_EXTRA_ROUNDS]);
      const outcome = await this.#runner.follow(script.steps, (step) => this.#take(step));
      if (this.#runner.stopped || (outcome === "returned" && !this.#isCapped)) return;
    } catch (error) {
      this.#host.journal.threw(error);
      this.#fail(messageOf(error));
      return;
    }
    this.#finish();
  }

  get #settings(): Settings {
    return changed(this.#port.settings, this.#switches);
  }

  /** Asks for the script first: it may come with switches that count from the beginning. */
  #plan(): { readonly steps: CassScript } | { readonly problem: string } {
    const { message } = this.#asked;
    if (message === undefined) return { problem: "message is not a string" };
    const { clock, journal } = this.#host;
    const turn: ReceivedTurn = { ...this.#asked, message, number: journal.turns.length + 1 };
    journal.add(journal.turns, turn);
    try {
      const answer = this.#host.answer(turn, { signal: this.#runner.signal, clock });
      // A string would be a script of one step per character, which nobody means.
      if (typeof answer === "string") return { steps: [answer] };
      if (!("script" in answer)) return { steps: answer };
      checkNames(answer, { switches: true, script: true }, "answer's field");
      checkNames(answer.switches, SWITCHES, "switch");
      this.#switches = answer.switches;
      return { steps: answer.script };
    } catch (error) {
      this.#host.journal.threw(error);
      return { problem: messageOf(error) };
    }
  }

  /** What is said before the model speaks. @returns whether the connection has outlived it */
  #open(): boolean {
    const { kind, model } = this.#asked;
    if (this.#diesAt(0)) return false;
    this.#port.say(firstWord(kind, model, this.#settings, this.#host.profile));
    for (const frame of this.#port.takeDeferred()) this.#port.say(frame);
    if (this.#diesAt(1)) return false;
    if (kind === "chat") this.#port.say(generating(model.provider, this.#settings));
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
        this.#port.say(step.message);
        return undefined;
      case "fail":
        throw new Error(step.message);
      case "die":
        this.#port.kill(step.by);
        return ENOUGH;
      case "delay":
        return this.#runner.delay(step.ms).then(() => undefined);
      case "hang":
        return this.#runner.hang().then(() => undefined);
      case "raw":
        this.#port.send(step.frame);
        return undefined;
      case "drop-mid-frame":
        this.#port.dropMidFrame(step.frame);
        return undefined;
    }
  }

  /** The model wants tools, and they are executed. */
  #endRound(tools: readonly CassTool[]): typeof ENOUGH | undefined {
    if (this.#isCapped) return ENOUGH;
    this.#closeRound(tools, "tool_use");
    for (const frame of this.#talk.executing(this.#rounds.length, tools, this.#settings.statusTexts.tools))
      this.#port.say(frame);
    if (this.#host.profile === "relay")
      this.#port.say(generating(this.#asked.model.provider, this.#settings));
    return undefined;
  }

  #closeRound(tools: readonly CassTool[], stopReason: string): void {
    const raw = this.#text;
    if (this.#rounds.length > 0) {
      const text = textOf(raw, readingOf(this.#reader));
      const continuation = { raw, text, stopReason, newTools: tools.length };
      for (const frame of this.#talk.continuation(continuation)) this.#port.say(frame);
    }
    this.#rounds.push({ text: raw, usage: this.#usage, tools });
    this.#text = "";
    this.#usage = {};
  }

  get #reader(): Reader {
    const { kind, model } = this.#asked;
    const { profile } = this.#host;
    return { profile, provider: model.provider, settings: this.#settings, onboarding: kind !== "chat" };
  }

  get #isCapped(): boolean {
    return this.#host.profile === "relay" && this.#rounds.length === ROUNDS_OVER_RELAY;
  }

  #finish(): void {
    const settings = this.#settings;
    const host = this.#host;
    const conversationId = this.#conversationId;
    if (settings.tagLeaks) this.#text += LEAKS;
    if (settings.unexecutedToolUses && this.#unexecuted.length === 0)
      this.#unexecuted = [TOOL_OF_EXTRA_ROUNDS];
    // What was not executed was wanted all the same.
    this.#closeRound(this.#unexecuted, this.#unexecuted.length > 0 ? "max_tokens" : "end_turn");
    const { kind, model } = this.#asked;
    const toolUses = this.#unexecuted.map((tool) => host.toolUse(tool));
    const reply = replyOf(this.#rounds, toolUses, this.#reader);
    const stored = host.persist(conversationId, messagesOf(this.#asked, reply, settings), settings);
    if (this.#diesAt("stored")) return;

    const title = kind === "chat" && stored === 2 ? this.#titleFrame() : undefined;
    if (title && settings.title === "before") this.#port.say(title);
    this.#settle();
    if (settings.errorThenResponse) this.#port.say({ type: "error", message: "Speech failed, going on" });
    const timestamp = host.time.stamp();
    const { profile } = host;
    const parts = { reply, kind, conversationId, model, timestamp, profile, settings };
    const response = { ...responseFrame(parts), ...this.#fields };
    this.#port.say(response);
    if (settings.extraResponse === "duplicate") this.#port.say(response);
    if (isOwnFrame(settings.audio))
      this.#afterwards(settings.audioTiming === "late", [audioFrame(host, settings)]);
    if (title && settings.title === "after") this.#port.say(title);
    this.#consolidate(reply.raw);
  }

  #titleFrame(): CassServerFrame | undefined {
    const id = this.#conversationId;
    const { profile, store } = this.#host;
    if (id === null || this.#settings.title === "none") return undefined;
    const title = (this.#title ?? this.#asked.message ?? "").slice(0, TITLE_LENGTH);
    store.rename(id, title);
    const type = profile === "documented" ? "title_update" : "title_updated";
    return { type, conversation_id: id, title };
  }

  #consolidate(raw: string): void {
    const settings = this.#settings;
    const { profile, store } = this.#host;
    const conversation = this.#conversationId === null ? undefined : store.get(this.#conversationId);
    if (!conversation || settings.systemFrames === "none" || !isDue(conversation, raw, settings)) return;
    const count = conversation.messages.length - conversation.summarized;
    if (settings.consolidation === "complete") store.summarize(conversation.id);
    const frames = consolidationFrames(count, settings.consolidation, profile);
    this.#afterwards(settings.systemFrames === "nextTurn", frames);
  }

  #afterwards(late: boolean, frames: readonly CassServerFrame[]): void {
    if (late) this.#port.defer(frames);
    else for (const frame of frames) this.#port.say(frame);
  }

  /** The model has failed, or the server over it. */
  #fail(problem: string): void {
    const { kind } = this.#asked;
    const { profile } = this.#host;
    const { failure } = this.#settings;
    // The user's message was stored before the model was asked.
    if (profile === "relay")
      this.#host.persist(
        this.#conversationId,
        messagesOf(this.#asked, undefined, this.#settings),
        this.#settings,
      );
    if (kind === "chat" && failure !== "error") {
      this.#port.kill(failure);
      return;
    }
    const text = kind === "chat" ? (profile === "relay" ? problem : FAILURES.chat) : FAILURES[kind] + problem;
    this.#settle();
    this.#port.say({ type: "error", message: text });
  }

  /** How a server without an answer for it ends. */
  #deadly(): CassEnd {
    const { failure } = this.#settings;
    return failure === "error" ? "drop" : failure;
  }

  #diesAt(at: 0 | 1 | 2 | "stored"): boolean {
    const { death } = this.#settings;
    if (death === "off" || death.at !== at) return false;
    this.#port.kill(death.by);
    return true;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
