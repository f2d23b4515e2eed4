#!/usr/bin/env node
// The program `agentwire`: the arguments, and the exit code.
import { run } from "./run.ts";

// A reader that has left is no failure to tell anybody: commands watch for it where they have something to end.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
const code = await run(process.argv.slice(2));
process.stdout.write("", () => process.exit(code)); // what is written goes out first
