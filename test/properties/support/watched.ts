/** A promise that was handed to the user, and what has become of it. */
export class Watched<T> {
  fate: { readonly value: T } | { readonly error: unknown } | undefined;

  constructor(promise: Promise<T>) {
    promise.then(
      (value) => {
        this.fate = { value };
      },
      (error: unknown) => {
        this.fate = { error };
      },
    );
  }
}
