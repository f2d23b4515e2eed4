// What docs/testing.md shows of the Codebuff backend. Each function holds one region and gives it what it takes for granted.
import { MockCodebuffBackend } from "agentwire/testing";

export interface Held {
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

export async function watched({ backend, open }: Held): Promise<void> {
  // #region testing-backend-run
  await backend.waitFor(() => backend.runs()[0]?.chatCalls === 2); // your app is at work
  open();
  const finish = await backend.waitFor(() => backend.runs()[0]?.finish);
  console.log(finish.status, finish.totalCredits); // completed 5
  console.log(backend.requests({ endpoint: "chat" }).map(({ response }) => response?.status)); // [ 503, 200, 200 ]
  console.log(backend.violations); // what your app did wrong
  await backend.stop();
  // #endregion
}
