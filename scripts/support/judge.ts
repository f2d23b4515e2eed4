import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Form } from "./expressions.ts";

/** What is wrong with an expression; `undefined` for one that is linear. */
export type Verdict = string | undefined;

/** Each worker holds the 3 MB of recheck, and hundreds of MB while it judges. */
const MAX_WORKERS = 4;

/** Judges how long regular expressions may take, with recheck: in JavaScript everywhere, because its other forms are not for every machine. */
export async function judgeAll(forms: readonly Form[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = forms.entries();
  const work = async (): Promise<void> => {
    const env = { ...process.env, RECHECK_SYNC_BACKEND: "pure" };
    const worker = new Worker(new URL("./judge-worker.ts", import.meta.url), { env });
    try {
      for (const [at, form] of waiting) {
        worker.postMessage(form);
        [verdicts[at]] = await once(worker, "message");
      }
    } finally {
      await worker.terminate();
    }
  };
  const count = Math.min(availableParallelism(), MAX_WORKERS, forms.length);
  await Promise.all(Array.from({ length: count }, work));
  return verdicts;
}
