// What docs/turns.md and docs/errors.md show besides their programs. Each function holds one region and gives it what it takes for granted.
import type { CodebuffClient, CodebuffConversation } from "agentwire/codebuff";
import { isAgentwireError } from "agentwire/codebuff";

export async function conversation(client: CodebuffClient): Promise<CodebuffConversation> {
  // #region conversation
  const chat = client.conversation();
  await chat.prompt("My name is Ada.").result;
  for await (const text of chat.prompt("What is my name?").textStream) process.stdout.write(text);

  const saved = JSON.stringify(chat.state); // keep it, and go on later, in another process if need be:
  const resumed = client.conversation({ from: JSON.parse(saved) });
  // #endregion
  return resumed;
}

export async function errors(
  client: CodebuffClient,
  retry: (input: unknown) => void,
  askUser: () => void,
): Promise<void> {
  // #region errors
  try {
    for await (const text of client.prompt("Hello").textStream) process.stdout.write(text);
  } catch (error) {
    if (!isAgentwireError(error)) throw error;
    console.log(error.message);
    if (error.retryable && error.delivery === "not-sent") retry(error.input);
    else if (error.delivery === "unknown") askUser(); // it may have been done
  }
  // #endregion
}
