/** `npm run full -- adapters`: what judges say of the universal events of captures. See HELP. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { FIXTURES } from "../../test/helpers/captured-streams.ts";
import { type CapturedStream, type PlayedFile, playFolder } from "../../test/helpers/captures/play-folder.ts";
import { JUDGES } from "./adapters/judges.ts";

const HELP = `Usage: npm run full -- adapters [options]

Plays every capture of a folder through the real clients, and gives the universal events to judges:
${JUDGES.map(({ name }) => name).join(", ")}. The first folder below the given one names the protocol.

Options:
  --captures <folder>  Laid out like test/fixtures.  [test/fixtures]
  --help               This text.

The exit code is 1 if a judge complains, a file cannot be played, or a file gives no stream and
test/helpers/captures/left-out.ts does not say why.
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A file, and what is wrong with it. */
interface Judged {
  readonly played: PlayedFile;
  readonly complaints: readonly string[];
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      captures: { type: "string", default: FIXTURES },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!existsSync(values.captures)) {
    process.stderr.write(`there is no folder ${values.captures}\n\n${HELP}`);
    return 2;
  }
  const files = await playFolder(resolve(values.captures));
  const judged: Judged[] = [];
  for (const played of files) judged.push({ played, complaints: await complaintsOf(played) });
  tellLeftOut(files);
  for (const { complaints } of judged) for (const complaint of complaints) say(complaint);
  for (const protocol of new Set(files.map((played) => played.protocol)))
    tellCounts(
      protocol,
      judged.filter(({ played }) => played.protocol === protocol),
    );
  tellCounts("all", judged);
  return files.length === 0 || judged.some(({ complaints }) => complaints.length > 0) ? 1 : 0;
}

async function complaintsOf({ file, streams, problem }: PlayedFile): Promise<readonly string[]> {
  const complaints = problem === undefined ? [] : [`${file}: ${problem}`];
  for (const stream of streams) complaints.push(...(await judge(stream)));
  return complaints;
}

/** A judge that throws is a complaint too. */
async function judge({ name, events }: CapturedStream): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const each of JUDGES) {
    const said = await each.judge(events).catch((error: unknown) => [`it threw ${error}`]);
    complaints.push(...said.map((complaint) => `${name}: ${each.name}: ${complaint}`));
  }
  return complaints;
}

function tellLeftOut(files: readonly PlayedFile[]): void {
  for (const { file, reason } of files) if (reason !== undefined) say(`${file}: no stream: ${reason}`);
}

function tellCounts(name: string, judged: readonly Judged[]): void {
  const streams = judged.flatMap(({ played }) => played.streams);
  const events = streams.reduce((sum, stream) => sum + stream.events.length, 0);
  const complaints = judged.reduce((sum, each) => sum + each.complaints.length, 0);
  const counts = { files: judged.length, streams: streams.length, events, complaints };
  const words = Object.entries(counts).map(([what, count]) => `${String(count).padStart(6)} ${what}`);
  say(`${name.padEnd(24)}${words.join("")}`);
}
