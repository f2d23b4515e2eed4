// #region cass-first
import { CassClient, CassRest } from "agentwire/cass";

const {
  CASS_URL: url = "ws://127.0.0.1:8000/ws",
  CASS_EMAIL: email = "",
  CASS_PASSWORD: password = "",
} = process.env;

const { accessToken, refreshToken } = await new CassRest({ url }).login({ email, password });
const client = new CassClient({ url, token: accessToken, refreshToken });
try {
  const turn = client.prompt("Hello! Who are you?");
  for await (const event of turn) {
    if (event.type === "thinking") console.log(event.status); // Retrieving memories...
    if (event.type === "response") console.log(event.text); // the whole answer, without tags
  }
  const { animations, usage } = await turn.result;
  console.log(animations.map(({ name }) => name).join(), usage?.outputTokens); // wave,happy 150
} finally {
  await client.close();
}
// #endregion
