// The interface of both walkers, which resolve a path folder by folder.
import type { BigIntStats } from "node:fs";
import { Refusal, refuse } from "./refusal.ts";

/** Links in one path: the limit of Linux. A path with more links counts as a cycle. */
export const MAX_LINKS = 40;

/** A folder at or below the root. Its user closes it. */
export interface FolderHandle extends Disposable {
  /** The path for system calls: `${at}/${name}` is an entry. */
  readonly at: string;
  readonly path: string;
  again(): FolderHandle;
  /** Opens a subfolder; creates it if missing. Follows no link. */
  enter(name: string): FolderHandle;
  /** The target of the link `name`, relative to the root. @throws Refusal `outside` */
  target(name: string): string;
  /** Checks that the folder and its entry `name` did not change. @throws Refusal `changed` */
  confirm(name?: string, stats?: BigIntStats): void;
}

/** The deepest existing folder of a path, and the missing names. */
export interface Way {
  readonly place: FolderHandle;
  readonly missing: readonly string[];
}

/** Called for each folder from the root (empty path) on. Starts again at the root after a link. */
export type OnFolder = (at: string, path: string) => void;

/** Resolves paths below the root. Synchronous: system calls take µs, a thread switch ten times as long. */
export interface Walker extends Disposable {
  /** Follows links inside the root. @throws Refusal `outside`, `missing`, `not-a-folder`, `link`, `failed` */
  walk(path: string, onFolder?: OnFolder): Way;
}

export function leadsNowhere(path: string): Refusal {
  return refuse("missing", path, "goes through a link whose target is missing");
}

export function closed(path: string): Refusal {
  return new Refusal("failed", path, "The tools of this project directory are closed.");
}

export function namesOf(path: string): readonly string[] {
  return path === "" ? [] : path.split("/");
}
