// A program that dies of SIGTERM, and has started another one, which does not: `node stubborn-child.ts <path of a socket>`. The
// other one is connected to the socket as long as it lives.
import { spawn } from "node:child_process";
import { once } from "node:events";

const STAYS = `
process.on("SIGTERM", () => {});
require("node:net").connect(process.argv[1]).on("connect", () => process.stdout.write("ready"));
`;

const child = spawn(process.execPath, ["-e", STAYS, process.argv[2] ?? ""], {
  stdio: ["ignore", "pipe", "ignore"],
});
await once(child.stdout, "data");
console.log(JSON.stringify({ type: "text", text: "ready" }));
