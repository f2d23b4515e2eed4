import type { CassClient } from "agentwire/cass";

/** ms between two looks at the clock while the time runs down. */
const TICK = 200;

const WORDS = {
  idle: "Not connected",
  connecting: "Connecting…",
  handshaking: "Connecting…",
  ready: "Connected",
  reconnecting: "Reconnecting…",
  draining: "Disconnecting…",
  closed: "Disconnected",
} as const satisfies Record<CassClient["status"], string>;

/** Shows how the connection is, and when the next attempt is due. Ends with the client. */
export function showConnection(pill: HTMLElement, client: CassClient): void {
  let ticking: number | undefined;
  const show = (text: string): void => {
    if (pill.textContent !== text) pill.textContent = text;
  };
  const onStatus = (status: CassClient["status"]): void => {
    clearInterval(ticking);
    pill.dataset["state"] = status;
    show(WORDS[status]);
  };
  onStatus(client.status);
  client.on("status", onStatus);
  client.on("reconnecting", ({ attempt, delay }) => {
    const due = performance.now() + delay;
    const count = (): void => {
      const seconds = Math.ceil((due - performance.now()) / 1_000);
      const tries = attempt > 1 ? `, attempt ${attempt}` : "";
      show(seconds > 0 ? `Reconnecting in ${seconds} s${tries}` : WORDS.reconnecting);
    };
    clearInterval(ticking);
    count();
    ticking = setInterval(count, TICK);
  });
}
