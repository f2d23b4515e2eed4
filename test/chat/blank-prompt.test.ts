import { CassClient } from "agentwire/cass";
import { CodebuffClient } from "agentwire/codebuff";
import { CodebuffCli } from "agentwire/codebuff-cli";
import { CodeyClient } from "agentwire/codey";
import { expect, test } from "vitest";
import type { AnyAgentClient } from "../../src/core/client/any-client.ts";
import { describeError } from "../../src/universal/words/describe-error.ts";
import { Rig } from "./support/rig.ts";

const EMPTY = {
  title: "The message is empty",
  detail: "There is nothing to send. Write a message first.",
  retry: "no",
  code: "invalid-input",
};

const BLANK = ["", " \n", { text: "" }, { text: "\t" }];

test.each(BLANK)("a blank prompt %j sets a `problem` in words for the user", (blank) => {
  const rig = new Rig();
  expect(rig.chat.send(blank)).toMatchObject({ ok: false, error: { code: "invalid-input" } });
  expect(rig.now.problem).toMatchObject(EMPTY);
});

const url = "ws://127.0.0.1:1/";
/** A blank prompt is refused before anything is opened. */
const CLIENTS = {
  codebuff: () => new CodebuffClient({ url }),
  codey: () => new CodeyClient({ url }),
  cass: () => new CassClient({ url, token: "t" }),
  "codebuff-cli": () => new CodebuffCli(),
} satisfies Readonly<Record<string, () => AnyAgentClient>>;

test.each(Object.entries(CLIENTS))(
  "`describeError` uses the same words for the client of %s",
  async (_, make) => {
    const client = make();
    const told = BLANK.map((blank) => {
      try {
        return client.prompt(blank).id;
      } catch (error) {
        return describeError(error);
      }
    });
    expect(told).toEqual(BLANK.map(() => EMPTY));
    await client.close();
  },
);
