// An agent over stdio, for tests of its process. Its first argument is a JSON object of switches.
import { acpAgent } from "agentwire/acp/agent";
import { agentStep, MockAgent } from "agentwire/testing";

interface Switches {
  /** Keeps the process alive after everything. */
  readonly lingers?: boolean;
  /** The chats close never. */
  readonly neverCloses?: boolean;
  readonly closeTimeout?: number;
}

const { lingers, neverCloses, closeTimeout = 5_000 }: Switches = JSON.parse(process.argv[2] ?? "{}");
if (lingers) setInterval(() => {}, 60_000);

const agent = new MockAgent({
  *script({ text }) {
    console.log("the app prints");
    process.stdout.write("and writes\n");
    if (text === "hang") yield* ["On ", agentStep.hang()];
    if (text === "approve") {
      const { state } = yield* agentStep.tool({ name: "shell", input: { command: "ls" }, approval: true });
      yield `It is ${state}. `;
    }
    yield `You said: ${text}`;
  },
});
if (neverCloses) {
  const make = agent.client.bind(agent);
  agent.client = () => Object.assign(make(), { close: () => new Promise<void>(() => {}) });
}
await acpAgent(() => agent, { closeTimeout }).stdio();
console.error(`served: ${agent.clients.map(({ status }) => status).join()}`);
