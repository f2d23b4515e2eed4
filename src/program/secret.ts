// Secrets of backends: from the environment, or asked for without echo.
import type { BackendRow } from "./backend.ts";
import { EXIT } from "./exit-codes.ts";
import { ProgramFailure, wrongCall } from "./failure.ts";
import type { Given } from "./given.ts";
import { exitCodeOfSignal, onSignals } from "./signals.ts";

/**
 * The secret of a backend, if it has one. Asks for a needed one that the environment does not have, on a terminal.
 * @throws Failure if it is needed, and there is no terminal or no answer
 */
export async function secretOf(backend: BackendRow, given: Given): Promise<string | undefined> {
  const { secret } = backend;
  if (!secret) return undefined;
  const found = process.env[secret.variable]?.trim();
  if (found) return found;
  if (!secret.isNeeded(given)) return undefined;
  const without = secret.without?.(given) ?? "";
  const { stdin, stderr } = process;
  if (without === "" && stdin.isTTY && stderr.isTTY) {
    const typed = (await ask(`${secret.label}: `)).trim();
    if (typed !== "") return typed;
  }
  throw wrongCall(
    `${backend.name} needs a secret: ${secret.label}.`,
    `${without === "" ? "" : `${without} `}Set ${secret.variable} in the environment. It is no option, because other programs on this machine can read the arguments of a process.`,
  );
}

const ENTER = /[\r\n]/;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const BACKSPACE = /[\b\u007f]/;

/** Reads a line that is not shown. The question is on stderr, so that stdout stays clean. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  return new Promise((resolve, reject) => {
    let text = "";
    const off = onSignals((signal) => {
      end();
      reject(new ProgramFailure(exitCodeOfSignal(signal), "ended by a signal"));
    });
    const end = (): void => {
      off();
      stdin.off("data", onKeys);
      stdin.off("end", onEnd);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
    };
    const onEnd = (): void => {
      end();
      resolve("");
    };
    const onKeys = (keys: string): void => {
      for (const key of keys) {
        if (key === CTRL_C) {
          end();
          reject(new ProgramFailure(EXIT.interrupted, "interrupted"));
          return;
        }
        if (key === CTRL_D || ENTER.test(key)) {
          end();
          resolve(text);
          return;
        }
        text = BACKSPACE.test(key) ? text.slice(0, -1) : text + key;
      }
    };
    stdin.on("data", onKeys);
    stdin.on("end", onEnd);
    stdin.resume();
  });
}
