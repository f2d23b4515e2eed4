import type { CodebuffCliOptions } from "agentwire/codebuff-cli";
import { FakeCodebuffCli, type FakeCodebuffScript } from "agentwire/testing";

/** A stand-in for the Codebuff CLI, which looks at two files, says so word by word, and changes nothing. */
export async function startFakeCodebuff(pace = 60): Promise<{
  /** What leads a client to it. */
  readonly options: CodebuffCliOptions;
  stop(): Promise<void>;
}> {
  const cli = await FakeCodebuffCli.start({ events: script(pace), sessionKey: "session_id" });
  return {
    options: {
      command: cli.command,
      args: cli.args,
      env: { ...cli.env, CODEBUFF_API_KEY: "" },
      homeDir: import.meta.dirname, // it needs no key, and gets none
    },
    stop: () => cli.stop(),
  };
}

function script(pace: number): FakeCodebuffScript {
  const paths = ["src/parser.ts", "test/parser.test.ts"];
  return [
    { type: "start", messageHistoryLength: 0, model: "none/fake" },
    ...inWords("Let me look at the parser and its test. ", pace),
    { type: "tool_call", toolCallId: "t1", toolName: "read_files", input: { paths } },
    { delayMs: 5 * pace },
    {
      type: "tool_result",
      toolCallId: "t1",
      toolName: "read_files",
      output: [{ type: "json", value: paths.map((path) => ({ path, content: "..." })) }],
    },
    ...inWords("The test expects a comma that the parser drops. This is a fake: nothing was changed.", pace),
    { type: "finish", totalCost: 3 },
  ];
}

function inWords(text: string, pace: number): FakeCodebuffScript {
  return text.split(/(?<= )/).flatMap((word) => [{ delayMs: pace }, word]);
}
