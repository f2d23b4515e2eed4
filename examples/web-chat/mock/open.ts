import { MockCassServer, MockCodebuffServer, MockCodeyServer } from "agentwire/testing";
import type { Servers } from "../serve.ts";
import { answer } from "./cass-topics.ts";
import { codebuffAnswer } from "./codebuff-answer.ts";
import { codeyAnswer } from "./codey-answer.ts";

/** ms that a restart takes: long enough to see the page count down. */
const RESTART = 2_000;

/** The one who may log in to the mock of Cass. */
export const LOGIN = { email: "guest@example.com", password: "correct horse" };

/** A server for each backend, whose answers were written down beforehand. */
export interface LivelyMocks {
  readonly servers: Required<Servers>;
  /** Every connection ends, and there is nobody for a while. Resolves when all are back; a second call joins the first. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function openMocks(): Promise<LivelyMocks> {
  const codebuff = await MockCodebuffServer.start({ profile: "codebuff", answer: codebuffAnswer });
  // The real server answers no Close, which takes a second.
  const codey = await MockCodeyServer.start({ answer: codeyAnswer, closeReply: true });
  // Whoever presses "Send again" means it.
  const cass = await MockCassServer.start({ answer, basePath: "/cass", audio: "none", resends: true });
  cass.addUser({ ...LOGIN, displayName: "Guest" });
  const all = [codebuff, codey, cass];
  let timer: NodeJS.Timeout | undefined;
  let back: Promise<void> | undefined;
  return {
    servers: { codebuff: codebuff.url, codey: codey.url, cass: cass.httpUrl },
    restart() {
      back ??= new Promise((resolve) => {
        for (const server of all) server.refuseUpgrades(503);
        codebuff.dropAll();
        codey.dropAll();
        cass.restart();
        timer = setTimeout(() => {
          for (const server of all) server.refuseUpgrades(undefined);
          back = undefined;
          resolve();
        }, RESTART);
      });
      return back;
    },
    async stop() {
      clearTimeout(timer);
      await Promise.all(all.map((server) => server.stop()));
    },
  };
}
