// The names of the REST routes.

/** The REST routes of the server. */
export type CassRoute =
  | "POST /auth/register"
  | "POST /auth/login"
  | "POST /auth/refresh"
  | "GET /auth/me"
  | "POST /conversations/new"
  | "GET /conversations"
  | "GET /conversations/continuous"
  | "GET /conversations/{id}"
  | "GET /conversations/{id}/messages"
  | "PUT /conversations/{id}/title"
  | "DELETE /conversations/{id}"
  | "GET /settings/llm-provider"
  | "POST /settings/llm-provider"
  | "POST /settings/llm-model"
  | "GET /status"
  | "GET /gestures/library"
  | "GET /audio/{id}.wav";
