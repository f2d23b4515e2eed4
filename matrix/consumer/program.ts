// The one program of the matrix: what a user relies on, in any runtime.
import type { Addresses } from "./addresses.ts";
import { chats } from "./chats.ts";
import { contract } from "./contract.ts";
import { links } from "./links.ts";
import { type Report, reportOf, type Trial } from "./report.ts";
import { turns } from "./turns.ts";

/** `more`: what only some runtimes can do. */
export const program = (addresses: Addresses, more: readonly Trial[] = []): Promise<Report> =>
  reportOf([...turns, ...chats, ...contract, ...links, ...more], addresses);
