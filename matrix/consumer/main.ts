// The program on Node, Bun and Deno: takes the addresses as an argument, prints its report, and ends by itself.
import process from "node:process";
import { processes } from "./processes.ts";
import { program } from "./program.ts";

program(JSON.parse(process.argv[2] ?? ""), processes).then((report) => console.log(JSON.stringify(report)));
