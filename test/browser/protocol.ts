import type { DripPace, LinkMistake } from "../../src/testing/server/link.ts";
import type { UpgradeAttempt, UpgradeRefusal } from "../../src/testing/server/port.ts";

// What a mock server in a page and the relay say to each other, as JSON over one WebSocket for each server. Links
// have the number of the upgrade that they came from.

/** From the page: what its server does to a link. */
export type Order =
  | { readonly order: "admit"; readonly link: number }
  | {
      readonly order: "manners";
      readonly link: number;
      readonly repliesToClose: boolean;
      readonly staysWhenMalformed: boolean;
    }
  | { readonly order: "refuse"; readonly link: number; readonly how: UpgradeRefusal }
  | { readonly order: "send"; readonly link: number; readonly text: string }
  | { readonly order: "send-bytes"; readonly link: number; readonly bytes: readonly number[] }
  | { readonly order: "close"; readonly link: number; readonly code: number; readonly reason: string }
  | { readonly order: "drop-mid-frame"; readonly link: number; readonly text: string }
  | { readonly order: "write"; readonly link: number; readonly bytes: readonly number[] }
  | { readonly order: "drip"; readonly link: number; readonly pace?: DripPace }
  | { readonly order: "drop" | "pause" | "resume" | "linger"; readonly link: number }
  /** Ends all links and the port, then this WebSocket. */
  | { readonly order: "stop" };

/** From the relay: what happened on the port. */
export type News =
  | { readonly news: "listening"; readonly port: number }
  | {
      readonly news: "upgrade";
      readonly link: number;
      readonly url: string;
      readonly headers: UpgradeAttempt["headers"];
    }
  | { readonly news: "opened"; readonly link: number }
  | { readonly news: "text"; readonly link: number; readonly text: string }
  | { readonly news: "bytes"; readonly link: number; readonly bytes: readonly number[] }
  | { readonly news: "left"; readonly link: number; readonly code: number; readonly reason: string }
  | { readonly news: "mistake"; readonly link: number; readonly mistake: LinkMistake }
  | { readonly news: "ended"; readonly link: number; readonly wasClean: boolean };

declare module "vitest" {
  interface ProvidedContext {
    /** Where the relay listens for pages. */
    readonly relay: string;
  }
}
