/** Tools and files of this machine for an agent on a server: `npm run example -- examples/tools.ts` */
import { CodebuffClient } from "agentwire/codebuff";
import { MockCodebuffServer, step } from "agentwire/testing";

// Stands in for the original Codebuff server: asks for a file and a tool, and goes on with the answers.
await using server = await MockCodebuffServer.start({
  profile: "codebuff",
  *answer() {
    const files = yield* step.readFiles(["package.json", "/etc/passwd"]);
    yield `package.json has ${files["package.json"]?.length} characters. `;
    const [weather] = yield* step.toolCall({ toolName: "get_weather", input: { city: "Oslo" } });
    yield `The weather tool said ${JSON.stringify(weather)}. `;
    const [refused] = yield* step.toolCall({ toolName: "format_disk", input: {} });
    yield `Formatting the disk: ${JSON.stringify(refused)}.`;
  },
});

const client = new CodebuffClient({
  url: server.url,
  authToken: "your-token",
  tools: {
    get_weather: ({ input }) => [{ type: "json", value: { city: input["city"], sky: "clear" } }],
  },
  // Only what you hand out is read: any other path is answered with null.
  onReadFiles: () => ({ "package.json": '{ "name": "example" }' }),
});
client.on("protocolWarning", ({ message }) => console.log(`\n(${message})`));
try {
  for await (const event of client.prompt("What is the weather like in this project?")) {
    if (event.type === "tool-call-request") console.log(`\n-> ${event.toolName}`);
    if (event.type === "response-chunk") process.stdout.write(event.text);
  }
  console.log();
} finally {
  await client.close();
}
