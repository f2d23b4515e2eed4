// A turn on each backend that runs everywhere.
import { type AgentwireError, isAgentwireError, type TurnOutcome, type TurnResult } from "agentwire";
import { CassClient } from "agentwire/cass";
import { CodebuffClient } from "agentwire/codebuff";
import { CodebuffRun, openAiCompatible } from "agentwire/codebuff-run";
import { CodeyClient } from "agentwire/codey";
import { same, type Trial } from "./report.ts";

/** The error of a turn that has failed. */
export function errorOf(outcome: TurnOutcome<TurnResult>): AgentwireError {
  if (outcome.status !== "failed") throw new Error(`the turn ended as ${outcome.status}`);
  return outcome.error;
}

export const turns: readonly Trial[] = [
  {
    name: "an answer streams, and is the result",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const turn = client.prompt("Grüße \u{1f389}");
      const pieces: string[] = [];
      for await (const text of turn.textStream) pieces.push(text);
      same(pieces.length > 1, true);
      same([pieces.join(""), (await turn.result).text], Array(2).fill("You said: Grüße \u{1f389}"));
    },
  },
  {
    name: "2,000 pieces come in order",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      let text = "";
      for await (const piece of client.prompt("many").textStream) text += piece;
      same(text, Array.from({ length: 2_000 }, (_, piece) => `${piece} `).join(""));
    },
  },
  {
    name: "an approval is asked for: a tool runs if the user allows it, and is denied otherwise",
    async run({ codey }) {
      for (const [allows, answer] of [
        [true, "Let me look. One file."],
        [false, "Let me look. As you like."],
      ] as const) {
        const asked: string[] = [];
        await using client = new CodeyClient({
          url: codey,
          onToolApproval: ({ name }) => {
            asked.push(name);
            return allows;
          },
        });
        same((await client.prompt("What is here?").result).text, answer);
        same(asked, ["mcp_shell"]);
      }
    },
  },
  {
    name: "without a rule or a callback, a tool is denied",
    async run({ codey }) {
      await using client = new CodeyClient({ url: codey });
      same((await client.prompt("What is here?").result).text, "Let me look. As you like.");
    },
  },
  {
    name: "a cancelled turn ends at once, and the client goes on",
    async run({ codey }) {
      await using client = new CodeyClient({ url: codey, onToolApproval: () => true });
      const turn = client.prompt("hang");
      for await (const _ of turn.textStream) break;
      const outcome = await turn.outcome;
      same([outcome.status, outcome.status === "cancelled" && outcome.by], ["cancelled", "user"]);
      same((await client.prompt("What is here?").result).text, "Let me look. One file.");
    },
  },
  {
    name: "a turn that fails has an error with its code",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const turn = client.prompt("fail");
      const error = errorOf(await turn.outcome);
      same([error.code, error.retryable], ["turn-failed", false]);
      same(error.message.includes("The model is away."), true);
      const thrown: unknown = await turn.result.catch((reason: unknown) => reason);
      same([isAgentwireError(thrown, "turn-failed"), thrown === error], [true, true]);
    },
  },
  {
    name: "Cass answers, with gestures",
    async run({ cass }) {
      await using client = new CassClient({ ...cass, auth: "message" });
      const { text, animations } = await client.prompt("Hello").result;
      same([text.trim(), animations.length], ["You said: Hello", 1]);
    },
  },
  {
    name: "a run streams from a model over `fetch`, and a cancel ends the request",
    async run({ model }) {
      await using client = new CodebuffRun({
        providers: [openAiCompatible({ baseUrl: model, model: "a-model" })],
        agent: { id: "helper", displayName: "Helper", model: "a-model" },
      });
      same((await client.prompt("Hello").result).text, "From a model \u{1f389}.");
      const turn = client.prompt("hang");
      for await (const text of turn.textStream) {
        same(text, "From ");
        break;
      }
      same((await turn.outcome).status, "cancelled");
    },
  },
];
