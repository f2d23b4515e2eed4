// The users of the server, by key.
import { checkMockNames, InvalidMockInput, type NamesOf } from "../names.ts";
import type { BackendUser } from "./options.ts";

const USER: NamesOf<BackendUser> = {
  ...{ key: true, id: true, email: true, discordId: true, referralCode: true, referralLink: true },
  ...{ stripeCustomerId: true, banned: true, country: true, quota: true, balance: true },
};

export class Users {
  readonly #byKey = new Map<string, BackendUser>();
  #made = 0;

  /** @throws InvalidMockInput for an unknown field, an empty key or a key in use */
  add(given: Partial<BackendUser>): BackendUser {
    checkMockNames(given, USER, "field of the user");
    const number = ++this.#made;
    const key = given.key ?? (number === 1 ? "test-key" : `test-key-${number}`);
    if (key === "") throw new InvalidMockInput("`key` is empty.", "Leave it out for a generated key.");
    if (this.#byKey.has(key))
      throw new InvalidMockInput("`key` is taken.", "Give each user a key of its own.");
    const id = given.id ?? `user-${number}`;
    const user = {
      email: `${id}@codebuff.example`,
      discordId: null,
      referralCode: `ref-${id}`,
      referralLink: `https://codebuff.example/referrals/ref-${id}`,
      stripeCustomerId: null,
      ...given,
      key,
      id,
    };
    this.#byKey.set(key, user);
    return user;
  }

  remove(key: string): void {
    this.#byKey.delete(key);
  }

  get(key: string | undefined): BackendUser | undefined {
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  get first(): BackendUser | undefined {
    return this.#byKey.values().next().value;
  }
}
