// The language models that the server may use.

/** Who makes the language model. */
export type CassProvider = "anthropic" | "openai" | "local";

export const PROVIDERS: readonly CassProvider[] = ["anthropic", "openai", "local"];

/** The provider and its model at one time. A socket keeps those of the time when it was opened. */
export interface CassModel {
  readonly provider: CassProvider;
  readonly model: string;
}

/** Which language model the server uses: one for all, and changed for all. */
export class Models {
  readonly enabled: ReadonlySet<CassProvider>;
  readonly #models: Map<CassProvider, string>;
  #provider: CassProvider;

  constructor(
    provider: CassProvider,
    enabled: readonly CassProvider[],
    models: Readonly<Record<CassProvider, string>>,
  ) {
    this.enabled = new Set(enabled);
    this.#provider = provider;
    this.#models = new Map(PROVIDERS.map((name) => [name, models[name]]));
  }

  get current(): CassModel {
    return { provider: this.#provider, model: this.modelOf(this.#provider) };
  }

  modelOf(provider: CassProvider): string {
    return this.#models.get(provider) ?? "";
  }

  use(provider: CassProvider): void {
    this.#provider = provider;
  }

  /** The model of the current provider. */
  choose(model: string): void {
    this.#models.set(this.#provider, model);
  }
}

/** What the server says in its status while a model of this provider is at work. */
export function spokenName(provider: CassProvider): string {
  switch (provider) {
    case "anthropic":
      return "Claude";
    case "openai":
      return "OpenAI";
    case "local":
      return "local model";
  }
}
