// What docs/codebuff-cli.md shows. Each function holds one region and gives it what it takes for granted.
import {
  CodebuffCli,
  type CodebuffCliConversation,
  CodebuffCliError,
  type CodebuffCliOptions,
  findCodebuffCredentials,
  isAgentwireError,
  listCodebuffChats,
  type Question,
} from "agentwire/codebuff-cli";
import { FakeCodebuffCli } from "agentwire/testing";

export async function chosen(options: CodebuffCliOptions): Promise<CodebuffCli> {
  // #region codebuff-cli-probe
  const asking = new CodebuffCli(options);
  const { version, profile, freeFlag } = await asking.probe(); // starts it twice: --version, --help
  await asking.close();
  if (!profile) throw new Error(`this codebuff (${version}) runs in a terminal only`);

  const client = new CodebuffCli({ ...options, profile, ...(freeFlag ? { freeFlag } : {}) });
  // #endregion
  return client;
}

/** Where an app shows what the agent does. */
export interface Panel {
  say(text: string): void;
  tool(id: string, text: string): void;
}

export async function events(client: CodebuffCli, panel: Panel): Promise<object> {
  // #region codebuff-cli-events
  const turn = client.prompt({ prompt: "Fix the failing test." }, { mode: "max", timeoutSeconds: 900 });
  turn.on("toolCall", ({ id, name, state, error }) => panel.tool(id, error ?? `${name} ${state}`));
  for await (const event of turn) {
    if (event.type === "text" || event.type === "chunk") panel.say(event.delta);
    else if (event.type === "subagent_start") panel.say(`[${event.displayName} joins]`);
    else if (event.type === "error") panel.say(`[${event.message}]`); // and it goes on
  }
  const { text, cost, sessionId, stderr } = await turn.result;
  // #endregion
  return { text, cost, sessionId, lines: stderr.totalLines };
}

export async function conversations(client: CodebuffCli): Promise<CodebuffCliConversation> {
  // #region codebuff-cli-conversation
  const chat = client.conversation();
  await chat.prompt("Read the tests of the parser.").result;
  await chat.prompt("Which of them are slow?").result; // with `--continue`, and the session of the first

  const saved = JSON.stringify(chat.state); // says which session it is; what was said is with the program
  const resumed = client.conversation({ from: JSON.parse(saved) });
  // #endregion
  return resumed;
}

export function chats(cwd: string): void {
  // #region codebuff-cli-chats
  for (const { id, path } of listCodebuffChats(cwd)) console.log(id, path); // the newest first
  // #endregion
}

/** What asks the user, and comes back with an answer to each question. */
export type Ask = (questions: Question["questions"]) => Promise<readonly string[]>;

export async function questions(options: CodebuffCliOptions, ask: Ask): Promise<CodebuffCli> {
  // #region codebuff-cli-questions
  const client = new CodebuffCli({ ...options, answerByContinue: true });
  const chat = client.conversation();
  const turn = chat.prompt("Paint the shed.");
  turn.on("question", async ({ id, questions }) => {
    client.answer(id, await ask(questions)); // the next prompt of `chat`, sent when this turn has ended
  });
  // #endregion
  await turn.result;
  return client;
}

export function credentials(): void {
  // #region codebuff-cli-credentials
  const { credentials, findings, warnings } = findCodebuffCredentials();
  console.log(String(credentials)); // [API key from CODEBUFF_API_KEY], or null
  for (const { place, status } of findings) console.log(place, status); // CODEBUFF_API_KEY used, ...
  for (const { message } of warnings) console.log(message);
  // #endregion
}

export function isolated(options: CodebuffCliOptions, apiKey: string): CodebuffCli {
  // #region codebuff-cli-isolated
  const client = new CodebuffCli({ ...options, apiKey, isolateHome: true, requireKey: true });
  // #endregion
  return client;
}

export async function cancelling(client: CodebuffCli): Promise<void> {
  // #region codebuff-cli-cancel
  const turn = client.prompt("Rewrite everything.");
  turn.on("event", ({ type }) => {
    if (type === "tool_call") void turn.cancel("not that much"); // SIGTERM, and SIGKILL after 5 s
  });
  const { status } = await turn.outcome; // once the process is gone
  console.log(status); // cancelled
  // #endregion
}

export function onSignals(client: CodebuffCli): () => void {
  // #region codebuff-cli-signals
  let asked = 0;
  const leave = async (signal: NodeJS.Signals): Promise<void> => {
    await client.close({ force: asked++ > 0 }); // SIGTERM for all that runs; the second time SIGKILL
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.on("SIGINT", leave).on("SIGTERM", leave);
  // #endregion
  return () => process.off("SIGINT", leave).off("SIGTERM", leave);
}

export async function errors(client: CodebuffCli, logIn: () => void): Promise<void> {
  // #region codebuff-cli-errors
  try {
    await client.prompt("Hello").result;
  } catch (error) {
    if (error instanceof CodebuffCliError) {
      console.log(error.kind, error.message); // the program's words, and what to do
      console.log(error.exitCode, error.stderr.tail.at(-1) ?? error.stderr.head.at(-1));
      if (error.kind === "auth") logIn();
    } else if (isAgentwireError(error, "connect-failed")) {
      console.log(error.message); // the program is not there, or may not be started; and what to do
    } else throw error;
  }
  // #endregion
}

export async function testing(): Promise<void> {
  // #region codebuff-cli-testing
  const cli = await FakeCodebuffCli.start({
    events: [{ type: "start" }, { type: "text", text: "I found it." }, { type: "finish", totalCost: 3 }],
  });
  const client = new CodebuffCli({ command: cli.command, args: cli.args, env: cli.env });
  const { text, cost } = await client.prompt("Find it.").result; // in place of your app
  console.log(text, cost); // I found it. { amount: 3, unit: 'credits' }

  cli.set({ failWith: "402" }); // for the runs to come
  console.log(await client.prompt("Again.").outcome); // failed, turn-failed, kind: "payment_required"
  console.log(cli.runs().map(({ argv }) => argv.at(-1))); // [ 'Find it.', 'Again.' ]
  await client.close();
  await cli.stop();
  // #endregion
}
