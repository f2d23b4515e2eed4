// The Lua scripts of `redisLog`. Each is one step.

/** ms that a mark in an index lets a script make the chat, or put a command into an empty inbox. */
export const MARK_LIFE = 30_000;

/** The keys of a chat, in the order of `KEYS`. `send` has one more: the key of the command. */
const PRELUDE = `
local meta, log, lease, prompts, controls, values, wake, known = unpack(KEYS)
local function whole(n) return string.format('%.0f', n) end
local function micros() local t = redis.call('TIME') return t[1] * 1000000 + t[2] end
local function isCurrent(epoch)
  return redis.call('HGET', meta, 'epoch') == epoch and redis.call('HEXISTS', meta, 'owner') == 1
end
local function isFresh(mark) return mark ~= '' and micros() / 1000 - mark < ${MARK_LIFE} end
local function make(log) redis.call('HSET', meta, 'log', log, 'epoch', '0', 'head', '0', 'first', '1') end
local function bounds() return redis.call('HMGET', meta, 'log', 'head', 'first') end
local function tell() redis.call('SPUBLISH', wake, '') end
local function touch() redis.call('HINCRBY', meta, 'again', 1) end
local function inbox(kind) return kind == 'prompt' and prompts or controls end
`;

const script = (body: string): string => `${PRELUDE}${body}`;

/** Arguments: epoch, first, last, JSON. */
export const APPEND_SCRIPT = script(`
local head = redis.call('HGET', meta, 'head') or '0'
if not isCurrent(ARGV[1]) then return {'fenced', head} end
if tonumber(ARGV[2]) == head + 1 then
  redis.call('XADD', log, ARGV[3] .. '-0', 'p', ARGV[1], 'f', ARGV[2], 'e', ARGV[4])
  redis.call('HSET', meta, 'head', ARGV[3])
  tell()
  return {'ok', head}
end
local same = redis.call('XRANGE', log, ARGV[3] .. '-0', ARGV[3] .. '-0')[1]
if same and same[2][2] == ARGV[1] and same[2][4] == ARGV[2] then
  touch()
  return {'again', head}
end
return {'conflict', head}
`);

/** Arguments: after, limit. Answers `{log, last, epoch, first, JSON, last, ...}`, or `{'', first}` if trimmed. */
export const PAGE_SCRIPT = script(`
local name, head, first = unpack(bounds())
local after, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
if not name or after >= tonumber(head) then return {} end
if after + 1 < tonumber(first) then return {'', first} end
local page, count, from = {name}, 0, '(' .. ARGV[1] .. '-0'
while true do
  local rows = redis.call('XRANGE', log, from, '+', 'COUNT', 16)
  for _, row in ipairs(rows) do
    local last = string.sub(row[1], 1, -3)
    page[#page + 1] = last
    page[#page + 1] = row[2][2]
    page[#page + 1] = row[2][4]
    page[#page + 1] = row[2][6]
    count = count + last - math.max(after, row[2][4] - 1)
    if count >= limit then return page end
    from = '(' .. row[1]
  end
  if #rows < 16 then return page end
end
`);

export const HEAD_SCRIPT = script(`
local found = bounds()
return found[1] and found or {}
`);

/**
 * Arguments: owner, ttl, "1" for a second look, the id of a new log, the mark. The epoch is the time in µs: unlike a
 * counter, it does not repeat behind a removal, or behind a failover that lost it.
 */
export const ACQUIRE_SCRIPT = script(`
if redis.call('HEXISTS', meta, 'log') == 0 then
  if not isFresh(ARGV[5]) then return {'mark'} end
  make(ARGV[4])
end
if redis.call('EXISTS', lease) == 1 then return {'held'} end
if redis.call('HEXISTS', meta, 'owner') == 1 and ARGV[3] ~= '1' then return {'orphan'} end
local epoch = whole(math.max(micros(), redis.call('HGET', meta, 'epoch') + 1))
redis.call('HSET', meta, 'epoch', epoch, 'owner', ARGV[1])
redis.call('SET', lease, ARGV[1], 'PX', ARGV[2])
return {'lease', epoch, unpack(bounds())}
`);

/** Arguments: owner, epoch, ttl. */
export const RENEW_SCRIPT = script(`
if redis.call('HGET', meta, 'owner') ~= ARGV[1] or not isCurrent(ARGV[2]) then return {'0'} end
redis.call('SET', lease, ARGV[1], 'PX', ARGV[3])
return {'1'}
`);

/** Arguments: owner, epoch. */
export const RELEASE_SCRIPT = script(`
if redis.call('HGET', meta, 'owner') ~= ARGV[1] or not isCurrent(ARGV[2]) then return {'0'} end
redis.call('HDEL', meta, 'owner')
redis.call('DEL', lease)
tell()
return {'1'}
`);

/**
 * Arguments: kind, key, JSON, hash, the limit, ms to remember the key, the id of a new log, the mark. The memory of a
 * key begins with the log's id: one of a removed chat does not count.
 */
export const SEND_SCRIPT = script(`
if not isFresh(ARGV[8]) then return {'mark'} end
local name = redis.call('HGET', meta, 'log')
if name then
  local hash = redis.call('GET', known)
  if hash and string.sub(hash, 1, #name + 1) == name .. ' ' then
    touch()
    return {string.sub(hash, #name + 2) == ARGV[4] and 'again' or 'key-reused'}
  end
  if redis.call('HEXISTS', values, ARGV[2]) == 1 then return {'again'} end
  if redis.call('LLEN', inbox(ARGV[1])) >= tonumber(ARGV[5]) then return {'full'} end
else
  name = ARGV[7]
  make(name)
end
redis.call('SET', known, name .. ' ' .. ARGV[4], 'PX', ARGV[6])
redis.call('RPUSH', inbox(ARGV[1]), ARGV[2])
redis.call('HSET', values, ARGV[2], ARGV[3])
tell()
return {'new'}
`);

/** Arguments: epoch, kind, the previous key or nothing. Answers `{key, JSON}`. */
export const TAKE_SCRIPT = script(`
if not isCurrent(ARGV[1]) then return {} end
local kind = ARGV[2]
local given = redis.call('HMGET', meta, 'given-epoch-' .. kind, 'given-key-' .. kind, 'given-value-' .. kind)
if given[1] == ARGV[1] and given[2] ~= ARGV[3] then
  touch()
  return {given[2], given[3]}
end
local key = redis.call('LPOP', inbox(kind))
if not key then return {} end
local value = redis.call('HGET', values, key)
redis.call('HDEL', values, key)
redis.call('HSET', meta, 'given-epoch-' .. kind, ARGV[1], 'given-key-' .. kind, key, 'given-value-' .. kind, value)
if kind == 'prompt' then
  redis.call('HSET', meta, 'entry-taken', '{"key":' .. cjson.encode(key) .. ',"value":' .. value .. '}')
end
tell()
return {key, value}
`);

/** Answers `{key, JSON, key, JSON, ...}`. */
export const QUEUE_SCRIPT = script(`
local queue = {}
for _, key in ipairs(redis.call('LRANGE', prompts, 0, -1)) do
  queue[#queue + 1] = key
  queue[#queue + 1] = redis.call('HGET', values, key)
end
return queue
`);

/** Arguments: key. */
export const WITHDRAW_SCRIPT = script(`
if redis.call('LREM', prompts, 1, ARGV[1]) == 0 then return {'0'} end
redis.call('HDEL', values, ARGV[1])
tell()
return {'1'}
`);

/** Arguments: key, JSON. */
export const EDIT_SCRIPT = script(`
if not redis.call('LPOS', prompts, ARGV[1]) then return {'0'} end
redis.call('HSET', values, ARGV[1], ARGV[2])
tell()
return {'1'}
`);

/** Arguments: key, the key behind it or nothing. */
export const MOVE_SCRIPT = script(`
local key, before = ARGV[1], ARGV[2]
if not redis.call('LPOS', prompts, key) then return {'0'} end
if before ~= '' and not redis.call('LPOS', prompts, before) then return {'0'} end
if before ~= key then
  redis.call('LREM', prompts, 1, key)
  if before == '' then redis.call('RPUSH', prompts, key)
  else redis.call('LINSERT', prompts, 'BEFORE', before, key) end
end
tell()
return {'1'}
`);

/** Arguments: epoch, name, and a JSON value to keep. */
export const PUT_SCRIPT = script(`
if not isCurrent(ARGV[1]) then return {'0'} end
if ARGV[3] then redis.call('HSET', meta, 'entry-' .. ARGV[2], ARGV[3])
else redis.call('HDEL', meta, 'entry-' .. ARGV[2]) end
return {'1'}
`);

/** Arguments: name. */
export const GET_SCRIPT = script(`
return {redis.call('HGET', meta, 'entry-' .. ARGV[1])}
`);

/** Arguments: the first position to keep. */
export const TRIM_SCRIPT = script(`
if redis.call('XTRIM', log, 'MINID', ARGV[1] .. '-0') == 0 then return {'0'} end
local oldest = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
redis.call('HSET', meta, 'first', oldest and oldest[2][4] or whole(redis.call('HGET', meta, 'head') + 1))
return {'1'}
`);

export const REMOVE_SCRIPT = script(`
if redis.call('DEL', meta, log, lease, prompts, controls, values) > 0 then tell() end
return {'1'}
`);

/** Answers whether the chat exists, and whether a command waits. */
export const PEEK_SCRIPT = script(`
local waiting = redis.call('EXISTS', prompts, controls) > 0
return {tostring(redis.call('EXISTS', meta)), waiting and '1' or '0'}
`);

/** Keys: all indexes to note a chat in. Arguments: the chat. Answers the mark. */
export const MARK_SCRIPT = `
local t = redis.call('TIME')
local now = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
for _, index in ipairs(KEYS) do redis.call('ZADD', index, now, ARGV[1]) end
return {now}
`;

/** Keys: an index. Arguments: cursor. Answers `{cursor, time, chat, mark, chat, mark, ...}`. */
export const LISTED_SCRIPT = `
local t = redis.call('TIME')
local found = redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', 200)
return {found[1], string.format('%.0f', t[1] * 1000), unpack(found[2])}
`;

/** Keys: an index. Arguments: a chat to take out, and its mark. A chat that was marked since then stays. */
export const FORGET_SCRIPT = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
return {'1'}
`;
