// Which pages and host names may use the relay: `Host`, `Origin`, `Sec-Fetch-Site` and CORS.
import type { RelaySettings } from "../options.ts";
import { WireRefusal } from "./answers.ts";

type DoorSettings = Pick<RelaySettings, "origins" | "credentials" | "hosts" | "logger">;

/** Refused names that are logged. Anybody can send others. */
const MAX_LOGGED = 20;

/** Names of headers, separated by commas. */
const NAMES = /^[\w\s,-]{1,1000}$/;

const METHODS = "GET, HEAD, POST, DELETE";
const EXPOSED =
  "ETag, Relay-Head, Relay-Log, Retry-After, Stream-Next-Offset, Stream-Cursor, Stream-Up-To-Date";

/**
 * Refuses requests of foreign pages. A page of another origin can send GET, HEAD and simple POST requests without a
 * preflight, with the cookies of its visitor.
 */
export class OriginCheck {
  readonly #settings: DoorSettings;
  readonly #logged = new Set<string>();

  constructor(settings: DoorSettings) {
    this.#settings = settings;
  }

  /** @throws WireRefusal `origin` */
  check(request: Request, url: URL): void {
    const host = request.headers.get("host") ?? url.host;
    if (!this.#settings.hosts.has(nameOf(host)))
      throw this.#refusal(
        "This host name is not one of `hosts`, the option of the relay.",
        `the host name ${nameOf(host)} is not one of \`hosts\``,
      );
    const origin = request.headers.get("origin");
    const site = request.headers.get("sec-fetch-site");
    if (this.#isListed(origin)) return;
    if (site === "same-origin" || site === "none") return;
    if (origin === null && site === null) return; // no browser
    if (origin !== null && site === null && hostOf(origin) === host.toLowerCase()) return; // an old browser
    throw this.#refusal(
      "Pages of this origin may not use the relay. The option `origins` lists those that may.",
      `the origin ${origin ?? "of a page of another site"} is not one of \`origins\``,
    );
  }

  /** The answer's headers for the request's page. */
  cors(request: Request): Readonly<Record<string, string>> {
    const { origins, credentials } = this.#settings;
    const vary = origins === "*" ? {} : { Vary: "Origin" };
    const origin = request.headers.get("origin");
    if (origin === null || !this.#isListed(origin)) return vary;
    return {
      ...vary,
      "Access-Control-Allow-Origin": origins === "*" ? "*" : origin,
      ...(credentials ? { "Access-Control-Allow-Credentials": "true" } : {}),
      "Access-Control-Expose-Headers": EXPOSED,
    };
  }

  /** The further headers of the answer to a preflight. */
  preflight(request: Request): Readonly<Record<string, string>> {
    const asked = request.headers.get("access-control-request-headers") ?? "";
    return {
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": NAMES.test(asked)
        ? asked
        : "Content-Type, Last-Event-ID, Relay-Seen, Authorization",
      "Access-Control-Max-Age": "600",
    };
  }

  /** Logs each reason once, because a page learns nothing of an answer to another origin. */
  #refusal(message: string, reason: string): WireRefusal {
    if (this.#logged.size < MAX_LOGGED && !this.#logged.has(reason)) {
      this.#logged.add(reason);
      this.#settings.logger?.warn(
        `agentwire relay: refused a request: ${JSON.stringify(reason).slice(1, -1)}`,
      );
    }
    return new WireRefusal(403, "origin", message);
  }

  #isListed(origin: string | null): boolean {
    if (origin === null || origin === "null") return false;
    const { origins } = this.#settings;
    return origins === "*" || origins.has(origin);
  }
}

/** The host name without the port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined; // such as "null"
  }
}
