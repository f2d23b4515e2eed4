// `AcpCore`: the shared parts of the ACP client: settings, redaction, what the client offers to agents.
import type { CloseOptions } from "../core/client/agent-client.ts";
import { LocalCore } from "../core/client/local-core.ts";
import { deferred } from "../core/deferred.ts";
import { ConnectError } from "../core/errors.ts";
import { Redactor } from "../core/tell/redact.ts";
import { isCredentialVariable } from "../process/environment.ts";
import { ACP_EVENTS, type AcpClientEvents } from "./events.ts";
import type { AcpSettings } from "./options.ts";
import type { AcpEvent, AcpResult } from "./turn.ts";

/** The connections of the client, which are made after its core. */
interface Connections {
  /** Resolves when an agent is ready. */
  connect(): Promise<unknown>;
  /** Ends the agent. Undefined if there is none. */
  end(force: boolean): Promise<void> | undefined;
}

export class AcpCore extends LocalCore<AcpEvent, AcpResult, AcpClientEvents> {
  readonly settings: AcpSettings;
  /** Removes keys from the agent's words. */
  readonly clean: (text: string) => string;
  connections: Connections | undefined;
  #isForced = false;

  constructor(settings: AcpSettings) {
    const { env, keepEnv, mcpServers } = settings;
    const redactor = new Redactor();
    super({ settings, events: ACP_EVENTS, redactor, backend: "the agent" });
    const kept = keepEnv.map((name): [string, string] => [name, process.env[name] ?? ""]);
    const variables = [...Object.entries(env), ...kept].filter(([name, value]) =>
      isCredentialVariable(name, value),
    );
    const secrets = mcpServers.flatMap((server) =>
      Object.values(("url" in server ? server.headers : server.env) ?? {}),
    );
    redactor.use("options", ...variables.map(([, value]) => value), ...secrets);
    this.settings = settings;
    this.clean = (text) => redactor.redact(text);
  }

  /** What agents may ask of this machine: only what an option opens. */
  get clientCapabilities(): object {
    const { files, readFiles, onQuestion } = this.settings;
    const handlers = files?.handlers ?? {};
    const isWritable = "write_file" in handlers;
    return {
      fs: { readTextFile: files !== undefined && readFiles, writeTextFile: isWritable },
      terminal: "run_terminal_command" in handlers,
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      ...(onQuestion === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    };
  }

  override close(options: CloseOptions = {}): Promise<void> {
    this.#isForced ||= options.force === true;
    return super.close(options);
  }

  protected override async look(signal: AbortSignal | undefined): Promise<void> {
    const { closing } = this;
    const aborted = deferred<never>();
    const onClose = (): void => aborted.reject(closing.reason);
    const onAbort = (): void =>
      aborted.reject(new ConnectError("the wait for the agent was aborted", { cause: signal?.reason }));
    closing.addEventListener("abort", onClose, { once: true });
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.connections?.connect(), aborted.promise]);
    } finally {
      closing.removeEventListener("abort", onClose);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  protected override release(): Promise<void> | undefined {
    return this.connections?.end(this.#isForced);
  }
}
