import { describe, expect, test } from "vitest";
import { END_WAYS, playEnd, STDIN_ENDS } from "./support/ends.ts";

// `npm run full -- acp-ends` plays every way with every habit of an agent.
describe.runIf(process.platform === "linux")("10 nothing of an agent is left, nor of its command", () => {
  test.each(END_WAYS)("after the end by %s: the command has a group of its own", async (way) => {
    const { before, left } = await playEnd({ way, stdinEnd: "commandInOwnGroup", sigterm: "leavesCommand" });
    expect(before).toBe(2);
    expect(left).toEqual([]);
  });

  test.each(STDIN_ENDS)(
    "after close(): an agent that %s at the end of stdin, and is deaf to SIGTERM",
    async (stdinEnd) => {
      const { left } = await playEnd({ way: "close", stdinEnd, sigterm: "ignored" });
      expect(left).toEqual([]);
    },
  );
});
