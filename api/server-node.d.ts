// agentwire/server/node

export type RelayListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface SqliteLogOptions {
    readonly clock?: Clock;
}

export declare function relayListener(handler: Relay["handler"]): RelayListener;

export declare function sqliteLog(file: string, options?: SqliteLogOptions): EventLog;
