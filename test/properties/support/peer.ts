import { isAgentwireError } from "agentwire/codebuff";
import { GARBAGE, REFUSALS } from "./garbage.ts";
import { pick } from "./life.ts";
import type { Step } from "./scenario.ts";
import {
  type Ask,
  action,
  BINARY,
  chunkOf,
  endFrame,
  limitOf,
  nameOf,
  type Of,
  requestFrame,
  tellFrame,
} from "./server-frames.ts";
import { underWayFirst } from "./user.ts";
import type { WatchedPrompt } from "./watched-prompt.ts";
import type { SentFrame, WatchedSocket } from "./watched-socket.ts";
import type { World } from "./world.ts";

const LEGACY = "Unknown message type; shouldn't be possible here.";

/** A request as it can be made, and made again. */
interface Request {
  readonly id: string;
  readonly frame: object;
  readonly tool: boolean;
  readonly valid: boolean;
  /** ms; what the client may take to answer. */
  readonly limit: number;
  readonly prompt: WatchedPrompt | undefined;
  /** The prompt that it names, whether or not that is under way. */
  readonly named: WatchedPrompt | undefined;
}

/** The server and the link to it: does what the scenario says, and checks what must come of each frame at once. */
export class Peer {
  readonly #world: World;
  #count = 0;
  /** Frames that named a prompt and were told as belonging to none under way. */
  #strays = 0;
  readonly #served = new Set<WatchedPrompt>();
  #lastRequest: Request | undefined;
  /** Chunks that came while the client wrote: they are told when it has written. */
  #untold: { readonly ids: string[]; readonly accounted: number; readonly deeds: number } | undefined;

  constructor(world: World) {
    this.#world = world;
    world.client.on("late", () => void this.#strays++);
    world.client.on("orphan", () => void this.#strays++);
  }

  async take(step: Step): Promise<void> {
    const { sockets, socket } = this.#world;
    if (step.do === "ends") await this.#ends(sockets.at(-1 - step.socket), step);
    if (step.do === "late") this.#late(sockets[step.socket]);
    if (!socket) return;
    if (step.do === "goesWell") await this.#goesWell(socket);
    else this.#say(socket, step);
  }

  /** An answer that is there before `send` returns. */
  answersAtOnce(socket: WatchedSocket, frame: SentFrame): void {
    const { user } = this.#world;
    const { deeds } = user;
    if (frame.type === "identify") this.#identify(socket, frame);
    else this.#ack(socket, frame, true);
    if (this.#world.setting.instant !== "answers") return;
    if (frame.type === "init") this.#initResponse(socket);
    const prompt = this.#world.prompts.find(
      ({ id }) => frame.type === "prompt" && id === frame.data["promptId"],
    );
    if (!prompt) return;
    if (user.deeds !== deeds) prompt.text = undefined;
    this.#chunk(socket, { do: "chunk", turn: 0, naming: "exact", form: "text" }, prompt, true);
    this.#end(socket, { do: "end", turn: 0, naming: "exact", form: "response" }, prompt);
  }

  /** What came while the client wrote has been told by now. */
  check(): void {
    const { ids, accounted, deeds } = this.#untold ?? { ids: [], accounted: 0, deeds: 0 };
    this.#untold = undefined;
    if (ids.length === 0 || this.#world.user.deeds !== deeds) return;
    if (this.accounted < accounted + ids.length)
      this.#world.complain(`chunks for ${ids.join(", ")} were told ${this.accounted - accounted} times`);
  }

  /** One round of what a good server does: whatever was begun is ended. */
  async serves(): Promise<void> {
    const { socket, prompts } = this.#world;
    if (!socket) return;
    if (socket.gone && socket.listenerCount("close") > 0) socket.ends(1006);
    await this.#goesWell(socket);
    for (const prompt of prompts) {
      if (prompt.socket !== socket || this.#served.has(prompt)) continue;
      this.#served.add(prompt);
      this.#end(socket, { do: "end", turn: 0, naming: "exact", form: "response" }, prompt);
    }
    this.#initResponse(socket);
  }

  /** Whatever comes on any socket of a client that is closed: nobody may hear it. */
  speaksToTheDead(): void {
    for (const socket of this.#world.sockets) this.#late(socket);
  }

  #say(socket: WatchedSocket, step: Step): void {
    const prompt = "turn" in step ? pick(underWayFirst(this.#world.prompts), step.turn) : undefined;
    switch (step.do) {
      case "opens":
        this.#opens(socket);
        return;
      case "beginsToClose":
        socket.beginsToClose();
        return;
      case "refusesFrame":
        socket.refusesFrame = true;
        return;
      case "ack":
        this.#ackAs(socket, step);
        return;
      case "chunk":
        this.#chunk(socket, step, prompt);
        return;
      case "end":
        this.#end(socket, step, prompt);
        return;
      case "tell":
        this.#tell(socket, step, prompt);
        return;
      case "ask":
        this.#lastRequest = this.#request(step, prompt);
        this.#ask(socket, this.#lastRequest);
        return;
      case "repeatRequest":
        if (this.#lastRequest) this.#ask(socket, this.#lastRequest);
        return;
      case "actionError":
        this.#actionError(socket);
        return;
      case "initResponse":
        this.#initResponse(socket);
        return;
      case "reconnectRequest": {
        const heard = this.#world.hears(socket) && this.#world.setting.reconnect !== "never";
        this.#endsNone(() => this.#says(socket, { type: "request-reconnect" }), "a request to reconnect");
        if (heard) socket.retiring = true;
        return;
      }
      case "garbage":
        this.#endsNone(() => this.#deliver(socket, pick(GARBAGE, step.kind)), "garbage");
        return;
      case "binary":
        this.#endsNone(() => this.#deliver(socket, pick(BINARY, step.kind)), "binary");
        return;
      default:
    }
  }

  // --- the link ---

  #opens(socket: WatchedSocket): void {
    if (socket.readyState !== 0) return;
    socket.accepts();
  }

  async #ends(socket: WatchedSocket | undefined, { code, error }: Of<"ends">): Promise<void> {
    if (!socket) return;
    const { prompts, user, client, setting } = this.#world;
    const waiting = prompts.filter(({ frame, over, turn }) => !frame && !over && turn);
    const { deeds } = user;
    if (error) socket.fails(new Error("read ECONNRESET"));
    socket.ends(code, code === 1000 ? "Heartbeat timeout" : "");
    await this.#world.settle();
    if (user.deeds !== deeds || client.status !== "reconnecting" || setting.token === "flaky") return;
    for (const { id, over, error } of waiting) {
      // A conversation's prompt may find the queue full when its turn comes.
      if (over && !isAgentwireError(error, "queue-full"))
        this.#world.complain(`${id} was not sent, and lost with the link`);
    }
  }

  /** What comes from a socket that is done with. */
  #late(socket: WatchedSocket | undefined): void {
    if (!socket?.gone || socket.listenerCount("message") > 0) return;
    const { client, prompts, user } = this.#world;
    const before = JSON.stringify([client.status, prompts.map(({ status, shown }) => [status, shown])]);
    const { deeds } = user;
    const [first] = prompts;
    socket.accepts();
    this.#deliver(socket, JSON.stringify({ type: "ack", txid: 0, success: false, error: "late" }));
    if (first)
      this.#deliver(
        socket,
        JSON.stringify(action({ type: "prompt-response", promptId: first.id, sessionState: {} })),
      );
    socket.ends(1006);
    const after = JSON.stringify([client.status, prompts.map(({ status, shown }) => [status, shown])]);
    if (after !== before || user.deeds !== deeds)
      this.#world.complain("listened to a socket that is done with");
  }

  /** Opens, identifies and acks as the server that it is would. */
  async #goesWell(socket: WatchedSocket): Promise<void> {
    this.#opens(socket);
    await this.#world.settle();
    const [first] = socket.frames;
    if (first?.type === "identify" && !first.answered) this.#identify(socket, first);
    await this.#world.clock.advance(this.#world.setting.settleWindow);
    for (let at = 0; at < socket.frames.length && !socket.gone; at++) {
      const frame = socket.frames[at];
      if (!frame || frame.answered) continue;
      // The proxy comes to the next frame when it is done with a prompt.
      if (socket.server === "proxy" && socket.frames.slice(0, at).some((earlier) => this.#runs(earlier)))
        return;
      this.#ack(socket, frame, true);
      if (frame.type === "init") this.#initResponse(socket);
      await this.#world.settle();
    }
  }

  #runs(frame: SentFrame): boolean {
    return this.#world.promptOf(frame)?.frame === frame && this.#world.promptOf(frame)?.over === false;
  }

  // --- acks ---

  #identify(socket: WatchedSocket, frame: SentFrame): void {
    if (this.#world.setting.peer === "proxy") this.#ack(socket, frame, true);
    else this.#ack(socket, frame, false, LEGACY);
  }

  #ackAs(socket: WatchedSocket, step: Of<"ack">): void {
    const unanswered = socket.frames.filter(({ answered }) => !answered);
    const answered = socket.frames.filter((frame) => frame.answered);
    const error = pick(REFUSALS, step.error);
    switch (step.form) {
      case "yes":
      case "no": {
        const frame = pick(unanswered, step.frame);
        if (frame) this.#ack(socket, frame, step.form === "yes", error);
        return;
      }
      case "again": {
        const frame = pick(answered, step.frame);
        const again = { type: "ack", txid: frame?.txid, success: step.error % 2 === 0, error };
        // Until a session is identified, a second word about the identify is a refusal of it.
        if (frame && frame.type !== "identify")
          this.#endsNone(() => this.#deliver(socket, JSON.stringify(again)), "a second ack");
        return;
      }
      case "unknown": {
        const unknown = { type: "ack", txid: 1_000_000 + step.frame, success: step.error % 2 === 0, error };
        this.#endsNone(() => this.#deliver(socket, JSON.stringify(unknown)), "an ack for nothing");
        return;
      }
      case "anonymous yes":
      case "anonymous no":
        this.#anonymous(socket, step.form === "anonymous yes", error);
        return;
      default:
        step.form satisfies never;
    }
  }

  #ack(socket: WatchedSocket, frame: SentFrame, success: boolean, error?: string): void {
    const { ledger, user } = this.#world;
    const prompt = this.#world.promptOf(frame);
    const under = frame.type === "prompt" && prompt?.underWay === true && this.#world.hears(socket);
    const first = !frame.answered && !frame.heardOf;
    if (frame.type === "identify") this.#noteIdentified(socket, success, error);
    if (!success) ledger.refused(socket, ({ id }) => id === frame.data["requestId"]);
    frame.answered = true;
    const { deeds } = user;
    const breaks = socket.refusesFrame;
    const text = JSON.stringify({ type: "ack", txid: frame.txid, success, ...(success ? {} : { error }) });
    this.#endsOnly(
      ({ frame: its }) =>
        its !== undefined && (its === frame ? !success : its.txid < frame.txid && socket.server === "proxy"),
      () => this.#deliver(socket, text),
      `an ack of ${frame.type}`,
    );
    if (success || !under || !first || user.deeds !== deeds || breaks || !prompt?.turn) return;
    if (prompt.status !== "failed")
      this.#world.complain(`${prompt.id} is ${prompt.status} although it was refused`);
  }

  #anonymous(socket: WatchedSocket, success: boolean, error: string | undefined): void {
    const identify = socket.frames[0]?.type === "identify" ? socket.frames[0] : undefined;
    if (identify && socket.identifiedFrom === undefined) {
      identify.answered = true;
      this.#noteIdentified(socket, success, error);
    }
    if (!success) this.#world.ledger.refused(socket, () => true);
    const refusesAll = /already in use|^Maximum connections/.test(error ?? "");
    const deliver = (): void =>
      this.#deliver(socket, JSON.stringify({ type: "ack", success, error: error ?? null }));
    // It may be about a frame that has no ack, never about a prompt that is known to have one.
    this.#endsOnly(
      ({ frame }) => !success && (refusesAll || (!frame?.answered && !frame?.heardOf)),
      deliver,
      `an anonymous ack (${error})`,
    );
  }

  #noteIdentified(socket: WatchedSocket, success: boolean, error: string | undefined): void {
    const { setting, clock } = this.#world;
    if (socket.identifiedFrom !== undefined) return;
    if (success) {
      socket.server = "proxy";
      socket.identifiedFrom = clock.now() + setting.settleWindow;
    } else if (error?.startsWith("Unknown message type")) {
      socket.server = setting.profile === "proxy" ? "proxy" : "codebuff";
      socket.identifiedFrom = clock.now();
    }
  }

  // --- prompts ---

  #chunk(
    socket: WatchedSocket,
    { naming, form }: Of<"chunk">,
    prompt: WatchedPrompt | undefined,
    isWriting = false,
  ): void {
    const word = `<${this.#count++}>`;
    const { chunk, text } = chunkOf(form, word);
    const id = nameOf(prompt, naming, this.#count);
    const mine = prompt?.underWay && prompt.socket === socket && socket.listenerCount("message") > 0;
    const { user } = this.#world;
    const { deeds } = user;
    const { accounted } = this;
    const inSession = this.#world.hears(socket);
    const breaks = socket.refusesFrame; // with it the link may go, before the chunk is read
    const data = { type: "response-chunk", userInputId: id, chunk };
    this.#endsOnly(this.#overtaken(prompt, socket), () => this.#says(socket, data), `a chunk for ${id}`);
    if (mine && naming !== "unknown" && prompt.frame) prompt.frame.heardOf = true;
    const quiet = user.deeds === deeds && !breaks;
    if (prompt && naming === "exact" && !quiet) {
      prompt.text = undefined;
      if (form === "sse error") prompt.streamError = undefined;
    } else if (mine && naming === "exact") {
      if (form === "sse error") prompt.streamError = true;
      if (prompt.text !== undefined) prompt.text += text;
    }
    if (inSession && quiet && isWriting) {
      this.#untold ??= { ids: [], accounted, deeds };
      this.#untold.ids.push(id);
    } else if (inSession && quiet && this.accounted !== accounted + 1) {
      this.#world.complain(`a chunk for ${id} was told ${this.accounted - accounted} times`);
    }
  }

  /** Frames that were told, to a turn or as strays. */
  get accounted(): number {
    return this.#strays + this.#world.prompts.reduce((sum, { events }) => sum + events.length, 0);
  }

  #end(socket: WatchedSocket, { naming, form }: Of<"end">, prompt: WatchedPrompt | undefined): void {
    const id = nameOf(prompt, naming, this.#count);
    const text = `error ${this.#count++}`;
    const { user } = this.#world;
    const inSession = this.#world.hears(socket);
    const mine = naming === "exact" && prompt?.underWay && prompt.socket === socket;
    const breaks = socket.refusesFrame;
    const { deeds } = user;
    const { accounted } = this;
    this.#endsOnly(
      (other) => (naming === "exact" && other === prompt) || this.#overtaken(prompt, socket)(other),
      () => this.#says(socket, endFrame(form, id, text)),
      `a ${form} for ${id}`,
    );
    if (naming !== "unknown" && prompt?.frame && prompt.socket === socket) prompt.frame.heardOf = true;
    if (!inSession || user.deeds !== deeds || breaks || !prompt?.turn) return;
    if (!mine) {
      if (this.accounted === accounted) this.#world.complain(`a ${form} for ${id} was not told`);
      return;
    }
    if (form === "response" && prompt.streamError === undefined) return;
    const expected = form === "response" && !prompt.streamError ? "completed" : "failed";
    if (prompt.status !== expected) this.#world.complain(`${id} is ${prompt.status} after a ${form}`);
  }

  #tell(socket: WatchedSocket, step: Of<"tell">, prompt: WatchedPrompt | undefined): void {
    const data = tellFrame(step, nameOf(prompt, step.naming, this.#count++));
    this.#endsOnly(this.#overtaken(prompt, socket), () => this.#says(socket, data), `a ${data.type}`);
    if (prompt?.frame && prompt.socket === socket && step.naming !== "unknown" && step.form !== "usage") {
      prompt.frame.heardOf = true;
    }
  }

  #actionError(socket: WatchedSocket): void {
    const underWay = this.#world.prompts.filter((prompt) => prompt.underWay);
    this.#endsOnly(
      ({ status }) => underWay.length === 1 && status !== "streaming",
      () => this.#says(socket, { type: "action-error", message: "Invalid auth token." }),
      "an action-error",
    );
  }

  /** As the published proxy writes it, which is not JSON. */
  #initResponse(socket: WatchedSocket): void {
    const raw =
      '{"type": "action", "data": {"type": "init-response", "usage": 0.0, "remainingBalance": Infinity}}';
    this.#endsNone(() => this.#deliver(socket, raw), "an init-response");
  }

  // --- requests ---

  #request(step: Ask, prompt: WatchedPrompt | undefined): Request {
    const id = `r${this.#count++}`;
    const named = step.naming !== "nobody" && step.form !== "other tool";
    const userInputId = step.naming === "nobody" ? undefined : nameOf(prompt, step.naming, this.#count);
    const serves = named && step.naming !== "unknown" && step.form === "tool" && prompt?.underWay;
    return {
      id,
      frame: action(requestFrame(step, id, userInputId)),
      tool: step.form === "tool" || step.form === "other tool",
      valid: step.form !== "invalid",
      limit: limitOf(step),
      prompt: serves ? prompt : undefined,
      named: named && step.form === "tool" ? prompt : undefined,
    };
  }

  #ask(socket: WatchedSocket, request: Request): void {
    const { ledger } = this.#world;
    const inSession = this.#world.hears(socket);
    const { id, frame, tool, valid, limit, prompt, named } = request;
    if (named?.frame && named.socket === socket) named.frame.heardOf = true;
    const before = ledger.asked.findIndex((each) => each.id === id && each.socket === socket);
    const known = ledger.asked[before];
    if (known?.live) {
      known.deliveries++;
    } else {
      const now = this.#world.now();
      const asked = { id, tool, socket, valid, live: inSession, answerBy: now + limit, prompt };
      ledger.asked.splice(before < 0 ? ledger.asked.length : before, 1, {
        ...asked,
        deliveries: 1,
        answers: 0,
        refusals: 0,
      });
    }
    this.#endsOnly(
      this.#overtaken(named, socket),
      () => this.#deliver(socket, JSON.stringify(frame)),
      "a request",
    );
  }

  // --- what must come of a frame at once ---

  /** The proxy works in order, so whatever comes for a prompt proves that those before it are over. */
  #overtaken(by: WatchedPrompt | undefined, socket: WatchedSocket): (prompt: WatchedPrompt) => boolean {
    const txid = by?.socket === socket && socket.server === "proxy" ? (by.frame?.txid ?? 0) : 0;
    return ({ frame }) => frame !== undefined && frame.txid < txid;
  }

  #endsNone(act: () => void, what: string): void {
    this.#endsOnly(() => false, act, what);
  }

  /** Only prompts that `may` names end by what is done here, unless the user's own code ended them. */
  #endsOnly(may: (prompt: WatchedPrompt) => boolean, act: () => void, what: string): void {
    const { prompts, user, setting } = this.#world;
    const mustNot = prompts.filter((prompt) => prompt.underWay && prompt.turn && !may(prompt));
    const { deeds } = user;
    const breaks = this.#world.socket?.refusesFrame;
    act();
    // What is answered at once may end anything, and so may a frame that the socket does not take.
    if (user.deeds !== deeds || setting.instant !== "no" || breaks) return;
    for (const { id, over } of mustNot) if (over) this.#world.complain(`${what} has ended ${id}`);
  }

  #says(socket: WatchedSocket, data: object): void {
    this.#deliver(socket, JSON.stringify(action(data)));
  }

  #deliver(socket: WatchedSocket, data: unknown): void {
    if (socket.readyState === 0) return; // no runtime tells a message before the opening
    try {
      socket.receives(data);
    } catch (error) {
      this.#world.complain(`threw at its socket: ${String(error)}`);
    }
  }
}
