import type { CancelTimer } from "agentwire";
import {
  type AgentDefinition,
  CodebuffRun,
  type CodebuffRunEvent,
  type CodebuffRunOptions,
  type CodebuffRunResult,
  type ProtocolWarning,
  type Turn,
} from "agentwire/codebuff-run";
import { ManualClock, MockCodebuffBackend, type MockCodebuffBackendOptions } from "agentwire/testing";
import { expect } from "vitest";

export type RunTurn = Turn<CodebuffRunEvent, CodebuffRunResult>;

/** An agent with the least. */
export const AGENT: AgentDefinition = { id: "tester", displayName: "Tester", model: "openai/gpt-5-mini" };

/** An agent that may call these tools. */
export const agentWith = (...toolNames: string[]): AgentDefinition => ({ ...AGENT, toolNames });

/** A clock that stands, and tells when a timer is set. */
export class RunClock extends ManualClock {
  readonly #due = new Map<object, number>();
  readonly #told = new Set<() => void>();

  override setTimeout(callback: () => void, delay: number): CancelTimer {
    const key = {};
    const cancel = super.setTimeout(() => {
      this.#due.delete(key);
      callback();
    }, delay);
    this.#due.set(key, this.now() + delay);
    for (const tell of [...this.#told]) tell();
    return () => {
      this.#due.delete(key);
      cancel();
    };
  }

  /** Resolves when a timer will be due in `ms`. */
  armed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (![...this.#due.values()].includes(this.now() + ms)) return;
        this.#told.delete(look);
        resolve();
      };
      this.#told.add(look);
      look();
    });
  }
}

export interface World extends AsyncDisposable {
  readonly backend: MockCodebuffBackend;
  readonly client: CodebuffRun;
  readonly clock: RunClock;
  readonly warnings: readonly ProtocolWarning[];
  /** Another client of the same backend and clock. */
  another(options?: CodebuffRunOptions): CodebuffRun;
  /** Waits for a timer of `ms`, and lets that time pass. */
  pass(ms: number): Promise<void>;
  /** What was called, in order: `me`, `START`, `chat` and so on. */
  calls(): readonly string[];
  /** The bodies of the chat calls. */
  chats(): readonly ChatBody[];
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
  readonly codebuff_metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/**
 * A backend, and a client of it on a clock that stands. When its scope is left: the client is closed, no timer waits, the
 * backend has noted no mistake, and no run was left open.
 */
export async function runWorld(
  switches: MockCodebuffBackendOptions = {},
  options: CodebuffRunOptions = {},
): Promise<World> {
  const backend = await MockCodebuffBackend.start(switches);
  const clock = new RunClock({ random: 0, epoch: Date.UTC(2026, 2, 14, 10) });
  const clients: CodebuffRun[] = [];
  const another = (more: CodebuffRunOptions = {}): CodebuffRun => {
    const client = new CodebuffRun({
      apiKey: backend.apiKey,
      baseUrl: backend.url,
      agent: AGENT,
      clock,
      ...more,
    });
    clients.push(client);
    return client;
  };
  const client = another(options);
  const warnings: ProtocolWarning[] = [];
  client.on("protocolWarning", (warning) => warnings.push(warning));
  return {
    backend,
    client,
    clock,
    warnings,
    another,
    pass: async (ms) => {
      await clock.armed(ms);
      await clock.advance(ms);
    },
    calls: () => backend.requests().map(({ endpoint, action }) => action ?? endpoint ?? "unknown"),
    chats: () => backend.requests({ endpoint: "chat" }).map(({ body }) => body as ChatBody),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((each) => each.close()));
      const violations = backend.violations.map(({ kind, detail }) => `${kind}: ${detail}`);
      await backend.stop();
      expect(violations).toEqual([]);
      expect(clock.pending).toBe(0);
    },
  };
}

/** The events of a turn, read to its end; the failure that ends it too. */
export async function read(turn: RunTurn): Promise<readonly CodebuffRunEvent[]> {
  const events: CodebuffRunEvent[] = [];
  try {
    for await (const event of turn) events.push(event);
  } catch {
    await turn.outcome;
  }
  return events;
}

/** The types of events, in order. */
export const typesOf = (events: readonly CodebuffRunEvent[]): readonly string[] =>
  events.map(({ type }) => type);

/** The text of a message on the wire. */
export function textIn({ content }: WireMessage): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

/** A JSON result of a tool. */
export const json = (value: unknown) => [{ type: "json" as const, value }];
