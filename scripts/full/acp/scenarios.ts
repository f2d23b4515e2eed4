import { once } from "node:events";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  AcpClient,
  AcpConversation,
  AcpEvent,
  AcpOptions,
  AcpResult,
  ApprovalOptions,
  Turn,
} from "agentwire/acp";
import { nodeTools } from "agentwire/codebuff-run/tools";
import type { ScriptedModel, Scripts } from "./model.ts";
import { processesOf } from "./processes.ts";

const MARKER = "command-that-was-running";

/** The prompts of the scenarios, as the model answers them. */
export const SCRIPTS: Scripts = {
  text: [[{ text: ["Hello ", "from the model."] }]],
  shell: [
    [{ text: ["I run it."] }, { action: "shell", command: "touch ran.txt && echo done" }],
    [{ text: ["After the call."] }],
  ],
  twice: [
    [{ action: "shell", command: "echo x >> twice.txt && echo done" }],
    [{ action: "shell", command: "echo x >> twice.txt && echo done" }],
    [{ text: ["After both calls."] }],
  ],
  edit: [
    [{ action: "read", file: "a.txt" }],
    [{ action: "edit", file: "a.txt", old: "Hello, wrld!", new: "Hello, world!" }],
    [{ text: ["Edited."] }],
  ],
  silent: [[{ hold: true }]],
  slow: [[{ text: Array.from({ length: 400 }, (_, at) => `word${at} `), gap: 100 }]],
  sleep: [
    [{ text: ["I wait."] }, { action: "shell", command: `touch started.txt && sleep 300 ; echo ${MARKER}` }],
    [{ text: ["It is over."] }],
  ],
  first: [[{ text: Array.from({ length: 10 }, () => "one "), gap: 50 }]],
  second: [[{ text: ["two"] }]],
};

/** What a scenario has to work with. */
export interface Stage {
  readonly model: ScriptedModel;
  /** Each scenario has a project of its own. */
  readonly project: string;
  /** A client of the agent. It is closed after the scenario. */
  open(options?: StageOptions): AcpClient;
  /** Waits until another process can continue a session. */
  keepsSession(): Promise<unknown>;
  /** The kinds of options that the client has chosen in permission requests, or `cancelled`. */
  readonly chosen: readonly string[];
  /** The methods of the agent's requests, each once. */
  readonly requested: ReadonlySet<string>;
}

export type StageOptions = ApprovalOptions & Pick<AcpOptions, "files">;

export interface Scenario {
  readonly name: string;
  /** Returns what the agent did, in a word or two. @throws Error if the client or the agent has failed */
  play(stage: Stage): Promise<string>;
}

const prompt = (name: string): string => `[[${name}]] Do as the script says.`;

function check(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(words);
}

async function resultOf(turn: Turn<AcpEvent, AcpResult>): Promise<AcpResult> {
  const outcome = await turn.outcome;
  if (outcome.status === "completed") return outcome.result;
  throw outcome.status === "failed" ? outcome.error : new Error(`the turn was cancelled by ${outcome.by}`);
}

async function saysHello(conversation: AcpConversation): Promise<AcpResult> {
  const result = await resultOf(conversation.prompt(prompt("text")));
  check(result.text.includes("Hello from the model."), `the text is ${JSON.stringify(result.text)}`);
  return result;
}

/** Runs the script `shell`, with one decision. */
async function shell({ open, project }: Stage, decision: "once" | "reject") {
  let asked = 0;
  const client = open({
    onToolApproval: () => {
      asked++;
      return decision;
    },
  });
  const result = await resultOf(client.prompt(prompt("shell")));
  return { result, asked, hasRun: existsSync(join(project, "ran.txt")) };
}

const SCENARIOS_OF_ONE_TURN: readonly Scenario[] = [
  {
    name: "text",
    play: async ({ open }) => {
      await saysHello(open().conversation());
      return "ok";
    },
  },
  {
    name: "allow",
    play: async (stage) => {
      const { asked, hasRun, result } = await shell(stage, "once");
      check(
        hasRun,
        `the command did not run; asked ${asked} times; the text is ${JSON.stringify(result.text)}`,
      );
      if (asked === 0) return "not asked";
      check(stage.chosen.join() === "allow_once", `the answers are ${stage.chosen}`);
      check(
        result.toolCalls.some(({ state }) => state === "done"),
        "no call is done",
      );
      return "ok";
    },
  },
  {
    name: "reject",
    play: async (stage) => {
      const { asked, hasRun, result } = await shell(stage, "reject");
      check(asked === 0 || !hasRun, "the command has run in spite of the reject");
      if (asked === 0) return hasRun ? "not asked" : "not asked, did not run";
      check(
        result.toolCalls.some(({ state }) => state === "denied"),
        "no call is denied",
      );
      if (result.stopReason === "cancelled") return "cancels the turn";
      return result.text.includes("After") ? "ok, goes on" : "ends the turn";
    },
  },
  {
    name: "always",
    play: async ({ open, project, chosen }) => {
      let asked = 0;
      const client = open({
        onToolApproval: () => {
          asked++;
          return "always";
        },
      });
      await resultOf(client.prompt(prompt("twice")));
      const file = join(project, "twice.txt");
      const runs = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
      check(runs === 2, `the command ran ${runs} times; the answers are ${chosen}`);
      if (chosen.length === 0) return "not asked";
      check(
        chosen.every((kind) => kind === "allow_once"),
        `the answers are ${chosen}`,
      );
      return asked === 1 ? "ok" : `asked ${asked} times`;
    },
  },
  {
    name: "edit",
    play: async ({ open, project }) => {
      const file = join(project, "a.txt");
      writeFileSync(file, "Hello, wrld!\nA second line.\n");
      let previews = 0;
      let asked = 0;
      const client = open({
        onToolApproval: ({ preview }) => {
          asked++;
          previews += preview?.length ?? 0;
          return "once";
        },
      });
      const turn = client.prompt(prompt("edit"));
      let diffs = 0;
      turn.on("event", (event) => {
        if (event.type === "tool_call" && event.call.content?.some(({ type }) => type === "diff")) diffs++;
      });
      await resultOf(turn);
      const text = readFileSync(file, "utf8");
      check(text === "Hello, world!\nA second line.\n", `the file is ${JSON.stringify(text)}`);
      if (asked === 0) return diffs > 0 ? "not asked, diff" : "not asked, no diff";
      return previews > 0 ? "ok" : diffs > 0 ? "diff afterwards" : "no diff";
    },
  },
];

const FILES: Scenario = {
  name: "with `files`",
  play: async ({ open, project, requested }) => {
    const file = join(project, "a.txt");
    writeFileSync(file, "Hello, wrld!\nA second line.\n");
    let asked = 0;
    const client = open({
      files: nodeTools({ root: project, terminal: true }),
      onToolApproval: () => {
        asked++;
        return "once";
      },
    });
    const conversation = client.conversation();
    await resultOf(conversation.prompt(prompt("shell")));
    check(existsSync(join(project, "ran.txt")), "the command did not run");
    const forCommand = asked;
    await resultOf(conversation.prompt(prompt("edit")));
    const text = readFileSync(file, "utf8");
    check(text === "Hello, world!\nA second line.\n", `the file is ${JSON.stringify(text)}`);
    const forEdit = asked - forCommand;
    const used = ["fs/write_text_file", "terminal/create"].filter((method) => requested.has(method));
    const how = used.length === 0 ? "does it itself" : used.join(", ");
    return forCommand > 1 || forEdit > 1 ? `${how}; asked ${forCommand} and ${forEdit} times` : how;
  },
};

/** Cancels at a moment. Afterwards the same conversation must go on. */
function cancelScenario(
  moment: string,
  script: string,
  reached: (stage: Stage, turn: Turn<AcpEvent, AcpResult>) => Promise<unknown>,
  options: ApprovalOptions = { onToolApproval: () => "once" },
): Scenario {
  return {
    name: `cancel ${moment}`,
    play: async (stage) => {
      const conversation = stage.open(options).conversation();
      const turn = conversation.prompt(prompt(script));
      const early = turn.outcome.then(({ status }) => `the turn was ${status} before that moment`);
      const words = await Promise.race([reached(stage, turn).then(() => undefined), early]);
      if (words !== undefined) {
        const ended = await turn.outcome;
        if (ended.status === "failed") throw ended.error;
        if (script === "shell" && stage.chosen.length === 0) return "not asked";
        throw new Error(words);
      }
      const { status } = await turn.cancel();
      check(status === "cancelled", `the turn is ${status}`);
      check(!existsSync(join(stage.project, "ran.txt")), "the command has run");
      const isRunning = (): boolean =>
        processesOf(stage.project).some(
          ({ command }) => command.includes(MARKER) || command.includes("sleep 300"),
        );
      await saysHello(conversation);
      if (script === "sleep" && isRunning()) return "ok, the command runs until close()";
      return "ok";
    },
  };
}

/** Resolves when the file exists. */
async function fileAppears(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  try {
    while (!existsSync(join(folder, name))) await once(watcher, "change");
  } finally {
    watcher.close();
  }
}

function textArrives(turn: Turn<AcpEvent, AcpResult>): Promise<void> {
  return new Promise((resolve) => {
    turn.on("event", ({ type }) => {
      if (type === "text") resolve();
    });
  });
}

const CANCELS: readonly Scenario[] = [
  cancelScenario("before the first token", "silent", ({ model }) => once(model, "silent")),
  cancelScenario("while it streams", "slow", (_, turn) => textArrives(turn)),
  cancelScenario(
    "at an open permission",
    "shell",
    (_, turn) => new Promise<void>((resolve) => void turn.on("approval", () => resolve())),
    { onToolApproval: "manual" },
  ),
  cancelScenario("of a running command", "sleep", ({ project }) => fileAppears(project, "started.txt")),
];

/** Whether the model was told what was said before. */
function goesOn({ history }: ScriptedModel, name: string): boolean {
  return history.includes(name) && history.at(-1) === "text";
}

const SCENARIOS_OF_SESSIONS: readonly Scenario[] = [
  {
    name: "two prompts at once",
    play: async ({ open, model }) => {
      const conversation = open().conversation();
      model.mostOpen = 0;
      const turns = [conversation.prompt(prompt("first")), conversation.prompt(prompt("second"))];
      const [one, two] = await Promise.all(turns.map(resultOf));
      check(
        one?.text.trim() === Array(10).fill("one").join(" "),
        `the first text is ${JSON.stringify(one?.text)}`,
      );
      check(two?.text.trim() === "two", `the second text is ${JSON.stringify(two?.text)}`);
      check(model.mostOpen === 1, "both prompts ran at once");
      return "ok, queued";
    },
  },
  {
    name: "SIGKILL in a turn",
    play: async ({ open, model, keepsSession }) => {
      const client = open();
      let pid: number | undefined;
      client.on("spawned", (process) => {
        pid = process.pid;
      });
      const conversation = client.conversation();
      await saysHello(conversation);
      const turn = conversation.prompt(prompt("slow"));
      await Promise.race([textArrives(turn), turn.outcome]);
      check(pid !== undefined, "no process was told");
      process.kill(pid, "SIGKILL");
      const outcome = await turn.outcome;
      check(outcome.status === "failed", `the turn is ${outcome.status}`);
      const { code, delivery } = outcome.error;
      check(
        code === "connection-lost" && delivery === "unknown",
        `the error is ${code}, delivery ${delivery}`,
      );
      await keepsSession();
      const next = await conversation.prompt(prompt("text")).outcome;
      if (next.status === "failed" && next.error.code === "context-lost") return "context-lost";
      if (next.status === "failed") throw next.error;
      check(next.status === "completed", `the next turn is ${next.status}`);
      return goesOn(model, "slow") ? "ok, goes on" : "forgets the turn";
    },
  },
  {
    name: "load in a new client",
    play: async ({ open, model, keepsSession }) => {
      const before = open();
      const conversation = before.conversation();
      await saysHello(conversation);
      await resultOf(conversation.prompt(prompt("second")));
      const { state } = conversation;
      await before.close();
      await keepsSession();
      const later = open().conversation({ from: state });
      let messages: Awaited<ReturnType<typeof later.load>>;
      try {
        messages = await later.load();
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "context-lost") return "context-lost";
        throw error;
      }
      const texts = messages.map(({ content }) => JSON.stringify(content));
      const isWhole = ["[[text]]", "Hello from the model.", "[[second]]", "two"].every((text, at) =>
        texts[at]?.includes(text),
      );
      check(
        messages.length === 0 || (isWhole && messages.length === 4),
        `the messages are ${texts.join(", ")}`,
      );
      await saysHello(later);
      check(goesOn(model, "second"), `the model was told ${model.history}`);
      return messages.length === 0 ? "goes on, repeats nothing" : "ok";
    },
  },
];

export const SCENARIOS: readonly Scenario[] = [
  ...SCENARIOS_OF_ONE_TURN,
  FILES,
  ...CANCELS,
  ...SCENARIOS_OF_SESSIONS,
];
