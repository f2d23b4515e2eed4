// What the mock backend knows: users, runs, switches, the script.
import { type Clock, systemClock } from "../../core/clock.ts";
import { checkMockNames } from "../names.ts";
import type { Call } from "./call.ts";
import { Faults } from "./faults.ts";
import { BackendJournal } from "./journal.ts";
import { Model } from "./model.ts";
import type { MockCodebuffBackendOptions } from "./options.ts";
import type { BackendEndpoint, BackendViolationKind } from "./record.ts";
import { Runs } from "./runs.ts";
import { type BackendScript, helloScript } from "./script.ts";
import { BACKEND_OPTIONS, type BackendSettings, backendSettings } from "./settings.ts";
import { Users } from "./users.ts";

/** What the backend knows, without its port: users, runs, switches, the script, and what has happened. */
export class Backend {
  readonly clock: Clock;
  readonly journal = new BackendJournal();
  readonly users = new Users();
  readonly runs = new Runs();
  readonly faults = new Faults();
  /** ISO 8601. */
  readonly startedAt: string;
  settings: BackendSettings;
  model: Model;
  /** Answers so far: `gen-1`, `gen-2`. */
  generations = 0;
  /** Chat calls of direct providers. */
  directCalls = 0;
  /** How often `latest` of the registry was fetched. */
  latestFetches = 0;

  /** @throws InvalidMockInput for options that cannot be meant */
  constructor(options: MockCodebuffBackendOptions) {
    checkMockNames(options, BACKEND_OPTIONS, "option");
    this.clock = options.clock ?? systemClock;
    this.startedAt = this.stamp();
    this.settings = backendSettings(options);
    for (const user of options.users ?? [{}]) this.users.add(user);
    this.model = new Model(options.answer ?? helloScript);
    this.#setFaultsOf(this.model.script);
  }

  /** The time of day in ISO 8601. @param later ms from now */
  stamp(later = 0): string {
    return new Date(this.clock.wallTime() + later).toISOString();
  }

  use(script: BackendScript): void {
    this.model = new Model(script);
    this.#setFaultsOf(script);
  }

  /** Notes a mistake of the client. */
  blame({ record }: Pick<Call, "record">, kind: BackendViolationKind, detail: string): void {
    if (!this.settings.strict) return;
    this.journal.add(this.journal.violations, { request: record, kind, detail });
  }

  /** Forgets what has happened, and begins the script anew. Users and switches stay; of the faults, those of the script. */
  reset(): void {
    this.faults.clear();
    this.#setFaultsOf(this.model.script);
    this.runs.clear();
    this.model.reset();
    this.generations = 0;
    this.directCalls = 0;
    this.latestFetches = 0;
    this.journal.clear();
  }

  /** Faults that stand beside the answers of a script. */
  #setFaultsOf(script: BackendScript): void {
    if (typeof script !== "object" || !("faults" in script)) return;
    for (const [endpoint, faults] of Object.entries(script.faults ?? {}))
      for (const fault of faults) this.faults.add(endpoint as BackendEndpoint, fault);
  }
}
