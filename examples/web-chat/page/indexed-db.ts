/** The result of a request. */
export function requested<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

/** Resolves when what the transaction did is kept. */
export function settled(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error));
  });
}

/** Makes the tables of a database that is opened for the first time. A later version of the page may replace this one. */
export function upgrade(request: IDBOpenDBRequest, make: (database: IDBDatabase) => void): IDBOpenDBRequest {
  request.addEventListener("upgradeneeded", () => make(request.result));
  request.addEventListener("success", () => {
    request.result.addEventListener("versionchange", () => request.result.close());
  });
  return request;
}
