import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Chat, createChat } from "agentwire/chat";
import { remote } from "agentwire/remote";
import { Child } from "./child.ts";

export const START: string = fileURLToPath(new URL("../../../examples/relay/start.ts", import.meta.url));

/** `examples/relay` in a process of its own. */
export class RelayChild extends Child {
  /** The link that it has printed. */
  url = "";

  /** @param folder where the chats and what Vite prepares are */
  static async started(folder: string, ...args: readonly string[]): Promise<RelayChild> {
    const program = new RelayChild(START, ["--port", "0", "--file", join(folder, "chats.sqlite"), ...args], {
      env: { AGENTWIRE_VITE_CACHE: join(folder, "cache") },
      limit: 50_000,
    });
    await program.until("q ends.");
    [program.url = ""] = /http:\S+/.exec(program.text) ?? [];
    return program;
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** The cookie that the link gives to a browser. */
  async cookie(): Promise<string> {
    const response = await fetch(this.url, { redirect: "manual" });
    return response.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  /** A new viewer of a chat. */
  async open(chat: string): Promise<Chat> {
    return createChat(
      remote({ url: `${this.origin}/chats`, chat, headers: { cookie: await this.cookie() } }),
    );
  }
}
