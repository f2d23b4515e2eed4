// How a server tells the driver of another process that somebody views the chat.
import { fieldsOf } from "../../core/checks.ts";
import type { RelaySettings } from "../options.ts";

const ATTENDED = { attended: true };

/** A key is of use while its call is repeated, in ms. Nobody repeats this call. */
const KEY_TTL = 1_000;

/** How often to tell it: a lost one or a late one must not count as an empty chat. */
export function attendEvery({ unattendedTimeout }: Pick<RelaySettings, "unattendedTimeout">): number {
  return unattendedTimeout > 0 ? unattendedTimeout / 3 : Infinity;
}

/** @throws what the log throws */
export async function tellAttended({ log, newId, maxQueued }: RelaySettings, id: string): Promise<void> {
  const key = newId("attended");
  await log.send(id, { key, kind: "control", value: ATTENDED }, key, { maxQueued, keyTtl: KEY_TTL });
}

/** Whether a value of the inbox tells it. */
export function isAttended(value: unknown): boolean {
  return fieldsOf(value)["attended"] === true;
}
