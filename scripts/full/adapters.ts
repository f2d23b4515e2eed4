/** `npm run full -- adapters`: every capture of a folder, through the clients and then through the adapters. See HELP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkTranscript } from "agentwire/universal";
import { CAPTURES, FIXTURES } from "../../test/helpers/captured-streams.ts";
import { type PlayedFile, playFolder } from "../../test/helpers/captures/play-folder.ts";

const HELP = `Usage: npm run full -- adapters [options]

Plays every capture of a folder through the real clients, checks the universal events, and gives them to every adapter: the
other side's own validators must accept what the adapter makes of them. Also cuts them off behind each event, as a crash does:
\`closeTranscript\` must complete them. The first folder below the given one names the protocol.

Options:
  --captures <folder>  Laid out like test/fixtures.  [test/fixtures]
  --help               This text.

The exit code is 1 if an event is wrong, a test fails, a file cannot be played, or a file gives no stream and
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
  const judged = files.map((played): Judged => ({ played, complaints: complaintsOf(played) }));
  tellLeftOut(files);
  for (const { complaints } of judged) for (const complaint of complaints) say(complaint);
  for (const protocol of new Set(files.map((played) => played.protocol)))
    tellCounts(
      protocol,
      judged.filter(({ played }) => played.protocol === protocol),
    );
  tellCounts("all", judged);
  if (files.length === 0 || judged.some(({ complaints }) => complaints.length > 0)) return 1;
  const env = { ...process.env, AGENTWIRE_RUNS: "1", [CAPTURES]: resolve(values.captures) };
  const child = spawn("vitest", ["run", ...TESTS], { stdio: "inherit", env });
  const [code] = await once(child, "exit");
  return code ?? 1;
}

/** The tests that give the captures to the adapters, and cut them off. */
const TESTS = [
  ...["ai-sdk", "ag-ui", "acp-agent", "otel"].map((room) => `test/${room}/captures.test.ts`),
  "test/universal/crashes.test.ts",
];

function complaintsOf({ file, streams, problem }: PlayedFile): readonly string[] {
  const complaints = problem === undefined ? [] : [`${file}: ${problem}`];
  for (const { name, events } of streams)
    for (const { index, invariant, message } of checkTranscript(events))
      complaints.push(`${name}: event ${index}: ${invariant}: ${message}`);
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
