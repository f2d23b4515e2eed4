// The clipboard of the terminal.
import { Buffer } from "node:buffer";

/** Puts a text on the clipboard by OSC 52. A terminal may ignore it, and does not say so. */
export const copyTo =
  (stdout: NodeJS.WritableStream) =>
  (text: string): void => {
    stdout.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  };
