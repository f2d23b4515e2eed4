// The state of the mock backend: users, runs, switches, the script.
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
  /** The number of answers so far: `gen-1`, `gen-2`. */
  generations = 0;
  /** The number of chat calls to the direct provider. */
  directCalls = 0;
  /** How often `latest` was fetched from the registry. */
  latestFetches = 0;

  /** @throws InvalidMockInput for invalid options */
  constructor(options: MockCodebuffBackendOptions) {
    checkMockNames(options, BACKEND_OPTIONS, "option");
    this.clock = options.clock ?? systemClock;
    this.startedAt = this.stamp();
    this.settings = backendSettings(options);
    for (const user of options.users ?? [{}]) this.users.add(user);
    this.model = new Model(options.answer ?? helloScript);
    this.#setFaultsOf(this.model.script);
  }

  /** The time in ISO 8601. @param later ms from now */
  stamp(later = 0): string {
    return new Date(this.clock.wallTime() + later).toISOString();
  }

  use(script: BackendScript): void {
    this.model = new Model(script);
    this.#setFaultsOf(script);
  }

  blame({ record }: Pick<Call, "record">, kind: BackendViolationKind, detail: string): void {
    if (!this.settings.strict) return;
    this.journal.add(this.journal.violations, { request: record, kind, detail });
  }

  /** Clears the records and restarts the script with its own faults. Users and switches stay. */
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

  /** Adds the faults that a script contains. */
  #setFaultsOf(script: BackendScript): void {
    if (typeof script !== "object" || !("faults" in script)) return;
    for (const [endpoint, faults] of Object.entries(script.faults ?? {}))
      for (const fault of faults) this.faults.add(endpoint as BackendEndpoint, fault);
  }
}
