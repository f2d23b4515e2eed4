// What docs/codebuff-cli.md shows. Each function holds one region and gives it what it takes for granted.
import {
  CodebuffCli,
  type CodebuffCliConversation,
  CodebuffCliError,
  type CodebuffCliOptions,
  isAgentwireError,
  type Question,
} from "agentwire/codebuff-cli";

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

export function isolated(options: CodebuffCliOptions, apiKey: string): CodebuffCli {
  // #region codebuff-cli-isolated
  const client = new CodebuffCli({ ...options, apiKey, isolateHome: true, requireKey: true });
  // #endregion
  return client;
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
