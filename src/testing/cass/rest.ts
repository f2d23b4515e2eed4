// Finds the route of a REST call, answers the call, and records it without secrets.
import { isCredentialName, Redaction } from "../redaction.ts";
import type { Dict } from "../server/dict.ts";
import { Interruptible } from "../server/interruptible.ts";
import { writePythonJson } from "../server/python-json.ts";
import { accepted, type CassBackend } from "./backend.ts";
import type { CassRequest } from "./record.ts";
import { jsonObject, type RestHandler, RestRefusal } from "./rest-call.ts";
import { HANDLERS } from "./rest-routes.ts";
import { type CassRoute, ROUTES } from "./routes.ts";
import type { TokenReading } from "./tokens.ts";

/** The routes in matching order: fixed paths before paths with an id. */
const PATTERNS = ROUTES.map((route) => {
  const [method = "", path = ""] = route.split(" ");
  const pattern = path.replaceAll(".", "\\.").replace("{id}", "([^/]+)");
  return { route, method, path: new RegExp(`^${pattern}$`) };
});

/** Routes that the older server lacks. */
const NEWER: ReadonlySet<CassRoute> = new Set(["GET /conversations/continuous", "POST /settings/llm-model"]);

const MINUTE = 60_000;
/** The calls per minute that each route allows. */
const RATES: { readonly [route in CassRoute]?: number } = {
  "POST /auth/register": 5,
  "POST /auth/login": 10,
  "POST /auth/refresh": 30,
};
const V1_RATES: { readonly [route in CassRoute]?: number } = { ...RATES, "POST /conversations/new": 30 };

interface Match {
  readonly route: CassRoute;
  readonly method: string;
  readonly id: string;
}

export class Rest {
  readonly #backend: CassBackend;
  readonly #redaction = new Redaction([]);
  readonly #calls = new Map<CassRoute, readonly number[]>();
  readonly #waiting = new Set<Interruptible>();

  constructor(backend: CassBackend) {
    this.#backend = backend;
  }

  async fetch(request: Request): Promise<Response> {
    const { clock, journal, settings, tokens } = this.#backend;
    const url = new URL(request.url);
    const bearer = /^Bearer (.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    const token = tokens.read(bearer);
    this.#blameForOrigin(url, bearer !== undefined);
    const matches = this.#matchesOf(url);
    const match = matches.find(({ method }) => method === request.method);
    const text = await request.text();
    const headers = [...request.headers].map(([name, value]) => {
      return [name, isCredentialName(name) ? this.#redaction.replacement : value];
    });
    const record: { -readonly [Key in keyof CassRequest]: CassRequest[Key] } = {
      at: clock.now(),
      method: request.method,
      path: this.#redaction.redact(url.pathname + url.search, "server"),
      route: match?.route,
      userId: accepted(token, settings) ?? null,
      headers: Object.fromEntries(headers),
      body: jsonObject(this.#redaction.redact(text, "server")),
      status: undefined,
    };
    journal.add(journal.requests, record);
    if (settings.restLatency > 0) await this.#delay(settings.restLatency);
    const response = this.#answer(match, matches.length > 0, url, jsonObject(text) ?? {}, token);
    record.status = response.status;
    journal.changed();
    return response;
  }

  /** Releases all delayed calls. */
  stop(): void {
    for (const waiting of this.#waiting) waiting.stop();
  }

  #answer(match: Match | undefined, isPath: boolean, url: URL, body: Dict, token: TokenReading): Response {
    const backend = this.#backend;
    const { settings } = backend;
    if (!match)
      return isPath ? json(405, { detail: "Method Not Allowed" }) : json(404, { detail: "Not Found" });
    const forced = settings.restStatus[match.route];
    if (forced !== undefined) return json(forced, { detail: `As the test wants it: ${forced}` });
    const limit = this.#limitOf(match.route);
    if (limit !== undefined) return json(429, { error: `Rate limit exceeded: ${limit} per 1 minute` });
    try {
      const handle: RestHandler = HANDLERS[match.route];
      const answer = handle({ id: match.id, query: url.searchParams, body, token, backend, settings });
      if (answer instanceof Uint8Array)
        return new Response(answer, { headers: { "content-type": "audio/wav" } });
      return json(200, answer);
    } catch (error) {
      if (error instanceof RestRefusal) return json(error.status, { detail: error.detail });
      throw error;
    }
  }

  /** Returns the rate limit that a call exceeds. */
  #limitOf(route: CassRoute): number | undefined {
    const { profile, clock, settings } = this.#backend;
    const rate = (profile === "v1" ? V1_RATES : RATES)[route];
    if (rate === undefined) return undefined;
    if (route === "POST /auth/refresh" && settings.rejectRefresh === 429) return rate;
    const now = clock.now();
    const recent = (this.#calls.get(route) ?? []).filter((at) => now - at < MINUTE);
    if (settings.rateLimits && recent.length >= rate) return rate;
    this.#calls.set(route, [...recent, now]);
    return undefined;
  }

  #blameForOrigin({ origin }: URL, bearer: boolean): void {
    const { journal, origins } = this.#backend;
    if (!bearer || origins.own === "" || origin === origins.own) return;
    journal.add(journal.violations, { connection: undefined, kind: "token-to-other-origin", detail: origin });
  }

  #matchesOf({ pathname }: URL): readonly Match[] {
    const { basePath, profile, settings } = this.#backend;
    if (!pathname.startsWith(`${basePath}/`)) return [];
    return PATTERNS.flatMap(({ route, method, path }) => {
      const found = path.exec(pathname.slice(basePath.length));
      const exists =
        route === "GET /conversations/{id}/messages"
          ? settings.messagesRoute
          : profile !== "v1" || !NEWER.has(route);
      return found && exists ? { route, method, id: decoded(found[1] ?? "") } : [];
    });
  }

  async #delay(ms: number): Promise<void> {
    const waiting = new Interruptible(this.#backend.clock);
    this.#waiting.add(waiting);
    await waiting.delay(ms);
    this.#waiting.delete(waiting);
  }
}

/** Decodes an id; an id with invalid escapes stays as it is. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function json(status: number, body: object): Response {
  const headers = { "content-type": "application/json" };
  return new Response(writePythonJson(body, "compact"), { status, headers });
}
