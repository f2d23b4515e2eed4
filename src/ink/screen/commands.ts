// Parses what the user types: prompts, and commands such as `/help` and `!ls`.

export type Input =
  | { readonly type: "blank" }
  | { readonly type: "prompt"; readonly text: string }
  /** A command for this machine. */
  | { readonly type: "local"; readonly command: string }
  | { readonly type: "help" | "retry" | "again" | "send" | "quit" | "dismiss" }
  | { readonly type: "unknown"; readonly name: string };

/** `/name` is a command of the screen, `!` begins one of this machine. `/etc/hosts` is a prompt. */
export function readInput(text: string): Input {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "!") return { type: "blank" };
  if (trimmed.startsWith("!")) return { type: "local", command: trimmed.slice(1).trim() };
  const name = /^\/([a-z?-]+)$/i.exec(trimmed)?.[1]?.toLowerCase();
  switch (name) {
    case undefined:
      return { type: "prompt", text };
    case "help":
    case "retry":
    case "again":
    case "send":
    case "quit":
    case "dismiss":
      return { type: name };
    default:
      return { type: "unknown", name: `/${name}` };
  }
}

/** @param canRun whether `!command` is available */
export function helpOf(canRun: boolean): string {
  return canRun ? `${HELP}\n${LOCAL_HELP}` : HELP;
}

const HELP = `Enter sends; while an answer comes, the prompt waits. Alt-Enter, Ctrl-J, or a backslash and Enter begin a new line.
Esc cancels the answer; prompts that wait are sent. In a question it goes back. Ctrl-C clears the line; otherwise it cancels the answer
and all prompts that wait; otherwise it leaves. Ctrl-D leaves.
Up and Down go through your prompts. Ctrl-A, E, K, U, W, Y edit as in a shell.
Ctrl-R shows or folds the reasoning from now on. Ctrl-O shows in full what was folded last.
/retry sends the last prompt again. /again asks for another answer in place of the last one, where the agent can go back; files that were
changed stay changed. /send sends the prompts that waited when an earlier chat ended. /dismiss takes an error away. /quit leaves.`;

const LOCAL_HELP = "!command runs on this machine; the next prompt includes its output.";
