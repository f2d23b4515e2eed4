// Sends commands to a relay: in order, each until the relay has answered.
import { type Deferred, deferred } from "../core/deferred.ts";
import { type AgentwireError, copyError } from "../core/errors.ts";
import { Queue } from "../core/queue.ts";
import type { Json } from "../universal/events.ts";
import { RelayExchange, type RelayHttp, wasClosed } from "./http.ts";
import { Retries } from "./retries.ts";
import { commandRefusal, type RelayAnswer } from "./wire.ts";

/** A command that the relay has not confirmed. */
export interface Command {
  readonly key: string;
  /** The other fields of the command, as the relay reads them. */
  readonly fields: Readonly<Record<string, Json>>;
  /** Resolves when the relay has accepted the command, or when it was dropped. Rejects if the relay refused it. */
  readonly answered: Deferred<void>;
  /** Whether the relay may have it. */
  wasTried: boolean;
  /** Whether nobody needs its answer any more. If it was not tried, it is not sent. */
  isDropped: boolean;
}

/** 408: the body of the command arrived too slowly. 400 without a code: it was cut on its way, before the relay. */
const isCut = ({ status, body }: RelayAnswer): boolean =>
  status === 408 || (status === 400 && body["code"] === undefined);

/**
 * Sends commands one after the other, so that the relay gets them in the order of the calls. A command without an
 * answer is sent again, with the same key.
 */
export class Commands {
  readonly #http: RelayHttp;
  readonly #waiting: () => number;
  readonly #onUnreachable: () => void;
  readonly #retries: Retries;
  readonly #queue = new Queue<Command>();
  #exchange: RelayExchange | undefined;
  #isRunning = false;
  #closed: AgentwireError | undefined;

  /**
   * @param waiting how many prompts wait, for the error of a full queue
   * @param onUnreachable a command did not reach the relay: its stream may be dead, though a proxy keeps it open
   */
  constructor(http: RelayHttp, waiting: () => number, onUnreachable: () => void) {
    this.#http = http;
    this.#waiting = waiting;
    this.#onUnreachable = onUnreachable;
    this.#retries = new Retries(http.settings.clock);
  }

  send(key: string, fields: Command["fields"]): Command {
    const command = { key, fields, answered: deferred<void>(), wasTried: false, isDropped: false };
    this.#queue.add(command);
    if (this.#closed) this.close(this.#closed);
    else if (!this.#isRunning) void this.#run();
    return command;
  }

  /** Tries again now, because the relay can be reached again. */
  hurry(): void {
    this.#retries.hurry();
  }

  close(reason: AgentwireError): void {
    this.#closed = reason;
    this.#exchange?.end();
    this.#retries.hurry();
    for (let next = this.#queue.take(); next; next = this.#queue.take()) {
      const delivery = next.wasTried ? "unknown" : "not-sent";
      next.answered.reject(Object.assign(copyError(reason), { delivery }));
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let first = this.#queue.first; first; first = this.#queue.first) {
      const end = first.isDropped ? undefined : await this.#post(first);
      if (this.#closed) return;
      if (typeof end === "number") {
        await this.#retries.wait(this.#retries.next(end).delay);
        continue;
      }
      this.#retries.forgive();
      this.#queue.take();
      if (end) first.answered.reject(end);
      else first.answered.resolve();
    }
    this.#isRunning = false;
  }

  /** Returns why the relay refused the command, or after which time in ms to try again at the earliest. */
  async #post(command: Command): Promise<AgentwireError | number | undefined> {
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
      const answer = await exchange.answer(response);
      const { status, retryAfter = 0 } = answer;
      if ((status === 202 || status === 200) && answer.body["key"] === key) return undefined;
      const isRefusal = status >= 400 && status < 500 && !isCut(answer);
      if (status >= 500 && answer.body["code"] === undefined) this.#onUnreachable(); // a proxy has answered
      return isRefusal ? commandRefusal(answer, this.#waiting()) : retryAfter;
    } catch (thrown) {
      if (command.isDropped) return undefined;
      const error = exchange.error(thrown);
      if (error.retryable && !this.#closed) this.#onUnreachable();
      return error.retryable ? 0 : Object.assign(error, { delivery: "unknown" }); // such as a `fetch` that does not exist
    } finally {
      exchange.end();
    }
  }
}
