// What happens to links: refused, cut, full of garbage, too large.
import { isAgentwireError } from "agentwire";
import { CodebuffClient } from "agentwire/codebuff";
import { CodeyClient } from "agentwire/codey";
import { same, type Trial } from "./report.ts";
import { errorOf } from "./turns.ts";

export const links: readonly Trial[] = [
  {
    name: "where nobody listens, the error says so, and that nothing was sent",
    async run({ nobody }) {
      await using client = new CodebuffClient({ url: nobody, reconnect: false });
      const error = errorOf(await client.prompt("Hello").outcome);
      same([error.code, error.delivery, error.retryable], ["connect-failed", "not-sent", true]);
    },
  },
  {
    name: "a turn on a link that is cut fails, and says that it may have been done",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff, reconnect: { minDelay: 10 } });
      const error = errorOf(await client.prompt("cut").outcome);
      same([error.code, error.delivery, error.partial?.text], ["connection-lost", "unknown", "part"]);
      same((await client.prompt("Hello").result).text, "You said: Hello");
    },
  },
  {
    name: "a link that comes back tells each step",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff, reconnect: { minDelay: 10 } });
      const told: string[] = [];
      for (const name of ["disconnected", "reconnecting", "reconnected"] as const)
        client.on(name, () => void told.push(name));
      const back = new Promise<void>((resolve) => void client.on("reconnected", () => resolve()));
      await client.prompt("cut").outcome;
      await back;
      same(told, ["disconnected", "reconnecting", "reconnected"]);
    },
  },
  {
    name: "a frame that cannot be read is a warning, and affects no turn",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff });
      const warnings: string[] = [];
      client.on("protocolWarning", ({ kind }) => void warnings.push(kind));
      same((await client.prompt("garbage").result).text, "fine");
      same(warnings.length, 1);
    },
  },
  {
    name: "a frame over the limit ends the link, and not the program",
    async run({ codebuff }) {
      await using client = new CodebuffClient({ url: codebuff, maxReceiveBytes: 100_000, reconnect: false });
      same(isAgentwireError(errorOf(await client.prompt("huge").outcome)), true);
    },
  },
  {
    name: "`connect()` gets ready, and `close()` says goodbye",
    async run({ codey }) {
      const client = new CodeyClient({ url: codey });
      const states: string[] = [];
      client.on("status", (status) => void states.push(status));
      await client.connect();
      same(client.status, "ready");
      await client.close();
      same([states[0], states.at(-1)], ["connecting", "closed"]);
    },
  },
];
