// The inbox of a relay, as this client knows it: prompts of all viewers, and those that the relay has not confirmed.
import type { InboxCommand, InboxOutcome, InboxPrompt, PromptInbox } from "../core/client/inbox.ts";
import {
  type AgentwireError,
  type AnyAgentwireError,
  asAny,
  copyError,
  type Delivery,
  isAgentwireError,
} from "../core/errors.ts";
import type { PromptImage, PromptInput } from "../core/turn/prompt-input.ts";
import type { Json, UniversalEvent } from "../universal/events.ts";
import { imageOf } from "../universal/listen/user-input.ts";
import type { Command, Commands } from "./commands.ts";
import type { LocalOutbox } from "./outbox.ts";
import type { RelayState } from "./wire.ts";

/** ms after which the relay is asked again where an accepted prompt is. Relays look at their inbox each 5 s. */
const LOST_AFTER = 10_000;

interface Entry {
  prompt: InboxPrompt;
  /** `sending`: not confirmed. `accepted`: confirmed. `listed`: in the queue of a state. `taken`: no longer there. */
  phase: "sending" | "accepted" | "listed" | "taken" | "refused";
  /** Only of an own prompt. */
  readonly own?: { settle(outcome: InboxOutcome | AgentwireError): void; command: Command | undefined };
  /** The number of streams so far, when the relay confirmed the prompt. A later stream begins with a newer state. */
  confirmedAt: number;
}

export interface InboxHost {
  readonly now: () => number;
  /** Calls the listeners after the input. */
  tell(call: () => void): void;
  /** Asks for a newer state after `delay` ms. */
  refreshIn(delay: number): void;
}

/** What of the events the inbox must know. */
export interface Progress {
  /** The number of events so far. */
  readonly at: number;
  readonly isTurnOpen: boolean;
  /** The number of streams so far. */
  readonly streams: number;
}

export class RemoteInbox implements PromptInbox {
  readonly #host: InboxHost;
  readonly #commands: Commands;
  readonly #outbox: LocalOutbox | undefined;
  readonly #progress: () => Progress;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(refused?: AnyAgentwireError) => void>();
  #list: readonly InboxPrompt[] | undefined = [];
  #state: Pick<RelayState, "isBusy" | "contextLost"> | undefined;
  /** The prompts whose turns have begun and show no message yet, by session. */
  readonly #prompting = new Map<string, string>();

  constructor(
    host: InboxHost,
    commands: Commands,
    outbox: LocalOutbox | undefined,
    progress: () => Progress,
  ) {
    this.#host = host;
    this.#commands = commands;
    this.#outbox = outbox;
    this.#progress = progress;
  }

  /** The order: taken, then as the relay has them, then those that it has not confirmed. */
  get prompts(): readonly InboxPrompt[] {
    if (this.#list) return this.#list;
    const entries = [...this.#entries.values()];
    const rank = { taken: 0, listed: 1, accepted: 2, sending: 2, refused: 3 } as const;
    entries.sort((a, b) => rank[a.phase] - rank[b.phase]); // stable
    this.#list = entries.map(({ prompt, phase }) =>
      phase === "taken" ? { ...prompt, isTaken: true } : prompt,
    );
    return this.#list;
  }

  get isBusy(): boolean {
    return this.#state?.isBusy ?? false;
  }

  get contextLost(): boolean {
    return this.#state?.contextLost ?? false;
  }

  onChange(listener: (refused?: AnyAgentwireError) => void): () => void {
    const own = (refused?: AnyAgentwireError): void => listener(refused); // the same function may listen twice
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Sends the prompts of an earlier page. */
  load(): void {
    for (const { key, text, at } of this.#outbox?.load() ?? []) {
      this.#prompt(key, { text }, at).catch((error: AgentwireError) => {
        const prompt = { key, input: { text }, at, error: asAny(error) };
        if (isAgentwireError(error, "closed") || this.#entries.has(key)) return;
        this.#entries.set(key, { prompt, phase: "refused", confirmedAt: 0 }); // until the next state
        this.#changed();
      });
    }
  }

  send(key: string, command: InboxCommand): Promise<InboxOutcome> {
    if (command.type === "prompt") {
      const at = this.#host.now();
      const prompt = this.#prompt(key, command.input, at);
      if (typeof command.input === "string" || !command.input.images?.length)
        this.#outbox?.add({
          key,
          text: typeof command.input === "string" ? command.input : command.input.text,
          at,
        });
      return prompt;
    }
    if (this.#changesUnsent(command)) return Promise.resolve("done");
    return this.#commands.send(key, wireOf(command)).answered.then((): InboxOutcome => {
      if (command.type === "withdraw") this.#withdrawn(command.target);
      return "done";
    });
  }

  /** A decision, an answer, or a grant that is taken back. It has an effect only if the request waits. */
  settle(key: string, fields: Command["fields"], onRefused: () => void): void {
    this.#commands.send(key, fields).answered.catch((error: AgentwireError) => {
      const isLate = isAgentwireError(error, "request-refused") && "status" in error && error.status === 409;
      if (isLate || isAgentwireError(error, "closed")) return; // an event shows the first decision
      onRefused();
      this.#changed(asAny(error));
    });
  }

  /** Applies what a state says of the queue. */
  state(state: RelayState): void {
    this.#state = state;
    const order = new Map<string, Entry>();
    for (const prompt of state.queue) {
      const known = this.#entries.get(prompt.key);
      const entry: Entry = known ?? { prompt, phase: "listed", confirmedAt: 0 };
      if (known?.own) this.#confirmed(known);
      if (!known || JSON.stringify(known.prompt) !== JSON.stringify(prompt)) entry.prompt = prompt;
      entry.phase = "listed";
      order.set(prompt.key, entry);
      this.#entries.delete(prompt.key);
    }
    const { at, isTurnOpen, streams } = this.#progress();
    const mayRun = (state.isBusy && !isTurnOpen) || state.isDriverLost || state.head > at;
    for (const [key, entry] of [...this.#entries]) {
      if (entry.phase === "sending") continue;
      if (entry.phase === "accepted" && entry.confirmedAt >= streams) continue; // the state may be older
      if (mayRun && entry.phase !== "refused") entry.phase = "taken";
      else this.#withdrawn(key);
    }
    for (const [key, entry] of order) this.#entries.set(key, entry);
    this.#changed();
  }

  /** Applies an event: a prompt that an event shows leaves the inbox. */
  event({ type, data, session_id: sessionId }: UniversalEvent): void {
    if (type === "turn.started") {
      const key = data.metadata?.prompt_id;
      const entry = key === undefined ? undefined : this.#entries.get(key);
      if (key === undefined || !entry) return;
      this.#prompting.set(sessionId, key);
      entry.phase = "taken";
      this.#changed();
    }
    const isShown = (type === "item.started" && data.item.role === "user") || type === "turn.ended";
    const key = isShown ? this.#prompting.get(sessionId) : undefined;
    if (key === undefined) return;
    this.#prompting.delete(sessionId);
    this.#end(key, "started");
  }

  /** The events are void: a state follows. */
  reset(): void {
    this.#prompting.clear();
    for (const [key, { own }] of [...this.#entries]) if (!own) this.#entries.delete(key);
    this.#changed();
  }

  /** The client was closed. The relay still has what it has confirmed. */
  close(reason: AgentwireError): void {
    this.#commands.close(reason);
    for (const [key, { own, phase }] of [...this.#entries]) {
      if (own && phase !== "sending") own.settle(Object.assign(copyError(reason), { delivery: "accepted" }));
      if (!own || phase !== "sending") this.#entries.delete(key); // the command's end settles the others
    }
    this.#changed();
  }

  #prompt(key: string, input: string | PromptInput, at: number): Promise<InboxOutcome> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: InboxOutcome | AgentwireError): void =>
        typeof outcome === "string" ? resolve(outcome) : reject(outcome);
      const own: NonNullable<Entry["own"]> = { settle, command: undefined };
      const entry: Entry = { prompt: { key, input, at }, phase: "sending", own, confirmedAt: 0 };
      this.#entries.set(key, entry);
      const { command, answered } = this.#commands.send(key, wireOf({ type: "prompt", input }));
      own.command = command;
      answered.then(
        () => this.#confirmed(entry),
        (error: AgentwireError) => {
          if (!isAgentwireError(error, "closed"))
            this.#outbox?.remove(key); // a later page sends it
          else if (this.#outbox && error.delivery === "not-sent") error.delivery = "unknown";
          this.#end(key, error);
        },
      );
      this.#changed();
    });
  }

  #confirmed(entry: Entry): void {
    const { key } = entry.prompt;
    if (entry.own?.command) entry.own.command.isDropped = true;
    this.#outbox?.remove(key);
    if (entry.phase !== "sending" || this.#entries.get(key) !== entry) return;
    entry.phase = "accepted";
    entry.confirmedAt = this.#progress().streams;
    this.#host.refreshIn(LOST_AFTER);
    this.#changed();
  }

  /** Whether an accepted prompt is neither in the queue nor in the events. */
  get isMissing(): boolean {
    return [...this.#entries.values()].some(({ phase }) => phase === "accepted");
  }

  /** Changes a prompt that was never sent. */
  #changesUnsent(command: Exclude<InboxCommand, { type: "prompt" }>): boolean {
    const isChange = command.type === "withdraw" || command.type === "cancel";
    return isChange && typeof command.target === "string" && this.takeBack(command.target);
  }

  /** Takes an own prompt back that was never sent. False if there is none: the relay may have it. */
  takeBack(key: string): boolean {
    if (this.deliveryOf(key) !== "not-sent") return false;
    this.#withdrawn(key);
    return true;
  }

  /** Whether the relay has an own prompt. Undefined for prompts that are not here, because they have started or ended. */
  deliveryOf(key: string): Delivery | undefined {
    const entry = this.#entries.get(key);
    if (!entry?.own) return undefined;
    if (entry.phase !== "sending") return "accepted";
    return entry.own.command?.wasTried ? "unknown" : "not-sent";
  }

  #withdrawn(key: string): void {
    this.#end(key, "withdrawn");
  }

  #end(key: string, outcome: InboxOutcome | AgentwireError): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    if (entry.own?.command) entry.own.command.isDropped = true;
    if (typeof outcome === "string") this.#outbox?.remove(key);
    entry.own?.settle(outcome);
    this.#changed();
  }

  #changed(refused?: AnyAgentwireError): void {
    this.#list = undefined;
    this.#host.tell(() => {
      for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) listener(refused);
    });
  }
}

/** A command as the relay reads it. */
function wireOf(command: InboxCommand): Command["fields"] {
  if (!("input" in command)) return { ...command };
  const { text, images = [] } = typeof command.input === "string" ? { text: command.input } : command.input;
  const input: Json = images.length === 0 ? { text } : { text, images: images.map(imageInWire) };
  return { ...command, input };
}

function imageInWire(image: PromptImage): Json {
  const { path, mime } = imageOf(image);
  return mime === null ? { data: path } : { data: path, mediaType: mime };
}
