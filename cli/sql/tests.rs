use super::{Assignment, Conflict, Kind, Schema, Set, Statement, read};

fn one(text: &str) -> Statement {
    read(text, None)
        .and_then(|statements| statements.into_iter().next_back())
        .unwrap_or_else(|| panic!("unread: {text}"))
}

fn set(column: &str, value: Set) -> Assignment {
    Assignment { column: column.to_owned(), of: None, value }
}

#[test]
fn an_insert_with_placeholders_and_words() {
    let insert = one(
        "INSERT INTO billing.Payments (id, state, key) VALUES ($1, 'prepared', $2::text) ON CONFLICT (key) DO NOTHING",
    );
    assert_eq!(insert.kind, Kind::Insert);
    assert_eq!(insert.table.as_deref(), Some("payments"));
    assert_eq!(insert.set[0], set("id", Set::Placeholder(0)));
    assert_eq!(insert.set[1], set("state", Set::Text("prepared".to_owned())));
    assert_eq!(insert.set[2], set("key", Set::Placeholder(1)));
    assert_eq!(insert.conflict, Conflict::Nothing);
    assert_eq!(insert.conflict_target, ["key"]);
}

#[test]
fn a_relative_update_is_told_from_an_absolute_one() {
    let relative = one("UPDATE accounts SET balance = balance + $2, touched = now() WHERE account_id = $1");
    assert_eq!(relative.set, [set("balance", Set::Delta { less: false, by: Some(1) }), set("touched", Set::Now)]);
    assert_eq!(relative.conditions[0].column, "account_id");
    assert_eq!(relative.conditions[0].against, Set::Placeholder(0));
    assert_eq!(one("UPDATE a SET n = coalesce(n, 0) + 1").set, [set("n", Set::Delta { less: false, by: None })]);
    assert_eq!(one("UPDATE a SET n = n - $1").set, [set("n", Set::Delta { less: true, by: Some(0) })]);
    assert_eq!(one("UPDATE a SET n = m + 1").set, [set("n", Set::Expression)]);
    let kept = |change: &str| {
        one(&format!("INSERT INTO a (id, n) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET {change}")).conflict_set
    };
    assert_eq!(kept("n = EXCLUDED.n"), [set("n", Set::Given)]);
    assert_eq!(kept("n = a.n + EXCLUDED.n"), [set("n", Set::Delta { less: false, by: None })]);
    assert_eq!(
        one("INSERT INTO a (id, n) VALUES (1, 2) ON DUPLICATE KEY UPDATE n = VALUES(n)").conflict_set,
        [set("n", Set::Given)]
    );
    assert_eq!(one("UPDATE a SET n = ?1 WHERE id = ?2").set, [set("n", Set::Placeholder(0))]);
}

#[test]
fn a_claim_answers_with_what_is_there() {
    let by = |text: &str| one(text).claims_by().map(|by| by.into_iter().cloned().collect::<Vec<_>>());
    let insert = |rest: &str| by(&format!("INSERT INTO a AS b (id, key, n) VALUES ($1, $2, $3) {rest}"));
    let id = vec![Set::Placeholder(0)];
    assert_eq!(insert("ON CONFLICT (id) DO UPDATE SET key = b.key RETURNING key"), Some(id.clone()));
    assert_eq!(insert("ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n RETURNING key"), Some(id.clone()));
    assert_eq!(insert("ON CONFLICT (id) DO NOTHING RETURNING key"), Some(id.clone()));
    let overwritten = insert("ON CONFLICT (id) DO UPDATE SET key = EXCLUDED.key RETURNING key");
    assert_eq!(overwritten, Some(vec![Set::Placeholder(0), Set::Placeholder(1), Set::Given]));
    assert_eq!(insert("RETURNING key"), None);
    assert_eq!(insert("ON CONFLICT (id) DO NOTHING"), None);
    assert_eq!(by("UPDATE a SET key = COALESCE(key, $2) WHERE id = $1 RETURNING key"), Some(id.clone()));
    assert_eq!(
        by("UPDATE a SET key = $2 WHERE id = $1 AND key IS NULL RETURNING key"),
        Some(vec![id[0].clone(), Set::Null])
    );
    assert_eq!(by("UPDATE a SET key = COALESCE($2, key) WHERE id = $1 RETURNING key"), None);
    assert_eq!(by("UPDATE a SET key = b.key FROM b WHERE a.id = b.id RETURNING key"), None);
}

#[test]
fn a_check_reads_through_exists() {
    let check = one("SELECT EXISTS (SELECT 1 FROM used_vouchers WHERE key = $1)");
    assert!(check.exists);
    assert_eq!(check.table.as_deref(), Some("used_vouchers"));
    assert_eq!(check.conditions[0].column, "key");
}

#[test]
fn locks_and_conditions_of_a_queue() {
    let poll =
        one("SELECT * FROM jobs WHERE state = 'queued' AND run_at <= now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED");
    assert!(poll.for_update && poll.skip_locked && poll.limit);
    assert!(poll.conditions[0].equal);
    assert!(!poll.conditions[1].equal);
    let other = one("SELECT id FROM jobs WHERE state = 'queued' ORDER BY id FOR UPDATE OF jobs SKIP LOCKED LIMIT $1");
    assert!(other.for_update && other.skip_locked && other.limit);
    let taken = one("UPDATE jobs SET state = 'running' WHERE id = (SELECT id FROM jobs WHERE state = 'queued' \
         FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING id");
    assert_eq!(taken.kind, Kind::Update);
    assert_eq!(taken.set[0].column, "state");
}

#[test]
fn data_changes_inside_with_come_first() {
    let all = read("WITH gone AS (DELETE FROM outbox WHERE id = $1 RETURNING *) SELECT * FROM gone", None);
    let kinds: Vec<Kind> = all.into_iter().flatten().map(|statement| statement.kind).collect();
    assert_eq!(kinds, [Kind::Delete, Kind::Select]);
}

#[test]
fn a_hole_for_a_table_may_tell_which() {
    let table = |text: &str| one(text).table;
    assert_eq!(table("DELETE FROM {parcels} AS p WHERE id = $1").as_deref(), Some("parcels"));
    assert_eq!(table("UPDATE {schema}.{parcels_table} SET a = 1").as_deref(), Some("parcels"));
    assert_eq!(table("UPDATE {table_name} SET a = 1"), None);
    assert_eq!(table("UPDATE \u{0} SET a = 1"), None);
    let other = one("SELECT a FROM t WHERE {column} = $1 AND b = {value}");
    assert_eq!(other.conditions.iter().map(|condition| condition.column.as_str()).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn holes_still_read() {
    let update = one("UPDATE {table} SET state = 'failed' WHERE id = {}");
    assert_eq!(update.table, None);
    assert_eq!(update.set, [set("state", Set::Text("failed".to_owned()))]);
    assert_eq!(read("not sql at all", None), None);
    assert_eq!(read(&"(".repeat(100_000), None), None);
}

#[test]
fn migrations_tell_what_is_unique() {
    let schema = Schema::collect(
        [
            "CREATE TABLE inbox (id bigint PRIMARY KEY, source text, key text, UNIQUE (source, key));",
            "CREATE UNIQUE INDEX once ON outbox (command_id);",
        ]
        .into_iter(),
    );
    let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert!(schema.is_unique("inbox", &columns(&["key", "source", "at"])));
    assert!(schema.is_unique("inbox", &columns(&["id"])));
    assert!(!schema.is_unique("inbox", &columns(&["key"])));
    assert!(schema.is_unique("outbox", &columns(&["command_id"])));
}

#[test]
fn alternatives_and_what_is_bound_in_them() {
    let taken =
        one("UPDATE jobs SET owner = ?, until = ? WHERE name = ? AND (until IS NULL OR until < ?) AND kind = ?");
    assert_eq!(taken.either, ["until", "until"]);
    let columns: Vec<_> = taken.conditions.iter().map(|condition| (&*condition.column, &condition.against)).collect();
    assert_eq!(columns, [("name", &Set::Placeholder(2)), ("kind", &Set::Placeholder(4))]);
    assert!(one("SELECT pg_advisory_unlock($1)").unlocks);
}

#[test]
fn a_lock_of_a_whole_table_lets_no_other_one_in() {
    for text in
        ["LOCK TABLE jobs", "lock table public.jobs in share row exclusive mode nowait;", "LOCK jobs IN EXCLUSIVE MODE"]
    {
        let locked = one(text);
        assert!(locked.for_update && !locked.skip_locked, "{text}");
        assert_eq!(locked.table.as_deref(), Some("jobs"), "{text}");
    }
    assert!(read("LOCK TABLE jobs IN ROW EXCLUSIVE MODE", None).is_none());
}

#[test]
fn a_lock_may_stand_before_the_limit() {
    let taken = one(
        "UPDATE jobs SET worker = $1 WHERE id = (SELECT id FROM jobs WHERE state = 'ready' ORDER BY id FOR UPDATE OF jobs \
         SKIP LOCKED LIMIT $2) RETURNING id",
    );
    assert_eq!(taken.set, [set("worker", Set::Placeholder(0))]);
    let picked = one("SELECT id FROM jobs FOR SHARE NOWAIT LIMIT 1");
    assert!(picked.limit && !picked.for_update);
    assert_eq!(read("SELECT FOR UPDATE LIMIT", None), None);
}

#[test]
fn spellings_of_other_databases_are_read() {
    let claim = one("INSERT INTO seen (id, at) VALUES (?, ?) IF NOT EXISTS USING TTL 86400");
    assert_eq!((claim.kind, claim.conflict), (Kind::Insert, Conflict::Nothing));
    let kept = one("UPDATE jobs USING TTL ? SET state = 'done' WHERE id = ? IF state = 'open' AND owner = ?");
    let against = |at: usize| (kept.conditions[at].column.as_str(), kept.conditions[at].against.clone());
    assert_eq!(against(0), ("id", Set::Placeholder(1)));
    assert_eq!(against(1), ("state", Set::Text("open".to_owned())));
    assert_eq!(against(2), ("owner", Set::Placeholder(2)));
    assert_eq!(one("DELETE FROM jobs WHERE id = ? IF EXISTS").conditions.len(), 1);
    let batch = read("BEGIN COUNTER BATCH UPDATE a SET n = n + ? WHERE id = ?; APPLY BATCH;", None);
    assert_eq!(batch.map(|all| all[0].set.clone()), Some(vec![set("n", Set::Delta { less: false, by: Some(0) })]));
    assert_eq!(one("UPDATE a SET n -= @P2 WHERE id = @P1").set, [set("n", Set::Delta { less: true, by: Some(1) })]);
    assert_eq!(one("UPDATE a SET n = n + @P1 WHERE id = @P2").conditions[0].against, Set::Placeholder(1));
    assert_eq!(read("UPDATE a SET n = ", None), None);
}
