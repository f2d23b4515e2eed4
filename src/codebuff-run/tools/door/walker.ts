// How a path is walked folder by folder, as an interface of both walkers.
import type { BigIntStats } from "node:fs";
import { shown } from "./paths.ts";
import { Refusal } from "./refusal.ts";

/** Links on the way of one path: the limit of Linux. More are taken for a circle. */
export const MAX_LINKS = 40;

/** A folder below the root, or the root. Closed once by its user. */
export interface Place extends Disposable {
  /** What the system's calls are given: `${at}/${name}` is an entry. */
  readonly at: string;
  /** Relative to the root, without links. */
  readonly path: string;
  /** The same folder, opened once more. */
  again(): Place;
  /** Opens a folder in it, and makes it before if there is none. Follows no link. */
  enter(name: string): Place;
  /** What the link `name` leads to, relative to the root. @throws Refusal `outside` */
  target(name: string): string;
  /** Looks again whether the folder is where it was, and its entry `name` is the file of `stats`. @throws Refusal `changed` */
  confirm(name?: string, stats?: BigIntStats): void;
}

/** The folders that exist on the way of a path, and the names that follow. */
export interface Way {
  readonly place: Place;
  readonly missing: readonly string[];
}

/** Called for each folder on the way. A way begins at the root, whose path is empty; it may begin again at a link. */
export type OnFolder = (at: string, path: string) => void;

/** Finds folders and lets none be outside of the root. Synchronous: each call of the system takes a few µs, a trip to a thread ten times as long. */
export interface Walker extends Disposable {
  /** Follows links that stay inside. @throws Refusal `outside`, `missing` (a link to nothing), `not-a-folder`, `link`, `failed` */
  walk(path: string, onFolder?: OnFolder): Way;
}

export function leadsNowhere(path: string): Refusal {
  return new Refusal("missing", path, `Path ${shown(path)} goes through a link to nothing.`);
}

export function closed(path: string): Refusal {
  return new Refusal("failed", path, "The tools of this project directory are closed.");
}

export function namesOf(path: string): readonly string[] {
  return path === "" ? [] : path.split("/");
}
