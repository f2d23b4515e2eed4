import { styleText } from "node:util";
import { CassClient, type CassEvent, CassRest, type CassResult, type Turn } from "agentwire/cass";
import { type CassAnswer, cassStep, MockCassServer } from "agentwire/testing";
import { label, type Stage } from "./stage.ts";

const LOGIN = { email: "ada@cass.example", password: "correct horse" };
const FIRST = "Good morning! What did I want to do today?";
const SECOND = "And what comes first?";

/**
 * Logs in, asks an agent that remembers and has gestures, and asks it once more while its link is cut behind the answer.
 * Returns what there is to say of it in the summary.
 */
export async function memory(stage: Stage, pace: number): Promise<string> {
  await using server = await MockCassServer.start({ answer: remember(pace) });
  server.addUser(LOGIN);
  const rest = new CassRest({ url: server.url });
  const { accessToken: token, refreshToken } = await rest.login(LOGIN);
  const client = new CassClient({ url: server.url, token, refreshToken, recover: true });
  client.on("recovering", () => {
    stage.line(styleText("red", "       the link broke before the answer came"));
  });
  const titled = new Promise<string>((resolve) => client.on("title", ({ title }) => resolve(title)));
  try {
    await client.connect();
    const known = client.identity?.verified ? "the server takes us for who we are" : "nobody knows as whom";
    stage.note(`logged in, and ${known}`);
    const { id } = await client.rest.newConversation();
    const chat = client.conversation({ id });
    const first = await show(FIRST, chat.prompt(FIRST), stage);
    stage.note(`the conversation is called "${await titled}" now`);
    const second = await show(SECOND, chat.prompt(SECOND), stage);
    if (second.recovered) stage.note("found again in what the server has stored; it was asked once");
    return `${server.turns.length} prompts to Cass, ${second.recovered ? 1 : 0} reply found again; ${first.animations.length} gestures`;
  } finally {
    await client.close();
  }
}

/** One question, what the server says of its progress, and the answer with its gestures in their places. */
async function show(text: string, turn: Turn<CassEvent, CassResult>, stage: Stage): Promise<CassResult> {
  stage.line(`${label("you")}${text}`);
  for await (const event of turn) {
    if (event.type !== "thinking") continue;
    const { progress, status } = event;
    stage.note(progress.kind === "tools" ? `uses ${progress.tools.join(" and ")}` : status);
  }
  const result = await turn.result;
  stage.line(label("agent") + acted(result));
  return result;
}

function acted({ text, animations }: CassResult): string {
  let shown = "";
  let from = 0;
  for (const { name, offset = text.length } of animations) {
    const before = text.slice(from, offset);
    const gap = /\S$/.test(before) ? " " : "";
    shown += `${before}${gap}${styleText("magenta", `*${name}*`)} `;
    from = offset;
  }
  return (shown + text.slice(from)).trimEnd();
}

/** Looks into its journal; the link of the second answer is cut when it is stored, and not sent yet. */
function remember(pace: number): CassAnswer {
  return ({ number }) => ({
    switches: number === 1 ? {} : { death: { at: "stored", by: "drop" } },
    script: number === 1 ? journal(pace) : [cassStep.delay(pace * 10), "The plants: they wait longest."],
  });
}

function* journal(pace: number) {
  yield cassStep.delay(pace * 10);
  yield cassStep.tools("recall_journal");
  yield cassStep.delay(pace * 10);
  yield "<gesture:wave> Good morning! You wanted to water the plants, <emote:happy:0.8> and to call home.";
  yield cassStep.title("Plans for today");
}
