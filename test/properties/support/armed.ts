/** What a user's own code is to do inside of the client's, once each. */
export class Armed<Moment, Deed> {
  #armed: { readonly moment: Moment; readonly deed: Deed }[] = [];

  when(moment: Moment, deed: Deed): void {
    this.#armed.push({ moment, deed });
  }

  clear(): void {
    this.#armed = [];
  }

  /** The first deed for this moment, which is then done with. */
  take(moment: Moment): Deed | undefined {
    const at = this.#armed.findIndex((armed) => armed.moment === moment);
    return at === -1 ? undefined : this.#armed.splice(at, 1)[0]?.deed;
  }
}
