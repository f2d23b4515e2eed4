/**
 * A user's program in a browser: one turn, reported to the page. `npm run check -- package` bundles it and
 * runs it in `browser-page.ts`.
 */
import { CodebuffClient } from "agentwire/codebuff";

async function main(): Promise<string> {
  const client = new CodebuffClient({ url: "ws://127.0.0.1/ws" });
  try {
    const turn = client.prompt("hello");
    let streamed = "";
    for await (const text of turn.textStream) streamed += text;
    return `${streamed} / ${(await turn.result).text}`;
  } finally {
    await client.close();
  }
}

main().then(
  (shown) => console.log(shown),
  (error: unknown) => console.error(String(error)),
);
