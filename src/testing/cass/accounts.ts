// The users of the mock Cass server.

/** A user, as a test sees one. */
export interface CassUser {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
}

/** A user, as the server keeps one. */
export interface Account extends CassUser {
  readonly password: string;
  readonly relationship: string;
  readonly createdAt: string;
}

/** The users of the server. */
export class Accounts {
  readonly #byId = new Map<string, Account>();

  get all(): readonly Account[] {
    return [...this.#byId.values()];
  }

  add(account: Account): void {
    this.#byId.set(account.userId, account);
  }

  get(userId: string): Account | undefined {
    return this.#byId.get(userId);
  }

  withEmail(email: string): Account | undefined {
    return this.all.find((account) => account.email === email);
  }

  delete(userId: string): boolean {
    return this.#byId.delete(userId);
  }
}
