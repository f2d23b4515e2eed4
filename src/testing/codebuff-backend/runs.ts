// The agent runs of the server.
import type { BackendRun, BackendStep } from "./record.ts";

export type OpenRun = { -readonly [Key in keyof Omit<BackendRun, "steps">]: BackendRun[Key] } & {
  readonly steps: BackendStep[];
  /** From its first chat call; null before. */
  clientId: string | null;
};

export class Runs {
  readonly #byId = new Map<string, OpenRun>();

  get all(): readonly OpenRun[] {
    return [...this.#byId.values()];
  }

  get(id: string): OpenRun | undefined {
    return this.#byId.get(id);
  }

  of(userId: string, id: string): OpenRun | undefined {
    const run = this.#byId.get(id);
    return run?.userId === userId ? run : undefined;
  }

  start(fields: Pick<OpenRun, "agentId" | "userId" | "ancestorRunIds" | "startedAt">): OpenRun {
    const run: OpenRun = {
      ...fields,
      id: crypto.randomUUID(),
      status: "running",
      chatCalls: 0,
      steps: [],
      finish: undefined,
      clientId: null,
    };
    this.#byId.set(run.id, run);
    return run;
  }

  clear(): void {
    this.#byId.clear();
  }
}
