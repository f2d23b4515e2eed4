// The universal events of every capture in `test/fixtures`, or in the folder of AGENTWIRE_CAPTURES, as tests of adapters read them.
import { fileURLToPath } from "node:url";
import { type CapturedStream, type PlayedFile, playFolder } from "./captures/play-folder.ts";

export const FIXTURES: string = fileURLToPath(new URL("../fixtures", import.meta.url));

/** The variable that names another folder, laid out like this one: `npm run full -- adapters` sets it. */
export const CAPTURES = "AGENTWIRE_CAPTURES";

let played: Promise<readonly PlayedFile[]> | undefined;

/** All streams, the same each time. A worker plays the captures once. */
export async function capturedStreams(): Promise<readonly CapturedStream[]> {
  return (await capturedFiles()).flatMap(({ streams }) => streams);
}

/** All files, also those without a stream. */
export function capturedFiles(): Promise<readonly PlayedFile[]> {
  played ??= playFolder(process.env[CAPTURES] || FIXTURES);
  return played;
}
