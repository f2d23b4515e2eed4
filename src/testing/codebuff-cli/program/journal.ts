// Writes the record of a run to its file.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeCodebuffRecord } from "../record.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Environment variables that are always recorded. */
const TOLD = /^(?:HOME|USERPROFILE|NO_COLOR|CODEBUFF_\w*)$/;
const KEY = "CODEBUFF_API_KEY";

export type Facts = Omit<
  FakeCodebuffRecord,
  "pid" | "startedAt" | "signals" | "grandchildren" | "stdoutBroken"
>;

/**
 * The record of a run, in a file that is always complete. Each change is written at once, because a killed process
 * cannot write any more.
 */
export class ProgramJournal {
  /** The name of the record file without extension; undefined without a record. */
  readonly id: string | undefined;
  readonly #path: string | undefined;
  readonly #started = performance.timeOrigin;
  #record: FakeCodebuffRecord;
  /** Called after each change of the file. */
  onChange: (() => void) | undefined;

  /** @param target a file, or an existing folder: then every run has its own file, sorted by time */
  constructor(target: string | undefined, facts: Facts) {
    const startedAt = Math.round(this.#started);
    const own = { pid: process.pid, startedAt, signals: [], grandchildren: [], stdoutBroken: false };
    this.#record = { ...facts, ...own };
    if (target === undefined) return;
    if (isFolder(target)) {
      const microseconds = Math.round((performance.timeOrigin + performance.now()) * 1000);
      this.id = `run-${microseconds}-${process.pid}`;
      this.#path = join(target, `${this.id}.json`);
    } else this.#path = target;
  }

  /** Writes the record for the first time. */
  begin(): void {
    this.add({});
  }

  get now(): number {
    return Math.round(performance.now());
  }

  get record(): FakeCodebuffRecord {
    return this.#record;
  }

  add(facts: Partial<FakeCodebuffRecord>): void {
    this.#record = { ...this.#record, ...facts };
    this.#write();
    this.onChange?.();
  }

  signal(signal: string): void {
    this.add({ signals: [...this.#record.signals, { signal, atMs: this.now }] });
  }

  #write(): void {
    if (this.#path === undefined) return;
    const half = `${this.#path}.${process.pid}.half`;
    writeFileSync(half, `${JSON.stringify(this.#record, null, 2)}\n`);
    renameSync(half, this.#path);
  }
}

function isFolder(path: string): boolean {
  if (/[\\/]$/.test(path)) mkdirSync(path, { recursive: true });
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The environment for the record: selected variables, without keys. */
export function toldEnvironment(more: readonly string[] = []): Readonly<Record<string, string>> {
  const key = process.env[KEY] ?? "";
  const hidden = (value: string) => (key === "" ? value : value.replaceAll(key, `sha256:${sha256(key)}`));
  const told = Object.entries(process.env).filter(([name]) => TOLD.test(name) || more.includes(name));
  return Object.fromEntries(told.map(([name, value = ""]) => [name, hidden(value)]));
}

/** The process group of this process. Node has no API for it. */
export function processGroup(): number | undefined {
  if (process.platform === "win32") return undefined;
  try {
    // After the name, which is in brackets and may contain anything: state, parent, group.
    const group = /^.*\) \S \d+ (\d+) /s.exec(readFileSync("/proc/self/stat", "utf8"))?.[1];
    if (group !== undefined) return Number(group);
  } catch {
    // macOS has no /proc.
  }
  try {
    // A group has its leader's pid as id. If a group with our pid exists, this process leads it.
    process.kill(-process.pid, 0);
    return process.pid;
  } catch {
    return undefined;
  }
}
