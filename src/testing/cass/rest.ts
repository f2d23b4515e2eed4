// Finds the route of a REST call, and answers it.
import type { Clock } from "../../core/clock.ts";
import { Interruptible } from "../server/interruptible.ts";
import { writePythonJson } from "../server/python-json.ts";
import type { CassBackend } from "./backend.ts";
import { accepted } from "./identity.ts";
import type { OpenRequest } from "./journal.ts";
import type { ProfileName, Settings } from "./profiles.ts";
import { redactedBody, redactedHeaders, redactedPath } from "./redact.ts";
import * as auth from "./rest-auth.ts";
import { jsonObject, Refusal, type RestHandler, type RestReply } from "./rest-call.ts";
import * as conversations from "./rest-conversations.ts";
import * as settingsRoutes from "./rest-settings.ts";
import type { CassRoute } from "./routes.ts";

const HANDLERS: { readonly [route in CassRoute]: RestHandler } = {
  "POST /auth/register": auth.register,
  "POST /auth/login": auth.login,
  "POST /auth/refresh": auth.refresh,
  "GET /auth/me": auth.me,
  "POST /conversations/new": conversations.create,
  "GET /conversations": conversations.list,
  "GET /conversations/continuous": conversations.continuous,
  "GET /conversations/{id}/messages": conversations.readMessages,
  "GET /conversations/{id}": conversations.read,
  "PUT /conversations/{id}/title": conversations.rename,
  "DELETE /conversations/{id}": conversations.remove,
  "GET /settings/llm-provider": settingsRoutes.readProvider,
  "POST /settings/llm-provider": settingsRoutes.setProvider,
  "POST /settings/llm-model": settingsRoutes.setModel,
  "GET /status": settingsRoutes.status,
  "GET /gestures/library": settingsRoutes.library,
  "GET /audio/{id}.wav": settingsRoutes.audio,
};

/** Routes as they are matched: a fixed path before one with an id. */
const ROUTES = Object.entries(HANDLERS).map(([name, handler]) => {
  const [method = "", path = ""] = name.split(" ");
  const pattern = path.replaceAll(".", "\\.").replace("{id}", "([^/]+)");
  return { name, method, path: new RegExp(`^${pattern}$`), handler };
});

/** What the older server does not have yet. */
const NEWER: ReadonlySet<CassRoute> = new Set(["GET /conversations/continuous", "POST /settings/llm-model"]);

const MINUTE = 60_000;
/** How often a route may be called in a minute. */
const RATES: { readonly [route in CassRoute]?: number } = {
  "POST /auth/register": 5,
  "POST /auth/login": 10,
  "POST /auth/refresh": 30,
};
const V1_RATES: { readonly [route in CassRoute]?: number } = { ...RATES, "POST /conversations/new": 30 };

interface Match {
  readonly route: CassRoute;
  readonly handler: RestHandler;
  readonly id: string;
}

/** The HTTP side of the server. */
export class Rest {
  readonly #backend: CassBackend;
  readonly #calls = new Map<CassRoute, readonly number[]>();
  readonly #waiting = new Set<Interruptible>();

  constructor(backend: CassBackend) {
    this.#backend = backend;
  }

  async fetch(request: Request): Promise<Response> {
    const { clock, journal, profile, settings, tokens, basePath } = this.#backend;
    const url = new URL(request.url);
    const bearer = /^Bearer (.*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    const token = tokens.read(bearer);
    this.#blameForOrigin(url, bearer !== undefined);
    const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : undefined;
    const matches = path === undefined ? [] : matchesOf(path, profile, settings);
    const match = matches.find(({ method }) => method === request.method)?.match;
    const text = await request.text();
    const body = jsonObject(text);
    const record: OpenRequest = {
      at: clock.now(),
      method: request.method,
      path: redactedPath(url),
      route: match?.route,
      userId: accepted(token, settings) ?? null,
      headers: redactedHeaders(request.headers),
      body: redactedBody(body),
      status: undefined,
    };
    journal.add(journal.requests, record);
    if (settings.restLatency > 0) await this.#delay(clock, settings.restLatency);

    const reply = match
      ? this.#reply(match, url, body ?? {}, token)
      : matches.length > 0
        ? { status: 405, body: { detail: "Method Not Allowed" } }
        : { status: 404, body: { detail: "Not Found" } };
    record.status = reply.status;
    journal.changed();
    return responseOf(reply);
  }

  /** Answers whatever waits. */
  stop(): void {
    for (const waiting of this.#waiting) waiting.stop();
  }

  #reply(
    match: Match,
    url: URL,
    body: Readonly<Record<string, unknown>>,
    token: Parameters<typeof accepted>[0],
  ): RestReply {
    const backend = this.#backend;
    const { settings } = backend;
    const forced = settings.restStatus[match.route];
    if (forced !== undefined) return { status: forced, body: { detail: `As the test wants it: ${forced}` } };
    const limit = this.#limitOf(match.route, settings);
    if (limit !== undefined) return { status: 429, body: { error: `Rate limit exceeded: ${limit}` } };
    try {
      return match.handler({ ...match, query: url.searchParams, body, token, backend, settings });
    } catch (error) {
      if (error instanceof Refusal) return error.reply;
      throw error;
    }
  }

  /** The limit that a call is over, in words. */
  #limitOf(route: CassRoute, { rateLimits, rejectRefresh }: Settings): string | undefined {
    const rate = (this.#backend.profile === "v1" ? V1_RATES : RATES)[route];
    if (rate === undefined) return undefined;
    const words = `${rate} per 1 minute`;
    if (route === "POST /auth/refresh" && rejectRefresh === 429) return words;
    const now = this.#backend.clock.now();
    const recent = (this.#calls.get(route) ?? []).filter((at) => now - at < MINUTE);
    if (rateLimits && recent.length >= rate) return words;
    this.#calls.set(route, [...recent, now]);
    return undefined;
  }

  #blameForOrigin({ origin }: URL, bearer: boolean): void {
    const { journal, origins } = this.#backend;
    if (!bearer || origins.own === "" || origin === origins.own) return;
    journal.add(journal.violations, { connection: undefined, kind: "token-to-other-origin", detail: origin });
  }

  async #delay(clock: Clock, ms: number): Promise<void> {
    const waiting = new Interruptible(clock);
    this.#waiting.add(waiting);
    await waiting.delay(ms);
    this.#waiting.delete(waiting);
  }
}

function matchesOf(
  path: string,
  profile: ProfileName,
  settings: Settings,
): readonly { readonly method: string; readonly match: Match }[] {
  const found = ROUTES.flatMap(({ name, method, path: pattern, handler }) => {
    const groups = pattern.exec(path);
    if (!groups || !isRoute(name) || !exists(name, profile, settings)) return [];
    return [{ method, match: { route: name, handler, id: decoded(groups[1] ?? "") } }];
  });
  return found;
}

/** As somebody has escaped it, or has not. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function isRoute(name: string): name is CassRoute {
  return Object.hasOwn(HANDLERS, name);
}

function exists(route: CassRoute, profile: ProfileName, settings: Settings): boolean {
  if (route === "GET /conversations/{id}/messages") return settings.messagesRoute;
  return profile !== "v1" || !NEWER.has(route);
}

function responseOf({ status, body, bytes }: RestReply): Response {
  if (bytes) return new Response(bytes.data, { status, headers: { "content-type": bytes.type } });
  const headers = { "content-type": "application/json" };
  return new Response(writePythonJson(body, "compact"), { status, headers });
}
