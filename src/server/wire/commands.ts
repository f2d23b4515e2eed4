// Takes commands: checks them, and puts them into the inbox of the log.
import type { CancelTimer } from "../../core/clock.ts";
import { Recent } from "../../core/recent.ts";
import type { Driver } from "../drive/driver.ts";
import type { Drivers } from "../drive/drivers.ts";
import type { RelayContext } from "../options.ts";
import { jsonAnswer, WireRefusal } from "./answers.ts";
import { readBody } from "./body.ts";
import {
  commandKind,
  type RelayCommand,
  readWireCommand,
  type StoredCommand,
  waitingIn,
  wishAction,
} from "./command.ts";
import type { ReadHost } from "./reads.ts";

export interface CommandRequestsHost extends ReadHost {
  readonly drivers: Drivers;
}

/** Keys whose commands this process has taken. Others are in the log. */
const REMEMBERED = 10_000;

const MINUTE = 60_000;

export class CommandRequests {
  readonly #host: CommandRequestsHost;
  readonly #taken = new Recent<string, true>(REMEMBERED);
  /** Commands of the running minute, by user. */
  readonly #counts = new Map<string, number>();
  #minute: CancelTimer | undefined;
  #minuteEnds = 0;

  constructor(host: CommandRequestsHost) {
    this.#host = host;
  }

  close(): void {
    this.#minute?.();
  }

  async take(request: Request, chat: string, context: RelayContext): Promise<Response> {
    const { settings, drivers } = this.#host;
    const body = await readBody(request, settings, settings.clock);
    const command = readWireCommand(body, settings);
    const user = await this.#host.authorize(request, chat, wishAction(command.wish));
    this.#count(user);
    const name = JSON.stringify([chat, user, command.key]);
    const isKnown = this.#taken.has(name);
    const early = await this.#judge(chat, command, isKnown);
    if (early) return early;
    const kept: StoredCommand = {
      at: new Date(settings.clock.wallTime()).toISOString(),
      by: user,
      wish: command.wish,
    };
    const hash = await hashOf([user, command.wish]);
    const kind = commandKind(command.wish);
    const { maxQueued, keyTtl } = settings;
    const sent = await settings.log.send(chat, { key: command.key, kind, value: kept }, hash, {
      maxQueued,
      keyTtl,
    });
    switch (sent) {
      case "key-reused":
        throw new WireRefusal(
          422,
          "key-reused",
          "Another command had this key. Make a new key for each command.",
        );
      case "full":
        throw new WireRefusal(
          429,
          "queue-full",
          `${maxQueued} commands wait already.`,
          {},
          { "Retry-After": "5" },
        );
      case "new":
      case "again":
        break;
      default:
        sent satisfies never;
    }
    this.#taken.set(name, true);
    const driven = drivers.want(chat);
    this.#host.background(driven);
    this.#keepAlive(driven, context);
    return jsonAnswer(202, { key: command.key, again: sent === "again" });
  }

  /** What this process knows without the driver. A repeated command is left to the log. */
  async #judge(chat: string, command: RelayCommand, isKnown: boolean): Promise<Response | undefined> {
    const { key, wish, refusesBusy } = command;
    const driver = this.#host.drivers.get(chat);
    const { log } = this.#host.settings;
    switch (wish.type) {
      case "decide":
      case "answer": {
        const id = wish.type === "decide" ? wish.permission_id : wish.question_id;
        return driver && !driver.isEnding ? judgeReply(driver, id, wish.session_id, key) : undefined;
      }
      case "withdraw":
      case "edit_queued":
      case "move_queued":
      case "send_now": {
        if (isKnown || (await this.#waits(chat, wish.target))) return undefined;
        throw settled("This prompt does not wait any more.");
      }
      case "cancel": {
        if (isKnown || !driver || driver.isEnding) return undefined;
        const { turn } = driver.requests;
        const { target } = wish;
        const isRunning =
          typeof target === "string"
            ? driver.prompts.active?.key === target ||
              turn?.prompt === target ||
              (await this.#waits(chat, target))
            : turn?.turn_id === target.turn_id && turn.session_id === target.session_id;
        if (isRunning) return undefined;
        throw settled("This turn does not run any more.");
      }
      case "prompt": {
        if (isKnown) return undefined;
        assertTakes(driver, wish.input);
        if (!refusesBusy) return undefined;
        const channel = this.#host.channel(chat);
        const isBusy = driver?.isBusy || channel.shown.busy || waitingIn(await log.queue(chat)).length > 0;
        this.#host.tidy(channel);
        if (isBusy) throw new WireRefusal(409, "busy", "A turn runs, or another prompt waits.");
        return undefined;
      }
      case "edit":
        assertTakes(driver, wish.input);
        assertBranches(driver);
        return undefined;
      case "regenerate":
      case "select_branch":
        assertBranches(driver);
        return undefined;
      case "set_mode":
        assertChoice(driver, "modes", wish.id);
        return undefined;
      case "set_model":
        assertChoice(driver, "models", wish.id);
        return undefined;
      case "resume":
      case "revoke":
        return undefined;
      default:
        return wish satisfies never;
    }
  }

  async #waits(chat: string, target: string): Promise<boolean> {
    const queue = await this.#host.settings.log.queue(chat);
    return waitingIn(queue).some(({ key }) => key === target);
  }

  /** @throws WireRefusal `rate` */
  #count(user: string): void {
    const { clock, maxCommands } = this.#host.settings;
    if (!this.#minute) {
      this.#minuteEnds = clock.now() + MINUTE;
      const end = (): void => {
        this.#minute = undefined;
        this.#counts.clear();
      };
      this.#minute = clock.setTimeout(end, MINUTE, { unref: true });
    }
    const count = (this.#counts.get(user) ?? 0) + 1;
    if (count > maxCommands) {
      const wait = Math.max(1, Math.ceil((this.#minuteEnds - clock.now()) / 1_000));
      throw new WireRefusal(
        429,
        "rate",
        `More than ${maxCommands} commands in a minute.`,
        {},
        {
          "Retry-After": String(wait),
        },
      );
    }
    this.#counts.set(user, count);
  }

  #keepAlive(driven: Promise<Driver | undefined>, context: RelayContext): void {
    const keeper = context.waitUntil ? context : this.#host.settings;
    if (!keeper.waitUntil) return;
    const ended = driven.then((driver) => {
      driver?.beShort();
      return driver?.ended;
    });
    keeper.waitUntil(ended);
  }
}

function judgeReply(driver: Driver, id: string, session: string, key: string): Response | undefined {
  const status = driver.requests.statusOf(id, session, key);
  switch (status) {
    case "open":
      return undefined;
    case "done":
      return jsonAnswer(200, { key, done: true });
    case "settled":
      throw settled("Another decision came first.");
    case "unknown":
      throw new WireRefusal(409, "stale-request", "This request is unknown here, or its session has ended.");
    default:
      return status satisfies never;
  }
}

function assertTakes(driver: Driver | undefined, input: unknown): void {
  if (typeof input === "string" || driver?.chat?.getSnapshot().capabilities?.images !== false) return;
  throw new WireRefusal(400, "unsupported", "This agent takes no images.");
}

function assertBranches(driver: Driver | undefined): void {
  if (driver?.chat?.getSnapshot().capabilities?.branches !== false) return;
  throw new WireRefusal(400, "unsupported", "This agent cannot go back to an earlier message.");
}

/** Checks what this process knows of the agent. */
function assertChoice(driver: Driver | undefined, what: "modes" | "models", id: string): void {
  const { capabilities, [what]: choice } = driver?.chat?.getSnapshot() ?? {};
  if (capabilities?.[what] === false)
    throw new WireRefusal(400, "unsupported", `This agent has no ${what} that can be set.`);
  if (choice && !choice.available.some((each) => each.id === id))
    throw new WireRefusal(400, "invalid-input", `\`id\` is none of the agent's ${what}.`);
}

function settled(message: string): WireRefusal {
  return new WireRefusal(409, "settled", message);
}

/** SHA-256 of JSON with sorted names, in hexadecimal. */
async function hashOf(value: unknown): Promise<string> {
  const json = JSON.stringify(value, (_, field: unknown) =>
    typeof field === "object" && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([one], [other]) => (one < other ? -1 : 1)))
      : field,
  );
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(json)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
