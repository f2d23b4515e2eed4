// The tables of `sqliteLog`.

/**
 * - `chat`: `owner` is null without a lease. `until` and `ttl`: wall time of the machine in ms. `trimmed`: the last
 *   position that was dropped.
 * - `log`: one row per batch. `n` grows over all chats, so that another process finds what is new.
 * - `inbox`: in the order of `place`. `given`: the command of each kind that was taken last.
 * - `news`: chats with a change that is no event, by `n`. Chat 0: any chat may have changed.
 * - `counter`: the last epoch of any chat, so that none repeats when a chat is removed and made anew.
 */
export const SCHEMA = `
begin immediate;
create table chat(n integer primary key autoincrement, id text not null unique, log text not null,
  epoch integer not null default 0, owner text, until real not null default 0, ttl real not null default 0,
  trimmed integer not null default 0) strict;
create table log(n integer primary key, chat integer not null, last integer not null, first integer not null,
  epoch integer not null, events text not null, unique(chat, last)) strict;
create table inbox(chat integer not null, kind text not null, place integer not null, key text not null,
  value text not null, primary key(chat, key)) strict, without rowid;
create table given(chat integer not null, kind text not null, epoch integer not null, key text not null,
  value text not null, primary key(chat, kind)) strict, without rowid;
create table keys(chat integer not null, key text not null, hash text not null, until real not null,
  primary key(chat, key)) strict, without rowid;
create table entry(chat integer not null, name text not null, value text not null,
  primary key(chat, name)) strict, without rowid;
create table news(n integer primary key autoincrement, chat integer not null unique) strict;
create table counter(epoch integer not null) strict;
insert into counter values(0);
commit;
`;

/** The tables with rows of a chat, beside `chat`. */
export const CHAT_TABLES = ["log", "inbox", "given", "keys", "entry"] as const;
