// The types of the table of backends: a row, and what a source is made of.
import type { ToolRule } from "../core/index.ts";
import type { AgentSource } from "../universal/index.ts";
import type { OptionRow } from "./command.ts";
import type { Given } from "./given.ts";
import type { Undo } from "./undo.ts";

/** A secret of a backend. It comes from a variable of the environment, or from a prompt without echo. */
export interface SecretRow {
  readonly variable: string;
  /** The name of the secret, for the prompt. */
  readonly label: string;
  /** Whether the backend cannot do without it, with these options. */
  readonly isNeeded: (given: Given) => boolean;
  /** How these options would do without it. Empty: not at all. */
  readonly without?: (given: Given) => string;
}

/** What a source is made of. */
export interface Opening {
  readonly given: Given;
  /** The second word behind `chat` or `serve`, if there is one. */
  readonly agent: string | undefined;
  /** What stands behind `--`. */
  readonly rest: readonly string[];
  readonly secret: string | undefined;
  /** Rules that decide without the user. */
  readonly rules: readonly ToolRule[];
  /** The id of the chat, for a backend that keeps chats. */
  readonly chat: string;
  /** The arguments of the program. */
  readonly argv: readonly string[];
}

export interface OpenedBackend {
  /** Makes a source: one for each chat. */
  readonly source: () => AgentSource;
  /** The folder that the agent works in. */
  readonly folder?: string;
  /** Takes back the files of the last turn that changed some, where the tools of the folder are the program's. */
  readonly undo?: Undo;
  /** Ends what stands behind the sources. */
  readonly close?: () => Promise<void>;
}

export interface BackendRow {
  readonly name: string;
  readonly about: string;
  readonly options: readonly OptionRow[];
  readonly secret?: SecretRow;
  /** What a second word, and the words behind `--`, are; absent: there may be none. */
  readonly words?: string;
  /** Whether this backend asks before it uses a tool. Without it, `--allow` and `--deny` would do nothing. */
  readonly asks: boolean;
  /** Where its chats are kept: in the folder of the program, by the server, or nowhere unless a session is named. */
  readonly keeps: "folder" | "server" | "named";
  /** Loads the client, and makes sources of it. */
  readonly open: (opening: Opening) => Promise<OpenedBackend>;
}
