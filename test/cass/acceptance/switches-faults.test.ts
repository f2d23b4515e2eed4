import { type CassRoute, cassStep, type MockCassOptions } from "agentwire/testing";
import { expect } from "vitest";
import {
  asked,
  collect,
  eventsOf,
  failureOf,
  heard,
  once,
  rejection,
  says,
  sent,
  status,
  walkBackoff,
  works,
} from "../../helpers/cass.ts";
import { browserLike, onEach, type Scene } from "./each.ts";

/** Goes through the silence of a server that hangs in the turn that it has just begun. */
async function sitOut({ server, clock }: Scene): Promise<void> {
  await server.waitFor(() => server.connections.some(({ state }) => state === "zombie"));
  await clock.advance(120_000);
}

// --- death ---

for (const failure of ["drop", "close1000", "zombie", "error"] as const) {
  onEach(
    `switch failure=${failure}: the turn fails, and the next one works`,
    { mock: { failure } },
    async (scene) => {
      const { client, server } = scene;
      walkBackoff(scene);
      server.answer = ({ message }) => (message === "go" ? [cassStep.fail()] : ["yes"]);
      const turn = client.prompt("go");
      if (failure === "zombie") {
        await heard(client, "Generating");
        await sitOut(scene);
      }
      expect(await failureOf(turn)).toMatchObject(
        {
          drop: { code: "connection-lost", closeCode: 1006, delivery: "unknown" },
          close1000: { code: "connection-lost", closeCode: 1000, delivery: "unknown" },
          zombie: { code: "turn-timeout", kind: "idle", delivery: "unknown" },
          error: { code: "turn-failed", origin: "error" },
        }[failure],
      );
      expect(await works(client)).toBe("yes");
      expect(server.connections.length).toBe(failure === "error" ? 1 : 2);
    },
  );
}

for (const at of ["connected", 0, 1, 2, "stored"] as const) {
  for (const by of ["drop", "close1000", "zombie", 1011] as const) {
    onEach(
      `switch death=${at} ${by}: what was sent is not sent again, and what was not is sent to the next connection`,
      {
        connected: false,
        mock: { perConnection: ({ number }) => (number === 1 ? { death: { at, by } } : {}) },
      },
      async (scene) => {
        const { client, server } = scene;
        walkBackoff(scene);
        server.answer = ({ message }) => [`about ${message}`];
        if (at === "connected") {
          const lost = by === "zombie" ? undefined : once(client, "disconnected");
          await client.connect();
          await lost;
        }
        const [one, two] = [client.prompt("one"), client.prompt("two")];
        if (by === "zombie") {
          await status(client, "ready");
          const word = { 1: "Retrieving", 2: "Generating", stored: "Generating" }[String(at)];
          if (word !== undefined) await heard(client, word);
          await sitOut(scene);
        }
        const outcome = await one.outcome;
        if (at === "connected" && by !== "zombie") {
          expect(outcome).toMatchObject({ result: { text: "about one" } });
        } else {
          expect(outcome).toMatchObject({
            error: { code: by === "zombie" ? "turn-timeout" : "connection-lost", delivery: "unknown" },
          });
        }
        expect((await two.result).text).toBe("about two");
        // A zombie reads nothing any more, not even for the record.
        const isHeard = at !== "connected" || by !== "zombie";
        expect(asked(server)).toEqual([...(isHeard ? ["chat one"] : []), "chat two"]);
      },
    );
  }
}

onEach("switch death=off: a connection lives", async ({ client, server }) => {
  for (let count = 0; count < 3; count++) expect(await works(client)).toBe("Hello!");
  expect(server.connections.length).toBe(1);
});

for (const refuseUpgrade of [false, 403, "never-answered", "wrong-accept"] as const) {
  onEach(
    `switch refuseUpgrade=${refuseUpgrade}: ${refuseUpgrade === false ? "the server is there" : "there is no server, and who asked is told at once"}`,
    { connected: false, mock: { refuseUpgrade } },
    async ({ client, server, clock }) => {
      if (refuseUpgrade === false) {
        await client.connect();
        return;
      }
      const failed = rejection(client.connect());
      if (refuseUpgrade === "never-answered") {
        await server.waitFor(() => server.upgrades.length === 1);
        await clock.advance(10_000);
      }
      expect(await failed).toMatchObject({
        code: refuseUpgrade === "never-answered" ? "connect-timeout" : "connect-failed",
        ...(refuseUpgrade === 403 && !browserLike ? { status: 403, retryable: false } : { retryable: true }),
      });
      expect(client.status).toBe("idle");
      server.refuseUpgrades(undefined);
      expect(await works(client)).toBe("Hello!");
    },
  );
}

// --- transport ---

const ANSWER = "Grüße 👋🏽 und 日本語 ".repeat(200).trim();
for (const chunking of ["whole", "fragmented", "splitUtf8", "coalesced"] as const) {
  onEach(
    `switch chunking=${chunking}: no character is lost`,
    { mock: { chunking } },
    async ({ client, server }) => {
      says(server, ANSWER);
      const turns = [client.prompt("one"), client.prompt("two")];
      for (const { result } of turns) expect((await result).text).toBe(ANSWER);
    },
  );
}

const NOISE = {
  extraFields: [],
  unknownType: ["unknown-message"],
  nonJson: ["unreadable-frame"],
  jsonArray: ["invalid-message"],
  binaryFrame: ["unreadable-frame"],
} as const;
for (const name of ["extraFields", "unknownType", "nonJson", "jsonArray", "binaryFrame"] as const) {
  for (const value of ["off", "injected"] as const) {
    onEach(
      `switch ${name}=${value}: every turn has its own reply, and only what is odd is warned of`,
      { connected: false, mock: { [name]: value }, warns: value === "off" ? [] : NOISE[name] },
      async ({ client, server }) => {
        server.answer = ({ message }) => ["a", cassStep.tools("look"), `about ${message}`];
        const warnings = collect(client, "protocolWarning");
        const unknown = collect(client, "unknownMessage");
        const turns = ["one", "two"].map((message) => client.prompt(message));
        const events = turns.map((turn) => eventsOf(turn));
        for (const [index, turn] of turns.entries())
          expect((await turn.result).text).toContain(`about ${index === 0 ? "one" : "two"}`);
        for (const seen of events) expect(seen.filter(({ type }) => type === "response").length).toBe(1);
        const isNoisy = value === "injected" && name !== "extraFields";
        expect(warnings.length > 0).toBe(isNoisy);
        expect(unknown.length > 0).toBe(value === "injected" && name === "unknownType");
      },
    );
  }
}

for (const ping of ["pong", "bare", "ignored"] as const) {
  onEach(
    `switch ping=${ping}: ${ping === "ignored" ? "a server that never answers is not judged by it" : "a server that has answered and does not any more is found out"}`,
    { mock: { ping } },
    async (scene) => {
      const { client, server, clock } = scene;
      walkBackoff(scene);
      const pong = ping === "ignored" ? undefined : heard(client, "pong");
      await clock.advance(25_000);
      await server.waitFor(() => server.received.length === 1);
      await pong;
      server.set({ ping: "ignored" });
      const back = ping === "ignored" ? undefined : once(client, "reconnected");
      await clock.advance(35_000);
      await back;
      expect(server.connections.length).toBe(ping === "ignored" ? 1 : 2);
      expect(await works(client)).toBe("Hello!");
    },
  );
}

for (const pongDelay of [0, 1_000]) {
  onEach(
    `switch pongDelay=${pongDelay}: a pong within its time is good enough`,
    { mock: { pongDelay } },
    async ({ client, server, clock, profile }) => {
      // One that answers no ping is not asked again before it does.
      for (let count = 1; count <= (profile === "documented" ? 1 : 3); count++) {
        const pong = profile === "documented" ? undefined : heard(client, "pong");
        await clock.advance(25_000 - (count > 1 ? pongDelay : 0));
        await server.waitFor(() => server.received.length === count);
        await clock.advance(pongDelay);
        await pong;
      }
      await clock.advance(20_000);
      expect(server.connections.length).toBe(1);
    },
  );
}

for (const answer of ["answered", "ignored", "unknown"] as const) {
  onEach(
    `switch status=${answer} & difference 12: ${answer === "answered" ? "it is told" : "that there is no answer is an error of its own, and no turn's"}`,
    { mock: { status: answer } },
    async ({ client, server, clock }) => {
      const turn = client.prompt("hi");
      const asking = client.getStatus();
      if (answer === "answered") {
        expect(await asking).toMatchObject({ memoryCount: 42 });
      } else {
        const failed = rejection(asking);
        await turn.result;
        await server.waitFor(() => asked(server).length === 2);
        if (answer === "ignored") await clock.advance(10_000);
        expect(await failed).toMatchObject({
          code: answer === "ignored" ? "request-timeout" : "request-refused",
        });
      }
      expect((await turn.result).text).toBe("Hello!");
    },
  );
}

// --- REST ---

const DIES_STORED = {
  perConnection: ({ number }) => (number === 1 ? { death: { at: "stored", by: "drop" } } : {}),
} satisfies MockCassOptions;

for (const restLatency of [0, 50]) {
  onEach(
    `switch restLatency=${restLatency}: a call waits for its answer`,
    { mock: { restLatency } },
    async ({ client, server, clock }) => {
      const asking = client.rest.getStatus();
      if (restLatency > 0) {
        await clock.timer(restLatency);
        expect(server.requests[0]?.status).toBeUndefined();
        await clock.advance(restLatency);
      }
      expect(await asking).toMatchObject({ online: true });
    },
  );
}

for (const code of [undefined, 503]) {
  onEach(
    `switch restStatus=${code ?? "usual"}: ${code ? "a call that may be repeated is tried three times" : "a call is answered"}`,
    { mock: { restStatus: code ? { ["GET /status" satisfies CassRoute]: code } : {} } },
    async ({ client, server, clock }) => {
      if (!code) {
        expect(await client.rest.getStatus()).toMatchObject({ online: true });
        return;
      }
      const failed = rejection(client.rest.getStatus());
      await clock.pass(250, 500);
      expect(await failed).toMatchObject({
        name: "CassApiError [request-refused]",
        status: 503,
        retryable: true,
      });
      expect(server.requests.length).toBe(3);
    },
  );
}

for (const persistence of ["beforeResponse", "late", "never"] as const) {
  onEach(
    `switch persistence=${persistence}: ${persistence === "never" ? "what is nowhere is given up in time" : "a lost reply is found when it is there"}`,
    {
      mock: { persistence, persistDelay: 900, ...DIES_STORED },
      client: { recover: true, recoverTimeout: 4_000 },
    },
    async ({ client, server, clock, user }) => {
      const { id } = server.addConversation({ userId: user.userId });
      const turn = client.prompt({ message: "go", conversationId: id });
      if (persistence === "late") await clock.pass(1_000);
      if (persistence === "never") await clock.pass(1_000, 2_000, 1_000);
      expect(await turn.outcome).toMatchObject(
        persistence === "never"
          ? { error: { code: "connection-lost", delivery: "unknown" } }
          : { result: { text: "Hello!", recovered: true } },
      );
    },
  );
}

for (const persistDelay of [900, 5_000]) {
  onEach(
    `switch persistDelay=${persistDelay}: the search waits longer each time`,
    { mock: { persistence: "late", persistDelay, ...DIES_STORED }, client: { recover: true } },
    async ({ client, server, clock, user }) => {
      const { id } = server.addConversation({ userId: user.userId });
      const turn = client.prompt({ message: "go", conversationId: id });
      await clock.pass(...(persistDelay === 900 ? [1_000] : [1_000, 2_000, 4_000]));
      expect(await turn.result).toMatchObject({ text: "Hello!", recovered: true });
    },
  );
}

for (const rateLimits of [true, false]) {
  onEach(
    `switch rateLimits=${rateLimits}: who logs in too often is ${rateLimits ? "told, and not tried again" : "let in"}`,
    { mock: { rateLimits } },
    async ({ client, server, user: { email, password } }) => {
      for (let count = 0; count < 10; count++) await client.rest.login({ email, password });
      const again = client.rest.login({ email, password });
      if (rateLimits) expect(await rejection(again)).toMatchObject({ status: 429, retryable: true });
      else await again;
      expect(server.requests.length).toBe(11);
    },
  );
}

// --- what a test declares ---

for (const pipelining of [false, true]) {
  onEach(
    `switch pipelining=${pipelining} & 5 rule 3: replies come to the turns in their order`,
    {
      mock: { pipelining, ...(pipelining ? { unreadFrame: "queue" } : {}) },
      client: { maxTurnsInFlight: pipelining ? 3 : 1 },
    },
    async ({ client, server, clock }) => {
      server.answer = ({ message }) => [cassStep.delay(100), `about ${message}`];
      const turns = ["one", "two", "three"].map((message) => client.prompt(message));
      await server.waitFor(() => server.turns.length === 1);
      if (pipelining) await server.waitFor(() => asked(server).length === 3);
      expect(asked(server).length).toBe(pipelining ? 3 : 1);
      for (const [index, turn] of turns.entries()) {
        await server.waitFor(() => server.turns.length === index + 1);
        await clock.advance(100);
        expect((await turn.result).text).toBe(`about ${["one", "two", "three"][index]}`);
      }
    },
  );
}

onEach(
  "switch unreadFrame=1011 & difference 13: a turn of a minute loses nothing, because nothing is sent while it runs",
  { mock: { unreadFrame: "1011", status: "answered" } },
  async ({ client, server, clock }) => {
    server.answer = ({ message }) => [cassStep.delay(60_000), `about ${message}`];
    const turns = ["one", "two"].map((message) => client.prompt(message));
    await server.waitFor(() => server.turns.length === 1);
    const asking = client.getStatus();
    for (const [index, turn] of turns.entries()) {
      await server.waitFor(() => server.turns.length === index + 1);
      await clock.advance(60_000);
      expect((await turn.result).text).toBe(`about ${["one", "two"][index]}`);
      expect(await asking).toMatchObject({ sdkMode: true }); // before the second turn is over
    }
    expect(server.connections.length).toBe(1);
  },
);

onEach(
  "switch unreadFrame=1011: with `maxTurnsInFlight` above 1 the server ends the connection, and both turns are lost",
  {
    mock: { unreadFrame: "1011", pipelining: true, answer: () => [cassStep.hang()] },
    client: { maxTurnsInFlight: 2, reconnect: false },
  },
  async ({ client, server, clock }) => {
    const turns = ["one", "two"].map((message) => client.prompt(message));
    await server.waitFor(() => asked(server).length === 2);
    await clock.advance(40_000);
    const lost = { code: "connection-lost", delivery: "unknown", closeCode: 1011 };
    expect(await Promise.all(turns.map(failureOf))).toMatchObject([lost, lost]);
  },
);

onEach(
  "switch unreadFrame=queue: with `maxTurnsInFlight` above 1 prompts and the status are sent during a turn",
  {
    mock: { unreadFrame: "queue", pipelining: true, status: "answered" },
    client: { maxTurnsInFlight: 2 },
  },
  async ({ client, server, clock }) => {
    server.answer = ({ message }) => [cassStep.delay(60_000), `about ${message}`];
    const turns = ["one", "two"].map((message) => client.prompt(message));
    await server.waitFor(() => asked(server).length === 2);
    const asking = client.getStatus();
    await server.waitFor(() => asked(server).length === 3);
    for (const [index, turn] of turns.entries()) {
      await server.waitFor(() => server.turns.length === index + 1);
      await clock.advance(60_000);
      expect((await turn.result).text).toBe(`about ${["one", "two"][index]}`);
    }
    expect(await asking).toMatchObject({ sdkMode: true });
    expect(server.connections.length).toBe(1);
  },
);

for (const resends of [false, true]) {
  onEach(
    `switch resends=${resends}: a lost prompt is sent again by ${resends ? "the caller alone" : "nobody"}`,
    {
      mock: {
        resends,
        perConnection: ({ number }) => (number === 1 ? { death: { at: 1, by: "drop" } } : {}),
      },
    },
    async (scene) => {
      const { client, server } = scene;
      walkBackoff(scene);
      expect(await failureOf(client.prompt("go"))).toMatchObject({ delivery: "unknown" });
      await status(client, "ready");
      if (resends) await client.prompt("go").result;
      expect(sent(server)).toEqual(resends ? ["chat go", "chat go"] : ["chat go"]);
    },
  );
}
