// Finds the route of a request.
import type { BackendEndpoint } from "./record.ts";

export interface Route {
  readonly endpoint: BackendEndpoint | undefined;
  /** The values of its placeholders, in order. */
  readonly parameters: readonly string[];
  /** Whether this is the path of a direct provider. */
  readonly direct: boolean;
}

/** The methods and paths of the endpoints; `*` is a placeholder. */
const ROUTES: { readonly [endpoint in BackendEndpoint]: string } = {
  healthz: "GET /api/healthz",
  me: "GET /api/v1/me",
  agents: "GET /api/v1/agents/*/*/*",
  "agent-runs": "POST /api/v1/agent-runs",
  steps: "POST /api/v1/agent-runs/*/steps",
  "token-count": "POST /api/v1/token-count",
  chat: "POST /api/v1/chat/completions",
  "web-search": "POST /api/v1/web-search",
  "docs-search": "POST /api/v1/docs-search",
};

export const ENDPOINTS = Object.keys(ROUTES) as readonly BackendEndpoint[];

const NOWHERE: Route = { endpoint: undefined, parameters: [], direct: false };

/** The route of a request. @param openAiCompatible whether the direct provider's path exists */
export function routeOf(method: string, path: string, openAiCompatible: boolean): Route {
  if (openAiCompatible && method === "POST" && path === "/v1/chat/completions")
    return { endpoint: "chat", parameters: [], direct: true };
  for (const endpoint of ENDPOINTS) {
    const parameters = parametersOf(ROUTES[endpoint], `${method} ${path}`);
    if (parameters) return { endpoint, parameters: parameters.map(decoded), direct: false };
  }
  return NOWHERE;
}

/** The segments in place of `*`, if the request has this route. */
function parametersOf(route: string, request: string): readonly string[] | undefined {
  const expected = route.split("/");
  const segments = request.split("/");
  const fits = (segment: string, at: number) =>
    expected[at] === "*" ? segment !== "" : segment === expected[at];
  if (segments.length !== expected.length || !segments.every(fits)) return undefined;
  return segments.filter((_, at) => expected[at] === "*");
}

/** Decodes one path segment, such as `publisher%2Fname`. Invalid encoding stays unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
