// Records signals, and ends the process as the scenario says.
import { constants } from "node:os";
import type { FakeCodebuffScenario } from "../scenario.ts";
import type { ProgramJournal } from "./journal.ts";

const HEARD = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

/** Records every signal. Then the process dies of it, unless the scenario says otherwise. */
export function hearSignals(
  journal: ProgramJournal,
  { ignoreSigterm, slowSigterm }: FakeCodebuffScenario,
): void {
  for (const signal of HEARD) {
    process.on(signal, () => {
      journal.signal(signal);
      if (signal === "SIGTERM" && ignoreSigterm === true) return;
      if (signal === "SIGTERM" && slowSigterm !== undefined)
        setTimeout(() => die(journal, signal), slowSigterm);
      else die(journal, signal);
    });
  }
}

/** Ends this process with a signal that the parent can see. */
export function die(journal: ProgramJournal, signal: NodeJS.Signals): void {
  journal.add({ end: { code: null, signal, atMs: journal.now } });
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Fallback if the signal is not delivered, as for a container's first process: the exit code that a shell would use.
  setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
}
