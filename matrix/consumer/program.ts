// The one program of the matrix: what a user relies on, in any runtime.
import type { Addresses } from "./addresses.ts";
import { chats } from "./chats.ts";
import { contract } from "./contract.ts";
import { links } from "./links.ts";
import { type Report, reportOf } from "./report.ts";
import { turns } from "./turns.ts";

export const program = (addresses: Addresses): Promise<Report> =>
  reportOf([...turns, ...chats, ...contract, ...links], addresses);
