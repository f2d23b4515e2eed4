// Sends commands to a relay: in order, each until the relay has answered.
import { isObject } from "../core/checks.ts";
import { deferred } from "../core/deferred.ts";
import { type AgentwireError, ClosedError, copyError } from "../core/errors.ts";
import { Queue } from "../core/queue.ts";
import type { Json } from "../universal/events.ts";
import { RelayExchange, type RelayHttp, wasClosed } from "./http.ts";
import { Retries } from "./retries.ts";
import { commandRefusal } from "./wire.ts";

/** A command that the relay has not confirmed. */
export interface Command {
  readonly key: string;
  /** The other fields of the command, as the relay reads them. */
  readonly fields: Readonly<Record<string, Json>>;
  /** Whether the relay may have it. */
  wasTried: boolean;
  /** Whether nobody needs its answer any more. One that was not tried is not sent any more. */
  isDropped: boolean;
}

interface Sending extends Command {
  readonly answered: { resolve(): void; reject(error: AgentwireError): void };
}

/** The command may be repeated, because the relay knows its key. 408: its body arrived too slowly. */
const TRY_AGAIN = 408;

/**
 * Sends commands one after the other, so that the relay gets them in the order of the calls. A command without an
 * answer is sent again, with the same key.
 */
export class Commands {
  readonly #http: RelayHttp;
  readonly #waiting: () => number;
  readonly #retries: Retries;
  readonly #queue = new Queue<Sending>();
  #exchange: RelayExchange | undefined;
  #isRunning = false;
  #closed: AgentwireError | undefined;

  /** @param waiting how many prompts wait, for the error of a full queue */
  constructor(http: RelayHttp, waiting: () => number) {
    this.#http = http;
    this.#waiting = waiting;
    this.#retries = new Retries(http.settings.clock);
  }

  /** Resolves when the relay has accepted the command, or when it was dropped. `answered` rejects if it refused. */
  send(
    key: string,
    fields: Command["fields"],
  ): { readonly command: Command; readonly answered: Promise<void> } {
    const { promise, resolve, reject } = deferred<void>();
    const command: Sending = {
      key,
      fields,
      wasTried: false,
      isDropped: false,
      answered: { resolve, reject },
    };
    promise.catch(() => {}); // the caller may only want the command
    if (this.#closed) reject(this.#unsent(command, this.#closed));
    else this.#queue.add(command);
    if (!this.#isRunning && !this.#closed) void this.#run();
    return { command, answered: promise };
  }

  /** Tries again now, because the relay can be reached again. */
  hurry(): void {
    this.#retries.hurry();
  }

  close(reason: AgentwireError): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.#exchange?.end(wasClosed());
    this.#retries.hurry();
    for (let next = this.#queue.take(); next; next = this.#queue.take())
      next.answered.reject(this.#unsent(next, reason));
  }

  #unsent(command: Command, reason: AgentwireError): AgentwireError {
    const delivery = command.wasTried ? "unknown" : "not-sent";
    return Object.assign(copyError(reason), { delivery });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let first = this.#queue.first; first && !this.#closed; first = this.#queue.first) {
      const end = first.isDropped ? "accepted" : await this.#post(first);
      if (this.#closed) break;
      if (typeof end === "number") {
        await this.#retries.wait(this.#retries.next(end).delay);
        continue;
      }
      this.#retries.forgive();
      this.#queue.take();
      if (end === "accepted") first.answered.resolve();
      else first.answered.reject(end);
    }
    this.#isRunning = false;
  }

  /** Returns the refusal, or after which time in ms to try again at the earliest. */
  async #post(command: Command): Promise<"accepted" | AgentwireError | number> {
    const exchange = new RelayExchange(this.#http);
    this.#exchange = exchange;
    try {
      const { key, fields } = command;
      const body = JSON.stringify({ key, ...fields });
      const headers = { accept: "application/json", "content-type": "application/json" };
      const response = await exchange.open("/commands", { method: "POST", headers, body }, () => {
        if (command.isDropped) throw wasClosed();
        command.wasTried = true;
        this.#http.frame("out", body);
      });
      const { status } = response;
      const answer = await exchange.answer(response);
      if ((status === 202 || status === 200) && isObject(answer.body) && answer.body["key"] === key)
        return "accepted";
      const isRefusal = status >= 400 && status < 500 && status !== TRY_AGAIN;
      return isRefusal ? commandRefusal(answer, this.#waiting()) : (answer.retryAfter ?? 0);
    } catch (thrown) {
      const error = exchange.error(thrown);
      if (command.isDropped) return "accepted";
      if (error.retryable) return 0;
      return Object.assign(error, { delivery: "unknown" }); // such as a `fetch` that does not exist
    } finally {
      exchange.end(wasClosed());
      this.#exchange = undefined;
    }
  }
}

export const clientWasClosed = (): ClosedError => new ClosedError("this client was closed; make a new one");
