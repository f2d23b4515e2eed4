// An MCP server in a process of its own: `node program.ts <mode>`.
import { setInterval } from "node:timers";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { testServer } from "./test-server.ts";

const [, , mode = "plain"] = process.argv;

switch (mode) {
  case "crashesAtStart":
    console.error("the key is missing");
    process.exit(3);
    break;
  case "neverAnswers":
    process.stdin.resume();
    break;
  // Ends neither at the end of its input nor for SIGTERM.
  case "staysAlive":
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1e6);
    await testServer().connect(new StdioServerTransport());
    break;
  case "noisy":
    console.log("welcome to this server");
    console.log("{ not JSON");
    for (let i = 0; i < 200; i++) process.stderr.write("noise ".repeat(20_000));
    await testServer().connect(new StdioServerTransport());
    break;
  default:
    await testServer(mode === "paged").connect(new StdioServerTransport());
}
