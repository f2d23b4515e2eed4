// The names of the REST routes.

export const ROUTES = [
  "POST /auth/register",
  "POST /auth/login",
  "POST /auth/refresh",
  "GET /auth/me",
  "POST /conversations/new",
  "GET /conversations",
  "GET /conversations/continuous",
  "GET /conversations/{id}/messages",
  "GET /conversations/{id}",
  "PUT /conversations/{id}/title",
  "DELETE /conversations/{id}",
  "GET /settings/llm-provider",
  "POST /settings/llm-provider",
  "POST /settings/llm-model",
  "GET /status",
  "GET /gestures/library",
  "GET /audio/{id}.wav",
] as const;

/** The REST routes of the server. */
export type CassRoute = (typeof ROUTES)[number];
