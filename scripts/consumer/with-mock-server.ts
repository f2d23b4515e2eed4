/**
 * Runs `program` on `node` with the shipped mock server at hand, and ends as it ends:
 * `node with-mock-server.ts <node> <program>`. The program finds the server's URL in `AGENTWIRE_URL`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { MockCodebuffServer } from "agentwire/testing";

const [node, program] = process.argv.slice(2);
if (node === undefined || program === undefined)
  throw new Error("usage: with-mock-server.ts <node> <program>");
const server = await MockCodebuffServer.start();
try {
  const child = spawn(node, [program], {
    env: { ...process.env, AGENTWIRE_URL: server.url },
    stdio: "inherit",
  });
  const [code] = await once(child, "close");
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await server.stop();
}
