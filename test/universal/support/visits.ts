/**
 * Counts the work of a pure reducer on its state: each field or entry that it reads, and each slot of the objects that it makes. Both are seen
 * from outside, so the reducer needs no counter: it gets the state through proxies, and its result is searched for new objects.
 */
function counted<State extends object, Event>(
  reducer: (state: State, event: Event) => State,
): (state: State, event: Event) => { readonly state: State; readonly work: number } {
  const proxies = new WeakMap<object, object>();
  const targets = new WeakMap<object, object>();
  const known = new WeakSet<object>();
  let work = 0;

  const handler: ProxyHandler<object> = {
    get(target, key, receiver) {
      work++;
      return watched(Reflect.get(target, key, receiver));
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      work += keys.length;
      return keys;
    },
  };

  function watched(value: unknown): unknown {
    if (typeof value !== "object" || value === null || targets.has(value)) return value;
    const before = proxies.get(value);
    if (before) return before;
    const proxy = new Proxy(value, handler);
    proxies.set(value, proxy);
    targets.set(proxy, value);
    return proxy;
  }

  /** Puts the objects themselves back in place of their proxies, in all new objects. */
  function unwatched(value: object): object {
    const root = targets.get(value) ?? value;
    const rest: object[] = [root];
    while (rest.length > 0) {
      const next = rest.pop();
      if (!next || known.has(next)) continue;
      known.add(next);
      for (const key of Object.keys(next)) {
        work++;
        const field: unknown = Reflect.get(next, key);
        if (typeof field !== "object" || field === null) continue;
        const target = targets.get(field);
        if (target) Reflect.set(next, key, target);
        else rest.push(field);
      }
    }
    return root;
  }

  return (state, event) => {
    unwatched(event as object); // what the event holds is no work of the reducer
    work = 0;
    const next = unwatched(reducer(watched(state) as State, event)) as State;
    return { state: next, work };
  };
}

/** Events of a window: enough for several turns of a test's log. */
const WINDOW = 500;

/** The work for each of the 500 events behind each of these places, in one pass over all events. */
export function workAt<State extends object, Event>(
  reducer: (state: State, event: Event) => State,
  empty: State,
  events: readonly Event[],
  places: readonly number[],
): readonly (readonly number[])[] {
  const step = counted(reducer);
  const windows = places.map((): number[] => []);
  let state = empty;
  for (const [index, event] of events.entries()) {
    const window = windows[places.findIndex((place) => index >= place && index < place + WINDOW)];
    if (window) {
      const done = step(state, event);
      state = done.state;
      window.push(done.work);
    } else {
      state = reducer(state, event);
    }
  }
  return windows;
}

export function mean(values: readonly number[] = []): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
