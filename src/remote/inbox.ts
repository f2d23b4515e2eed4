// The inbox of a relay, as this client knows it: prompts of all viewers, and those that the relay has not confirmed.

import type { InboxCommand, InboxOutcome, InboxPrompt, PromptInbox } from "../core/client/inbox.ts";
import { type Deferred, deferred } from "../core/deferred.ts";
import {
  type AgentwireError,
  type AnyAgentwireError,
  asAny,
  copyError,
  type Delivery,
  isAgentwireError,
} from "../core/errors.ts";
import { randomId } from "../core/random-id.ts";
import type { Outbox } from "../core/tell/outbox.ts";
import type { Json, UniversalEvent } from "../universal/events.ts";
import { readUserInput } from "../universal/listen/user-input.ts";
import type { Command, Commands } from "./commands.ts";
import type { RemoteSettings } from "./options.ts";
import { LocalOutbox } from "./outbox.ts";
import type { RelayState } from "./wire.ts";

/** ms after which the relay is asked again where an accepted prompt is. Relays look at their inbox each 5 s. */
const LOST_AFTER = 10_000;

interface OwnPrompt {
  readonly command: Command;
  readonly outcome: Deferred<InboxOutcome>;
}

interface Entry {
  prompt: InboxPrompt;
  /** `sending`: not confirmed. `accepted`: confirmed. `listed`: in the queue of a state. `taken`: no longer there. */
  phase: "sending" | "accepted" | "listed" | "taken" | "refused";
  /** The number of streams so far, when the relay confirmed the prompt. A later stream begins with a newer state. */
  confirmedAt: number;
  /** Only of an own prompt. */
  readonly own?: OwnPrompt;
}

export interface InboxHost {
  /** Reads, because a command is sent. */
  read(): void;
  /** The number of streams so far. */
  readonly streams: number;
  readonly outbox: Outbox;
  readonly settings: RemoteSettings;
  /** Whether a state says more than the events so far: a prompt may run that no event shows. */
  isAhead(state: RelayState): boolean;
  /** Asks for a newer state after `delay` ms. */
  refreshIn(delay: number): void;
}

export class RemoteInbox implements PromptInbox {
  readonly #host: InboxHost;
  readonly #commands: Commands;
  readonly #outbox: LocalOutbox | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<(refused?: AnyAgentwireError) => void>();
  #list: readonly InboxPrompt[] | undefined = [];
  isBusy = false;
  contextLost = false;

  constructor(host: InboxHost, commands: Commands) {
    this.#host = host;
    this.#commands = commands;
    const { outbox, address } = host.settings;
    if (outbox === "local") this.#outbox = new LocalOutbox(address);
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

  onChange(listener: (refused?: AnyAgentwireError) => void): () => void {
    const own = (refused?: AnyAgentwireError): void => listener(refused); // the same function may listen twice
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Sends the prompts of an earlier page. */
  load(): void {
    for (const { key, text, at } of this.#outbox?.load() ?? []) {
      const prompt = { key, input: { text }, at };
      this.#prompt(prompt).catch((error: AgentwireError) => {
        if (isAgentwireError(error, "closed") || this.#entries.has(key)) return;
        const refused = { ...prompt, error: asAny(error) };
        this.#entries.set(key, { prompt: refused, phase: "refused", confirmedAt: 0 }); // until the next state
        this.#changed();
      });
    }
  }

  async send(key: string, command: InboxCommand): Promise<InboxOutcome> {
    this.#host.read();
    if (command.type === "prompt") {
      const at = this.#host.settings.clock.wallTime();
      const { input } = command;
      const { text, images = [] } = typeof input === "string" ? { text: input } : input;
      if (images.length === 0) this.#outbox?.add({ key, text, at });
      return this.#prompt({ key, input, at });
    }
    const isEnd = command.type === "withdraw" || command.type === "cancel";
    if (isEnd && typeof command.target === "string" && this.takeBack(command.target)) return "done";
    await this.#commands.send(key, wireOf(command)).answered.promise;
    if (command.type === "withdraw") this.#end(command.target, "withdrawn");
    return "done";
  }

  /** A decision, an answer, or a grant that is taken back. It has an effect only if the request waits. */
  settle(fields: Command["fields"], onRefused: () => void): void {
    this.#host.read();
    this.#commands.send(randomId("cmd"), fields).answered.promise.catch((error: AgentwireError) => {
      const isLate = "status" in error && error.status === 409;
      if (isLate || isAgentwireError(error, "closed")) return; // an event shows the first decision
      onRefused();
      this.#changed(asAny(error));
    });
  }

  /** Applies what a state says of the queue. */
  state(state: RelayState): void {
    this.isBusy = state.isBusy;
    this.contextLost = state.contextLost;
    const earlier = new Map(this.#entries);
    this.#entries.clear();
    const listed = state.queue.map((prompt): Entry => {
      const known = earlier.get(prompt.key);
      earlier.delete(prompt.key);
      if (known?.own) this.#confirmed(known, known.own);
      const isSame = JSON.stringify(known?.prompt) === JSON.stringify(prompt);
      return Object.assign(known ?? { confirmedAt: 0 }, {
        prompt: known && isSame ? known.prompt : prompt,
        phase: "listed" as const,
      });
    });
    const isAhead = this.#host.isAhead(state);
    for (const [key, entry] of earlier) {
      const { phase, confirmedAt } = entry;
      this.#entries.set(key, entry);
      if (phase === "sending") continue;
      if (phase === "accepted" && confirmedAt >= this.#host.streams) continue; // the state may be older
      if (isAhead && phase !== "refused") entry.phase = "taken";
      else this.#end(key, "withdrawn");
    }
    for (const entry of listed) this.#entries.set(entry.prompt.key, entry);
    this.#changed();
  }

  /** Applies an event of a turn: the turn's prompt leaves the inbox when its message is shown. */
  event({ type, data }: UniversalEvent, key: string): void {
    const entry = this.#entries.get(key);
    if (entry && type === "turn.started") {
      entry.phase = "taken";
      this.#changed();
    }
    if ((type === "item.started" && data.item.role === "user") || type === "turn.ended")
      this.#end(key, "started");
  }

  /** The events are void: a state follows. */
  reset(): void {
    for (const [key, { own }] of this.#entries) if (!own) this.#entries.delete(key);
    this.#changed();
  }

  /** The client was closed. The relay still has what it has confirmed. */
  close(reason: AgentwireError): void {
    this.#commands.close(reason);
    for (const [key, { own, phase }] of this.#entries) {
      if (own && phase === "sending") continue; // the command's end settles it
      own?.outcome.reject(Object.assign(copyError(reason), { delivery: "accepted" }));
      this.#entries.delete(key);
    }
    this.#changed();
  }

  /** Takes an own prompt back that was never sent. False if there is none: the relay may have it. */
  takeBack(key: string): boolean {
    const isHere = this.#entries.get(key)?.own !== undefined && !this.mayHave(key);
    if (isHere) this.#end(key, "withdrawn");
    return isHere;
  }

  /** Whether the relay may have an own prompt that is here. */
  mayHave(key: string): boolean {
    const { own, phase } = this.#entries.get(key) ?? {};
    return own !== undefined && (phase !== "sending" || own.command.wasTried);
  }

  /** Whether the relay has an own prompt, or will get it although the client closes. One that is not here has started. */
  deliveryOf(key: string): Delivery {
    const { own, phase } = this.#entries.get(key) ?? {};
    if (!own || phase !== "sending") return "accepted";
    return own.command.wasTried || this.#outbox ? "unknown" : "not-sent"; // a later page sends it
  }

  #prompt(prompt: InboxPrompt): Promise<InboxOutcome> {
    const { key, input } = prompt;
    const command = this.#commands.send(key, wireOf({ type: "prompt", input }));
    const outcome = deferred<InboxOutcome>();
    const own = { command, outcome };
    const entry: Entry = { prompt, phase: "sending", confirmedAt: 0, own };
    this.#entries.set(key, entry);
    command.answered.promise.then(
      () => this.#confirmed(entry, own),
      (error: AgentwireError) => {
        if (!isAgentwireError(error, "closed")) this.#outbox?.remove(key);
        else if (this.#outbox && error.delivery === "not-sent") error.delivery = "unknown"; // a later page sends it
        this.#end(key, error);
      },
    );
    this.#changed();
    return outcome.promise;
  }

  #confirmed(entry: Entry, { command }: OwnPrompt): void {
    const { key } = entry.prompt;
    command.isDropped = true;
    this.#outbox?.remove(key);
    if (entry.phase !== "sending") return;
    entry.phase = "accepted";
    entry.confirmedAt = this.#host.streams;
    this.#host.refreshIn(LOST_AFTER);
    this.#changed();
  }

  /** Whether an accepted prompt is neither in the queue nor in the events. */
  get isMissing(): boolean {
    return [...this.#entries.values()].some(({ phase }) => phase === "accepted");
  }

  #end(key: string, outcome: InboxOutcome | AgentwireError): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    entry.phase = "taken";
    if (typeof outcome === "string") this.#outbox?.remove(key);
    if (entry.own) {
      entry.own.command.isDropped = true;
      if (typeof outcome === "string") entry.own.outcome.resolve(outcome);
      else entry.own.outcome.reject(outcome);
    }
    this.#changed();
  }

  #changed(refused?: AnyAgentwireError): void {
    this.#list = undefined;
    this.#host.outbox.tell(() => {
      for (const listener of this.#listeners) listener(refused);
    });
  }
}

/** A command as the relay reads it. */
function wireOf(command: InboxCommand): Command["fields"] {
  if (!("input" in command)) return { ...command };
  const { text = "", images } = readUserInput(command.input) ?? {};
  if (!images) return { ...command, input: { text } };
  const list = images.map(
    ({ path, mime }): Json => (mime === null ? { data: path } : { data: path, mediaType: mime }),
  );
  return { ...command, input: { text, images: list } };
}
