// A command of the screen.
import type { TerminalText } from "../../screens/words-terminal.ts";
import type { Choice } from "./completion.ts";
import type { Desk } from "./desk.ts";

/** A note for the user. `fix`: the text stays in the composer. Undefined: the effect shows itself. */
export type Done = string | { readonly fix: string } | undefined;

export interface ScreenCommand {
  readonly name: string;
  /** The words about it in `/help`. */
  readonly says: TerminalText;
  /** Its argument in `/help`. Absent: it takes none. */
  readonly argument?: TerminalText;
  /** The entries of the menu for its argument. Those of a promise are asked for once. */
  readonly choices?: (desk: Desk, argument: string) => readonly Choice[] | Promise<readonly Choice[]>;
  /** What an empty menu says. @default nothing fits */
  readonly none?: TerminalText;
  /** Whether the app and the agent have what it needs. @default always */
  readonly isOffered?: (desk: Desk) => boolean;
  /** Without an argument, a command with `choices` and `needsArgument` opens its menu instead. */
  readonly needsArgument?: true;
  readonly run: (desk: Desk, argument: string) => Done;
}
