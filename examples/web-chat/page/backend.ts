import type { AgentSource } from "agentwire/universal";
import type { About } from "../about.ts";
import type { Login } from "./login.ts";

/** An agent that the page can talk with. */
export interface Backend extends About {
  /** The source of a chat without an account. */
  open(chat: string): AgentSource;
  /** The source of all chats of an account, where there are accounts. Rejects if the server refuses. */
  readonly logIn?: (login: Login) => Promise<AgentSource>;
}
