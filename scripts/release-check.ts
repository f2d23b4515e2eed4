/** Whether the package can be released from here: `npm run release:check`. It publishes nothing. See HELP. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { api, writeApi } from "./checks/api.ts";
import { changelog } from "./checks/changelog.ts";
import { git } from "./checks/git.ts";
import { licences } from "./checks/licences.ts";
import { links } from "./checks/links.ts";
import { packageCheck } from "./checks/package.ts";
import { size } from "./checks/size.ts";
import { tarball } from "./checks/tarball.ts";
import { endOnSignal } from "./support/run.ts";
import { buildAll, type CheckEntry, runChecks } from "./support/run-checks.ts";

const CHECKS: readonly CheckEntry[] = [
  { name: "git", about: "all is committed, and the version is free", needsBuild: false, check: git },
  {
    name: "changelog",
    about: "the version, or what is unreleased, has an entry",
    needsBuild: false,
    check: changelog,
  },
  { name: "links", about: "no page has a dead link; NOTICE is whole", needsBuild: false, check: links },
  {
    name: "licences",
    about: "what is bundled may be, and NOTICE names it",
    needsBuild: true,
    check: licences,
  },
  { name: "api", about: "no public type changes unseen", needsBuild: true, check: api },
  { name: "size", about: "no import grows unseen in a browser", needsBuild: true, check: size },
  { name: "tarball", about: "the package does not grow unseen", needsBuild: true, check: tarball },
  {
    name: "package",
    about: "it packs, publint and attw find nothing, it installs and works",
    needsBuild: true,
    check: packageCheck,
  },
];

const HELP = `Usage: npm run release:check [-- options]

Builds, and says whether the package can be released from here. Exits with 1 if a check finds something, and says of each
finding what to do next. CI has run the tests; this does not.

${CHECKS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join("\n")}

Options:
  --write         Build, and make the reports in api/ those of the build. Checks nothing.
  --root <folder> Look at another tree than this one.
  --help          This text.
`;

endOnSignal();

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    root: { type: "string", default: join(import.meta.dirname, "..") },
    help: { type: "boolean", default: false },
  },
});
const root = resolve(values.root);
if (values.help) console.log(HELP);
else if (values.write) await write();
else await runChecks(root, CHECKS, true);

async function write(): Promise<void> {
  const broken = await buildAll(root);
  if (broken === undefined) {
    await writeApi(root);
    console.log("written to api/");
    return;
  }
  console.error(broken);
  process.exitCode = 1;
}
