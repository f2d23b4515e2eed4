// What docs/testing.md shows of the Codebuff backend. Each function holds one region and gives it what it takes for granted.
import { MockCodebuffBackend } from "agentwire/testing";

interface Held {
  readonly backend: MockCodebuffBackend;
  readonly open: () => void;
}

export async function scripted(): Promise<Held> {
  // #region testing-backend
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const call = { name: "read_files", arguments: { paths: ["a.ts"] } };
  const backend = await MockCodebuffBackend.start({
    answer: [
      { text: "I will look.", toolCalls: [call], usage: { cost: 0.05 } },
      { text: ["All ", gate, "done."] }, // the stream stays open until the test calls open()
    ],
  });
  backend.fault("chat", { status: 503, times: 1 });
  console.log(backend.url, backend.apiKey); // http://127.0.0.1:PORT test-key
  // #endregion
  return { backend, open };
}
