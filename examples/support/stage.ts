import { styleText } from "node:util";

/** Where the demo is shown. */
export interface Stage {
  write(text: string): void;
  line(text?: string): void;
  note(text: string): void;
}

/** Who speaks in a line, at its beginning. */
export function label(who: "you" | "agent"): string {
  return who === "you" ? `${styleText("cyan", "you")}    ` : `${styleText("green", "agent")}  `;
}
