import { fileURLToPath } from "node:url";
import { Child } from "./child.ts";

const PROGRAM = fileURLToPath(new URL("../../../examples/codey-chat.ts", import.meta.url));

/** `examples/codey-chat.ts` in a process of its own. */
export class ChatChild extends Child {
  constructor(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    super(PROGRAM, args, { env });
  }
}
