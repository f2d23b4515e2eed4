// Numbers for prompts that wait.

/** A number for each prompt that waits. It never changes and never comes again, so it names what the user has seen. */
export class QueueNumbers {
  readonly #ids: string[] = [];

  of(id: string): number {
    const at = this.#ids.lastIndexOf(id);
    return at < 0 ? this.#ids.push(id) : at + 1;
  }

  id(number: string): string | undefined {
    return /^[1-9]\d*$/.test(number) ? this.#ids[Number(number) - 1] : undefined;
  }
}
