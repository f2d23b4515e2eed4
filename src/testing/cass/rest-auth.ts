// REST routes for registration, login and tokens.
import { accepted } from "./identity.ts";
import { ok, Refusal, type RestCall, type RestHandler, texts } from "./rest-call.ts";

const EMAIL = /^[^@\s]+@[^@\s]+$/;

export const register: RestHandler = ({ body, backend, settings }) => {
  const { email, password, display_name } = texts(body, "email", "password", "display_name");
  if (!EMAIL.test(email)) {
    const msg = "value is not a valid email address";
    throw new Refusal(422, [{ type: "value_error", loc: ["body", "email"], msg, input: email }]);
  }
  if (backend.accounts.withEmail(email)) throw new Refusal(400, "Email already registered");
  const { userId } = backend.addAccount({ email, password, displayName: display_name });
  return ok({ user_id: userId, ...backend.tokenPair(userId, settings), token_type: "bearer" });
};

export const login: RestHandler = ({ body, backend, settings }) => {
  const { email, password } = texts(body, "email", "password");
  const account = backend.accounts.withEmail(email);
  if (!account || account.password !== password || settings.deletedUser)
    throw new Refusal(401, "Invalid email or password");
  const { userId } = account;
  return ok({ user_id: userId, ...backend.tokenPair(userId, settings), token_type: "bearer" });
};

export const refresh: RestHandler = (call) => {
  const { body, backend, settings } = call;
  const { refresh_token } = texts(body, "refresh_token");
  if (settings.rejectRefresh === 401) throw new Refusal(401, "Invalid refresh token");
  const reading = backend.tokens.read(refresh_token);
  if (reading.kind === "missing" || reading.kind === "invalid")
    throw new Refusal(401, "Invalid refresh token");
  if (reading.kind !== "refresh") throw new Refusal(401, "Invalid token type");
  if (!backend.accountOf(reading.userId, settings)) throw new Refusal(401, "User not found");
  return ok({ ...backend.tokenPair(reading.userId, settings), token_type: "bearer" });
};

export const me: RestHandler = (call) => {
  const userId = accepted(call.token, call.settings) ?? trusted(call);
  if (userId === undefined) throw new Refusal(401, "Not authenticated");
  const account = call.backend.accountOf(userId, call.settings);
  // It is no error to the real server.
  if (!account) return ok({ error: "User not found" });
  const { displayName, email, relationship, createdAt } = account;
  return ok({ user_id: userId, display_name: displayName, email, relationship, created_at: createdAt });
};

function trusted({ settings }: RestCall): string | undefined {
  const { localhostBypass, localhostUser } = settings;
  return (localhostBypass ? localhostUser : null) ?? undefined;
}
