// The credits of the mock server's user.

/** What a usage-response says. */
export interface AccountFigures {
  readonly usage: number;
  readonly remainingBalance: number;
  /** Numbers under any of `free`, `referral`, `purchase`, `admin`, `organization`. */
  readonly balanceBreakdown?: { readonly [source: string]: number };
  /** ISO 8601. */
  readonly next_quota_reset: string | null;
  readonly autoTopupAdded?: number;
  readonly autoTopupEnabled?: boolean;
}

const NEXT_QUOTA_RESET = "2025-11-01T00:00:00.000Z";

/** The credits of the one user that a server has. */
export class Account {
  readonly #granted: number;
  #used = 0;

  constructor(granted: number) {
    this.#granted = granted;
  }

  charge(credits: number): void {
    this.#used += credits;
  }

  get figures(): AccountFigures {
    const remainingBalance = this.#granted - this.#used;
    return {
      usage: this.#used,
      remainingBalance,
      balanceBreakdown: { free: remainingBalance },
      next_quota_reset: NEXT_QUOTA_RESET,
    };
  }
}
