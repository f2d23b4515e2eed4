import { MockCassServer } from "agentwire/testing";
import { answer } from "./topics.ts";

/** ms that a restart takes: long enough to see the page count down. */
const RESTART = 2_000;

/** The one who may log in. */
export const LOGIN = { email: "guest@example.com", password: "correct horse" };

/** A Cass that was written down beforehand. */
export interface LivelyMock {
  /** Its HTTP address. */
  readonly url: string;
  /** Every connection ends, and there is nobody for a while. Resolves when it is back; a second call joins the first. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function openMock(): Promise<LivelyMock> {
  // Whoever presses "Send again" means it.
  const server = await MockCassServer.start({ answer, basePath: "/cass", audio: "none", resends: true });
  const { userId } = server.addUser({ ...LOGIN, displayName: "Guest" });
  server.addConversation({ userId, title: "An older conversation" });
  let timer: NodeJS.Timeout | undefined;
  let back: Promise<void> | undefined;
  return {
    url: server.httpUrl,
    restart() {
      back ??= new Promise((resolve) => {
        server.refuseUpgrades(503);
        server.restart();
        timer = setTimeout(() => {
          server.refuseUpgrades(undefined);
          back = undefined;
          resolve();
        }, RESTART);
      });
      return back;
    },
    stop() {
      clearTimeout(timer);
      return server.stop();
    },
  };
}
