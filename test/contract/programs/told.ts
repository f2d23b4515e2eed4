// A program that says what it is told to: it tells a socket how it was called, and does what comes back, line by line.
import { connect } from "node:net";
import { createInterface } from "node:readline";

const socket = connect(process.env["TOLD_BY"] ?? "");
const { CODEBUFF_API_KEY: key } = process.env;
socket.write(`${JSON.stringify({ argv: process.argv.slice(2), ...(key === undefined ? {} : { key }) })}\n`);
socket.on("error", () => {}); // it is cut, then
socket.on("close", () => process.exit(9));

createInterface({ input: socket }).on("line", (line) => {
  const { out, err, exit }: { out?: string; err?: string; exit?: number } = JSON.parse(line);
  if (out !== undefined) process.stdout.write(out);
  if (err !== undefined) process.stderr.write(err);
  if (exit === undefined) return;
  process.exitCode = exit;
  socket.removeAllListeners("close").destroy(); // what was said goes out first
});
