// The run client's core: HTTP, providers and tool sources.
import { LocalCore } from "../core/client/local-core.ts";
import { ConnectError, HandshakeError } from "../core/errors.ts";
import { Redactor } from "../core/tell/redact.ts";
import { ToolSources } from "./calls/tool-sources.ts";
import { CodebuffRunError } from "./errors.ts";
import { type CodebuffRunClientEvents, RUN_EVENTS } from "./events.ts";
import { Http, type Traffic } from "./http.ts";
import type { CodebuffRunEvent } from "./messages.ts";
import { RunBackend } from "./model/backend.ts";
import { Providers } from "./model/providers.ts";
import type { CodebuffRunSettings } from "./options.ts";
import type { CodebuffRunResult } from "./turn.ts";

export class RunCore extends LocalCore<CodebuffRunEvent, CodebuffRunResult, CodebuffRunClientEvents> {
  readonly settings: CodebuffRunSettings;
  readonly backend: RunBackend | undefined;
  readonly providers: Providers;
  readonly toolSources: ToolSources;

  constructor(settings: CodebuffRunSettings) {
    const { backend, headers, fetch, clock, streamTimeout, providers, maxRetries, maxRetryWait } = settings;
    const redactor = new Redactor();
    super({ settings, events: RUN_EVENTS, redactor, backend: "the backend" });
    this.settings = settings;
    redactor.use("options", backend?.apiKey, ...Object.values(headers));
    if (backend) {
      const { apiKey, baseUrl } = backend;
      const all = { ...headers, authorization: `Bearer ${apiKey}` };
      const traffic: Traffic = {
        frame: (direction, text) => this.frame(direction, text),
        message: (value) => this.message(value),
        input: (work) => this.outbox.run(work),
      };
      const http = new Http({ baseUrl, fetch, headers: all, clock, redactor, traffic });
      this.backend = new RunBackend({ http, clock, apiKey, streamTimeout, traffic });
    }
    const redact = (text: string): string => redactor.redact(text);
    const retries = { maxRetries, maxRetryWait };
    this.providers = new Providers({ providers, backend: this.backend, clock, redact, ...retries });
    const warn = (message: string): void => this.warn("tool-source", redact(message));
    this.toolSources = new ToolSources(settings.toolSources, clock, warn);
  }

  protected override release(): Promise<void> | undefined {
    return this.toolSources.isEmpty ? undefined : this.toolSources.close();
  }

  protected override async look(signal: AbortSignal | undefined): Promise<void> {
    const either = new AbortController();
    const stop = (): void => either.abort(this.closing.aborted ? this.closing.reason : signal?.reason);
    this.closing.addEventListener("abort", stop, { once: true });
    signal?.addEventListener("abort", stop, { once: true });
    try {
      await this.backend?.user(either.signal);
    } catch (error) {
      if (this.closing.aborted) throw this.closing.reason;
      if (signal?.aborted)
        throw new ConnectError("the wait for the backend was aborted", { cause: signal.reason });
      throw error instanceof CodebuffRunError ? connectionError(error) : error;
    } finally {
      this.closing.removeEventListener("abort", stop);
      signal?.removeEventListener("abort", stop);
    }
  }
}

/** The error of `connect()`, which belongs to no turn. */
function connectionError(error: CodebuffRunError): Error {
  const { kind, serverMessage, status, retryable } = error;
  if (kind === "auth") return new HandshakeError("rejected", error.message, { cause: error });
  return new ConnectError(serverMessage, { cause: error, retryable, status });
}
