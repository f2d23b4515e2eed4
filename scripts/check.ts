import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { api } from "./checks/api.ts";
import { backends } from "./checks/backends.ts";
import { browser } from "./checks/browser.ts";
import { circles } from "./checks/circles.ts";
import { declarations } from "./checks/declarations.ts";
import { dependencies } from "./checks/dependencies.ts";
import { expressions } from "./checks/expressions.ts";
import { globals } from "./checks/globals.ts";
import { imports } from "./checks/imports.ts";
import { licences } from "./checks/licences.ts";
import { map } from "./checks/map.ts";
import { names } from "./checks/names.ts";
import { neutral } from "./checks/neutral.ts";
import { packageCheck } from "./checks/package.ts";
import { peers } from "./checks/peers.ts";
import { privacy } from "./checks/privacy.ts";
import { program } from "./checks/program.ts";
import { size } from "./checks/size.ts";
import { snippets } from "./checks/snippets.ts";
import { tarball } from "./checks/tarball.ts";
import { endOnSignal } from "./support/run.ts";
import { type CheckEntry, runChecks } from "./support/run-checks.ts";

const CHECKS: readonly CheckEntry[] = [
  {
    name: "imports",
    about: "src/ imports only in the allowed directions",
    needsBuild: false,
    check: imports,
  },
  { name: "circles", about: "no imports in circles, types included", needsBuild: false, check: circles },
  {
    name: "neutral",
    about: "what runs everywhere compiles without DOM and Node",
    needsBuild: false,
    check: neutral,
  },
  { name: "map", about: "each file of src/ says first what it is for", needsBuild: false, check: map },
  { name: "names", about: "an exported name is defined once", needsBuild: false, check: names },
  { name: "backends", about: "no user interface names a backend", needsBuild: false, check: backends },
  { name: "privacy", about: "no machine's paths, no registry hosts", needsBuild: false, check: privacy },
  {
    name: "expressions",
    about: "no regular expression takes more than linear time",
    needsBuild: false,
    check: expressions,
  },
  {
    name: "snippets",
    about: "the code on every page is a region that compiles",
    needsBuild: false,
    check: snippets,
  },
  {
    name: "program",
    about: "the page of the program says what its tables say",
    needsBuild: false,
    check: program,
  },
  { name: "browser", about: "no browser can reach Node's code", needsBuild: true, check: browser },
  {
    name: "dependencies",
    about: "what is imported is installed, and nothing else",
    needsBuild: true,
    check: dependencies,
  },
  {
    name: "licences",
    about: "what is bundled may be, and NOTICE names it",
    needsBuild: true,
    check: licences,
  },
  { name: "api", about: "no public type changes unseen", needsBuild: true, check: api },
  { name: "tarball", about: "the package does not grow unseen", needsBuild: true, check: tarball },
  { name: "globals", about: "importing the package sets nothing", needsBuild: true, check: globals },
  { name: "size", about: "no import grows unnoticed in a browser", needsBuild: true, check: size },
  {
    name: "declarations",
    about: "users compile against the packed types",
    needsBuild: true,
    check: declarations,
  },
  {
    name: "package",
    about: "the packed package lints, installs and works",
    needsBuild: true,
    check: packageCheck,
  },
  {
    name: "peers",
    about: "any version of an optional peer installs, and an entry that needs more says so",
    needsBuild: true,
    check: peers,
  },
];

const HELP = `Usage: npm run check -- [options] [name ...]

Runs the named checks, or all of them, and exits with 1 if one finds something.

${CHECKS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join("\n")}

Options:
  --json <file>   also write the results there
  --root <folder> look at another tree than this one
  --help          this text
`;

endOnSignal();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", default: false }, json: { type: "string" }, root: { type: "string" } },
});
const root = resolve(values.root ?? join(import.meta.dirname, ".."));
const unknown = positionals.filter((name) => !CHECKS.some((entry) => entry.name === name));
if (values.help) console.log(HELP);
else if (unknown.length > 0) {
  console.error(`no check is named ${unknown.join(", ")}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  const chosen = CHECKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const outcomes = await runChecks(root, chosen);
  if (values.json !== undefined) await writeFile(values.json, JSON.stringify(outcomes, null, 2));
}
