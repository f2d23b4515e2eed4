import { CodebuffCli, findCodebuffCredentials, listCodebuffChats } from "agentwire/codebuff-cli";
import { expect, vi } from "vitest";
import { cliWorld } from "../helpers/codebuff-cli.ts";
import { describe, test } from "./rows.ts";

const system = vi.hoisted(() => ({ homedir: (): string => "" }));
vi.mock("node:os", async (original) => ({ ...(await original<object>()), homedir: () => system.homedir() }));

describe("a user without a home folder", () => {
  test.each([
    [
      "5.10 HOME unset",
      () => {
        throw new Error("a system error: the user is not known");
      },
    ],
    ["5.10 HOME empty", () => ""],
  ])("%s: can prompt, and has no credentials file and no chats", async (_, homedir) => {
    system.homedir = homedir;
    await using at = await cliWorld({ requireKey: true });
    const client = new CodebuffCli({
      command: at.cli.command,
      args: at.cli.args,
      env: { ...at.cli.env, CODEBUFF_API_KEY: "hush-4f9b" },
    });
    expect((await client.prompt("hi").result).text).toBe("You said: hi");
    expect(client.credentials().findings.map(({ status }) => status)).toEqual([
      "none",
      "used",
      ...["missing", "missing", "missing"],
    ]);
    expect(client.credentials().findings.flatMap(({ path }) => path ?? [])).toEqual([]);
    await client.close();
    expect(findCodebuffCredentials({}, {}).credentials).toBeNull();
    expect(listCodebuffChats("/projects/shop")).toEqual([]);
  });
});
