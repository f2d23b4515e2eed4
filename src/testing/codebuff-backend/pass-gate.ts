// Waits where a script says so.
import type { Exchange } from "./exchange.ts";
import type { BackendGate } from "./script.ts";

/** Waits where the script says so, unless the client has left. A rejection cuts the connection. */
export async function passGate(gate: BackendGate, exchange: Exchange): Promise<void> {
  const { work } = exchange;
  if (work.stopped) return;
  try {
    await work.unlessStopped(typeof gate === "function" ? gate({ signal: work.signal }) : gate);
  } catch {
    exchange.cut();
  }
}
