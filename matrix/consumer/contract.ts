// The heart of `test/contract`, on one backend: what every client promises.
import { InvalidInputError, isAgentwireError } from "agentwire";
import { CodebuffClient } from "agentwire/codebuff";
import { same, type Trial, thrownBy } from "./report.ts";
import { errorOf } from "./turns.ts";

const codeOf = (error: unknown): string => (isAgentwireError(error) ? error.code : String(error));

export const contract: readonly Trial[] = [
  {
    name: "bad input is refused at once, with what to do",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const error = thrownBy(() => client.prompt(" "));
      same([codeOf(error), error instanceof InvalidInputError && error.hint !== ""], ["invalid-input", true]);
    },
  },
  {
    name: "an unknown option is refused, with a guess",
    async run({ codebuff }) {
      const error = thrownBy(() => new CodebuffClient({ url: codebuff, reconect: false } as never));
      same([codeOf(error), String(error).includes("`reconnect`")], ["invalid-input", true]);
    },
  },
  {
    name: "a late reader gets every piece",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const turn = client.prompt("Hello");
      await turn.result;
      let text = "";
      for await (const piece of turn.textStream) text += piece;
      same(text, "You said: Hello");
    },
  },
  {
    name: "a turn has one reader",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const turn = client.prompt("Hello");
      for await (const _ of turn);
      same(codeOf(thrownBy(() => turn.textStream[Symbol.asyncIterator]())), "already-consumed");
    },
  },
  {
    name: "a loop gets what listeners get, in the same order",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const turn = client.prompt("Hello");
      const [heard, read]: [unknown[], unknown[]] = [[], []];
      turn.on("event", (event) => void heard.push(event));
      for await (const event of turn) read.push(event);
      same(read, heard);
      same(read.length > 1, true);
    },
  },
  {
    name: "a listener that throws affects nothing, and causes a warning",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const warnings: string[] = [];
      client.on("protocolWarning", ({ kind }) => void warnings.push(kind));
      client.on("event", () => {
        throw new Error("a mistake of the app");
      });
      same((await client.prompt("Hello").result).text, "You said: Hello");
      same(warnings[0], "listener-threw");
    },
  },
  {
    name: "a signal that has aborted sends nothing",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const outcome = await client.prompt("Hello", { signal: AbortSignal.abort() }).outcome;
      same([outcome.status, client.status], ["cancelled", "idle"]);
    },
  },
  {
    name: "a signal cancels a turn, and its reason is the cause",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff, authToken: "a-token" });
      const controller = new AbortController();
      const turn = client.prompt("hang", { signal: controller.signal });
      const reason = new Error("the user left");
      let read = "";
      try {
        for await (const text of turn.textStream) {
          read += text;
          controller.abort(reason);
        }
      } catch (error) {
        same([codeOf(error), isAgentwireError(error) && error.cause === reason], ["turn-cancelled", true]);
      }
      const outcome = await turn.outcome;
      same(
        [read, outcome.status, outcome.status === "cancelled" && outcome.by],
        ["part", "cancelled", "signal"],
      );
    },
  },
  {
    name: "a turn that takes too long fails, with what had come",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const error = errorOf(await client.prompt("hang", { timeout: 300 }).outcome);
      same([error.code, error.partial?.text], ["turn-timeout", "part"]);
    },
  },
  {
    name: "`close()` ends all turns, and can be called twice",
    async run({ codebuff }) {
      const client = new CodebuffClient({ url: codebuff });
      const turns = [client.prompt("hang"), client.prompt("hang")];
      for await (const _ of turns[0]?.textStream ?? []) void client.close({ drainTimeout: 0 });
      await client.close();
      same([client.status, codeOf(thrownBy(() => client.prompt("Hello")))], ["closed", "closed"]);
      for (const turn of turns) same(errorOf(await turn.outcome).code, "closed");
    },
  },
  {
    name: "a conversation remembers",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const conversation = client.conversation();
      await conversation.prompt("Hello").result;
      const count = Number((await conversation.prompt("count").result).text);
      same(count > 1, true);
      same([...conversation.messages].length, 4);
    },
  },
  {
    name: "a prompt over the limit is refused at once",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff, maxSendBytes: 2_000 });
      same(codeOf(thrownBy(() => client.prompt("\u{1f389}".repeat(600)))), "payload-too-large");
    },
  },
  {
    name: "no log has a token",
    async run({ codebuff }) {
      const lines: string[] = [];
      const log = (...words: readonly unknown[]): void => void lines.push(words.map(String).join(" "));
      const logger = { debug: log, info: log, warn: log, error: log };
      await using client = new CodebuffClient({ url: codebuff, authToken: "sk-token", debug: true, logger });
      await client.prompt("Hello").result;
      same([lines.length > 3, lines.some((line) => line.includes("sk-token"))], [true, false]);
    },
  },
  {
    name: "50 turns at once each get their own answer",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const words = Array.from({ length: 50 }, (_, index) => `number ${index}`);
      const texts = await Promise.all(words.map(async (word) => (await client.prompt(word).result).text));
      same(
        texts,
        words.map((word) => `You said: ${word}`),
      );
    },
  },
];
