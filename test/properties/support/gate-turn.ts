import { expect } from "vitest";
import { ConnectionLostError } from "../../../src/core/errors.ts";
import type { AskingTurn } from "../../../src/core/gate/open-request.ts";
import { LiveTurn } from "../../../src/core/turn/live-turn.ts";
import type { TurnResult } from "../../../src/core/turn/turn.ts";
import type { PendingRequest, TurnStatus } from "../../../src/core/values.ts";
import { SILENT_CLIENT } from "../../core/support/turns.ts";
import type { GateWorld } from "./gate-world.ts";

/** What one who listens to a turn has heard. */
interface Ear {
  readonly requests: string[];
  readonly states: Map<string, string>;
  status: TurnStatus | undefined;
}

/** A turn that counts its holds, with listeners that do what a life has for them. */
export class GateTurn implements AskingTurn {
  readonly live: LiveTurn<string, TurnResult>;
  readonly ears: Ear[] = [];
  holds = 0;
  readonly #world: GateWorld;
  readonly #withdrawAll: () => void;

  constructor(id: string, world: GateWorld, withdrawAll: () => void) {
    this.#world = world;
    this.#withdrawAll = withdrawAll;
    this.live = new LiveTurn<string, TurnResult>({
      id,
      said: {},
      input: "",
      host: {
        outbox: world.outbox,
        client: SILENT_CLIENT,
        clock: world.outbox.clock(world.clock),
        tellEvent: () => {},
        answeredWithin: () => false,
        listenerThrew: (error) => {
          if (!(error instanceof Error && error.message === "on purpose")) throw error;
        },
      },
      maxBufferedBytes: 100,
      read: true,
      maxTextBytes: 100,
      timeout: 0,
      idleTimeout: 0,
      signal: undefined,
      textOf: () => "",
      soFar: () => ({}),
      stop: () => {
        withdrawAll();
        if (world.setting.stopsAtOnce) this.live.stopped();
      },
      settled: () => {},
      repeatable: true,
      flow: undefined,
    });
  }

  get status(): TurnStatus {
    return this.live.status;
  }

  hold(): () => void {
    this.holds++;
    const release = this.live.hold();
    let held = true;
    return () => {
      this.#world.judge.must(() => expect(held, "a hold is released once").toBe(true));
      held = false;
      this.holds--;
      release();
    };
  }

  opened(request: PendingRequest): void {
    this.live.opened(request);
  }

  closed(id: string): void {
    this.live.closed(id);
  }

  /** Somebody begins to listen, now or late. */
  listen(): void {
    const ear: Ear = { requests: [], states: new Map(), status: undefined };
    this.ears.push(ear);
    const asked = ({ id }: { readonly id: string }): void => {
      this.#world.judge.must(() => {
        expect(this.#world.gate.isOpen(id), `${id} is open when the turn's listener is told`).toBe(true);
        expect(ear.requests, "nobody is told of a request twice").not.toContain(id);
      });
      ear.requests.push(id);
      this.#world.act("turn opened");
    };
    this.live.on("approval", asked);
    this.live.on("question", asked);
    this.live.on("toolCall", ({ id, state }) => {
      ear.states.set(id, state);
      this.#world.act("toolCall");
    });
    this.live.on("status", (status) => {
      ear.status = status;
      this.#world.act("status");
    });
  }

  end(how: "cancel" | "stopped" | "complete" | "fail"): void {
    if (how === "cancel") void this.live.cancel();
    else if (how === "stopped") this.live.stopped();
    else if (how === "complete") this.live.complete({ text: "" });
    else if (this.live.open) {
      this.live.fail(new ConnectionLostError("the link is lost"));
      this.#withdrawAll();
    }
  }
}
