-- Version 1. One run in one file; the engine is the only process that ever writes it.
-- Texts are content-addressed in `blob`; columns that end in _hash point there.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE blob (
    hash TEXT PRIMARY KEY,          -- SHA-256 of the uncompressed bytes
    codec TEXT NOT NULL,            -- 'raw', 'zlib', 'parts': 32-byte hashes of its pieces in order
    size INTEGER NOT NULL,          -- uncompressed bytes
    data BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE unit (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,             -- case, domain, round, target, ...
    ord INTEGER NOT NULL,
    state TEXT NOT NULL,            -- open, done, parked, failed
    reason TEXT NOT NULL DEFAULT '',
    result TEXT,                    -- JSON, what later stages read
    digest TEXT,                    -- of its canonical rows, once done
    started TEXT,
    ended TEXT
) WITHOUT ROWID;

CREATE TABLE item (
    id TEXT PRIMARY KEY,
    split TEXT NOT NULL,
    ord INTEGER NOT NULL,
    content_hash TEXT NOT NULL REFERENCES blob(hash) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;

CREATE TABLE node (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL,
    grp TEXT NOT NULL,              -- case id, round or target
    generation INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    origin TEXT NOT NULL,           -- JSON: axis, subtypes, family, level
    content_hash TEXT NOT NULL REFERENCES blob(hash) DEFERRABLE INITIALLY DEFERRED,
    description TEXT NOT NULL,
    created TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'proposed',
    num INTEGER,                    -- score, exact: num/den
    den INTEGER,
    bound INTEGER NOT NULL DEFAULT 0,
    entropy REAL,
    vetoed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX node_unit ON node(unit, generation, idx);
CREATE INDEX node_state ON node(state);

CREATE TABLE parent (
    node TEXT NOT NULL,
    parent TEXT NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (node, parent, role)
) WITHOUT ROWID;
CREATE INDEX parent_parent ON parent(parent);

CREATE TABLE call (
    seq INTEGER PRIMARY KEY,
    slot TEXT NOT NULL UNIQUE,
    unit TEXT NOT NULL,
    purpose TEXT NOT NULL,
    node TEXT NOT NULL,
    number INTEGER NOT NULL,
    role TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    request_hash TEXT NOT NULL,     -- identity of the request
    request_blob TEXT NOT NULL REFERENCES blob(hash) DEFERRABLE INITIALLY DEFERRED,
    status TEXT NOT NULL,           -- intended, sent, ambiguous, open, completed, failed
    reply_blob TEXT REFERENCES blob(hash) DEFERRABLE INITIALLY DEFERRED,
    fact TEXT,                      -- canonical hash of the completion, or failure reason
    finish TEXT,
    failure TEXT,                   -- reason of a permanent failure, with its message
    served_model TEXT,
    served_provider TEXT,
    request_id TEXT,
    input_tokens INTEGER,
    cached_input_tokens INTEGER,
    cache_write_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    cost TEXT,                      -- decimal US dollars; NULL where unknown
    cost_source TEXT,
    estimate TEXT,                  -- reserved, decimal US dollars
    params TEXT,                    -- JSON: sent, not_supported, dropped
    latency_s REAL,
    created TEXT NOT NULL,
    done TEXT
);
CREATE INDEX call_unit ON call(unit);
CREATE INDEX call_open ON call(status) WHERE status NOT IN ('completed', 'failed');
CREATE INDEX call_node ON call(node);
CREATE INDEX call_sums ON call(     -- status and header sum calls from this index alone
    status, cost_source, cost, input_tokens, cached_input_tokens, output_tokens
);

CREATE TABLE attempt (
    seq INTEGER PRIMARY KEY,
    slot TEXT NOT NULL,
    at TEXT NOT NULL,
    outcome TEXT NOT NULL,          -- error class, completed, ambiguous
    status INTEGER,                 -- HTTP status
    wait_s REAL,                    -- waited after it
    maybe_paid INTEGER NOT NULL DEFAULT 0,
    estimate TEXT,
    message TEXT NOT NULL DEFAULT ''
);
CREATE INDEX attempt_slot ON attempt(slot);

CREATE TABLE rollout (
    node TEXT NOT NULL,
    context TEXT NOT NULL,
    item TEXT NOT NULL,
    sample INTEGER NOT NULL,        -- -1: the greedy completion
    unit TEXT NOT NULL,
    outcome TEXT NOT NULL,
    num INTEGER,
    den INTEGER,
    class TEXT,
    parsed TEXT,
    logprob_sum REAL,
    tokens INTEGER,
    slot TEXT,
    PRIMARY KEY (node, context, item, sample)
) WITHOUT ROWID;
CREATE INDEX rollout_unit ON rollout(unit);

CREATE TABLE verdict (
    seq INTEGER PRIMARY KEY,
    node TEXT NOT NULL,
    gate TEXT NOT NULL,
    vote INTEGER NOT NULL,          -- -1: a rule, or the majority of a gate's votes
    unit TEXT NOT NULL,
    outcome TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail_hash TEXT REFERENCES blob(hash) DEFERRABLE INITIALLY DEFERRED,
    slot TEXT,
    time TEXT NOT NULL,
    UNIQUE (node, gate, vote)
);
CREATE INDEX verdict_unit ON verdict(unit);
CREATE INDEX verdict_gate ON verdict(gate, outcome);

CREATE TABLE decision (
    seq INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    step TEXT NOT NULL,
    kind TEXT NOT NULL,
    grp TEXT NOT NULL,
    considered TEXT NOT NULL,       -- JSON
    chosen TEXT NOT NULL,           -- JSON
    reason TEXT NOT NULL,
    vetoes TEXT NOT NULL,           -- JSON
    time TEXT NOT NULL,
    UNIQUE (unit, step)
);

CREATE TABLE mark (                 -- decision points: what was known when
    unit TEXT NOT NULL,
    step TEXT NOT NULL,
    last_command INTEGER NOT NULL,
    PRIMARY KEY (unit, step)
) WITHOUT ROWID;

CREATE TABLE command (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    author TEXT NOT NULL,
    time TEXT NOT NULL,
    kind TEXT NOT NULL,
    args TEXT NOT NULL,             -- JSON
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,          -- done, refused
    result TEXT NOT NULL,
    acked TEXT NOT NULL
);

CREATE TABLE tally (
    unit TEXT NOT NULL,
    gate TEXT NOT NULL,
    axis TEXT NOT NULL,
    outcome TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (unit, gate, axis, outcome)
) WITHOUT ROWID;

CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    kind TEXT NOT NULL,
    tbl TEXT NOT NULL,
    ref TEXT NOT NULL
);

CREATE TABLE label (
    node TEXT NOT NULL,
    author TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    reason TEXT NOT NULL,
    command INTEGER NOT NULL,
    PRIMARY KEY (node, author, question)
) WITHOUT ROWID;

CREATE TABLE matrix (               -- an operator's verdicts over a pinned candidate order
    node TEXT NOT NULL,
    electorate TEXT NOT NULL,
    shard INTEGER NOT NULL,
    planes BLOB NOT NULL,           -- 2 bits a cell, compressed
    reasons TEXT NOT NULL,          -- JSON, sparse: why a cell abstained
    PRIMARY KEY (node, electorate, shard)
) WITHOUT ROWID;

CREATE TABLE restriction (          -- a confirmed counterfactual that later harnesses must obey
    node TEXT PRIMARY KEY,
    unit TEXT NOT NULL,
    since INTEGER NOT NULL,
    detail TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE text (                 -- named texts of the run: axes, frozen rubric, configuration
    name TEXT PRIMARY KEY,
    content_hash TEXT NOT NULL REFERENCES blob(hash) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;
