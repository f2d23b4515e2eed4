// The program on Node, Bun and Deno: takes the addresses as an argument, prints its report.
import process from "node:process";
import { program } from "./program.ts";

program(JSON.parse(process.argv[2] ?? "")).then((report) => {
  console.log(JSON.stringify(report));
  process.exit(); // the relay's and the model's connections are kept alive
});
