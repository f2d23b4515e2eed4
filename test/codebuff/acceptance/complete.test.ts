import { vi } from "vitest";
import { countNames } from "../../helpers/suite-names.ts";
import { names, omissions } from "./omissions.ts";

/** The titles of the suite; nothing of it runs here. */
const titles = vi.hoisted((): string[] => []);
vi.mock("./both.ts", async (original) => ({
  ...(await original<object>()),
  onBoth: (title: string) => titles.push(title),
}));

import "./checklist-events.test.ts";
import "./checklist-life.test.ts";
import "./checklist-requests.test.ts";
import "./checklist-wire.test.ts";
import "./closing.test.ts";
import "./edge-cases-1-9.test.ts";
import "./edge-cases-10-17.test.ts";
import "./errors.test.ts";
import "./findings.test.ts";
import "./timers.test.ts";

const numbered = (word: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${word} ${index + 1}`);

/** Everything that has to be tested by name, as the protocol's description counts it. */
const required: readonly string[] = [
  ...numbered("finding", 12),
  "finding 6a",
  ...numbered("edge case", 17),
  ...numbered("checklist", 17),
  ...[
    "connect",
    "identify ack",
    "ping interval",
    "ping liveness",
    "ack",
    "init-response",
    "prompt idle",
    "prompt total",
    "stall cap",
    "reconnect",
    "drain",
  ].map((row) => `timer ${row}`),
  ...["1000", "1001, 1005, 1006, 1011, 1012", "1008", "1009", "HTTP 403 or 404 on upgrade"].map(
    (row) => `closing ${row}`,
  ),
  ...[
    "ConnectError",
    "ConnectTimeout",
    "IdentifyError",
    "ConnectionLost",
    "AckError",
    "AckTimeout",
    "PromptError",
    "PromptTimeout",
    "ActionError",
    "InitTimeout",
    "Aborted",
    "ClosedByUser",
    "NotConnected",
    "QueueFull",
    "MessageTooLarge",
    "ProtocolError",
  ].map((row) => `error ${row}`),
];

countNames({ required, titles, profiles: ["proxy", "codebuff"], omissions, names, url: import.meta.url });
