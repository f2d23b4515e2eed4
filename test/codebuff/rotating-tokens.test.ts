import { CodebuffClient, newSessionState } from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";
import { expect, test } from "vitest";
import { gate } from "../helpers/codebuff.ts";

const token = (n: number): string => `hush-${String(n).padStart(4, "0")}`;

/** What an error says of a token that a server repeats, with the tokens of 40 other prompts in between. */
async function wordsAbout(place: "prompt" | "client" | "init"): Promise<string> {
  const { passed, open } = gate();
  await using server = await MockCodebuffServer.start({
    profile: "codebuff",
    heartbeat: false,
    answer: async function* ({ messages }) {
      if (!JSON.stringify(messages).includes("first")) {
        yield "ok";
        return;
      }
      await passed;
      yield step.promptError({ message: `refused: ${token(0)}` });
    },
  });
  await using client = new CodebuffClient({
    url: server.url,
    settleWindow: 0,
    ...(place === "client" ? { authToken: token(0) } : {}),
  });
  const authToken = place === "prompt" ? token(0) : "another-token";
  if (place === "init")
    await client.init({ fileContext: newSessionState().fileContext, authToken: token(0) });
  const first = client.prompt({ prompt: "first", ...(place === "client" ? {} : { authToken }) });
  for (let n = 1; n <= 40; n++) await client.prompt({ prompt: "next", authToken: token(n) }).result;
  open();
  const outcome = await first.outcome;
  return outcome.status === "failed" ? outcome.error.message : outcome.status;
}

test.each(["prompt", "client", "init"] as const)(
  "the token of the %s is redacted while it is in use, even after 40 other tokens",
  async (place) => {
    expect(await wordsAbout(place)).toContain("refused: [redacted]");
  },
);
