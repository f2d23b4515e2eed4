// The servers of all runtimes, on loopback, in Node: mocks of the package. They answer by the words of a prompt, and keep nothing between two programs.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createRelay, memoryLog } from "agentwire/server";
import { relayListener } from "agentwire/server/node";
import {
  agentStep,
  codeyStep,
  codeyTool,
  MockAgent,
  MockCassServer,
  MockCodebuffServer,
  MockCodeyServer,
  step,
} from "agentwire/testing";
import type { Addresses } from "./addresses.ts";

const codebuff = await MockCodebuffServer.start({
  profile: "codebuff",
  *answer({ messages }) {
    const said = wordsOf(messages.at(-1)?.content);
    if (said === "fail") yield step.promptError({ message: "The model is away." });
    else if (said === "cut") {
      yield "part";
      yield step.drop();
    } else if (said === "hang") {
      yield "part";
      yield step.hang();
    } else if (said === "garbage") {
      yield step.raw("{no json");
      yield "fine";
    } else if (said === "huge") yield "x".repeat(300_000);
    else if (said === "many") for (let piece = 0; piece < 2_000; piece++) yield `${piece} `;
    else if (said === "count") yield String(messages.length);
    else {
      yield "You said: ";
      yield said;
    }
  },
});

const codey = await MockCodeyServer.start({
  *answer({ content }) {
    yield "Let me look. ";
    if (content === "hang") yield codeyStep.hang();
    const [ls] = yield* codeyStep.calls(codeyTool.shell("ls", "a.txt\n"));
    yield ls?.state === "denied" ? "As you like." : "One file.";
  },
});

const cass = await MockCassServer.start({ answer: ({ message }) => [`You said: ${message} <gesture:wave>`] });

const relay = createRelay({
  source: () =>
    new MockAgent({
      *script() {
        yield "Let me look. ";
        yield* agentStep.tool({ name: "shell", input: { command: "ls" }, output: "a.txt", approval: true });
        yield "One file.";
      },
    }),
  log: memoryLog(),
  authorize: () => ({ user: "user_1" }),
  origins: "*",
});
const relayed = relayListener(relay.handler);
const http = createServer((request, response) => {
  if (request.url?.startsWith("/v1/") !== true) return relayed(request, response);
  model(request, response);
});
const closed = createServer().listen(0, "127.0.0.1");
await once(closed, "listening");
const nobody = `ws://127.0.0.1:${portOf(closed)}/`;
closed.close();
http.listen(0, "127.0.0.1", () => {
  const origin = `http://127.0.0.1:${portOf(http)}`;
  const addresses: Addresses = {
    codebuff: codebuff.url,
    codey: codey.url,
    cass: { url: cass.url, token: cass.addUser().accessToken },
    model: `${origin}/v1`,
    relay: `${origin}/chats`,
    nobody,
  };
  console.log(JSON.stringify(addresses));
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** OpenAI's API, as far as a streamed answer needs it. The word "hang" in a request keeps its answer open. */
function model(request: IncomingMessage, response: ServerResponse): void {
  const open = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*",
    "content-type": "text/event-stream",
  };
  response.writeHead(request.method === "OPTIONS" ? 204 : 200, open);
  if (request.method === "OPTIONS") return void response.end();
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => {
    const say = (choice: object): void => {
      response.write(`data: ${JSON.stringify({ id: "1", choices: [{ index: 0, ...choice }] })}\n\n`);
    };
    say({ delta: { role: "assistant", content: "From " } });
    if (body.includes("hang")) return;
    say({ delta: { content: "a model \u{1f389}." } });
    say({ delta: {}, finish_reason: "stop" });
    response.end("data: [DONE]\n\n");
  });
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return unwrapped(content);
  const parts = content as readonly { readonly text?: string }[] | undefined;
  return unwrapped((parts ?? []).map(({ text = "" }) => text).join(""));
}

/** The original server's agents wrap what the user has said. */
function unwrapped(text: string): string {
  return /<user_message>([\s\S]*)<\/user_message>/.exec(text)?.[1] ?? text;
}
