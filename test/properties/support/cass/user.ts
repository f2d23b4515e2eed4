import type { CassClientOptions, CassConversation, CassEvent, CassResult, Turn } from "agentwire/cass";
import { type Deferred, deferred } from "../../../../src/core/deferred.ts";
import { tokenOf } from "../../../helpers/cass-fake.ts";
import { Armed } from "../armed.ts";
import type { Reader } from "../watched-turn.ts";
import type { CassWorld } from "./cass-world.ts";
import { type CassSetting, type Deed, type Kind, MOMENTS, type Moment } from "./scenario.ts";
import { WatchedCassTurn } from "./watched-turn.ts";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface How {
  readonly kind: Kind;
  readonly reader: Reader;
  readonly signal: boolean;
  readonly timeout: number;
}

/** What an application does with a client, also from inside of the client's own events. */
export class CassUser {
  readonly #world: CassWorld;
  readonly #armed = new Armed<Moment, Deed>();
  /** Images that are being read. */
  #blobs: Deferred<ArrayBuffer>[] = [];
  #rests = false;
  #conversation: CassConversation | undefined;
  #count = 0;
  #tokens = 0;

  constructor(world: CassWorld) {
    this.#world = world;
  }

  listen(): void {
    for (const moment of MOMENTS) this.#world.client.on(moment, () => this.fire(moment));
  }

  /** Who the user is, as a setting has it. */
  static credentials(
    { token, allowAnonymous }: CassSetting,
    user: () => CassUser,
  ): Pick<CassClientOptions, "token" | "refreshToken" | "allowAnonymous"> {
    switch (token) {
      case "none":
        return { allowAnonymous: true };
      case "text":
        return { token: tokenOf("u1"), allowAnonymous };
      case "opaque":
        return { token: "opaque token", allowAnonymous };
      case "refresh":
        return { refreshToken: "refresh", allowAnonymous };
      default:
        return { token: () => user().#token(token === "flaky"), allowAnonymous };
    }
  }

  prompt(how: How): void {
    const { client, turns } = this.#world;
    const wasClosed = client.status === "closed";
    const watched = new WatchedCassTurn(this.#count++, how);
    const signal = watched.abort?.controller.signal;
    const options = { timeout: how.timeout, ...(signal ? { signal } : {}) };
    turns.push(watched); // before the call: it may be sent within it
    const turn = this.#world.allowed("prompt", () => this.#call(watched, options));
    if (!turn) {
      turns.splice(turns.indexOf(watched), 1);
      if (watched.wasSent) this.#world.complain(`sent ${watched.name}, and refused it`);
      return;
    }
    watched.isUntold = client.status === "closed";
    watched.begin(turn);
    turn.on("status", () => this.fire("turn status"));
    turn.on("event", (event) => {
      // What is found over REST after that, a client without a connection has nobody to tell of.
      if (client.status === "closed" && !watched.events.includes(event)) watched.events.push(event);
      this.fire("turn event");
    });
    if (wasClosed) this.#world.complain("takes prompts when it is closed");
  }

  #call(
    { kind, name, says }: WatchedCassTurn,
    options: { readonly timeout: number; readonly signal?: AbortSignal },
  ): Turn<CassEvent, CassResult> {
    const { client } = this.#world;
    switch (kind) {
      case "chat":
      case "same":
        return client.prompt(says, options);
      case "held":
        this.#conversation ??= client.conversation();
        return this.#conversation.prompt(says, options);
      case "image":
        return client.prompt({ message: says, image: { data: this.#blob() } }, options);
      case "intro":
        return client.onboardingIntro(
          { userId: "u1", conversationId: name, allowForeignUser: true },
          options,
        );
      default:
        return client.onboardingDemo({ userId: "u1", message: name, allowForeignUser: true }, options);
    }
  }

  /** One of the images that are being read is there, or cannot be. */
  reads(which: number, works: boolean): void {
    const [blob] = this.#blobs.splice(which % Math.max(1, this.#blobs.length), 1);
    if (works) blob?.resolve(PNG.slice().buffer);
    else blob?.reject(new Error("the disk broke"));
  }

  when(moment: Moment, deed: Deed): void {
    this.#armed.when(moment, deed);
  }

  /** Does nothing more by itself, and keeps nobody waiting. */
  rests(): void {
    this.#rests = true;
    this.#armed.clear();
    for (const blob of this.#blobs.splice(0)) blob.resolve(PNG.slice().buffer);
  }

  fire(moment: Moment): void {
    const deed = this.#armed.take(moment);
    if (deed) this.#does(deed);
  }

  #does(deed: Deed): void {
    const { client, turns } = this.#world;
    const open = turns.filter((turn) => turn.open);
    switch (deed) {
      case "prompt":
      case "say":
        this.prompt({ kind: deed === "say" ? "held" : "chat", reader: "loop", signal: false, timeout: 0 });
        return;
      case "cancel first":
        open[0]?.cancel();
        return;
      case "cancel last":
        open.at(-1)?.cancel();
        return;
      case "status":
        this.#world.getStatus();
        return;
      case "connect":
        this.#world.watch("connect", () => client.connect());
        return;
      case "close":
        this.#world.watch("close", () => client.close());
        return;
      case "cut":
        this.#world.socket?.ends(1006);
        return;
      case "throw":
        throw new Error("the user's own");
    }
  }

  #token(isFlaky: boolean): string | Promise<string> {
    this.fire("token");
    const n = this.#tokens++;
    if (!isFlaky || this.#rests) return Promise.resolve(tokenOf("u1", n));
    switch (n % 6) {
      case 1:
        return Promise.reject(new Error("no token"));
      case 3:
        return new Promise(() => {});
      case 4:
        throw new Error("no token at all");
      default:
        return tokenOf("u1", n);
    }
  }

  #blob(): { size: number; type: string; arrayBuffer: () => Promise<ArrayBuffer> } {
    return {
      size: PNG.length,
      type: "image/png",
      arrayBuffer: () => {
        const read = deferred<ArrayBuffer>();
        if (this.#rests) read.resolve(PNG.slice().buffer);
        else this.#blobs.push(read);
        this.fire("blob");
        return read.promise;
      },
    };
  }
}
