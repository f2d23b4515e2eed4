import type { ServerResponse } from "node:http";
import type { LinkEnd } from "./fixture.ts";

const HALF_A_FRAME = 'event: events\ndata: [{"type":"of this frame the other half never comes"';

/** The event stream of one viewer, on its way to the socket frame by frame. */
export class TappedStream {
  readonly #response: ServerResponse;
  readonly #write: ServerResponse["write"];
  readonly #finish: ServerResponse["end"];
  readonly #planned: { readonly frames: number; readonly how: LinkEnd } | undefined;
  #state: "open" | "silent" | "ended" = "open";
  #rest = "";
  #frames = 0;

  /** @param planned how the stream ends, and behind which number of frames */
  constructor(
    response: ServerResponse,
    planned: { readonly frames: number; readonly how: LinkEnd } | undefined,
  ) {
    this.#response = response;
    this.#write = response.write.bind(response);
    this.#finish = response.end.bind(response);
    this.#planned = planned;
    response.write = ((bytes: Uint8Array) =>
      this.#pass(Buffer.from(bytes).toString())) as typeof response.write;
    response.end = ((...values: []) => {
      if (this.#state === "open") this.#finish(...values);
      return response;
    }) as typeof response.end;
    response.flushHeaders = () => {
      Object.getPrototypeOf(response).flushHeaders.call(response);
      this.#endAsPlanned();
    };
  }

  /** How many frames went out: events, and all else that is no comment. */
  get frames(): number {
    return this.#frames;
  }

  /** Sends a frame without a name, so that its data alone says what it is. */
  say(frame: string | Uint8Array): void {
    const lines = typeof frame === "string" ? frame.replaceAll("\n", "\ndata: ") : frame;
    this.#write(Buffer.concat([Buffer.from("data: "), Buffer.from(lines), Buffer.from("\n\n")]));
  }

  end(how: LinkEnd): void {
    if (this.#state === "ended") return;
    if (how === "silence") {
      this.#state = "silent";
      return;
    }
    this.#state = "ended";
    if (how === "cut") this.#response.destroy();
    else if (how === "cut in mid-frame") this.#write(HALF_A_FRAME, () => this.#response.destroy());
    else this.#finish();
  }

  #pass(text: string): boolean {
    this.#rest += text;
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n")) {
      const frame = this.#rest.slice(0, end + 2);
      this.#rest = this.#rest.slice(end + 2);
      if (this.#state !== "open") continue;
      this.#write(frame);
      if (/^event:/m.test(frame)) this.#frames++;
      this.#endAsPlanned();
    }
    return true;
  }

  #endAsPlanned(): void {
    if (this.#planned && this.#frames >= this.#planned.frames) this.end(this.#planned.how);
  }
}
