import { readFile } from "node:fs/promises";
import { MockAcpAgent, type MockAcpOptions } from "agentwire/testing";
import { expect, test } from "vitest";
import { acpAgent, acpProgram } from "../../docs/snippets/testing.ts";
import { capturedOutput } from "../helpers/captured-output.ts";
import { RawAcp } from "../testing/acp/raw-client.ts";

const output = capturedOutput();

test("the ACP agent of docs/testing.md asks, runs as a program, and records both", async () => {
  await using agent = acpAgent();
  let client: RawAcp | undefined;
  let response: Promise<unknown> | undefined;
  await acpProgram(agent, async (program) => {
    client = RawAcp.spawn(program);
    await client.initialize();
    await client.newSession();
    response = client.prompt("hello");
    client.decide(await client.nextRequest("session/request_permission"), "allow_once");
  });
  await response;

  expect(client?.updates.at(-1)).toBe('"One file."');
  expect(output.logged).toMatchObject([
    [0, "session/request_permission", [{}, {}, {}]],
    [{ result: { outcome: { outcome: "selected", optionId: "proceed_once" } } }],
    [[], []],
  ]);
});

test("docs/testing.md names every option of the ACP agent", async () => {
  const page = await readFile(new URL("../../docs/testing.md", import.meta.url), "utf8");
  const section = page.slice(page.indexOf("## MockAcpAgent"), page.indexOf("## MockAgent"));
  const refusal = (() => {
    try {
      return new MockAcpAgent({ xxxxxxxxxxxxxxxx: 1 } as MockAcpOptions);
    } catch (error) {
      return String(error);
    }
  })();
  const names = /These exist: (.*)\./.exec(String(refusal))?.[1]?.split(", ") ?? [];

  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(`\`${name}[\`:]`).test(section))).toEqual([]);
});
