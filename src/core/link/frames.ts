// Checks and reads incoming frames, and passes them to the protocol.
import { type AgentwireError, PayloadTooLargeError, said } from "../errors.ts";
import { exceedsBytes, isTooDeep, parseFrame, TOO_DEEP, utf8Length } from "../text.ts";
import { tooLarge } from "./connection-errors.ts";
import type { ConnectionHost, ConnectionSetup, Protocol } from "./connection-state.ts";
import { Templates } from "./template.ts";

interface FramesUser {
  alive(): void;
  drop(error: AgentwireError): void;
}

/** Checks and reads incoming frames, and passes them to the protocol. */
export class Frames {
  readonly #limit: number;
  readonly #provesLife: boolean;
  readonly #user: FramesUser;
  readonly #host: Pick<ConnectionHost, "warn" | "frame">;
  readonly #protocol: Pick<Protocol, "message" | "spoiled">;
  readonly #templates: Templates | undefined;

  constructor(
    { resolved, proof, hot }: ConnectionSetup,
    user: FramesUser,
    host: Pick<ConnectionHost, "warn" | "frame">,
    protocol: Pick<Protocol, "message" | "spoiled">,
  ) {
    this.#limit = resolved.maxReceiveBytes;
    this.#provesLife = proof === "frame";
    this.#user = user;
    this.#host = host;
    this.#protocol = protocol;
    this.#templates = hot && new Templates(hot);
  }

  /** Handles a text frame. A frame over the limit ends the connection. */
  onText(text: string): void {
    this.#host.frame("in", text);
    if (this.#provesLife) this.#user.alive();
    const limit = this.#limit;
    if (!exceedsBytes(text, limit)) this.#read(text);
    else
      this.#user.drop(
        tooLarge(limit, new PayloadTooLargeError("one frame", { bytes: utf8Length(text), limit })),
      );
  }

  /** Warns about a binary frame that is not text. */
  onUnreadable(problem: string): void {
    if (this.#provesLife) this.#user.alive();
    this.#host.warn("unreadable-frame", problem);
  }

  /** Reads one frame for the protocol. A failure becomes a warning, and the connection stays open. */
  #read(text: string): void {
    const known = this.#templates?.read(text);
    if (known !== undefined) {
      this.#deliver(known, text, false);
      return;
    }
    let value: unknown;
    try {
      value = parseFrame(text);
    } catch {
      this.#host.warn("unreadable-frame", "a frame that is not JSON", { raw: text });
      return;
    }
    const isDeep = isTooDeep(text);
    if (!isDeep) this.#templates?.learn(text, value);
    this.#deliver(value, text, isDeep);
  }

  #deliver(value: unknown, text: string, isDeep: boolean): void {
    const host = this.#host;
    const protocol = this.#protocol;
    try {
      if (isDeep) throw new RangeError(TOO_DEEP);
      protocol.message(value, text);
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : said(cause);
      host.warn("frame-failed", `a frame cannot be handled: ${problem}`, { raw: text, cause });
      try {
        protocol.spoiled(value, problem, text);
      } catch (again) {
        const worse = `the cleanup after a failed frame also failed: ${said(again)}`;
        host.warn("frame-failed", worse, { raw: text, cause: again });
      }
    }
  }
}
