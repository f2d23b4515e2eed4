// Notes signals, and dies of them as a scenario says.
import { constants } from "node:os";
import type { FakeCodebuffScenario } from "../scenario.ts";
import type { ProgramJournal } from "./journal.ts";

const HEARD = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

/** Notes every signal, and then dies of it as a program without handlers does, unless the scenario says otherwise. */
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

/** Ends this process by a signal, which its parent sees as such. */
export function die(journal: ProgramJournal, signal: NodeJS.Signals): void {
  journal.add({ end: { code: null, signal, atMs: journal.now } });
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Where a signal is held back, as for the first process of a container, this is what a shell would make of it.
  setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
}
